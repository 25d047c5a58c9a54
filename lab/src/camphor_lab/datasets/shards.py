"""Candidates for a dataset, in shards: each is drawn from its recipe and number alone, wherever and whenever."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from camphor.device.device import Device
from camphor.trajectories.items import GoldMismatch, Item, check, replay
from camphor_lab.datasets.bank import Bank, Spread
from camphor_lab.datasets.compose import draw_item
from camphor_lab.datasets.files import line_of
from camphor_lab.datasets.phones import SampledPhone, make_phone
from camphor_lab.datasets.wishes import Unfit, World

PHONES = 8  # in a shard


@dataclass(frozen=True)
class PhoneCandidates:
    """What was drawn for one phone: its name, its file's text and the items' lines, and what replay refused, by reason.

    Texts are passed on as they were written: with many workers one process takes all that they make.
    """

    phone: str
    device: str
    lines: tuple[str, ...]
    refused: Mapping[str, int] = field(default_factory=dict)

    def to_line(self) -> str:
        return line_of([self.phone, self.device, self.lines, self.refused])


@dataclass(frozen=True)
class ShardRecipe:
    """What decides a shard's content, but for its number.

    `only` are the situations that are drawn, each wish alone; empty for all, in their mix. `used` is how often a test
    split has used its skeletons before this round of shards, and `most` how often it may; None for training, which may
    repeat itself.
    """

    split: str
    seed: int
    items_a_phone: int
    most: int | None = None
    used: Mapping[str, int] = field(default_factory=dict)
    only: tuple[str, ...] = ()

    def __call__(self, number: int) -> str:
        """The shard's lines, one a phone."""
        spread = Spread(self.most, self.used)
        phones = range(number * PHONES, (number + 1) * PHONES)
        return "".join(self._phone(phone, spread).to_line() for phone in phones)

    def _phone(self, number: int, spread: Spread) -> PhoneCandidates:
        bank, rng = _bank(self.split), Random(f"{self.seed}:{self.split}:{number}")
        phone = make_phone(bank, rng, number)
        world = World(phone, bank, rng, spread=spread)
        items: list[Item] = []
        refused: Counter[str] = Counter()
        seen: set[str] = set()
        with Device.create(None, phone.data) as device:
            for attempt in range(self.items_a_phone * 4):
                if len(items) == self.items_a_phone:
                    break
                try:
                    item = draw_item(phone, world, f"{phone.data['id']}-{attempt:02d}", self.only)
                except Unfit:
                    continue
                if item.query in seen or not spread.fits(item.extra["skeletons"]):
                    continue
                try:
                    _prove(item, phone, device)
                except GoldMismatch as error:
                    refused[str(error).split(": ", 1)[1][:160]] += 1
                    continue
                seen.add(item.query)
                items.append(item)
                spread.add(item.extra["skeletons"])
        lines = (line_of(item.to_json()) for item in items)
        return PhoneCandidates(phone.data["id"], json.dumps(phone.data, ensure_ascii=False), tuple(lines), refused)


def _prove(item: Item, phone: SampledPhone, device: Device) -> None:
    """Raises: GoldMismatch. The actions of earlier turns change a device, so these get one of their own."""
    if not item.history:
        check(item, replay(item, device))
        return
    with Device.create(None, phone.data) as fresh:
        check(item, replay(item, fresh))


@lru_cache(maxsize=2)
def _bank(split: str) -> Bank:
    return Bank(split)


def read_shard(text: str) -> list[PhoneCandidates]:
    shard = [json.loads(line) for line in text.split("\n") if line]
    return [PhoneCandidates(phone, device, tuple(lines), refused) for phone, device, lines, refused in shard]

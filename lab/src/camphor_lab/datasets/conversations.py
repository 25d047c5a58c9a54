"""Conversations of six to ten turns on sampled phones, in which later turns point back at earlier ones.

A conversation is made of moves. A move draws one wish or two: a new one, or one that speaks of what the conversation
knows, by "it", "her", "the second one", "the other one", "instead", "same time" or "there". Each turn is carried out on
the phone before the next is drawn, so that an event that was cancelled is gone; a turn whose steps do not lead to its
gold calls is left out.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from camphor.device.device import Device
from camphor.trajectories.items import GoldMismatch, Item, check, read_call, replay
from camphor.types import Agent, Turn
from camphor_lab.datasets.bank import Bank
from camphor_lab.datasets.compose import styled, turn_of
from camphor_lab.datasets.files import line_of, whole
from camphor_lab.datasets.moves import MOVES, SpokenOf, note
from camphor_lab.datasets.phones import SampledPhone, make_phone
from camphor_lab.datasets.style import STYLES
from camphor_lab.datasets.wishes import Unfit, Wish, World

TURNS = (6, 10)
TOKENS = 1900
"""Of a sample, about: what training takes at most is 2,048 (`configs/embedded.toml`)."""
_CHARACTERS = 3.1  # of a token, at least: none of 60 conversations had more tokens than are told by it, half 0.73 of it
_OBSERVED = 700  # characters of an observation in a prompt (agents.prompts)
_SYSTEM, _MARKS = 260, 12  # tokens of what stands before the first turn, and around each part of a turn


@dataclass(frozen=True)
class PhoneConversation:
    """A phone before the first turn, and the turns as the contract's `history` has them."""

    phone: dict[str, Any]
    turns: tuple[Mapping[str, Any], ...]
    wishes: tuple[Wish, ...]
    phones: tuple[dict[str, Any], ...] = field(repr=False, default=())
    """The device file before each turn."""
    tokens: tuple[int, ...] = ()
    """About how many tokens each turn takes in a prompt."""


def conversations(split: str, seed: int, count: int) -> Iterator[PhoneConversation]:
    """So many conversations; the same seed gives the same ones. People, sentences and texts differ between the splits.

    Args:
        split: `train` or `test`.
    """
    bank = Bank(split)
    made = number = 0
    while made < count:
        rng = Random(f"{seed}:{split}:conversation:{number}")
        phone = make_phone(bank, rng, number)
        number += 1
        conversation = draw_conversation(phone, World(phone, bank, rng), rng.randint(*TURNS))
        if conversation is not None:
            made += 1
            yield conversation


def draw_conversation(phone: SampledPhone, world: World, length: int) -> PhoneConversation | None:
    """One conversation of `length` turns that change the phone; None where too little fits the phone."""
    start = copy.deepcopy(phone.data)
    style = world.rng.choice(STYLES)
    world.spoken = style == "dictated"
    talk, done = SpokenOf(), _Done()
    with Device.create(None, phone.data) as device:
        for _ in range(length * 12):
            if talk.turn >= length:
                break
            move = world.rng.choices(list(MOVES), list(MOVES.values()))[0]
            try:
                wishes = move(world, talk)
            except (Unfit, LookupError, StopIteration):
                continue
            for wish in wishes[: length - talk.turn]:
                if not done.take(wish, styled(wish, style, world, later=talk.turn > 0), phone, device):
                    break
                talk.turn += 1
                note(talk, wish, world)
    if talk.turn < TURNS[0] or not any("reference" in wish.tags for wish in done.wishes):
        return None
    return PhoneConversation(start, tuple(done.turns), tuple(done.wishes), tuple(done.phones), tuple(done.tokens))


@dataclass
class _Done:
    turns: list[Mapping[str, Any]] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)
    phones: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    def take(self, wish: Wish, query: str, phone: SampledPhone, device: Device) -> bool:
        """Carry out a turn if its steps lead to its gold calls; False leaves all as it was."""
        turn = turn_of(wish, query)
        if any(turn["query"] == before["query"] for before in self.turns):
            return False
        item = Item("turn", {}, query, (), tuple(turn["steps"]), tuple(turn["calls"]))
        try:
            trajectory = replay(item, device)
            check(item, trajectory)
        except GoldMismatch:
            return False
        before = copy.deepcopy(phone.data)
        for call in turn["steps"][-1]["calls"]:
            if device.execute(read_call(call)).error is not None:
                return False
        _follow_device(phone, device.export()["apps"])
        self.turns.append(turn)
        self.wishes.append(wish)
        self.phones.append(before)
        self.tokens.append(_tokens(trajectory.turn, turn["response"]))
        return True


def _follow_device(phone: SampledPhone, apps: Mapping[str, Any]) -> None:
    """Bring the phone to what the device holds now; records that did not change stay the same objects."""
    for app, now in apps.items():
        before = phone.data["apps"][app]
        for name, value in now.items():
            old = before.get(name)
            if old == value:
                continue
            kept = {json.dumps(record, sort_keys=True): record for record in old} if isinstance(old, list) else {}
            before[name] = (
                [kept.get(json.dumps(record, sort_keys=True), record) for record in value]
                if isinstance(value, list)
                else value
            )


# samples


def items_of(conversation: PhoneConversation, identity: str, tokens: int = TOKENS) -> list[tuple[Item, dict[str, Any]]]:
    """The conversation as dataset items, each with its device file: one, or several where it is longer than `tokens`.

    A long one is cut by whole turns, as the assistant forgets them, before turns that point back at nothing; the device
    of a later part is the phone as the parts before it left it.
    """
    parts: list[list[int]] = [[]]
    used = _SYSTEM
    for at, (cost, wish) in enumerate(zip(conversation.tokens, conversation.wishes, strict=True)):
        if parts[-1] and used + cost > tokens and "reference" not in wish.tags:
            parts.append([])
            used = _SYSTEM
        parts[-1].append(at)
        used += cost
    made = []
    for number, part in enumerate(parts):
        name = identity if number == 0 else f"{identity}-{number}"
        data = {**conversation.phones[part[0]], "id": name}
        *history, last = (conversation.turns[at] for at in part)
        wishes = [conversation.wishes[at] for at in part]
        tags = tuple(dict.fromkeys(("conversation", *(tag for wish in wishes for tag in wish.tags))))
        item = Item(
            name, f"devices/{name}.device.json", last["query"], tuple(history), tuple(last["steps"]),
            tuple(last["calls"]), last["response"], tags,
            {"situation": wishes[-1].situation, "skeletons": [line for wish in wishes for line in wish.lines]},
        )  # fmt: skip
        made.append((item, data))
    return made


def _tokens(turn: Turn, response: str) -> int:
    found = [" ".join(f"{key}: {value}" for record in each.records for key, value in record.items())
             for step in turn.steps if step.agent is not Agent.TASK for each in step.observations]  # fmt: skip
    calls = [json.dumps(call.to_json()) for step in turn.steps for call in step.calls]
    text = len(turn.query) + len(response) + sum(map(len, calls)) + sum(min(_OBSERVED, len(each)) for each in found)
    return round(text / _CHARACTERS) + _MARKS * (1 + len(turn.steps))


def write_conversations(
    out: Path, split: str, count: int, seed: int, tokens: int = TOKENS, progress: Callable[[int], None] | None = None
) -> Counter[str]:
    """Write `OUT/conversations-SPLIT.jsonl` and its phones under `devices/`; the file appears when it is whole.

    Args:
        progress: told the number of conversations written.

    Returns:
        Counts of "items" and "turns", and of turns by what they point back at ("reference:person" and so on).
    """
    (out / "devices").mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    target = out / f"conversations-{split}.jsonl"
    with whole(target) as part, part.open("w", encoding="utf-8") as file:
        for number, conversation in enumerate(conversations(split, seed, count)):
            for item, data in items_of(conversation, f"talk-{split}-{number:05d}", tokens):
                device = json.dumps(data, ensure_ascii=False)
                (out / str(item.device)).write_text(device, encoding="utf-8")
                file.write(line_of(item.to_json()))
                counts["items"] += 1
            counts["turns"] += len(conversation.turns)
            counts.update(tag for wish in conversation.wishes for tag in wish.tags if tag.startswith("reference:"))
            if progress:
                progress(number + 1)
    return counts

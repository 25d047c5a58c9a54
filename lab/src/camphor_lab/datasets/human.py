"""Requests that people wrote or spoke, from public sets in a folder the user gives, put onto a sampled phone.

Sets (one JSON object a line with `query` and annotated `calls`): SLURP and HWU64 (CC-BY-4.0), Microsoft's
language-understanding files (MIT), CLINC out-of-scope (CC-BY-3.0), DroidCall's early prototype (MIT). People, events,
songs and places they name are replaced by those of the phone, times are kept as said and resolved again; what does not
map cleanly is dropped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from camphor.errors import ToolError
from camphor.trajectories.items import Item
from camphor_lab.datasets.bank import Bank, split_of
from camphor_lab.datasets.compose import turn_of
from camphor_lab.datasets.files import read_lines
from camphor_lab.datasets.handwritten import holds
from camphor_lab.datasets.intents import MAPPERS, Arguments, kind_of
from camphor_lab.datasets.phones import make_phone
from camphor_lab.datasets.wishes import Unfit, Wish, World

SETS = ("slurp", "hwu64", "ms_lu", "clinc_oos", "droidcall_early")
PHONE = 10
MOST_OF_A_KIND = 260


def human_items(folder: Path | str, out: Path | str, *, seed: int = 7, limit: int = 4000) -> Iterator[Item]:
    """Map utterances in `folder` onto phones written to `OUT/devices`; at most `limit` items, all for training."""
    target = Path(out) / "devices"
    target.mkdir(parents=True, exist_ok=True)
    rng = Random(f"{seed}:human")
    lines = list(_utterances(Path(folder), rng))
    bank = Bank("train")
    made, number = 0, 0
    while lines and made < limit:
        batch, lines = lines[:PHONE], lines[PHONE:]
        phone = make_phone(bank, Random(f"{seed}:human:{number}"), number)
        phone.data["id"] = f"human-{number:04d}"
        number += 1
        world = World(phone, bank, rng)
        wishes = []
        for query, intent, arguments in batch:
            try:
                wishes.append(MAPPERS[intent](world, query, arguments))
            except (Unfit, LookupError, ToolError):
                continue
        items = [_item(wish, f"{phone.data['id']}-{place:02d}", phone.data["id"]) for place, wish in enumerate(wishes)]
        kept = [item for item in items if holds(item, phone.data, Counter())][: limit - made]
        if kept:
            (target / f"{phone.data['id']}.device.json").write_text(
                json.dumps(phone.data, ensure_ascii=False, indent=1), encoding="utf-8"
            )
        made += len(kept)
        yield from kept


def _item(wish: Wish, identity: str, device: str) -> Item:
    turn = turn_of(wish, wish.text)
    return Item(
        identity,
        f"devices/{device}.device.json",
        wish.text,
        (),
        tuple(turn["steps"]),
        tuple(turn["calls"]),
        turn["response"],
        ("human", *wish.tags),
        {"situation": f"human:{wish.situation}"},
    )


def _utterances(folder: Path, rng: Random) -> Iterator[tuple[str, str, Arguments]]:
    found: dict[str, list[tuple[str, str, Arguments]]] = {}
    for name in SETS:
        for path in sorted(folder.glob(f"{name}*/*.jsonl")) + sorted(folder.glob(f"{name}*.jsonl")):
            for _, line in read_lines(path):
                query, calls = line.get("query"), line.get("calls", [])
                if not query or len(calls) > 1 or split_of(query) == "test" or not 2 < len(query.split()) < 24:
                    continue
                intent = kind_of(calls[0]["name"] if calls else f"none:{name}")
                if intent in MAPPERS:
                    found.setdefault(intent, []).append((query, intent, calls[0]["arguments"] if calls else {}))
    lines = []
    for same in found.values():
        rng.shuffle(same)
        lines += same[:MOST_OF_A_KIND]
    rng.shuffle(lines)
    return iter(lines)

"""Makes datasets: seeded, resumable, and every gold value checked by replay on the device."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from camphor.datasets.bank import Bank
from camphor.datasets.compose import draw_item
from camphor.datasets.items import Item, read_item
from camphor.datasets.phones import make_phone
from camphor.datasets.replay import GoldMismatch, check, replay
from camphor.datasets.spread import Spread
from camphor.datasets.wishes import Unfit, World
from camphor.device.device import Device
from camphor.errors import UsageError

TRAIN, TEST = 2728, 682  # CAMPHOR section 4: 3,410 queries, four fifths for training
ITEMS_A_PHONE = 12
Progress = Callable[[int, int], None]


@dataclass
class Summary:
    """What was made: counts by situation, by number of calls, and of candidates that replay refused."""

    written: int = 0
    situations: Counter[str] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


def generate(
    out: Path | str,
    *,
    split: str = "train",
    count: int | None = None,
    seed: int = 7,
    items_a_phone: int = ITEMS_A_PHONE,
    progress: Progress | None = None,
) -> Summary:
    """Write `OUT/SPLIT.jsonl` and the device files beside it; a run that was stopped goes on where it stopped.

    Args:
        count: number of items; the paper's sizes by default.
        items_a_phone: queries drawn for one phone before the next phone is made.
        progress: told the number of items written and the number wanted, after each phone.

    Raises:
        UsageError: the folder holds a run of other settings, which this one would not continue.
    """
    folder = Path(out)
    (folder / "devices").mkdir(parents=True, exist_ok=True)
    wanted = count if count is not None else (TRAIN if split == "train" else TEST)
    target = folder / f"{split}.jsonl"
    _same_settings(folder / f"{split}.settings.json", {"seed": seed, "items_a_phone": items_a_phone}, target)
    bank, spread = Bank(split), Spread(wanted if split == "test" else None)
    summary, number = _resume(target, spread)
    with target.open("a", encoding="utf-8") as stream:
        while summary.written < wanted:
            items, data = _one_phone(bank, seed, number, min(items_a_phone, wanted - summary.written), summary, spread)
            number += 1
            if not items:
                continue
            path = folder / "devices" / f"{data['id']}.device.json"
            path.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")
            stream.write("".join(json.dumps(item.to_json(), ensure_ascii=False) + "\n" for item in items))
            stream.flush()
            for item in items:
                _count(summary, item)
            if progress:
                progress(summary.written, wanted)
    return summary


def _count(summary: Summary, item: Item) -> None:
    summary.written += 1
    summary.situations[str(item.extra.get("situation", ""))] += 1
    summary.sizes[len(item.calls or ())] += 1


def _one_phone(
    bank: Bank, seed: int, number: int, wanted: int, summary: Summary, spread: Spread
) -> tuple[list[Item], dict[str, object]]:
    """All items of one phone, drawn from (seed, split, phone) and, in a test split, from what was used before."""
    rng = Random(f"{seed}:{bank.split}:{number}")
    phone = make_phone(bank, rng, number)
    world = World(phone, bank, rng, spread=spread)
    items: list[Item] = []
    seen: set[str] = set()
    device = Device.create(None, phone.data)
    try:
        for attempt in range(wanted * 4):
            if len(items) == wanted:
                break
            try:
                item = draw_item(phone, world, f"{phone.data['id']}-{attempt:02d}")
            except Unfit:
                continue
            if item.query in seen or not spread.fits(item):
                continue
            try:
                if item.history:
                    with Device.create(None, phone.data) as fresh:
                        check(item, replay(item, fresh))
                else:
                    check(item, replay(item, device))
            except GoldMismatch as error:
                summary.refused[str(error).split(": ", 1)[1][:160]] += 1
                continue
            seen.add(item.query)
            items.append(item)
            spread.add([item], str(phone.data["id"]))
    finally:
        device.close()
    return items, phone.data


def _same_settings(path: Path, settings: dict[str, int], target: Path) -> None:
    if target.exists() and path.exists() and json.loads(path.read_text(encoding="utf-8")) != settings:
        raise UsageError(f"{target} was begun with other settings ({path.name}): choose another folder or remove it")
    path.write_text(json.dumps(settings), encoding="utf-8")


def _resume(target: Path, spread: Spread) -> tuple[Summary, int]:
    """Count what is there; a phone cut off in the middle is taken out and made again."""
    summary = Summary()
    if not target.exists():
        return summary, 0
    text = target.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines.pop()
    numbers = [_phone_number(line) for line in lines]
    last = numbers[-1] if numbers else -1
    whole = [line for line, number in zip(lines, numbers, strict=True) if number != last]
    target.write_text("".join(whole), encoding="utf-8")
    for line in whole:
        item = read_item(line, str(target), summary.written + 1)
        _count(summary, item)
        spread.add([item], Path(str(item.device)).name.split(".")[0])
    return summary, max(last, 0)


def _phone_number(line: str) -> int:
    return int(Path(json.loads(line)["device"]).name.split(".")[0].rsplit("-", 1)[1])

"""The hand-written trajectories as training items, and variations: other people, slips of the finger, lower case."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from camphor.device.device import Device
from camphor.trajectories.items import GoldMismatch, Item, check, read_item, read_items, replay
from camphor_lab.datasets.bank import load
from camphor_lab.datasets.style import slip
from camphor_lab.datasets.surface_forms import with_surface_forms
from camphor_lab.datasets.wording import listed

_PLAIN = re.compile(r"[A-Z][a-z]{3,}")


def handwritten_items(
    folder: Path | str, out: Path | str, *, variants: int = 3, seed: int = 7, refused: Counter[str] | None = None
) -> Iterator[Item]:
    """Read every `*/items.jsonl` of a folder, put the steps in words, and vary each phone `variants` times.

    Device files are written to `OUT/devices`. Items that do not lead to their gold calls are left out and counted.

    Raises:
        DatasetError: a line breaks the format.
    """
    target = Path(out) / "devices"
    target.mkdir(parents=True, exist_ok=True)
    lost = refused if refused is not None else Counter()
    for path in sorted(Path(folder).glob("*/items.jsonl")) or [Path(folder) / "items.jsonl"]:
        phones: dict[str, list[Item]] = {}
        for item in read_items(path):
            phones.setdefault(str(item.device), []).append(item)
        for device, items in phones.items():
            data = json.loads((path.parent / device).read_text(encoding="utf-8"))
            ready = [item for item in (with_surface_forms(item, data) for item in items) if holds(item, data, lost)]
            for variant in range(variants + 1):
                rng = Random(f"{seed}:{path.parent.name}:{data['id']}:{variant}")
                yield from _vary(ready, data, path.parent.name, variant, rng, target, lost)


def holds(item: Item, data: Mapping[str, Any], lost: Counter[str]) -> bool:
    """Whether an item's steps lead to its gold calls on a phone; counts why not."""
    try:
        with Device.create(None, data) as device:
            check(item, replay(item, device))
    except GoldMismatch as error:
        lost[str(error)[:200]] += 1
        return False
    return True


def _vary(
    items: list[Item], data: dict[str, Any], folder: str, variant: int, rng: Random, target: Path, lost: Counter[str]
) -> Iterator[Item]:
    identity = f"{folder}-{data['id']}-v{variant}"
    swap = _swap(data, rng) if variant else {}
    phone = json.loads(_replace(json.dumps(data, ensure_ascii=False), swap))
    phone.update(id=identity, timezone=data.get("timezone"))
    name = f"devices/{identity}.device.json"
    (target / f"{identity}.device.json").write_text(json.dumps(phone, ensure_ascii=False, indent=1), encoding="utf-8")
    for item in items:
        line = json.dumps(item.to_json(), ensure_ascii=False)
        changed = read_item(_replace(line, swap), name, 0)
        changed = replace(changed, id=f"{item.id}-v{variant}" if variant else item.id, device=name)
        if variant:
            changed = replace(changed, query=_noise(changed, rng))
            if not holds(changed, phone, lost):
                continue
        yield changed


def _swap(data: Mapping[str, Any], rng: Random) -> dict[str, str]:
    """New first and last names for the people of a phone; each old word gets one new word everywhere."""
    personas = load()["personas"].values()
    fresh = sorted(
        {name for culture in personas for key in ("f", "m", "last") for name in culture[key] if _PLAIN.fullmatch(name)}
        - listed("names_too")
    )
    everything = json.dumps(data, ensure_ascii=False)
    used = {word for word in fresh if re.search(rf"\b{word}\b", everything, re.IGNORECASE)}
    free = [name for name in fresh if name not in used]
    rng.shuffle(free)
    swap: dict[str, str] = {}
    for person in data["apps"].get("contacts", {}).get("people", []):
        for word in str(person.get("name", "")).split():
            if (
                _PLAIN.fullmatch(word)
                and word not in listed("names_too")
                and word not in swap
                and free
                and rng.random() < 0.85
                and not _is_word(word, everything)
            ):
                swap[word] = free.pop()
    return swap


def _is_word(name: str, text: str) -> bool:
    """True for a name that also occurs in lower case outside of addresses: it may be a word of the language."""
    return re.search(rf"(?<![\w.@-]){name.lower()}(?![\w.@-])", text) is not None


def _replace(text: str, swap: Mapping[str, str]) -> str:
    if not swap:
        return text
    lowered = {old.lower(): new for old, new in swap.items()}

    def put(found: re.Match[str]) -> str:
        word, new = found.group(), lowered[found.group().lower()]
        return new if word[0].isupper() and not word.isupper() else new.upper() if word.isupper() else new.lower()

    return re.sub(r"\b(?:" + "|".join(map(re.escape, lowered)) + r")\b", put, text, flags=re.IGNORECASE)


def _noise(item: Item, rng: Random) -> str:
    text = item.query
    kept = [str(value) for step in item.steps for call in step["calls"] for value in call["arguments"].values()]
    if rng.random() < 0.25:
        text = text.lower()
    if rng.random() < 0.25:
        text = slip(text, rng, kept)
    if rng.random() < 0.2:
        text = text.rstrip(".!?")
    return text

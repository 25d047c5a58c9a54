"""How urgent are hand-written words? Found, asked about, missed, and alarms for nothing; no language model is asked.

An item is `{"id", "text", "level", "kind", "lang"}` with the level "now", "today" or "routine", and perhaps `turns`:
the messages of a person in order, of which all but the first answer what the assistant asked.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.agents.health.triage import Triage, Urgency, answered, triage
from camphor.errors import DatasetError, UsageError
from camphor_lab.datasets.health.recorded import read_records
from camphor_lab.evaluation.health_data import Run, measured
from camphor_lab.evaluation.results import Result

LEVELS = ("now", "today", "routine")
_URGENT = ("now", "today")
STRATEGY = "health-urgency"


@dataclass(frozen=True)
class Item:
    """Words of a person, and how urgent they are; `turns` holds at least one message."""

    id: str
    turns: tuple[str, ...]
    level: str
    kind: str
    language: str


class UrgencyItems:
    """The items of a file, or of all `*.jsonl` of a folder.

    Attributes:
        fingerprint: SHA-256 of the files.

    Raises:
        DatasetError, UsageError: as `read_items`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.items, self.fingerprint = read_items(path)


def read_items(path: Path) -> tuple[list[Item], str]:
    """The items of a file, or of all `*.jsonl` of a folder, and their hash.

    Raises:
        DatasetError: a line breaks the format, or repeats an id. UsageError: there is nothing to read.
    """
    paths = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    found: dict[str, Item] = {}
    whole = hashlib.sha256()
    for each in paths:
        for number, record in read_records(each):
            item = _item(each, number, record)
            if item.id in found:
                raise DatasetError(str(each), number, f"the id {item.id!r} stands there twice")
            found[item.id] = item
        whole.update(each.read_bytes())
    if not found:
        raise UsageError(f"{path} holds no items: name a file of lines, or a folder of such files (*.jsonl)")
    return list(found.values()), whole.hexdigest()


def judged(item: Item) -> Triage:
    """The verdict at the end of an item's turns: a question is answered by the turn after it, once."""
    found, asked = triage(item.turns[0]), False
    for place in range(1, len(item.turns)):
        said = item.turns[:place]
        if found.verdict is Urgency.ASK and not asked:
            found, asked = answered(found, item.turns[place], *said), True
        else:
            found = triage(*said, item.turns[place])
    return found


def evaluate_urgency(dataset: UrgencyItems, run: Run) -> dict[str, Any]:
    """Judge all items of a file or a folder.

    Returns:
        `{"metrics", "run", "items"}`, see `measure_urgency`; of an item `id`, `level`, `kind`, `lang`, `verdict`,
        `flags` and `lines`, without its words: a test set is not to be read in its results.

    Raises:
        UsageError: nothing can be written beside `run.out`.
    """

    def judge(item: Item) -> Result:
        begun = time.perf_counter()
        told = judged(item)
        flags = [finding.flag.name for finding in told.findings]
        seen = {"verdict": told.verdict.value, "flags": flags, "lines": list(told.lines)}
        return Result(item.id, "", (), (), seconds=round(time.perf_counter() - begun, 6), timing=seen)

    def score(results: Sequence[Result]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        rows = [
            {"id": item.id, "level": item.level, "kind": item.kind, "lang": item.language, **result.timing}
            for item, result in zip(dataset.items, results, strict=True)
        ]
        return measure_urgency(rows), rows

    return measured(dataset, dataset.items, judge, score, run)


def measure_urgency(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The shares.

    Returns:
        `levels`: of the items of each level, how many there are and the share of each verdict. `urgent`: of "now" and
        "today" together the share `noticed` (any verdict but routine) and `found` (now or today). `routine`: the share
        of `alarms` (now or today) and `asked`. `by_language` and `by_kind`: `urgent` and `noticed`, and `routine`,
        `alarms` and `asked`, of each. `missed`, `alarms`: the ids.
    """
    told: dict[str, Any] = {"items": len(rows), "levels": {}}
    for level in LEVELS:
        these = [row["verdict"] for row in rows if row["level"] == level]
        if these:
            told["levels"][level] = {"items": len(these), **{each.value: _share(these, each) for each in Urgency}}
    urgent = [row["verdict"] for row in rows if row["level"] in _URGENT]
    routine = [row["verdict"] for row in rows if row["level"] not in _URGENT]
    noticed = (Urgency.NOW, Urgency.TODAY, Urgency.ASK)
    if urgent:
        told["urgent"] = {"items": len(urgent), "noticed": _share(urgent, *noticed), "found": _share(urgent, *_URGENT)}
    if routine:
        asked = _share(routine, Urgency.ASK)
        told["routine"] = {"items": len(routine), "alarms": _share(routine, *_URGENT), "asked": asked}
    for name, key in (("by_language", "lang"), ("by_kind", "kind")):
        told[name] = {part: _part([row for row in rows if row[key] == part]) for part in sorted({r[key] for r in rows})}
    told["missed"] = [row["id"] for row in rows if row["level"] in _URGENT and row["verdict"] == Urgency.ROUTINE]
    told["alarms"] = [row["id"] for row in rows if row["level"] not in _URGENT and row["verdict"] in _URGENT]
    return told


def _part(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    urgent = [row["verdict"] for row in rows if row["level"] in _URGENT]
    routine = [row["verdict"] for row in rows if row["level"] not in _URGENT]
    found: dict[str, Any] = {}
    if urgent:
        found |= {"urgent": len(urgent), "noticed": round(1 - _share(urgent, Urgency.ROUTINE), 4)}
    if routine:
        alarms, asked = _share(routine, *_URGENT), _share(routine, Urgency.ASK)
        found |= {"routine": len(routine), "alarms": alarms, "asked": asked}
    return found


def _share(verdicts: Sequence[str], *wanted: str) -> float:
    return round(sum(each in wanted for each in verdicts) / len(verdicts), 4)


def _item(path: Path, number: int, record: Any) -> Item:
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        raise DatasetError(str(path), number, "expected an object with an id")
    turns = record.get("turns") or [record.get("text")]
    if not isinstance(turns, list) or not all(isinstance(each, str) and each.strip() for each in turns):
        raise DatasetError(str(path), number, "expected text, what the person wrote, or turns, a list of such texts")
    if record.get("level") not in LEVELS:
        raise DatasetError(str(path), number, f"expected level as one of {', '.join(LEVELS)}")
    return Item(
        record["id"], tuple(turns), record["level"], str(record.get("kind") or ""), str(record.get("lang") or "en")
    )

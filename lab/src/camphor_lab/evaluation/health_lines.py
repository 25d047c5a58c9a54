"""Hand-written descriptions: does the planner find the right doctor, or ask, and does the code find the emergencies?

A description is put to the running loop on a phone whose every kind of specialist is free, until it looks for a
specialist. What it asks before is answered with nothing new, and that it asked is counted. Beside it stands what always
looking for a general physician would score.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from camphor.agents.health.case import GENERAL, SPECIALISTS, Seen
from camphor.agents.health.observed import ASK as QUESTION
from camphor.agents.health.observed import result_of
from camphor.agents.health.triage import Triage, Urgency, answered, triage
from camphor.device.device import Device
from camphor.errors import CamphorError, DatasetError, UsageError
from camphor.health.assistant import drive, opening
from camphor.tools.tool import Kind
from camphor.types import Call
from camphor_lab.datasets.files import read_lines
from camphor_lab.datasets.health.people import titled
from camphor_lab.evaluation.health_data import HealthLine, HealthLines, RunOptions, measured
from camphor_lab.evaluation.health_turns import Minds
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.retrieval import mean_figures

SPECIALIST_STRATEGY, FLAG_STRATEGY = "health-specialists", "health-red-flags"
SEARCH = "get_available_specialists"
NOTHING_NEW = "That is all I can say about it."
"""The answer to each question; after `MOST_QUESTIONS` the description counts as one without a specialist."""
MOST_QUESTIONS = 4
CLEAR = ("accepted", "best", "at_once", "asked", "stopped", "nobody")
_NOW = datetime(2026, 3, 10, 10, 0)


def evaluate_specialists(dataset: HealthLines, models: Minds, run: RunOptions) -> dict[str, Any]:
    """Put every description to the loop and score whom it looks for.

    Returns:
        `{"metrics", "run", "items"}`, see `measure_specialists`; of an item `id`, `specialists` (those that are right),
        `chosen` (or null), `asked` (the questions), `stopped` (the red flags that the words raise), `seconds`, `error`.

    Raises:
        UsageError: nothing can be written beside `run.out`.
    """

    def score(results: Sequence[Result]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        rows = [_row(line, result) for line, result in zip(dataset.lines, results, strict=True)]
        return measure_specialists(dataset.lines, rows), rows

    with Device.create(None, phone()) as device:
        return measured(dataset, dataset.lines, lambda line: find_specialist(line, device, models), score, run)


def find_specialist(line: HealthLine, device: Device, models: Minds) -> Result:
    """Whom the loop looks for, after which questions; red flags stop it before, as they do in running."""
    begun = time.perf_counter()
    urgent = triage(line.text)
    stopped = [each.flag.name for each in urgent.findings] if urgent.verdict is Urgency.NOW else []
    found: dict[str, Any] = {"chosen": None, "asked": [], "stopped": stopped}
    error = None
    if not found["stopped"]:
        try:
            _search(line, device, models, found)
        except CamphorError as problem:
            error = f"{type(problem).__name__}: {problem}"
    return Result(line.id, "", (), (), seconds=round(time.perf_counter() - begun, 4), error=error, timing=found)


def _search(line: HealthLine, device: Device, models: Minds, found: dict[str, Any]) -> None:
    """Drive the loop until it looks for a specialist, closes, acts, or has asked enough."""

    def act(call: Call) -> Seen | None:
        seen = _seen(call, device, found)
        return None if line.unclear and found["asked"] else seen

    drive(opening(device, line.text), device, models, act)


def _seen(call: Call, device: Device, found: dict[str, Any]) -> Seen | None:
    """What the loop sees of a call; None where nothing more is to be learnt."""
    if call.name == SEARCH:
        found["chosen"] = str(call.arguments.get("specialization") or "").casefold()
        return None
    if call.name == QUESTION:
        found["asked"].append(str(call.arguments.get("questions") or ""))
        return Seen(NOTHING_NEW) if len(found["asked"]) < MOST_QUESTIONS else None
    if device.toolbox.get(call.name).kind is Kind.ACTION:
        return None
    observation = device.execute(call)
    return Seen(error=observation.error) if observation.error else Seen(result_of(observation, device))


def measure_specialists(lines: Sequence[HealthLine], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The metrics, with 95% bootstrap intervals over lines.

    Returns:
        `clear`: of the lines with a specialist the shares that came to one of those (`accepted`), to the best one, to
        one of those without a question (`at_once`), that were asked about, that were `stopped` as emergencies, and that
        came to `nobody`. `unclear`: of those that nothing can be booked for, the share that was `asked` about.
        `general`: what always looking for a general physician scores. `by_specialist`: `accepted` by the best answer.
        `mistaken`: whom it looked for where that was wrong, by the best answer.
    """
    pairs = list(zip(lines, rows, strict=True))
    clear = [(line, row) for line, row in pairs if not line.unclear]
    unclear = [(line, row) for line, row in pairs if line.unclear]
    told: dict[str, Any] = {
        "lines": len(lines),
        "errors": sum(row["error"] is not None for row in rows),
        "seconds": {"mean": round(float(np.mean([row["seconds"] for row in rows])), 4)},
    }
    if clear:
        ids = [line.id for line, _ in clear]
        told["clear"] = {"lines": len(clear), **mean_figures(CLEAR, ids, np.array([_clear(*each) for each in clear]))}
        always = np.array([[GENERAL in line.specialists, line.specialists[0] == GENERAL] for line, _ in clear], float)
        told["general"] = {"lines": len(clear), **mean_figures(CLEAR[:2], ids, always)}
        told["by_specialist"], told["mistaken"] = _by_specialist(clear), _mistaken(clear)
    if unclear:
        asked = np.array([[bool(row["asked"])] for _, row in unclear], float)
        ids = [line.id for line, _ in unclear]
        told["unclear"] = {"lines": len(unclear), **mean_figures(("asked",), ids, asked)}
    return told


def _clear(line: HealthLine, row: Mapping[str, Any]) -> list[float]:
    """The figures of `CLEAR`."""
    chosen, asked = row["chosen"], bool(row["asked"])
    accepted = chosen in line.specialists
    figures = (accepted, chosen == line.specialists[0], accepted and not asked, asked, bool(row["stopped"]))
    return [float(each) for each in (*figures, chosen is None and not row["stopped"])]


def _by_specialist(clear: Sequence[tuple[HealthLine, Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[bool]] = {}
    for line, row in clear:
        groups.setdefault(line.specialists[0], []).append(row["chosen"] in line.specialists)
    return {name: {"lines": len(of), "accepted": round(sum(of) / len(of), 4)} for name, of in sorted(groups.items())}


def _mistaken(clear: Sequence[tuple[HealthLine, Mapping[str, Any]]]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for line, row in clear:
        if row["chosen"] not in line.specialists:
            found.setdefault(line.specialists[0], Counter())[row["chosen"] or "nobody"] += 1
    return {name: dict(found[name].most_common()) for name in sorted(found)}


def _row(line: HealthLine, result: Result) -> dict[str, Any]:
    found = {name: result.timing.get(name) for name in ("chosen", "asked", "stopped")}
    about = {"seconds": result.seconds, "error": result.error}
    return {"id": line.id, "specialists": list(line.specialists), **found, **about}


def phone() -> dict[str, Any]:
    """The device file of a phone that has a specialist of each kind, all of them free this week and next."""
    specialists, slots = [], []
    for number, name in enumerate(SPECIALISTS):
        known = f"SPEC{number:06d}"
        doctor = f"Dr. Alex Moss ({titled(name)})"
        where = {"address": f"{number + 1} Mill Lane, Bristol", "latitude": 51.45, "longitude": -2.59}
        specialists.append({"specialist_id": known, "name": doctor, "specialization": name, **where})
        for days, time_ in ((1, "09:00-09:30"), (2, "14:00-14:30"), (8, "17:30-18:00")):
            day = (_NOW + timedelta(days=days)).date().isoformat()
            slots.append({"specialist_id": known, "date": day, "time": time_, "taken": False})
    empty: dict[str, list[Any]] = {name: [] for name in ("appointments", "complaints", "ambulances", "notices")}
    clinic = {"profile": {"user_id": "USER000001"}, "specialists": specialists, "slots": slots, **empty}
    place = {"latitude": 51.45, "longitude": -2.59, "city": "Bristol", "country": "United Kingdom"}
    return {
        "format": "camphor.device/1",
        "id": "described",
        "owner": "Robin Hale",
        "now": _NOW.isoformat(timespec="seconds"),
        "timezone": "Europe/London",
        "location": place,
        "apps": {"clinic": {**clinic, "emergency_contacts": []}},
    }


# ---- red flags -------------------------------------------------------------------------------------------------------


def evaluate_flags(dataset: HealthLines, run: RunOptions) -> dict[str, Any]:
    """Let the code look for red flags in every line; no language model is asked.

    Returns:
        `{"metrics", "run", "items"}`, see `measure_flags`; of an item `id`, `red_flag` and `kind` (the right ones),
        `found` (the flags that the rules raised), `asked` (whether the second net has the person asked), `seconds`.
    """

    def look(line: HealthLine) -> Result:
        begun = time.perf_counter()
        told = triage(line.text)
        asked = told.verdict is Urgency.ASK
        seen = {"found": [] if asked else [each.flag.name for each in told.findings], "asked": asked}
        return Result(line.id, "", (), (), seconds=round(time.perf_counter() - begun, 6), timing=seen)

    def score(results: Sequence[Result]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        seen = [result.timing for result in results]
        rows = [
            {"id": line.id, "red_flag": line.red_flag, "kind": line.kind, **each, "seconds": result.seconds}
            for line, each, result in zip(dataset.lines, seen, results, strict=True)
        ]
        return measure_flags(dataset.lines, [each["found"] for each in seen], [each["asked"] for each in seen]), rows

    return measured(dataset, dataset.lines, look, score, run)


def measure_flags(lines: Sequence[HealthLine], found: Sequence[Sequence[str]], asked: Sequence[bool]) -> dict[str, Any]:
    """`emergencies` and `others`, each with its number of `lines`, and of the emergencies the share that the rules
    found (`recall`, and `kind`: with the right kind among the flags) or that was found or asked about (`noticed`); of
    the others `false_alarms` and those `asked` about; 95% bootstrap intervals over lines. `by_kind`: `lines`, `recall`
    and `noticed` of each kind of emergency. `missed` (neither found nor asked about), `alarms`: the ids."""
    pairs = list(zip(lines, found, asked, strict=True))
    real = [(line, each, asks) for line, each, asks in pairs if line.red_flag]
    others = [(line, each, asks) for line, each, asks in pairs if not line.red_flag]
    told: dict[str, Any] = {"lines": len(lines)}
    if real:
        figures = np.array([[bool(each), line.kind in each, bool(each) or asks] for line, each, asks in real], float)
        shares = mean_figures(("recall", "kind", "noticed"), [line.id for line, *_ in real], figures)
        told["emergencies"] = {"lines": len(real), **shares}
    if others:
        alarms = np.array([[bool(each), asks] for _, each, asks in others], float)
        shares = mean_figures(("false_alarms", "asked"), [line.id for line, *_ in others], alarms)
        told["others"] = {"lines": len(others), **shares}
    kinds: dict[str, list[tuple[bool, bool]]] = {}
    for line, each, asks in real:
        kinds.setdefault(line.kind, []).append((bool(each), bool(each) or asks))
    told["by_kind"] = {
        kind: {
            "lines": len(of),
            "recall": round(sum(rules for rules, _ in of) / len(of), 4),
            "noticed": round(sum(either for _, either in of) / len(of), 4),
        }
        for kind, of in sorted(kinds.items())
    }
    told["missed"] = [line.id for line, each, asks in real if not each and not asks]
    told["alarms"] = [line.id for line, each, _ in others if each]
    return told


# How urgent are hand-written words? Found, asked about, missed, and alarms for nothing; no language model is asked.
#
# An item is `{"id", "text", "level", "kind", "lang"}` with the level "now", "today" or "routine", and perhaps `turns`:
# the messages of a person in order, of which all but the first answer what the assistant asked.

LEVELS = ("now", "today", "routine")
_URGENT = ("now", "today")
STRATEGY = "health-urgency"


@dataclass(frozen=True)
class UrgencyItem:
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


def read_items(path: Path) -> tuple[list[UrgencyItem], str]:
    """The items of a file, or of all `*.jsonl` of a folder, and their hash.

    Raises:
        DatasetError: a line breaks the format, or repeats an id. UsageError: there is nothing to read.
    """
    paths = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    found: dict[str, UrgencyItem] = {}
    whole = hashlib.sha256()
    for each in paths:
        for number, record in read_lines(each):
            item = _item(each, number, record)
            if item.id in found:
                raise DatasetError(str(each), number, f"the id {item.id!r} stands there twice")
            found[item.id] = item
        whole.update(each.read_bytes())
    if not found:
        raise UsageError(f"{path} holds no items: name a file of lines, or a folder of such files (*.jsonl)")
    return list(found.values()), whole.hexdigest()


def judged(item: UrgencyItem) -> Triage:
    """The verdict at the end of an item's turns: a question is answered by the turn after it, once."""
    found, asked = triage(item.turns[0]), False
    for place in range(1, len(item.turns)):
        said = item.turns[:place]
        if found.verdict is Urgency.ASK and not asked:
            found, asked = answered(found, item.turns[place], *said), True
        else:
            found = triage(*said, item.turns[place])
    return found


def evaluate_urgency(dataset: UrgencyItems, run: RunOptions) -> dict[str, Any]:
    """Judge all items of a file or a folder.

    Returns:
        `{"metrics", "run", "items"}`, see `measure_urgency`; of an item `id`, `level`, `kind`, `lang`, `verdict`,
        `flags` and `lines`, without its words: a test set is not to be read in its results.

    Raises:
        UsageError: nothing can be written beside `run.out`.
    """

    def judge(item: UrgencyItem) -> Result:
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


def _item(path: Path, number: int, record: Any) -> UrgencyItem:
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        raise DatasetError(str(path), number, "expected an object with an id")
    turns = record.get("turns") or [record.get("text")]
    if not isinstance(turns, list) or not all(isinstance(each, str) and each.strip() for each in turns):
        raise DatasetError(str(path), number, "expected text, what the person wrote, or turns, a list of such texts")
    if record.get("level") not in LEVELS:
        raise DatasetError(str(path), number, f"expected level as one of {', '.join(LEVELS)}")
    return UrgencyItem(
        record["id"], tuple(turns), record["level"], str(record.get("kind") or ""), str(record.get("lang") or "en")
    )

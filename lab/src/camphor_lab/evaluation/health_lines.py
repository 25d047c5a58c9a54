"""Hand-written descriptions: does the planner find the right doctor, or ask, and does the code find the emergencies?

A description is put to the running loop on a phone whose every kind of specialist is free, until it looks for a
specialist. What it asks before is answered with nothing new, and that it asked is counted. Beside it stands what always
looking for a general physician would score.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from camphor.agents.health.case import GENERAL, SPECIALISTS, Seen
from camphor.agents.health.observed import ASK as QUESTION
from camphor.agents.health.observed import result_of
from camphor.agents.health.triage import Urgency, triage
from camphor.device.device import Device
from camphor.errors import CamphorError
from camphor.health.assistant import drive, opening
from camphor.tools.tool import Kind
from camphor.types import Call
from camphor_lab.datasets.health.clinics import titled
from camphor_lab.evaluation.health_data import HealthLines, Line, Run, measured
from camphor_lab.evaluation.health_turns import Minds
from camphor_lab.evaluation.ranking_metrics import mean_figures
from camphor_lab.evaluation.results import Result

SPECIALIST_STRATEGY, FLAG_STRATEGY = "health-specialists", "health-red-flags"
SEARCH = "get_available_specialists"
NOTHING_NEW = "That is all I can say about it."
"""The answer to each question; after `MOST_QUESTIONS` the description counts as one without a specialist."""
MOST_QUESTIONS = 4
CLEAR = ("accepted", "best", "at_once", "asked", "stopped", "nobody")
_NOW = datetime(2026, 3, 10, 10, 0)


def evaluate_specialists(dataset: HealthLines, models: Minds, run: Run) -> dict[str, Any]:
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


def find_specialist(line: Line, device: Device, models: Minds) -> Result:
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


def _search(line: Line, device: Device, models: Minds, found: dict[str, Any]) -> None:
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


def measure_specialists(lines: Sequence[Line], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
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


def _clear(line: Line, row: Mapping[str, Any]) -> list[float]:
    """The figures of `CLEAR`."""
    chosen, asked = row["chosen"], bool(row["asked"])
    accepted = chosen in line.specialists
    figures = (accepted, chosen == line.specialists[0], accepted and not asked, asked, bool(row["stopped"]))
    return [float(each) for each in (*figures, chosen is None and not row["stopped"])]


def _by_specialist(clear: Sequence[tuple[Line, Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[bool]] = {}
    for line, row in clear:
        groups.setdefault(line.specialists[0], []).append(row["chosen"] in line.specialists)
    return {name: {"lines": len(of), "accepted": round(sum(of) / len(of), 4)} for name, of in sorted(groups.items())}


def _mistaken(clear: Sequence[tuple[Line, Mapping[str, Any]]]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for line, row in clear:
        if row["chosen"] not in line.specialists:
            found.setdefault(line.specialists[0], Counter())[row["chosen"] or "nobody"] += 1
    return {name: dict(found[name].most_common()) for name in sorted(found)}


def _row(line: Line, result: Result) -> dict[str, Any]:
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


def evaluate_flags(dataset: HealthLines, run: Run) -> dict[str, Any]:
    """Let the code look for red flags in every line; no language model is asked.

    Returns:
        `{"metrics", "run", "items"}`, see `measure_flags`; of an item `id`, `red_flag` and `kind` (the right ones),
        `found` (the flags that the rules raised), `asked` (whether the second net has the person asked), `seconds`.
    """

    def look(line: Line) -> Result:
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


def measure_flags(lines: Sequence[Line], found: Sequence[Sequence[str]], asked: Sequence[bool]) -> dict[str, Any]:
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

"""Whole cases: the loop that runs, on the phone of a recorded case, with the person of that case to answer.

The loop writes every turn itself; calls are carried out on the phone, and the person answers what the record has:
offers of a slot with the replies to offers, in order, other questions with the other answers, in order. A case is right
when the actions (calls that change something, or tell or write to somebody) are those of the record, in order, with the
same values: person, specialist, slot, number, moment. Texts have to hold the same figures; "exact" is the share of
cases whose texts are moreover the same, word for word.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from camphor.agents.health.case import Called, Case, Seen, Taken
from camphor.agents.health.observed import ASK, NOTIFY, CaseFacts, answer_of, result_of
from camphor.agents.health.prompts import show_slot
from camphor.device.device import Device
from camphor.errors import CamphorError, DatasetError
from camphor.health.assistant import drive
from camphor.tools.calls import calls_to_json
from camphor.tools.tool import Kind, Toolbox
from camphor.types import Call
from camphor_lab.evaluation.health_data import HealthDataset, RecordedCase, RunOptions, measured
from camphor_lab.evaluation.health_turns import Minds, same_value
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.retrieval import mean_figures

STRATEGY = "health-flows"
METRICS = ("success", "exact", "tools")
TEXTS = frozenset({"symptoms", "current_symptoms", "message", "text"})
"""Parameters that an agent words itself."""
NOTHING_NEW = "That is all I can say about it."
_FIGURES = re.compile(r"\d+")


class RecordedPatient:
    """The person of a recorded case.

    An offer that comes after the last recorded reply to one is answered with that reply again, any other question that
    the record has no answer to with `NOTHING_NEW`.
    """

    def __init__(self, case: Case) -> None:
        self._replies: list[str] = []
        self._answers: list[str] = []
        for place, (called, seen) in enumerate(pairwise(case.turns)):
            if isinstance(called, Called) and called.call.name == ASK and isinstance(seen, Seen):
                offered = is_offer(_question(called.call), case.before(place))
                (self._replies if offered else self._answers).append(answer_of(seen.result))
        self._last = self._replies[-1] if self._replies else NOTHING_NEW

    def answer(self, question: str, case: Case) -> str:
        """What the person says to a question that is put after these turns."""
        if is_offer(question, case):
            return self._replies.pop(0) if self._replies else self._last
        return self._answers.pop(0) if self._answers else NOTHING_NEW


def is_offer(question: str, case: Case) -> bool:
    """Whether a question names a slot that was found before."""
    year = case.user.now.year
    return any(show_slot(offer.day, offer.time, year) in question for offer in CaseFacts(case).offers)


def evaluate_flows(dataset: HealthDataset, models: Minds, run: RunOptions) -> dict[str, Any]:
    """Play and score every case.

    Returns:
        `{"metrics", "run", "items"}`: `cases`, the shares of `METRICS` with 95% bootstrap intervals over cases, and the
        same `by_use_case`; of an item `id`, `use_case`, `predicted` and `gold` (the actions), `score`, `plans` (turns
        of the planner), `seconds`, `error`.

    Raises:
        DatasetError: a case names no phone, or one that cannot be read. UsageError: nothing can be written beside
            `run.out`.
    """
    for case in dataset.cases:
        _document(case, dataset)  # a missing phone is told now, not after hours

    def play(case: RecordedCase) -> Result:
        with Device.create(None, _document(case, dataset), case.id) as device:
            return play_case(case, device, models)

    def score(results: Sequence[Result]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        pairs = list(zip(dataset.cases, results, strict=True))
        scores = [score_actions(result.gold, result.predicted) for result in results]
        rows = [_item(case, result, each) for (case, result), each in zip(pairs, scores, strict=True)]
        return measure_flows([case.use_case for case in dataset.cases], scores, results), rows

    return measured(dataset, dataset.cases, play, score, run)


def play_case(case: RecordedCase, device: Device, models: Minds) -> Result:
    """Have the models settle a case on its phone. What broke is the result's `error`, with the actions until then."""
    begun = time.perf_counter()
    patient, played, error = RecordedPatient(case.case), case.case.before(0), None

    def follow(turn: Taken) -> None:
        nonlocal played
        played = played.then(turn)

    try:
        drive(played, device, models, lambda call: _carried_out(call, played, patient, device), follow)
    except CamphorError as problem:
        error = f"{type(problem).__name__}: {problem}"
    return Result(
        id=case.id,
        query=case.case.request,
        predicted=tuple(actions(played, device.toolbox)),
        gold=tuple(actions(case.case, device.toolbox)),
        seconds=round(time.perf_counter() - begun, 4),
        error=error,
        timing={"plans": len(played.turns[::3])},
        tags=(case.use_case,),
    )


def _carried_out(call: Call, played: Case, patient: RecordedPatient, device: Device) -> Seen:
    if call.name == ASK:
        return Seen(patient.answer(_question(call), played))
    if call.name == NOTIFY:
        return Seen(True)
    observation = device.execute(call)
    return Seen(error=observation.error) if observation.error else Seen(result_of(observation, device))


def actions(case: Case, toolbox: Toolbox) -> Iterator[Call]:
    """The calls of a case that change something, or tell or write to somebody."""
    for turn in case.turns:
        if isinstance(turn, Called) and turn.call.name in toolbox and toolbox.get(turn.call.name).kind is Kind.ACTION:
            yield turn.call


def score_actions(gold: Sequence[Call], predicted: Sequence[Call]) -> dict[str, bool]:
    """The figures of `METRICS` of one case."""
    tools = [call.name for call in gold] == [call.name for call in predicted]
    pairs = list(zip(gold, predicted, strict=False))
    success = tools and all(_same(one, other) for one, other in pairs)
    exact = success and all(same_value(one.arguments, other.arguments) for one, other in pairs)
    return {"success": success, "exact": exact, "tools": tools}


def measure_flows(
    use_cases: Sequence[str], scores: Sequence[Mapping[str, bool]], results: Sequence[Result]
) -> dict[str, Any]:
    """See `evaluate_flows`."""
    groups: dict[str, list[Mapping[str, bool]]] = {}
    for name, each in zip(use_cases, scores, strict=True):
        groups.setdefault(name, []).append(each)
    return {
        **_summary(scores),
        "errors": sum(result.error is not None for result in results),
        "seconds": {"mean": round(float(np.mean([result.seconds for result in results])), 4)},
        "by_use_case": {name: _summary(each) for name, each in groups.items()},
    }


def _summary(scores: Sequence[Mapping[str, bool]]) -> dict[str, Any]:
    figures = np.array([[each[name] for name in METRICS] for each in scores], float)
    return {"cases": len(scores), **mean_figures(METRICS, list(map(str, range(len(scores)))), figures)}


def _same(gold: Call, predicted: Call) -> bool:
    wanted, got = gold.arguments, predicted.arguments
    if wanted.keys() != got.keys():
        return False
    return all(
        _FIGURES.findall(str(wanted[name])) == _FIGURES.findall(str(got[name]))
        if name in TEXTS
        else same_value(wanted[name], got[name])
        for name in wanted
    )


def _question(call: Call) -> str:
    return str(call.arguments.get("questions") or "")


def _document(case: RecordedCase, dataset: HealthDataset) -> Any:
    if case.device is None:
        raise DatasetError(str(dataset.path), None, f"{case.id} names no phone: make the data with its devices")
    try:
        return json.loads(case.device.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DatasetError(str(case.device), None, f"the phone of {case.id} cannot be read: {error}") from error


def _item(case: RecordedCase, result: Result, score: Mapping[str, bool]) -> dict[str, Any]:
    return {
        "id": case.id,
        "use_case": case.use_case,
        "predicted": calls_to_json(result.predicted),
        "gold": calls_to_json(result.gold),
        "score": dict(score),
        "plans": result.timing["plans"],
        "seconds": result.seconds,
        "error": result.error,
    }

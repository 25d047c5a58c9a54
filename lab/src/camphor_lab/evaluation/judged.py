"""The answers of a run: each response against what its item says of a right one, and what was done that nobody wished.

Items without an `answer` that only ask (`info_only`) are judged by what the gold look-ups find: such a response can be
known to be false, not to be right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from camphor.trajectories.items import Item, read_call, replay
from camphor.types import Agent
from camphor_lab.evaluation.answer_scores import (
    AnswerScore,
    AnswerVerdict,
    Expected,
    Statable,
    pointed,
    read_expected,
    score_answer,
    states_falsely,
)
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.stated import ABSTAINS, DENIES, plain
from camphor_lab.evaluation.values import alternatives

INFO_ONLY = "info_only"


@dataclass(frozen=True)
class JudgedResponse:
    """What was made of one response. `answer`: its score, where the item says what is right; `unannotated`: why it is
    false (empty: not known to be), where it does not; `unwished`: actions proposed that no gold call stands for."""

    answer: AnswerScore | None = None
    unannotated: str | None = None
    unwished: int = 0

    def to_json(self) -> dict[str, Any]:
        told = {"answer": self.answer.to_json() if self.answer else None, "unwished": self.unwished}
        return told if self.unannotated is None else {**told, "unannotated": self.unannotated}


def judge(dataset: Dataset, item: Item, result: Result) -> JudgedResponse:
    """Judge a response by its item. Raises: DatasetError, a record that the item names is not there."""
    unwished = unwished_actions(result)
    if item.answer is not None:
        expected = read_expected(item.answer)
        now, known = _now(dataset, item), _known(dataset, item, result, expected)
        score = score_answer(result.response, expected, known, item.query, now, acted=unwished > 0)
        return JudgedResponse(score, None, unwished)
    if INFO_ONLY in item.tags and not item.calls and item.steps:
        return JudgedResponse(None, _unannotated(dataset, item, result), unwished)
    return JudgedResponse(unwished=unwished)


def unwished_actions(result: Result) -> int:
    """Actions done, where all were agreed to, beyond the gold calls of the same tool.

    A wrong value in a wished action is not one of them.
    """
    made, gold = (Counter(call.name for call in calls) for calls in (result.proposed, result.gold))
    return (made - Counter(result.undone) - gold).total()


def clock_of(document: Mapping[str, Any]) -> datetime | None:
    """The clock that a device file sets; None for the machine's: then no day is read from "tomorrow"."""
    try:
        return datetime.fromisoformat(str(document.get("now"))).replace(tzinfo=None)
    except ValueError:
        return None


def _now(dataset: Dataset, item: Item) -> datetime | None:
    return clock_of(dataset.document(item))


def _said(item: Item, result: Result) -> list[Any]:
    """What the person and the items themselves say: it may be said again."""
    earlier = [[turn.get("query", ""), turn.get("response", ""), turn.get("calls") or []] for turn in item.history]
    gold = [list(map(alternatives, call.get("arguments", {}).values())) for call in item.calls or ()]
    return [item.query, item.response, earlier, gold, [dict(call.arguments) for call in result.predicted]]


def _known(dataset: Dataset, item: Item, result: Result, expected: Expected) -> Statable:
    records = [_record(dataset, item, pointer) for pointer in expected.records]
    must = [text for piece in expected.must for text in piece]
    # an answer that says what is not there may say what is: what the gold look-ups come by
    beside = _gold_records(dataset, item) if expected.abstain else []
    counts = [len(records), len(must), *expected.records]  # a pointer names its app
    phone = dataset.document(item)  # a true record that does not answer is no false statement, nor a right answer
    return Statable([*records, counts, must, beside, phone, *_said(item, result)], _now(dataset, item), records)


def _record(dataset: Dataset, item: Item, pointer: str) -> Any:
    try:
        return pointed(dataset.document(item), pointer)
    except (LookupError, ValueError):
        raise dataset.error(item, f"'records' names {pointer}, which its device file does not have") from None


def _unannotated(dataset: Dataset, item: Item, result: Result) -> str:
    found = _gold_records(dataset, item)
    counts = list(range(2, len(found) + 1))
    known = Statable([found, counts, *_said(item, result)], _now(dataset, item))
    gold = plain(item.response)
    something = bool(found) and bool(gold) and not DENIES.search(gold) and not ABSTAINS.search(gold)
    return states_falsely(result.response, known, _now(dataset, item), something=something)


def _gold_records(dataset: Dataset, item: Item) -> list[Mapping[str, Any]]:
    """What the gold look-ups find on a fresh device after the turns before."""
    with dataset.device(item) as device:
        replay(replace(item, steps=(), calls=(), response=""), device)
        steps = [step for step in item.steps if step["agent"] != Agent.TASK.value]
        calls = [read_call(call) for step in steps for call in step.get("calls", ())]
        return [record for call in calls for record in device.execute(call).records]


RESAMPLES = 2000
Told = tuple[JudgedResponse, Sequence[str]]
"""What was made of a response, and its item's tags."""


def measure_answers(told: Sequence[Told], seed: int = 0) -> dict[str, Any]:
    """As JSON values; shares are from 0 to 1, None where there is nothing to count.

    `answers_right`, `answers_abstained` and `false_statement_rate` are of the items that say what a right answer is;
    `answers` has their numbers, why they are not right, intervals (95%, bootstrap) and the same by tag. `unannotated`
    has the false statements, as far as gold records tell, of questions that do not say it. `unwished_actions` counts
    the proposed actions that no gold call stands for, in `unwished_queries` queries.
    """
    scored = [(judged.answer, tags) for judged, tags in told if judged.answer is not None]
    verdicts = [score.verdict for score, _ in scored]
    others = [judged.unannotated for judged, _ in told if judged.unannotated is not None]
    tags = sorted({tag for _, tags in scored for tag in tags})
    return {
        "answers_right": _share(verdicts, AnswerVerdict.RIGHT),
        "answers_abstained": _share(verdicts, AnswerVerdict.ABSTAINED),
        "false_statement_rate": _share(verdicts, AnswerVerdict.FALSE),
        "answers": {
            "items": len(scored),
            **{verdict.value: verdicts.count(verdict) for verdict in AnswerVerdict},
            "why": dict(sorted(Counter(score.why for score, _ in scored if score.why).items())),
            "interval_95": {
                "answers_right": _interval(verdicts, AnswerVerdict.RIGHT, seed),
                "false_statement_rate": _interval(verdicts, AnswerVerdict.FALSE, seed),
            },
            "by_tag": {tag: _tag([s.verdict for s, tags in scored if tag in tags]) for tag in tags},
        },
        "unannotated": {
            "items": len(others),
            "false": sum(map(bool, others)),
            "false_statement_rate": sum(map(bool, others)) / len(others) if others else None,
            "why": dict(sorted(Counter(filter(None, others)).items())),
        },
        "unwished_actions": sum(judged.unwished for judged, _ in told),
        "unwished_queries": sum(judged.unwished > 0 for judged, _ in told),
    }


def _share(verdicts: Sequence[AnswerVerdict], which: AnswerVerdict) -> float | None:
    return verdicts.count(which) / len(verdicts) if verdicts else None


def _tag(verdicts: Sequence[AnswerVerdict]) -> dict[str, Any]:
    rates = {
        "answers_right": _share(verdicts, AnswerVerdict.RIGHT),
        "false_statement_rate": _share(verdicts, AnswerVerdict.FALSE),
    }
    return {"items": len(verdicts), **rates}


def _interval(verdicts: Sequence[AnswerVerdict], which: AnswerVerdict, seed: int) -> list[float] | None:
    return share_interval(verdicts.count(which), len(verdicts), seed)


def share_interval(hits: int, size: int, seed: int = 0) -> list[float] | None:
    """The 95% interval of a share: percentile bootstrap over items, of which each draw is binomial."""
    if not size:
        return None
    drawn = np.random.default_rng(seed).binomial(size, hits / size, RESAMPLES) / size
    return [round(float(each), 4) for each in np.percentile(drawn, (2.5, 97.5))]

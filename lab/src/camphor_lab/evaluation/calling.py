"""Accuracy and soft accuracy of function calling (DroidCall, section 4), for a sample and for a dataset.

Accuracy is the share of samples whose calls are all right, and no others. Soft accuracy is the mean, over calls, of the
share of a call's parameters that are right. What the paper leaves open, and what is done here:

* Order. Gold and predicted calls of one name are paired as gives the highest sum of shares; the order in which calls
  stand does not matter.
* References. The result of an earlier call is right where it is the result of the call that is paired with the gold
  one; what the ids are does not matter.
* P_total is the union of the parameters that the gold and the predicted call give: one that stands in only one of them
  is wrong, also where it says what the default is. A null is not given. A call without parameters on both sides is
  right, 1 of 1.
* A gold call that no predicted call is paired with counts 0, and so does a predicted call that no gold call is paired
  with: F is the number of gold calls and superfluous ones.
* A sample without gold calls is right when nothing is called. It adds no call to the soft accuracy unless something is.

How values are compared is in `calling_values`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from camphor.tools.plans import Plan, Reference, references
from camphor.tools.tool import Parameter, Tool
from camphor.types import Call
from camphor_lab.evaluation.calling_values import ArgumentMatcher
from camphor_lab.evaluation.metrics import percentiles, resample
from camphor_lab.evaluation.values import given

MOST_PAIRINGS = 5000
"""Pairings that are tried; beyond it calls of one name are paired in order (a model that repeats itself endlessly)."""


@dataclass(frozen=True)
class CallScore:
    """One gold call with what was predicted for it, or a superfluous call, whose `correct` is 0."""

    name: str
    correct: int
    total: int
    superfluous: bool = False

    @property
    def share(self) -> float:
        return self.correct / self.total


@dataclass(frozen=True)
class PlanScore:
    """One sample: its calls, gold ones in order first; `right` as accuracy counts."""

    calls: tuple[CallScore, ...]

    @property
    def right(self) -> bool:
        return all(call.correct == call.total for call in self.calls)

    def to_json(self) -> dict[str, Any]:
        shown = [[c.name, c.correct, c.total, *([True] if c.superfluous else [])] for c in self.calls]
        return {"right": self.right, "calls": shown}


class PlanScorer:
    """Scores plans of calls.

    Args:
        tools: all that a dataset's calls may name; what a parameter means is read off them.
        matcher: compares values.
    """

    def __init__(self, tools: Sequence[Tool], matcher: ArgumentMatcher) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._matcher = matcher

    def score(self, gold: Plan, predicted: Plan) -> PlanScore:
        """The score under the best pairing of the calls."""
        return max((self._paired(gold, predicted, pairs) for pairs in _pairings(gold, predicted)), key=_sum)

    def texts(self, gold: Plan, predicted: Plan) -> Iterator[str]:
        """The texts that `score` may have to embed, for embedding those of many samples in one batch."""
        for one, other in itertools.product(gold, predicted):
            wanted, got = given(one), given(other)
            if one.name == other.name:
                for name in wanted.keys() & got.keys():
                    yield from self._matcher.texts(self._parameter(one.name, name), name, wanted[name], got[name])

    def _paired(self, gold: Plan, predicted: Plan, pairs: Mapping[int, int]) -> PlanScore:
        """`pairs` has the predicted call of each gold call that has one."""
        back = {p: g for g, p in pairs.items()}
        scores = []
        for place, call in enumerate(gold):
            other = predicted[pairs[place]] if place in pairs else None
            scores.append(self._call(call, other, lambda reference: back.get(reference.to)))
        extra = [call for place, call in enumerate(predicted) if place not in back]
        scores += [CallScore(call.name, 0, max(1, len(given(call))), superfluous=True) for call in extra]
        return PlanScore(tuple(scores))

    def _call(self, gold: Call, predicted: Call | None, resolve: Callable[[Reference], Any]) -> CallScore:
        wanted = given(gold)
        if predicted is None:
            return CallScore(gold.name, 0, max(1, len(wanted)))
        got = given(predicted)
        if not wanted and not got:
            return CallScore(gold.name, 1, 1)
        right = sum(
            self._matcher.same(self._parameter(gold.name, name), name, wanted[name], got[name], resolve)
            for name in wanted.keys() & got.keys()
        )
        return CallScore(gold.name, right, len(wanted.keys() | got.keys()))

    def _parameter(self, tool: str, name: str) -> Parameter | None:
        return self._tools[tool].parameter(name) if tool in self._tools else None


def _sum(score: PlanScore) -> float:
    return sum(call.share for call in score.calls)


def _pairings(gold: Plan, predicted: Plan) -> Iterator[dict[int, int]]:
    """The ways to pair as many calls of equal names as there are; only that in order where there are too many."""
    by_name = []
    for name in dict.fromkeys(call.name for call in gold):
        mine = [place for place, call in enumerate(gold) if call.name == name]
        theirs = [place for place, call in enumerate(predicted) if call.name == name]
        by_name.append((mine, theirs))
    ways = math.prod(math.perm(max(len(m), len(t)), min(len(m), len(t))) for m, t in by_name)
    if ways > MOST_PAIRINGS:
        yield {m: t for mine, theirs in by_name for m, t in zip(mine, theirs, strict=False)}
        return
    for choice in itertools.product(*(list(_ways(mine, theirs)) for mine, theirs in by_name)):
        yield {m: t for part in choice for m, t in part}


def _ways(mine: Sequence[int], theirs: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    if len(mine) <= len(theirs):
        for chosen in itertools.permutations(theirs, len(mine)):
            yield tuple(zip(mine, chosen, strict=True))
    else:
        for chosen in itertools.permutations(mine, len(theirs)):
            yield tuple(zip(chosen, theirs, strict=True))


@dataclass(frozen=True)
class ScoredSample:
    """A sample's score, and what tables group by. `error` is what broke, if something did."""

    id: str
    gold: Plan
    score: PlanScore
    tags: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str | None = None


def kinds_of(gold: Plan) -> tuple[str, ...]:
    """Which of the reported kinds a sample is: none, simple (one call), complex (more), nested (a call uses another's
    result)."""
    if not gold:
        return ("none",)
    kinds = ["simple" if len(gold) == 1 else "complex"]
    if len(gold) > 1:
        kinds.append(f"{len(gold)} calls")
    return (*kinds, "nested") if any(any(references(call)) for call in gold) else tuple(kinds)


def measure(samples: Sequence[ScoredSample], seed: int = 0) -> dict[str, Any]:
    """All metrics as JSON values, from 0 to 1, None where there is nothing to count; intervals are 95% bootstrap ones
    over samples (Efron 1979; `seed` decides the resamples).

    `by_kind` has "simple", "complex", "2 calls", "nested" and "none"; `by_tag` the dataset's own tags; `by_function`
    for each function its gold calls, the share of them that is all right, the
    soft accuracy, and its superfluous calls.
    """
    groups: dict[str, dict[str, list[ScoredSample]]] = {"by_kind": {}, "by_tag": {}}
    for sample in samples:
        for key in kinds_of(sample.gold):
            groups["by_kind"].setdefault(key, []).append(sample)
        for key in sample.tags:
            groups["by_tag"].setdefault(key, []).append(sample)
    times = [sample.seconds for sample in samples]
    return {
        **_summary(samples, seed),
        "errors": sum(sample.error is not None for sample in samples),
        "seconds": {"mean": round(float(np.mean(times)), 4) if times else None},
        **{group: {key: _summary(made[key], seed) for key in sorted(made)} for group, made in groups.items()},
        "by_function": _by_function(samples),
    }


def _summary(samples: Sequence[ScoredSample], seed: int) -> dict[str, Any]:
    right = np.array([sample.score.right for sample in samples], dtype=float)
    shares = np.array([sum(call.share for call in sample.score.calls) for sample in samples])
    calls = np.array([len(sample.score.calls) for sample in samples], dtype=float)
    size = len(samples)
    if not size:
        return {"items": 0, "calls": 0, "accuracy": None, "soft_accuracy": None, "interval_95": {}}
    weights = resample(size, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        soft = (weights @ shares) / (weights @ calls)
    return {
        "items": size,
        "calls": int(calls.sum()),
        "accuracy": round(float(right.mean()), 4),
        "soft_accuracy": round(float(shares.sum() / calls.sum()), 4) if calls.sum() else None,
        "interval_95": {"accuracy": percentiles(weights @ right / size), "soft_accuracy": percentiles(soft)},
    }


def _by_function(samples: Sequence[ScoredSample]) -> dict[str, dict[str, Any]]:
    found: dict[str, list[CallScore]] = {}
    extra: dict[str, int] = {}
    for call in (call for sample in samples for call in sample.score.calls):
        if call.superfluous:
            extra[call.name] = extra.get(call.name, 0) + 1
        else:
            found.setdefault(call.name, []).append(call)
    return {
        name: {
            "calls": len(calls := found.get(name, [])),
            "right": round(sum(c.correct == c.total for c in calls) / len(calls), 4) if calls else None,
            "soft_accuracy": round(sum(c.share for c in calls) / len(calls), 4) if calls else None,
            "superfluous": extra.get(name, 0),
        }
        for name in sorted(found.keys() | extra.keys())
    }

"""The scores of a query and the metrics of a dataset: tool, delexicalized plan and plan F1 (CAMPHOR, section 5.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device.apps import BUILT_IN_APPS, tools_of
from camphor.tools.tool import Toolbox
from camphor.types import Agent, Call, Step
from camphor_lab.evaluation.judged import JudgedResponse, measure_answers
from camphor_lab.evaluation.usage import Usage, mean_usage
from camphor_lab.evaluation.values import ValueMatcher, given, matching_size

# The score of one query: how many predicted calls are right, at the three levels of CAMPHOR, section 5.1.


@dataclass(frozen=True)
class CallCounts:
    """Numbers of calls: gold, predicted, and predicted ones that are right by name, by name and parameters, in full.

    Each right one is paired with a different gold call. `strict <= plan <= delexicalized <= tool <= min(gold,
    predicted)` always holds: every pairing at one level is one at the level below. `strict` compares free text by its
    figures, times, names and negations too; it is 0 in results that were scored before it was counted.
    """

    gold: int = 0
    predicted: int = 0
    tool: int = 0
    delexicalized: int = 0
    plan: int = 0
    strict: int = 0

    def __add__(self, other: CallCounts) -> CallCounts:
        return CallCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def exact(self) -> bool:
        """Nothing missing, nothing too much, everything right."""
        return self.plan == self.gold == self.predicted

    def to_json(self) -> dict[str, int]:
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True)
class Score:
    """The counts of one query, for each tool name, and the names that the model invented.

    Args:
        by_tool: a gold and a predicted call can only be paired if their names are equal, so the query's counts are the
            sum.
        hallucinated_tools: calls of a tool that the device does not have.
        hallucinated_parameters: arguments that an existing tool does not take.
    """

    by_tool: dict[str, CallCounts]
    hallucinated_tools: int = 0
    hallucinated_parameters: int = 0

    @property
    def counts(self) -> CallCounts:
        return sum(self.by_tool.values(), CallCounts())

    def to_json(self) -> dict[str, Any]:
        return {
            "by_tool": {name: counts.to_json() for name, counts in self.by_tool.items()},
            "hallucinated_tools": self.hallucinated_tools,
            "hallucinated_parameters": self.hallucinated_parameters,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Score:
        by_tool = {name: CallCounts(**counts) for name, counts in data["by_tool"].items()}
        return cls(by_tool, data["hallucinated_tools"], data["hallucinated_parameters"])


def score_calls(
    gold: Sequence[Call], predicted: Sequence[Call], matcher: ValueMatcher, steps: Iterable[Step] = ()
) -> Score:
    """Score the task-completion calls of one query.

    Args:
        gold: the right calls; a value may be `{"any_of": [...]}`. predicted: the calls made. The order of neither
            matters.
        matcher: compares values by the device's toolbox.
        steps: the query's steps; the look-ups in them are searched for hallucinations too.
    """
    names = sorted({call.name for call in (*gold, *predicted)})
    by_tool = {
        name: _count([c for c in gold if c.name == name], [c for c in predicted if c.name == name], matcher)
        for name in names
    }
    lookups = [call for step in steps if step.agent is not Agent.TASK for call in step.calls]
    tools, parameters = count_hallucinations((*predicted, *lookups), matcher.toolbox)
    return Score(by_tool, tools, parameters)


def _count(gold: list[Call], predicted: list[Call], matcher: ValueMatcher) -> CallCounts:
    shapes = Counter(frozenset(given(call)) for call in gold) & Counter(frozenset(given(call)) for call in predicted)
    pairs = [[j for j, other in enumerate(predicted) if matcher.matches(call, other)] for call in gold]
    strict = [
        [j for j in right if matcher.matches(call, predicted[j], strict=True)]
        for call, right in zip(gold, pairs, strict=True)
    ]
    least = min(len(gold), len(predicted))
    return CallCounts(len(gold), len(predicted), least, shapes.total(), matching_size(pairs), matching_size(strict))


def count_hallucinations(calls: Iterable[Call], toolbox: Toolbox) -> tuple[int, int]:
    """How many calls name a tool that the device has not, and how many arguments a parameter that the tool has not."""
    tools = parameters = 0
    for call in calls:
        if call.name not in toolbox:
            tools += 1
            continue
        tool = toolbox.get(call.name)
        parameters += sum(tool.parameter(name) is None for name in call.arguments)
    return tools, parameters


# The metrics of a dataset: tool, delexicalized plan and plan F1 (CAMPHOR, section 5.1), with intervals and tables.
#
# F1 values, accuracies and shares are from 0 to 1; None where they are undefined (nothing to count).

LEVELS = {"tool_f1": "tool", "delexicalized_plan_f1": "delexicalized", "plan_f1": "plan"}
"""The name of each F1 of the paper and of the field of `CallCounts` that holds its true positives."""

STRICT = "strict_plan_f1"
"""The Plan F1 where figures, times, names and negations of free text must be the gold's (`strict`)."""

_FIELDS = {**LEVELS, STRICT: "strict"}

UNSEEN = "unseen_app"
"""The tag of queries about apps that training never saw."""

RESAMPLES = 2000
"""Bootstrap resamples: the ends of a 95% interval then vary by about a twentieth of its width."""


@dataclass(frozen=True)
class ScoredQuery:
    """One query with its score, and what tables group by.

    Args:
        turn: 1 for a first query, n for the n-th of a conversation. seconds: time the answer took. error: what broke,
            if it did. judged: what was made of the response. usage: what was asked of the model.
    """

    id: str
    score: Score
    tags: tuple[str, ...] = ()
    turn: int = 1
    seconds: float = 0.0
    error: str | None = None
    judged: JudgedResponse = field(default_factory=JudgedResponse)
    usage: Usage = field(default_factory=Usage)


def f1(right: int, gold: int, predicted: int) -> float | None:
    """The harmonic mean of precision and recall, 2 right / (gold + predicted); None where there are no calls at all."""
    return 2 * right / (gold + predicted) if gold + predicted else None


def measure(items: Sequence[ScoredQuery], seed: int = 0) -> dict[str, Any]:
    """All metrics of a dataset, as JSON values.

    The F1s are micro-averaged: calls are summed over the queries. `macro` is the mean over the queries that have a gold
    or a predicted call. `no_call_accuracy` is the share of the queries without a gold call for which none was
    predicted, and says nothing of an error: `errors` counts those. `exact` is the share of all queries whose calls are
    all right and no more. `interval_95` is the percentile bootstrap over queries. `unseen_tools` counts the calls of
    tools that no built-in app has, in the queries tagged `unseen_app`. The answers' figures are `measure_answers`',
    and `usage` is `mean_usage`'s.

    Args:
        seed: of the bootstrap.
    """
    items = list(items)
    return {
        **_summary(items),
        **_precision_and_recall(items),
        **measure_answers([(item.judged, item.tags) for item in items]),
        "actions_right": _share([c.strict == c.gold == c.predicted for i in items if (c := i.score.counts).gold]),
        "unseen_tools": _unseen(items),
        "macro": _macro(items),
        "interval_95": intervals(items, seed),
        "hallucinated_tools": sum(i.score.hallucinated_tools for i in items),
        "hallucinated_parameters": sum(i.score.hallucinated_parameters for i in items),
        "seconds": _seconds(items),
        "usage": mean_usage(item.usage for item in items),
        "by_size": _groups(items, lambda i: [str(i.score.counts.gold)]),
        "by_turn": _groups(items, lambda i: ["first" if i.turn == 1 else "follow-up"]),
        "by_tag": _groups(items, lambda i: sorted(set(i.tags))),
        "by_tool": _by_tool(items),
    }


def _total(items: Iterable[ScoredQuery]) -> CallCounts:
    return sum((item.score.counts for item in items), CallCounts())


def _f1s(counts: CallCounts) -> dict[str, float | None]:
    return {name: f1(getattr(counts, field), counts.gold, counts.predicted) for name, field in _FIELDS.items()}


def _unseen(items: Iterable[ScoredQuery]) -> dict[str, Any] | None:
    """The F1s over calls of tools that are not built in, apart from the built-in ones of the same queries."""
    known = {tool.name for app in BUILT_IN_APPS for tool in tools_of(app)}
    scores = [item.score.by_tool for item in items if UNSEEN in item.tags]
    total = sum((c for tools in scores for name, c in tools.items() if name not in known), CallCounts())
    if not scores:
        return None
    return {"items": len(scores), "gold_calls": total.gold, "predicted_calls": total.predicted, **_f1s(total)}


def _share(truths: Sequence[bool]) -> float | None:
    return sum(truths) / len(truths) if truths else None


def _summary(items: Sequence[ScoredQuery]) -> dict[str, Any]:
    all_counts = [item.score.counts for item in items]
    total = _total(items)
    return {
        "items": len(items),
        "errors": sum(item.error is not None for item in items),
        "gold_calls": total.gold,
        "predicted_calls": total.predicted,
        **_f1s(total),
        "no_call_accuracy": _share([c.predicted == 0 for c in all_counts if c.gold == 0]),
        "exact": _share([c.exact for c in all_counts]),
    }


def _precision_and_recall(items: Sequence[ScoredQuery]) -> dict[str, Any]:
    total = _total(items)
    right = {name.removesuffix("_f1"): getattr(total, field) for name, field in _FIELDS.items()}
    return {
        "precision": {name: count / total.predicted if total.predicted else None for name, count in right.items()},
        "recall": {name: count / total.gold if total.gold else None for name, count in right.items()},
    }


def _macro(items: Sequence[ScoredQuery]) -> dict[str, float | None]:
    rows = [_f1s(item.score.counts) for item in items]
    values = {name: [value for row in rows if (value := row[name]) is not None] for name in _FIELDS}
    return {name: fmean(numbers) if numbers else None for name, numbers in values.items()}


def _seconds(items: Sequence[ScoredQuery]) -> dict[str, float | None]:
    times = np.array([item.seconds for item in items])
    if not len(times):
        return {"mean": None, "median": None, "p95": None}
    figures = {"mean": np.mean(times), "median": np.median(times), "p95": np.percentile(times, 95)}
    return {name: round(float(value), 4) for name, value in figures.items()}


def _groups(items: Sequence[ScoredQuery], keys: Callable[[ScoredQuery], list[str]]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[ScoredQuery]] = {}
    for item in items:
        for key in keys(item):
            groups.setdefault(key, []).append(item)
    return {
        key: _summary(groups[key]) for key in sorted(groups, key=lambda key: (int(key) if key.isdigit() else -1, key))
    }


def _by_tool(items: Sequence[ScoredQuery]) -> dict[str, dict[str, Any]]:
    totals: dict[str, CallCounts] = {}
    for item in items:
        for name, counts in item.score.by_tool.items():
            totals[name] = totals.get(name, CallCounts()) + counts
    names = sorted(totals, key=lambda name: (-totals[name].gold, name))
    return {name: {**totals[name].to_json(), **_f1s(totals[name])} for name in names}


def intervals(items: Sequence[ScoredQuery], seed: int = 0, resamples: int = RESAMPLES) -> dict[str, list[float] | None]:
    """95% percentile bootstrap intervals over queries (Efron 1979) of the four F1s and the no-call accuracy.

    Returns:
        [low, high] for each name, or None where the metric is undefined on the data.
    """
    table = count_table(items)
    weights = resample(len(items), seed, resamples)
    sums = weights @ table
    right = {name: 2 * sums[:, 2 + place] for place, name in enumerate(_FIELDS)}
    values = {name: _divide(top, sums[:, 0] + sums[:, 1]) for name, top in right.items()}
    values["no_call_accuracy"] = _divide(sums[:, 7], sums[:, 6])
    return {name: percentiles(column) for name, column in values.items()}


def difference_interval(
    first: Sequence[ScoredQuery], second: Sequence[ScoredQuery], name: str = "plan_f1", seed: int = 0
) -> list[float] | None:
    """95% paired bootstrap interval of the gain of `second` over `first` at one F1, on the same queries in order."""
    column = 2 + list(_FIELDS).index(name)
    weights = resample(len(first), seed)
    before, after = weights @ count_table(first), weights @ count_table(second)
    values = [_divide(2 * sums[:, column], sums[:, 0] + sums[:, 1]) for sums in (before, after)]
    return percentiles(values[1] - values[0])


def count_table(items: Sequence[ScoredQuery]) -> npt.NDArray[np.float64]:
    """One row a query: the six `CallCounts`, whether it has no gold call, and whether then none was predicted."""
    rows = [_row(item.score.counts) for item in items]
    return np.array(rows, dtype=np.float64).reshape(len(items), 8)


def _row(counts: CallCounts) -> tuple[int, ...]:
    return (*counts.to_json().values(), counts.gold == 0, counts.gold == 0 == counts.predicted)


def resample(size: int, seed: int = 0, resamples: int = RESAMPLES) -> npt.NDArray[np.float64]:
    """How often each of `size` queries is drawn, for each resample: shape (resamples, size)."""
    if not size:
        return np.zeros((resamples, 0))
    generator = np.random.default_rng(seed)
    return generator.multinomial(size, np.full(size, 1 / size), size=resamples).astype(np.float64)


def _divide(top: npt.NDArray[np.float64], bottom: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)


def percentiles(values: npt.NDArray[np.float64]) -> list[float] | None:
    """The 2.5th and 97.5th percentile of the defined values."""
    defined = values[~np.isnan(values)]
    return [round(float(v), 4) for v in np.percentile(defined, (2.5, 97.5))] if len(defined) else None

"""The score of one query: how many predicted calls are right, at the three levels of CAMPHOR, section 5.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from camphor.tools.tool import Toolbox
from camphor.types import Agent, Call, Step
from camphor_lab.evaluation.matching import matching_size
from camphor_lab.evaluation.values import ValueMatcher, given


@dataclass(frozen=True)
class Counts:
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

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

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

    by_tool: dict[str, Counts]
    hallucinated_tools: int = 0
    hallucinated_parameters: int = 0

    @property
    def counts(self) -> Counts:
        return sum(self.by_tool.values(), Counts())

    def to_json(self) -> dict[str, Any]:
        return {
            "by_tool": {name: counts.to_json() for name, counts in self.by_tool.items()},
            "hallucinated_tools": self.hallucinated_tools,
            "hallucinated_parameters": self.hallucinated_parameters,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Score:
        by_tool = {name: Counts(**counts) for name, counts in data["by_tool"].items()}
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


def _count(gold: list[Call], predicted: list[Call], matcher: ValueMatcher) -> Counts:
    shapes = Counter(frozenset(given(call)) for call in gold) & Counter(frozenset(given(call)) for call in predicted)
    pairs = [[j for j, other in enumerate(predicted) if matcher.matches(call, other)] for call in gold]
    strict = [
        [j for j in right if matcher.matches(call, predicted[j], strict=True)]
        for call, right in zip(gold, pairs, strict=True)
    ]
    least = min(len(gold), len(predicted))
    return Counts(len(gold), len(predicted), least, shapes.total(), matching_size(pairs), matching_size(strict))


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

"""Whether a planner's call is right: plan accuracy on trees, exact match, hallucination (Context Tuning, section 3.4).

The paper says that it matches abstract syntax trees, and no more. Here the tree of a plan is the sequence of its calls,
the tree of a call its tool, and below that, in any order, its parameters with their values:

* plan accuracy: the trees are equal once values are in normal form. Tools are equal by name; the same parameters are
  given, no more and no fewer; a text is the same in any case, spacing and kind of quotation mark, a number or a moment
  however it is written, a phone number by its digits, a list in its order, a range of days by its first and last day.
  No value is judged by its meaning, as by an embedding: nearly the right title is the wrong event.
* exact match: the plans are the same text once both are written as code, character by character.
* hallucination: the share of queries whose plan names a tool that is not in the toolbox, shown to the planner or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from camphor.errors import ArgumentError
from camphor.tools.call_formats import write_code
from camphor.tools.plans import Plan
from camphor.tools.tool import Role, Toolbox
from camphor.types import Call
from camphor_lab.evaluation.calling_values import normal_form
from camphor_lab.evaluation.ranking_metrics import mean_figures

SCORES = ("plan_accuracy", "exact_match", "hallucination")
METRICS = (*SCORES, "tool_accuracy", "tools_found", "items_found", "values_found")


@dataclass(frozen=True)
class PlanMatch:
    """How one plan compares with the right one.

    Args:
        plan_accuracy, exact_match, hallucination: as said above, for one plan. tool_accuracy: its tools are right.
        tools_found: the planner could call all tools of the right plan. items_found: the share of the gold items that
            it was shown. values_found: all texts of the right plan stand in what it was shown.
    """

    plan_accuracy: bool
    exact_match: bool
    hallucination: bool
    tool_accuracy: bool
    tools_found: bool = True
    items_found: float = 1.0
    values_found: bool = True

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in METRICS}


def tree_of(plan: Plan, toolbox: Toolbox) -> Any:
    """The tree of a plan with its values in normal form; two are equal where plan accuracy counts the plans as the
    same."""
    return tuple((call.name, frozenset(_arguments(call, toolbox))) for call in plan)


def match_plans(gold: Plan, predicted: Plan, toolbox: Toolbox) -> PlanMatch:
    """A predicted plan beside the right one."""
    return PlanMatch(
        plan_accuracy=tree_of(gold, toolbox) == tree_of(predicted, toolbox),
        exact_match=_text_of(gold, toolbox) == _text_of(predicted, toolbox),
        hallucination=any(call.name not in toolbox for call in predicted),
        tool_accuracy=[call.name for call in gold] == [call.name for call in predicted],
    )


def measure_plans(matches: Sequence[PlanMatch], people: Sequence[str], seed: int = 0) -> dict[str, Any]:
    """The mean of each metric, from 0 to 1, with 95% intervals of the bootstrap over people.

    Args:
        people: whose query each was: queries of one person are alike, so whole persons are drawn.

    Raises:
        ValueError: there is nothing to measure.
    """
    measured = mean_figures(METRICS, people, _figures(matches), seed)
    return {"queries": len(matches), "people": len(set(people)), **measured}


def compare_plans(
    better: Sequence[PlanMatch], other: Sequence[PlanMatch], people: Sequence[str], seed: int = 0
) -> dict[str, Any]:
    """How far one planner is ahead of another on the same queries, in the same order: as `measure_plans`, differences.

    Raises:
        ValueError: there is nothing to measure, or not the same number of queries.
    """
    if len(better) != len(other):
        raise ValueError(f"{len(better)} and {len(other)} plans: only those of the same queries can be compared")
    return mean_figures(METRICS, people, _figures(better) - _figures(other), seed)


def _figures(matches: Sequence[PlanMatch]) -> np.ndarray[Any, np.dtype[np.float64]]:
    if not matches:
        raise ValueError("there are no plans to measure")
    return np.array([[getattr(match, name) for name in METRICS] for match in matches], np.float64)


def _arguments(call: Call, toolbox: Toolbox) -> list[tuple[str, Any]]:
    tool = toolbox.get(call.name) if call.name in toolbox else None
    found = []
    for name, value in call.arguments.items():
        parameter = tool.parameter(name) if tool else None
        found.append((name, _normal(value, parameter.role if parameter else Role.TEXT)))
    return found


def _normal(value: Any, role: Role) -> Any:
    if isinstance(value, Mapping):
        return "object", frozenset((str(key), _normal(each, Role.TEXT)) for key, each in value.items())
    if isinstance(value, list | tuple):
        return "list", tuple(_normal(each, role) for each in value)
    if role is Role.TIME_RANGE and isinstance(value, str):
        first, _, last = value.partition("/")
        return "range", normal_form(first), normal_form(last or first)
    return normal_form(value, role is Role.PHONE)


def _text_of(plan: Plan, toolbox: Toolbox) -> str | None:
    """The plan as code; None for one that no code says (a number that is none), which matches nothing written."""
    try:
        return write_code(plan, toolbox)
    except ArgumentError:
        return None

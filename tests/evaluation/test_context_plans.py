"""Plan accuracy on trees, exact match and hallucination."""

from __future__ import annotations

import math
from typing import Any

import pytest

from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call
from camphor_lab.evaluation.context_planner import PlanMatch, compare_plans, match_plans, measure_plans

TOOLBOX = Toolbox(
    (
        Tool(
            "move",
            "Move an event.",
            (
                Parameter("title", role=Role.REFERENCE),
                Parameter("start", role=Role.TIME),
                Parameter("note", required=False),
            ),
            Kind.ACTION,
            Agent.TASK,
        ),
        Tool("dial", "Ring.", (Parameter("number", role=Role.PHONE),), Kind.ACTION, Agent.TASK),
        Tool("list", "List.", (Parameter("days", role=Role.TIME_RANGE),), Kind.CONTEXT, Agent.CONTEXT),
        Tool("mix", "Mix.", (Parameter("songs", "array"),), Kind.ACTION, Agent.TASK),
    )
)


def match(gold: Call | None, predicted: Call | None) -> PlanMatch:
    return match_plans((gold,) if gold else (), (predicted,) if predicted else (), TOOLBOX)


def move(**changed: Any) -> Call:
    return Call("move", {"title": "Guitar class", "start": "2026-03-17T18:00:00", **changed})


@pytest.mark.parametrize(
    ("other", "accurate", "exact"),
    [
        (move(), True, True),
        (Call("move", {"start": "2026-03-17T18:00:00", "title": "Guitar class"}), True, True),
        (move(title="guitar  class"), True, False),
        (move(start="2026-03-17 18:00"), True, False),
        (move(title="Guitar lesson"), False, False),
        (move(title="Guitar"), False, False),
        (move(start="2026-03-17T18:30:00"), False, False),
        (move(note="x"), False, False),
        (Call("move", {"title": "Guitar class"}), False, False),
        (Call("mix", {"songs": []}), False, False),
        (None, False, False),
    ],
)
def test_plans_are_equal_as_trees_and_as_text(other: Call | None, accurate: bool, exact: bool) -> None:
    found = match(move(), other)
    assert (found.plan_accuracy, found.exact_match) == (accurate, exact)


def test_values_are_compared_by_what_they_are() -> None:
    assert match(Call("dial", {"number": "555-0101"}), Call("dial", {"number": "5550101"})).plan_accuracy
    days = Call("list", {"days": "2026-03-17"})
    assert match(days, Call("list", {"days": "2026-03-17/2026-03-17"})).plan_accuracy
    assert not match(days, Call("list", {"days": "2026-03-17/2026-03-18"})).plan_accuracy
    assert not match(Call("mix", {"songs": ["a", "b"]}), Call("mix", {"songs": ["b", "a"]})).plan_accuracy
    assert match(Call("mix", {"songs": ["A"]}), Call("mix", {"songs": ["a"]})).plan_accuracy


def test_more_calls_than_one_are_compared_in_order() -> None:
    one, other = move(), Call("dial", {"number": "555-0101"})
    assert match_plans((one, other), (one, other), TOOLBOX).plan_accuracy
    assert not match_plans((one, other), (other, one), TOOLBOX).plan_accuracy
    assert not match_plans((one,), (one, one), TOOLBOX).plan_accuracy


def test_a_tool_that_is_not_in_the_toolbox_is_hallucinated() -> None:
    found = match(move(), Call("teleport", {"title": "Guitar class", "to": {"x": [1]}}))
    assert (found.hallucination, found.tool_accuracy, found.plan_accuracy) == (True, False, False)
    assert not match(move(), Call("dial", {"number": "1"})).hallucination
    assert not match(move(), None).hallucination


def test_a_value_that_cannot_be_written_is_wrong() -> None:
    assert not match(move(), move(start=math.nan)).exact_match


def test_figures_are_means_with_intervals_over_people() -> None:
    good, bad = PlanMatch(True, True, False, True), PlanMatch(False, False, True, False, False, 0.5)
    told = measure_plans([good, good, bad, bad], ["a", "a", "b", "b"])
    assert (told["queries"], told["people"], told["plan_accuracy"], told["items_found"]) == (4, 2, 0.5, 0.75)
    assert told["interval_95"]["plan_accuracy"] == [0.0, 1.0]
    ahead = compare_plans([good, good], [bad, good], ["a", "b"])
    assert (ahead["plan_accuracy"], ahead["hallucination"]) == (0.5, -0.5)
    with pytest.raises(ValueError, match="no plans"):
        measure_plans([], [])
    with pytest.raises(ValueError, match="same queries"):
        compare_plans([good], [], ["a"])

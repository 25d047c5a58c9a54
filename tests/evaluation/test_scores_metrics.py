"""Every metric by hand, and the properties that must hold for all predictions."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.types import Agent, Call, Step
from camphor_lab.evaluation.metrics import Scored, difference_interval, f1, intervals, measure
from camphor_lab.evaluation.scores import Counts, Score, score_calls
from camphor_lab.evaluation.values import ValueMatcher
from tests.doubles.evaluation import TOOLBOX, Alike, message

MATCHER = ValueMatcher(TOOLBOX, Alike(("late", "delayed"), ("late", "tardy")))


def count(gold: list[Call], predicted: list[Call]) -> Counts:
    return score_calls(gold, predicted, MATCHER).counts


def item(name: str, gold: list[Call], predicted: list[Call], **more: object) -> Scored:
    return Scored(name, score_calls(gold, predicted, MATCHER), **more)  # type: ignore[arg-type]


SWITCH_ON = Call("switch", {"state": "on"})
SWITCH_OFF = Call("switch", {"state": "off"})
SWITCH_KITCHEN = Call("switch", {"state": "on", "room": "Kitchen"})


def test_levels() -> None:
    assert count([SWITCH_ON], [SWITCH_ON]) == Counts(1, 1, 1, 1, 1, 1)
    assert count([SWITCH_ON], [SWITCH_OFF]) == Counts(1, 1, 1, 1, 0)
    assert count([SWITCH_ON], [SWITCH_KITCHEN]) == Counts(1, 1, 1, 0, 0)
    assert count([SWITCH_ON], [message("late")]) == Counts(1, 1, 0, 0, 0)
    assert count([SWITCH_ON], []) == Counts(1, 0, 0, 0, 0)
    assert count([], [SWITCH_ON]) == Counts(0, 1, 0, 0, 0)
    assert count([], []) == Counts()


def test_duplicates_are_matched_one_to_one() -> None:
    assert count([SWITCH_ON], [SWITCH_ON, SWITCH_ON]) == Counts(1, 2, 1, 1, 1, 1)
    assert count([SWITCH_ON, SWITCH_ON], [SWITCH_ON]) == Counts(2, 1, 1, 1, 1, 1)
    assert count([SWITCH_ON, SWITCH_ON], [SWITCH_ON, SWITCH_ON]).exact


def test_matching_is_the_best_possible() -> None:
    # the first gold call fits both predictions: pairing it greedily with "soon" would leave nothing for the second
    gold = [message({"any_of": ["late", "soon"]}), message("soon")]
    assert count(gold, [message("soon"), message("delayed")]) == Counts(2, 2, 2, 2, 2, 2)


def test_each_level_has_its_own_best_matching() -> None:
    gold = [Call("switch", {"state": "on"}), Call("switch", {"state": "off", "room": "Kitchen"})]
    assert count(gold, [SWITCH_KITCHEN, SWITCH_OFF]) == Counts(2, 2, 2, 2, 0)


def test_hallucinations_are_counted_over_predictions_and_look_ups() -> None:
    steps = [
        Step(Agent.CONTEXT, (Call("find", {"keyword": "x", "depth": 3}), Call("look_up", {}))),
        Step(Agent.TASK, (Call("switch", {"colour": "red"}),)),
    ]
    score = score_calls([], [Call("switch", {"state": "on", "colour": "red"}), Call("sing", {"a": 1})], MATCHER, steps)
    assert (score.hallucinated_tools, score.hallucinated_parameters) == (2, 2)


def test_score_survives_json() -> None:
    score = score_calls([SWITCH_ON, message("late")], [message("x", "1"), Call("sing")], MATCHER)
    assert Score.from_json(score.to_json()) == score


def test_f1() -> None:
    assert f1(2, 3, 5) == pytest.approx(0.5)  # precision 2/5, recall 2/3
    assert f1(0, 1, 0) == 0
    assert f1(0, 0, 0) is None


DATASET = [
    item("a", [SWITCH_ON, message("late")], [SWITCH_ON, message("delayed")], tags=("multi",), seconds=1.0),
    item("b", [message("late")], [message("never"), SWITCH_ON], tags=("single", "lookup"), seconds=2.0),
    item("c", [SWITCH_ON], [SWITCH_KITCHEN], tags=("single",), seconds=3.0, turn=2),
    item("d", [], [], tags=("info",), seconds=4.0, error="ModelError: no"),
    item("e", [], [SWITCH_ON], tags=("info",), seconds=5.0),
]


def test_micro_by_hand() -> None:
    figures = measure(DATASET)
    # gold 2+1+1 = 4, predicted 2+2+1+0+1 = 6; by name 2+1+1 = 4, by parameters 2+1+0 = 3, in full 2
    assert figures["gold_calls"] == 4
    assert figures["predicted_calls"] == 6
    assert figures["tool_f1"] == pytest.approx(2 * 4 / 10)
    assert figures["delexicalized_plan_f1"] == pytest.approx(2 * 3 / 10)
    assert figures["plan_f1"] == pytest.approx(2 * 2 / 10)
    assert figures["strict_plan_f1"] == pytest.approx(2 * 2 / 10)
    assert figures["precision"] == {"tool": 4 / 6, "delexicalized_plan": 3 / 6, "plan": 2 / 6, "strict_plan": 2 / 6}
    assert figures["recall"] == {"tool": 1.0, "delexicalized_plan": 3 / 4, "plan": 2 / 4, "strict_plan": 2 / 4}


def test_macro_leaves_out_queries_without_calls() -> None:
    macro = measure(DATASET)["macro"]
    assert macro["tool_f1"] == pytest.approx((1 + 2 / 3 + 1 + 0) / 4)
    assert macro["delexicalized_plan_f1"] == pytest.approx((1 + 2 / 3 + 0 + 0) / 4)
    assert macro["plan_f1"] == pytest.approx((1 + 0 + 0 + 0) / 4)


def test_no_call_accuracy_errors_and_exact() -> None:
    figures = measure(DATASET)
    assert figures["no_call_accuracy"] == 0.5
    assert figures["errors"] == 1
    assert figures["exact"] == pytest.approx(2 / 5)
    assert measure(DATASET[:3])["no_call_accuracy"] is None


def test_a_silent_right_answer_leaves_the_f1s_alone() -> None:
    with_it, without = measure(DATASET), measure([*DATASET[:3], DATASET[4]])
    for name in ("tool_f1", "delexicalized_plan_f1", "plan_f1", "macro"):
        assert with_it[name] == without[name]


def test_tables_by_size_turn_tag_and_tool() -> None:
    figures = measure(DATASET)
    assert {size: row["items"] for size, row in figures["by_size"].items()} == {"0": 2, "1": 2, "2": 1}
    assert {turn: row["items"] for turn, row in figures["by_turn"].items()} == {"first": 4, "follow-up": 1}
    assert {tag: row["items"] for tag, row in figures["by_tag"].items()} == {
        "info": 2,
        "lookup": 1,
        "multi": 1,
        "single": 2,
    }
    assert figures["by_tag"]["single"]["tool_f1"] == pytest.approx(2 * 2 / (2 + 3))
    assert figures["by_tool"]["switch"]["gold"] == 2
    assert figures["by_tool"]["switch"]["predicted"] == 4
    assert figures["by_tool"]["switch"]["plan_f1"] == pytest.approx(2 * 1 / 6)


def test_seconds() -> None:
    assert measure(DATASET)["seconds"] == {"mean": 3.0, "median": 3.0, "p95": 4.8}


def test_nothing_at_all_is_undefined_not_zero() -> None:
    figures = measure([])
    assert figures["tool_f1"] is None
    assert figures["interval_95"]["plan_f1"] is None
    assert figures["macro"]["plan_f1"] is None


def test_intervals_hold_the_value_and_shrink_with_data() -> None:
    figures = measure(DATASET)
    low, high = figures["interval_95"]["tool_f1"]
    assert low <= figures["tool_f1"] <= high
    many_low, many_high = intervals(DATASET * 100)["tool_f1"] or []
    assert many_high - many_low < (high - low) / 5
    assert measure(DATASET, seed=1)["interval_95"] == measure(DATASET, seed=1)["interval_95"]


def test_interval_agrees_with_the_binomial_standard_error() -> None:
    # 200 queries of one gold and one predicted call, half of them right: F1 is a mean of coin flips, sd 0.5/sqrt(200)
    items = [item(str(i), [SWITCH_ON], [SWITCH_ON if i % 2 else SWITCH_OFF]) for i in range(200)]
    low, high = intervals(items)["plan_f1"] or []
    assert low == pytest.approx(0.5 - 1.96 * 0.5 / 200**0.5, abs=0.012)
    assert high == pytest.approx(0.5 + 1.96 * 0.5 / 200**0.5, abs=0.012)


def test_paired_difference_of_a_run_with_itself_is_nothing() -> None:
    assert difference_interval(DATASET, DATASET) == [0.0, 0.0]
    better = [item("c", [SWITCH_ON], [SWITCH_ON])] * 3
    worse = [item("c", [SWITCH_ON], [SWITCH_OFF])] * 3
    assert difference_interval(worse, better) == [1.0, 1.0]


CALLS = st.one_of(
    st.builds(lambda state: Call("switch", {"state": state}), st.sampled_from(["on", "off"])),
    st.builds(lambda room: Call("switch", {"state": "on", "room": room}), st.sampled_from(["Kitchen", "Hall"])),
    st.builds(message, st.sampled_from(["late", "delayed", "tardy", "soon"])),
    st.builds(lambda name: Call("ring", {"person": name}), st.sampled_from(["Ann", "Bo"])),
)
LISTS = st.lists(CALLS, max_size=6)


@given(LISTS, LISTS)
def test_levels_never_cross(gold: list[Call], predicted: list[Call]) -> None:
    found = count(gold, predicted)
    assert 0 <= found.plan <= found.delexicalized <= found.tool <= min(found.gold, found.predicted)
    assert (found.gold, found.predicted) == (len(gold), len(predicted))


@given(LISTS, LISTS, st.randoms(use_true_random=False))
def test_order_does_not_matter(gold: list[Call], predicted: list[Call], chance: random.Random) -> None:
    expected = count(gold, predicted)
    chance.shuffle(gold)
    chance.shuffle(predicted)
    assert count(gold, predicted) == expected


@given(st.lists(LISTS, min_size=1, max_size=6))
def test_a_perfect_prediction_is_one_everywhere(plans: list[list[Call]]) -> None:
    figures = measure([item(str(i), calls, list(reversed(calls))) for i, calls in enumerate(plans)])
    some, none = any(plans), not all(plans)
    for name in ("tool_f1", "delexicalized_plan_f1", "plan_f1"):
        assert figures[name] == figures["macro"][name] == (1.0 if some else None)
        assert figures["interval_95"][name] == ([1.0, 1.0] if some else None)
    assert figures["no_call_accuracy"] == (1.0 if none else None)
    assert figures["exact"] == 1.0


@given(LISTS, LISTS, CALLS)
def test_one_more_wrong_call_never_helps(gold: list[Call], predicted: list[Call], extra: Call) -> None:
    before, after = count(gold, predicted), count(gold, [*predicted, extra])
    assert before.plan <= after.plan <= before.plan + 1
    assert after.predicted == before.predicted + 1


@given(LISTS, LISTS)
def test_dataset_f1s_are_ordered(gold: list[Call], predicted: list[Call]) -> None:
    figures = measure([item("x", gold, predicted)])
    if figures["tool_f1"] is not None:
        assert figures["plan_f1"] <= figures["delexicalized_plan_f1"] <= figures["tool_f1"]

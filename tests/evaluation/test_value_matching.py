from __future__ import annotations

from typing import Any

import pytest

from camphor.types import Call
from camphor_lab.evaluation.values import ValueMatcher, alternatives, fold
from tests.doubles.evaluation import TOOLBOX, Alike, message


def matches(gold: Call, predicted: Call, *alike: tuple[str, str]) -> bool:
    return ValueMatcher(TOOLBOX, Alike(*alike)).matches(gold, predicted)


def one(tool: str, name: str, gold: Any, predicted: Any, *alike: tuple[str, str]) -> bool:
    return matches(Call(tool, {name: gold}), Call(tool, {name: predicted}), *alike)


@pytest.mark.parametrize(
    ("tool", "name", "gold", "predicted", "right"),
    [
        ("remind", "time", "2026-03-12T18:00:00", "2026-03-12T18:00", True),
        ("remind", "time", "2026-03-12T18:00:00", "2026-03-12T18:01:00", False),
        ("remind", "time", "2026-03-12T18:00:00", "at six", False),
        ("remind", "time", "2026-03-12", "2026-03-12T00:00:00", True),
        ("book", "date", "2026-03-12", "2026-03-12T15:00:00", True),
        ("book", "date", "2026-03-12", "2026-03-13", False),
        ("block", "span", "2026-03-12", "2026-03-12/2026-03-12", True),
        ("block", "span", "2026-03-12/2026-03-14", "2026-03-12T00:00:00/2026-03-14T23:59:59", True),
        ("block", "span", "2026-03-12/2026-03-14", "2026-03-12/2026-03-13", False),
        ("book", "nights", 5, "5", True),
        ("book", "nights", 5, 5.0, True),
        ("book", "nights", 5, 6, False),
        ("book", "nights", 1, True, False),
        ("book", "quiet", True, "true", True),
        ("book", "quiet", True, False, False),
        ("switch", "state", "on", "On", True),
        ("switch", "state", "on", "off", False),
        ("send_message", "receiver", "+33 6 39 98 10 52", "0033 639981052", True),
        ("send_message", "receiver", "555-123-4567", "(555) 123 4567", True),
        ("send_message", "receiver", "555-123-4567", "555-123-4568", False),
        ("send_message", "receiver", "Jo Doe", "jo  doe", True),
        ("send_mail", "receiver", "a@x.example", "mailto:A@x.example", True),
        ("send_mail", "receiver", "a@x.example", "b@x.example", False),
        ("cancel", "event", "Blood test", "blood test", True),
        ("cancel", "event", "Blood test", "The blood test", False),
        ("ring", "person", "Ota Kříž", "Ota Kříž", True),
        ("ring", "person", "Ota Kříž", "Ota", False),
        ("invite", "people", ["Ann", "Bo"], ["bo", "Ann"], True),
        ("invite", "people", ["Ann", "Bo"], ["Ann", "Ann"], False),
        ("invite", "people", ["Ann", "Bo"], "Ann, Bo", False),
        ("invite", "place", {"city": "Rome", "floor": 2}, {"floor": 2, "city": "rome"}, True),
        ("invite", "place", {"city": "Rome", "floor": 2}, {"city": "Rome"}, False),
    ],
)
def test_exact_kinds(tool: str, name: str, gold: Any, predicted: Any, right: bool) -> None:
    similarity = Alike()
    matcher = ValueMatcher(TOOLBOX, similarity)
    assert matcher.matches(Call(tool, {name: gold}), Call(tool, {name: predicted})) is right
    assert similarity.asked == 0, "an exact kind needs no embedding"


def test_reference_is_exact_however_alike() -> None:
    assert not one("cancel", "event", "Blood test", "The blood test", ("Blood test", "The blood test"))


def test_free_text_is_right_above_the_threshold_only() -> None:
    late, delayed = "I'll be late", "I am going to be delayed"
    assert one("send_message", "content", late, delayed, (late, delayed))
    assert not one("send_message", "content", late, "See you soon")


def test_the_threshold_itself_is_not_enough() -> None:
    class Exactly(Alike):
        def cosine(self, first: str, second: str) -> float:
            return 0.7

    assert not ValueMatcher(TOOLBOX, Exactly()).matches(message("a cat"), message("a dog"))


def test_equal_but_for_case_spaces_and_quotes_needs_no_model() -> None:
    similarity = Alike()
    assert ValueMatcher(TOOLBOX, similarity).matches(message("I’ll be  late"), message("i'll be late"))
    assert similarity.asked == 0
    assert fold("  Ünïted—Now ") == fold("ünïted-now")


def test_empty_text_is_only_equal_to_itself() -> None:
    assert one("send_message", "content", "", "")
    assert not one("send_message", "content", "late", "", ("late", ""))


@pytest.mark.parametrize(
    ("gold", "predicted"), [("6", "7"), ("2026-03-12", "2026-03-13"), ("a@x.example", "a@y.example")]
)
def test_figures_in_a_text_parameter_are_compared_as_figures(gold: str, predicted: str) -> None:
    assert not one("send_message", "content", gold, predicted, (gold, predicted))
    assert one("send_message", "content", gold, gold)


def test_a_tool_that_the_device_lacks_is_compared_by_form() -> None:
    assert one("unheard_of", "x", 5, "5")
    assert not one("unheard_of", "x", 5, 6)
    assert one("unheard_of", "x", "a cat", "one cat", ("a cat", "one cat"))


def test_any_of() -> None:
    choice = {"any_of": ["I'll be late", "running late"]}
    assert one("send_message", "content", choice, "Running late")
    assert not one("send_message", "content", choice, "On my way")
    assert one("book", "nights", {"any_of": [2, 3]}, 3)
    assert alternatives({"any_of": [1, 2]}) == (1, 2)
    assert alternatives({"any_of": "x", "more": 1}) == ({"any_of": "x", "more": 1},)


def test_parameters_must_be_the_same_in_any_order_and_null_is_absent() -> None:
    both = Call("switch", {"state": "on", "room": "Kitchen"})
    assert matches(both, Call("switch", {"room": "kitchen", "state": "on"}))
    assert not matches(both, Call("switch", {"state": "on"}))
    assert matches(Call("switch", {"state": "on"}), Call("switch", {"state": "on", "room": None}))
    assert not matches(Call("switch", {"state": "on"}), both)


def test_texts_names_what_will_be_embedded_and_nothing_else() -> None:
    matcher = ValueMatcher(TOOLBOX, Alike())
    choice = {"any_of": ["I'll be late", "running late"]}
    assert set(matcher.texts(message(choice), message("delayed"))) == {"I'll be late", "running late", "delayed"}
    assert not set(matcher.texts(message(choice), message("running LATE")))
    assert not set(matcher.texts(message(choice), Call("ring", {"person": "Bo"})))

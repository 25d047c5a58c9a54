"""Calls are compared with the accepted ones as function-calling leaderboards do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.types import Call
from camphor_lab.evaluation.public_lines import AcceptedCall, problem, same

BOOK = AcceptedCall("book", {"city": ["Oslo", "Oslo, Norway"], "nights": [2], "quiet": ["", False]})


def call(**arguments: Any) -> Call:
    return Call("book", arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"city": "oslo", "nights": 2}, ""),
        ({"city": "Oslo Norway", "nights": 2.0, "quiet": False}, ""),
        ({"city": "Oslo", "nights": 3}, "a value"),
        ({"city": "Oslo", "nights": True}, "a value"),
        ({"city": "Oslo", "nights": "2"}, "a value"),
        ({"city": "Oslo", "nights": 2, "quiet": True}, "a value"),
        ({"city": "Oslo"}, "an argument is missing"),
        ({"city": "Oslo", "nights": 2, "pets": True}, "an argument that is not wanted"),
    ],
)
def test_one_call(arguments: dict[str, Any], said: str) -> None:
    assert problem([BOOK], [call(**arguments)]) == said


def test_an_argument_that_nothing_is_accepted_for_must_be_left_out() -> None:
    accepted = [AcceptedCall("book", {"start": [], "end": [""]})]
    assert problem(accepted, [call()]) == ""
    assert problem(accepted, [call(start="now")]) == "an argument that is not wanted"
    assert problem(accepted, [call(end="now")]) == "an argument that is not wanted"


def test_numbers_of_calls_and_names() -> None:
    right = call(city="Oslo", nights=2)
    assert problem([], []) == ""
    assert problem([], [right]) == "a call where none is right"
    assert problem([BOOK], []) == "no call"
    assert problem([BOOK, BOOK], [right]) == "too few calls"
    assert problem([BOOK], [right, right]) == "too many calls"
    assert problem([BOOK], [Call("cancel", right.arguments)]) == "another function"


def test_each_accepted_call_needs_a_call_of_its_own() -> None:
    either = AcceptedCall("book", {"city": ["Oslo", "Bergen"]})
    oslo = AcceptedCall("book", {"city": ["Oslo"]})
    assert problem([either, oslo], [call(city="Oslo"), call(city="Bergen")]) == ""
    assert problem([either, oslo], [call(city="Bergen"), call(city="Bergen")]) == "a value"


@settings(deadline=None)
@given(cities=st.lists(st.sampled_from(["Oslo", "Rome", "Lima", "Cairo"]), min_size=1, max_size=4), data=st.data())
def test_the_order_of_calls_does_not_matter(cities: list[str], data: st.DataObject) -> None:
    accepted = [AcceptedCall("book", {"city": [city]}) for city in cities]
    shuffled = data.draw(st.permutations(cities))
    assert problem(accepted, [call(city=city) for city in shuffled]) == ""
    assert problem(accepted, [call(city="Paris"), *(call(city=city) for city in shuffled[1:])]) == "a value"


def test_lists_keep_their_order_and_objects_their_keys() -> None:
    assert same(["A.", "b"], ["a", "B"])
    assert not same(["a", "b"], ["b", "a"])
    assert not same(["a"], ["a", "a"])
    accepted = {"size": ["small", "S"], "milk": ["", "oat"]}
    assert same(accepted, {"size": "s"})
    assert same(accepted, {"size": "small", "milk": "oat"})
    assert not same(accepted, {"milk": "oat"})
    assert not same(accepted, {"size": "s", "sugar": 1})
    assert same([{"x": [1]}], [{"x": 1}])
    assert same({"lateral": 10.5}, {"lateral": 10.5})  # some sets give the value itself
    assert same(None, None)
    assert not same(None, 0)

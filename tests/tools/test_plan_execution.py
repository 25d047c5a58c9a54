"""Plans checked, put in order and executed."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given

from camphor.errors import ArgumentError, ToolError, UnknownTool
from camphor.tools.plans import Plan, Reference, check, execute, references, waves
from camphor.tools.tool import Parameter
from camphor.tools.toolbox import Toolbox
from camphor.types import Call
from tests.doubles.plans import FIND, PLACE, RING, SEND, TOOLS, UNHURRIED, make, plans

BOX = Toolbox(TOOLS)
LOOK = Call("find", {"name": "Ana", "key": "email"})


def test_arguments_take_the_types_declared() -> None:
    plan = (LOOK, Call("send", {"copies": "7", "body": "x", "to": Reference(0), "urgent": "yes"}))
    assert check(plan, BOX)[1].arguments == {"to": [Reference(0)], "body": "x", "copies": 7, "urgent": True}
    mixed = (LOOK, Call("send", {"to": ["a@b", Reference(0), 5], "body": "x"}))
    assert check(mixed, BOX)[1].arguments["to"] == ["a@b", Reference(0), "5"]
    assert check((Call("send", {"to": "a@b", "body": "x"}),), BOX)[0].arguments["to"] == ["a@b"]


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ((Call("find", {"name": "x", "key": "fax"}),), "one of email, phone"),
        ((Call("find", {"name": "x"}),), "key"),
        ((Call("find", {"name": "x", "key": "email", "shoe": 1}),), "only the parameters|the parameter"),
        ((Call("send", {"to": ["x"], "body": "x", "copies": "many"}),), "a whole number"),
        ((Call("find", {"name": Reference(0), "key": "email"}),), "call 0: find.*its own result"),
        ((Call("find", {"name": Reference(1), "key": "email"}), LOOK), "made later"),
        (
            (
                Call("find", {"name": Reference(1), "key": "email"}),
                Call("find", {"name": Reference(0), "key": "email"}),
            ),
            "need each other's",
        ),
        ((Call("find", {"name": Reference(9), "key": "email"}),), "the plan has 1 calls"),
        (
            (LOOK, Call("send", {"to": ["x"], "body": "x", "urgent": Reference(0)})),
            "boolean, and find gives back string",
        ),
        ((Call("place-it", {"at": {"street": "x"}}), Call("send", {"to": [Reference(0)], "body": "x"})), "object"),
        ((LOOK, Call("find", {"name": [Reference(0)], "key": "email"})), "string"),
    ],
)
def test_a_wrong_plan_is_refused(plan: Plan, problem: str) -> None:
    with pytest.raises(ArgumentError, match=problem):
        check(plan, BOX)


def test_an_unknown_tool_is_refused() -> None:
    with pytest.raises(UnknownTool, match="find"):
        check((Call("fnd"),), BOX)


def test_a_result_of_unknown_type_fits_anywhere_and_one_of_none_nowhere() -> None:
    takes = make("take", Parameter("flag", "boolean"))
    plan = (Call("ring"), Call("take", {"flag": Reference(0)}))
    assert check(plan, Toolbox([RING, takes])) == plan
    with pytest.raises(ArgumentError, match="gives back null"):
        check(plan, Toolbox([make("ring", result="null"), takes]))


def test_checking_keeps_what_is_right() -> None:
    right = (LOOK, Call("send", {"to": [Reference(0)], "body": "x"}))
    assert check(right, Toolbox([SEND, FIND])) == right
    assert check((Call("place-it", {"at": {"street": "x"}, "extra": {"a": 1}}),), Toolbox([PLACE]))


@UNHURRIED
@given(plans())
def test_waves_hold_every_call_once_and_after_what_it_needs(plan: Plan) -> None:
    ordered = waves(plan)
    assert sorted(place for wave in ordered for place in wave) == list(range(len(plan)))
    wave_of = {place: number for number, wave in enumerate(ordered) for place in wave}
    for place, call in enumerate(plan):
        assert all(wave_of[each.to] < wave_of[place] for each in references(call))


def test_waves_refuse_a_result_of_the_future() -> None:
    with pytest.raises(ArgumentError, match="later"):
        waves((Call("a", {"x": Reference(1)}), Call("b")))


def test_results_take_the_place_of_references() -> None:
    made: list[Call] = []

    def run(call: Call) -> Any:
        made.append(call)
        return {"files": ["u1", "u2"], "who": "a@b"}.get(call.name)

    plan = (
        Call("who"),
        Call("files"),
        Call(
            "send", {"to": [Reference(0)], "with": ["u0", Reference(1)], "all": Reference(1), "o": {"k": Reference(0)}}
        ),
    )
    outcomes = execute(plan, run, together=1)
    expected = {"to": ["a@b"], "with": ["u0", "u1", "u2"], "all": ["u1", "u2"], "o": {"k": "a@b"}}
    assert [outcome.call.name for outcome in outcomes] == [call.name for call in made] == ["who", "files", "send"]
    assert outcomes[2].call.arguments == expected
    assert outcomes[0].value == "a@b"


def test_independent_calls_run_together_and_a_lone_one_where_it_was_asked() -> None:
    both = threading.Barrier(2, timeout=20)
    threads: dict[str, int] = {}

    def run(call: Call) -> str:
        threads[call.name] = threading.get_ident()
        if call.name in "ab":
            both.wait()  # ends only if the other one has begun
        return call.name

    outcomes = execute((Call("a"), Call("b"), Call("c", {"x": [Reference(0), Reference(1)]})), run)
    assert [outcome.value for outcome in outcomes] == ["a", "b", "c"]
    assert threads["a"] != threads["b"]
    assert threads["c"] == threading.get_ident()


def test_what_needs_a_failed_call_is_not_made() -> None:
    made: list[str] = []

    def run(call: Call) -> str:
        made.append(call.name)
        if call.name == "a":
            raise ToolError("no such contact")
        return call.name

    plan = (Call("a"), Call("b", {"x": Reference(0)}), Call("c", {"x": Reference(1)}), Call("d"))
    first, second, third, fourth = execute(plan, run)
    assert (first.error, first.made) == ("no such contact", True)
    assert second.error == "b was not called: it needs the result of a (call 0), which failed"
    assert third.error == "c was not called: it needs the result of b (call 1), which was not called either"
    assert not second.made
    assert not third.made
    assert second.call == plan[1]
    assert fourth.value == "d"
    assert sorted(made) == ["a", "d"]


def test_an_empty_plan_does_nothing() -> None:
    assert execute((), lambda call: 1) == waves(()) == check((), BOX) == ()

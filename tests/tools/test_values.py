from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.errors import ArgumentError
from camphor.tools.invoke import check
from camphor.tools.tool import Kind, Parameter, Tool
from camphor.types import Agent, Call


def tool(*parameters: Parameter) -> Tool:
    return Tool("t", "", parameters, Kind.ACTION, Agent.TASK)


@pytest.mark.parametrize(
    ("parameter", "given_value", "wanted"),
    [
        (Parameter("p", "integer"), "5", 5),
        (Parameter("p", "integer"), " -7 ", -7),
        (Parameter("p", "integer"), 5.0, 5),
        (Parameter("p", "number"), "5", 5),
        (Parameter("p", "number"), "2.50", 2.5),
        (Parameter("p", "boolean"), "true", True),
        (Parameter("p", "boolean"), "Off", False),
        (Parameter("p"), 12, "12"),
        (Parameter("p"), "12", "12"),
        (Parameter("p", "integer|string"), "12", "12"),
        (Parameter("p", "integer|string"), 12, 12),
        (Parameter("p", "integer|boolean"), "yes", True),
        (Parameter("p", enum=("en route", "done")), "En Route ", "en route"),
        (Parameter("p", "integer", enum=(1, 2)), "2", 2),
        (Parameter("p", "array", items="integer"), ["1", 2], [1, 2]),
        (Parameter("p", "array", items="string"), "one", ["one"]),
        (Parameter("p", "object"), {"a": 1}, {"a": 1}),
        (Parameter("p", ""), 3, 3),
    ],
)
def test_values_are_coerced(parameter: Parameter, given_value: Any, wanted: Any) -> None:
    made = check(tool(parameter), Call("t", {"p": given_value})).arguments["p"]
    assert made == wanted
    assert type(made) is type(wanted)


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        (Parameter("p", "integer"), "five", r"t\(p='five'\): expected a whole number$"),
        (Parameter("p", "integer"), 2.5, "a whole number"),
        (Parameter("p", "integer"), True, "a whole number"),
        (Parameter("p", "integer", minimum=1, maximum=60), 61, "a whole number from 1 to 60"),
        (Parameter("p", "number", minimum=0), "-0.5", "a number of at least 0"),
        (Parameter("p", "number", maximum=9.5), 10, "a number of at most 9.5"),
        (Parameter("p", "number"), float("nan"), "a number"),
        (Parameter("p", "boolean"), "maybe", "True or False"),
        (Parameter("p", enum=("a", "b")), "c", "one of a, b"),
        (Parameter("p"), ["x"], "text"),
        (Parameter("p", "array", items="integer"), ["x"], "a list of a whole number"),
        (Parameter("p", "object"), "x", "an object"),
        (Parameter("p", "integer|boolean"), "x", "a whole number or True or False"),
        (Parameter("p"), None, "a value: text"),
        (Parameter("p"), "  ", "a value: text"),
    ],
)
def test_wrong_values_are_refused_with_what_would_be_right(parameter: Parameter, value: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        check(tool(parameter), Call("t", {"p": value}))
    assert (caught.value.tool, caught.value.parameter, caught.value.value) == ("t", "p", value) or value != value


def test_unknown_parameters_are_refused_with_the_nearest() -> None:
    both = tool(Parameter("receiver"), Parameter("content"))
    with pytest.raises(ArgumentError, match="expected the parameter receiver"):
        check(both, Call("t", {"reciever": "x"}))
    with pytest.raises(ArgumentError, match="only the parameters receiver, content"):
        check(both, Call("t", {"zzz": "x"}))
    with pytest.raises(ArgumentError, match="no parameters"):
        check(tool(), Call("t", {"zzz": "x"}))


def test_arguments_come_in_the_order_declared_and_blank_optional_ones_are_dropped() -> None:
    three = tool(Parameter("a"), Parameter("b", required=False), Parameter("c", "integer"))
    made = check(three, Call("t", {"c": "1", "b": " ", "a": "x"}))
    assert list(made.arguments.items()) == [("a", "x"), ("c", 1)]


@given(st.text() | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(st.integers(), max_size=2))
@settings(deadline=None)
def test_checking_twice_changes_nothing(value: Any) -> None:
    for kind in ("string", "integer", "number", "boolean", "array", "number|string"):
        one = tool(Parameter("p", kind))
        try:
            made = check(one, Call("t", {"p": value}))
        except ArgumentError:
            continue
        assert check(one, made) == made

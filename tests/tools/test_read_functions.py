"""Nested types, results and examples of functions."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NewType, NotRequired, Required, TypedDict

import pytest

from camphor.errors import ArgumentError, DefinitionError
from camphor.tools.invoke import check
from camphor.tools.readers import from_function, from_schema
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent, Call

Minutes = NewType("Minutes", int)


class Seat(enum.Enum):
    AISLE = "aisle"
    WINDOW = "window"


@dataclass
class Leg:
    """One part of a trip.

    Attributes:
        city: where it goes,
            as people say it
    """

    city: str
    start: datetime
    days: int = 1
    tags: list[str] = field(default_factory=list)
    note: str | None = None
    key: str = field(default="", init=False)


class Guest(TypedDict, total=False):
    name: Required[str]
    age: NotRequired[int]
    seat: Seat


def plan(
    title: str,
    legs: list[Leg],
    guest: Guest | None = None,
    days: list[Literal["mon", "tue"]] | None = None,
    first: Leg = Leg("Rome", datetime(2026, 1, 2)),  # noqa: B008 - a default that is an object
    whens: list[datetime] = [],  # noqa: B006
    pause: Minutes = Minutes(5),
) -> list[str] | None:
    """Plan a trip.

    Args:
        legs (list[Leg]): the parts: in order

    Returns:
        list[str] | None: the ids of what was booked,
        none where nothing was

    Raises:
        ValueError: never

    Examples:
        plan("Italy", [])

            # more
    Example:
        plan("Spain", [])
    """
    return [title, *(leg.city for leg in legs), *(days or []), *map(str, [guest, first, whens, pause])]


def read(function: Callable[..., Any]) -> Tool:
    return from_function(function, kind=Kind.ACTION, agent=Agent.TASK)


LEG = (
    Parameter("city", description="where it goes, as people say it"),
    Parameter("start", role=Role.TIME),
    Parameter("days", "integer", required=False, default=1),
    Parameter("tags", "array", required=False, items="string"),
    Parameter("note", required=False),
)


def test_nested_classes_become_fields() -> None:
    tool = read(plan)
    assert tool.parameters[1:] == (
        Parameter("legs", "array", "the parts: in order", items="object", fields=LEG),
        Parameter(
            "guest",
            "object",
            required=False,
            fields=(
                Parameter("name"),
                Parameter("age", "integer", required=False),
                Parameter("seat", required=False, enum=("aisle", "window")),
            ),
        ),
        Parameter("days", "array", required=False, items="string", choices=("mon", "tue")),
        Parameter(
            "first",
            "object",
            "One part of a trip.",
            required=False,
            default={"city": "Rome", "start": "2026-01-02T00:00:00", "days": 1, "tags": [], "note": None},
            fields=LEG,
        ),
        Parameter("whens", "array", required=False, role=Role.TIME, default=[], items="string"),
        Parameter("pause", "integer", required=False, default=5),
    )


def test_result_and_examples_are_read() -> None:
    tool = read(plan)
    meaning = "the ids of what was booked, none where nothing was"
    assert tool.result == Parameter("result", "array|null", meaning, items="string")
    assert tool.examples == ('plan("Italy", [])\n\n# more', 'plan("Spain", [])')


def test_the_short_definition_stays_short_and_the_full_one_shows_the_fields() -> None:
    tool = read(plan)
    assert tool.definition() == (
        "plan(title, legs: list, guest?: dict, days?: list, first?: dict, whens?: list, pause?: int): Plan a trip."
    )
    full = tool.full_definition()
    assert "legs: array of objects {city: string, start: string, days?: integer" in full
    assert 'days?: array of "mon"|"tue"' in full
    assert "legs.city: where it goes, as people say it." in full


def test_a_schema_nests_the_fields_and_is_read_back_equal() -> None:
    tool = read(plan)
    schema = tool.to_schema()
    leg = schema["parameters"]["properties"]["legs"]["items"]
    assert leg["required"] == ["city", "start"]
    assert leg["properties"]["days"] == {"type": "integer", "default": 1}
    assert from_schema(schema).parameters == tool.parameters


def test_objects_are_checked_by_their_fields() -> None:
    leg = {"days": "3", "city": "Rome", "start": "2026-01-01"}
    call = Call("plan", {"title": "a", "legs": [leg], "guest": {"name": "Ann", "seat": "AISLE"}, "days": "MON"})
    assert check(read(plan), call).arguments == {
        "title": "a",
        "legs": [{"city": "Rome", "start": "2026-01-01", "days": 3}],
        "guest": {"name": "Ann", "seat": "aisle"},
        "days": ["mon"],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"legs": [{"cty": "Rome"}]}, r"plan\(legs\[0\].cty='Rome'\): expected the field city"),
        ({"legs": [{"city": "Rome"}]}, r"plan\(legs\[0\].start=None\): expected a value: text"),
        ({"legs": ["Rome"]}, r"expected a list of objects with city, start, days\?, tags\?, note\?"),
        ({"legs": [], "days": ["mon", "wed"]}, r"days\[1\]=.wed.\): expected a list of text, each one of mon, tue"),
        ({"legs": [], "guest": {"name": "A", "age": "x"}}, r"plan\(guest.age='x'\): expected a whole number"),
    ],
)
def test_errors_name_the_field(arguments: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        check(read(plan), Call("plan", {"title": "a", **arguments}))


class Empty(enum.Enum):
    pass


@dataclass
class Tree:
    children: list[Tree]


def recursive(tree: Tree, legs: dict[str, Leg], who: Leg | Guest, walls: list[list[Leg]]) -> None:
    """Do."""


def test_what_is_nested_is_read_as_far_as_it_can_be_shown() -> None:
    tree, legs, who, walls = read(recursive).parameters
    assert (tree.fields[0].name, tree.fields[0].items) == ("children", "object")
    assert tree.fields[0].fields[0].name == "children"
    assert (legs.type, legs.fields) == ("object", ())  # any keys
    assert (who.type, who.fields) == ("object", ())  # those of one or the other
    assert (walls.type, walls.items) == ("array", "array")


def none_of(choice: Empty) -> None:
    """Do."""


def twice(wall: str) -> None:
    """Do.

    Args:
        wall: one
        wall: two
    """


def untyped(hours) -> None:  # type: ignore[no-untyped-def]
    """Do.

    Args:
        hours (int, optional): how many
    """


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (none_of, "Empty, which has no values"),
        (twice, "the docstring describes wall twice"),
        (untyped, "parameter hours has no type: write  hours: int"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_class_and_the_line(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        read(function)
    assert message in str(caught.value)
    assert f"test_read_functions.py, line {function.__code__.co_firstlineno}: {function.__name__}" in str(caught.value)


def told():  # type: ignore[no-untyped-def]
    """Do.

    Returns:
        list[int]: how many
    """


def told_in_words():  # type: ignore[no-untyped-def]
    """Do.

    Returns:
        The walls: all of them.
    """


def opaque() -> Callable[[], None]:
    """Do."""


def nothing() -> None:
    """Do.

    Returns:
        None
    """


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (told, Parameter("result", "array", "how many", items="integer")),
        (told_in_words, Parameter("result", "", "The walls: all of them.")),
        (opaque, Parameter("result", "")),
        (nothing, None),
    ],
)
def test_what_is_known_of_the_result(function: Callable[..., Any], result: Parameter | None) -> None:
    assert read(function).result == result

from __future__ import annotations

import enum
from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import Annotated, Any, Literal, Optional

import pytest

from camphor.errors import DefinitionError
from camphor.tools.readers import from_function, from_manifest, from_schema
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


def paint(
    wall: str,
    coats: int,
    litres: float,
    dry: bool,
    colour: Colour,
    helpers: list[str],
    finish: Literal["matt", "gloss"] = "matt",
    notes: Optional[str] = None,  # noqa: UP045 - read as well as the newer spelling
    size: int | Literal["all"] = 1,
    starts: datetime | None = None,
    due: date = date(2026, 1, 2),
    options: dict[str, Any] | None = None,
    who: Annotated[str, Role.PERSON] = "me",
    keyword: str = "",
) -> None:
    """Paint a wall,
    with care.

    It takes long.

    Args:
        wall: which wall, as in
            "north: outside"
        coats (int): how many.
        colour (Colour, optional): of the
          paint

    Returns:
        wall: nothing
    """


def read(function: Callable[..., Any]) -> Tool:
    return from_function(function, kind=Kind.ACTION, agent=Agent.TASK, app="walls", by_name=True)


def test_a_function_is_read_with_its_docstring() -> None:
    tool = read(paint)
    assert (tool.name, tool.description) == ("paint", "Paint a wall, with care. It takes long.")
    assert tool.function is paint
    assert tool.app == "walls"
    assert tool.parameters == (
        Parameter("wall", description='which wall, as in "north: outside"'),
        Parameter("coats", "integer", "how many."),
        Parameter("litres", "number"),
        Parameter("dry", "boolean"),
        Parameter("colour", "string", "of the paint", enum=("red", "blue")),
        Parameter("helpers", "array", items="string"),
        Parameter("finish", required=False, enum=("matt", "gloss"), default="matt"),
        Parameter("notes", required=False),
        Parameter("size", "integer|string", required=False, default=1),
        Parameter("starts", required=False, role=Role.TIME),
        Parameter("due", required=False, role=Role.DATE, default="2026-01-02"),
        Parameter("options", "object", required=False),
        Parameter("who", required=False, role=Role.PERSON, default="me"),
        Parameter("keyword", required=False, role=Role.KEYWORD, default=""),
    )


class Walls:
    def wash(self, wall: str) -> None:
        """Wash a wall."""


def test_a_bound_method_is_read_without_its_self() -> None:
    assert [parameter.name for parameter in read(Walls().wash).parameters] == ["wall"]


def untyped(wall) -> None:  # type: ignore[no-untyped-def]
    """Do."""


def starred(*walls: str) -> None:
    """Do."""


def unnamed(wall: str, /) -> None:
    """Do."""


def strange(wall: Callable[[], None]) -> None:
    """Do."""


def mute(wall: str) -> None: ...


def mistaken(wall: str) -> None:
    """Do.

    Args:
        wal: which.
    """


def dangling(wall: NoSuchType) -> None:  # type: ignore[name-defined] # noqa: F821
    """Do."""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (untyped, "parameter wall has no type: write  wall: str"),
        (starred, "walls takes any number of values"),
        (unnamed, "remove the /"),
        (strange, "cannot be read: use str, int"),
        (mute, "has no docstring"),
        (mistaken, "describes wal, which is no parameter"),
        (dangling, "NoSuchType"),
    ],
)
def test_what_cannot_be_read_is_refused_with_file_and_line(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        read(function)
    assert message in str(caught.value)
    assert f"test_readers.py, line {function.__code__.co_firstlineno}: {function.__name__}" in str(caught.value)


def test_what_is_no_function_is_refused() -> None:
    for thing in (partial(paint, "north"), Walls, 3):
        with pytest.raises(DefinitionError):
            read(thing)  # type: ignore[arg-type]


def schema(properties: dict[str, Any], required: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {"name": "t", "parameters": {"type": "object", "properties": properties, "required": required or []}, **more}


def test_a_schema_is_read() -> None:
    tool = from_schema(
        {
            "name": "t",
            "description": "Do it.",
            "parameters": {
                "type": "object",
                "$defs": {"size": {"type": "string", "enum": ["s", "m"]}},
                "properties": {
                    "n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 61, "description": "how many"},
                    "s": {"type": "string", "enum": ["a", "b", None]},
                    "u": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                    "l": {"type": "array", "items": {"type": "number"}},
                    "r": {"$ref": "#/$defs/size"},
                    "c": {"const": 3},
                    "any": {},
                    "f": {"type": "float", "default": 2.5},
                },
                "required": ["n", "u"],
            },
        }
    )
    assert tool.parameters == (
        Parameter("n", "integer", "how many", minimum=1, maximum=60),
        Parameter("s", required=False, enum=("a", "b")),
        Parameter("u", "integer", required=False),
        Parameter("l", "array", required=False, items="number"),
        Parameter("r", required=False, enum=("s", "m")),
        Parameter("c", "integer", required=False, enum=(3,)),
        Parameter("any", "", required=False),
        Parameter("f", "number", required=False, default=2.5),
    )


def test_a_schema_in_a_servers_wrapping_is_read() -> None:
    wrapped = {"type": "function", "function": schema({"a": {"type": "string"}}, ["a"])}
    assert from_schema(wrapped, kind=Kind.CONTEXT) == from_schema(wrapped["function"], kind=Kind.CONTEXT)  # type: ignore[arg-type]
    assert from_schema(wrapped, kind=Kind.CONTEXT).agent is Agent.CONTEXT
    assert from_schema(wrapped, agent=Agent.KNOWLEDGE).agent is Agent.KNOWLEDGE


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({}, "expected an object with the tool's name"),
        ({"name": 3}, "tool's name"),
        ({"name": "a b"}, "tool name 'a b'"),
        ({"name": "t", "parameters": []}, None),
        ({"name": "t", "parameters": "x"}, "expected parameters as a JSON Schema object"),
        ({"name": "t", "parameters": {"properties": [1]}}, "expected parameters as a JSON Schema object"),
        (schema({"a": 1}), "tool t, parameter a: expected a JSON Schema object"),
        (schema({"a": {"type": "strin"}}), "parameter a: type 'strin' is unknown"),
        (schema({"a": {"type": 5}}), "expected type as a name"),
        (schema({"a b": {}}), "parameter name 'a b'"),
        (schema({"a": {"enum": "xy"}}), "expected enum as a list"),
        (schema({"a": {"enum": [[1]]}}), "expected enum as a list of texts"),
        (schema({"a": {"minimum": "1"}}), "expected minimum as a number"),
        (schema({"a": {"x-role": "boss"}}), "x-role 'boss' is unknown: use one of text, keyword"),
        (schema({"a": {"$ref": "#/$defs/none"}}), "leads nowhere"),
        (schema({"a": {"anyOf": [{"$ref": "#/properties/a"}]}}), "in a circle"),
        (schema({}, ["b"]), "required parameter b is not among its properties"),
        ({"name": "t", "parameters": {"required": "abc"}}, "required as a list"),
    ],
)
def test_broken_schemas_are_refused_with_tool_and_parameter(broken: dict[str, Any], message: str | None) -> None:
    if message is None:
        assert from_schema(broken).parameters == ()
        return
    with pytest.raises(DefinitionError) as caught:
        from_schema(broken, app="shop")
    assert message in str(caught.value)
    assert "shop" in str(caught.value)


MANIFEST: dict[str, Any] = {
    "description": "jobs",
    "tools": [
        {
            "name": "get_jobs",
            "kind": "context",
            "returns": "jobs",
            "description": "Look up jobs.",
            "parameters": {"properties": {"keyword": {"type": "string"}, "client": {"type": "string"}}},
        },
        {
            "name": "close_job",
            "kind": "action",
            "parameters": {
                "type": "object",
                "properties": {
                    "job_id": {"type": "string"},
                    "client": {"type": "string"},
                    "reason": {"type": "string"},
                    "status": {"type": "string", "enum": ["done", "void"]},
                    "ready_by": {"type": "string", "description": "local date and time, ISO 8601"},
                    "day": {"type": "string", "description": "YYYY-MM-DD"},
                    "phone_number": {"type": "string"},
                    "to": {"type": "string", "x-role": "email"},
                    "minutes": {"type": "integer"},
                },
                "required": ["job_id"],
            },
        },
        {"name": "add_job", "kind": "action", "parameters": {"properties": {"title": {"type": "string"}}}},
        {"name": "open_job", "kind": "action", "parameters": {"properties": {"title": {"type": "string"}}}},
    ],
    "records": {"jobs": [{"job_id": "J-1", "title": "Pump", "client": "Ana", "reason": "leak", "status": "done"}]},
}


def test_a_manifest_is_read_with_the_meaning_of_its_parameters() -> None:
    look, close, add, open_job = from_manifest("jobs", MANIFEST)
    assert (look.kind, look.agent, look.returns, look.app) == (Kind.CONTEXT, Agent.CONTEXT, "jobs", "jobs")
    assert (close.kind, close.agent) == (Kind.ACTION, Agent.TASK)
    assert {each.name: each.role for each in look.parameters} == {"keyword": Role.KEYWORD, "client": Role.TEXT}
    assert {each.name: each.role for each in close.parameters} == {
        "job_id": Role.REFERENCE,
        "client": Role.REFERENCE,
        "reason": Role.TEXT,
        "status": Role.TEXT,
        "ready_by": Role.TIME,
        "day": Role.DATE,
        "phone_number": Role.PHONE,
        "to": Role.EMAIL,
        "minutes": Role.TEXT,
    }
    assert [each.name for each in close.parameters if each.required] == ["job_id"]
    # the title of what is made is composed, the title of what is opened refers to a record
    assert (add.parameters[0].role, open_job.parameters[0].role) == (Role.TEXT, Role.REFERENCE)


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ("x", "app jobs: expected tools as a list"),
        ([3], "app jobs, tool 0: expected an object"),
        ([{"name": "t"}], "app jobs, tool t: expected kind context or action"),
        ([{"name": "t", "kind": "both"}], "expected kind context or action"),
        ([{"kind": "action"}], "app jobs: expected an object with the tool's name"),
        ([{"name": "t", "kind": "action"}] * 2, "app jobs: tool t is defined twice"),
    ],
)
def test_broken_manifests_are_refused(tools: Any, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        from_manifest("jobs", {"tools": tools})

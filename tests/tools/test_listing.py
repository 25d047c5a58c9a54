"""Tools to DroidCall's Listing 1 and JSON Schema, and back from files."""

from __future__ import annotations

import json
import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from camphor.errors import DefinitionError
from camphor.tools.listing import from_listing, read_tools, to_listing, to_schema, write_lines
from camphor.tools.readers import from_schema
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent

_NAMES = st.text(string.ascii_letters, min_size=1, max_size=8)
_SCALARS = ("string", "integer", "number", "boolean")
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=6),
    "integer": st.integers(-9, 9),
    "number": st.floats(-9, 9).filter(lambda value: not value.is_integer()),
    "boolean": st.booleans(),
}


unhurried = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def parameters(draw: st.DrawFn, depth: int = 0) -> Parameter:
    name, description, required = draw(_NAMES), draw(st.text(max_size=20)), draw(st.booleans())
    shape = draw(st.sampled_from(["plain", "enum", "list", "choices", "object", "objects"][: 6 if depth < 2 else 4]))
    kind = draw(st.sampled_from(_SCALARS))
    values = draw(st.lists(_VALUES[kind], min_size=1, max_size=3, unique=True))
    default = None if required else draw(st.none() | _VALUES[kind])
    if shape == "enum":
        return Parameter(name, kind, description, required, enum=tuple(values), default=default)
    if shape == "list":
        return Parameter(name, "array", description, required, items=draw(st.sampled_from(["", kind])))
    if shape == "choices":
        return Parameter(name, "array", description, required, items=kind, choices=tuple(values))
    if shape in ("object", "objects"):
        inside = st.lists(parameters(depth + 1), min_size=1, max_size=2, unique_by=lambda each: each.name)
        fields = tuple(draw(inside))
    if shape == "object":
        return Parameter(name, "object", description, required, fields=fields)
    if shape == "objects":
        return Parameter(name, "array", description, required, items="object", fields=fields)
    role = draw(st.sampled_from(Role)) if kind == "string" else Role.TEXT
    low = draw(st.none() | st.integers(0, 5)) if kind in ("integer", "number") else None
    types = "integer|string" if kind == "integer" and draw(st.booleans()) else kind
    return Parameter(name, types, description, required, role, (), default, low)


@st.composite
def tools(draw: st.DrawFn) -> Tool:
    given_ = draw(st.lists(parameters(), max_size=4, unique_by=lambda each: each.name))
    kind = draw(st.sampled_from(Kind))
    agent = Agent.TASK if kind is Kind.ACTION else Agent.CONTEXT
    result = draw(
        st.sampled_from([None, Parameter("result", "array|null", "the ids", items="string"), Parameter("result", "")])
    )
    examples = tuple(draw(st.lists(st.text(min_size=1, max_size=9), max_size=2)))
    return Tool(draw(_NAMES), draw(st.text(max_size=20)), tuple(given_), kind, agent, result=result, examples=examples)


@given(tools())
@unhurried
def test_a_tool_survives_listing_1(tool: Tool) -> None:
    assert from_listing(json.loads(json.dumps(to_listing(tool)))) == tool


@given(st.lists(tools(), min_size=1, max_size=3, unique_by=lambda each: each.name), st.data())
@unhurried
def test_a_file_of_tools_is_read_whichever_form_its_lines_have(
    tmp_path_factory: pytest.TempPathFactory, some: list[Tool], data: st.DataObject
) -> None:
    objects = [data.draw(st.sampled_from([to_listing, to_schema]))(tool) for tool in some]
    path = tmp_path_factory.mktemp("tools") / "tools.jsonl"
    whole = data.draw(st.booleans())
    path.write_text(json.dumps(objects, indent=1) if whole else write_lines(objects), encoding="utf-8")
    # a role that a schema does not name is inferred anew
    assert [untold(tool) for tool in read_tools(path)] == [untold(tool) for tool in some]


def untold(tool: Tool) -> Tool:
    return replace(tool, parameters=tuple(map(_without_role, tool.parameters)))


def _without_role(parameter: Parameter) -> Parameter:
    return replace(parameter, role=Role.TEXT, fields=tuple(map(_without_role, parameter.fields)))


def test_listing_1_has_the_papers_keys_and_no_others() -> None:
    tool = Tool(
        "set_alarm",
        "Set an alarm.",
        (Parameter("hour", "integer", "the hour"), Parameter("days", "array", "when", False, items="string")),
        Kind.ACTION,
        Agent.TASK,
        result=Parameter("result", "string|null", "its id"),
        examples=("set_alarm(7)",),
    )
    assert to_listing(tool) == {
        "name": "set_alarm",
        "description": "Set an alarm.",
        "arguments": {
            "hour": {"description": "the hour", "type": "int", "required": True},
            "days": {"description": "when", "type": "list[str]", "required": False, "default": None},
        },
        "returns": {"type": "str | None", "description": "its id"},
        "example": ["set_alarm(7)"],
    }


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("List[str]", Parameter("a", "array", items="string")),
        ("Optional[Dict[str, Any]]", Parameter("a", "object", required=False)),
        ("typing.Union[int, str]", Parameter("a", "integer|string")),
        ("Literal['x', 2] | None", Parameter("a", "string|integer", required=False, enum=("x", 2))),
        ("list[Literal['x', 'y']]", Parameter("a", "array", items="string", choices=("x", "y"))),
        ("string", Parameter("a")),
        ("", Parameter("a", "")),
    ],
)
def test_types_are_read_in_the_words_that_people_write(written: str, expected: Parameter) -> None:
    assert from_listing({"name": "t", "arguments": {"a": {"type": written}}}).parameters == (expected,)


@pytest.mark.parametrize("required", [True, "true", "True"])
def test_required_may_be_text_as_in_the_paper(required: object) -> None:
    listing = {"name": "t", "arguments": {"a": {"type": "str", "required": required, "default": "<default_value>"}}}
    assert from_listing(listing).parameters[0].required


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no tool"),
        ("[]", "holds no tool"),
        ('{"name": "a"}\n{"name": "b', "line 2: is not JSON"),
        ('[{"name": "a"}\n{"name": "b"}]', "line 2: is not JSON: expected , or ]"),
        ('[{"name": "a"}]\n\nx', "line 3: is not JSON: more after the list"),
        ('{"name": "a"}\n\n{"name": "a"}', "line 3: a is defined in line 1 already"),
        ('[\n {"name": "a"},\n 3]', "line 3: the tool: expected an object with the tool's name"),
        ('{"name": "a", "arguments": {"x": {"type": "lst"}}}', "line 1: tool a: argument x: type 'lst' is unknown"),
        ('{"name": "a", "arguments": {"x": {"type": "os.system(1)"}}}', "type 'os.system(1)' is unknown"),
        (
            '{"name": "a", "arguments": {"x": {"type": "str", "required": "maybe"}}}',
            "expected required as true or false",
        ),
        ('{"name": "a", "arguments": {"x": {"type": "int", "minimum": "1"}}}', "expected minimum as a number"),
        (
            '{"name": "a", "arguments": {"x": {"type": "str", "role": "boss"}}}',
            "argument x: 'boss' is not a valid Role",
        ),
        ('{"name": "a", "arguments": {"x": {"type": "object", "fields": 3}}}', "expected fields as an object"),
        ('{"name": "a", "arguments": [1]}', "expected arguments as an object"),
        ('{"name": "a", "kind": "both", "parameters": {}}', "expected kind context or action"),
        ('{"name": "a b", "arguments": {}}', "tool name 'a b'"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_what_cannot_be_read_is_refused_with_path_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "tools.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DefinitionError) as caught:
        read_tools(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_bytes(b"\xff\xfe")
    for each, message in ((path, "is not UTF-8"), (tmp_path / "none.json", "cannot be read: No such file")):
        with pytest.raises(DefinitionError, match=message):
            read_tools(each)


def test_a_schemas_members_become_fields() -> None:
    schema = {
        "name": "t",
        "parameters": {
            "properties": {
                "who": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
                "free": {"type": "object", "properties": {"a b": {}}},
                "open": {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
                "tree": {"$ref": "#/$defs/tree"},
            },
            "$defs": {
                "person": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
                "tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/tree"}}},
            },
        },
    }
    who, free, open_, tree = from_schema(schema).parameters
    assert who == Parameter("who", "object", required=False, fields=(Parameter("name"),))
    assert free.fields == open_.fields == ()
    depth = 0
    while tree.fields:
        tree, depth = tree.fields[0], depth + 1
    assert depth == 4

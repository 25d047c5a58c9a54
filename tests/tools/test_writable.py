"""Every answer that a JSON Schema allows can be written under the grammars of plans, and is read back as it was."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from camphor.models.constraint import accepts
from camphor.tools.call_formats import read_code, read_json, write_code, write_json
from camphor.tools.plan_grammar import LONGEST_TEXT, plan_grammar
from camphor.tools.plans import check
from camphor.tools.readers import from_schema
from camphor.tools.tool import Tool, Toolbox
from camphor.types import Call
from tests.doubles.plans import UNHURRIED

Drawn = tuple[dict[str, Any], Any]
NAMES = st.from_regex(r"[a-z][a-zA-Z0-9_]{0,8}", fullmatch=True)
# A text of nothing but spaces stands for one that was left out, and "#0" is a result; both are told of in their places.
TEXTS = st.text(max_size=30).filter(lambda text: text.strip() and not text.startswith("#"))
WHOLE = st.integers(-(10**15), 10**15)
DECIMAL = st.floats(-1e9, 1e9, allow_nan=False).map(lambda number: round(number, 6) + 0.0) | WHOLE
ANYTHING = st.recursive(
    st.none() | st.booleans() | WHOLE | DECIMAL | TEXTS,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(TEXTS, inside, max_size=3),
    max_leaves=6,
)


@st.composite
def scalars(draw: st.DrawFn) -> Drawn:
    kind = draw(st.sampled_from(("string", "integer", "number", "boolean", "enum", "bounds", "const")))
    if kind == "enum":
        values = draw(st.lists(TEXTS | st.integers(-99, 99) | st.booleans(), min_size=1, max_size=4, unique_by=repr))
        return {"enum": values}, draw(st.sampled_from(values))
    if kind == "const":
        value = draw(TEXTS | st.integers(-99, 99))
        return {"const": value}, value
    if kind == "bounds":
        low, high = sorted(draw(st.tuples(st.integers(-5000, 5000), st.integers(-5000, 5000))))
        name = draw(st.sampled_from(("integer", "number")))
        return {"type": name, "minimum": low, "maximum": high}, draw(st.integers(low, high))
    value = draw({"string": TEXTS, "integer": WHOLE, "number": DECIMAL, "boolean": st.booleans()}[kind])
    return {"type": kind}, value


@st.composite
def objects(draw: st.DrawFn, inside: st.SearchStrategy[Drawn]) -> Drawn:
    fields = draw(st.dictionaries(NAMES, inside, min_size=1, max_size=4))
    required = [name for name in fields if draw(st.booleans())]
    kept = {name: value for name, (_, value) in fields.items() if name in required or draw(st.booleans())}
    schema = {"type": "object", "properties": {name: each for name, (each, _) in fields.items()}, "required": required}
    return schema, kept


@st.composite
def arrays(draw: st.DrawFn, inside: st.SearchStrategy[Drawn]) -> Drawn:
    schema, value = draw(inside)
    return {"type": "array", "items": schema}, [value] * draw(st.integers(0, 3))


@st.composite
def nullable(draw: st.DrawFn, inside: st.SearchStrategy[Drawn]) -> Drawn:
    schema, value = draw(inside)
    return {"anyOf": [schema, {"type": "null"}]}, value


FREE = ANYTHING.filter(lambda value: value is not None and value != []).map(lambda value: ({}, value))
OBJECT = st.dictionaries(TEXTS, ANYTHING, max_size=3).map(lambda value: ({"type": "object"}, value))
LIST = st.lists(ANYTHING, max_size=3).map(lambda value: ({"type": "array"}, value))
SCHEMAS = st.recursive(
    scalars() | FREE | OBJECT | LIST, lambda inside: objects(inside) | arrays(inside) | nullable(inside), max_leaves=6
)


@st.composite
def functions(draw: st.DrawFn) -> tuple[Tool, Call]:
    schema, arguments = draw(objects(SCHEMAS))
    jsonschema.validate(arguments, schema)
    return from_schema({"name": "do_it", "description": "", "parameters": schema}), Call("do_it", arguments)


@UNHURRIED
@given(functions())
def test_every_answer_that_a_schema_allows_can_be_written_and_read(drawn: tuple[Tool, Call]) -> None:
    tool, call = drawn
    code, in_json = write_code((call,), [tool]), write_json((call,), [tool])
    assert accepts(plan_grammar([tool]), code), (json.dumps(tool.to_schema()), code)
    assert accepts(plan_grammar([tool], code=False), in_json), (json.dumps(tool.to_schema()), in_json)
    assert read_code(code, [tool]) == read_json(in_json) == (call,)
    assert len(check((call,), Toolbox([tool]))) == 1


def test_a_text_may_be_as_long_as_told() -> None:
    tool = from_schema({"name": "note", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}})
    for length, fits in ((LONGEST_TEXT, True), (LONGEST_TEXT + 1, False)):
        assert accepts(plan_grammar([tool]), write_code((Call("note", {"text": "x" * length}),))) is fits

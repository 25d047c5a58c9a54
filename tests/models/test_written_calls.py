"""Calls that stand in a text are read back, in whichever family's form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from camphor.models.call_families import CallFamily, families, family_named
from camphor.models.chat import ChatCall
from camphor.models.written_calls import has_mark, read_calls

SCHEMAS: dict[str, dict[str, Any]] = {
    "send": {"type": "object", "properties": {"to": {"type": "string"}, "times": {"type": "integer"}}},
    "look": {"type": "object", "properties": {}},
}
TO = {"to": 'Ana "O\'X", 5 < 6', "times": 2}
CALLS = [ChatCall("", "send", json.dumps(TO)), ChatCall("", "look", "{}")]


def read(text: str) -> tuple[list[tuple[str, Any]], str]:
    found, rest = read_calls(text, SCHEMAS)
    return [(name, json.loads(arguments)) for name, arguments in found], rest


@pytest.mark.parametrize("family", families(), ids=lambda each: each.name)
def test_what_a_family_writes_is_read(family: CallFamily) -> None:
    before = "" if family.first else "I'll look.\n"
    found, rest = read(before + family.write(CALLS))
    assert found == [("send", TO), ("look", {})]
    assert rest == before.strip()


@pytest.mark.parametrize("family", families(), ids=lambda each: each.name)
def test_a_call_of_a_tool_that_there_is_not_stays_text_and_is_known_for_one(family: CallFamily) -> None:
    text = family.write([ChatCall("", "pay", '{"to": "Ana"}')])
    assert read(text) == ([], text)
    assert has_mark(text)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name":"send","parameters":{"to":"</tool_call>"}}</tool_call>',
        '<tool_call> [{"name": "send", "arguments": {"to": "</tool_call>"}}]',
        "<tool_call><function=send><parameter=to></tool_call></parameter></function></tool_call>",
        '[TOOL_CALLS] [{"name": "send", "arguments": {"to": "</tool_call>"}, "id": "abcdefghi"}]',
        '[TOOL_CALLS]send[ARGS]{"to": "</tool_call>"}',
        '<|python_tag|>{"name": "send", "parameters": {"to": "</tool_call>"}}',
        '{"name": "send", "parameters": "{\\"to\\": \\"</tool_call>\\"}"}',
        '<|tool_call|>```json\n[{"name": "send", "arguments": {"to": "</tool_call>"}}]\n```',
        '<start_function_call>call:send{to:<escape></tool_call><escape>}',
    ],
)  # fmt: skip
def test_other_ways_to_write_the_same(text: str) -> None:
    found, rest = read_calls(text, SCHEMAS)
    arguments = json.loads(found[0][1])
    assert (found[0][0], arguments, rest) == ("send", {"to": "</tool_call>"}, "")


def test_a_value_without_quotation_marks_is_what_its_schema_says() -> None:
    call = "<tool_call>\n<function=send>\n<parameter={}>\n{}\n</parameter>\n</function>\n</tool_call>"
    assert read(call.format("to", "0123"))[0] == [("send", {"to": "0123"})]
    assert read(call.format("times", "12"))[0] == [("send", {"times": 12})]
    assert read(call.format("times", "twice"))[0] == [("send", {"times": "twice"})]
    assert read(call.format("to", "a\n b"))[0] == [("send", {"to": "a\n b"})]


def test_nested_values_between_marks_are_read_and_endless_ones_are_not() -> None:
    begin = "<start_function_call>call:send{to:"
    text = begin + "{a:[1,<escape>x,y<escape>,true],b:{}}}<end_function_call>"
    assert read(text)[0] == [("send", {"to": {"a": [1, "x,y", True], "b": {}}})]
    assert read(begin + "{a:" * 3000)[0] == []
    assert read("<tool_call>" + "[" * 100_000)[0] == []


def test_text_beside_and_between_calls_stays() -> None:
    call = family_named("hermes").write([CALLS[1]])
    assert read(f"One. {call} Two <tool_call> {call} three") == (
        [("look", {}), ("look", {})],
        "One.   Two <tool_call>   three",
    )

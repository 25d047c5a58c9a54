"""What a model may write as a message: words, or calls of tools that there are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from camphor.models.call_families import CallFamily, families, family_named
from camphor.models.chat import ChatCall, ChatRequest, ChatTool, Message
from camphor.models.chat_grammar import chat_grammar
from camphor.models.constraint import accepts

SEND = ChatTool(
    "send",
    "Send.",
    {
        "type": "object",
        "properties": {
            "to": {"type": "string"},
            "times": {"type": "integer"},
            "how": {"type": "string", "enum": ["soon", "now"]},
            "loud": {"type": "boolean"},
        },
        "required": ["to"],
    },
)
LOOK = ChatTool("look", "Look.", {"type": "object", "properties": {}})
KNOWN = [each for each in families() if each.known_by]
THINK = "<think>shall I <tool_call> or [TOOL_CALLS]?</think>\n\n"


def allows(family: CallFamily, text: str, **how: Any) -> bool:
    opened, thinks = how.pop("opened", None), how.pop("thinks", True)
    request = ChatRequest((Message("user", "?"),), how.pop("tools", (SEND, LOOK)), **how)
    return accepts(chat_grammar(request, family, {}, opened, thinks=thinks), text)


def call(family: CallFamily, name: str = "send", /, **arguments: Any) -> str:
    return family.write([ChatCall("", name, json.dumps(arguments))])


@pytest.mark.parametrize("family", KNOWN, ids=lambda each: each.name)
def test_calls_are_those_of_the_tools(family: CallFamily) -> None:
    both = [ChatCall("", "send", '{"to": "Ana", "times": 2, "how": "now", "loud": true}'), ChatCall("", "look", "{}")]
    for text in ("Hello, 1 < 2.\nBye", "", call(family, to="Ana"), family.write(both), THINK + call(family, to="A")):
        assert allows(family, text), text
    assert allows(family, "Wait.\n" + call(family, to="Ana")) or family.first
    for wrong in (
        call(family, "sent", to="Ana"),
        call(family, times=2),
        call(family, to="Ana", times="two"),
        call(family, to="Ana", how="never"),
        call(family, to="Ana", other=1),
        call(family, to="Ana") + " And more.",
        call(family, to="Ana")[:-1],
    ):
        assert not allows(family, wrong), wrong
        assert not allows(family, THINK + wrong)


@pytest.mark.parametrize("family", KNOWN, ids=lambda each: each.name)
def test_whether_a_call_must_be_made(family: CallFamily) -> None:
    words, send, look = "Hello.", call(family, to="Ana"), call(family, "look")
    told = {
        choice: [allows(family, text, choice=choice) for text in (words, send, look, THINK + look)]
        for choice in ("none", "required", "look")
    }
    assert told["none"] == [True, False, False, False]
    assert told["required"] == [False, True, True, True]
    assert told["look"] == [False, False, True, True]


def test_a_schema_holds_the_text_and_tools_may_still_be_called() -> None:
    hermes = family_named("hermes")
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert allows(hermes, '{"n": 5}', schema=schema, tools=())
    assert allows(hermes, THINK + '{"n": 5}', schema=schema, tools=())
    assert allows(hermes, call(hermes, to="Ana"), schema=schema)
    for wrong in ("five", '{"n": "5"}', call(hermes, to="Ana")):
        assert not allows(hermes, wrong, schema=schema, tools=())


def test_thoughts_that_the_prompt_opened_end_before_the_message() -> None:
    hermes = family_named("hermes")
    opened = ("<think>", "</think>")
    assert allows(hermes, "hm <tool_call> hm</think>\n" + call(hermes, to="Ana"), opened=opened)
    assert not allows(hermes, "hm</think>" + call(hermes, "sent"), opened=opened)


def test_what_is_not_known_to_think_does_so_before_words_only() -> None:
    hermes = family_named("hermes")
    assert allows(hermes, THINK + "Hello.", thinks=False)
    assert not allows(hermes, THINK + call(hermes, to="Ana"), choice="required", thinks=False)
    assert allows(hermes, call(hermes, to="Ana"), choice="required", thinks=False)
    assert not allows(hermes, "", choice="required", thinks=False)


def test_words_of_a_tool_that_mean_something_to_the_grammar_do_not() -> None:
    hermes = family_named("hermes")
    odd = ChatTool("a.b-c", "d", {"type": "object", "properties": {'x"] | /.*/ [': {"type": "string"}}})
    assert allows(hermes, call(hermes, "a.b-c", **{'x"] | /.*/ [': "v"}), tools=(odd,))
    for family in KNOWN:
        assert not allows(family, "x" + call(family, "a.b-c", y=1), tools=(odd,)) or family.first

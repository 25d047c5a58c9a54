"""What chat templates can take is found out, and conversations are written so."""

from __future__ import annotations

import json

import pytest

from camphor.models.chat import ChatCall, ChatRequest, ChatTool, Message
from camphor.models.chat_prompts import ChatPrompts
from camphor.models.model_template import TemplateFailed
from tests.doubles.chat_templates import KINDS

TOOL = ChatTool("look", "Look it up.", {"type": "object", "properties": {"who": {"type": "string"}}})
ARGUMENTS = json.dumps({"who": "Ana", "times": 2})
TALK = (
    Message("system", "Be brief."),
    Message("user", "Who is Ana?"),
    Message("assistant", "", (ChatCall("odd id", "look", ARGUMENTS), ChatCall("x2", "look", "{}"))),
    Message("tool", "a friend", call_id="odd id"),
    Message("tool", "nobody", call_id="x2"),
    Message("assistant", "A friend."),
    Message("user", "Thanks"),
    Message("user", "And Ben?"),
)


def written(kind: str, *messages: Message, tools: tuple[ChatTool, ...] = (TOOL,)) -> str:
    prompts = ChatPrompts(KINDS[kind].source)
    return "".join(each.text for each in prompts.prompt(ChatRequest(messages or TALK, tools)))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_template_is_known_and_takes_a_whole_talk(kind: str) -> None:
    prompts = ChatPrompts(KINDS[kind].source)
    assert (prompts.family.name, prompts.native) == (KINDS[kind].family, KINDS[kind].native)
    text = written(kind)
    for said in ("Be brief.", "Who is Ana?", "a friend", "nobody", "A friend.", "Thanks", "And Ben?", "Look it up."):
        assert text.count(said) == 1
    assert text.index("Who is Ana?") < text.index("a friend") < text.index("nobody") < text.index("And Ben?")


@pytest.mark.parametrize("kind", KINDS)
def test_earlier_calls_stand_there_as_the_model_writes_them(kind: str) -> None:
    calls = (ChatCall("c", "look", ARGUMENTS),)
    text = written(kind, Message("user", "Who?"), Message("assistant", "", calls), Message("tool", "x", call_id="c"))
    form = ChatPrompts(KINDS[kind].source).family
    assert form.write(calls) in text.replace("=true", "=True")


def test_a_template_without_tools_has_them_told_and_results_said() -> None:
    text = written("gemma")
    assert "<start_of_turn>user\nBe brief.\n\nYou may call tools" in text
    assert '{"type": "function", "function": {"name": "look"' in text
    assert "<tool_response>\na friend\n</tool_response>" in text
    assert "Thanks\n\nAnd Ben?" in text  # its roles alternate
    assert "You may call" not in written("gemma", tools=())


def test_several_calls_at_once_stand_apart_where_the_template_asks_for_it() -> None:
    text = written("llama")
    assert text.count('{"name": "look", "parameters"') == 2
    assert text.index("a friend") < text.index('"parameters": {}}') < text.index("nobody")


def test_a_template_that_takes_nothing_is_an_error() -> None:
    for template, reason in (
        ("{{ raise_exception('never') }}", "never"),
        ("fixed", "leaves the message out"),
        ("{{ '<|channel|>' }}{{ messages }}", "run it under a server"),
    ):
        source = KINDS["qwen"].source
        with pytest.raises(TemplateFailed, match=reason):
            ChatPrompts(type(source)(template, template, "", "", source.controls))

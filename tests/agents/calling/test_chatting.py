"""The function caller as a chat model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from camphor.agents.calling.chatting import CallingChat
from camphor.agents.calling.prompts import CallForm
from camphor.agents.calling.shown import FOUND
from camphor.errors import ContextFull, UsageError
from camphor.models.base import Finish, Reply, ScriptedModel, Timing
from camphor.models.chat import ChatCall, ChatReply, ChatRequest, ChatTool, Message
from camphor.tools.call_formats import NO_CALL

NOW = datetime(2026, 3, 12, 8, 45)
TEXT = {"type": "string"}


def tool(name: str, description: str, /, **parameters: Any) -> ChatTool:
    return ChatTool(name, description, {"type": "object", "properties": parameters, "required": list(parameters)})


ALARM = tool("set_alarm", "Set an alarm.", at={**TEXT, "format": "date-time"})
LOOK = tool("get_number", "Find a number.", name=TEXT)
SEND = tool("send", "Send a text.", to=TEXT, text=TEXT)
NESTED = 'result0 = get_number(name="Ana")\nresult1 = send(to=result0, text="late")'


def chat_of(
    calls: Sequence[str | Reply | Exception] = (), texts: Sequence[str | Reply | Exception] = ()
) -> CallingChat:
    caller, plain = ScriptedModel(calls), ScriptedModel(texts)
    made = CallingChat(lambda: (caller, CallForm.COMPACT), lambda: plain, lambda: NOW)
    made.caller, made.plain = caller, plain  # type: ignore[attr-defined]
    return made


def said(chat: CallingChat, request: ChatRequest) -> tuple[list[str], ChatReply]:
    pieces = []
    talking = chat.chat(request)
    while True:
        try:
            pieces.append(next(talking))
        except StopIteration as end:
            return pieces, end.value


def user(text: str) -> Message:
    return Message("user", text)


def calls_of(reply: ChatReply) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in reply.calls]


def test_tools_in_calls_out_with_times_computed() -> None:
    chat = chat_of(['result0 = set_alarm(at="half past six")'])
    request = ChatRequest((Message("system", "Be kind."), user("hi"), user("wake me at half past six")), (ALARM, LOOK))
    pieces, reply = said(chat, request)
    assert pieces == []
    assert calls_of(reply) == [("set_alarm", '{"at": "2026-03-12T18:30:00"}')]
    prompt = "".join(each.text for each in chat.caller.requests[0].prompt)  # type: ignore[attr-defined]
    assert "wake me at half past six" in prompt
    assert "Be kind" not in prompt
    assert "hi<" not in prompt


def test_a_call_that_needs_a_result_waits_for_it() -> None:
    chat = chat_of([NESTED], ["Sent."])
    messages: tuple[Message, ...] = (user("get Ana's number and text her: late"),)
    _, first = said(chat, ChatRequest(messages, (LOOK, SEND)))
    assert calls_of(first) == [("get_number", '{"name": "Ana"}')]
    messages += (Message("assistant", "", first.calls), Message("tool", '"555-0175"', call_id=first.calls[0].id))
    _, second = said(chat, ChatRequest(messages, (LOOK, SEND)))
    assert calls_of(second) == [("send", '{"to": "555-0175", "text": "late"}')]
    messages += (Message("assistant", "", second.calls), Message("tool", "ok", call_id=second.calls[0].id))
    pieces, last = said(chat, ChatRequest(messages, (LOOK, SEND)))
    assert (pieces, last.calls, last.text) == (["Sent."], (), "Sent.")
    prompt = "".join(each.text for each in chat.plain.requests[0].prompt)  # type: ignore[attr-defined]
    assert "The result is: ok" in prompt
    assert "send(" not in prompt


def test_a_result_that_nobody_waits_for_is_talked_about() -> None:
    chat = chat_of([], ["Fine."])
    known = ChatCall("call_x", "get_number", "{}")
    messages = (user("hi"), Message("assistant", "", (known,)), Message("tool", "1", call_id="call_x"))
    assert said(chat, ChatRequest(messages, (LOOK,)))[1].text == "Fine."


@pytest.mark.parametrize("choice", ["required", "set_alarm"])
def test_a_call_that_must_be_is_not_left_out(choice: str) -> None:
    chat = chat_of(['result0 = set_alarm(at="seven")'])
    said(chat, ChatRequest((user("seven"),), (ALARM, LOOK), choice))
    request = chat.caller.requests[0]  # type: ignore[attr-defined]
    prompt = "".join(each.text for each in request.prompt)
    assert ("get_number" in prompt) == (choice == "required")
    assert request.grammar is not None


def test_without_tools_or_where_none_fits_the_base_model_writes() -> None:
    reply = Reply("The capital ", Timing(prompt_tokens=9, sampled_tokens=8), Finish.LENGTH)
    rest = Reply("is Paris.", Timing(prompt_tokens=1, cached_tokens=16, sampled_tokens=3), Finish.END)
    for request in (
        ChatRequest((user("capital?"),)),
        ChatRequest((user("capital?"),), (ALARM,), "none"),
        ChatRequest((user("capital?"),), (ALARM,)),
    ):
        pieces, told = said(chat_of([NO_CALL], [reply, rest]), request)
        assert pieces == ["The capital ", "is Paris."]
        assert (told.text, told.finish, told.timing.prompt_tokens, told.timing.generated_tokens) == (
            "The capital is Paris.",
            Finish.END,
            9,
            11,
        )


def test_no_more_is_written_than_was_asked_for() -> None:
    pieces = [Reply("a ", Timing(sampled_tokens=8), Finish.LENGTH), Reply("b", Timing(sampled_tokens=2), Finish.LENGTH)]
    chat = chat_of([], pieces)
    assert said(chat, ChatRequest((user("go"),), max_tokens=10))[1].finish is Finish.LENGTH
    assert [each.max_tokens for each in chat.plain.requests] == [8, 2]  # type: ignore[attr-defined]


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(UsageError, match="nothing to answer"):
        said(chat_of(), ChatRequest(()))
    with pytest.raises(UsageError, match="no tool 'fly'"):
        said(chat_of(), ChatRequest((user("x"),), (ALARM,), "fly"))
    with pytest.raises(UsageError, match="expected parameters"):
        said(chat_of(), ChatRequest((user("x"),), (ChatTool("a", "", {"properties": 3}),)))
    with pytest.raises(ContextFull):
        said(chat_of([ContextFull("too long")]), ChatRequest((user("x"),), (ALARM,)))
    _, odd = said(chat_of(["what?"]), ChatRequest((user("x"),), (ALARM,)))
    assert odd.text.startswith("No call could be made of this: ")


def test_of_many_tools_those_are_shown_that_fit() -> None:
    many = tuple(ChatTool(f"do_{n}", f"Does thing {n}.", {"type": "object", "properties": {}}) for n in range(50))
    chat = chat_of(['result0 = set_alarm(at="seven")'])
    said(chat, ChatRequest((user("set an alarm for seven"),), (*many, ALARM)))
    prompt = "".join(each.text for each in chat.caller.requests[0].prompt)  # type: ignore[attr-defined]
    assert "set_alarm" in prompt
    assert prompt.count("do_") == FOUND - 1


def test_closing_twice_is_allowed() -> None:
    chat = chat_of([], ["x"])
    chat.close()
    said(chat, ChatRequest((user("x"),)))
    chat.close()
    chat.close()

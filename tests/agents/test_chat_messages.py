import json
from datetime import datetime
from typing import Any

import pytest

from camphor.agents.chat_messages import chat_tools, opening, read_calls, show, tells_of_calls
from camphor.agents.prompts import Form, Setting
from camphor.models.chat import ChatCall, ChatReply
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn

SEND = Tool(
    "send_message",
    "Send a message.",
    (Parameter("receiver", type="string", role=Role.PERSON), Parameter("content", type="string")),
    Kind.ACTION,
    Agent.TASK,
    "messages",
)
LOOK = Tool("get_contacts", "People.", (Parameter("keyword", type="string"),), Kind.CONTEXT, Agent.CONTEXT, "contacts")
TOOLBOX = Toolbox((SEND, LOOK))
SETTING = Setting(TOOLBOX, datetime(2026, 3, 12, 8, 45), "Dublin", form=Form.FULL, owner="Maeve", context=4000)
WISH = {"receiver": "Ana", "content": "I'm late"}


def read(reply: ChatReply) -> tuple[list[Any], str]:
    calls, text = read_calls(reply, TOOLBOX, 6)
    return [each.call.to_json() if each.call else each.problem for each in calls], text


@pytest.mark.parametrize(
    "arguments",
    [
        json.dumps(WISH),
        json.dumps(json.dumps(WISH)),
        f"```json\n{json.dumps(WISH)}\n```",
        json.dumps({**WISH, "content": "I'm\u200b late\u0007"}),
    ],
)
def test_arguments_are_read_however_a_model_packs_them(arguments: str) -> None:
    calls, _ = read(ChatReply(calls=(ChatCall("a", "send_message", arguments),)))
    assert calls == [Call("send_message", WISH).to_json()]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("pay_money", "{}", "there is no tool 'pay_money'"),
        ("send_message", '{"receiver": "Ana"', "no JSON object"),
        ("send_message", '["Ana"]', "no JSON object"),
        ("send_message", '{"receiver": NaN}', "no JSON object"),
        ("send_message", '{"to": "Ana"}', "has no parameter 'to': it takes content, receiver"),
    ],
)
def test_what_cannot_be_read_is_told_to_the_model(name: str, arguments: str, told: str) -> None:
    [problem], _ = read(ChatReply(calls=(ChatCall("a", name, arguments),)))
    assert told in problem


def test_thoughts_are_no_part_of_what_is_sent() -> None:
    wish = {**WISH, "content": "<think>lie to her</think>I'm late"}
    calls, _ = read(ChatReply(calls=(ChatCall("a", "send_message", json.dumps(wish)),)))
    assert calls == [Call("send_message", WISH).to_json()]


@pytest.mark.parametrize(
    "text",
    [
        'Sure.\n<tool_call>{"name": "send_message", "arguments": WISH}</tool_call>',
        '```json\n{"name": "send_message", "parameters": WISH}\n```',
        '[{"function": {"name": "send_message", "arguments": WISH}}]',
        '{"tool": "send_message", "args": WISH}',
        '<think>hm</think>\n```\n[send_message(receiver="Ana", content="I\'m late")]\n```',
    ],
)
def test_calls_that_stand_in_the_text_are_calls(text: str) -> None:
    calls, left = read(ChatReply(text.replace("WISH", json.dumps(WISH))))
    assert calls == [Call("send_message", WISH).to_json()]
    assert left in ("", "Sure.")


def test_words_for_a_person_stay_words() -> None:
    calls, text = read(ChatReply('Use `{"a": 1}` in your file.'))
    assert (calls, text) == ([], 'Use `{"a": 1}` in your file.')
    assert not tells_of_calls(text)
    assert tells_of_calls('{"name": "unknown", "arguments": {}}')
    assert tells_of_calls('```json\n{"tool_calls": [')


def test_a_conversation_holds_what_was_said_found_and_answered() -> None:
    call = Call("get_contacts", {"keyword": "Ana"})
    found = Observation(call, ({"name": "Ana Prieto", "phone_number": "555"},))
    before = Turn("who is Ana?", (Step(Agent.CONTEXT, (call,), (found,)), Step(Agent.TASK)), "Ana Prieto.")
    messages = opening("and her number?", (before,), SETTING)
    assert [each.role for each in messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert "Maeve's phone" in messages[0].content
    assert "Thursday, 12 March 2026, 08:45 in Dublin" in messages[0].content
    assert messages[2].calls[0].id == messages[3].call_id
    assert "555" in messages[3].content


def test_tools_are_plain_json_schemas() -> None:
    text = json.dumps([each.parameters for each in chat_tools(TOOLBOX)])
    assert "receiver" in text
    assert "x-role" not in text


def test_of_many_records_as_many_are_shown_as_the_context_has_room_for() -> None:
    records = tuple({"title": f"Event {number}", "notes": "n" * 300} for number in range(40))
    told = json.loads(show(Observation(Call("get_contacts", {}), records), SETTING))
    assert 0 < len(told["found"]) < 40
    assert told["not_shown"] == 40 - len(told["found"])
    assert json.loads(show(Observation(Call("get_contacts", {}), error="no"), SETTING)) == {"error": "no"}

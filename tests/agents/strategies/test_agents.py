"""CAMPHOR's agents for a model that converses: each with its own role and tools, over one conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from camphor.agents.events import Answered
from camphor.agents.prompts import Form
from camphor.agents.strategies.agents import agents
from camphor.agents.strategies.registry import CHATTING, check_model, choose
from camphor.agents.strategies.roles import first_named, roles
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.errors import UsageError
from camphor.models.base import ScriptedModel
from camphor.models.chat import ChatCall, ChatReply, ChatRequest, ScriptedChat
from camphor.types import Agent
from tests.doubles.strategies import PHONE, QUERY

LOOK = ("get_contacts_information", {"keyword": "travel buddy"})
TELL = ("send_imessage_message", {"receiver": "Alice Johnson", "content": "I'm late"})
REMIND = ("create_reminders", {"time": "2026-03-12T18:00:00", "content": "Call Alice"})


def named(agent: str) -> ChatReply:
    return ChatReply(json.dumps({"agent": agent}))


def calls(*written: tuple[str, dict[str, Any]], text: str = "") -> ChatReply:
    return ChatReply(
        text, tuple(ChatCall(f"{name}_{at}", name, json.dumps(each)) for at, (name, each) in enumerate(written))
    )


def ask(*replies: str | ChatReply, query: str = QUERY, consent: bool = True) -> tuple[Answered, ScriptedChat, Device]:
    device, model = Device.create(None, PHONE), ScriptedChat(replies)
    answered = run_to_end(
        Assistant(device, model, form=Form.FULL, strategy=agents, second=None), query, consent=consent
    )
    return answered, model, device


def tools(request: ChatRequest) -> set[str]:
    return {tool.name for tool in request.tools}


GOOD = (
    named("personal_context"),
    calls(LOOK),
    named("answer"),
    calls(TELL),
    named("reflection"),
    "The reminder is missing.",
    named("response_submit"),
    calls(TELL, REMIND),
)


def test_a_wish_is_looked_up_drafted_reviewed_and_done() -> None:
    answered, model, device = ask(*GOOD)
    assert len(model.requests) == len(GOOD)
    assert [message["text"] for message in device.records("imessage", "messages")] == ["I'm late"]
    assert [reminder["content"] for reminder in device.records("reminders", "reminders")] == ["Call Alice"]
    assert [step.agent for step in answered.trajectory.turn.steps] == [Agent.CONTEXT, Agent.TASK]
    assert answered.proposed[0].arguments["receiver"] == "555-123-4567"
    assert [cost.agent for cost in answered.timings] == [
        *(Agent.HIGH_ORDER, Agent.CONTEXT, Agent.HIGH_ORDER, Agent.TASK),
        *(Agent.HIGH_ORDER, Agent.HIGH_ORDER, Agent.HIGH_ORDER, Agent.TASK),
    ]


def test_without_consent_nothing_is_done() -> None:
    answered, _, device = ask(*GOOD, consent=False)
    assert device.journal() == []
    assert len(answered.refused) == 2


def test_each_agent_has_its_own_tools_and_the_high_order_agent_one_enum() -> None:
    _, model, _ = ask(*GOOD)
    choose_expert, look, _, draft, _, review, _, submit = model.requests
    assert not choose_expert.tools
    assert choose_expert.schema is not None
    names = choose_expert.schema["properties"]["agent"]["enum"]
    assert {"personal_context", "device_information", "answer", "response_submit"} <= set(names)
    assert "reflection" not in names, "there is no draft"
    assert (look.choice, tools(look)) == ("required", {"get_contacts_information", *_context_tools()})
    assert tools(draft) == tools(submit) == {"send_imessage_message", "create_reminders", "call_contacts"}
    assert not review.tools
    assert look.schema is draft.schema is review.schema is None


def _context_tools() -> set[str]:
    return {tool.name for tool in Device.create(None, PHONE).toolbox.of(Agent.CONTEXT)}


def test_every_agent_is_told_who_works_on_it_its_own_role_and_what_was_found() -> None:
    _, model, _ = ask(*GOOD)
    for request in model.requests:
        assert request.messages[0].role == "system"
        for name in ("high_order_reasoning", "personal_context", "answer", "reflection", "response_submit"):
            assert f"{name}: {roles().named[name].duty}" in request.messages[0].content
        assert [each.role for each in request.messages].count("system") == 1
        pairs = zip(request.messages, request.messages[1:], strict=False)
        assert all((a.role, b.role) != ("user", "user") for a, b in pairs), "no two messages of the person in a row"
    look, draft, submit = model.requests[1], model.requests[3], model.requests[-1]
    assert look.messages[-1].content.startswith(f"{QUERY}\n\nYou are the agent personal_context.")
    assert [each.role for each in draft.messages[1:]] == ["user", "assistant", "tool", "user"]
    assert "555-123-4567" in draft.messages[-2].content
    assert "The last draft:" not in draft.messages[-1].content
    assert 'Calls: [send_imessage_message(receiver="Alice Johnson"' in submit.messages[-1].content
    assert "says of it: The reminder is missing." in submit.messages[-1].content


def test_a_draft_never_reaches_the_phone_and_an_action_that_it_refuses_is_told() -> None:
    unclear = ("create_reminders", {"time": "at the blue hour", "content": "Call Alice"})
    answered, model, device = ask(
        named("answer"),
        calls(unclear),
        named("response_submit"),
        "What time do you mean?",
        query="remind me to call Alice",
    )
    assert device.journal() == []
    assert not answered.proposed
    assert "blue hour" in model.requests[-1].messages[-1].content.split("The last draft:")[1]


def test_an_expert_can_call_nothing_of_another() -> None:
    answered, model, device = ask(named("personal_context"), calls(TELL), named("response_submit"), "I found nobody.")
    assert device.journal() == []
    assert not answered.proposed
    assert "there is no tool 'send_imessage_message'" in model.requests[2].messages[-2].content
    schema = model.requests[2].schema
    assert schema is not None
    assert "personal_context" not in schema["properties"]["agent"]["enum"], "it has nothing more to tell"


def test_perception_needs_no_model() -> None:
    answered, model, _ = ask(named("user_perception"), named("response_submit"), "Nothing.", query="what is open?")
    assert len(model.requests) == 3
    assert answered.trajectory.turn.steps[0].agent is Agent.PERCEPTION
    assert [each.role for each in model.requests[1].messages[1:]] == ["user", "assistant", "tool", "user"]


def test_what_is_submitted_goes_back_once_where_it_cannot_be_carried_out() -> None:
    unclear = ("create_reminders", {"time": "at the blue hour", "content": "Call Alice"})
    answered, model, _ = ask(
        named("response_submit"), calls(unclear), calls(REMIND), query="remind me at 6 to call Alice"
    )
    assert len(model.requests) == 3
    assert [call.name for call in answered.proposed] == ["create_reminders"]


ENDLESS: dict[str, list[str | ChatReply]] = {
    "the same look-up": [named("personal_context"), calls(LOOK)],
    "a draft without end": [named("answer"), "Done."],
    "a review without end": [named("answer"), "Done.", named("reflection"), "No."],
    "nobody": ["I think, therefore I am."],
    "nothing": [""],
    "a refusal": [ChatReply(refusal="I can't help with that.")],
}


@pytest.mark.parametrize("replies", list(ENDLESS.values()), ids=list(ENDLESS))
def test_every_query_ends_and_does_nothing(replies: list[str | ChatReply]) -> None:
    answered, model, device = ask(*replies * 30)
    assert len(model.requests) <= 24
    assert device.journal() == []
    assert answered.response


def test_names_are_read_as_models_write_them() -> None:
    names = ["personal_context", "answer", "response_submit"]
    assert first_named('{"agent": "answer"}', names) == "answer"
    assert first_named("**Personal Context** agent, then the answer", names) == "personal_context"
    assert first_named("I do not know", names) == ""


def test_every_role_is_told_what_it_needs() -> None:
    for name, role in roles().named.items():
        assert role.duty, name
        assert name == Agent.PERCEPTION or (role.turn and role.write and role.call and role.example), name


def test_the_strategies_of_conversations_need_such_a_model() -> None:
    assert choose("agents", None, tuned=False, usual=Form.INSTRUCTED) == (agents, Form.FULL)
    for name in CHATTING:
        check_model(name, ScriptedChat([]))
        with pytest.raises(UsageError, match="name a server's model"):
            check_model(name, ScriptedModel([]))
    check_model("static", ScriptedModel([]))

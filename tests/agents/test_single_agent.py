"""The loop of a capable model, on the demo phone, with what it says written down."""

import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision, Event, Writing
from camphor.agents.prompts import Form
from camphor.agents.strategies.registry import usual_strategy
from camphor.agents.strategies.single_agent import single_agent
from camphor.app import Assistant
from camphor.cli.home import open_device
from camphor.device.device import Device
from camphor.errors import ModelError
from camphor.models.base import ScriptedModel
from camphor.models.chat import ChatCall, ChatReply, ScriptedChat


@pytest.fixture
def phone() -> Iterator[Device]:
    with closing(open_device(None)) as device:
        yield device


def calls(*written: tuple[str, dict[str, object] | str], text: str = "") -> ChatReply:
    return ChatReply(
        text,
        tuple(
            ChatCall(f"c{at}", name, each if isinstance(each, str) else json.dumps(each))
            for at, (name, each) in enumerate(written)
        ),
    )


def ask(phone: Device, query: str, *replies: str | ChatReply) -> tuple[Answered, list[Event], ScriptedChat]:
    model = ScriptedChat(replies)
    loop = Assistant(phone, model, form=Form.FULL, strategy=single_agent).run(query)
    events: list[Event] = [next(loop)]
    while not isinstance(events[-1], Answered):
        decision = Decision(Answer.YES) if isinstance(events[-1], ConsentNeeded) else None
        events.append(loop.send(decision))
    assert isinstance(events[-1], Answered)
    return events[-1], events, model


NOTE = {"content": "buy oat milk"}


def test_a_wish_whose_words_say_all_takes_one_request(phone: Device) -> None:
    answered, _, model = ask(phone, "note: buy oat milk", calls(("create_notes", NOTE)))
    assert len(model.requests) == 1
    assert [call.name for call in answered.proposed] == ["create_notes"]
    assert "buy oat milk" in answered.response


def test_a_look_up_comes_back_in_full_and_then_the_action_ends_the_query(phone: Device) -> None:
    answered, _, model = ask(
        phone,
        "text Alice that I'm ten minutes late",
        calls(("get_contacts_information", {"keyword": "Alice"})),
        calls(("send_imessage_message", {"receiver": "Alice", "content": "I'm ten minutes late"})),
    )
    assert len(model.requests) == 2
    assert [each.role for each in model.requests[1].messages[-2:]] == ["assistant", "tool"]
    assert "phone_number" in model.requests[1].messages[-1].content
    assert [call.name for call in answered.proposed] == ["send_imessage_message"]


def test_a_broken_call_goes_back_once_with_the_reason(phone: Device) -> None:
    answered, _, model = ask(phone, "note: buy oat milk", calls(("create_notes", "{")), calls(("create_notes", NOTE)))
    assert "no JSON object" in model.requests[1].messages[-1].content
    assert len(answered.proposed) == 1
    broken = [calls(("create_notes", "{")) for _ in range(3)]
    answered, _, model = ask(phone, "note: buy oat milk", *broken, "I cannot do that.")
    assert not answered.proposed
    assert model.requests[-1].choice == "none"


def test_the_same_look_up_is_made_once_and_a_circle_is_left(phone: Device) -> None:
    look = calls(("get_contacts_information", {"keyword": "Alice"}))
    answered, _, model = ask(phone, "who is Alice?", look, look, look, "Alice is in your contacts.")
    assert len([step for step in answered.trajectory.turn.steps if step.calls]) == 1
    assert [each.choice for each in model.requests] == ["auto", "auto", "auto", "none"]


def test_what_was_not_asked_for_is_answered_and_not_done(phone: Device) -> None:
    answered, events, _ = ask(
        phone,
        "who is Alice?",
        calls(("send_imessage_message", {"receiver": "Alice", "content": "hello"})),
        "I've told her hello.",
    )
    assert not any(isinstance(event, ConsentNeeded) for event in events)
    assert "told her" not in answered.response


def test_an_answer_is_shown_while_it_is_written(phone: Device) -> None:
    answered, events, _ = ask(phone, "when did the second world war end?", "It ended in 1945 in Europe.")
    written = [event.text for event in events if isinstance(event, Writing)]
    assert written[0] == "It"
    assert written[-1] == answered.response == "It ended in 1945 in Europe."


def test_a_refusal_of_the_server_is_told(phone: Device) -> None:
    answered, _, _ = ask(phone, "tell me a joke", ChatReply(refusal="I can't help with that."))
    assert answered.response == "I can't help with that."


def test_a_model_that_converses_is_asked_so() -> None:
    assert usual_strategy(ScriptedChat([]), Form.INSTRUCTED) == "single_agent"
    assert usual_strategy(ScriptedModel([]), Form.INSTRUCTED) == "camphor"
    assert usual_strategy(ScriptedChat([]), Form.NAMES) == "camphor"


def test_a_model_that_fails_after_an_action_loses_nothing(phone: Device) -> None:
    reminder = {"time": "2026-03-12T18:00:00", "content": "Ring mum"}
    query = "Remind me at 6 to ring mum. What time is it in Tokyo?"
    answered, _, model = ask(phone, query, calls(("create_reminders", reminder)), ModelError("the server has gone"))
    assert len(model.requests) == 2
    assert "Ring mum" in answered.response
    assert "the server has gone" in answered.response
    assert "Ring mum" in [each["content"] for each in phone.records("reminders", "reminders")]


def test_a_model_that_fails_before_any_action_is_an_error(phone: Device) -> None:
    with pytest.raises(ModelError, match="gone"):
        ask(phone, "note: buy oat milk", ModelError("the server has gone"))


def test_thanks_are_the_models_to_answer(phone: Device) -> None:
    answered, _, _ = ask(phone, "ta", "No worries.")
    assert answered.response == "No worries."


@pytest.mark.parametrize(
    ("query", "reaches"),
    [
        ("opening hours {name}", True),
        ("login {name} {mail}", False),
        ("who is {phone}", False),
    ],
)
def test_a_search_does_not_carry_what_only_the_phone_has(phone: Device, query: str, reaches: bool) -> None:
    dentist = next(each for each in phone.people() if each.get("relationship") == "Dentist")
    words = query.format(name=dentist["name"], mail=dentist["email"], phone=dentist["phone_number"])
    look_up = calls(("get_contacts_information", {"keyword": "dentist"}))
    answered, _, _ = ask(
        phone, "is my dentist any good?", look_up, calls(("search_safari", {"query": words})), "No idea."
    )
    searched = [seen for step in answered.trajectory.turn.steps for seen in step.observations][-1]
    assert searched.call.name == "search_safari"
    assert ("only this phone has" in (searched.error or "")) != reaches


def test_what_the_person_said_may_be_searched_for(phone: Device) -> None:
    look_up = calls(("search_safari", {"query": "who calls from +353 1 496 0000"}))
    answered, _, _ = ask(phone, "who calls from +353 1 496 0000?", look_up, "I don't know.")
    [seen] = [seen for step in answered.trajectory.turn.steps for seen in step.observations]
    assert not seen.error

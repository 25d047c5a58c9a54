"""Rules of consent: what is done without a question, what asks all the same, what is never done, by whatever way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from camphor.agents.consent import asks_each_time, ruled
from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision, Event
from camphor.agents.evidence import Evidence, Origin
from camphor.app import Assistant
from camphor.device.consents import EVERYTHING, Consents, Word
from camphor.device.device import Device
from camphor.device.people import AddressOrigin, Receiver
from camphor.models.base import ScriptedModel
from camphor.types import Call

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Ines Marques",
    "now": "2026-03-12T08:45:00",
    "apps": {
        "contacts": {
            "people": [
                {"person_id": "1", "name": "Alice Johnson", "phone_number": "555-123-4567"},
                {"person_id": "2", "name": "Bo Lind", "phone_number": "555-123-9999"},
            ]
        },
        "imessage": {"messages": []},
        "reminders": {"reminders": []},
        "calendar": {"events": [{"title": "Dentist", "start": "2026-03-13T09:00:00"}]},
    },
}
TEXT = [
    "task_completion",
    ' [send_imessage_message(receiver="Alice Johnson", content="I\'ll be late")]',
]
QUERY = "text Alice Johnson I'll be late"
SEND = "send_imessage_message"
AT = "2026-03-12T08:45:00"


@pytest.fixture
def device() -> Device:
    return Device.create(None, PHONE)


def ask(device: Device, query: str = QUERY, words: list[str] = TEXT, answer: Answer = Answer.NO) -> list[Event]:
    loop = Assistant(device, ScriptedModel(list(words))).run(query)
    seen: list[Event] = [next(loop)]
    while not isinstance(seen[-1], Answered):
        seen.append(loop.send(Decision(answer)) if isinstance(seen[-1], ConsentNeeded) else next(loop))
    return seen


def asked(seen: list[Event]) -> int:
    return sum(isinstance(event, ConsentNeeded) for event in seen)


def sent(device: Device) -> int:
    return len(device.records("imessage", "messages"))


def test_without_rules_every_action_asks(device: Device) -> None:
    assert asked(ask(device)) == 1
    assert sent(device) == 0


@pytest.mark.parametrize("person", ["", "Alice Johnson", "alice johnson"])
def test_a_rule_for_an_action_or_for_a_person_asks_no_more(device: Device, person: str) -> None:
    device.consents.keep(SEND, person, Word.ALWAYS, AT)
    assert asked(ask(device)) == 0
    assert sent(device) == 1
    assert device.consents.revoke(SEND, person)
    assert asked(ask(device)) == 1


def test_a_rule_for_one_person_is_none_for_another(device: Device) -> None:
    device.consents.keep(SEND, "Bo Lind", Word.ALWAYS, AT)
    assert asked(ask(device)) == 1


def test_never_holds_whoever_agrees_and_by_whatever_way(device: Device) -> None:
    device.consents.keep(SEND, "Alice Johnson", Word.NEVER, AT)
    device.consents.keep(SEND, "", Word.ALWAYS, AT)
    seen = ask(device, answer=Answer.YES)
    assert (asked(seen), sent(device)) == (0, 0)
    assert "never to do this for Alice Johnson" in seen[-1].response  # type: ignore[union-attr]
    seen_directly = device.execute(Call(SEND, {"receiver": "Alice Johnson", "content": "x"}))
    assert "never done on this device" in (seen_directly.error or "")
    assert sent(device) == 0


def test_a_stop_holds_for_everything_until_it_is_taken_back(device: Device) -> None:
    device.consents.keep(EVERYTHING, "", Word.NEVER, AT)
    seen = ask(device, answer=Answer.YES)
    assert "stopped all actions" in seen[-1].response  # type: ignore[union-attr]
    assert device.execute(Call("create_reminders", {"time": "2026-03-12T18:00:00", "content": "x"})).error
    assert not device.execute(Call("get_contacts_information", {"keyword": "Alice"})).error
    device.consents.revoke(EVERYTHING)
    assert asked(ask(device)) == 1


def test_what_takes_something_away_asks_whatever_was_agreed(device: Device) -> None:
    device.consents.keep("cancel_calendar_event", "", Word.ALWAYS, AT)
    words = ["task_completion", ' [cancel_calendar_event(event_title="Dentist")]']
    assert asked(ask(device, "cancel the Dentist", words)) == 1


def test_the_second_action_of_a_query_asks(device: Device) -> None:
    device.consents.keep(SEND, "", Word.ALWAYS, AT)
    words = [TEXT[0], TEXT[1].replace(")]", '); send_imessage_message(receiver="Bo Lind", content="I\'ll be late")]')]
    seen = ask(device, "text Alice Johnson and Bo Lind I'll be late", words)
    assert (asked(seen), sent(device)) == (1, 1)


WANTED = ConsentNeeded(Call(SEND), "send", "", (Evidence("content", "x", Origin.SAID, "your words"),))
ALICE = Receiver("receiver", "555-123-4567", AddressOrigin.CONTACT, "Alice Johnson")


def agreed(device: Device, wanted: ConsentNeeded = WANTED, reached: tuple[Receiver, ...] = (ALICE,)) -> bool:
    device.consents.keep(SEND, "", Word.ALWAYS, AT)
    return ruled(device.toolbox.get(SEND), wanted, reached, device.consents, 0, False).agreed


def test_strangers_several_doubts_and_words_of_others_ask(device: Device) -> None:
    assert agreed(device)
    assert not agreed(device, reached=(replace(ALICE, origin=AddressOrigin.UNKNOWN),))
    assert not agreed(device, reached=(ALICE, replace(ALICE, value="555-123-9999", name="Bo Lind")))
    assert not agreed(device, replace(WANTED, doubt="Whose is it?"))
    for origin in (Origin.FOUND, Origin.NOBODY):
        assert not agreed(device, replace(WANTED, evidence=(replace(WANTED.evidence[0], origin=origin),)))


def test_money_and_deletion_are_told_by_words_of_the_tool(device: Device) -> None:
    assert asks_each_time(device.toolbox.get("cancel_calendar_event")) == "gone"
    assert asks_each_time(replace(device.toolbox.get(SEND), name="pay_bill")) == "money"
    assert asks_each_time(device.toolbox.get(SEND)) == ""


def test_rules_stay_on_the_device_and_in_no_export(tmp_path: Any) -> None:
    path = tmp_path / "a.camphor"
    with Device.create(path, PHONE) as device:
        device.consents.keep(SEND, "", Word.ALWAYS, AT)
        device.consents.keep(SEND, "", Word.NEVER, AT)
    with Device.open(path) as device:
        assert [(rule.tool, rule.word) for rule in device.consents.all()] == [(SEND, Word.NEVER)]
        assert "consents" not in device.export()
        assert isinstance(device.consents, Consents)

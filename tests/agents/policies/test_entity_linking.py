"""Words of the person in the place of a name: the one thing found that they are of."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.policies.entity_linking import as_found
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.scripted import ScriptedModel
from camphor.types import Agent, Call, Observation, Step, Turn

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Kathi Huber",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Vienna",
    "location": {"city": "Linz"},
    "apps": {
        "contacts": {
            "people": [
                {"person_id": "1", "name": "Wen Zhao", "phone_number": "555 1", "relationship": "Doctor, knee"},
                {"person_id": "2", "name": "Ada Zhao", "phone_number": "555 2", "relationship": "Colleague"},
            ]
        },
        "calendar": {
            "events": [
                {"title": "Quartettprobe Ravel", "start": "2026-03-13T19:00:00"},
                {"title": "Quartettkonzert Hartegg", "start": "2026-04-18T18:00:00"},
            ]
        },
        "imessage": {"messages": []},
    },
}
LOOK = Call("get_calendar_event", {"theme": "Quartet", "time_range": "tomorrow"})
CANCEL = Call("cancel_calendar_event", {"event_title": "Quartet"})


def found(device: Device, *calls: Call) -> Turn:
    return Turn("no quartet tomorrow", (Step(Agent.CONTEXT, calls, tuple(map(device.execute, calls))),))


def test_of_two_the_one_that_was_looked_up_is_cancelled() -> None:
    words = [
        "personal_context",
        ' [get_calendar_event(theme="Quartet", time_range="tomorrow")]',
        "task_completion",
        ' [cancel_calendar_event(event_title="Quartet")]',
    ]
    helper = Assistant(Device.create(None, PHONE), ScriptedModel(words))
    answered = run_to_end(helper, "no quartet tomorrow, delete it", consent=True)
    assert answered.proposed == (Call("cancel_calendar_event", {"event_title": "Quartettprobe Ravel"}),)
    assert "Quartettprobe Ravel" in answered.response


@pytest.mark.parametrize("title", ["Quartettprobe Ravel", "choir"])
def test_a_name_and_words_of_nothing_stay(title: str) -> None:
    with Device.create(None, PHONE) as device:
        call = Call("cancel_calendar_event", {"event_title": title})
        assert as_found(call, found(device, LOOK), device.toolbox) == call


def test_words_of_two_records_stay() -> None:
    with Device.create(None, PHONE) as device:
        both = Call("get_calendar_event", {"theme": "Quartet"})
        assert as_found(CANCEL, found(device, both), device.toolbox) == CANCEL


def test_a_receiver_is_one_of_the_people_found() -> None:
    with Device.create(None, PHONE) as device:
        knee = Call("get_contacts_information", {"keyword": "knee"})
        say = Call("send_imessage_message", {"receiver": "the knee man", "content": "Hi"})
        meant = as_found(say, found(device, knee, LOOK), device.toolbox)
        assert meant.arguments == {"receiver": "Wen Zhao", "content": "Hi"}


def test_what_nobody_looked_up_stays() -> None:
    turn = Turn("x", (Step(Agent.CONTEXT, (LOOK,), (Observation(LOOK),)),))
    with Device.create(None, PHONE) as device:
        assert as_found(CANCEL, turn, device.toolbox) == CANCEL
        assert as_found(Call("no_such_tool"), turn, device.toolbox) == Call("no_such_tool")

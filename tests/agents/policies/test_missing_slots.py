"""A reminder without a time is asked back about; what no action of the phone does is said to be so."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.policies.missing_slots import wishes_for_things
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel
from camphor.types import Turn

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Kathi Huber",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Vienna",
    "location": {"city": "Linz"},
    "apps": {
        "notes": {"notes": []},
        "reminders": {"reminders": []},
        "calendar": {"events": [{"title": "Dentist", "start": "2026-03-13T19:00:00"}]},
    },
}
NOTE = ["task_completion", ' [create_notes(content="Repot the aloe")]']
WHEN = "When shall I remind you?"


def answer(query: str, words: list[str], *history: Turn) -> str:
    with Device.create(None, PHONE) as device:
        assistant = Assistant(device, ScriptedModel(words))
        assistant.history = history
        return run_to_end(assistant, query, consent=True).response


@pytest.mark.parametrize(
    "query", ["remind me to repot the aloe", "new reminder: repot the aloe", "Poke me about the aloe"]
)
def test_a_reminder_without_a_time_is_asked_about(query: str) -> None:
    assert answer(query, NOTE) == WHEN


@pytest.mark.parametrize("query", ["note: repot the aloe", "which reminders have I got for the aloe"])
def test_other_wishes_are_the_agents(query: str) -> None:
    assert answer(query, [*NOTE, "One."]) != WHEN


def test_a_time_said_or_found_is_enough() -> None:
    said = ["task_completion", ' [create_reminders(time="6", content="Repot the aloe")]']
    assert "18:00" in answer("remind me at 6 to repot the aloe", said)
    found = ["personal_context", ' [get_calendar_event(theme="dentist")]', *NOTE, "At 19:00."]
    assert answer("remind me of the dentist when I have to leave", found) != WHEN


def test_in_a_conversation_the_agents_decide() -> None:
    assert answer("remind me of it", NOTE, Turn("the aloe at 6?", (), "Yes, at 6.")) != WHEN


HEAR = ["task_completion", " []", "When shall I remind you?"]
KEPT: dict[str, Any] = {
    **PHONE,
    "apps": {
        **PHONE["apps"],
        "reminders": {"reminders": [{"content": "Fetch the bike", "time": "2026-03-13T12:30:00", "done": False}]},
        "mail": {"messages": [{"sender": "Jo", "subject": "Eggs", "date": "2026-03-11T12:00:00", "body": "Six left."}]},
    },
}


def asked(query: str, words: list[str]) -> str:
    with Device.create(None, KEPT) as device:
        return run_to_end(Assistant(device, ScriptedModel(words)), query, consent=True).response


@pytest.mark.parametrize(
    "query",
    [
        "Cancel my reminder about the bike",
        "could you get rid of that reminder about the bike",
        "Delete the bike reminder",
        "Snooze the reminder to fetch the bike",
        "Mark the bike reminder as done",
    ],
)
@pytest.mark.parametrize("words", [HEAR, ["task_completion", ' [create_reminders(time="6", content="Bike")]']])
def test_what_no_action_does_to_a_thing_is_said_and_the_thing_is_shown(query: str, words: list[str]) -> None:
    told = asked(query, words)
    assert told.startswith("I cannot ")
    assert "so I did nothing" in told
    assert "Fetch the bike" in told


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("Set a timer", "I cannot set timers on this phone, so I did nothing."),
        ("start the stopwatch please", "I cannot start stopwatches on this phone, so I did nothing."),
        ("please set an alarm for me", WHEN),
        ("delete the mail about the ferry", "I cannot delete mails on this phone, so I did nothing."),
    ],
)
def test_a_thing_that_the_phone_lacks_is_named(query: str, told: str) -> None:
    assert asked(query, HEAR) == told


@pytest.mark.parametrize(
    ("query", "wishes"),
    [
        ("new reminder: repot the aloe", [("make", "reminder")]),
        ("stop reminding me about the bins", [("delete", "reminder")]),
        ("drop a message for Jo", [("make", "message")]),
        ("drop the reminder about the cake", [("delete", "reminder")]),
        ("kill Sunday's 3.15 alarm, I can sleep in", [("delete", "alarm")]),
        ("set me a timer", [("make", "timer")]),
        ("remove Jo from my contacts", [("delete", "contact")]),
        ("cancel the order pick-up", []),
        ("cancel the dentist", []),
        ("read my reminders", [("show", "reminder")]),
    ],
)
def test_what_a_query_wants_of_a_thing(query: str, wishes: list[tuple[str, str]]) -> None:
    assert [(each.act, each.thing) for each in wishes_for_things(query)] == wishes

"""What no action of a phone does to a thing is said to be so."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.policies.missing_action import wishes_for_things
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel
from tests.agents.policies.test_missing_slots import PHONE, WHEN

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

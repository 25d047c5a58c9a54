"""A reminder without a time is asked back about; what no action of the phone does is said to be so."""

from __future__ import annotations

from typing import Any

import pytest

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

"""A phone, a scripted model, and what a test wants to know of a query that was run with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from camphor.agents.events import Answered
from camphor.agents.prompts import Form
from camphor.agents.strategies.autoact import autoact
from camphor.agents.strategies.base import Strategy
from camphor.agents.strategies.collaboration import collaborate
from camphor.agents.strategies.react import react
from camphor.agents.strategies.reflexion import reflexion
from camphor.agents.strategies.registry import static
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Ann",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "location": {"city": "Dublin"},
    "apps": {
        "contacts": {
            "people": [
                {
                    "person_id": "1",
                    "name": "Alice Johnson",
                    "phone_number": "555-123-4567",
                    "relationship": "travel buddy",
                },
                {"person_id": "2", "name": "Ben Adams", "phone_number": "555-222-3333"},
            ]
        },
        "imessage": {"messages": []},
        "reminders": {"reminders": []},
    },
}


def phone_with(people: list[dict[str, str]]) -> dict[str, Any]:
    """The same phone with other contacts."""
    return {**PHONE, "apps": {**PHONE["apps"], "contacts": {"people": people}}}


QUERY = "tell my travel buddy I'm late and remind me at 6 to call her"
LOOK = '[get_contacts_information(keyword="travel buddy")]'
TELL = '[send_imessage_message(receiver="Alice Johnson", content="I\'m late")]'
REMIND = '[create_reminders(time="6", content="Call Alice")]'
BOTH = TELL[:-1] + "; " + REMIND[1:]
UNCLEAR = '[create_reminders(time="at the blue hour", content="Call Alice")]'

GOOD: dict[Strategy, list[str]] = {
    static: [LOOK, BOTH],
    react: [f"Thought: who?\nAction: {LOOK}", f"Action: {TELL}", f"Action: {REMIND}", "Action: finish"],
    reflexion: [f"Action: {LOOK}", f"Action: {TELL}", f"Action: {REMIND}", "Action: finish", "Verdict: right"],
    autoact: [
        "Thought: who?\nAction: get_contacts_information",
        LOOK,
        "Action: send_imessage_message",
        TELL,
        "Action: create_reminders",
        REMIND,
        "Action: finish",
        "Verdict: right",
    ],
    collaborate: [
        "personal_context",
        LOOK,
        "answer",
        f"Response: I'll tell her.\nCalls: {BOTH}",
        "reflection",
        "All is there.",
        "response_submit",
        f"Response: I'll tell her.\nCalls: {BOTH}",
    ],
}
"""What a model says that does what is asked."""
each = pytest.mark.parametrize("strategy", list(GOOD), ids=lambda strategy: strategy.__name__)


@dataclass
class Ran:
    """A query that was run, and the phone afterwards."""

    answered: Answered
    device: Device
    model: ScriptedModel

    @property
    def sent(self) -> list[str]:
        return [message["text"] for message in self.device.records("imessage", "messages")]

    @property
    def reminders(self) -> list[str]:
        return [reminder["content"] for reminder in self.device.records("reminders", "reminders")]

    @property
    def used(self) -> int:
        """How many replies the strategy asked for."""
        return len(self.model.requests)

    def prompt(self, number: int) -> str:
        return "".join(segment.text for segment in self.model.requests[number].prompt)


def ask(
    strategy: Strategy,
    words: Sequence[str],
    *,
    query: str = QUERY,
    consent: bool = True,
    form: Form = Form.FULL,
    phone: dict[str, Any] = PHONE,
) -> Ran:
    """Run one query on a fresh phone; the model says these words, in order."""
    device, model = Device.create(None, phone), ScriptedModel(words)
    answered = run_to_end(Assistant(device, model, form=form, strategy=strategy, second=None), query, consent=consent)
    return Ran(answered, device, model)

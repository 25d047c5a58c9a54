"""What matters now, in the assistant: on a real device in memory, with a scripted model and a ranking that is given."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.bounds import USUAL
from camphor.agents.events import Answered
from camphor.agents.relevant import POLICIES
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.device.usage_events import ItemRef
from camphor.errors import ModelMissing, StoreError
from camphor.models.base import ScriptedModel
from camphor.retrieval.context.relevance import MOST, Relevance, Relevant
from camphor.types import Agent

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "now": "2026-03-12T08:45:00",
    "apps": {
        "calendar": {
            "events": [
                {"title": "Guitar class", "start": "2026-03-10T18:00:00"},
                {"title": "Guitar class", "start": "2026-03-17T18:00:00"},
                {"title": "Dentist", "start": "2026-03-18T09:00:00"},
            ]
        },
        "phone": {
            "description": "calls",
            "tools": [
                {
                    "name": "get_call_history",
                    "kind": "context",
                    "returns": "calls",
                    "description": "Calls made and missed.",
                    "parameters": {"type": "object", "properties": {"contact": {"type": "string"}}, "required": []},
                },
                {
                    "name": "call_contact",
                    "kind": "action",
                    "description": "Call somebody.",
                    "parameters": {
                        "type": "object",
                        "properties": {"contact": {"type": "string"}},
                        "required": ["contact"],
                    },
                },
            ],
            "records": {"calls": [{"contact": "Ana Silva", "direction": "missed", "date": "2026-03-12T08:10:00"}]},
        },
    },
}
VAIN = ["personal_context", ' [get_calendar_event(theme="lesson")]', "task_completion"]

WITHOUT = "I found nothing about “lesson” on this phone."
"""What code answers from the records, whatever was looked up."""


class Given(Relevance):
    """A ranking that says what it is told to, or fails."""

    def __init__(self, device: Device, *found: tuple[str, str, int], error: Exception | None = None) -> None:
        super().__init__(device)
        self.error = error
        self.asked = 0
        self.found = tuple(
            Relevant(
                ItemRef(app, name, place),
                (record := device.records(app, name)[place]),
                str(record.get("title", record.get("contact"))),
                1,
            )
            for app, name, place in found
        )

    def items(self, query: str, k: int = MOST) -> tuple[Relevant, ...]:
        self.asked += 1
        if self.error:
            raise self.error
        return self.found[:k]


def ask(
    words: list[str],
    *found: tuple[str, str, int],
    error: Exception | None = None,
    on: bool = True,
    query: str = "when is my next lesson?",
) -> Answered:
    with Device.create(None, PHONE) as device:
        helper = Assistant(device, ScriptedModel(words), limits=USUAL if on else USUAL.without(*POLICIES))
        helper.relevance = given = Given(device, *found, error=error)
        answered = run_to_end(helper, query, consent=True)
    assert on is bool(given.asked)
    return answered


def shown(answered: Answered) -> list[str]:
    steps = answered.trajectory.turn.steps
    return [str(each["start"]) for step in steps for found in step.observations for each in found.records]


def test_of_events_with_one_name_the_one_that_matters_is_looked_up_by_its_day() -> None:
    answered = ask([*VAIN, "task_completion"], ("calendar", "events", 1))
    step = answered.trajectory.turn.steps[1]
    assert (step.agent, step.taught) == (Agent.CONTEXT, False)
    assert step.calls[0].arguments == {"theme": "Guitar class", "time_range": "2026-03-17"}
    assert shown(answered) == ["2026-03-17T18:00:00"]
    assert answered.proposed == ()


def test_of_two_items_that_are_likely_alike_none_is_looked_up_and_both_are_shown() -> None:
    both = (("calendar", "events", 1), ("calendar", "events", 2))
    answered = ask([*VAIN, "task_completion"], *both)
    assert all(step.taught for step in answered.trajectory.turn.steps)
    first, second = (answered.response.index(name) for name in ("Guitar class", "Dentist"))
    assert first < second


def test_a_person_who_was_left_unsaid_can_be_called_then() -> None:
    words = ["task_completion", " []", "task_completion", ' [call_contact(contact="Ana Silva")]']
    answered = ask(words, ("phone", "calls", 0), query="call her back please")
    assert [call.arguments for call in answered.proposed] == [{"contact": "Ana Silva"}]


def test_switched_off_the_index_is_never_asked() -> None:
    answered = ask(VAIN, ("calendar", "events", 1), on=False)
    assert answered.response == WITHOUT


@pytest.mark.parametrize(
    "error",
    [StoreError("the index cannot be read"), ModelMissing("no ranker"), ValueError("broken"), MemoryError()],
    ids=lambda error: type(error).__name__,
)
def test_an_index_that_fails_costs_its_help_and_never_the_query(error: Exception) -> None:
    answered = ask(VAIN, error=error)
    assert answered.response == WITHOUT
    assert len(answered.trajectory.turn.steps) == 2


def test_on_a_phone_whose_use_is_not_known_nothing_is_guessed_in_an_answer() -> None:
    with Device.create(None, PHONE) as device:
        helper = Assistant(device, ScriptedModel(VAIN))
        answered = run_to_end(helper, "when is my next lesson?", consent=True)
    assert answered.response == WITHOUT
    assert isinstance(helper.relevance, Relevance)
    assert len(answered.trajectory.turn.steps) == 2

"""A reminder that is ordered with its time is not answered with nothing; what may have to be asked may be left."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.observed_facts import Known
from camphor.agents.sure_wishes import surely_wished
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel
from camphor.types import Turn
from tests.agents.test_consent import PHONE

NOW = datetime(2026, 3, 12, 8, 45)


def sure(query: str) -> bool:
    with Device.create(None, PHONE) as device:
        return surely_wished(Turn(query), (), device.toolbox, Known.of((Turn(query),), NOW))


@pytest.mark.parametrize(
    "query", ["remind me at 6 to pack the suitcase", "what is on today? and remind me at nine to pay"]
)
def test_a_reminder_with_its_time_is_sure(query: str) -> None:
    assert sure(query)


@pytest.mark.parametrize(
    "query",
    [
        "remind me to pack the suitcase",
        "don't remind me at 6",
        "text Alice at 6 that I'm late",
        "what did you remind me of at 6?",
        "they reminded me at 6 to pack",
    ],
)
def test_what_has_no_time_reaches_somebody_or_is_not_ordered_is_not(query: str) -> None:
    assert not sure(query)


def test_of_a_sure_wish_nothing_is_written_again() -> None:
    words = ["task_completion", " []", "task_completion", ' [create_reminders(time="at 6", content="Pack")]']
    with Device.create(None, PHONE) as device:
        model = ScriptedModel(words)
        run_to_end(Assistant(device, model), "remind me at 6 to pack", consent=True)
        assert device.records("reminders", "reminders")[0]["content"] == "Pack"
        empty = ["[]" in request.grammar for request in model.requests if request.grammar and request.copies]
        assert len(empty) == 2

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from camphor.agents.answering.likely import likely
from camphor.device.device import Device
from camphor.device.usage_events import ItemRef
from camphor.retrieval.context.relevance import Relevant

GATE = {"title": "Harrow", "content": "gate 2246"}
PRICES = {"title": "Prices", "content": "units from 189 a month"}
ASKED = "what do I punch in here again?"


@pytest.fixture
def phone() -> Iterator[Device]:
    document = {
        "format": "camphor.device/1", "id": "a", "owner": "Ada", "now": "2026-03-12T09:00:00",
        "apps": {"notes": {"notes": [GATE, PRICES]}},
    }  # fmt: skip
    with Device.create(None, document) as device:
        yield device


def note(place: int, sure: float, unsaid: float = 0.9) -> Relevant:
    record = (GATE, PRICES)[place]
    return Relevant(ItemRef("notes", "notes", place), record, record["title"], sure, unsaid=unsaid)


def test_a_question_that_leaves_its_thing_unsaid_is_told_what_it_may_be_about(phone: Device) -> None:
    told = likely(ASKED, phone, lambda _: [note(0, 0.6)])
    assert told.startswith("Perhaps you mean this:")
    assert "gate 2246" in told
    assert likely("when is Meera's birthday?", phone, lambda _: [note(0, 0.6, unsaid=0.1)]) == ""
    assert likely(ASKED, phone, lambda _: [note(0, 0.1)]) == ""
    assert likely(ASKED, phone, lambda _: [replace(note(0, 0.6), known=False)]) == ""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from camphor.agents.answering.likely import likelier, likely
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


def test_a_record_that_only_words_speak_for_is_told_behind_likelier_ones_and_in_doubt(phone: Device) -> None:
    told = likelier(ASKED, phone, lambda _: [note(0, 0.6), note(1, 0.01)], [ItemRef("notes", "notes", 1)])
    assert told.startswith("I am not sure what answers that.")
    assert told.index("gate 2246") < told.index("189")


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([note(0, 0.6, unsaid=0.2)], 1),
        ([note(0, 0.6), note(1, 0.3)], 1),
        ([note(0, 0.1)], 1),
        ([], 1),
    ],
    ids=["the query names its thing", "use speaks for it too", "nothing is likely", "an empty phone"],
)
def test_otherwise_what_was_found_stands(phone: Device, items: list[Relevant], found: int) -> None:
    assert likelier(ASKED, phone, lambda _: items, [ItemRef("notes", "notes", found)]) == ""

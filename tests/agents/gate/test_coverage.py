"""Which words of a query are in no action: what nobody looks at leaves none out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.gate import Scene
from camphor.agents.gate.coverage import left_out
from camphor.device.device import Device
from camphor.types import Call, Turn
from tests.doubles.small_phone import small_phone

NOW = datetime(2026, 3, 12, 8, 45)
PEOPLE: list[dict[str, Any]] = [
    {"name": "Aoife Brennan", "phone_number": "555-200-0000", "relationship": "me", "is_self": True},
    {"name": "Tadeo Ruiz", "phone_number": "555-200-0001", "relationship": "brother"},
]
PHONE = small_phone(PEOPLE, NOW.isoformat(), [{"title": "Choir", "start": "2026-03-13T20:00:00", "location": "Abbey"}])
CANCEL = Call("cancel_calendar_event", {"event_title": "Choir"})


def text(content: str) -> Call:
    return Call("send_imessage_message", {"receiver": "555-200-0001", "content": content})


def remind(time: str, content: str) -> Call:
    return Call("create_reminders", {"time": time, "content": content})


def left(query: str, *calls: Call) -> tuple[str, ...]:
    with Device.create(None, PHONE) as device:
        scene = Scene(Turn(query), (), NOW, device.people())
        lists = [device.records(each.app, each.name) for each in device.lists()]
        return left_out([(device.toolbox.get(call.name), call) for call in calls], scene, lambda tool: lists)


@pytest.mark.parametrize(
    ("query", "call"),
    [
        ("please text my brother I'll be there at half five", text("I'll be there at 5:30")),
        ("could you let Tadeo know I'm not coming tmrw", text("I'm not coming tomorrow")),
        ("ask Tadeo if the plumber came", text("The plumber came?")),
        ("remind me tomorrow at 3 pm to feed the cat", remind("2026-03-13T15:00:00", "Feed the cat")),
        ("take Friday's choir at the abbey out of the calendar", CANCEL),
    ],
)
def test_an_action_has_all_words_of_its_wish(query: str, call: Call) -> None:
    assert left(query, call) == ()


@pytest.mark.parametrize(
    ("query", "call", "words"),
    [
        ("text Tadeo's wife I'm late", text("I'm late"), {"wife"}),
        ("ask Tadeo if the plumber came", text("The plumber came"), {"ask", "if"}),
        ("text Tadeo I'm late unless he rings", text("I'm late"), {"unless", "rings"}),
        ("remind me tomorrow at 3 pm to feed the cat, sorry, Monday", remind("2026-03-13T15:00:00", "Feed the cat"),
         {"sorry", "monday"}),
        ("remind me at 8 tonight to feed the cat", remind("2026-03-13T08:00:00", "Feed the cat"), {"8:00", "tonight"}),
        ("cancel the dentist, but keep choir", CANCEL, {"dentist", "but", "keep"}),
        ("cancel the older choir", CANCEL, {"older"}),
        ("don't cancel choir", CANCEL, {"not"}),
    ],
)  # fmt: skip
def test_a_word_that_may_turn_a_wish_is_left(query: str, call: Call, words: set[str]) -> None:
    assert set(left(query, call)) == words


def test_what_asks_for_another_action_is_in_that_one() -> None:
    query = "cancel choir and text Tadeo I have the flu"
    assert set(left(query, CANCEL)) == {"text", "tadeo", "flu"}
    assert left(query, CANCEL, text("I have the flu")) == ()

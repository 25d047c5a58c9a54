"""To whom or what of a call the person's words lead, by a name or by a record, and to whom they do not."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.gate import Scene, unnamed
from camphor.device.device import Device
from camphor.types import Agent, Call, Observation, Step, Turn
from tests.doubles.small_phone import small_phone

NOW = datetime(2026, 3, 12, 8, 45)
PEOPLE: list[dict[str, Any]] = [
    {"name": "Ines Marques", "phone_number": "555-100-0000", "relationship": "me", "is_self": True},
    {"name": "Lurdes Marques", "phone_number": "555-100-0001", "relationship": "mother"},
    {"name": "Sean Byrne", "phone_number": "555-100-0003", "relationship": "plumber"},
]
CLUB = {"title": "Book club", "start": "2026-03-13T20:00:00", "location": "library"}
PHONE = small_phone(PEOPLE, NOW.isoformat(), [CLUB])
CANCEL = Call("cancel_calendar_event", {"event_title": "Book club"})


def of(query: str, call: Call, look_up: Call | None = None, *found: dict[str, Any], meant: str = "") -> str:
    step = Step(Agent.CONTEXT, (look_up,), (Observation(look_up, found),)) if look_up else None
    with Device.create(None, PHONE) as device:
        scene = Scene(Turn(query, (step,) if step else ()), (), NOW, device.people(), meant=meant)
        return unnamed(device.toolbox.get(call.name), call, call, scene)


@pytest.mark.parametrize("query", ["ring Sean", "call the plumber please", "get Sean Byrne on the phone"])
def test_who_is_named_or_told_by_what_they_are_is_led_to(query: str) -> None:
    assert of(query, Call("call_contacts", {"person": "Sean Byrne"})) == ""


@pytest.mark.parametrize("query", ["ring him back", "somebody was after me, get them for me", "call back"])
def test_nobody_else_is(query: str) -> None:
    assert of(query, Call("call_contacts", {"person": "Sean Byrne"})) == "person"


def test_an_event_that_was_looked_up_by_the_persons_words_is_led_to() -> None:
    by_place = Call("get_calendar_event", {"theme": "library"})
    assert of("cancel the thing at the library", CANCEL, by_place, CLUB) == ""
    by_day = Call("get_calendar_event", {"time_range": "tomorrow"})
    assert of("cancel tomorrow's", CANCEL, by_day, CLUB) == ""


def test_one_that_was_looked_up_by_other_words_is_not() -> None:
    other = Call("get_calendar_event", {"theme": "club"})
    assert of("scrap it, I'm too tired", CANCEL, other, CLUB) == "event_title"


def test_what_the_person_picked_is_named() -> None:
    call = Call("call_contacts", {"person": "Sean Byrne"})
    assert of("ring him back", call, meant="Sean Byrne") == ""
    assert of("ring him back", call, meant="Lurdes Marques") == "person"
    assert of("scrap it", CANCEL, meant="Book club") == ""

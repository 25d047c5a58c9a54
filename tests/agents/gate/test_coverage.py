"""Which words of a query are in no action: what nobody looks at leaves none out."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import camphor.agents.gate as gate
from camphor.agents.gate import Scene
from camphor.agents.gate.coverage import Known, left_out, pointed
from camphor.agents.gate.words import gate_words
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
        tools = [device.toolbox.get(call.name) for call in calls]
        return left_out(
            [Known(of, call, pointed(of, call, lists)) for of, call in zip(tools, calls, strict=True)], scene
        )


@pytest.mark.parametrize(
    ("query", "call"),
    [
        ("please text my brother I'll be there at half five", text("I'll be there at 5:30")),
        ("could you let Tadeo know I'm not coming tmrw", text("I'm not coming tomorrow")),
        ("ask Tadeo if the plumber came", text("The plumber came?")),
        ("remind me tomorrow at 3 pm to feed the cat", remind("2026-03-13T15:00:00", "Feed the cat")),
        ("don't let me forget to feed the cat tomorrow at 3 pm", remind("2026-03-13T15:00:00", "Feed the cat")),
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


def test_only_how_an_order_opens_is_let_go() -> None:
    table = tomllib.loads((Path(gate.__file__).parent / "gate.toml").read_text(encoding="utf-8"))["coverage"]
    opening = gate_words().opening
    assert opening.search(table["example"])
    assert not opening.search(table["counter"])


def test_a_question_before_an_order_turns_no_wish() -> None:
    assert left("how late is it? ring Tadeo", Call("call_contacts", {"person": "Tadeo Ruiz"})) == ()
    assert left("ring Tadeo. or is it Mum?", Call("call_contacts", {"person": "Tadeo Ruiz"})) == ("or", "mum")


def test_what_asks_for_another_action_is_in_that_one() -> None:
    query = "cancel choir and text Tadeo I have the flu"
    assert set(left(query, CANCEL)) == {"text", "tadeo", "flu"}
    assert left(query, CANCEL, text("I have the flu")) == ()

"""What only the person can tell: wishes taken back, namesakes, halves of the day."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.gate import Scene, judge
from camphor.device.device import Device
from camphor.device.people import receivers
from camphor.tools.tool import Kind
from camphor.types import Call, Turn
from tests.doubles.small_phone import small_phone

NOW = datetime(2026, 3, 12, 8, 45)
PEOPLE: list[dict[str, Any]] = [
    {"name": "Ines Marques", "phone_number": "555-100-0000", "relationship": "me", "is_self": True},
    {"name": "Lurdes Marques", "phone_number": "555-100-0001", "relationship": "mother"},
    {"name": "Sean Byrne", "phone_number": "555-100-0003", "relationship": "plumber"},
    {"name": "Sean Walsh", "phone_number": "555-100-0004", "relationship": "colleague"},
    {"name": "Ann Mallett", "phone_number": "555-100-0005", "relationship": "bell ringer"},
    {"name": "Anne Mallows", "phone_number": "555-100-0006", "relationship": "churchwarden"},
]
PHONE = small_phone(PEOPLE, NOW.isoformat(), [{"title": "Book club", "start": "2026-03-13T20:00:00"}])


def doubt(query: str, call: Call, *proposed: Call) -> str:
    """What is open about a call, by the gate."""
    device = Device.create(None, PHONE)
    tool = device.toolbox.get(call.name)
    actions = tuple(each for each in device.toolbox if each.kind is Kind.ACTION)
    reached = receivers(device, tool, call, [query])
    scene = Scene(Turn(query), (), NOW, device.people(), reached=reached, actions=actions, proposed=proposed)
    verdict = judge(tool, call, call, scene, "do it")
    return verdict.refusal or verdict.doubt


def text(number: int, content: str) -> Call:
    return Call("send_imessage_message", {"receiver": f"555-100-000{number}", "content": content})


def remind(time: str, content: str) -> Call:
    return Call("create_reminders", {"time": time, "content": content})


@pytest.mark.parametrize(
    ("query", "call", "held"),
    [
        ("text my mother I'm late", text(1, "I'm late"), False),
        ("ring my mother. nah, leave her be", Call("call_contacts", {"person": "Lurdes Marques"}), True),
        ("text my mother that we come at noon. no wait, scrap that", text(1, "We come at noon"), True),
        # of two Seans
        ("text Sean I'm late", text(4, "I'm late"), True),
        ("text Sean the plumber I'm late", text(3, "I'm late"), False),
        ("text Sean the plumber I'm late", text(4, "I'm late"), True),
        ("text Sean W I'm late", text(4, "I'm late"), False),
        ("ring Ann Mallett", Call("call_contacts", {"person": "Anne Mallows"}), True),
        ("ring Ann Mallett", Call("call_contacts", {"person": "Ann Mallett"}), False),
        # halves of the day
        ("remind me tomorrow at one to water the plants", remind("2026-03-13T13:00:00", "water the plants"), False),
        ("remind me tomorrow at one to water the plants", remind("2026-03-13T01:00:00", "water the plants"), True),
        ("remind me half past seven in the evening to ring Bo", remind("2026-03-12T07:30:00", "ring Bo"), True),
    ],
)
def test_what_is_open_is_asked_about(query: str, call: Call, held: bool) -> None:
    assert bool(doubt(query, call)) is held


def test_the_same_in_other_words_is_asked_about() -> None:
    query = "tell my mother that the ladder is in the shed"
    first, again = text(1, "The ladder is in the shed"), text(1, "Mum, the ladder: in the shed")
    assert not doubt(query, first)
    assert doubt(query, again, first)

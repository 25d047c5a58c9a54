"""What may be done before a person has seen it: what two readings agree on, or the person's words settle."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.gate import Scene, doubt_of_unseen
from camphor.agents.gate.second_reading import same_sense, says_as_said
from camphor.device.device import Device
from camphor.types import Call, Turn
from tests.doubles.small_phone import small_phone

NOW = datetime(2026, 3, 12, 8, 45)
PEOPLE: list[dict[str, Any]] = [
    {"name": "Aoife Brennan", "phone_number": "555-200-0000", "relationship": "me", "is_self": True},
    {"name": "Tadeo Ruiz", "phone_number": "555-200-0001", "relationship": "brother"},
    {"name": "Greta Lindqvist", "phone_number": "555-200-0002", "relationship": "dentist"},
    {"name": "Omar Haddad", "phone_number": "555-200-0003", "relationship": "landlord"},
    {"name": "Omar Nasser", "phone_number": "555-200-0004", "relationship": "coach"},
]
PHONE = small_phone(
    PEOPLE,
    NOW.isoformat(),
    [
        {"title": "Choir", "start": "2026-03-13T20:00:00"},
        {"title": "Choir outing", "start": "2026-03-20T08:00:00"},
        {"title": "Chess night", "start": "2026-03-19T20:00:00"},
    ],
)


def text(number: int, content: str) -> Call:
    return Call("send_imessage_message", {"receiver": f"555-200-000{number}", "content": content})


def remind(time: str, content: str) -> Call:
    return Call("create_reminders", {"time": time, "content": content})


def ring(person: str) -> Call:
    return Call("call_contacts", {"person": person})


def doubt(query: str, call: Call, *readings: Call, most: int = 1, asked: list[str] | None = None) -> str:
    """Why a call is left to the person; `asked` is told when the second reading was needed."""

    def read() -> tuple[Call, ...]:
        if asked is not None:
            asked.append(query)
        return readings

    with Device.create(None, PHONE) as device:
        scene = Scene(Turn(query), (), NOW, device.people(), place="Aoife Brennan", actions=tuple(device.toolbox))
        tool = device.toolbox.get(call.name)
        lists = [device.records(each.app, each.name) for each in device.lists() if each.app == tool.app]
        return doubt_of_unseen(tool, call, scene, most, lambda of: lists, read, lambda each: f"Do {each.name}")


@pytest.mark.parametrize(
    ("query", "content", "same"),
    [
        ("tell Tadeo I'll bring the ladder at half past five", "I'll bring the ladder at 5:30.", True),
        ("tell Tadeo he can keep his ladder", "You can keep your ladder", True),
        (
            "tell Tadeo I'll bring his ladder and he brings my drill",
            "You bring my ladder and I bring your drill",
            False,
        ),
        ("tell Tadeo the game is at 6 now, not at 4", "The game is at 4 now, not at 6", False),
        ("tell Tadeo I can come at 5, but only until 8", "I can come at 5", False),
        ("tell Tadeo noon is ok if the roof is dry", "Noon is ok.", False),
        ("tell Tadeo I'll bring the ladder", "I'll bring the ladder, and I'll paint your shed.", False),
        ("tell Tadeo not to buy the tiles", "Buy the tiles", False),
        ("tell Tadeo I'm free on Tuesday evening", "I'm free on Sunday evening", False),
        ("he asks whether to bring the tiles. remind me at 7 to answer him", "Yes, bring the tiles", False),
        ("text Tadeo where does he keep the key... no. let him sleep", "Where do you keep the key?", False),
        ("remind me Sunday at 7 pm to water the ferns", "Water the ferns", True),
        ("tell Tadeo the key is in locker C", "The key is in locker F", False),
        ("tell Tadeo the mortar takes 3 lb of lime", "The mortar takes 3 kg of lime", False),
        ("tell Tadeo rent goes up by 40", "Rent goes up to 40", False),
        ("tell Tadeo yes to the ladder. the saw is our secret", "Yes to the ladder, the saw is our secret", False),
        ("tell Tadeo I get 15 an hour on Saturdays", "I get 15 on Saturdays", False),
        ("tell Tadeo my drill is with me", "My drill is with you", False),
        ("add a card: to put off / to postpone", "To put off: to cancel", False),
    ],
)
def test_a_text_is_the_persons_own_words_in_their_order(query: str, content: str, same: bool) -> None:
    assert says_as_said(content, query, NOW) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The boiler is fixed, come at 5:30", "the boiler's fixed, come at half past five", True),
        ("The boiler is fixed", "The boiler is not fixed", False),
        ("I pay the half now and the rest on Friday", "I pay it all on Friday", False),
        ("The boiler is fixed, call Omar", "The boiler is fixed", False),
        ("The boiler has the code 4417", "The boiler has the code 4417", False),
        ("The boiler is fixed for 15 minutes", "The boiler is fixed for 3 minutes", False),
    ],
)
def test_two_texts_have_one_sense(one: str, other: str, same: bool) -> None:
    assert same_sense(one, other, "the boiler is fixed for 15 minutes, I pay, come at half past five", NOW) is same


def test_what_the_words_alone_settle_is_not_read_again() -> None:
    asked: list[str] = []
    assert doubt("text Tadeo I'm on the late bus", text(1, "I'm on the late bus"), asked=asked) == ""
    assert doubt("remind me tomorrow at 3 pm to feed the cat", remind("2026-03-13T15:00:00", "Feed the cat")) == ""
    assert asked == []


@pytest.mark.parametrize(
    ("query", "call", "plain"),
    [
        ("cancel chess", Call("cancel_calendar_event", {"event_title": "Chess night"}), True),
        ("cancel choir", Call("cancel_calendar_event", {"event_title": "Choir outing"}), False),  # or Choir
        ("ring Tadeo", ring("Tadeo Ruiz"), True),
        ("ring Omar", ring("Omar Haddad"), False),
        ("text Tadeo I'm on Greta's bus", text(1, "I'm on Greta's bus"), False),
        ("remind me tomorrow at 3 pm, or 4 pm, to feed the cat", remind("2026-03-13T15:00:00", "Feed it"), False),
    ],
)
def test_what_may_mean_another_is_not_plain(query: str, call: Call, plain: bool) -> None:
    assert (doubt(query, call) == "") is plain


def test_what_both_readings_agree_on_may_be_done() -> None:
    query, call = "a ping tomorrow evening at seven, the cat's drops", remind("2026-03-13T19:00:00", "Cat's drops")
    assert doubt(query, call, remind("2026-03-13T19:00:00", "The cat's drops")) == ""
    assert "Do create_reminders" not in (told := doubt(query, call, remind("2026-03-13T18:00:00", "Cat's drops")))
    assert "do create_reminders" in told
    assert "no such wish" in doubt(query, call)
    assert doubt(query, call, call, remind("2026-03-13T20:00:00", "Choir"))  # of two readings neither is sure
    assert doubt(query, call, call, remind("2026-03-13T20:00:00", "Choir"), most=2) == ""


def test_each_text_goes_to_its_receiver() -> None:
    query = "tell Greta six suits me, and Tadeo that I fetch him at five"
    both = (text(2, "Six suits me"), text(1, "I fetch you at five"))
    assert doubt(query, text(1, "I fetch you at five"), *both, most=2) == ""
    assert doubt(query, text(2, "I fetch you at five"), *both, most=2)


@pytest.mark.parametrize(
    ("query", "call"),
    [
        (
            "remind me at 10... no, say half past eleven, to ring the bank",
            remind("2026-03-12T10:00:00", "Ring the bank"),
        ),
        ("if the dentist moved it, ring her at once", ring("Greta Lindqvist")),
        ("ring Omar, the one with the whistle", ring("Omar Haddad")),
    ],
)
def test_corrections_conditions_and_what_tells_namesakes_apart_are_for_the_person(query: str, call: Call) -> None:
    assert "not all of it is in this" in doubt(query, call, call)


@pytest.mark.parametrize(
    ("query", "call"),
    [
        ("remind me on Saturday at half eight to feed the hens", remind("2026-03-14T20:30:00", "Feed the hens")),
        ("remind me tomorrow at 3 pm to feed the cat, the other cat", remind("2026-03-13T15:00:00", "Feed the cat")),
        ("text Tadeo I'm on the bus. I can't be doing with the car", text(1, "I'm on the bus")),
        ("cancel the chess I said yes to", Call("cancel_calendar_event", {"event_title": "Choir"})),
    ],
)
def test_what_the_words_leave_open_is_for_the_person(query: str, call: Call) -> None:
    assert doubt(query, call, call)


@pytest.mark.parametrize(
    ("query", "call"),
    [
        ("remind me at half seven to feed the hens", remind("2026-03-12T19:30:00", "Feed the hens")),
        ("remind me tomorrow at 14:30 to feed the hens", remind("2026-03-13T14:30:00", "Feed the hens")),
        ("remind me Friday the 20th at 3 pm to pay the rent", remind("2026-03-20T15:00:00", "Pay the rent")),
        ("remind me in 20 minutes to turn the eggs", remind("2026-03-12T09:05:00", "Turn the eggs")),
        ("text Tadeo only the blue tiles, not the other ones", text(1, "Only the blue tiles, not the other ones")),
        ("cancel choir outing", Call("cancel_calendar_event", {"event_title": "Choir outing"})),
        ("cancel chess", Call("cancel_calendar_event", {"event_title": "Chess night"})),
    ],
)
def test_what_is_said_in_full_leaves_nothing_open(query: str, call: Call) -> None:
    assert doubt(query, call, call) == ""


def test_a_condition_that_is_in_the_text_is_for_its_reader() -> None:
    query = "text Tadeo he can go in if I'm not back"
    assert doubt(query, text(1, "You can go in if I'm not back")) == ""


def test_a_full_name_tells_namesakes_apart() -> None:
    assert doubt("ring Omar Nasser", ring("Omar Nasser"), ring("Omar Nasser")) == ""

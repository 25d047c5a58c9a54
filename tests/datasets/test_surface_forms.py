"""Gold steps in words: every form normalises back to the gold value, and is one that a model can copy."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.device.device import Device
from camphor.trajectories.items import Item
from camphor.types import Call
from camphor_lab.datasets.surface_forms import FormCounts, with_surface_forms

DEVICE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "ines",
    "owner": "Ines Marques",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "location": {"latitude": 53.34, "longitude": -6.26, "city": "Dublin", "country": "Ireland"},
    "apps": {
        "contacts": {
            "people": [
                {"name": "Alice Johnson", "phone_number": "555-123-4567", "email": "alice@example.org"},
                {"name": "Sam Ford", "phone_number": "555-123-0001"},
                {"name": "Sam Ford", "phone_number": "555-123-0002"},
            ]
        },
        "calendar": {"events": [{"title": "MOT", "start": "2026-03-20T08:30:00", "end": "2026-03-20T09:30:00"}]},
        "imessage": {"messages": []},
        "reminders": {"reminders": []},
        "mail": {
            "messages": [
                {"sender": "Kim", "subject": "Briefing", "date": "2026-03-11T10:00:00", "body": "Starts 14:20."}
            ]
        },
        "matgo": {
            "description": "tickets",
            "tools": [
                {
                    "name": "buy_matgo_ticket",
                    "kind": "action",
                    "description": "Buy a ticket.",
                    "parameters": {
                        "type": "object",
                        "properties": {"time": {"type": "string", "format": "date-time"}},
                        "required": ["time"],
                    },
                }
            ],
            "records": {},
        },
    },
}


def item(query: str, *calls: tuple[str, dict[str, Any]], history: tuple[dict[str, Any], ...] = ()) -> Item:
    steps = tuple({"agent": "task_completion", "calls": [{"name": n, "arguments": a}]} for n, a in calls)
    return Item("x", DEVICE, query, steps=steps, history=history)


def worded(query: str, time: str, look_up: tuple[str, dict[str, Any]] | None = None) -> str:
    looked = (look_up,) if look_up else ()
    found = with_surface_forms(item(query, *looked, ("create_reminders", {"time": time, "content": "x"})), DEVICE)
    said = found.steps[-1]["calls"][0]["arguments"]["time"]
    with Device.create(None, DEVICE) as device:
        normal = device.normalise(Call("create_reminders", {"time": said, "content": "x"}))
    assert normal.arguments["time"] == time
    return str(said)


@pytest.mark.parametrize(
    ("query", "time", "words"),
    [
        ("remind me tomorrow at 5 pm to call", "2026-03-13T17:00:00", "tomorrow at 5 pm"),
        ("nudge me in 20 minutes", "2026-03-12T09:05:00", "in 20 minutes"),
        ("at noon remind me she's due a pill", "2026-03-12T12:00:00", "noon"),
        ("Practice is on Friday. Remind me at 7 in the evening", "2026-03-13T19:00:00", "Friday at 7 in the evening"),
        ("tell me on the 4th and half ten that night", "2026-04-04T22:30:00", "the 4th at half ten that night"),
        ("they come the twentieth, remind me the day before at 9 in the evening", "2026-03-19T21:00:00",
         "the day before the twentieth at 9 in the evening"),
        ("make it good", "2026-05-01T11:10:00", "Fri 1 May 11:10"),
        ("make it good", "2027-05-01T11:10:00", "Sat 1 May 2027 11:10"),
    ],
)  # fmt: skip
def test_a_time_takes_the_words_of_the_query(query: str, time: str, words: str) -> None:
    assert worded(query, time) == words


@pytest.mark.parametrize(
    ("query", "time", "words"),
    [
        ("remind me half an hour before the MOT", "2026-03-20T08:00:00", "half an hour before Fri 20 Mar 08:30"),
        ("evening before at seven, the MOT", "2026-03-19T19:00:00", "the evening before Fri 20 Mar 08:30 at seven"),
        ("Evening before at seven, the MOT", "2026-03-19T19:00:00", "the evening before Fri 20 Mar 08:30 at seven"),
        ("the MOT, remind me half nine the night before", "2026-03-19T21:30:00",
         "the night before Fri 20 Mar 08:30 at half nine"),
        ("wake me when the MOT starts", "2026-03-20T08:30:00", "Fri 20 Mar 08:30"),
        ("shift the MOT to Monday, same hour", "2026-03-16T08:30:00", "Monday at 08:30"),
        ("the MOT, and at five that day fetch it", "2026-03-20T17:00:00", "Fri 20 Mar at five that day"),
    ],
)  # fmt: skip
def test_a_time_is_counted_from_what_was_observed(query: str, time: str, words: str) -> None:
    assert worded(query, time, ("get_calendar_event", {"theme": "MOT"})) in (words, words.removesuffix(" that day"))


@pytest.mark.parametrize(
    ("query", "time", "words"),
    [
        ("on the eve of the MOT, at seven, remind me", "2026-03-19T19:00:00",
         "the evening before Fri 20 Mar 08:30 at seven"),
        ("the MOT comes Tuesday, remind me that Friday at noon", "2026-03-20T12:00:00",
         "the Friday after Tuesday at noon"),
    ],
)  # fmt: skip
def test_a_shift_may_be_meant_by_other_words(query: str, time: str, words: str) -> None:
    assert worded(query, time, ("get_calendar_event", {"theme": "MOT"})) == words


@pytest.mark.parametrize(
    ("note", "time", "words"),
    [
        ("We come on the 24th, same time", "2026-03-24T08:30:00", "the 24th at 08:30"),
        ("Leave it with us half an hour before", "2026-03-20T08:00:00", "half an hour before Fri 20 Mar 08:30"),
        ("No driving after 8 pm the night before", "2026-03-19T20:00:00", "the night before Fri 20 Mar 08:30 at 8 pm"),
        ("Rather at half six", "2026-03-20T18:30:00", "Fri 20 Mar at half six"),
    ],
)
def test_what_a_found_text_says_of_time_counts_from_the_record(note: str, time: str, words: str) -> None:
    event = {"title": "MOT", "start": "2026-03-20T08:30:00", "notes": note}
    phone = {**DEVICE, "apps": {**DEVICE["apps"], "calendar": {"events": [event]}}}
    look_up = ("get_calendar_event", {"theme": "MOT"})
    found = with_surface_forms(
        item("as they say", look_up, ("create_reminders", {"time": time, "content": "x"})), phone
    )
    assert found.steps[-1]["calls"][0]["arguments"]["time"] == words


def test_a_length_counts_from_the_record_rather_than_from_a_part_of_the_day() -> None:
    phone = {
        **DEVICE,
        "apps": {**DEVICE["apps"], "calendar": {"events": [{"title": "Gig", "start": "2026-03-12T20:00:00"}]}},
    }
    reminder = ("create_reminders", {"time": "2026-03-12T19:55:00", "content": "x"})
    query = "five minutes before the gig tonight"
    found = with_surface_forms(item(query, ("get_calendar_event", {"theme": "Gig"}), reminder), phone)
    assert found.steps[-1]["calls"][0]["arguments"]["time"] == "five minutes before Thu 12 Mar 20:00"
    alone = with_surface_forms(item("five minutes before tonight", reminder), phone)
    assert alone.steps[-1]["calls"][0]["arguments"]["time"] == "five minutes before tonight"


def test_an_hour_is_taken_from_an_observed_text() -> None:
    assert (
        worded("the briefing tomorrow", "2026-03-13T14:20:00", ("get_mail_event", {"theme": "Briefing"}))
        == "tomorrow at 14:20"
    )


@pytest.mark.parametrize(
    ("query", "gold", "words"),
    [
        ("whats on tmrw", "2026-03-13", "tmrw"),
        ("anything on Tuesday?", "2026-03-17", "Tuesday"),
        ("cancel lunch next week", "2026-03-16/2026-03-22", "next week"),
        ("who have I got next", "2026-03-12", "today"),
        ("when is the tournament", "2026-03-12/2026-04-30", "Thu 12 Mar to Thu 30 Apr"),
    ],
)
def test_ranges(query: str, gold: str, words: str) -> None:
    found = with_surface_forms(item(query, ("get_calendar_event", {"time_range": gold})), DEVICE)
    assert found.steps[0]["calls"][0]["arguments"]["time_range"] == words


def test_receivers_become_names_only_where_the_name_says_who() -> None:
    counts = FormCounts()
    found = with_surface_forms(
        item(
            "tell them",
            ("send_imessage_message", {"receiver": "555-123-4567", "content": "hi"}),
            ("send_imessage_message", {"receiver": "555-123-0001", "content": "hi"}),
            ("send_mail", {"receiver": "alice@example.org", "content": "hi"}),
            ("send_mail", {"receiver": "who@example.org", "content": "hi"}),
        ),
        DEVICE,
        counts,
    )
    said = [step["calls"][0]["arguments"]["receiver"] for step in found.steps]
    assert said == ["Alice Johnson", "555-123-0001", "Alice Johnson", "who@example.org"]
    assert counts.receivers == {"name": 2, "kept": 2}


def test_other_apps_and_earlier_turns_are_put_in_words_and_gold_calls_stay() -> None:
    ticket = {"name": "buy_matgo_ticket", "arguments": {"time": "2026-03-13T17:00:00"}}
    turn = {
        "query": "a ticket Friday at five",
        "steps": [{"agent": "task_completion", "calls": [ticket]}],
        "response": "Done.",
    }
    later = item("another one at six", ("buy_matgo_ticket", {"time": "2026-03-13T18:00:00"}), history=(turn,))
    gold = Item(**{**later.__dict__, "calls": (ticket,)})
    found = with_surface_forms(gold, DEVICE)
    assert found.history[0]["steps"][0]["calls"][0]["arguments"]["time"] == "Friday at five"
    assert found.history[0]["response"] == "Done."
    assert found.steps[0]["calls"][0]["arguments"]["time"] == "Fri 13 Mar at six"
    assert found.calls == (ticket,)
    assert turn["steps"][0]["calls"][0]["arguments"]["time"] == "2026-03-13T17:00:00"  # type: ignore[index]

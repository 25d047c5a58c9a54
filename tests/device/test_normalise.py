"""Values as people write them become the contract's values; what is not clear is refused with what would be."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.people import well_formed_number
from camphor.errors import AmbiguousValue, ArgumentError, ToolError, UnknownTool, UnknownValue
from camphor.types import Call
from tests.doubles.device import device, phone


def normal(tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The normalised arguments; what comes out must go in again unchanged."""
    made = device()
    once = made.normalise(Call(tool, arguments))
    assert made.normalise(once) == once
    return dict(once.arguments)


@pytest.mark.parametrize(
    ("receiver", "expected"),
    [
        ("Alice Johnson", "555-123-4567"),
        ("alice", "555-123-4567"),
        ("my travel buddy", "555-123-4567"),
        ("my sister", "085 555 0102"),
        ("zoe", "085 555 0102"),
        ("555 123 4567", "555-123-4567"),
        ("alice@example.org", "555-123-4567"),
        ("Tom Byrne", "Tom Byrne"),  # a contact without a number
        ("Old Mr Finch", "Old Mr Finch"),
        ("me", "085-555-0100"),
        ("+351 21 555 0199", "+351 21 555 0199"),
        ("stranger@example.com", "stranger@example.com"),
    ],
)
def test_message_receivers(receiver: str, expected: str) -> None:
    assert normal("send_imessage_message", receiver=receiver, content="x")["receiver"] == expected


@pytest.mark.parametrize(
    ("receiver", "expected"),
    [
        ("alice", "alice@example.org"),
        ("555-123-4567", "alice@example.org"),
        ("my plumber", "tom@example.org"),
        ("Zoë Byrne", "Zoë Byrne"),
        ("Nora Keane", "nora@example.com"),  # known to the mail app only
        ("Nora Keane <nora@example.com>", "nora@example.com"),
        ("stranger@example.com", "stranger@example.com"),
    ],
)
def test_mail_receivers(receiver: str, expected: str) -> None:
    assert normal("send_mail", receiver=receiver, content="x")["receiver"] == expected


def test_a_mail_cannot_go_to_a_number_or_to_nobody() -> None:
    for receiver in ("+351 21 555 0199", "Nora", "Barack", "???", "((((", " "):
        with pytest.raises(ToolError) as caught:
            normal("send_mail", receiver=receiver, content="x")
        assert not isinstance(caught.value, AmbiguousValue)


def test_several_people_are_candidates_and_never_a_guess() -> None:
    with pytest.raises(AmbiguousValue) as caught:
        normal("send_mail", receiver="Tom", content="x")
    assert caught.value.candidates == ("Tom Byrne (Plumber, tom@example.org)", "Tom Walsh (085 555 0104)")


def test_an_unknown_person_names_the_nearest() -> None:
    with pytest.raises(UnknownValue, match="Alice Johnson"):
        normal("call_contacts", person="Alisha Jonson")


@pytest.mark.parametrize(
    ("person", "expected"), [("my sister", "Zoë Byrne"), ("ALICE", "Alice Johnson"), ("085 555 0199", "085 555 0199")]
)
def test_people_to_call(person: str, expected: str) -> None:
    assert normal("call_contacts", person=person)["person"] == expected


def test_namesakes_are_told_apart_by_their_number() -> None:
    data = phone()
    data["apps"]["contacts"]["people"] = [
        {"name": "Jo Ryan", "phone_number": "555-0101", "relationship": "Boss"},
        {"name": "Jo Ryan", "phone_number": "555-0102", "relationship": "Dentist"},
        {"name": "Kim Lee", "phone_number": "555-0103"},
        {"name": "Kim Lee", "email": "kim@example.org"},
    ]
    made = Device.create(None, data)
    with pytest.raises(AmbiguousValue, match=r"Jo Ryan \(Boss, 555-0101\); Jo Ryan \(Dentist, 555-0102\)"):
        made.normalise(Call("call_contacts", {"person": "Jo Ryan"}))
    once = made.normalise(Call("call_contacts", {"person": "my dentist"}))
    assert once.arguments["person"] == "555-0102"
    assert made.normalise(once) == once
    # two records of one person
    assert (
        made.normalise(Call("send_mail", {"receiver": "Kim", "content": "x"})).arguments["receiver"]
        == "kim@example.org"
    )


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("trip to porto", "Trip to Porto"),
        ("porto", "Trip to Porto"),
        ("dentist", "Dentist check-up"),  # the past one is over
        ("the trip to Porto with everybody", None),
        ("choir", "Choir"),
        ("lunch with zoe", "Lunch with Zoë"),
    ],
)
def test_titles_of_events(title: str, expected: str | None) -> None:
    if expected is None:
        assert normal("cancel_calendar_event", event_title=title)["event_title"] == "Trip to Porto"
    else:
        assert normal("cancel_calendar_event", event_title=title)["event_title"] == expected


def test_several_titles_are_candidates_and_unknown_ones_name_what_is_near() -> None:
    with pytest.raises(AmbiguousValue) as caught:
        normal("cancel_calendar_event", event_title="lunch")
    assert caught.value.candidates == ("Lunch with Tom", "Lunch with Zoë")
    with pytest.raises(UnknownValue, match="Lunch with Tom"):
        normal("cancel_calendar_event", event_title="lunch with the queen")
    with pytest.raises(UnknownValue, match="Dentist check-up"):
        normal("cancel_calendar_event", event_title="coronation")


def test_an_inflected_title_is_the_one_event_that_it_begins() -> None:
    assert normal("cancel_calendar_event", event_title="dentis check")["event_title"] == "Dentist check-up"


def test_times_and_days() -> None:
    assert normal("create_reminders", time="tomorrow at 5 pm", content="x")["time"] == "2026-03-13T17:00:00"
    assert normal("create_reminders", time="in 20 minutes", content="x")["time"] == "2026-03-12T09:05:00"
    assert normal("get_calendar_event", time_range="tomorrow") == {"time_range": "2026-03-13"}
    assert normal("get_calendar_event", time_range="2026-03-13/2026-03-15") == {"time_range": "2026-03-13/2026-03-15"}
    # in Ireland 3/4 is the third of April
    assert normal("create_reminders", time="3/4 at 10:00", content="x")["time"] == "2026-04-03T10:00:00"
    with pytest.raises(ArgumentError, match=r"create_reminders\(time='someday'\)"):
        normal("create_reminders", time="someday", content="x")


def test_a_manifests_dates_and_references() -> None:
    assert normal("get_spotify_playlists", made="tomorrow") == {"made": "2026-03-13"}
    assert normal("play_spotify_playlist", name="LONG RUN") == {"name": "Long run"}
    assert normal("play_spotify_playlist", name="Brand new") == {"name": "Brand new"}
    with pytest.raises(ArgumentError, match="one day"):
        normal("get_spotify_playlists", made="next week")


def test_an_hour_is_no_code_of_a_record_that_has_it_elsewhere() -> None:
    data = phone()
    change = {
        "name": "change_shift",
        "kind": "action",
        "description": "Change the hours of a shift.",
        "parameters": {"type": "object", "properties": {"from": {"type": "string"}, "shift_ref": {"type": "string"}}},
    }
    records = {"shifts": [{"shift_ref": "SH-11", "title": "Front door", "from": "10:00", "until": "14:00"}]}
    data["apps"]["rota"] = {"description": "Rota", "tools": [change], "records": records}
    with Device.create(None, data) as made:
        for hour in ("14:00", "10:30", "14.00"):
            assert made.normalise(Call("change_shift", {"from": hour})).arguments == {"from": hour}
        assert made.normalise(Call("change_shift", {"shift_ref": "front door"})).arguments == {"shift_ref": "SH-11"}


def test_names_take_the_spelling_of_the_records() -> None:
    assert normal("play_music", title="agua de beber") == {"title": "Água de Beber"}
    assert normal("play_music", title="water music") == {"title": "water music"}


def test_unknown_tools_and_parameters_are_refused() -> None:
    with pytest.raises(UnknownTool):
        normal("create_note", content="x")
    with pytest.raises(ArgumentError):
        normal("create_notes", text="x")


def test_a_device_without_contacts_takes_numbers_only() -> None:
    data = phone()
    del data["apps"]["contacts"]
    made = Device.create(None, data)
    send = Call("send_imessage_message", {"receiver": "555-0199", "content": "x"})
    assert made.normalise(send) == send
    with pytest.raises(UnknownValue, match="no contact"):
        made.normalise(Call("send_imessage_message", {"receiver": "Alice", "content": "x"}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("112", True),
        ("+353 (0)85 555-0102", True),
        ("555-0100 x12", True),
        ("12", False),
        ("1" * 16, False),
        ("5 pm", False),
    ],
)
def test_well_formed_numbers(text: str, expected: bool) -> None:
    assert well_formed_number(text) is expected


def test_one_time_among_other_words_is_that_time() -> None:
    assert normal("create_reminders", time="the visit tomorrow at 9:30", content="Go")["time"].endswith("T09:30:00")
    with pytest.raises(ArgumentError):
        normal("create_reminders", time="tomorrow at 7 and tomorrow at 8", content="Go")


def test_a_birth_date_stands_for_the_birthday() -> None:
    time = normal("create_reminders", time="two days before Sun 19 Jul 1981", content="Order the cake")["time"]
    assert time[4:10] == "-07-17"
    assert time[:4] >= "2025"

"""What a device answers and does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from camphor.device.apps import BUILT_IN_APPS, tools_of
from camphor.device.device import Device
from camphor.errors import DeviceFileError, UsageError
from camphor.tools.tool import Kind, Role
from camphor.types import Agent, Call
from tests.doubles.device import call, device, phone, titles

# The contract, section 2.
CONTEXT = """get_settings_cellular() get_settings_notifications(keyword) get_health_records() get_health_medications()
get_fitness_summary() get_safari_history(keyword) get_news_history(keyword) get_podcasts_history(keyword)
get_notes_content(keyword) get_reminders_content(keyword,time_range) get_calendar_event(theme,time_range)
get_mail_event(theme,time_range) get_imessage_history(keyword) get_music_playlist(keyword) get_voice_recording(keyword)
get_books_library() get_contacts_information(keyword) get_appstore_history() get_maps_places(keyword)
get_amazon_information() get_amazon_orders(keyword) get_instagram_information() get_instagram_post(keyword)"""
ACTION = """play_podcasts(title) create_notes(content) create_reminders(time,content)
create_calendar_event(time,event_title) cancel_calendar_event(event_title) send_mail(receiver,content)
send_imessage_message(receiver,content) play_music(title) call_contacts(person) download_appstore_app(app_name)
show_maps_place(name) show_amazon_item(name) create_instagram_post(content)"""


def test_the_built_in_apps_have_the_contracts_tools() -> None:
    tools = [tool for app in BUILT_IN_APPS for tool in tools_of(app)]
    assert len(BUILT_IN_APPS) == 19
    for kind, agent, table in ((Kind.CONTEXT, Agent.CONTEXT, CONTEXT), (Kind.ACTION, Agent.TASK, ACTION)):
        made = [tool for tool in tools if tool.kind is kind]
        assert {f"{t.name}({','.join(p.name for p in t.parameters)})" for t in made} == set(table.split())
        assert len(made) == len(table.split())
        assert {tool.agent for tool in made} == {agent}
        assert all(tool.description and all(p.description for p in tool.parameters) for tool in made)


def test_an_installed_app_brings_its_tools_and_no_other_does() -> None:
    made = device()
    assert made.apps == tuple(phone()["apps"])
    assert "get_spotify_playlists" in made.toolbox
    assert "get_books_library" not in made.toolbox
    made.install("books", {"books": [{"title": "Middlemarch"}]})
    assert titles(call(made, "get_books_library")) == ["Middlemarch"]
    assert made.export()["apps"]["books"] == {"books": [{"title": "Middlemarch"}]}
    with pytest.raises(UsageError, match="installed"):
        made.install("books", {})
    with pytest.raises(DeviceFileError):
        made.install("zip", {"tools": 3})
    assert "zip" not in made.apps


def test_general_tools_tell_of_the_device() -> None:
    made = device()
    assert call(made, "get_screen_information").records == ({"screen": "Mail: inbox"},)
    assert call(made, "get_location_information").records[0]["city"] == "Dublin"
    assert call(made, "get_time_information").records == (
        {"time": "2026-03-12T08:45:00", "weekday": "Thursday", "timezone": "Europe/Dublin"},
    )
    assert call(made, "get_intent").records == ({"activity": ["08:40 opened Mail"], "screen": "Mail: inbox"},)
    assert titles(call(made, "search_safari", query="Porto weather"), "result") == ["18 degrees"]
    assert call(made, "search_safari", query="score of the match").records == ()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, 7),
        ({"time_range": "2026-03-13"}, ["Dentist check-up"]),
        ({"time_range": "tomorrow"}, ["Dentist check-up"]),
        ({"time_range": "2026-03-22"}, ["Trip to Porto"]),
        ({"time_range": "2026-03-24/2026-03-30"}, ["Trip to Porto"]),
        ({"time_range": "2026-03-14/2026-03-15"}, ["Lunch with Tom", "Lunch with Zoë"]),
        ({"time_range": "2026-03-14/2026-03-15", "theme": "zoe"}, ["Lunch with Zoë"]),
        ({"theme": "alice"}, ["Trip to Porto"]),
        ({"theme": "dentist lunch"}, 4),
        ({"theme": "opera"}, []),
    ],
)
def test_events_by_words_and_days(arguments: dict[str, Any], expected: list[str] | int) -> None:
    found = titles(call(device(), "get_calendar_event", **arguments))
    assert found == expected or len(found) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "app", "list_name", "record"),
    [
        ("create_reminders", {"time": "today at 6 pm", "content": "Call"}, "reminders", "reminders",
         {"content": "Call", "time": "2026-03-12T18:00:00", "done": False}),
        ("create_calendar_event", {"time": "2026-04-01T10:00", "event_title": "Haircut"}, "calendar", "events",
         {"title": "Haircut", "start": "2026-04-01T10:00:00"}),
        ("create_notes", {"content": "Milk"}, "notes", "notes", {"content": "Milk", "modified": "2026-03-12T08:45:00"}),
        ("send_imessage_message", {"receiver": "my travel buddy", "content": "Hi"}, "imessage", "messages",
         {"contact": "Alice Johnson", "from_me": True, "date": "2026-03-12T08:45:00", "text": "Hi"}),
        ("send_mail", {"receiver": "Tom Byrne", "content": "Leak"}, "mail", "messages",
         {"sender": "ines@example.org", "recipients": ["tom@example.org"], "date": "2026-03-12T08:45:00",
          "body": "Leak"}),
        ("call_contacts", {"person": "my sister"}, "contacts", "calls",
         {"person": "Zoë Byrne", "phone_number": "085 555 0102", "date": "2026-03-12T08:45:00"}),
        ("play_music", {"title": "agua de beber"}, "music", "songs",
         {"title": "Água de Beber", "artist": "Astrud", "album": "Live", "played": "2026-03-12T08:45:00"}),
        ("play_podcasts", {"title": "New one"}, "podcasts", "episodes",
         {"title": "New one", "played": "2026-03-12T08:45:00"}),
        ("download_appstore_app", {"app_name": "Zip"}, "appstore", "history",
         {"app": "Zip", "action": "downloaded", "date": "2026-03-12T08:45:00"}),
        ("show_maps_place", {"name": "Pier"}, "maps", "shown", {"name": "Pier", "date": "2026-03-12T08:45:00"}),
        ("show_amazon_item", {"name": "Cup"}, "amazon", "shown", {"item": "Cup", "date": "2026-03-12T08:45:00"}),
        ("create_instagram_post", {"content": "Sea"}, "instagram", "posts",
         {"content": "Sea", "date": "2026-03-12T08:45:00", "likes": 0}),
        ("play_spotify_playlist", {"name": "long run"}, "spotify", "actions",
         {"action": "play_spotify_playlist", "arguments": {"name": "Long run"}, "time": "2026-03-12T08:45:00"}),
    ],
)  # fmt: skip
def test_actions_become_records(
    name: str, arguments: dict[str, Any], app: str, list_name: str, record: dict[str, Any]
) -> None:
    made = device()
    assert call(made, name, **arguments).records == (record,)
    assert made.records(app, list_name)[-1] == record
    inside = made.export()["apps"][app]
    assert (inside.get("records", inside) if app == "spotify" else inside)[list_name][-1] == record
    assert [entry.state for entry in made.journal()] == ["done"]


def with_events(*events: dict[str, Any]) -> Device:
    values = phone()
    values["apps"]["calendar"] = {"events": list(events)}
    return Device.create(None, values)


def test_an_event_that_is_moved_keeps_what_it_says_and_its_length() -> None:
    told = {"location": "Ringsend", "participants": ["Tunde"], "notes": "bring the brace"}
    event = {"title": "Physio", "start": "2026-03-18T17:30:00", "end": "2026-03-18T18:15:00", **told}
    made = with_events(event, {"title": "Quiz", "start": "2026-03-20", "end": "late"})
    call(made, "cancel_calendar_event", event_title="Physio")
    call(made, "create_reminders", time="2026-03-19T09:00:00", content="Pack")  # what stands between changes nothing
    moved = call(made, "create_calendar_event", time="2026-03-19T10:00:00", event_title="physio").records[0]
    assert moved == {"title": "physio", "start": "2026-03-19T10:00:00", "end": "2026-03-19T10:45:00", **told}
    call(made, "cancel_calendar_event", event_title="Quiz")
    again = call(made, "create_calendar_event", time="2026-03-21T19:00:00", event_title="Quiz").records[0]
    assert again == {"title": "Quiz", "start": "2026-03-21T19:00:00"}


def test_an_event_is_not_moved_that_was_put_back() -> None:
    made = with_events({"title": "Physio", "start": "2026-03-18T17:30:00", "location": "Ringsend"})
    call(made, "cancel_calendar_event", event_title="Physio")
    made.undo(made.latest_actions(1)[0].id)
    second = call(made, "create_calendar_event", time="2026-03-25T17:30:00", event_title="Physio").records[0]
    assert second == {"title": "Physio", "start": "2026-03-25T17:30:00"}


def test_cancelling_takes_the_next_of_a_series() -> None:
    made = device()
    taken = made.about(Call("cancel_calendar_event", {"event_title": "Choir"}))
    assert taken is not None
    assert taken["start"] == "2026-03-17T19:00:00"
    assert made.about(Call("create_notes", {"content": "Choir"})) is None
    assert call(made, "cancel_calendar_event", event_title="choir").records[0]["start"] == "2026-03-17T19:00:00"
    assert [event["start"] for event in made.records("calendar", "events") if event["title"] == "Choir"] == [
        "2026-03-10T19:00:00"
    ]


def test_errors_are_told_and_change_nothing() -> None:
    made = device()
    before = made.export()
    for wrong in (
        Call("fly_to_moon", {}),
        Call("create_notes", {}),
        Call("create_notes", {"content": "x", "colour": "red"}),
        Call("create_reminders", {"time": "the day of reckoning", "content": "x"}),
        Call("send_mail", {"receiver": "Tom", "content": "x"}),
        Call("cancel_calendar_event", {"event_title": "Coronation"}),
    ):
        told = made.execute(wrong)
        assert told.error
        assert "\n" not in told.error
        assert told.records == ()
        assert told.call == wrong
    assert made.export() == before
    assert made.journal() == []


def test_facts_are_one_record_and_absent_ones_none() -> None:
    made = device()
    assert call(made, "get_amazon_information").records == ({"name": "Ines", "prime": True},)
    assert call(made, "get_settings_cellular").records[0]["limit_gb"] == "20 GB"
    assert call(made, "get_instagram_information").records == ()


def test_calls_from_several_threads() -> None:
    made = device()
    calls = [Call("create_notes", {"content": f"note {n}"}) for n in range(40)]
    calls += [Call("get_calendar_event", {"theme": "choir"})] * 40
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(made.execute, calls))
    assert all(one.error is None for one in told)
    assert len(made.records("notes", "notes")) == 40


@pytest.mark.parametrize("written", [None, "system"])
def test_the_machines_clock_where_the_file_sets_none(written: str | None) -> None:
    data = {**phone(), "now": written, "timezone": "UTC"}
    with Device.create(None, data) as made:
        apart = made.now - datetime.now(UTC).replace(tzinfo=None)
        assert abs(apart) < timedelta(minutes=1)
        assert made.export()["now"] == written


def test_a_clock_with_an_offset_is_brought_to_the_devices_zone() -> None:
    with Device.create(None, {**phone(), "now": "2026-07-01T10:00:00Z"}) as made:
        assert made.now == datetime(2026, 7, 1, 11, 0)


def test_roles_follow_what_values_mean() -> None:
    made = device().toolbox
    roles = {
        ("send_mail", "receiver"): Role.EMAIL, ("send_imessage_message", "receiver"): Role.PHONE,
        ("call_contacts", "person"): Role.PERSON, ("create_reminders", "time"): Role.TIME,
        ("get_calendar_event", "time_range"): Role.TIME_RANGE, ("get_calendar_event", "theme"): Role.KEYWORD,
        ("cancel_calendar_event", "event_title"): Role.REFERENCE, ("create_calendar_event", "event_title"): Role.TEXT,
        ("search_safari", "query"): Role.QUERY, ("play_music", "title"): Role.NAME,
    }  # fmt: skip
    for (tool, name), role in roles.items():
        parameter = made.get(tool).parameter(name)
        assert parameter is not None
        assert parameter.role is role


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["Long run", "Sunday", "Slow cooking"]),
        ({"keyword": "slow"}, ["Sunday", "Slow cooking"]),
        ({"mood": "slow"}, ["Sunday"]),  # the field of that name comes first
        ({"mood": "cooking"}, ["Slow cooking"]),  # and the whole record where the field has it nowhere
        ({"tracks": 12}, ["Sunday"]),
        ({"tracks": "41"}, ["Long run"]),
        ({"tracks": 40}, []),
        ({"shared": True}, ["Sunday"]),
        ({"made": "2026-02-01"}, ["Sunday", "Slow cooking"]),
        ({"made": "2026-02-01", "shared": False}, ["Slow cooking"]),
        ({"limit": 1}, ["Long run"]),
    ],
)
def test_a_manifests_look_up_matches_words_and_values(arguments: dict[str, Any], expected: list[str]) -> None:
    made = device()
    assert titles(call(made, "get_spotify_playlists", **arguments), "name") == expected
    # the same through the index
    data = phone()
    lists = data["apps"]["spotify"]["records"]
    lists["playlists"] += [{"other": f"filler{number}"} for number in range(300)]
    big = Device.create(None, data)
    found = [record["name"] for record in call(big, "get_spotify_playlists", **arguments).records if "name" in record]
    assert found == expected

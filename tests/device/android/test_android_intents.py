"""Every function becomes the intent that Android's documentation gives, exactly, and refuses what Android would."""

from __future__ import annotations

from typing import Any

import pytest
from dateutil import tz

from camphor.device.android.intent import ContactQuery, Intent, Long, Uri
from camphor.device.android.toolbox import intent_of
from camphor.errors import ArgumentError, UnknownTool
from camphor.types import Call
from tests.doubles.intents import ALARM, CONTACT, EXTRA, FILE, GOLDEN, asked


@pytest.mark.parametrize(("name", "arguments", "intent"), GOLDEN)
def test_the_exact_intent(name: str, arguments: dict[str, Any], intent: Intent | ContactQuery) -> None:
    assert asked(name, **arguments) == intent


def test_all_24_are_among_the_golden_ones() -> None:
    assert len({name for name, _, _ in GOLDEN}) == 24


def test_longs_and_uris_are_marked_for_android() -> None:
    event = asked("ACTION_INSERT_EVENT", TITLE="a", DESCRIPTION="b", EXTRA_EVENT_BEGIN_TIME="1970-01-01T01:00:01")
    assert isinstance(event, Intent)
    assert event.extras["beginTime"] == 1000
    assert isinstance(event.extras["beginTime"], Long)
    sent = asked("send_email", to=["a@example.org"], subject="s", body="b", attachments=[FILE, FILE])
    assert isinstance(sent, Intent)
    streams = sent.extras[EXTRA + "STREAM"]
    assert isinstance(streams, tuple)
    assert all(isinstance(each, Uri) for each in streams)


def test_times_are_the_phones_unless_they_say_otherwise() -> None:
    def begin(time: str, zone: str) -> Any:
        call = Call("ACTION_INSERT_EVENT", {"TITLE": "a", "DESCRIPTION": "b", "EXTRA_EVENT_BEGIN_TIME": time})
        event = intent_of(call, tz.gettz(zone))
        assert isinstance(event, Intent)
        return event.extras["beginTime"]

    assert begin("2026-07-01T12:00:00", "Asia/Tokyo") == begin("2026-07-01T03:00:00+00:00", "Europe/Dublin")
    assert begin("2026-07-01T12:00:00Z", "Asia/Tokyo") == begin("2026-07-01T13:00:00", "Europe/Dublin")


def test_an_intent_says_whether_a_result_comes_back() -> None:
    giving = {name for name, arguments, intent in GOLDEN if isinstance(intent, Intent) and intent.gives_result}
    assert giving == {
        "ACTION_GET_RINGTONE", "ACTION_PICK", "ACTION_IMAGE_CAPTURE", "ACTION_VIDEO_CAPTURE", "ACTION_CREATE_DOCUMENT",
        "ACTION_OPEN_DOCUMENT", "ACTION_GET_CONTENT",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("days", "numbers"),
    [
        (["weekdays"], (2, 3, 4, 5, 6)),
        (["Weekend"], (7, 1)),
        (["every day"], (2, 3, 4, 5, 6, 7, 1)),
        (["Tue", "Tuesdays", "thurs."], (3, 5)),
        ("Monday, Wednesday and Friday", (2, 4, 6)),
    ],
)
def test_days_count_from_sunday_as_in_java(days: Any, numbers: tuple[int, ...]) -> None:
    intent = asked("ACTION_SET_ALARM", EXTRA_HOUR=1, EXTRA_MINUTES=2, EXTRA_DAYS=days)
    assert isinstance(intent, Intent)
    assert intent.extras[ALARM + "DAYS"] == numbers


MAIL = {"to": ["a@example.org"], "subject": "s", "body": "b"}
EVENT = {"TITLE": "t", "DESCRIPTION": "d"}


@pytest.mark.parametrize(
    ("name", "arguments", "parameter"),
    [
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": 25, "EXTRA_MINUTES": 0}, "EXTRA_HOUR"),
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": -1, "EXTRA_MINUTES": 0}, "EXTRA_HOUR"),
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 60}, "EXTRA_MINUTES"),
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": 7}, "EXTRA_MINUTES"),
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 0, "EXTRA_DAYS": ["Blursday"]}, "EXTRA_DAYS"),
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 0, "EXTRA_DAYS": ["M"]}, "EXTRA_DAYS"),
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 0, "EXTRA_DAYS": ["Mon", ""]}, "EXTRA_DAYS"),
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 0, "EXTRA_RINGTONE": "bell.mp3"}, "EXTRA_RINGTONE"),
        ("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 0, "HOUR": 7}, "HOUR"),
        ("ACTION_SET_TIMER", {"duration": "0 seconds"}, "duration"),
        ("ACTION_SET_TIMER", {"duration": "24 hours 1 seconds"}, "duration"),
        ("ACTION_SET_TIMER", {"duration": "a while"}, "duration"),
        ("ACTION_SET_TIMER", {"duration": ""}, "duration"),
        ("ACTION_INSERT_EVENT", {"TITLE": " ", "DESCRIPTION": "d"}, "TITLE"),
        ("ACTION_INSERT_EVENT", {**EVENT, "EXTRA_EVENT_BEGIN_TIME": "soon"}, "EXTRA_EVENT_BEGIN_TIME"),
        ("ACTION_INSERT_EVENT", {**EVENT, "EXTRA_EVENT_BEGIN_TIME": "2026-02-30"}, "EXTRA_EVENT_BEGIN_TIME"),
        ("ACTION_INSERT_EVENT", {**EVENT, "EXTRA_EVENT_BEGIN_TIME": "2026-04-02T10:00",
                                 "EXTRA_EVENT_END_TIME": "2026-04-02T09:00"}, "EXTRA_EVENT_END_TIME"),
        ("ACTION_INSERT_EVENT", {**EVENT, "EXTRA_EMAIL": ["Ida"]}, "EXTRA_EMAIL"),
        ("ACTION_INSERT_EVENT", {**EVENT, "EXTRA_EMAIL": ["a@example.org,b@example.org"]}, "EXTRA_EMAIL"),
        ("ACTION_INSERT_CONTACT", {"contact_info": {}}, "contact_info"),
        ("ACTION_INSERT_CONTACT", {"contact_info": {"phone": "call me"}}, "contact_info"),
        ("ACTION_INSERT_CONTACT", {"contact_info": {"email": "nowhere"}}, "contact_info"),
        ("ACTION_INSERT_CONTACT", {"contact_info": "Ida"}, "contact_info"),
        ("ACTION_EDIT_CONTACT", {"contact_uri": "Ida", "contact_info": {"phone": "555"}}, "contact_uri"),
        ("ACTION_VIEW_CONTACT", {"contact_uri": "content://media/external/images/media/1"}, "contact_uri"),
        ("ACTION_VIEW_CONTACT", {"contact_uri": "content://com.android.contacts/contacts/3; reboot"}, "contact_uri"),
        ("ACTION_PICK", {"data_type": "SHOE_SIZE"}, "data_type"),
        ("get_contact_info", {"name": "Ida", "key": "shoe size"}, "key"),
        ("get_contact_info", {"name": " ", "key": "email"}, "name"),
        ("get_contact_info_from_uri", {"contact_uri": CONTACT, "key": "uri"}, "key"),
        ("get_contact_info_from_uri", {"contact_uri": "#0", "key": "email"}, "contact_uri"),
        ("dial", {"phone_number": ""}, "phone_number"),
        ("dial", {"phone_number": "+"}, "phone_number"),
        ("dial", {"phone_number": "Ida"}, "phone_number"),
        ("dial", {"phone_number": "555`id`"}, "phone_number"),
        ("dial", {"phone_number": "٣٤٥"}, "phone_number"),
        ("dial", {"phone_number": "5" * 5000}, "phone_number"),
        ("web_search", {"query": "tea", "engine": "altavista"}, "engine"),
        ("web_search", {"query": ""}, "query"),
        ("search_location", {"query": "\n"}, "query"),
        ("open_settings", {"setting_type": "toaster"}, "setting_type"),
        ("ACTION_CREATE_DOCUMENT", {"mime_type": "text/*", "initial_name": "a.txt"}, "mime_type"),
        ("ACTION_CREATE_DOCUMENT", {"mime_type": "text/plain", "initial_name": ""}, "initial_name"),
        ("ACTION_OPEN_DOCUMENT", {"mime_types": []}, "mime_types"),
        ("ACTION_OPEN_DOCUMENT", {"mime_types": ["PDF"]}, "mime_types"),
        ("ACTION_GET_CONTENT", {"mime_type": "image"}, "mime_type"),
        ("send_message", {"phone_number": "555,666", "subject": "s", "body": "b"}, "phone_number"),
        ("send_message", {"phone_number": "555", "subject": "s", "body": "b", "attachments": ["a.jpg"]},
         "attachments"),
        ("send_email", {**MAIL, "to": []}, "to"),
        ("send_email", {**MAIL, "to": ["a@b"]}, "to"),
        ("send_email", {**MAIL, "cc": ["Ida <ida@example.org>"]}, "cc"),
        ("send_email", {**MAIL, "attachments": ["content://"]}, "attachments"),
        ("send_email", {**MAIL, "attachments": ["intent:#Intent;end"]}, "attachments"),
        ("send_email", {**MAIL, "attachments": ["content://media/%zz"]}, "attachments"),
    ],
)  # fmt: skip
def test_what_android_would_refuse_is_refused(name: str, arguments: dict[str, Any], parameter: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        asked(name, **arguments)
    assert refused.value.tool == name
    assert refused.value.parameter == parameter or refused.value.parameter.startswith(parameter)
    assert refused.value.expected


def test_a_function_that_is_none_of_the_24() -> None:
    with pytest.raises(UnknownTool, match="ACTION_SET_ALARM"):
        asked("ACTION_SET_ALRM")

"""Every function becomes the intent that Android's documentation gives, exactly, and refuses what Android would."""

from __future__ import annotations

from typing import Any

import pytest
from dateutil import tz

from camphor.device.android.intent import ContactQuery, Intent, Long, Uri
from camphor.device.android.toolbox import intent_of
from camphor.errors import ArgumentError, UnknownTool
from camphor.types import Call

COPENHAGEN = tz.gettz("Europe/Copenhagen")
ALARM = "android.intent.extra.alarm."
EXTRA = "android.intent.extra."
OPENABLE = ("android.intent.category.OPENABLE",)
CONTACT = "content://com.android.contacts/contacts/3"
FILE = "content://media/external/images/media/12"


def asked(name: str, /, **arguments: Any) -> Intent | ContactQuery:
    return intent_of(Call(name, arguments), COPENHAGEN)


def alarm(**extras: Any) -> Intent:
    usual = {"VIBRATE": False, "SKIP_UI": True}
    return Intent("android.intent.action.SET_ALARM", extras={ALARM + k: v for k, v in (usual | extras).items()})


def settings(page: str) -> Intent:
    return Intent("android.settings." + page)


GOLDEN: list[tuple[str, dict[str, Any], Intent | ContactQuery]] = [
    ("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 5}, alarm(HOUR=7, MINUTES=5)),
    (
        "ACTION_SET_ALARM",
        {"EXTRA_HOUR": 23, "EXTRA_MINUTES": 59, "EXTRA_MESSAGE": "Bins", "EXTRA_DAYS": ["Sunday", "Sat", "monday"],
         "EXTRA_RINGTONE": "silent", "EXTRA_VIBRATE": True, "EXTRA_SKIP_UI": False},
        alarm(HOUR=23, MINUTES=59, MESSAGE="Bins", DAYS=(1, 7, 2), RINGTONE="silent", VIBRATE=True, SKIP_UI=False),
    ),
    ("ACTION_SET_TIMER", {"duration": "1 hours 30 minutes 15 seconds"},
     Intent("android.intent.action.SET_TIMER", extras={ALARM + "LENGTH": 5415, ALARM + "SKIP_UI": True})),
    ("ACTION_SET_TIMER", {"duration": "24 hours", "EXTRA_MESSAGE": "Tea", "EXTRA_SKIP_UI": False},
     Intent("android.intent.action.SET_TIMER",
            extras={ALARM + "LENGTH": 86_400, ALARM + "MESSAGE": "Tea", ALARM + "SKIP_UI": False})),
    ("ACTION_SHOW_ALARMS", {}, Intent("android.intent.action.SHOW_ALARMS")),
    (
        "ACTION_INSERT_EVENT",
        {"TITLE": "Fair", "DESCRIPTION": "Books", "EVENT_LOCATION": "Hall 4",
         "EXTRA_EVENT_BEGIN_TIME": "2026-03-28T18:00:00", "EXTRA_EVENT_END_TIME": "2026-03-29T18:00:00",
         "EXTRA_EMAIL": ["a@example.org", "b@example.org"]},
        # summer time begins between the two: 23 hours
        Intent("android.intent.action.INSERT", "content://com.android.calendar/events", extras={
            "title": "Fair", "description": "Books", "eventLocation": "Hall 4", "beginTime": 1_774_717_200_000,
            "endTime": 1_774_800_000_000, EXTRA + "EMAIL": "a@example.org,b@example.org"}),
    ),
    (
        "ACTION_INSERT_EVENT",
        {"TITLE": "Trip", "DESCRIPTION": "Skagen", "EXTRA_EVENT_ALL_DAY": True,
         "EXTRA_EVENT_BEGIN_TIME": "2026-04-01"},
        Intent("android.intent.action.INSERT", "content://com.android.calendar/events", extras={
            "title": "Trip", "description": "Skagen", "allDay": True, "beginTime": 1_775_001_600_000}),
    ),
    ("ACTION_GET_RINGTONE", {}, Intent("android.intent.action.RINGTONE_PICKER", extras={EXTRA + "ringtone.TYPE": 4})),
    (
        "ACTION_INSERT_CONTACT",
        {"contact_info": {"name": "Ida Juul", "phone": "555 01 99", "email": "ida@example.org", "company": "Bageri",
                          "address": "Torvet 1"}},
        Intent("android.intent.action.INSERT", type="vnd.android.cursor.dir/contact", extras={
            "name": "Ida Juul", "phone": "555 01 99", "email": "ida@example.org", "company": "Bageri",
            "postal": "Torvet 1"}),
    ),
    ("ACTION_EDIT_CONTACT", {"contact_uri": CONTACT, "contact_info": {"phone": "555 01 98"}},
     Intent("android.intent.action.EDIT", CONTACT, "vnd.android.cursor.item/contact",
            {"phone": "555 01 98", "finishActivityOnSaveCompleted": True})),
    ("ACTION_VIEW_CONTACT", {"contact_uri": CONTACT}, Intent("android.intent.action.VIEW", CONTACT)),
    ("ACTION_PICK", {}, Intent("android.intent.action.PICK", type="vnd.android.cursor.dir/contact")),
    ("ACTION_PICK", {"data_type": "PHONE"},
     Intent("android.intent.action.PICK", type="vnd.android.cursor.dir/phone_v2")),
    ("ACTION_PICK", {"data_type": "EMAIL"},
     Intent("android.intent.action.PICK", type="vnd.android.cursor.dir/email_v2")),
    ("ACTION_PICK", {"data_type": "ADDRESS"},
     Intent("android.intent.action.PICK", type="vnd.android.cursor.dir/postal-address_v2")),
    ("get_contact_info", {"name": "Ida", "key": "uri"}, ContactQuery("uri", name="Ida")),
    ("get_contact_info_from_uri", {"contact_uri": CONTACT, "key": "email"}, ContactQuery("email", uri=CONTACT)),
    ("dial", {"phone_number": "(212) 555 1212"}, Intent("android.intent.action.DIAL", "tel:(212)5551212")),
    ("dial", {"phone_number": "*100#"}, Intent("android.intent.action.DIAL", "tel:*100%23")),
    ("web_search", {"query": "tea & cake = 50%?"},
     Intent("android.intent.action.VIEW", "https://www.baidu.com/s?wd=tea%20%26%20cake%20%3D%2050%25%3F")),
    ("web_search", {"query": "smørrebrød 🥪", "engine": "google"},
     Intent("android.intent.action.VIEW",
            "https://www.google.com/search?q=sm%C3%B8rrebr%C3%B8d%20%F0%9F%A5%AA")),
    ("search_location", {"query": "Café, Torvet 1&z=1"},
     Intent("android.intent.action.VIEW", "geo:0,0?q=Caf%C3%A9%2C%20Torvet%201%26z%3D1")),
    ("ACTION_IMAGE_CAPTURE", {}, Intent("android.media.action.IMAGE_CAPTURE")),
    ("ACTION_VIDEO_CAPTURE", {}, Intent("android.media.action.VIDEO_CAPTURE")),
    ("INTENT_ACTION_STILL_IMAGE_CAMERA", {}, Intent("android.media.action.STILL_IMAGE_CAMERA")),
    ("INTENT_ACTION_VIDEO_CAMERA", {}, Intent("android.media.action.VIDEO_CAMERA")),
    ("open_settings", {}, settings("SETTINGS")),
    ("open_settings", {"setting_type": "wireless"}, settings("WIRELESS_SETTINGS")),
    ("open_settings", {"setting_type": "airplane_mode"}, settings("AIRPLANE_MODE_SETTINGS")),
    ("open_settings", {"setting_type": "wifi"}, settings("WIFI_SETTINGS")),
    ("open_settings", {"setting_type": "apn"}, settings("APN_SETTINGS")),
    ("open_settings", {"setting_type": "bluetooth"}, settings("BLUETOOTH_SETTINGS")),
    ("open_settings", {"setting_type": "date"}, settings("DATE_SETTINGS")),
    ("open_settings", {"setting_type": "locale"}, settings("LOCALE_SETTINGS")),
    ("open_settings", {"setting_type": "input_method"}, settings("INPUT_METHOD_SETTINGS")),
    ("open_settings", {"setting_type": "display"}, settings("DISPLAY_SETTINGS")),
    ("open_settings", {"setting_type": "security"}, settings("SECURITY_SETTINGS")),
    ("open_settings", {"setting_type": "location"}, settings("LOCATION_SOURCE_SETTINGS")),
    ("open_settings", {"setting_type": "internal_storage"}, settings("INTERNAL_STORAGE_SETTINGS")),
    ("open_settings", {"setting_type": "memory_card"}, settings("MEMORY_CARD_SETTINGS")),
    ("ACTION_CREATE_DOCUMENT", {"mime_type": "application/pdf", "initial_name": "Offer.pdf"},
     Intent("android.intent.action.CREATE_DOCUMENT", type="application/pdf", extras={EXTRA + "TITLE": "Offer.pdf"},
            categories=OPENABLE)),
    ("ACTION_OPEN_DOCUMENT", {"mime_types": ["Text/Plain"]},
     Intent("android.intent.action.OPEN_DOCUMENT", type="text/plain", categories=OPENABLE)),
    ("ACTION_OPEN_DOCUMENT", {"mime_types": ["image/png", "application/pdf"], "allow_multiple": True},
     Intent("android.intent.action.OPEN_DOCUMENT", type="*/*", categories=OPENABLE, extras={
         EXTRA + "ALLOW_MULTIPLE": True, EXTRA + "MIME_TYPES": ("image/png", "application/pdf")})),
    ("ACTION_GET_CONTENT", {"mime_type": "image/*"},
     Intent("android.intent.action.GET_CONTENT", type="image/*", categories=OPENABLE)),
    ("ACTION_GET_CONTENT", {"mime_type": "*/*", "allow_multiple": True},
     Intent("android.intent.action.GET_CONTENT", type="*/*", extras={EXTRA + "ALLOW_MULTIPLE": True},
            categories=OPENABLE)),
    ("send_message", {"phone_number": "+45 55 01 01 01", "subject": "Tea", "body": "Line 1\nLine \"2\""},
     Intent("android.intent.action.SENDTO", "smsto:+4555010101",
            extras={"subject": "Tea", "sms_body": "Line 1\nLine \"2\""})),
    ("send_message", {"phone_number": "555", "subject": "s", "body": "b", "attachments": [FILE]},
     Intent("android.intent.action.SENDTO", "smsto:555",
            extras={"subject": "s", "sms_body": "b", EXTRA + "STREAM": FILE})),
    ("send_message", {"phone_number": "555", "subject": "s", "body": "b", "attachments": [FILE, CONTACT]},
     Intent("android.intent.action.SEND_MULTIPLE", "smsto:555", "*/*",
            {"subject": "s", "sms_body": "b", EXTRA + "STREAM": (FILE, CONTACT)})),
    ("send_email", {"to": ["a@example.org"], "subject": "Tea", "body": "At 5?"},
     Intent("android.intent.action.SENDTO", "mailto:",
            extras={EXTRA + "EMAIL": ("a@example.org",), EXTRA + "SUBJECT": "Tea", EXTRA + "TEXT": "At 5?"})),
    ("send_email", {"to": ["a@example.org", "b@example.org"], "subject": "s", "body": "b", "cc": ["c@example.org"],
                    "bcc": ["d@example.org"], "attachments": [FILE]},
     Intent("android.intent.action.SEND", type="*/*", extras={
         EXTRA + "EMAIL": ("a@example.org", "b@example.org"), EXTRA + "CC": ("c@example.org",),
         EXTRA + "BCC": ("d@example.org",), EXTRA + "SUBJECT": "s", EXTRA + "TEXT": "b", EXTRA + "STREAM": FILE})),
    ("send_email", {"to": ["a@example.org"], "subject": "s", "body": "b", "attachments": [FILE, FILE]},
     Intent("android.intent.action.SEND_MULTIPLE", type="*/*", extras={
         EXTRA + "EMAIL": ("a@example.org",), EXTRA + "SUBJECT": "s", EXTRA + "TEXT": "b",
         EXTRA + "STREAM": (FILE, FILE)})),
]  # fmt: skip


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

"""What Android's documentation makes of each function: the words of a call, and the intent that they become."""

from __future__ import annotations

from typing import Any

from dateutil import tz

from camphor.device.android.intent import ContactQuery, Intent
from camphor.device.android.toolbox import intent_of
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

"""What the 24 functions do to a simulated phone."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.device.android.toolbox import SimulatedPhone, result_of
from camphor.device.device import Device
from camphor.device.journal import State
from camphor.errors import UsageError
from camphor.tools.plans import check, execute, plan_from_json
from camphor.types import Call
from tests.doubles.android import Android, phone

NOW = "2026-03-27T08:45:00"
MILLE = "content://com.android.contacts/contacts/3"


@pytest.fixture
def android() -> Android:
    return Android()


# scheduling


def test_an_alarm_is_set(android: Android) -> None:
    android.do("ACTION_SET_ALARM", EXTRA_HOUR=7, EXTRA_MINUTES=5, EXTRA_MESSAGE="Bins", EXTRA_DAYS=["Sun", "Monday"])
    expected = {"time": "07:05", "label": "Bins", "days": ["Sunday", "Monday"], "vibrate": False, "enabled": True}
    assert android.last("alarms") == expected


def test_an_alarm_that_is_there_is_switched_on_again(android: Android) -> None:
    days = ["Monday", "Friday"]
    android.do("ACTION_SET_ALARM", EXTRA_HOUR=6, EXTRA_MINUTES=30, EXTRA_MESSAGE="Gym", EXTRA_DAYS=days)
    (alarm,) = android.device.records("android_scheduling", "alarms")
    assert alarm["enabled"] is True
    assert alarm["ringtone"] == "content://media/internal/audio/media/9"
    android.do("ACTION_SET_ALARM", EXTRA_HOUR=6, EXTRA_MINUTES=30, EXTRA_MESSAGE="Gym")
    assert len(android.device.records("android_scheduling", "alarms")) == 2


def test_a_timer_runs(android: Android) -> None:
    android.do("ACTION_SET_TIMER", duration="an hour and a half", EXTRA_MESSAGE="Bread")
    expected = {"seconds": 5400, "label": "Bread", "started": NOW, "ends": "2026-03-27T10:15:00"}
    assert android.last("timers") == expected


def test_the_alarms_are_shown(android: Android) -> None:
    assert android.do("ACTION_SHOW_ALARMS") is None
    assert android.last("opened") == {"screen": "alarms", "date": NOW}


def test_an_event_is_in_the_phones_time_and_its_guests_are_found(android: Android) -> None:
    android.do(
        "ACTION_INSERT_EVENT", TITLE="Fair", DESCRIPTION="Books", EVENT_LOCATION="Hall 4",
        EXTRA_EVENT_BEGIN_TIME="tomorrow at 6 pm", EXTRA_EVENT_END_TIME="2026-03-29T18:00:00", EXTRA_EMAIL=["Mille"],
    )  # fmt: skip
    assert android.last("events") == {
        "title": "Fair", "description": "Books", "location": "Hall 4", "start": "2026-03-28T18:00:00",
        "end": "2026-03-29T18:00:00", "guests": ["mille@example.org"],
    }  # fmt: skip


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles", "Asia/Kolkata"])
def test_an_event_keeps_its_time_and_day_in_every_zone(zone: str) -> None:
    android = Android({**phone(), "timezone": zone})
    android.do("ACTION_INSERT_EVENT", TITLE="t", DESCRIPTION="d", EXTRA_EVENT_BEGIN_TIME="2026-10-25T02:30:00")
    assert android.last("events")["start"] == "2026-10-25T02:30:00"
    whole = {"EXTRA_EVENT_ALL_DAY": True, "EXTRA_EVENT_BEGIN_TIME": "2026-05-01", "EXTRA_EVENT_END_TIME": "2026-05-02"}
    android.do("ACTION_INSERT_EVENT", TITLE="t", DESCRIPTION="d", **whole)
    event = android.last("events")
    assert (event["all_day"], event["start"], event["end"]) == (True, "2026-05-01", "2026-05-02")


def test_the_ringtone_picked_is_the_one_that_alarms_have(android: Android) -> None:
    assert android.do("ACTION_GET_RINGTONE") == "content://media/internal/audio/media/9"
    values = phone()
    values["apps"]["android_scheduling"]["alarms"] = []
    assert Android(values).do("ACTION_GET_RINGTONE") == "content://media/internal/audio/media/7"
    values["apps"]["android_scheduling"]["ringtones"] = []
    assert Android(values).do("ACTION_GET_RINGTONE") == "content://settings/system/alarm_alert"


# contacts


def test_a_contact_is_added(android: Android) -> None:
    android.do("ACTION_INSERT_CONTACT", contact_info={"name": "Ida Juul", "phone": "555 01 99", "company": "Bageri"})
    expected = {"contact_id": "9", "name": "Ida Juul", "phone_number": "555 01 99", "company": "Bageri"}
    assert android.last("contacts") == expected
    assert android.do("get_contact_info", name="Ida", key="phone") == "555 01 99"


def test_a_contact_is_changed_and_keeps_what_is_not_spoken_of(android: Android) -> None:
    android.do("ACTION_EDIT_CONTACT", contact_uri=MILLE, contact_info={"address": "Torvet 1", "phone": "555 01 98"})
    changed = android.device.records("android_contacts", "contacts")[1]
    assert changed == {
        "contact_id": "3", "name": "Mille Krogh", "phone_number": "555 01 98", "email": "mille@example.org",
        "address": "Torvet 1", "nickname": "Mi",
    }  # fmt: skip


def test_a_contact_is_shown(android: Android) -> None:
    android.do("ACTION_VIEW_CONTACT", contact_uri=MILLE)
    seen = android.device.records("android_contacts", "opened")
    assert seen == [{"name": "Mille Krogh", "contact_uri": MILLE, "date": NOW}]


@pytest.mark.parametrize("name", ["ACTION_VIEW_CONTACT", "ACTION_EDIT_CONTACT"])
def test_a_contact_that_there_is_not(android: Android, name: str) -> None:
    assert "a contact that exists" in android.refused(name, contact_uri=MILLE + "3")
    assert android.device.journal()[-1].state is State.FAILED


def test_the_pick_is_the_contact_used_last_else_the_newest(android: Android) -> None:
    assert android.do("ACTION_PICK") == "content://com.android.contacts/contacts/8"
    number = android.do("ACTION_PICK", data_type="PHONE")
    assert android.do("get_contact_info_from_uri", contact_uri=number, key="phone") == "+45 55 01 01 02"
    address = android.do("ACTION_PICK", data_type="ADDRESS")
    assert android.do("get_contact_info_from_uri", contact_uri=address, key="email") == "mille@example.org"
    android.do("dial", phone_number="Mille")
    assert android.do("ACTION_PICK") == MILLE


def test_nothing_to_pick_is_said() -> None:
    values = phone()
    del values["apps"]["android_contacts"]["contacts"][1:]
    assert "data_type" in Android(values).refused("ACTION_PICK", data_type="ADDRESS")


def test_a_contact_is_looked_up_by_name(android: Android) -> None:
    assert android.do("get_contact_info", name="mille", key="email") == "mille@example.org"
    assert android.do("get_contact_info", name="Mille Krogh", key="address") == "Havnegade 2, Aarhus"
    assert android.do("get_contact_info", name="Mille", key="uri") == MILLE
    assert android.device.journal() == []


def test_a_name_that_fits_two_is_ambiguous_and_unknown_ones_and_details_are_said(android: Android) -> None:
    told = android.refused("get_contact_info", name="Otto", key="phone")
    assert "Otto Friis" in told
    assert "Otto Brandt" in told
    assert "contact" in android.refused("get_contact_info", name="Gertrud", key="phone")
    assert "expected phone, which Otto Friis has" in android.refused("get_contact_info", name="Friis", key="email")


def test_a_call_is_made(android: Android) -> None:
    android.do("dial", phone_number="Otto Friis")
    android.do("dial", phone_number="(212) 555 1212")
    assert android.device.records("android_contacts", "calls") == [
        {"name": "Otto Friis", "phone_number": "+4555010102", "date": NOW},
        {"phone_number": "(212)5551212", "date": NOW},
    ]


# common operations


def test_searches_are_kept_as_they_were_said(android: Android) -> None:
    query = "tea & cake = 50%? 🥪 'x' #1"
    android.do("web_search", query=query, engine="google")
    android.do("web_search", query="tea")
    android.do("search_location", query=query)
    searches = android.device.records("android_common", "searches")
    assert [(each["query"], each["engine"]) for each in searches] == [(query, "google"), ("tea", "baidu")]
    assert android.last("map_searches") == {"query": query, "date": NOW}


@pytest.mark.parametrize(
    ("name", "kind", "uri", "called"),
    [
        ("ACTION_IMAGE_CAPTURE", "photos", "content://media/external/images/media/23", "IMG_20260327_084500.jpg"),
        ("ACTION_VIDEO_CAPTURE", "videos", "content://media/external/video/media/1", "VID_20260327_084500.mp4"),
    ],
)
def test_the_camera_takes_photos_and_videos(android: Android, name: str, kind: str, uri: str, called: str) -> None:
    assert android.do(name) == uri
    taken = android.last(kind)
    assert (taken["uri"], taken["name"], taken["taken"]) == (uri, called, NOW)
    assert "result" not in taken


def test_the_camera_and_settings_are_opened(android: Android) -> None:
    android.do("INTENT_ACTION_STILL_IMAGE_CAMERA")
    android.do("INTENT_ACTION_VIDEO_CAMERA")
    assert [each["mode"] for each in android.device.records("android_common", "cameras_opened")] == ["photo", "video"]
    android.do("open_settings")
    android.do("open_settings", setting_type="Bluetooth")
    opened = android.device.records("android_common", "settings_opened")
    assert [each["page"] for each in opened] == ["settings", "bluetooth"]


def test_a_document_is_made_and_never_takes_the_place_of_another(android: Android) -> None:
    first = android.do("ACTION_CREATE_DOCUMENT", mime_type="application/pdf", initial_name="Plan.pdf")
    assert android.last("documents")["name"] == "Plan (1).pdf"
    second = android.do("ACTION_CREATE_DOCUMENT", mime_type="text/plain", initial_name="README")
    assert android.last("documents") == {"uri": second, "name": "README", "type": "text/plain", "modified": NOW}
    assert first != second


def test_the_newest_file_is_chosen_or_all_of_its_day(android: Android) -> None:
    photos = "content://media/external/images/media/"
    assert android.do("ACTION_GET_CONTENT", mime_type="image/*") == photos + "21"
    assert android.do("ACTION_GET_CONTENT", mime_type="image/*", allow_multiple=True) == [photos + "21", photos + "22"]
    assert android.do("ACTION_OPEN_DOCUMENT", mime_types=["image/png"]) == photos + "22"
    assert android.do("ACTION_OPEN_DOCUMENT", mime_types=["application/pdf", "text/csv"]).endswith("/4")
    assert android.do("ACTION_GET_CONTENT", mime_type="text/csv").startswith("content://")
    told = android.refused("ACTION_GET_CONTENT", mime_type="audio/*")
    assert "image/png" in told
    assert "text/csv" in told


# messaging


def test_a_message_is_sent(android: Android) -> None:
    android.do("send_message", phone_number="Mille", subject="Tea", body="Line 1\n'2' $(x)", attachments=[MILLE])
    assert android.last("messages") == {
        "contact": "Mille Krogh", "phone_number": "+4555010101", "from_me": True, "date": NOW, "subject": "Tea",
        "text": "Line 1\n'2' $(x)", "attachments": [MILLE],
    }  # fmt: skip


def test_a_mail_is_sent(android: Android) -> None:
    files = android.do("ACTION_GET_CONTENT", mime_type="image/*", allow_multiple=True)
    android.do(
        "send_email",
        to=["Mille", "x@example.net"],
        cc=["Otto Brandt"],
        subject="Photos",
        body="Here",
        attachments=files,
    )
    assert android.last("mails") == {
        "sender": "ravn@example.org", "recipients": ["mille@example.org", "x@example.net"],
        "cc": ["otto.b@example.org"], "subject": "Photos", "date": NOW, "body": "Here", "attachments": files,
    }  # fmt: skip


# the whole phone


def test_a_wrong_value_is_refused_before_anybody_is_asked_and_leaves_no_trace(android: Android) -> None:
    before = android.device.export()
    assert "from 0 to 23" in android.refused("ACTION_SET_ALARM", EXTRA_HOUR=25, EXTRA_MINUTES=0)
    assert "24 hours" in android.refused("ACTION_SET_TIMER", duration="2000 minutes")
    assert android.device.export() == before
    assert android.device.journal() == []


def test_actions_are_journalled_and_one_key_acts_once(android: Android) -> None:
    call = Call("ACTION_SET_TIMER", {"duration": "10 minutes"})
    first, again = android.simulated.run(call, key="k"), android.simulated.run(call, key="k")
    assert first == again
    assert len(android.device.records("android_scheduling", "timers")) == 1
    assert [(entry.call.name, entry.state) for entry in android.device.journal()] == [("ACTION_SET_TIMER", State.DONE)]


def test_unknown_fields_are_kept_and_the_phone_can_be_exported_and_read_again(android: Android) -> None:
    assert android.device.export() == phone()
    android.do("ACTION_IMAGE_CAPTURE")
    exported = android.device.export()
    assert exported["apps"]["android_scheduling"]["colour"] == "blue"
    assert Android(exported).device.export() == exported


PLANS: list[tuple[list[dict[str, Any]], str, str, Any]] = [
    (
        [{"name": "get_contact_info", "arguments": {"name": "Mille", "key": "email"}},
         {"name": "ACTION_GET_CONTENT", "arguments": {"mime_type": "image/*", "allow_multiple": True}},
         {"name": "send_email",
          "arguments": {"to": ["#0"], "subject": "Photos", "body": "Here", "attachments": ["#1"]}}],
        "mails", "attachments",
        ["content://media/external/images/media/21", "content://media/external/images/media/22"],
    ),
    (
        [{"name": "ACTION_GET_RINGTONE", "arguments": {}},
         {"name": "ACTION_SET_ALARM", "arguments": {"EXTRA_HOUR": 8, "EXTRA_MINUTES": 0, "EXTRA_RINGTONE": "#0"}}],
        "alarms", "ringtone", "content://media/internal/audio/media/9",
    ),
    (
        [{"name": "get_contact_info", "arguments": {"name": "Friis", "key": "uri"}},
         {"name": "ACTION_EDIT_CONTACT", "arguments": {"contact_uri": "#0", "contact_info": {"company": "Havn"}}}],
        "contacts", "email", "otto.b@example.org",
    ),
    (
        [{"name": "get_contact_info", "arguments": {"name": "Friis", "key": "phone"}},
         {"name": "dial", "arguments": {"phone_number": "#0"}}],
        "calls", "name", "Otto Friis",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "changed", "field", "value"), PLANS)
def test_nested_plans_run(
    android: Android, plan: list[dict[str, Any]], changed: str, field: str, value: object
) -> None:
    calls = check(plan_from_json(plan), android.simulated.toolbox)
    outcomes = execute(calls, android.simulated.result, together=1)
    assert [outcome.error for outcome in outcomes] == [None] * len(plan)
    assert android.last(changed)[field] == value


def test_a_failed_look_up_stops_what_needs_it(android: Android) -> None:
    plan = [
        {"name": "get_contact_info", "arguments": {"name": "Gertrud", "key": "phone"}},
        {"name": "dial", "arguments": {"phone_number": "#0"}},
    ]
    outcomes = execute(plan_from_json(plan), android.simulated.result)
    assert [outcome.made for outcome in outcomes] == [True, False]
    assert android.device.records("android_contacts", "calls") == []


def test_a_phone_without_the_apps_is_no_android_phone() -> None:
    values = phone()
    del values["apps"]["android_common"]
    with pytest.raises(UsageError, match="android_common"):
        SimulatedPhone(Device.create(None, values))


def test_a_call_that_gives_nothing_back_has_no_result(android: Android) -> None:
    assert result_of(android.simulated.run(Call("open_settings"))) is None
    assert result_of(android.simulated.run(Call("open_settings", {"setting_type": "x"}))) is None

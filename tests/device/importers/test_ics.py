"""Calendar files: what becomes of events, series and tasks, in whatever zone, and of what is broken in them."""

from __future__ import annotations

import random
import tracemalloc
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers import Situation, Unread
from camphor.device.importers.ics import CALENDAR, MOST_OCCURRENCES
from camphor.errors import MissingExtra, UsageError
from tests.doubles.plans import UNHURRIED

NOW = datetime(2026, 5, 6, 9)
LISBON = Situation(NOW, ZoneInfo("Europe/Lisbon"), "Ines Marques")
BERLIN = ZoneInfo("Europe/Berlin")

# As Exchange writes it: named like no zone of the tz database, with rules that start in 1601.
CUSTOM = """BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""


def calendar(body: str, head: str = "") -> str:
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Test//EN\n{head}{body.strip()}\nEND:VCALENDAR\n"
    return text.replace("\n", "\r\n")


def event(*lines: str, uid: str = "1@x", start: str = "DTSTART:20260601T090000Z") -> str:
    return "\n".join(("BEGIN:VEVENT", f"UID:{uid}", start, *lines, "END:VEVENT", ""))


def read(
    tmp_path: Path, text: str | bytes, situation: Situation = LISBON, name: str = "a.ics"
) -> tuple[dict[str, dict[str, Any]], Unread]:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_at(path, situation)


def read_at(path: Path, situation: Situation = LISBON) -> tuple[dict[str, dict[str, Any]], Unread]:
    unread = Unread()
    brought = list(CALENDAR.read(path, situation, unread))
    found = {each.key: dict(each.record) for each in brought}
    assert len(found) == len(brought)
    return found, unread


def one(tmp_path: Path, text: str, situation: Situation = LISBON) -> dict[str, Any]:
    found, unread = read(tmp_path, text, situation)
    assert unread.told == []
    (record,) = found.values()
    return record


def starts(tmp_path: Path, *lines: str, start: str, situation: Situation = LISBON) -> list[str]:
    found, unread = read(tmp_path, calendar(event(*lines, start=start)), situation)
    assert unread.told == []
    return [each["start"] for each in found.values()]


# One event


def test_an_event_as_a_library_writes_it_has_all_its_fields(tmp_path: Path) -> None:
    written, meeting = icalendar.Calendar(), icalendar.Event()
    meeting.add("uid", "42@example.org")
    meeting.add("summary", "Jour fixe; Zürich, Ωmega")
    meeting.add("dtstart", datetime(2026, 7, 1, 9, 30, tzinfo=BERLIN))
    meeting.add("dtend", datetime(2026, 7, 1, 11, 0, tzinfo=BERLIN))
    meeting.add("location", "Café Central, Rua 1; 2.º")
    meeting.add("description", "Erste Zeile\nZweite \\ Zeile 🎈 " + "lang " * 100)
    for name, address in (("Sol, Ana", "ana@example.org"), ("", "bob@example.org"), ("Sala 3", "sala@example.org")):
        person = icalendar.vCalAddress(f"mailto:{address}")
        person.params.update({"CN": name} if name else {})
        person.params.update({"CUTYPE": "ROOM"} if name == "Sala 3" else {})
        meeting.add("attendee", person)
    organiser = icalendar.vCalAddress("mailto:carl@example.org")
    organiser.params["CN"] = "Carl"
    meeting.add("organizer", organiser)
    alarm = icalendar.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", "not the event's")
    meeting.add_component(alarm)
    written.add_component(meeting)
    written.add_missing_timezones()
    found, unread = read(tmp_path, written.to_ical())
    assert found == {
        "42@example.org": {
            "title": "Jour fixe; Zürich, Ωmega",
            "start": "2026-07-01T08:30:00",
            "end": "2026-07-01T10:00:00",
            "location": "Café Central, Rua 1; 2.º",
            "participants": ["Sol, Ana", "bob@example.org"],
            "organiser": "Carl",
            "notes": ("Erste Zeile\nZweite \\ Zeile 🎈 " + "lang " * 100).strip(),
        }
    }
    assert unread.count == 0


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("DTSTART:20260115T090000Z", "2026-01-15T09:00:00"),
        ("DTSTART:20260715T090000Z", "2026-07-15T10:00:00"),
        ("DTSTART:20260715T090000", "2026-07-15T09:00:00"),  # wherever one is
        ("DTSTART;TZID=America/New_York:20260310T090000", "2026-03-10T13:00:00"),  # summer time there, not yet here
        ("DTSTART;TZID=europe/berlin:20260715T090000", "2026-07-15T08:00:00"),
        ("DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20260715T090000", "2026-07-15T08:00:00"),
        ("DTSTART;TZID=/mozilla.org/20070129_1/America/Argentina/Salta:20260715T090000", "2026-07-15T13:00:00"),
        ("DTSTART;TZID=W. Europe Standard Time:20260715T090000", "2026-07-15T08:00:00"),
        ('DTSTART;TZID="Tokyo Standard Time":20260715T090000', "2026-07-15T01:00:00"),
        ("DTSTART;TZID=tzone://Microsoft/Utc:20260715T090000", "2026-07-15T10:00:00"),
        ("DTSTART;TZID=GMT+0530:20260715T090000", "2026-07-15T04:30:00"),
        ("DTSTART;TZID=Customized Time Zone:20260715T090000", "2026-07-15T08:00:00"),
        ("DTSTART;TZID=Customized Time Zone:20260115T090000", "2026-01-15T08:00:00"),
        ("DTSTART;TZID=Customized Time Zone:20260329T023000", "2026-03-29T02:30:00"),  # the clock leaves it out
        ("DTSTART;TZID=Europe/Berlin:20260329T023000", "2026-03-29T02:30:00"),
        ("DTSTART;TZID=Customized Time Zone:20261025T023000", "2026-10-25T01:30:00"),  # the first of two
        ("DTSTART;TZID=Europe/Berlin:20261025T023000", "2026-10-25T01:30:00"),
        ("DTSTART;VALUE=DATE:20260715", "2026-07-15"),
        ("DTSTART:20260715", "2026-07-15"),
        ("DTSTART;VALUE=DATE-TIME:2026-07-15T09:00:00+02:00", "2026-07-15T08:00:00"),
    ],
)
def test_a_start_is_told_in_local_time(tmp_path: Path, start: str, expected: str) -> None:
    assert one(tmp_path, calendar(event("SUMMARY:x", start=start), CUSTOM)) == {"title": "x", "start": expected}


@pytest.mark.parametrize(
    ("start", "line", "end"),
    [
        ("DTSTART;VALUE=DATE:20260601", "DTEND;VALUE=DATE:20260602", None),
        ("DTSTART;VALUE=DATE:20260601", "DTEND;VALUE=DATE:20260604", "2026-06-03"),
        ("DTSTART;VALUE=DATE:20260601", "DURATION:P1W", "2026-06-07"),
        ("DTSTART;VALUE=DATE:20260601", "DURATION:PT36H", "2026-06-02"),
        ("DTSTART;VALUE=DATE:20260601", "DTEND;VALUE=DATE:20260501", None),
        ("DTSTART;VALUE=DATE:20260601", "TRANSP:OPAQUE", None),
        ("DTSTART:20260601T090000Z", "DURATION:PT1H30M", "2026-06-01T11:30:00"),
        ("DTSTART:20260601T090000Z", "DTEND:20260601T090000Z", None),
        ("DTSTART:20260601T090000Z", "DTEND:20260601T080000Z", None),
        ("DTSTART;TZID=Europe/Lisbon:20260328T090000", "DURATION:P1D", "2026-03-29T09:00:00"),
        ("DTSTART;TZID=Europe/Lisbon:20260328T090000", "DURATION:PT24H", "2026-03-29T10:00:00"),
        ("DTSTART;TZID=Europe/Lisbon:20260601T090000", "DTEND;TZID=America/New_York:20260601T120000",
         "2026-06-01T17:00:00"),
    ],
)  # fmt: skip
def test_an_end_is_the_last_day_or_the_moment(tmp_path: Path, start: str, line: str, end: str | None) -> None:
    assert one(tmp_path, calendar(event(line, start=start))).get("end") == end


def test_a_whole_day_in_the_way_of_exchange_is_a_day(tmp_path: Path) -> None:
    lines = ("DTEND;TZID=Europe/Berlin:20260603T000000", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE")
    record = one(tmp_path, calendar(event(*lines, start="DTSTART;TZID=Europe/Berlin:20260601T000000")))
    assert record == {"start": "2026-06-01", "end": "2026-06-02"}


def test_the_machines_zone_is_taken_where_the_device_has_none(tmp_path: Path) -> None:
    record = one(tmp_path, calendar(event()), Situation(NOW))
    assert record["start"] == datetime(2026, 6, 1, 9, tzinfo=UTC).astimezone().replace(tzinfo=None).isoformat()


def test_what_is_cancelled_is_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, calendar(event("STATUS:CANCELLED")))[0] == {}
    assert read(tmp_path, calendar(event(), "METHOD:CANCEL\n"))[0] == {}


def test_of_two_with_the_same_uid_the_newest_counts_in_any_order(tmp_path: Path) -> None:
    old = event("SEQUENCE:1", "SUMMARY:old", "LAST-MODIFIED:20260301T000000Z")
    new = event("SEQUENCE:2", "SUMMARY:new", "LAST-MODIFIED:20260201T000000Z")
    for body in (old + new, new + old, new + old + new):
        assert one(tmp_path, calendar(body))["title"] == "new"


def test_events_without_a_uid_have_keys_that_stay(tmp_path: Path) -> None:
    body = event("SUMMARY:a") + event("SUMMARY:b")
    found, _ = read(tmp_path, calendar(body.replace("UID:1@x\n", "")))
    turned, _ = read(tmp_path, calendar((event("SUMMARY:b") + event("SUMMARY:a")).replace("UID:1@x\n", "")))
    assert len(found) == 2
    assert found == turned


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings_are_told_apart(tmp_path: Path, encoding: str) -> None:
    assert one(tmp_path, calendar(event("SUMMARY:Küche für Zoë")).encode(encoding))["title"] == "Küche für Zoë"  # type: ignore[arg-type]


def test_a_letter_that_is_folded_in_two_is_one_again(tmp_path: Path) -> None:
    raw = calendar(event("SUMMARY:Küche")).encode().replace("ü".encode(), b"\xc3\r\n \xbc")
    assert read(tmp_path, raw)[0]["1@x"]["title"] == "Küche"


def test_old_line_ends_and_small_letters_are_read(tmp_path: Path) -> None:
    raw = calendar(event("Summary:x")).replace("\r\n", "\r").replace("BEGIN", "begin").encode()
    assert read(tmp_path, raw)[0]["1@x"]["title"] == "x"


# Series


def test_a_series_keeps_its_hour_when_the_clocks_change(tmp_path: Path) -> None:
    found = starts(tmp_path, "RRULE:FREQ=WEEKLY;COUNT=4", start="DTSTART;TZID=Europe/Lisbon:20260315T100000")
    assert found == ["2026-03-15T10:00:00", "2026-03-22T10:00:00", "2026-03-29T10:00:00", "2026-04-05T10:00:00"]
    new_york = starts(tmp_path, "RRULE:FREQ=WEEKLY;COUNT=3", start="DTSTART;TZID=America/New_York:20260315T100000")
    assert new_york == ["2026-03-15T14:00:00", "2026-03-22T14:00:00", "2026-03-29T15:00:00"]


def test_a_series_is_expanded_in_a_window_about_now_and_other_events_are_all_there(tmp_path: Path) -> None:
    long = event("RRULE:FREQ=MONTHLY", start="DTSTART:19900131T120000Z", uid="series")
    found, _ = read(tmp_path, calendar(long + event(start="DTSTART:19700101T000000Z")))
    assert found.pop("1@x")["start"] == "1970-01-01T01:00:00"  # Lisbon then kept summer time all year
    told = [each["start"][:10] for each in found.values()]
    assert told[:2] == ["2024-05-31", "2024-07-31"]
    assert told[-1] == "2027-03-31"
    assert "series 20240531T120000Z" in found


def test_a_series_has_no_more_occurrences_than_are_allowed_and_those_about_now(tmp_path: Path) -> None:
    daily = starts(tmp_path, "RRULE:FREQ=DAILY", start="DTSTART;VALUE=DATE:20000101")
    assert len(daily) == MOST_OCCURRENCES
    assert daily[-1] == "2027-05-06"
    hourly = starts(tmp_path, "RRULE:FREQ=HOURLY", start="DTSTART:20000101T000000")
    assert len(hourly) == MOST_OCCURRENCES
    assert hourly[0] < NOW.isoformat() < hourly[-1]


@pytest.mark.parametrize(
    ("start", "rule", "expected"),
    [
        ("DTSTART;VALUE=DATE:20260601", "FREQ=DAILY;INTERVAL=2;COUNT=3", "2026-06-01 2026-06-03 2026-06-05"),
        ("DTSTART;VALUE=DATE:20260601", "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260608", "2026-06-01 2026-06-03 2026-06-08"),
        ("DTSTART;VALUE=DATE:20260601", "FREQ=DAILY;UNTIL=20260602T000000Z", "2026-06-01 2026-06-02"),
        ("DTSTART;VALUE=DATE:20260601", "FREQ=DAILY;COUNT=9;UNTIL=20260602", "2026-06-01 2026-06-02"),
        ("DTSTART;VALUE=DATE:20260601", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=3", "2026-06-01 2026-06-26 2026-07-31"),
        ("DTSTART;VALUE=DATE:20260630", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2",
         "2026-06-30 2026-07-31"),
        ("DTSTART;VALUE=DATE:20240229", "FREQ=YEARLY", "2024-02-29"),
        ("DTSTART;VALUE=DATE:19800606", "FREQ=YEARLY;BYMONTH=6", "2024-06-06 2025-06-06 2026-06-06"),
        ("DTSTART;VALUE=DATE:20260511", "FREQ=YEARLY;BYWEEKNO=20;WKST=MO", "2025-05-12 2026-05-11"),
    ],
)  # fmt: skip
def test_rules_are_followed(tmp_path: Path, start: str, rule: str, expected: str) -> None:
    now = datetime(2026, 5, 6) if "2024" not in start else datetime(2025, 1, 1)
    found = starts(tmp_path, f"RRULE:{rule}", start=start, situation=Situation(now, ZoneInfo("Europe/Lisbon")))
    assert found == [each for each in expected.split() if each >= start[-8:-4]]


def test_the_last_time_counts_where_it_is_told_in_another_zone(tmp_path: Path) -> None:
    for until in ("20260603T130000Z", "20260603T090000"):
        rule = f"RRULE:FREQ=DAILY;UNTIL={until}"
        assert len(starts(tmp_path, rule, start="DTSTART;TZID=America/New_York:20260601T090000")) == 3


def test_dates_are_left_out_and_added(tmp_path: Path) -> None:
    found = starts(
        tmp_path,
        "RRULE:FREQ=DAILY;COUNT=7",
        "EXDATE;TZID=Europe/Lisbon:20260602T090000,20260603T090000",
        "EXDATE:20260604T080000Z",
        "EXDATE;VALUE=DATE:20260605",
        "EXDATE:20260606T090000",
        "RDATE;TZID=Europe/Lisbon:20260701T180000,20260601T090000",
        "RDATE;VALUE=PERIOD:20260702T100000Z/PT15M",
        start="DTSTART;TZID=Europe/Lisbon:20260601T090000",
    )
    assert found == ["2026-06-01T09:00:00", "2026-06-07T09:00:00", "2026-07-01T18:00:00", "2026-07-02T11:00:00"]


def test_an_occurrence_with_a_component_of_its_own_is_changed_moved_or_left_out(tmp_path: Path) -> None:
    series = event("SUMMARY:Standup", "DURATION:PT15M", "RRULE:FREQ=DAILY;COUNT=4",
                   start="DTSTART;TZID=Europe/Berlin:20260601T090000")  # fmt: skip
    moved = event("SUMMARY:Standup, late", "RECURRENCE-ID;TZID=Europe/Berlin:20260602T090000",
                  start="DTSTART;TZID=Europe/Berlin:20260602T150000")  # fmt: skip
    gone = event("STATUS:CANCELLED", "RECURRENCE-ID:20260603T070000Z", start="DTSTART:20260603T070000Z")
    for body in (series + moved + gone, gone + moved + series):
        found, unread = read(tmp_path, calendar(body))
        assert unread.count == 0
        assert dict(sorted(found.items())) == {
            "1@x 20260601T070000Z":
                {"title": "Standup", "start": "2026-06-01T08:00:00", "end": "2026-06-01T08:15:00"},
            "1@x 20260602T070000Z": {"title": "Standup, late", "start": "2026-06-02T14:00:00"},
            "1@x 20260604T070000Z":
                {"title": "Standup", "start": "2026-06-04T08:00:00", "end": "2026-06-04T08:15:00"},
        }  # fmt: skip


def test_a_changed_occurrence_in_a_zone_that_is_defined_below_it_finds_its_series(tmp_path: Path) -> None:
    body = event("RECURRENCE-ID;TZID=Customized Time Zone:20260602T090000", "SUMMARY:changed",
                 start="DTSTART;TZID=Customized Time Zone:20260602T100000")  # fmt: skip
    body += event("RRULE:FREQ=DAILY;COUNT=2", start="DTSTART;TZID=Customized Time Zone:20260601T090000")
    found, _ = read(tmp_path, calendar(body + CUSTOM))
    assert sorted(each["start"] for each in found.values()) == ["2026-06-01T08:00:00", "2026-06-02T09:00:00"]


def test_an_occurrence_without_its_series_is_an_event(tmp_path: Path) -> None:
    found, _ = read(tmp_path, calendar(event("RECURRENCE-ID:20260601T080000Z")))
    assert list(found) == ["1@x 20260601T080000Z"]


def test_a_series_of_whole_days_with_one_moved(tmp_path: Path) -> None:
    body = event("RRULE:FREQ=YEARLY", "DTEND;VALUE=DATE:20200603", start="DTSTART;VALUE=DATE:20200601")
    body += event("RECURRENCE-ID;VALUE=DATE:20250601", start="DTSTART;VALUE=DATE:20250608")
    found, _ = read(tmp_path, calendar(body))
    assert sorted((each["start"], each.get("end")) for each in found.values()) == [
        ("2024-06-01", "2024-06-02"),
        ("2025-06-08", None),
        ("2026-06-01", "2026-06-02"),
    ]


@pytest.mark.parametrize(
    "rule",
    ["", "FREQ=SOMETIMES", "FREQ=DAILY;INTERVAL=0", "FREQ=SECONDLY", "FREQ=WEEKLY;BYDAY=XX", "W1 MO #0", "FREQ=DAILY;X",
     "FREQ=MONTHLY;BYDAY=9MO", "FREQ=YEARLY;BYMONTH=13", "FREQ=DAILY;COUNT=" + "9" * 5000, "FREQ=DAILY;BYHOUR=25",
     "FREQ=HOURLY;BYSETPOS=9", "FREQ=YEARLY;UNTIL=never"],
)  # fmt: skip
def test_of_a_rule_that_is_none_the_first_time_is_left(tmp_path: Path, rule: str) -> None:
    found, unread = read(tmp_path, calendar(event(f"RRULE:{rule}")))
    assert [each["start"] for each in found.values()] == ["2026-06-01T10:00:00"]
    assert unread.told == ["a.ics, line 4: a rule of repetition that is not understood"]


def test_rules_that_no_day_fits_take_no_time(tmp_path: Path) -> None:
    rules = ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=31", "FREQ=DAILY;BYSETPOS=300")
    begun = datetime.now()
    for rule in rules:
        assert len(starts(tmp_path, f"RRULE:{rule}", start="DTSTART:20260601T090000")) == 1
    assert datetime.now() - begun < timedelta(seconds=20)


# Tasks


def test_tasks_are_reminders(tmp_path: Path) -> None:
    tasks = icalendar.Calendar()
    fields: dict[str, dict[str, Any]] = {
        "due": {"due": datetime(2026, 5, 7, 18, tzinfo=BERLIN), "description": "the blue one"},
        "day": {"due": date(2026, 5, 8)},
        "done": {"status": "COMPLETED", "completed": datetime(2026, 5, 1, tzinfo=UTC)},
        "gone": {"status": "CANCELLED"},
        "span": {"dtstart": datetime(2026, 5, 7, 18, tzinfo=BERLIN), "duration": timedelta(hours=2)},
    }
    for uid, more in fields.items():
        task = icalendar.Todo()
        task.add("uid", uid)
        task.add("summary", f"Müll {uid}")
        for name, value in more.items():
            task.add(name, value)
        tasks.add_component(task)
    path = tmp_path / "tasks.ics"
    path.write_bytes(tasks.to_ical())
    brought = list(CALENDAR.read(path, LISBON, Unread()))
    assert {(each.app, each.list) for each in brought} == {("reminders", "reminders")}
    assert {each.key: dict(each.record) for each in brought} == {
        "due": {"content": "Müll due", "time": "2026-05-07T17:00:00", "done": False, "notes": "the blue one"},
        "day": {"content": "Müll day", "time": "2026-05-08", "done": False},
        "done": {"content": "Müll done", "done": True},
        "span": {"content": "Müll span", "time": "2026-05-07T19:00:00", "done": False},
    }


# What is broken


def test_what_is_broken_is_told_by_its_line_and_the_rest_is_read(tmp_path: Path) -> None:
    body = (
        event("SUMMARY:kept", uid="kept")
        + event("SUMMARY:secret", uid="no time", start="DTSTART:tomorrow")
        + event("SUMMARY:secret", uid="none", start="SUMMARY:secret")
        + event("DTEND:20261301T000000Z", uid="no end")
        + event(uid="elsewhere", start="DTSTART;TZID=Middle Earth:20260601T090000")
        + event("secret secret", uid="line")
        + "BEGIN:VEVENT\nUID:open\nSUMMARY:secret\n"
        + event(uid="after")
        + "BEGIN:VTODO\nUID:empty\nEND:VTODO\n"
    )
    found, unread = read(tmp_path, calendar(body) + "BEGIN:VEVENT\r\nSUMMARY:secret\r\n")
    assert list(found) == ["kept", "no end", "elsewhere", "line", "after"]
    assert found["elsewhere"]["start"] == "2026-06-01T09:00:00"
    assert unread.told == [
        "a.ics, line 9: it has no time that can be read",
        "a.ics, line 14: it has no time that can be read",
        "a.ics, line 19: its end cannot be read",
        "a.ics, line 24: a time zone that is not known: its times are taken for local ones",
        "a.ics, line 28: a line of it cannot be read",
        "a.ics, line 33: it has no end",
        "a.ics, line 40: a task without words",
        "a.ics, line 44: it is cut off",
    ]


@pytest.mark.parametrize("raw", [b"", b"\xef\xbb\xbf", b"name,phone\n", b"BEGIN:VCARD\nEND:VCARD\n", bytes(5000)])
def test_what_is_no_calendar_is_refused(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(UsageError, match="it is no calendar: export"):
        read(tmp_path, raw)
    assert not CALENDAR.recognises(tmp_path / "a.ics")


def test_long_fields_lines_and_deep_nesting_stay_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.ics"
    with path.open("w") as file:
        file.write("BEGIN:VCALENDAR\n" + "BEGIN:X-A\n" * 20_000)
        file.write("BEGIN:VEVENT\nUID:1\nDTSTART:20260601T090000Z\nDESCRIPTION:")
        for _ in range(30):
            file.write("x" * (1 << 20))
        file.write("\nATTACH;ENCODING=BASE64:\n" + " QUJD\n" * 20_000 + "ATTENDEE:mailto:a@b\n" * 10_000)
        file.write("END:VEVENT\n")
    tracemalloc.start()
    (record,) = read_at(path)[0].values()
    assert tracemalloc.get_traced_memory()[1] < 20 << 20
    tracemalloc.stop()
    assert len(record["notes"]) == 100_000
    assert record["participants"] == ["a@b"]


@pytest.mark.parametrize("piece", ['"', ";", ",", ":", "mailto:", "\\", "=\n", "^n", ";A=", "://"])
def test_no_line_takes_long(tmp_path: Path, piece: str) -> None:
    begun = datetime.now()
    for head in ("ATTENDEE;CN=", "EXDATE:", "RRULE:", "SUMMARY;ENCODING=QUOTED-PRINTABLE:", "DTEND;TZID="):
        read(tmp_path, calendar(event(head + piece * (400_000 // len(piece)))))
    assert datetime.now() - begun < timedelta(seconds=60)


def test_time_at_the_ends_of_the_calendar_is_told(tmp_path: Path) -> None:
    body = event(start="DTSTART;TZID=Asia/Tokyo:00010101T000000") + event(
        "RRULE:FREQ=YEARLY", "EXDATE:99991231T235959Z", uid="2", start="DTSTART;TZID=America/New_York:99991231T230000"
    )
    found, unread = read(tmp_path, calendar(body))
    assert not found
    assert unread.count == 2


def test_names_of_windows_need_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from camphor.device.importers import calendar_times

    calendar_times._windows_names.cache_clear()
    calendar_times._named.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "icalendar.timezone.windows_to_olson", None)
    with pytest.raises(MissingExtra, match="icalendar"):
        read(tmp_path, calendar(event(start="DTSTART;TZID=Romance Standard Time:20260601T090000")))
    assert read(tmp_path, calendar(event(start="DTSTART;TZID=Europe/Paris:20260601T090000")))[0]


# Folders


def test_a_folder_is_read_file_by_file_and_broken_ones_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "calendars"
    (folder / "Work").mkdir(parents=True)
    (folder / "Work" / "a.ics").write_text(calendar(event("SUMMARY:a", uid="a")))
    (folder / "b.ICS").write_text(calendar(event("SUMMARY:b", uid="b") + event("SUMMARY:a", uid="a")))
    (folder / "c.ics").write_text("nothing")
    (folder / "._b.ics").write_text(calendar(event(uid="hidden")))
    (folder / "note.txt").write_text(calendar(event(uid="other")))
    (tmp_path / "outside.ics").write_text(calendar(event(uid="outside")))
    (folder / "link.ics").symlink_to(tmp_path / "outside.ics")
    assert CALENDAR.recognises(folder)
    found, unread = read_at(folder)
    assert {key: each["title"] for key, each in found.items()} == {"a": "a", "b": "b"}
    assert unread.told == ["c.ics: it is no calendar"]
    (folder / "b.ICS").unlink()
    (folder / "Work" / "a.ics").unlink()
    with pytest.raises(UsageError, match="there is no calendar in it"):
        read_at(folder)


def test_files_are_recognised_by_what_is_in_them(tmp_path: Path) -> None:
    (tmp_path / "a.ics").write_text("\n" + calendar(event()))
    (tmp_path / "b.txt").write_text(calendar(event()))
    (tmp_path / "c.txt").write_text("About BEGIN:VCALENDAR")
    (tmp_path / "wide.ics").write_bytes(calendar(event()).encode("utf-16"))
    (tmp_path / "empty").mkdir()
    assert [CALENDAR.recognises(tmp_path / name) for name in ("a.ics", "b.txt", "wide.ics")] == [True] * 3
    assert not any(CALENDAR.recognises(tmp_path / name) for name in ("c.txt", "empty", "nowhere.ics"))
    assert CALENDAR.mirrors


def test_files_of_many_programs_are_read() -> None:
    samples = sorted((Path(icalendar.__file__).parent / "tests").glob("*/*.ics"))
    if not samples:
        pytest.skip("icalendar is installed without its samples")
    count = 0
    for path in samples:
        for situation in (LISBON, Situation(datetime(2008, 1, 1), ZoneInfo("Asia/Kathmandu"))):
            with suppress(UsageError):  # single components of the library's own tests
                count += len(read_at(path, situation)[0])
    assert count > 100


# Anything


GOOD = calendar(
    CUSTOM
    + event("SUMMARY;LANGUAGE=de:Küche", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20270101T000000Z;INTERVAL=2",
            "EXDATE;TZID=Customized Time Zone:20260603T090000", "ATTENDEE;CN=\"Sol, Ana\":mailto:ana@example.org",
            "DURATION:PT1H", start="DTSTART;TZID=Customized Time Zone:20260601T090000")
    + event("RECURRENCE-ID:20260615T070000Z", "DESCRIPTION;ENCODING=QUOTED-PRINTABLE:=C3=BC=\n=41")
    + "BEGIN:VTODO\nUID:t\nSUMMARY:x\nDUE;VALUE=DATE:20260601\nEND:VTODO\n"
).encode()  # fmt: skip


def attempt(folder: Path, raw: bytes) -> None:
    path = folder / "a.ics"
    path.write_bytes(raw)
    CALENDAR.recognises(path)
    try:
        found = read_at(path)
    except UsageError:
        return
    assert read_at(path) == found


@UNHURRIED
@given(st.binary(max_size=400), st.sampled_from([b"", b"BEGIN:VCALENDAR\nBEGIN:VEVENT\n"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes, head: bytes) -> None:
    attempt(tmp_path_factory.mktemp("ics"), head + raw)


@UNHURRIED
@given(st.integers(0, 2**32), st.integers(1, 12))
def test_any_damage_is_survived(tmp_path_factory: pytest.TempPathFactory, seed: int, times: int) -> None:
    chance, raw = random.Random(seed), bytearray(GOOD)
    for _ in range(times):
        place = chance.randrange(len(raw))
        size = chance.choice((0, 1, 1, 3, 40))
        raw[place : place + size] = chance.choice((b"", b"\0", b"9", b";", b":", b",", b'"', b"\r\n", b"\xff", b"-"))
    attempt(tmp_path_factory.mktemp("ics"), bytes(raw))

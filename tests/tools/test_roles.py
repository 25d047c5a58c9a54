"""What a parameter takes, guessed from its name and description."""

from __future__ import annotations

import pytest

from camphor.tools.readers import infer
from camphor.tools.tool import Role

MOMENTS = (
    *(("time", ""), ("start_time", ""), ("pickup_time", "leave out for now"), ("slot", "ISO 8601 local datetime")),
    *(("ready_by", ""), ("needed_by", ""), ("done_by", ""), ("by", ""), ("until", "leave out for no end")),
    *(("ready_at", ""), ("meet_at", ""), ("start", ""), ("end", "when it closes"), ("new_start", "the new time")),
    *(("start", "start of the show at this place, ISO 8601"), ("arrival", "date and time"), ("finish_time", "")),
    *(("arrive_at", "hh:mm"), ("made_by", "local time until which it must be made"), ("departure_time", "at the stop")),
)
OTHERS = (
    *(("timezone", ""), ("time_zone", "IANA name of the local time zone"), ("zone", "the local time zone"), ("tz", "")),
    *(("utc_offset", "+hh:mm"), ("time_format", "hh:mm or h:mm"), ("time_unit", "minutes or hours"), ("times", "")),
    *(("times", "how many times a day"), ("timer_name", ""), ("timer_label", "shown as hh:mm"), ("timer", "")),
    *(
        ("runtime_minutes", ""),
        ("runtime", "hh:mm"),
        ("duration", "as hh:mm"),
        ("time_limit", "hh:mm"),
        ("timeout", ""),
    ),
    *(
        ("lead_time", ""),
        ("cook_time", ""),
        ("travel_time", ""),
        ("screen_time", "today's, hh:mm"),
        ("times_a_day", ""),
    ),
    *(("reminder_interval", "ISO 8601 duration"), ("length", "how long it takes, m:ss"), ("time_signature", "")),
    *(("sort_by", ""), ("order_by", "field"), ("increase_by", "percent"), ("extend_by", ""), ("recommended_by", "")),
    *(
        ("written_by", "the author"),
        ("by", "the artist"),
        ("directed_by", ""),
        ("looking_at", ""),
        ("works_at", ""),
        ("stay_at", "hotel"),
    ),
    *(("start", "starting address"), ("end", "the last page to print"), ("start", "station where you get on")),
)


@pytest.mark.parametrize(("name", "description"), MOMENTS)
def test_moments_are_told(name: str, description: str) -> None:
    assert infer(name, description=description) is Role.TIME


@pytest.mark.parametrize(("name", "description"), OTHERS)
def test_names_that_only_hold_a_word_of_time_are_no_moments(name: str, description: str) -> None:
    assert infer(name, description=description) is Role.TEXT


@pytest.mark.parametrize(
    ("name", "description", "role"),
    [
        ("day", "", Role.DATE),
        ("return_date", "day on which it comes back", Role.DATE),
        ("due", "date, ISO 8601", Role.DATE),
        ("date_format", "such as yyyy-mm-dd", Role.TEXT),
        ("days", "how many", Role.TEXT),
        ("time_range", "", Role.TIME_RANGE),
    ],
)
def test_days_and_ranges_are_told_from_other_words(name: str, description: str, role: Role) -> None:
    assert infer(name, description=description) is role


def test_what_the_schema_says_comes_first() -> None:
    assert infer("timezone", form="date-time") is Role.TIME
    assert infer("start", form="date") is Role.DATE

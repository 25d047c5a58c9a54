"""Dates and amounts as people's exports have them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest
from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.dates import day, days_of, in_year, moment, number, span


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-12", datetime(2026, 3, 12)),
        ("2026-03-12T08:45:00", datetime(2026, 3, 12, 8, 45)),
        ("2026-03-12 08:45", datetime(2026, 3, 12, 8, 45)),
        ("2026-03-12T23:30:00Z", datetime(2026, 3, 13, 12, 30)),
        ("12 March 2026", datetime(2026, 3, 12)),
        ("Thu, 12 Mar 2026 08:45", datetime(2026, 3, 12, 8, 45)),
        ("March 2026", None),
        ("soon", None),
        ("12", None),
        ("", None),
        (None, None),
        (20260312, None),
        ("2026-13-45", None),
    ],
)
def test_dates_with_and_without_a_time(written: Any, expected: datetime | None) -> None:
    zone = tz.gettz("Pacific/Auckland")
    assert moment(written, zone) == expected
    assert day(written, zone) == (expected.toordinal() if expected else 0)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (3, 3.0),
        (2.5, 2.5),
        ("14.5 GB", 14.5),
        ("$1,249.00", 1249.0),
        ("-3 °C", -3.0),
        (".5 kg", 0.5),
        ("213,50 €", 213.5),
        ("1.249,00 kr", 1249.0),
        ("4,400 KES", 4400.0),
        ("12,345,678", 12345678.0),
        ("none", None),
        (True, None),
    ],
)
def test_amounts_with_and_without_a_unit(written: Any, expected: float | None) -> None:
    assert number(written) == expected


def test_a_birthday_of_29_february_comes_every_year() -> None:
    born = datetime(1992, 2, 29)
    assert [in_year(born, each) for each in (2027, 2028)] == [datetime(2027, 2, 28), datetime(2028, 2, 29)]


@given(st.text(max_size=30))
def test_any_text_is_a_date_or_none(text: str) -> None:
    assert isinstance(moment(text), datetime | None)
    assert day(text) >= 0
    assert isinstance(number(text), float | None)


def test_days_of_records_and_intervals() -> None:
    first = date(2026, 3, 20).toordinal()
    assert span({"start": "2026-03-20", "end": "2026-03-24"}, ("start", "end")) == (first, first + 4)
    assert span({"start": "2026-03-20T10:00:00"}, ("start", "end")) == (first, first)
    assert span({"start": "2026-03-20", "end": "2026-03-01"}, ("start", "end")) == (first, first)
    assert span({"end": "2026-03-24"}, ("start", "end")) == (0, 0)
    assert span({"from": "2026-03-20", "to": "2026-03-24", "seat": "12"}, None) == (first, first + 4)
    assert days_of("2026-03-20") == (first, first)
    assert days_of("2026-03-20T10:00:00/2026-03-24T11:00:00") == (first, first + 4)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_its_zone_takes_off_the_calendar_is_no_date(text: str) -> None:
    assert moment(text, tz.UTC) is None
    assert day(text, tz.UTC) == 0

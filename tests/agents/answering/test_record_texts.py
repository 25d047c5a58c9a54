"""What the reader sees of a record."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from camphor.agents.answering.tables import record_text, tables_of
from tests.doubles.answering import phone

PHONE = phone()
TABLES = {each.key: each for each in tables_of(PHONE)}


def _text(key: str, ordinal: int, now: datetime = PHONE.now) -> str:
    table = TABLES[key]
    return record_text(table, next(row for row in table.rows if row.ordinal == ordinal), now)


def test_a_record_is_told_by_its_list_and_its_fields_by_name() -> None:
    assert _text("calendar.events", 0).startswith(
        "calendar event: title Dentist | start Thursday 12 March 14:30 afternoon"
    )
    assert "not done" in _text("reminders.reminders", 0)
    assert "birthday Monday 2 April 1990, long ago" in _text("contacts.people", 1)


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, "today, this week"),
        (1, "yesterday, this week"),
        (-1, "tomorrow, this week"),
        (-3, "in 3 days, this week"),
        (7, "7 days ago, last week"),
        (-40, "in 5 weeks"),
        (-90, "later"),
    ],
)
def test_times_are_told_as_seen_from_now(days: int, said: str) -> None:
    start = datetime(2026, 3, 12, 9) + timedelta(days=days)
    assert said in _text("calendar.events", 0, start)

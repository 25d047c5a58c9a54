"""A record as the reader sees it: its list, its fields by name, and when it is, seen from now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from camphor.agents.answering.tables import Field, Kind, Row, Table
from camphor.device import dates

_LONGEST_VALUE = 300  # characters
_NEAR_DAYS, _NEAR_WEEKS = 15, 60  # days within which a distance is said in days, and in weeks
_PARTS = ((5, "night"), (12, "morning"), (17, "afternoon"), (22, "evening"), (24, "night"))
_DAYS = {0: "today", 1: "tomorrow", -1: "yesterday"}
_WEEKS = {0: "this week", 1: "next week", -1: "last week"}


def record_text(table: Table, row: Row, now: datetime) -> str:
    """`calendar event: title Dentist | start Thursday 12 March 10:00 morning, today, this week`."""
    told = [_said(each, row.record.get(each.name), now) for each in table.fields]
    place = table.label.removeprefix("your ")
    return f"{place} {table.noun}: {' | '.join(each for each in told if each)}"


def _said(field: Field, value: object, now: datetime) -> str:
    label = field.name.replace("_", " ")
    if value in (None, "", []):
        return ""
    if isinstance(value, bool):
        return label if value else f"not {label}"
    if field.kind in (Kind.TIME, Kind.END) and (when := dates.moment(value)):
        return f"{label} {_when(when, now, timed=len(str(value)) > len('2026-03-12'))}"
    return f"{label} {_plain(value)[:_LONGEST_VALUE]}"


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(each.get("name", each) if isinstance(each, Mapping) else each) for each in value)
    if isinstance(value, Mapping):
        return " ".join(f"{name} {each}" for name, each in value.items())
    return str(value)


def _when(when: datetime, now: datetime, timed: bool) -> str:
    """`Friday 27 February 19:00 evening, in 4 days, this week`."""
    days = (when.date() - now.date()).days
    weeks = (_monday(when.date()) - _monday(now.date())).days // 7
    day = f"{when:%A} {when.day} {when:%B}" + (f" {when.year}" if when.year != now.year else "")
    hour = f" {when:%H:%M} {next(name for until, name in _PARTS if when.hour < until)}" if timed else ""
    return ", ".join(each for each in (day + hour, _away(days), _WEEKS.get(weeks, "")) if each)


def _away(days: int) -> str:
    if days in _DAYS:
        return _DAYS[days]
    if abs(days) < _NEAR_DAYS:
        return f"in {days} days" if days > 0 else f"{-days} days ago"
    if abs(days) < _NEAR_WEEKS:
        return f"in {days // 7} weeks" if days > 0 else f"{-days // 7} weeks ago"
    return "later" if days > 0 else "long ago"


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())

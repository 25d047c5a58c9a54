"""Items of a device as a planner is shown them: a short line each, and the values that a call may copy from them.

calendar: Guitar class, Tue 17 Mar 18:00, Studio 3, Ana Silva
phone: Ana Silva, 555-0101, teacher, missed, Mon 16 Mar 20:15
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from camphor.agents.calling.caller import Background
from camphor.agents.display import show_value

Shown = tuple[str, Mapping[str, Any]]
"""The app of an item, and its record."""

LONGEST_SHOWN = 48
"""Characters of one value on an item's line: a title fits, of a mail's or note's text its beginning does."""
LONGEST_VALUE = 120
"""Characters of a value that a call may copy; a longer one is a text, and names nothing."""
MOST_VALUES = 200
_MOST_PEOPLE = 4
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?")
_MAILBOX = re.compile(r"\s*\"?([^<\"]*?)\"?\s*<([^<>\s]+@[^<>\s]+)>\s*")


def background_of(items: Iterable[Shown], now: datetime) -> Background:
    """What a planner is told of items, the most relevant first."""
    kept = tuple(items)
    values = dict.fromkeys(value for _, record in kept for value in values_of(record))
    return Background(tuple(line_of(app, record, now.year) for app, record in kept), tuple(values)[:MOST_VALUES])


def line_of(app: str, record: Mapping[str, Any], year: int) -> str:
    """An item on one line: its app, then its values in the record's order, without what is empty, false or said twice.

    Args:
        year: of the device's clock, left out where times are shown.
    """
    parts: dict[str, None] = {}
    day = ""
    for name, value in record.items():
        if value in (None, "", [], {}, False) or name.endswith("_id"):
            continue
        if isinstance(value, str) and _MOMENT.fullmatch(value):
            if value[:10] == day:  # the end of what begins that day
                continue
            day = value[:10]
        parts |= dict.fromkeys(_parts(name, value, year))
    return f"{app}: {', '.join(parts)}"


def values_of(record: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a record that name something, whole; of a mailbox the name and the address."""
    for value in record.values():
        for text in _texts(value):
            plain = " ".join(text.split())
            if not plain or len(plain) > LONGEST_VALUE or _MOMENT.fullmatch(plain):
                continue
            mailbox = _MAILBOX.fullmatch(plain)
            yield from filter(None, mailbox.groups() if mailbox else (plain,))


def _parts(name: str, value: Any, year: int) -> Iterator[str]:
    if value is True:
        yield name
    elif isinstance(value, int | float):
        yield f"{value:g} {name}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value[:_MOST_PEOPLE]:
            yield from _parts(name, each, year)
    else:
        text = show_value(value, year)
        if mailbox := _MAILBOX.fullmatch(text):
            text = mailbox[1] or mailbox[2]
        yield text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN].rsplit(" ", 1)[0] + " ..."


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        for each in value:
            yield from _texts(each)

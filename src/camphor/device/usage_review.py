"""What is kept about the use of a phone, for its person to look through and put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from camphor.device.usage_events import (
    COUNT,
    DAYPART,
    DAYPARTS,
    HOUR,
    KIND,
    KINDS,
    PLACE,
    SCREEN,
    WEEKDAY,
    Cells,
    ItemRef,
    UsageEvent,
    moment_of,
    seconds,
)
from camphor.device.when import show_time
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device


def used_items(phone: Device, query: str = "") -> list[ItemRef]:
    """The items that were used and have the words, those used most in the last weeks first."""
    signals = phone.usage.signals()
    lately = signals.decayed_at(seconds(phone.now))[:, 3]
    among = signals.refs
    if query:
        fitting = (ItemRef(info.app, info.name, row[0]) for info, rows in phone.rows(query) for row in rows)
        among = [ref for ref in fitting if ref in signals.row_of]
    return sorted(among, key=lambda ref: (-lately[signals.row_of[ref]], ref))


def why(phone: Device, ref: ItemRef) -> list[str]:
    """How often, when and where an item was used, in sentences; none where nothing is kept."""
    use = phone.usage.of(ref)
    if use is None:
        return []
    return sentences(use, phone.usage.names("place"), phone.usage.names("screen"), phone.now.year)


def corrected(event: UsageEvent, kind: str | None, at: str | None, place: str | None) -> UsageEvent:
    """The event with other values where one is given. Raises UsageError: it cannot be so."""
    try:
        moment = datetime.fromisoformat(at) if at is not None else event.at
        return replace(event, kind=kind or event.kind, at=moment, place=event.place if place is None else place)
    except ValueError as error:
        raise UsageError(f"The event cannot be so: {error}") from error


_DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
_PARTS = ("at night", "in the morning", "in the afternoon", "in the evening")
_FEWEST = 3
"""Fewer uses make no habit."""


def sentences(use: Cells, places: Sequence[str], screens: Sequence[str], year: int) -> list[str]:
    """How often and when it was used, what for, its habits, and where.

    Args:
        places, screens: what their numbers stand for (`Usage.names`). year: of the clock; other years are written out.
    """
    first, last = (show_time(moment_of(at), year) for at in (use.first, use.last))
    count = round(use.values[COUNT])
    spent = f"used {_times(count)}, {f'from {first} to {last}' if first != last else f'on {last}'}"
    kinds = _largest({kind: use.values.get(KIND + number, 0) for number, kind in enumerate(KINDS)})
    told = [spent, ", ".join(f"{kind} {_times(times)}" for kind, times in kinds)]
    if count >= _FEWEST and (habits := _habits(use, count)):
        told.append(f"mostly {', '.join(habits)}")
    for first_cell, names, form in ((PLACE, places, "at {}"), (SCREEN, screens, "with {} on the screen")):
        found = _largest({name: use.values.get(first_cell + number, 0) for number, name in enumerate(names)})
        if found:
            told.append(", ".join(f"{form.format(name)} {_times(times)}" for name, times in found))
    return told


def _habits(use: Cells, count: int) -> list[str]:
    """The weekday, part of the day and hour that have half of the uses or more."""
    width = len(DAYPARTS)
    days = {name: use.values.get(WEEKDAY + day, 0) for day, name in enumerate(_DAYS)}
    parts = {
        name: sum(use.values.get(DAYPART + day * width + part, 0) for day in range(7))
        for part, name in enumerate(_PARTS)
    }
    hours = {f"from {hour:02}:00 to {hour + 1:02}:00": use.values.get(HOUR + hour, 0) for hour in range(24)}
    found = [
        (f"on {name}" if name in days else name, times)
        for group in (days, parts, hours)
        for name, times in _largest(group)[:1]
    ]
    return [f"{name} ({times} of {count})" for name, times in found if 2 * times >= count]


def _largest(counts: dict[str, float]) -> list[tuple[str, int]]:
    return [(name, round(times)) for name, times in sorted(counts.items(), key=lambda pair: -pair[1]) if name and times]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"

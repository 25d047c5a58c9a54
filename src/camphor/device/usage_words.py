"""What is kept about the use of an item, said to a person: why it counts as it does."""

from __future__ import annotations

from collections.abc import Sequence

from camphor.device import usage_cells as cells
from camphor.device.usage_cells import DAYPARTS, Cells
from camphor.device.usage_events import KINDS, moment_of
from camphor.device.when import show_time

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
    count = round(use.values[cells.COUNT])
    spent = f"used {_times(count)}, {f'from {first} to {last}' if first != last else f'on {last}'}"
    kinds = _largest({kind: use.values.get(cells.KIND + number, 0) for number, kind in enumerate(KINDS)})
    told = [spent, ", ".join(f"{kind} {_times(times)}" for kind, times in kinds)]
    if count >= _FEWEST and (habits := _habits(use, count)):
        told.append(f"mostly {', '.join(habits)}")
    for first_cell, names, form in ((cells.PLACE, places, "at {}"), (cells.SCREEN, screens, "with {} on the screen")):
        found = _largest({name: use.values.get(first_cell + number, 0) for number, name in enumerate(names)})
        if found:
            told.append(", ".join(f"{form.format(name)} {_times(times)}" for name, times in found))
    return told


def _habits(use: Cells, count: int) -> list[str]:
    """The weekday, part of the day and hour that have half of the uses or more."""
    width = len(DAYPARTS)
    days = {name: use.values.get(cells.WEEKDAY + day, 0) for day, name in enumerate(_DAYS)}
    parts = {
        name: sum(use.values.get(cells.DAYPART + day * width + part, 0) for day in range(7))
        for part, name in enumerate(_PARTS)
    }
    hours = {f"from {hour:02}:00 to {hour + 1:02}:00": use.values.get(cells.HOUR + hour, 0) for hour in range(24)}
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

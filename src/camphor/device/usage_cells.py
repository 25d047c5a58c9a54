"""What is kept about the use of one item: counts, in all and by hour, weekday, kind, place and screen.

An item's counts are cells, numbered from 0 and mostly empty; on disk there are the full ones only. They are brought up
to date event by event, in any order of the events: a decayed count is `sum(2 ** -((last - at) / half-life))` over the
item's events, and an event that comes late adds what it would have come to by now.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from datetime import datetime

from camphor.device.usage_events import KINDS, UsageEvent, seconds

HALF_LIVES = (3600.0, 86_400.0, 7 * 86_400.0, 30 * 86_400.0)
"""Seconds: an hour, a day, a week, 30 days."""
HOURS_OF_PART = 6
DAYPARTS = ("night", "morning", "afternoon", "evening")
"""Six hours each, from midnight."""

COUNT = 0
DECAYED = 1
HOUR = DECAYED + len(HALF_LIVES)
WEEKDAY = HOUR + 24
DAYPART = WEEKDAY + 7
KIND = DAYPART + 7 * len(DAYPARTS)
PLACE = 256
"""Cells of places and screens have room after those of fixed meaning; each begins with the first name there was."""
SCREEN = PLACE + 256
MOST_NAMES = 64
"""Places with a column of their own, and screens. A person's places are a dozen; later ones are in the log only."""

_CELL = struct.Struct("<Hf")
assert KIND + len(KINDS) <= PLACE


@dataclass
class Cells:
    """The use of one item. `first` and `last` are seconds as `usage_events.seconds` gives them."""

    first: float = 0.0
    last: float = 0.0
    values: dict[int, float] = field(default_factory=dict)

    def add(self, event: UsageEvent, place: int | None, screen: int | None) -> None:
        """Counts one event. `place` and `screen` are the numbers of their names, None for no column."""
        at, values = seconds(event.at), self.values
        self._decay(at)
        if not values.get(COUNT):
            self.first = at
        self.first = min(self.first, at)
        weekday, hour = event.at.weekday(), event.at.hour
        cells = [COUNT, HOUR + hour, WEEKDAY + weekday, KIND + KINDS.index(event.kind)]
        cells.append(DAYPART + weekday * len(DAYPARTS) + hour // HOURS_OF_PART)
        if place is not None:
            cells.append(PLACE + place)
        if screen is not None:
            cells.append(SCREEN + screen)
        for cell in cells:
            values[cell] = values.get(cell, 0.0) + 1.0

    def _decay(self, at: float) -> None:
        values = self.values
        if not values.get(COUNT):
            self.last = at
        late = max(at - self.last, 0.0)
        early = max(self.last - at, 0.0)
        for number, half_life in enumerate(HALF_LIVES, DECAYED):
            values[number] = values.get(number, 0.0) * _halved(late, half_life) + _halved(early, half_life)
        self.last = max(self.last, at)

    def pack(self) -> bytes:
        return b"".join(_CELL.pack(cell, value) for cell, value in self.values.items() if value)

    @classmethod
    def unpack(cls, first: float, last: float, packed: bytes) -> Cells:
        return cls(first, last, dict(_CELL.iter_unpack(packed)))


def _halved(spent: float, half_life: float) -> float:
    # beyond 1,000 half-lives there is nothing left that a float could hold
    return float(2.0 ** -min(spent / half_life, 1000.0))


def screen_name(screen: str) -> str:
    """What a screen is called among the signals: the app or window that its text begins with ("Mail" of "Mail: inbox").

    A screen's whole text is mostly new each time, so that counting it would say nothing.
    """
    line = screen.strip().split("\n", 1)[0]
    return line.split(":", 1)[0].strip()[:40]


def daypart(moment: datetime) -> str:
    return DAYPARTS[moment.hour // HOURS_OF_PART]

"""What is noted about the use of a phone: events, and what is kept about one item, counts by hour, place and screen."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from camphor.device import dates

# What is noted about the use of a phone: which item, what became of it, when, where, and what the screen showed.
#
# An item is one record of an app's list. The device file's list `usage` holds such events; an entry that is none, or is
# about an item that is not there, harms no other.

KINDS = ("created", "opened", "edited", "played", "called", "received", "sent", "searched", "completed", "used",
         "missed")  # fmt: skip
"""What can become of an item. The order is that of the columns of `Signals.kinds`, and kept on disk: only append."""

_EPOCH = datetime(1970, 1, 1)
_FIELDS = frozenset(("app", "list", "item", "kind", "at", "place", "screen"))


class ItemRef(NamedTuple):
    """One record of an app's list; `ordinal` is its place in the list's order, never used again when it is gone."""

    app: str
    list: str
    ordinal: int

    def __str__(self) -> str:
        return f"{self.app}/{self.list}/{self.ordinal}"


@dataclass(frozen=True)
class UsageEvent:
    """One use of an item.

    Args:
        at: the phone's clock, naive local time.
        place, screen: where the phone was and what it showed; "" where that is not known.
        extra: fields of the device file's entry that mean nothing here, kept for the export.
        id: the number of the event on its device, None until it is kept.

    Raises:
        ValueError: a kind that is none of `KINDS`, or a time with an offset.
    """

    ref: ItemRef
    kind: str
    at: datetime
    place: str = ""
    screen: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False)
    id: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of use: choose from {', '.join(KINDS)}")
        if self.at.tzinfo is not None:
            raise ValueError(f"{self.at.isoformat()} has an offset: give the phone's local time")
        for name in ("place", "screen"):
            # a lone surrogate, which neither a database nor a file can hold, becomes "?"
            object.__setattr__(self, name, getattr(self, name).encode("utf-8", "replace").decode("utf-8"))


def seconds(moment: datetime) -> float:
    """A naive local time as seconds since the start of 1970 on the same clock."""
    return (moment - _EPOCH).total_seconds()


def moment_of(at: float) -> datetime:
    """The inverse of `seconds`, to the second."""
    return _EPOCH + timedelta(seconds=int(at))


def read_event(entry: Any, zone: tzinfo | None) -> UsageEvent | None:
    """An entry of the device file's `usage` as an event; None where it is none.

    A time with an offset is brought to `zone`.
    """
    if not isinstance(entry, Mapping):
        return None
    app, name, item, kind = (entry.get(key) for key in ("app", "list", "item", "kind"))
    place, screen = ("" if entry.get(key) is None else entry[key] for key in ("place", "screen"))
    if not all(isinstance(text, str) for text in (app, name, place, screen)) or kind not in KINDS:
        return None
    if not isinstance(item, int) or isinstance(item, bool) or item < 0:
        return None
    at = dates.moment(entry.get("at"), zone)
    if at is None:
        return None
    extra = {key: value for key, value in entry.items() if key not in _FIELDS}
    return UsageEvent(ItemRef(str(app), str(name), item), str(kind), at, str(place), str(screen), extra)


def write_event(event: UsageEvent, item: int) -> dict[str, Any]:
    """The event as an entry of the device file, where the item stands at the index `item` of its list."""
    return {
        "app": event.ref.app,
        "list": event.ref.list,
        "item": item,
        "kind": event.kind,
        "at": event.at.isoformat(),
        "place": event.place,
        "screen": event.screen,
        **event.extra,
    }


# What is kept about the use of one item: counts, in all and by hour, weekday, kind, place and screen.
#
# An item's counts are cells, numbered from 0 and mostly empty; on disk there are the full ones only. They are brought
# up to date event by event, in any order of the events: a decayed count is `sum(2 ** -((last - at) / half-life))` over
# the item's events, and an event that comes late adds what it would have come to by now.

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


_FIXED = KIND + len(KINDS)
_PACKED = np.dtype([("cell", "<u2"), ("value", "<f4")])
_SPARE = 64

Floats = npt.NDArray[np.float32]


class Signals:
    """One row an item that has any usage; columns are views (n rows), good until the next event is recorded.

    Attributes:
        refs: the item of each row. row_of: the row of each item. An item's row may change when another is forgotten.
        drops: how many were forgotten so far: until it changes, every row stands for the same item.
        place_names, screen_names: what the columns of `places` and `screens` stand for.
        kind_names: what those of `kinds` stand for.
    """

    kind_names: tuple[str, ...] = KINDS

    def __init__(
        self,
        places: Sequence[str] = (),
        screens: Sequence[str] = (),
        refs: Sequence[ItemRef] = (),
        times: Sequence[tuple[float, float]] = (),
        packed: Sequence[bytes] = (),
    ) -> None:
        """Args: refs, times, packed: the items, first and last use of each, its cells (`Cells.pack`)."""
        self.place_names = list(places)
        self.screen_names = list(screens)
        self.refs: list[ItemRef] = list(refs)
        self.drops = 0
        self.row_of: dict[ItemRef, int] = dict(zip(self.refs, range(len(self.refs)), strict=True))
        size = len(self.refs)
        self._times = np.zeros((size + _SPARE, 2))
        self._fixed = np.zeros((size + _SPARE, _FIXED), np.float32)
        self._places = np.zeros((size + _SPARE, len(self.place_names)), np.float32)
        self._screens = np.zeros((size + _SPARE, len(self.screen_names)), np.float32)
        if size:
            self._times[:size] = times
            self._fill(packed)

    def _fill(self, packed: Sequence[bytes]) -> None:
        full = np.frombuffer(b"".join(packed), _PACKED)
        cell, value = full["cell"].astype(np.int32), full["value"].astype(np.float32)
        lengths = np.fromiter(map(len, packed), np.intp, len(packed)) // _PACKED.itemsize
        rows = np.repeat(np.arange(len(packed), dtype=np.int32), lengths)
        for first, columns in self._blocks():
            here = np.flatnonzero((cell >= first) & (cell < first + columns.shape[1]))
            columns[rows[here], cell[here] - first] = value[here]

    def _blocks(self) -> tuple[tuple[int, Floats], ...]:
        return (0, self._fixed), (PLACE, self._places), (SCREEN, self._screens)

    def __len__(self) -> int:
        return len(self.refs)

    # columns

    @property
    def count(self) -> Floats:
        """(n,) events."""
        return self._fixed[: len(self), COUNT]

    @property
    def first(self) -> npt.NDArray[np.float64]:
        """(n,) seconds since the start of 1970 on the phone's own clock, as is `last`."""
        return self._times[: len(self), 0]

    @property
    def last(self) -> npt.NDArray[np.float64]:
        """(n,)"""
        return self._times[: len(self), 1]

    @property
    def decayed(self) -> Floats:
        """(n, 4): counts with half-lives of `HALF_LIVES`, as of each item's `last`."""
        return self._fixed[: len(self), DECAYED:HOUR]

    def decayed_at(self, now: float) -> Floats:
        """(n, 4): the decayed counts as of a moment (`usage_events.seconds`); one before `last` counts as `last`."""
        age = np.maximum(now - self.last, 0)[:, None] / np.array(HALF_LIVES)
        found: Floats = (self.decayed * np.exp2(-np.minimum(age, 1000))).astype(np.float32)
        return found

    @property
    def hours(self) -> Floats:
        """(n, 24)"""
        return self._fixed[: len(self), HOUR:WEEKDAY]

    @property
    def weekdays(self) -> Floats:
        """(n, 7), from Monday."""
        return self._fixed[: len(self), WEEKDAY:DAYPART]

    @property
    def dayparts(self) -> Floats:
        """(n, 28): weekday times `DAYPARTS`, so that Monday's four come first."""
        return self._fixed[: len(self), DAYPART:KIND]

    @property
    def kinds(self) -> Floats:
        """(n, K): columns as `kind_names`."""
        return self._fixed[: len(self), KIND:]

    @property
    def places(self) -> Floats:
        """(n, P): columns as `place_names`."""
        return self._places[: len(self)]

    @property
    def screens(self) -> Floats:
        """(n, S): columns as `screen_names`."""
        return self._screens[: len(self)]

    # kept up to date by `Usage`

    def put(self, ref: ItemRef, use: Cells, places: Sequence[str], screens: Sequence[str]) -> None:
        """The item's row is `use` from now on. Args: places, screens: all names, in the order of their numbers."""
        if places != self.place_names:
            self._places, self.place_names = _wider(self._places, len(places)), list(places)
        if screens != self.screen_names:
            self._screens, self.screen_names = _wider(self._screens, len(screens)), list(screens)
        row = self.row_of.get(ref)
        if row is None:
            row = self.row_of[ref] = len(self.refs)
            self.refs.append(ref)
            if row == len(self._times):
                self._times, self._fixed, self._places, self._screens = (
                    _longer(each, 2 * row) for each in (self._times, self._fixed, self._places, self._screens)
                )
        self._times[row] = use.first, use.last
        blocks = self._blocks()
        for _, columns in blocks:
            columns[row] = 0
        for cell, value in use.values.items():
            first, columns = blocks[(cell >= PLACE) + (cell >= SCREEN)]
            columns[row, cell - first] = value

    def drop(self, ref: ItemRef) -> None:
        """Takes the item's row out; the last row takes its place."""
        row = self.row_of.pop(ref, None)
        if row is None:
            return
        self.drops += 1
        last = self.refs.pop()
        if row < len(self.refs):
            self.refs[row] = last
            self.row_of[last] = row
            for each in (self._times, self._fixed, self._places, self._screens):
                each[row] = each[len(self.refs)]


def _wider(columns: Floats, width: int) -> Floats:
    return np.pad(columns, ((0, 0), (0, width - columns.shape[1])))


def _longer(columns: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    return np.pad(columns, ((0, rows - len(columns)), (0, 0)))

"""The use of all items of a device as columns, for rankers: loaded once, then kept up to date event by event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device import usage_cells as cells
from camphor.device.usage_cells import Cells
from camphor.device.usage_events import KINDS, ItemRef

_FIXED = cells.KIND + len(KINDS)
_CELL = np.dtype([("cell", "<u2"), ("value", "<f4")])
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
        """Args: refs, times, packed: the items, first and last use of each, its cells (`usage_cells.Cells.pack`)."""
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
        full = np.frombuffer(b"".join(packed), _CELL)
        cell, value = full["cell"].astype(np.int32), full["value"].astype(np.float32)
        lengths = np.fromiter(map(len, packed), np.intp, len(packed)) // _CELL.itemsize
        rows = np.repeat(np.arange(len(packed), dtype=np.int32), lengths)
        for first, columns in self._blocks():
            here = np.flatnonzero((cell >= first) & (cell < first + columns.shape[1]))
            columns[rows[here], cell[here] - first] = value[here]

    def _blocks(self) -> tuple[tuple[int, Floats], ...]:
        return (0, self._fixed), (cells.PLACE, self._places), (cells.SCREEN, self._screens)

    def __len__(self) -> int:
        return len(self.refs)

    # columns

    @property
    def count(self) -> Floats:
        """(n,) events."""
        return self._fixed[: len(self), cells.COUNT]

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
        """(n, 4): counts with half-lives of `usage_cells.HALF_LIVES`, as of each item's `last`."""
        return self._fixed[: len(self), cells.DECAYED : cells.HOUR]

    def decayed_at(self, now: float) -> Floats:
        """(n, 4): the decayed counts as of a moment (`usage_events.seconds`); one before `last` counts as `last`."""
        age = np.maximum(now - self.last, 0)[:, None] / np.array(cells.HALF_LIVES)
        found: Floats = (self.decayed * np.exp2(-np.minimum(age, 1000))).astype(np.float32)
        return found

    @property
    def hours(self) -> Floats:
        """(n, 24)"""
        return self._fixed[: len(self), cells.HOUR : cells.WEEKDAY]

    @property
    def weekdays(self) -> Floats:
        """(n, 7), from Monday."""
        return self._fixed[: len(self), cells.WEEKDAY : cells.DAYPART]

    @property
    def dayparts(self) -> Floats:
        """(n, 28): weekday times `usage_cells.DAYPARTS`, so that Monday's four come first."""
        return self._fixed[: len(self), cells.DAYPART : cells.KIND]

    @property
    def kinds(self) -> Floats:
        """(n, K): columns as `kind_names`."""
        return self._fixed[: len(self), cells.KIND :]

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
            first, columns = blocks[(cell >= cells.PLACE) + (cell >= cells.SCREEN)]
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

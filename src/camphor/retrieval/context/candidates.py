"""The few hundred items of a device that are worth ranking: picked in each store, from several sides.

An item is picked when it is among the first of its store by words (BM25), by meaning (vectors), by how near its moment
is, by recent use or by use at such hours, days and places. On a small device every item is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from camphor.device.usage_cells import DAYPARTS, HOURS_OF_PART
from camphor.retrieval.context.columns import COARSE
from camphor.retrieval.context.index import ContextIndex, Rows
from camphor.retrieval.context.situation import Situation

Floats = npt.NDArray[np.float32]

MOST = 480
"""Items that are ranked, but for the odd ones of stores beyond counting."""
SIDES = 6
FEWEST = 2
"""Items from each side of a store, however many stores there are."""
DAY = 86_400.0
_ACTIVE = 60 * DAY
"""Items that were not used for longer are picked by words, meaning and moments alone."""


@dataclass(frozen=True)
class Candidates:
    """Items to rank and what picking them has found out; all (n,).

    Attributes:
        rows: of the index. store: numbers of their stores. use: rows of the signals, -1 for an item without use.
        bm25: of the query. cosine: of the query's vector and the item's. vector: the query's, (dimensions,).
    """

    rows: Rows
    store: npt.NDArray[np.int16]
    use: Rows
    bm25: Floats
    cosine: Floats
    vector: Floats

    def __len__(self) -> int:
        return len(self.rows)


def pick(query: str, situation: Situation, index: ContextIndex, most: int = MOST) -> Candidates:
    """The items worth ranking for a query."""
    bm25 = index.words.scores(query)
    vector = np.asarray(index.encoder.encode([query])[0], np.float32)
    rows = index.rows() if len(index) <= most else _first_rows(bm25, vector, situation, index, most)
    row_of = index.signals.row_of
    use = np.fromiter((row_of.get(index.ref(row), -1) for row in rows), np.intp, len(rows))
    cosine = index.columns.vectors[rows].astype(np.float32) @ vector
    return Candidates(rows, index.columns.store[rows], use, bm25[rows], cosine, vector)


def _first_rows(bm25: Floats, vector: Floats, situation: Situation, index: ContextIndex, most: int) -> Rows:
    stores = [(store, index.rows_of(store)) for store in range(len(index.stores))]
    room, left = most, len(stores)
    chosen: list[Rows] = []
    near = index.columns.coarse @ vector[:COARSE]
    used, recent, habit = _use(situation, index)
    for store, rows in sorted(stores, key=lambda pair: len(pair[1])):
        each = max(FEWEST, room // (SIDES * left))
        if len(rows) > SIDES * each:
            mine = used[index.used_in()[used] == store]
            times, timeline = index.timeline(store)
            at = int(np.searchsorted(times, situation.seconds))
            known = [rows[bm25[rows] > 0]]
            sides = [
                _top(known[0], bm25[known[0]], each),
                _top(rows, near[rows], each),
                timeline[max(at - each // 2, 0) : at + each],
                _rows(_top(mine, recent[mine], each), index),
                _rows(_top(mine, habit[mine], each), index),
            ]
            rows = np.unique(np.concatenate(sides))
        chosen.append(rows)
        room, left = room - len(rows), left - 1
    return np.concatenate(chosen)


def _top(rows: Rows, scores: Floats, count: int) -> Rows:
    """The rows of the highest scores."""
    return rows if len(rows) <= count else rows[np.argpartition(scores, -count)[-count:]]


def _rows(used: Rows, index: ContextIndex) -> Rows:
    """The rows of the index that rows of the signals stand for; those of items that are gone are left out."""
    found = (index.row_of(index.signals.refs[row]) for row in used)
    return np.array([row for row in found if row is not None], np.intp)


def _use(situation: Situation, index: ContextIndex) -> tuple[Rows, Floats, Floats]:
    """Rows of the signals that were used of late; for every row, how much of late, and how much at such times."""
    signals = index.signals
    recent, habit = np.zeros(len(signals), np.float32), np.zeros(len(signals), np.float32)
    age = np.abs(situation.seconds - signals.last)
    used = np.flatnonzero(age < _ACTIVE)
    if not len(used):
        return used, recent, habit
    age = age[used]
    decayed = signals.decayed[used]
    recent[used] = decayed[:, 1] * np.exp2(-age / DAY) + decayed[:, 3] * np.exp2(-age / (30 * DAY)) + 1 / (DAY + age)
    now = situation.now
    hour, weekday = now.hour, now.weekday()
    mass = signals.hours[used, hour] + signals.hours[used, hour - 1] / 2 + signals.hours[used, (hour + 1) % 24] / 2
    mass += signals.dayparts[used, weekday * len(DAYPARTS) + hour // HOURS_OF_PART]
    if situation.place in signals.place_names:
        mass += signals.places[used, signals.place_names.index(situation.place)] / 2
    habit[used] = mass * np.exp2(-age / (14 * DAY))
    return used, recent, habit

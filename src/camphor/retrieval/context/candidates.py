"""The few hundred items of a device that are worth ranking: picked in each store, from several sides.

An item is picked when it is among the first of its store by words (BM25), by meaning (vectors), by how near its moment
is, by recent use or by use at such hours, days and places. On a small device every item is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from camphor.device.usage_cells import DAYPARTS, HOURS_OF_PART
from camphor.device.usage_signals import Signals
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
        rows: of the index. store: numbers of their stores.
        use: rows of the signals, -1 for an item without use.
        signals: how items were used.
        bm25: of the query. cosine: of the query's vector and the item's. vector: the query's, (dimensions,).
    """

    rows: Rows
    store: npt.NDArray[np.int16]
    use: Rows
    signals: Signals
    bm25: Floats
    cosine: Floats
    vector: Floats

    def __len__(self) -> int:
        return len(self.rows)


def pick(query: str, situation: Situation, index: ContextIndex, most: int = MOST) -> Candidates:
    """The items worth ranking for a query."""
    bm25 = index.words.scores(query)
    vector = np.asarray(index.encoder.encode([query])[0], np.float32)
    signals = index.signals()
    rows = index.rows()
    if len(rows) > most:
        rows = _first_rows(bm25, vector, situation, index, signals, most)
    use = index.uses(signals)[0][rows]
    cosine = index.columns.vectors[rows].astype(np.float32) @ vector
    return Candidates(rows, index.columns.store[rows], use, signals, bm25[rows], cosine, vector)


def _first_rows(
    bm25: Floats, vector: Floats, situation: Situation, index: ContextIndex, signals: Signals, most: int
) -> Rows:
    stores = [(store, index.rows_of(store)) for store in range(len(index.stores))]
    room, left = most, len(stores)
    chosen: list[Rows] = []
    near = index.columns.coarse @ vector[:COARSE]
    row_of_use = index.uses(signals)[1]
    there = (row_of_use >= 0) & index.columns.alive[row_of_use]
    used, recent, habit = _use(situation, there, signals)
    used_rows = row_of_use[used]
    used_in = index.columns.store[used_rows]
    for store, rows in sorted(stores, key=lambda pair: len(pair[1])):
        each = max(FEWEST, room // (SIDES * left))
        if len(rows) > SIDES * each:
            mine = np.flatnonzero(used_in == store)
            times, timeline = index.timeline(store)
            at = int(np.searchsorted(times, situation.seconds))
            known = rows[bm25[rows] > 0]
            sides = [
                _top(known, bm25[known], each),
                _top(rows, near[rows], each),
                timeline[max(at - each // 2, 0) : at + each],
                used_rows[_top(mine, recent[mine], each)],
                used_rows[_top(mine, habit[mine], each)],
            ]
            rows = np.unique(np.concatenate(sides))
        chosen.append(rows)
        room, left = room - len(rows), left - 1
    return np.concatenate(chosen)


def _top(rows: Rows, scores: Floats, count: int) -> Rows:
    """The rows of the highest scores."""
    return rows if len(rows) <= count else rows[np.argpartition(scores, -count)[-count:]]


def _use(situation: Situation, there: npt.NDArray[np.bool_], signals: Signals) -> tuple[Rows, Floats, Floats]:
    """Rows of the signals of items used of late; for each, how much of late, and how much at such times; (found,)."""
    age = np.abs(situation.seconds - signals.last)
    used = np.flatnonzero((age < _ACTIVE) & there)
    age, decayed = age[used], signals.decayed[used]
    recent = decayed[:, 1] * np.exp2(-age / DAY) + decayed[:, 3] * np.exp2(-age / (30 * DAY)) + 1 / (DAY + age)
    now = situation.now
    hour, weekday = now.hour, now.weekday()
    hours = signals.hours[used]
    mass = hours[:, hour] + hours[:, hour - 1] / 2 + hours[:, (hour + 1) % 24] / 2
    mass += signals.dayparts[used, weekday * len(DAYPARTS) + hour // HOURS_OF_PART]
    if situation.place in signals.place_names:
        mass += signals.places[used, signals.place_names.index(situation.place)] / 2
    return used, recent.astype(np.float32), (mass * np.exp2(-age / (14 * DAY))).astype(np.float32)

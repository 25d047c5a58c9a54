"""The few hundred items of a device that are worth ranking: picked in each store, from several sides.

An item is picked when it is among the first of its store by words (BM25), by meaning (vectors), by how near its moment
is, by recent use or by use at such hours, days and places. On a small device every item is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from camphor.device.usage_events import DAYPARTS, HOURS_OF_PART, Signals
from camphor.retrieval.context.index import ContextIndex, Rows
from camphor.retrieval.context.items import COARSE
from camphor.retrieval.context.query import UseSituation

Floats = npt.NDArray[np.float32]

MOST = 400
"""Items that are ranked, but for the odd ones of stores beyond counting."""
SIDES = 6
FEWEST = 2
"""Items from each side of a store, however many stores there are."""
DAY = np.float32(86_400)
_FADES = np.float32(21)
"""Days after which use counts half."""


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


def pick(query: str, situation: UseSituation, index: ContextIndex, most: int = MOST) -> Candidates:
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
    bm25: Floats, vector: Floats, situation: UseSituation, index: ContextIndex, signals: Signals, most: int
) -> Rows:
    columns = index.columns
    near = columns.coarse @ vector[:COARSE]
    worded = np.flatnonzero(bm25)
    worded = worded[columns.alive[worded]]
    used, recent, habit = _use(situation, index, signals)
    worded_in, used_in = columns.store[worded], columns.store[used]
    room, left = most, len(index.stores)
    chosen: list[Rows] = []
    for store, rows in sorted(((store, index.rows_of(store)) for store in range(left)), key=lambda pair: len(pair[1])):
        each = max(FEWEST, room // (SIDES * left))
        if len(rows) > SIDES * each:
            said, mine = worded[worded_in == store], np.flatnonzero(used_in == store)
            times, timeline = index.timeline(store)
            at = int(np.searchsorted(times, situation.seconds))
            sides = (
                _top(said, bm25[said], each),
                _top(rows, near[rows], each),
                timeline[max(at - each // 2, 0) : at + each],
                used[_top(mine, recent[mine], each)],
                used[_top(mine, habit[mine], each)],
            )
            rows = np.unique(np.concatenate(sides))
        chosen.append(rows)
        room, left = room - len(rows), left - 1
    return np.concatenate(chosen)


def _top(rows: Rows, scores: Floats, count: int) -> Rows:
    """The rows of the highest scores."""
    return rows if len(rows) <= count else rows[np.argpartition(scores, -count)[-count:]]


def _use(situation: UseSituation, index: ContextIndex, signals: Signals) -> tuple[Rows, Floats, Floats]:
    """Rows of the items that were used; for each, how much of late, and how much at such times; all (found,)."""
    now, row = situation.now, index.uses(signals)[1]
    hour, weekday = now.hour, now.weekday()
    age = np.abs(situation.seconds - signals.last).astype(np.float32) / DAY
    fade = np.exp2(-age / _FADES)
    hours = signals.hours
    mass = hours[:, hour] + (hours[:, hour - 1] + hours[:, (hour + 1) % 24]) / 2
    mass += signals.dayparts[:, weekday * len(DAYPARTS) + hour // HOURS_OF_PART]
    if situation.place in signals.place_names:
        mass += signals.places[:, signals.place_names.index(situation.place)] / 2
    there = np.flatnonzero(row >= 0)
    there = there[index.columns.alive[row[there]]]
    recent = signals.decayed[:, 3] * fade + 1 / (1 + age)
    return row[there], recent[there], (mass * fade)[there]

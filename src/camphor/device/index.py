"""The word index of long lists, kept in the device's database.

For each token of a list and each block of 8,192 ordinals there is one row with the slots of the records that have it,
two bytes each; for each block one row with the first and last day of every record. A look-up adds up a few such rows
with numpy, so that it costs the same few milliseconds for rare and for common words, where a full-text query that must
rank the 60,000 records that have any of five common words takes tens.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device import dates
from camphor.device.store import ListInfo, Store
from camphor.device.text import Condition, OnDays, Record, tokens

BLOCK = 8192

_SLOT = np.dtype("<u2")
_DAY = np.dtype("<i4")


class Index:
    """The index of one device's lists. Call its methods inside the store's transaction that changes the records."""

    def __init__(self, store: Store, zone: tzinfo | None) -> None:
        self._store = store
        self._zone = zone

    def build(self, info: ListInfo) -> None:
        """Indexes a list that is not indexed yet."""
        postings: dict[tuple[str, int], list[int]] = defaultdict(list)
        blocks = range(-(-info.next // BLOCK))
        first = {block: np.zeros(BLOCK, _DAY) for block in blocks}
        last = {block: np.zeros(BLOCK, _DAY) for block in blocks}
        for ordinal, record in self._store.records(info.id):
            block, slot = divmod(ordinal, BLOCK)
            for token in tokens(record, info.shape, self._zone):
                postings[token, block].append(slot)
            first[block][slot], last[block][slot] = dates.span(record, info.shape.span, self._zone)
        # in the order of the key, so that the table is written from front to back
        rows = ((info.id, *key, _packed(postings[key])) for key in sorted(postings))
        self._store.run_many("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)
        self._store.run_many(
            "INSERT INTO spans VALUES (?, ?, ?, ?)",
            ((info.id, block, first[block].tobytes(), last[block].tobytes()) for block in blocks),
        )
        self._store.run("UPDATE lists SET indexed = 1 WHERE id=?", (info.id,))

    def extend(self, info: ListInfo, first: int, records: Sequence[Record]) -> None:
        """Indexes records that were added at the end, from the ordinal of the first one on."""
        postings: dict[tuple[str, int], list[int]] = defaultdict(list)
        days: dict[int, list[tuple[int, Sequence[int]]]] = defaultdict(list)
        for ordinal, record in enumerate(records, first):
            block, slot = divmod(ordinal, BLOCK)
            for token in tokens(record, info.shape, self._zone):
                postings[token, block].append(slot)
            days[block].append((slot, dates.span(record, info.shape.span, self._zone)))
        begun = first // BLOCK  # this block may have earlier records; the others are new
        earlier = dict(
            self._store.rows(
                "SELECT token, slots FROM postings WHERE list=? AND block=?"
                " AND token IN (SELECT value FROM json_each(?))",
                (info.id, begun, json.dumps([token for token, block in postings if block == begun])),
            )
        )
        rows = (
            (
                info.id,
                token,
                block,
                (earlier.get(token, b"") if block == begun else b"") + _packed(postings[token, block]),
            )
            for token, block in sorted(postings)
        )
        self._store.run_many("INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?)", rows)
        for block, spans in days.items():
            self._put_spans(info.id, block, spans)

    def add(self, info: ListInfo, ordinal: int, record: Record) -> None:
        block, slot = divmod(ordinal, BLOCK)
        for token in tokens(record, info.shape, self._zone):
            slots = self._slots(info.id, token, block)
            self._put_slots(info.id, token, block, np.append(slots[slots != slot], _SLOT.type(slot)))
        self._put_spans(info.id, block, [(slot, dates.span(record, info.shape.span, self._zone))])

    def remove(self, info: ListInfo, ordinal: int, record: Record) -> None:
        block, slot = divmod(ordinal, BLOCK)
        for token in tokens(record, info.shape, self._zone):
            slots = self._slots(info.id, token, block)
            self._put_slots(info.id, token, block, slots[slots != slot])
        self._put_spans(info.id, block, [(slot, (0, 0))])

    def select(self, info: ListInfo, conditions: Iterable[Condition]) -> list[int]:
        """Ordinals of the records that meet the conditions, in the order of `conditions.select`."""
        mask = np.ones(info.next, bool)
        ranks: list[npt.NDArray[np.uint16]] = []
        for condition in conditions:
            if isinstance(condition, OnDays):
                first, last = self._days(info)
                mask &= (first > 0) & (first <= condition.last) & (last >= condition.first)
                continue
            counts = self._counts(info, condition.tokens)
            counts[~mask] = 0
            full = counts == len(condition.tokens)
            if condition.every or full.any():
                mask = full
            else:
                mask = counts > 0
                ranks.append(counts)
        found = np.nonzero(mask)[0]
        for counts in ranks:
            # counts are small, so the stable sort is a radix sort: below a millisecond for 100,000
            found = found[np.argsort(np.uint16(0xFFFF) - counts[found], kind="stable")]
        return [int(ordinal) for ordinal in found]

    def _counts(self, info: ListInfo, wanted: Iterable[str]) -> npt.NDArray[np.uint16]:
        counts = np.zeros(info.next, np.uint16)
        for token in wanted:
            for block, slots in self._store.rows(
                "SELECT block, slots FROM postings WHERE list=? AND token=?", (info.id, token)
            ):
                counts[block * BLOCK + np.frombuffer(slots, _SLOT).astype(np.intp)] += 1
        return counts

    def _days(self, info: ListInfo) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        rows = self._store.rows("SELECT first, last FROM spans WHERE list=? ORDER BY block", (info.id,))
        first, last = (b"".join(row[side] for row in rows) for side in (0, 1))
        return np.frombuffer(first, _DAY)[: info.next], np.frombuffer(last, _DAY)[: info.next]

    def _slots(self, list_id: int, token: str, block: int) -> npt.NDArray[Any]:
        found = self._store.value(
            "SELECT slots FROM postings WHERE list=? AND token=? AND block=?", (list_id, token, block)
        )
        return np.frombuffer(found or b"", _SLOT)

    def _put_slots(self, list_id: int, token: str, block: int, slots: npt.NDArray[Any]) -> None:
        if len(slots):
            body = slots.astype(_SLOT).tobytes()
            self._store.run("INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?)", (list_id, token, block, body))
        else:
            self._store.run("DELETE FROM postings WHERE list=? AND token=? AND block=?", (list_id, token, block))

    def _put_spans(self, list_id: int, block: int, spans: Iterable[tuple[int, Sequence[int]]]) -> None:
        rows = self._store.rows("SELECT first, last FROM spans WHERE list=? AND block=?", (list_id, block))
        empty = bytes(BLOCK * _DAY.itemsize)
        sides = [np.frombuffer(body, _DAY).copy() for body in (rows[0] if rows else (empty, empty))]
        for slot, span in spans:
            for side, day in zip(sides, span, strict=True):
                side[slot] = day
        bodies = (side.tobytes() for side in sides)
        self._store.run("INSERT OR REPLACE INTO spans VALUES (?, ?, ?, ?)", (list_id, block, *bodies))


def _packed(slots: list[int]) -> bytes:
    return np.array(slots, _SLOT).tobytes()

"""What a device knows about the use of its items: a log of events, and counts that rankers read as columns.

Kept beside the records, so that it stays on the device and goes with the record that it is about. A new event costs one
row of the log and the counts of one item; it is never waited for on its way to the disk: a power cut may lose the last
events, whole ones, and nothing else. The person sees, corrects and deletes all of it, and can pause it.

The clock of a phone may be wrong. Events before the year 2000 or more than a day ahead of the clock stay in the log and
are not counted; those ahead are when the clock has come there, and what a clock that ran ahead had counted is taken
back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta, tzinfo
from typing import Any

from camphor.device.store import Store, dump
from camphor.device.usage_events import (
    MOST_NAMES,
    Cells,
    ItemRef,
    Signals,
    UsageEvent,
    read_event,
    screen_name,
    seconds,
    write_event,
)
from camphor.errors import UsageError

__all__ = ["ItemRef", "Signals", "Usage", "UsageEvent"]

EARLIEST = datetime(2000, 1, 1)
AHEAD = timedelta(days=1)
"""A day ahead of the clock is no fault: a traveller's clock goes back by as much."""

_COLUMNS = "id, list, ordinal, kind, at, place, screen, extra"
_INSERT = "INSERT INTO usage_events (list, ordinal, kind, at, place, screen, extra, counted) VALUES (?,?,?,?,?,?,?,?)"
_Key = tuple[int, int]


class Usage:
    """The use of one device's items. Safe to use from several threads, as the store is.

    Args:
        clock: the phone's clock, naive local time; without one every time from 2000 on is believed.
    """

    def __init__(self, store: Store, clock: Callable[[], datetime] | None = None) -> None:
        self._store = store
        self._clock = clock
        self.refresh()

    def refresh(self) -> None:
        """Forgets what is in memory, for when a transaction that recorded something was undone."""
        self._signals: Signals | None = None
        self._version: int | None = None
        self._gone = len(self._store.gone)
        self._ids: dict[tuple[str, str], int] = {}
        self._lists: dict[int, tuple[str, str]] = {}
        self._names: dict[str, list[str]] = {}

    # recording

    def record(self, event: UsageEvent) -> bool:
        """Notes and counts the event. False where it was not kept: while paused, or of an item that is gone.

        Raises:
            StoreError: it cannot be written.
        """
        with self._changing(self._store.transaction(lasting=False)):
            key = self._key(event.ref)
            if key is None or self.paused or not self._exists(key):
                return False
            counted = self._is_plausible(event.at)
            self._store.run(_INSERT, _row(key, event, counted))
            if counted:
                self._count(key, event)
        return True

    @contextmanager
    def _changing(self, transaction: AbstractContextManager[None]) -> Iterator[None]:
        try:
            with transaction:
                self._catch_up()
                yield
        except BaseException:
            self.refresh()
            raise

    def _count(self, key: _Key, event: UsageEvent) -> None:
        use = self._cells(key)
        if use is not None and use.last > seconds(self._latest()):
            self._recount(key)  # the event is in the log already
            return
        use = use or Cells()
        use.add(event, *self._numbers(event))
        self._put(key, event.ref, use)

    def _recount(self, key: _Key) -> None:
        """Counts an item anew from the log, by what the clock says now."""
        use, ref = Cells(), self._ref(key)
        for event in self._events(key):
            counted = self._is_plausible(event.at)
            self._store.run("UPDATE usage_events SET counted=? WHERE id=? AND counted<>?", (counted, event.id, counted))
            if counted:
                use.add(event, *self._numbers(event))
        if use.values:
            self._put(key, ref, use)
            return
        self._store.run("DELETE FROM usage_items WHERE list=? AND ordinal=?", key)
        if self._signals is not None:
            self._signals.drop(ref)

    def _put(self, key: _Key, ref: ItemRef, use: Cells) -> None:
        row = (*key, use.first, use.last, use.pack())
        self._store.run("INSERT OR REPLACE INTO usage_items VALUES (?, ?, ?, ?, ?)", row)
        if self._signals is not None:
            self._signals.put(ref, use, self._all_names("place"), self._all_names("screen"))

    def _is_plausible(self, at: datetime) -> bool:
        return EARLIEST <= at <= self._latest()

    def _latest(self) -> datetime:
        now = self._clock() if self._clock else datetime.max
        return now + AHEAD if now < datetime.max - AHEAD else datetime.max

    # reading

    def signals(self) -> Signals:
        """The counts of all items as columns, brought up to date as events are recorded."""
        with self._store.snapshot():
            self._catch_up()
            if self._signals is not None:
                return self._signals
            unsettled = self._unsettled()
        if unsettled:
            with self._store.transaction(lasting=False):
                for key in unsettled:
                    self._recount(key)
        with self._store.snapshot():
            self._catch_up()
            self._signals = self._load()
            return self._signals

    def _load(self) -> Signals:
        refs: list[ItemRef] = []
        times: list[tuple[float, float]] = []
        packed: list[bytes] = []
        for info in self._store.lists():
            rows = self._store.rows("SELECT ordinal, first, last, cells FROM usage_items WHERE list=?", (info.id,))
            refs += [ItemRef(info.app, info.name, row[0]) for row in rows]
            times += [row[1:3] for row in rows]
            packed += [row[3] for row in rows]
        return Signals(self._all_names("place"), self._all_names("screen"), refs, times, packed)

    def of(self, ref: ItemRef) -> Cells | None:
        """The counts of one item; None where there are none."""
        with self._store.snapshot():
            self._catch_up()
            key = self._key(ref)
            return self._cells(key) if key else None

    def names(self, kind: str) -> tuple[str, ...]:
        """What the numbers of places (`place`) or screens (`screen`) in the counts stand for."""
        with self._store.snapshot():
            self._catch_up()
            return tuple(self._all_names(kind))

    def events(self, ref: ItemRef) -> list[UsageEvent]:
        """The log of one item, oldest first."""
        key = self._key(ref)
        return sorted(self._events(key), key=lambda event: event.at) if key else []

    def all_events(self) -> list[UsageEvent]:
        """The whole log, in the order in which it was written."""
        rows = self._store.rows(f"SELECT {_COLUMNS} FROM usage_events ORDER BY id")
        return [_event(row, self._ref((row[1], row[2]))) for row in rows]

    def event(self, event_id: int) -> UsageEvent:
        """The event of this number. Raises UsageError: there is none."""
        rows = self._store.rows(f"SELECT {_COLUMNS} FROM usage_events WHERE id=?", (event_id,))
        if not rows:
            raise UsageError(f"There is no event {event_id}: camphor context why ITEM  tells the numbers of events")
        return _event(rows[0], self._ref(rows[0][1:3]))

    # the person's say

    def correct(self, event_id: int, event: UsageEvent | None) -> None:
        """Puts an event in place of that of this number, which may be about another item; None takes it away.

        Raises:
            UsageError: there is no event of that number, or no such item.
        """
        with self._changing(self._store.erasing()):
            before = self._key(self.event(event_id).ref)
            key = self._key(event.ref) if event else None
            if event and (key is None or not self._exists(key)):
                raise UsageError(f"There is no item {event.ref}: name one as APP/LIST/NUMBER")
            self._store.run("DELETE FROM usage_events WHERE id=?", (event_id,))
            if event and key:
                row = (event_id, *_row(key, event, False))
                self._store.run(f"INSERT INTO usage_events ({_COLUMNS}, counted) VALUES (?,?,?,?,?,?,?,?,?)", row)
            for each in {before, key}:
                if each:
                    self._recount(each)
            self._tidy_names()

    def forget(self, ref: ItemRef) -> int:
        """Deletes all that is kept about the use of an item, for good; how many events that were."""
        with self._changing(self._store.erasing()):
            key = self._key(ref)
            if key is None:
                return 0
            events = int(self._store.value("SELECT count(*) FROM usage_events WHERE list=? AND ordinal=?", key))
            self._store.remove_usage(*key)
            self._tidy_names()
        return events

    def forget_all(self) -> int:
        """Deletes all that is kept about the use of this device, for good; how many events that were."""
        with self._changing(self._store.erasing()):
            events = int(self._store.value("SELECT count(*) FROM usage_events"))
            for table in ("events", "items", "names", "skipped"):
                self._store.run(f"DELETE FROM usage_{table}")
            self.refresh()
        return events

    def pause(self) -> None:
        """From now on nothing is noted, until `resume`."""
        with self._store.transaction():
            if not self.paused:
                self._store.run("INSERT INTO usage_paused VALUES (?)", ((self._clock or datetime.now)().isoformat(),))

    def resume(self) -> None:
        self._store.run("DELETE FROM usage_paused")

    @property
    def paused(self) -> bool:
        return self._store.value("SELECT 1 FROM usage_paused") is not None

    # the device file

    def take_in(self, entries: Iterable[Any], zone: tzinfo | None = None) -> None:
        """Fills the log from a device file's list `usage`. What is no event of an item is kept aside, and `skipped`."""
        use: dict[_Key, Cells] = {}
        rows, skipped = [], []
        with self._changing(self._store.transaction()):
            latest = self._latest()
            sizes = {info.id: info.next for info in self._store.lists()}
            for entry in entries:
                event = read_event(entry, zone)
                key = self._key(event.ref) if event else None
                if event is None or key is None or key[1] >= sizes[key[0]]:
                    skipped.append((dump(entry),))
                    continue
                counted = EARLIEST <= event.at <= latest
                rows.append(_row(key, event, counted))
                if counted:
                    use.setdefault(key, Cells()).add(event, *self._numbers(event))
            self._store.run_many(_INSERT, iter(rows))
            packed = ((*key, use[key].first, use[key].last, use[key].pack()) for key in sorted(use))
            self._store.run_many("INSERT INTO usage_items VALUES (?, ?, ?, ?, ?)", packed)
            self._store.run_many("INSERT INTO usage_skipped VALUES (?)", iter(skipped))

    @property
    def skipped(self) -> int:
        """How many entries of the device file's `usage` were no events of its items."""
        return int(self._store.value("SELECT count(*) FROM usage_skipped"))

    def export(self) -> list[dict[str, Any]]:
        """The device file's `usage`: the log, then what was skipped; items by where they stand in their lists now."""
        with self._store.snapshot():
            places = {
                (info.app, info.name): {
                    row[0]: index
                    for index, row in enumerate(
                        self._store.rows("SELECT ordinal FROM records WHERE list=? ORDER BY ordinal", (info.id,))
                    )
                }
                for info in self._store.lists()
            }
            entries = [
                write_event(each, places[each.ref.app, each.ref.list][each.ref.ordinal]) for each in self.all_events()
            ]
            skipped = self._store.rows("SELECT entry FROM usage_skipped ORDER BY rowid")
        return [*entries, *(json.loads(row[0]) for row in skipped)]

    # what is in memory

    def _catch_up(self) -> None:
        """Drops what another process may have changed, and the items whose records are gone."""
        version = self._store.value("PRAGMA data_version")
        if version != self._version:
            self.refresh()
            self._version = version
        for key in self._store.gone[self._gone :]:
            if self._signals is not None:
                self._signals.drop(self._ref(key))
        self._gone = len(self._store.gone)

    def _unsettled(self) -> list[_Key]:
        """Items counted by a clock that ran ahead, and those with events that the clock has come to."""
        latest = self._latest()
        rows = self._store.rows(
            "SELECT list, ordinal FROM usage_items WHERE last > ?"
            " UNION SELECT list, ordinal FROM usage_events WHERE NOT counted AND at BETWEEN ? AND ?",
            (seconds(latest), EARLIEST.isoformat(), latest.isoformat()),
        )
        return [(row[0], row[1]) for row in rows]

    def _key(self, ref: ItemRef) -> _Key | None:
        name = (ref.app, ref.list)
        if name not in self._ids:
            self._read_lists()
        return (self._ids[name], ref.ordinal) if name in self._ids else None

    def _ref(self, key: _Key) -> ItemRef:
        if key[0] not in self._lists:
            self._read_lists()
        return ItemRef(*self._lists[key[0]], key[1])

    def _read_lists(self) -> None:
        self._lists = {info.id: (info.app, info.name) for info in self._store.lists()}
        self._ids = {name: list_id for list_id, name in self._lists.items()}

    def _exists(self, key: _Key) -> bool:
        return self._store.value("SELECT 1 FROM records WHERE list=? AND ordinal=?", key) is not None

    def _cells(self, key: _Key) -> Cells | None:
        rows = self._store.rows("SELECT first, last, cells FROM usage_items WHERE list=? AND ordinal=?", key)
        return Cells.unpack(*rows[0]) if rows else None

    def _events(self, key: _Key) -> list[UsageEvent]:
        ref = self._ref(key)
        rows = self._store.rows(f"SELECT {_COLUMNS} FROM usage_events WHERE list=? AND ordinal=? ORDER BY id", key)
        return [_event(row, ref) for row in rows]

    # names of places and screens

    def _all_names(self, kind: str) -> list[str]:
        if kind not in self._names:
            rows = self._store.rows("SELECT number, name FROM usage_names WHERE kind=? ORDER BY number", (kind,))
            names = [""] * (rows[-1][0] + 1 if rows else 0)
            for number, name in rows:
                names[number] = name
            self._names[kind] = names
        return self._names[kind]

    def _numbers(self, event: UsageEvent) -> tuple[int | None, int | None]:
        return self._number("place", event.place.strip()), self._number("screen", screen_name(event.screen))

    def _number(self, kind: str, name: str) -> int | None:
        """The number of a name, given on first use; None where it has none."""
        names = self._all_names(kind)
        if not name:
            return None
        if name in names:
            return names.index(name)
        number = names.index("") if "" in names else len(names)
        if number >= MOST_NAMES:
            return None
        names[number : number + 1] = [name]
        self._store.run("INSERT INTO usage_names VALUES (?, ?, ?)", (kind, number, name))
        return number

    def _tidy_names(self) -> None:
        """Takes out names that no event has any more: their columns are empty and may be given anew."""
        for kind in ("place", "screen"):
            said = [row[0] for row in self._store.rows(f"SELECT DISTINCT {kind} FROM usage_events")]
            kept = {text.strip() if kind == "place" else screen_name(text) for text in said}
            for number, name in enumerate(self._all_names(kind)):
                if name and name not in kept:
                    self._store.run("DELETE FROM usage_names WHERE kind=? AND number=?", (kind, number))
        self.refresh()


def _row(key: _Key, event: UsageEvent, counted: bool) -> Sequence[Any]:
    extra = dump(dict(event.extra)) if event.extra else None
    at = event.at.isoformat()
    return (*key, event.kind, at, event.place, event.screen, extra, counted)


def _event(row: Sequence[Any], ref: ItemRef) -> UsageEvent:
    number, _, _, kind, at, place, screen, extra = row
    return UsageEvent(ref, kind, datetime.fromisoformat(at), place, screen, json.loads(extra) if extra else {}, number)

"""The record lists of a device, and the view of them that one app has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple

from camphor.device import text
from camphor.device.store import ListInfo, Store
from camphor.device.text import Condition, Record, Shape
from camphor.device.usage_events import ItemRef

if TYPE_CHECKING:
    from camphor.device.index import Index


ACTIONS = "actions"
"""The list that an app's actions are recorded in."""
# A look-up gives at most this many records and then says how many more there are. A context of 4,096 tokens holds some
# sixty; reading 1,000 long mails takes 10 ms, a fourth of them 3 ms.
MOST_FOUND = 256
# Lists longer than this are indexed. Below it reading through costs about 5 ms at most, and small devices stay cheap.
INDEX_FROM = 256


class RecordChange(NamedTuple):
    """What an action did to one record: `before` is None where it made it, `after` where it removed it."""

    ref: ItemRef
    before: Record | None
    after: Record | None


class RecordPage(NamedTuple):
    """Some records of a list with their ordinals, and how many there are in all."""

    total: int
    rows: list[tuple[int, dict[str, Any]]]


class Records:
    """All record lists of a device: looked up, added to, changed. Changes belong in the store's `transaction()`."""

    def __init__(self, store: Store, zone: tzinfo | None = None) -> None:
        self._store = store
        self.zone = zone
        self._built: Index | None = None
        self._watched = threading.local()

    @property
    def _index(self) -> Index:
        if self._built is None:
            # numpy takes 0.1 s to import, and only long lists need it
            from camphor.device.index import Index

            self._built = Index(self._store, self.zone)
        return self._built

    def all(self, app: str, name: str) -> list[dict[str, Any]]:
        """Every record of a list, in order; empty where there is no such list."""
        info = self._store.list_info(app, name)
        return [record for _, record in self._store.records(info.id)] if info else []

    def find(self, app: str, name: str, wanted: Iterable[Condition] = ()) -> list[Record]:
        """The records that meet the conditions, best first; past `MOST_FOUND` a last one says how many more."""
        wanted = tuple(wanted)
        with self._store.snapshot():
            info = self._store.list_info(app, name)
            if info is None:
                return []
            if not wanted:
                return _cut([record for _, record in self._store.records(info.id, MOST_FOUND)], info.size)
            if not info.indexed:
                records = [record for _, record in self._store.records(info.id)]
                found = text.select(records, wanted, info.shape, self.zone)
                return _cut(found, len(found))
            ordinals = self._index.select(info, wanted)
            return _cut([record for _, record in self._store.records_at(info.id, ordinals[:MOST_FOUND])], len(ordinals))

    def any(self, app: str, name: str, wanted: Iterable[Condition]) -> bool:
        """Whether a record of the list meets the conditions."""
        with self._store.snapshot():
            info = self._store.list_info(app, name)
            if info is None:
                return False
            if info.indexed:
                return bool(self._index.select(info, wanted))
            records = [record for _, record in self._store.records(info.id)]
            return bool(text.select(records, wanted, info.shape, self.zone))

    def create(
        self, app: str, name: str, pointer: tuple[str, ...], shape: Shape, records: list[dict[str, Any]]
    ) -> None:
        """A new list with its records, indexed if it is long."""
        info = self._store.add_list(app, name, pointer, shape, records)
        if info.size > INDEX_FROM:
            self._index.build(info)

    def add(self, app: str, name: str, record: Record, pointer: tuple[str, ...], shape: Shape) -> Record:
        """Adds the record at the end of the list, which is made where there is none yet."""
        with self._store.transaction():
            info = self._store.list_info(app, name) or self._store.add_list(app, name, pointer, shape, [])
            ordinal = self._store.append(info.id, dict(record))
            info = self._store.list_info(app, name) or info
            if info.indexed:
                self._index.add(info, ordinal, record)
            elif info.size > INDEX_FROM:
                self._index.build(info)
            self._note(RecordChange(ItemRef(app, name, ordinal), None, record))
        return record

    def extend(
        self, app: str, name: str, records: Sequence[Record], pointer: tuple[str, ...], shape: Shape
    ) -> tuple[int, int]:
        """Adds many records at the end of the list: the list's number, and the ordinal of the first one."""
        with self._store.transaction():
            info = self._store.list_info(app, name) or self._store.add_list(app, name, pointer, shape, [])
            first = self._store.extend(info.id, [dict(record) for record in records])
            info = self._store.list_info(app, name) or info
            if info.indexed:
                self._index.extend(info, first, records)
            elif info.size > INDEX_FROM:
                self._index.build(info)
        return info.id, first

    def change(self, app: str, name: str, ordinal: int, record: Record | None) -> None:
        """Puts the record in place of the one with that ordinal; None removes it."""
        with self._store.transaction():
            info = self._store.list_info(app, name)
            rows = self._store.records_at(info.id, [ordinal]) if info else []
            if not info or not rows:
                return
            if info.indexed:
                self._index.remove(info, ordinal, rows[0][1])
            self._note(RecordChange(ItemRef(app, name, ordinal), rows[0][1], record))
            if record is None:
                self._store.remove(info.id, ordinal)
                return
            self._store.replace(info.id, ordinal, dict(record))
            if info.indexed:
                self._index.add(info, ordinal, record)

    def put_back(self, app: str, name: str, ordinal: int, record: Record) -> None:
        """A record that was removed stands again where it stood. Raises KeyError: there is no such list any more."""
        with self._store.transaction():
            info = self._store.list_info(app, name)
            if info is None:
                raise KeyError(name)
            self._store.put_back(info.id, ordinal, dict(record))
            if info.indexed:
                self._index.add(info, ordinal, record)

    @contextmanager
    def watched(self) -> Iterator[list[RecordChange]]:
        """The list given is filled with what this thread writes inside."""
        written: list[RecordChange] = []
        self._watched.written = written
        try:
            yield written
        finally:
            self._watched.written = None

    def _note(self, change: RecordChange) -> None:
        written = getattr(self._watched, "written", None)
        if written is not None:
            written.append(change)

    def page(self, app: str, name: str, wanted: Iterable[Condition] = (), start: int = 0, most: int = 50) -> RecordPage:
        """Some records of a list, from the `start`th on: those that meet the conditions, best first, or else the last
        added first. A list that is not there has none."""
        wanted = tuple(wanted)
        with self._store.snapshot():
            info = self._store.list_info(app, name)
            if info is None:
                return RecordPage(0, [])
            if not wanted:
                return RecordPage(info.size, self._store.latest(info.id, most, start))
            if info.indexed:
                found = self._index.select(info, wanted)
                return RecordPage(len(found), self._store.records_at(info.id, found[start : start + most]))
            rows = self._store.records(info.id)
        row_of = {id(row[1]): row for row in rows}
        chosen = text.select([record for _, record in rows], wanted, info.shape, self.zone)
        return RecordPage(len(chosen), [row_of[id(record)] for record in chosen[start : start + most]])

    def rows(self, app: str, name: str, wanted: Iterable[Condition] = ()) -> list[tuple[int, dict[str, Any]]]:
        """Records with their ordinals, of a long list at most `MOST_FOUND`, best first: to choose one to change."""
        wanted = tuple(wanted)
        with self._store.snapshot():
            info = self._store.list_info(app, name)
            if info is None:
                return []
            if info.indexed and wanted:
                return self._store.records_at(info.id, self._index.select(info, wanted)[:MOST_FOUND])
            rows = self._store.records(info.id)
        kept = {id(record) for record in text.select([r for _, r in rows], wanted, info.shape, self.zone)}
        return [(ordinal, record) for ordinal, record in rows if id(record) in kept]

    def sample(self, app: str, most: int) -> dict[str, list[dict[str, Any]]]:
        """The first records of each of the app's lists: enough to see their fields."""
        return {info.name: [record for _, record in self._store.records(info.id, most)] for info in self.lists(app)}

    def lists(self, app: str) -> list[ListInfo]:
        return [info for info in self._store.lists() if info.app == app]


def _cut(found: list[Record], total: int) -> list[Record]:
    if total <= MOST_FOUND:
        return found
    return [*found[:MOST_FOUND], {"left_out": f"{total - MOST_FOUND:,} more records fit: ask for something narrower"}]


class AppRecords:
    """One app's records.

    Args:
        app: its name; pointer: the keys under which its lists stand in the device file; shapes: how lists are read.
        facts: reads the app's part of the device file that is no record list (an account, a plan).
    """

    def __init__(
        self,
        records: Records,
        app: str,
        pointer: tuple[str, ...],
        shape: Callable[[str], Shape],
        facts: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._records = records
        self.app = app
        self._pointer = pointer
        self._shape = shape
        self._facts = facts

    def find(self, name: str, *wanted: Condition) -> list[Record]:
        """The records of the list that meet the conditions, best first."""
        return self._records.find(self.app, name, wanted)

    def any(self, name: str, *wanted: Condition) -> bool:
        """Whether a record of the list meets the conditions."""
        return self._records.any(self.app, name, wanted)

    def fact(self, name: str) -> list[Record]:
        """The app's single object of that name as one record; empty where it has none."""
        value = self._facts().get(name)
        return [value] if isinstance(value, Mapping) else []

    def add(self, name: str, record: Record) -> Record:
        return self._records.add(self.app, name, record, (*self._pointer, name), self._shape(name))

    def rows(self, name: str, *wanted: Condition) -> list[tuple[int, dict[str, Any]]]:
        return self._records.rows(self.app, name, wanted)

    def change(self, name: str, ordinal: int, record: Record | None) -> None:
        self._records.change(self.app, name, ordinal, record)

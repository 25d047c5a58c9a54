"""One device as one SQLite database: the device file without its record lists, the records, the journal, the index,
what is noted about use.

A list's records have ordinals that grow and are never used again, so that order is kept and the index can refer to
them. Changes happen inside `transaction()`: all of it or nothing. Every SQLite error leaves here as a StoreError that
says what to do.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.device.database import BUSY_SECONDS, Database, erase, explained, index_file, read_only, says_less
from camphor.device.text import Shape
from camphor.errors import DeviceFileError, StoreError

APPLICATION_ID = 0x63616D70  # "camp": marks the database as ours
VERSION = 4

_SCHEMA = """
CREATE TABLE document (body TEXT NOT NULL);
CREATE TABLE lists (
    id INTEGER PRIMARY KEY, app TEXT NOT NULL, name TEXT NOT NULL, pointer TEXT NOT NULL, shape TEXT NOT NULL,
    next INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL DEFAULT 0, indexed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (app, name)
);
CREATE TABLE records (
    list INTEGER NOT NULL, ordinal INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (list, ordinal)
) WITHOUT ROWID;
CREATE TABLE journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, call TEXT NOT NULL, state TEXT NOT NULL,
    begun TEXT NOT NULL, ended TEXT, process INTEGER NOT NULL, outcome TEXT
);
CREATE TABLE postings (
    list INTEGER NOT NULL, token TEXT NOT NULL, block INTEGER NOT NULL, slots BLOB NOT NULL,
    PRIMARY KEY (list, token, block)
) WITHOUT ROWID;
CREATE TABLE spans (
    list INTEGER NOT NULL, block INTEGER NOT NULL, first BLOB NOT NULL, last BLOB NOT NULL,
    PRIMARY KEY (list, block)
) WITHOUT ROWID;
"""
# Version 2: what is noted about the use of the records (`usage`).
_USAGE_SCHEMA = """
CREATE TABLE IF NOT EXISTS usage_events (
    id INTEGER PRIMARY KEY, list INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL,
    place TEXT NOT NULL, screen TEXT NOT NULL, extra TEXT, counted INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS usage_of_item ON usage_events (list, ordinal);
CREATE INDEX IF NOT EXISTS usage_set_aside ON usage_events (at) WHERE NOT counted;
CREATE TABLE IF NOT EXISTS usage_items (
    list INTEGER NOT NULL, ordinal INTEGER NOT NULL, first REAL NOT NULL, last REAL NOT NULL, cells BLOB NOT NULL,
    PRIMARY KEY (list, ordinal)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_names (
    kind TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_skipped (entry TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS usage_paused (since TEXT NOT NULL);
"""
# Version 3: what an action that can be undone did to records (`undo`).
_UNDO_SCHEMA = """
CREATE TABLE IF NOT EXISTS journal_changes (entry INTEGER PRIMARY KEY, changes TEXT NOT NULL, undone TEXT);
"""

# Version 4: what was brought in from elsewhere (`sources`).
_SOURCES_SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    id INTEGER PRIMARY KEY, importer TEXT NOT NULL, place TEXT NOT NULL, read_at TEXT NOT NULL, round INTEGER NOT NULL,
    UNIQUE (importer, place)
);
CREATE TABLE IF NOT EXISTS brought (
    source INTEGER NOT NULL, key TEXT NOT NULL, list INTEGER NOT NULL, ordinal INTEGER NOT NULL, digest TEXT NOT NULL,
    round INTEGER NOT NULL, PRIMARY KEY (source, key)
) WITHOUT ROWID;
"""

_LATER = f"{_USAGE_SCHEMA} {_UNDO_SCHEMA} {_SOURCES_SCHEMA}"

Row = tuple[int, dict[str, Any]]


@dataclass(frozen=True)
class ListInfo:
    """A record list: which app's, where it stands in the device file (a path of keys), how its records are read."""

    id: int
    app: str
    name: str
    pointer: tuple[str, ...]
    shape: Shape
    next: int
    size: int
    indexed: bool


def dump(value: Any) -> str:
    """A value as JSON text that SQLite keeps whatever characters it has, lone surrogates and NUL included."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


class Store(Database):
    """The database of one device. Safe to use from several threads; several processes may hold one file.

    Raises:
        DeviceFileError: the file is missing or is no device.
        DeviceBusy: another process kept the device longer than `busy_seconds`.
        StoreError: the file cannot be read or written.
    """

    expected = "a device made by camphor; a device file (JSON) must be imported"

    def __init__(self, path: Path | None, create: bool = False, busy_seconds: float = BUSY_SECONDS) -> None:
        if path and not create and not path.is_file():
            expected = "a device, and there is no such file: make one with  camphor device import"
            raise DeviceFileError(str(path), "", expected)
        super().__init__(path, "the device in memory", busy_seconds)
        self._says_less = False
        self.gone: list[tuple[int, int]] = []
        """Lists and ordinals of the records that were removed since the store was opened and had been used."""
        try:
            self._begin_use(create)
        except BaseException:
            self._db.close()
            raise

    def _begin_use(self, create: bool) -> None:
        with self.guard():
            if create:
                self._db.executescript(
                    f"BEGIN; {_SCHEMA} {_LATER} PRAGMA application_id={APPLICATION_ID};"
                    f"PRAGMA user_version={VERSION}; COMMIT;"
                )
                return
            if self.value("PRAGMA application_id") != APPLICATION_ID:
                raise DeviceFileError(self.where, "", self.expected)
            version = self.value("PRAGMA user_version")
            if version not in range(1, VERSION + 1):
                raise StoreError(f"{self.where}: it has version {version}, and this camphor reads version {VERSION}")
            self._make_lasting()
            if version < VERSION:
                # two processes may both come here: the second finds every table made
                self._db.executescript(f"BEGIN IMMEDIATE; {_LATER} PRAGMA user_version={VERSION}; COMMIT;")

    def copy(self) -> Store:
        """Another store in memory that holds the same."""
        made = Store(None, create=True)
        with self._lock, self.guard():
            self._db.backup(made._db)
        return made

    @classmethod
    def as_it_was(cls, path: Path) -> Store:
        """A store in memory with what the file holds; nothing is written, and what is only in its log is missing.

        Raises:
            StoreError: it cannot be read at all.
        """
        made = cls(None, create=True)
        try:
            with closing(read_only(path)) as held:
                held.backup(made._db)
        except sqlite3.Error as error:
            raise explained(error, str(path), cls.expected) from error
        return made

    @contextmanager
    def transaction(self, begin: str = "BEGIN IMMEDIATE", lasting: bool = True) -> Iterator[None]:
        with self._lock:
            if self._depth:
                yield
                return
            try:
                with super().transaction(begin, lasting):
                    yield
                    self._erase_index()
            except BaseException:
                self._says_less = False
                raise
            self._erase_index()  # again: another process may have made it of the records as they were
            self._says_less = False

    def _erase_index(self) -> None:
        """What records said that are gone now stays in no file beside the store."""
        path = index_file(self.path) if self._says_less else None
        if path is None:
            return
        try:
            erase(path)
        except OSError as error:
            told = f"{path}: it holds words of a record that goes, and cannot be deleted ({error.strerror})"
            raise StoreError(f"{told}: delete it and try again") from error

    @contextmanager
    def erasing(self) -> Iterator[None]:
        """A transaction that leaves nothing of what it deletes in the files, as far as other processes let it."""
        with self._lock, self.guard():
            with self.transaction():
                yield
            if not self._depth:
                # the log still has the pages as they were
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def snapshot(self) -> AbstractContextManager[None]:
        """What is read inside is of one moment, whatever other processes write meanwhile."""
        return self.transaction("BEGIN DEFERRED")

    # the device file without its records

    def document(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.value("SELECT body FROM document"))
        return body

    def set_document(self, document: dict[str, Any]) -> None:
        with self.transaction():
            self.run("DELETE FROM document")
            self.run("INSERT INTO document VALUES (?)", (dump(document),))

    # lists

    def lists(self) -> list[ListInfo]:
        return [_info(row) for row in self.rows(f"SELECT {_COLUMNS} FROM lists ORDER BY id")]

    def list_info(self, app: str, name: str) -> ListInfo | None:
        found = self.rows(f"SELECT {_COLUMNS} FROM lists WHERE app=? AND name=?", (app, name))
        return _info(found[0]) if found else None

    def add_list(
        self, app: str, name: str, pointer: tuple[str, ...], shape: Shape, records: Sequence[dict[str, Any]]
    ) -> ListInfo:
        """A new list with its records, not yet indexed."""
        body = dump({"span": shape.span, "fielded": shape.fielded})
        size = len(records)
        with self.transaction():
            list_id = self.insert(
                "INSERT INTO lists (app, name, pointer, shape, next, size) VALUES (?, ?, ?, ?, ?, ?)",
                (app, name, dump(pointer), body, size, size),
            )
            rows = ((list_id, ordinal, dump(record)) for ordinal, record in enumerate(records))
            self.run_many("INSERT INTO records VALUES (?, ?, ?)", rows)
        return ListInfo(list_id, app, name, pointer, shape, size, size, False)

    # records

    def records(self, list_id: int, limit: int = -1) -> list[Row]:
        """The records with their ordinals, in order."""
        found = self.rows("SELECT ordinal, body FROM records WHERE list=? ORDER BY ordinal LIMIT ?", (list_id, limit))
        return [(ordinal, json.loads(body)) for ordinal, body in found]

    def latest(self, list_id: int, limit: int, skip: int = 0) -> list[Row]:
        """The records with their ordinals, the last one first."""
        found = self.rows(
            "SELECT ordinal, body FROM records WHERE list=? ORDER BY ordinal DESC LIMIT ? OFFSET ?",
            (list_id, limit, skip),
        )
        return [(ordinal, json.loads(body)) for ordinal, body in found]

    def records_at(self, list_id: int, ordinals: Sequence[int]) -> list[Row]:
        """The records with these ordinals, in that order; those that are gone are left out."""
        bodies = dict(
            self.rows(
                "SELECT ordinal, body FROM records WHERE list=? AND ordinal IN (SELECT value FROM json_each(?))",
                (list_id, dump(list(ordinals))),
            )
        )
        return [(ordinal, json.loads(bodies[ordinal])) for ordinal in ordinals if ordinal in bodies]

    def append(self, list_id: int, record: dict[str, Any]) -> int:
        """Adds the record at the end; its ordinal."""
        with self.transaction():
            ordinal = int(self.value("SELECT next FROM lists WHERE id=?", (list_id,)))
            self.run("INSERT INTO records VALUES (?, ?, ?)", (list_id, ordinal, dump(record)))
            self.run("UPDATE lists SET next = next + 1, size = size + 1 WHERE id=?", (list_id,))
        return ordinal

    def extend(self, list_id: int, records: Sequence[dict[str, Any]]) -> int:
        """Adds records at the end; the ordinal of the first one."""
        with self.transaction():
            first = int(self.value("SELECT next FROM lists WHERE id=?", (list_id,)))
            rows = ((list_id, ordinal, dump(record)) for ordinal, record in enumerate(records, first))
            self.run_many("INSERT INTO records VALUES (?, ?, ?)", rows)
            count = len(records)
            self.run("UPDATE lists SET next = next + ?, size = size + ? WHERE id=?", (count, count, list_id))
        return first

    def replace(self, list_id: int, ordinal: int, record: dict[str, Any]) -> None:
        before = self.records_at(list_id, [ordinal])
        with self.transaction():
            self._says_less |= any(says_less(old, record) for _, old in before)
            self.run("UPDATE records SET body=? WHERE list=? AND ordinal=?", (dump(record), list_id, ordinal))

    def remove(self, list_id: int, ordinal: int) -> None:
        with self.transaction():
            self._says_less = True
            self.run("DELETE FROM records WHERE list=? AND ordinal=?", (list_id, ordinal))
            self.run("UPDATE lists SET size = size - 1 WHERE id=?", (list_id,))
            self.remove_usage(list_id, ordinal)

    def put_back(self, list_id: int, ordinal: int, record: dict[str, Any]) -> None:
        """The inverse of `remove`, but for what was kept about its use."""
        with self.transaction():
            self.run("INSERT INTO records VALUES (?, ?, ?)", (list_id, ordinal, dump(record)))
            self.run("UPDATE lists SET size = size + 1 WHERE id=?", (list_id,))

    def remove_usage(self, list_id: int, ordinal: int) -> None:
        """Takes out what is kept about the use of a record."""
        with self.transaction():
            for table in ("usage_events", "usage_items"):
                self.run(f"DELETE FROM {table} WHERE list=? AND ordinal=?", (list_id, ordinal))
            self.gone.append((list_id, ordinal))


_COLUMNS = "id, app, name, pointer, shape, next, size, indexed"


def _info(row: tuple[Any, ...]) -> ListInfo:
    shape = json.loads(row[4])
    span = tuple(shape["span"]) if shape["span"] else None
    return ListInfo(
        row[0], row[1], row[2], tuple(json.loads(row[3])), Shape(span, shape["fielded"]), row[5], row[6], bool(row[7])
    )

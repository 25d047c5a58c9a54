"""The health database of a phone: one SQLite file beside its store for what is no record of an app.

Vitals come many a second; doses and messages must outlast a crash to the row. Each module that keeps something here
owns its tables and brings them up to date itself: `HealthDatabase.prepare`.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from camphor.device.beside import erase
from camphor.device.store import BUSY_SECONDS, explained
from camphor.errors import DeviceBusy, StoreError

APPLICATION_ID = 0x63616D68  # "camh"
SUFFIX = ".health"
_EXPECTED = "a health database made by camphor"
_AGAIN_AFTER = 0.05  # seconds


def health_file(store: Path | None) -> Path | None:
    """Where the health database of a phone is kept: beside its store; nowhere for a phone in memory."""
    return store.with_name(f"{store.name}{SUFFIX}") if store else None


def forget_health(store: Path) -> None:
    """Writes zeros over the health database beside a phone's store and deletes it: another phone takes its place.

    Raises:
        StoreError: it cannot be deleted.
    """
    path = store.with_name(f"{store.name}{SUFFIX}")
    for each in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
        try:
            erase(each)
        except OSError as error:
            raise StoreError(f"{each}: it cannot be deleted ({error.strerror}): delete it and try again") from error


class HealthDatabase:
    """The database of one phone's health. Safe to use from several threads; several processes may hold one file.

    Args:
        path: the file, made where there is none, which only its owner can read; None keeps all in memory.
        busy_seconds: how long to wait for another process.

    Raises:
        DeviceFileError: the file is no health database. DeviceBusy: another process kept it longer than that.
        StoreError: it cannot be read or written; a full disk changes nothing.
    """

    def __init__(self, path: Path | None, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path
        self.where = str(path) if path else "the health database in memory"
        self._lock = threading.RLock()
        self._depth = 0
        if path:
            try:
                path.touch(mode=0o600)
            except OSError as error:
                raise StoreError(f"{path}: it cannot be written ({error.strerror}): check its permissions") from error
        with self.guard():
            self._db = sqlite3.connect(
                path or ":memory:", timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
        weakref.finalize(self, self._db.close)
        try:
            self._begin_use(busy_seconds)
        except BaseException:
            self._db.close()
            raise

    def _begin_use(self, busy_seconds: float) -> None:
        # of two processes that open a new file at once, SQLite refuses one the change to WAL without waiting
        end = time.monotonic() + busy_seconds
        while True:
            try:
                with self.guard():
                    self._set_up()
                return
            except DeviceBusy:
                if time.monotonic() > end:
                    raise
                time.sleep(_AGAIN_AFTER)

    def _set_up(self) -> None:
        if self.value("PRAGMA application_id") not in (0, APPLICATION_ID):
            raise StoreError(f"{self.where}: it is another kind of database than {_EXPECTED}: move it away")
        # as in the phone's store: WAL lets one process read while another writes, FULL makes a commit outlast a power
        # cut, and what is deleted is written over with zeros
        self._wal = self.value("PRAGMA journal_mode=WAL") == "wal"
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")
        self._db.execute("PRAGMA foreign_keys=ON")
        if self.rows("SELECT name FROM sqlite_master WHERE name='parts'"):
            return
        with self.transaction():
            self._db.execute("CREATE TABLE IF NOT EXISTS parts (name TEXT PRIMARY KEY, version INTEGER NOT NULL)")
            self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")

    @classmethod
    def of(cls, store: Path | None, busy_seconds: float = BUSY_SECONDS) -> HealthDatabase:
        """The health database of the phone with that store (`Device.path`). Raises: as the class."""
        return cls(health_file(store), busy_seconds)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turns what SQLite raises into one sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise explained(error, self.where, _EXPECTED) from error

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __enter__(self) -> HealthDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # tables

    def prepare(self, part: str, steps: Sequence[str]) -> None:
        """Makes a part's tables, or brings those of an older version up to date; nothing where they are.

        Args:
            part: the module's name, which its tables' names begin with.
            steps: SQL statements ended by semicolons, one text a version. A step that was ever released is never
                changed: a change of the tables is a new step at the end. Each is done whole or not at all.

        Raises:
            StoreError: the tables were made by a newer camphor.
        """
        version = self.version(part)
        if version > len(steps):
            raise StoreError(
                f"{self.where}: {part} has version {version}, and this camphor reads {len(steps)}: update camphor"
            )
        for number in range(version, len(steps)):
            with self.transaction():
                if self.version(part) > number:
                    continue  # another process was faster
                for statement in _statements(steps[number]):
                    self.run(statement)
                self.run("INSERT OR REPLACE INTO parts VALUES (?, ?)", (part, number + 1))

    def version(self, part: str) -> int:
        """How many steps of a part are done."""
        return int(self.value("SELECT version FROM parts WHERE name=?", (part,)) or 0)

    # statements

    @contextmanager
    def transaction(self, lasting: bool = True) -> Iterator[None]:
        """All of what is done inside, or nothing; no other process writes meanwhile. An inner one belongs to the outer.

        Args:
            lasting: False where a power cut may undo it, whole: then nothing waits for the disk.
        """
        with self._lock, self.guard():
            if self._depth:
                yield
                return
            # without the write-ahead log a commit that waits for nothing could damage the file
            quick = self._wal and not lasting
            if quick:
                self._db.execute("PRAGMA synchronous=NORMAL")
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield from self._inside()
            finally:
                if quick:
                    self._db.execute("PRAGMA synchronous=FULL")

    def _inside(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            # a full disk may have rolled back by itself
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        finally:
            self._depth -= 1

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self.guard():
            return self._db.execute(sql, parameters).fetchall()

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row; None where there is none."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Executes one statement; how many rows it changed."""
        with self._lock, self.guard():
            return self._db.execute(sql, parameters).rowcount

    def insert(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Executes one insertion; the id of the new row."""
        with self._lock, self.guard():
            return self._db.execute(sql, parameters).lastrowid or 0

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._lock, self.guard():
            self._db.executemany(sql, rows)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, each with its semicolon."""
    kept = ""
    for piece in script.split(";")[:-1]:
        kept += f"{piece};"
        if sqlite3.complete_statement(kept):
            yield kept
            kept = ""
    if kept.strip() or script.rsplit(";", 1)[-1].strip():
        raise ValueError("a step of tables ends in the middle of a statement")

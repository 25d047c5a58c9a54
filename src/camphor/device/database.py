"""An SQLite file, written whole or not at all; and the file beside a store that repeats what its records say."""

from __future__ import annotations

import glob
import os
import shutil
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from camphor.device import dates
from camphor.errors import DeviceBusy, DeviceFileError, StoreError

# The file beside a store that holds what was worked out of its records: the index that context is found with.
#
# It repeats what records say, so it goes as soon as a record is removed or says less: zeros are written over it and it
# is deleted, and whoever needs it makes it again. Copies that the disk, backups or other programs keep are beyond
# reach.

PARTIAL = ".partial"
"""How the names of files end that are still being written (`models.function_tokens.write_whole`)."""
_AT_ONCE = 1 << 20
_LEAST_FREE = 65_536
"""Bytes: the files that SQLite keeps beside an open database need as much."""


def index_file(store: Path | None) -> Path | None:
    """Where the index of a phone is kept: beside its store; nowhere for a phone in memory."""
    return store.with_name(f"{store.name}.items") if store else None


def erase(path: Path) -> None:
    """Write zeros over a file and delete it; one that is not there is no fault. Raises OSError: it cannot be done."""
    # and what a process that was killed while it wrote the file, or that still writes it, has of it
    for each in (path, *path.parent.glob(f"{glob.escape(path.stem[:16])}*{PARTIAL}")):
        with suppress(FileNotFoundError), replacing(each):
            each.unlink()


def erase_database(path: Path) -> None:
    """Erase an SQLite file with its logs. Raises OSError: it cannot be done."""
    for end in ("-wal", "-shm", "-journal", ""):
        erase(path.with_name(path.name + end))


@contextmanager
def replacing(path: Path) -> Iterator[None]:
    """A file that is deleted or replaced inside is then written over with zeros, down to the disk.

    Raises:
        OSError: it cannot be written; it may be none at all.
    """
    try:
        old = path.open("r+b", buffering=0)
    except FileNotFoundError:
        yield
        return
    with old:
        yield
        left = os.fstat(old.fileno()).st_size
        while left > 0:
            left -= old.write(bytes(min(left, _AT_ONCE)))
        os.fsync(old.fileno())


def says_less(record: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the record says something that the other does not; when something was is nothing said.

    So a song that is played again leaves the index, which then knows one time too old until it is brought up to date.
    """
    return bool({each for each in _texts(record) if dates.moment(each) is None} - set(_texts(other)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value


def full(where: str) -> bool:
    """Whether nothing more can be written beside a file: SQLite then only speaks of an error of the disk."""
    try:
        return shutil.disk_usage(Path(where).parent).free < _LEAST_FREE
    except OSError:
        return False


BUSY_SECONDS = 5.0


def explained(error: sqlite3.Error, where: str, expected: str) -> StoreError | DeviceFileError:
    """What SQLite says about a file as one sentence that says what to do.

    Args:
        where: the file. expected: what it should have been, where it is no database at all.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DeviceBusy(f"{where}: another program is using this device: try again when it is done")
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and full(where)):
        return StoreError(f"{where}: the disk is full, nothing was changed: free some space and try again")
    if code == sqlite3.SQLITE_NOTADB:
        return DeviceFileError(where, "", expected)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreError(f"{where}: it cannot be opened for writing ({error}): check its permissions")
    if code == sqlite3.SQLITE_CORRUPT:
        return StoreError(f"{where}: the file is damaged ({error}): restore it from an export")
    return StoreError(f"{where}: {error}")


def read_only(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing, not even a lock; what is only in the file's log is missing."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


class Database:
    """One SQLite file, or one in memory. Safe to use from several threads; several processes may hold one file.

    Args:
        path: the file; None keeps all in memory. in_memory: what that is called in errors.
        busy_seconds: how long to wait for another process.

    Raises:
        DeviceFileError: the file is no database. DeviceBusy: another process kept it longer than that.
        StoreError: it cannot be read or written; a full disk changes nothing.
    """

    expected: ClassVar[str]
    """What the file should be."""

    def __init__(self, path: Path | None, in_memory: str, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path, self.where = path, str(path or in_memory)
        self._lock = threading.RLock()
        self._depth = 0
        self._wal = False
        with self.guard():
            self._db = sqlite3.connect(
                path or ":memory:", timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
        # one in memory is often just dropped
        weakref.finalize(self, self._db.close)

    def _make_lasting(self) -> None:
        # WAL lets one process read while another writes; FULL makes a commit outlast a power cut; what is deleted is
        # written over with zeros
        self._wal = self.value("PRAGMA journal_mode=WAL") == "wal"
        for setting in ("synchronous=FULL", "secure_delete=ON", "foreign_keys=ON"):
            self.run(f"PRAGMA {setting}")

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turns what SQLite raises into one sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise explained(error, self.where, self.expected) from error

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @contextmanager
    def transaction(self, begin: str = "BEGIN IMMEDIATE", lasting: bool = True) -> Iterator[None]:
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
                self._db.execute(begin)
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
            finally:
                if quick:
                    self._db.execute("PRAGMA synchronous=FULL")

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

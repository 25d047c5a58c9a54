"""Databases of other programs, read without touching them: the file itself, or a private copy while it is in use.

Nothing is ever written to such a file, nor is it believed: it may be damaged, or made to mislead.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from camphor.device.importers.base import Brought, Unread, beginning
from camphor.errors import UsageError

_SQLITE = b"SQLite format 3\0"
_STEPS = 100_000  # of SQLite's machine between two looks at how much it has done
# what is raised for a damaged file: SQLite's own words about it may hold bytes of it that are no text
_BROKEN = (sqlite3.Error, UnicodeDecodeError)
_TRIES, _PAUSE = 5, 0.2  # copies of a file that changes meanwhile; seconds between them


class Fault(Exception):
    """Why a file, or a part of it, cannot be read, and what to do: without its name."""


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A database that is only read, with what is still in its log. Raises Fault."""
    try:
        path = Path(os.path.realpath(path))  # its log lies beside what a link points to
        if not path.is_file():
            raise Fault("it is no file: give the file that the program itself uses")
        with _settled(path) as file, closing(_connected(file, "mode=ro&immutable=1")) as db:
            if file != path:
                # so that nothing is left of the copy even if this process is killed; Windows deletes it in the end
                for end in ("", "-wal", "-journal"):
                    with suppress(OSError):
                        _beside(file, end).unlink(missing_ok=True)
            yield db
    except _BROKEN as error:
        raise Fault(_why(error)) from None
    except PermissionError:
        raise Fault(
            "this program is not allowed to read it: close the program that it belongs to and check its permissions;"
            " on a Mac give the terminal Full Disk Access (System Settings, Privacy & Security)"
        ) from None


def has_tables(path: Path, *tables: str) -> bool:
    """Whether a file is a database with those tables. What is only in its log is not seen."""
    if beginning(path, len(_SQLITE)) != _SQLITE:
        return False
    try:
        with closing(_connected(Path(os.path.realpath(path)), "mode=ro&immutable=1")) as db:
            return all(columns_of(db, table) for table in tables)
    except (*_BROKEN, Fault):
        return False


def columns_of(db: sqlite3.Connection, table: str, *needed: str) -> frozenset[str]:
    """The columns of a table. Raises Fault: there is no such table, or a needed column is not there.

    A view or a virtual table is none: whoever made the file could have it compute for ever.
    """
    made = db.execute("SELECT sql FROM sqlite_master WHERE type='table' AND name=?", (table,)).fetchone()
    if made is None or not re.match(r"CREATE\s+TABLE\b", str(made[0]), re.IGNORECASE):
        raise Fault(f"it has no table {table}: give the file that the program itself uses")
    found = frozenset(str(row[1]) for row in db.execute("SELECT * FROM pragma_table_info(?)", (table,)))
    for each in needed:
        if each not in found:
            raise Fault(f"its table {table} has no column {each}: give the file that the program itself uses")
    return found


def salvaged(unread: Unread, *parts: tuple[str, Iterable[Brought]]) -> Iterator[Brought]:
    """The records of all parts, by their names, each as far as it can be read. Raises Fault: nothing can be."""
    faults: list[tuple[str, str]] = []
    some = False
    for where, part in parts:
        try:
            for each in part:
                some = True
                yield each
        except _BROKEN as error:
            faults.append((where, _why(error)))
        except OSError as error:
            faults.append((where, f"it cannot be read: {error.strerror or 'it is damaged'}"))
        except Fault as fault:
            faults.append((where, str(fault)))
    if faults and not some:
        where, why = faults[0]
        raise Fault(f"{where}: {why}" if len(parts) > 1 else why)
    for where, why in faults:
        unread.add(where, why)


def told(path: Path, records: Iterable[Brought]) -> Iterator[Brought]:
    """The records. Raises UsageError for a Fault, with the file's name."""
    try:
        yield from records
    except Fault as fault:
        raise UsageError(f"{path}: {fault}") from None


@contextmanager
def _settled(path: Path) -> Iterator[Path]:
    """The file, where no program uses it; or else a copy that took in its log, and that is deleted in the end."""
    if not _in_use(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="camphor-", ignore_cleanup_errors=True) as folder:
        copy = Path(os.path.realpath(folder), "copy")
        _copy(path, copy)
        with closing(_connected(copy, "mode=rw")) as db:
            db.execute("PRAGMA locking_mode=EXCLUSIVE")
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # undoes a change that was cut off
            db.execute("PRAGMA journal_mode=DELETE").fetchone()  # takes in what is only in the log
        yield copy


def _connected(path: Path, how: str) -> sqlite3.Connection:
    # records may be taken in by one thread and let go of by another
    db = sqlite3.connect(f"{path.as_uri()}?{how}", uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    db.text_factory = _decoded
    db.set_progress_handler(_watch(path.stat().st_size), _STEPS)
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute("PRAGMA cell_size_check=ON")
    return db


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _watch(size: int) -> Callable[[], bool]:
    """Stops SQLite when it has worked far longer than a file of that size asks for: pages may point in circles."""
    left = 1000 + size // 1000

    def looks() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    return looks


def _in_use(path: Path) -> bool:
    """Whether a program has the file open, or left a log beside it."""
    if any(_beside(path, end).exists() for end in ("-wal", "-shm", "-journal")):
        return True
    if 2 in beginning(path, 20)[18:]:
        return False  # in write-ahead mode but without a log: nobody has it, and to ask SQLite would make one
    try:
        with closing(_connected(path, "mode=ro")) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        return True
    except _BROKEN:
        return False
    return False


def _copy(path: Path, copy: Path) -> None:
    """Copies a file and its log, for its owner's eyes alone, as they were at one moment. Raises Fault."""
    for left in reversed(range(_TRIES)):
        before = _state(path)
        for end in ("", "-wal", "-journal"):
            target = _beside(copy, end)
            target.unlink(missing_ok=True)
            with suppress(FileNotFoundError), _beside(path, end).open("rb") as source:
                number = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
                with os.fdopen(number, "wb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)
        if _state(path) == before:
            return
        if left:
            time.sleep(_PAUSE)
    raise Fault("a program is writing to it all the time: close that program and try again")


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _state(path: Path) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for end in ("", "-wal", "-journal"):
        try:
            about = _beside(path, end).stat()
            found.append((about.st_mtime_ns, about.st_size))
        except FileNotFoundError:
            found.append(None)
    return found


def _why(error: Exception) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return "it is no SQLite database, or an encrypted one: give the file that the program itself uses"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another program holds it: close that program and try again"
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return "it cannot be read, or there is no space to work in: check its permissions and the disk"
    return "it is damaged: give a copy from a backup"

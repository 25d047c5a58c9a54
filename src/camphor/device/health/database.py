"""The health database of a phone: one SQLite file beside its store for what is no record of an app.

Vitals come many a second; doses and messages must outlast a crash to the row. Each module that keeps something here
owns its tables and brings them up to date itself: `HealthDatabase.prepare`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from camphor.device.database import BUSY_SECONDS, Database, erase, read_only
from camphor.errors import DeviceBusy, StoreError, UsageError

APPLICATION_ID = 0x63616D68  # "camh"
SUFFIX = ".health"
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


class HealthDatabase(Database):
    """The database of one phone's health. Safe to use from several threads; several processes may hold one file.

    Args:
        path: the file, made where there is none, which only its owner can read; None keeps all in memory.
        busy_seconds: how long to wait for another process.

    Raises:
        DeviceFileError: the file is no health database. DeviceBusy: another process kept it longer than that.
        StoreError: it cannot be read or written; a full disk changes nothing.
    """

    expected = "a health database made by camphor"

    def __init__(self, path: Path | None, busy_seconds: float = BUSY_SECONDS) -> None:
        if path:
            try:
                path.touch(mode=0o600)
            except OSError as error:
                raise StoreError(f"{path}: it cannot be written ({error.strerror}): check its permissions") from error
        super().__init__(path, "the health database in memory", busy_seconds)
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
            raise StoreError(f"{self.where}: it is another kind of database than {self.expected}: move it away")
        self._make_lasting()
        if self.rows("SELECT name FROM sqlite_master WHERE name='parts'"):
            return
        with self.transaction():
            self._db.execute("CREATE TABLE IF NOT EXISTS parts (name TEXT PRIMARY KEY, version INTEGER NOT NULL)")
            self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")

    @classmethod
    def of(cls, store: Path | None, busy_seconds: float = BUSY_SECONDS) -> HealthDatabase:
        """The health database of the phone with that store (`Device.path`). Raises: as the class."""
        return cls(health_file(store), busy_seconds)

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


APPS = "application_info_table"
"""Where Health Connect names the apps that its records come from."""


def rows_of(path: Path, table: str, columns: Sequence[str], parent: str = "") -> Iterator[tuple[Any, ...]]:
    """The named columns of each row of a table, and the name of the app that wrote it ("" where it is not told).

    Nothing where the database lacks the table or one of the columns.

    Args:
        parent: the table whose rows those of this one belong to by `parent_key`; it names the app.

    Raises:
        UsageError: the file is no database that can be read.
    """
    with _opened(path) as base:
        # what stands in the file as a view or trigger could do anything: tables alone are read
        base.execute("PRAGMA trusted_schema=OFF")
        if not set(columns) <= _columns(base, table):
            return
        owner = parent if parent and _columns(base, parent) else ""
        app = "o" if owner else "t"
        named = "app_info_id" in _columns(base, owner or table) and "app_name" in _columns(base, APPS)
        chosen = ", ".join(f't."{each}"' for each in columns)
        joined = f' JOIN "{owner}" AS o ON o.row_id = t.parent_key' if owner else ""
        joined += f' LEFT JOIN "{APPS}" AS a ON a.row_id = {app}.app_info_id' if named else ""
        name = "coalesce(a.app_name, '')" if named else "''"
        yield from base.execute(f'SELECT {chosen}, {name} FROM "{table}" AS t{joined}')


def counts(path: Path, ending: str) -> dict[str, int]:
    """How many rows each table has whose name ends so; empty ones are left out. Raises UsageError: as `rows_of`."""
    with _opened(path) as base:
        names = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")]
        chosen = [each for each in names if each.endswith(ending) and '"' not in each]
        found = {each: base.execute(f'SELECT count(*) FROM "{each}"').fetchone()[0] for each in chosen}
        return {name: count for name, count in found.items() if count}


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(read_only(path)) as base:
            yield base
    except sqlite3.Error as error:
        raise UsageError(f"{path} is damaged or no database that can be read ({error}): export it again") from error


def _columns(base: sqlite3.Connection, table: str) -> set[str]:
    if not base.execute("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", (table,)).fetchone():
        return set()
    return {row[1] for row in base.execute(f'PRAGMA table_xinfo("{table}")')}

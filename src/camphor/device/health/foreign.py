"""The rows of another program's SQLite database, which is never changed: only what is asked for by name is read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from camphor.device.database import read_only
from camphor.errors import UsageError

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

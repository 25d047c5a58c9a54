"""What was measured on each day, worked out once and kept for years.

Single readings are thinned out after some days, and what is usual for a person is asked of weeks and months: so each
day's figures are kept as they were worked out, with one value a kind in columns for trends. They hold measured values
alone. What records, doses and conversations say is asked of those when a report is shown, so that what a person deletes
there is in no report either.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from camphor.device.health.database import HealthDatabase

PART = "days"
_STEPS = (
    """
    CREATE TABLE days_kept (
        day TEXT PRIMARY KEY, until REAL NOT NULL, over INTEGER NOT NULL, stamp TEXT NOT NULL, body BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE days_values (
        name TEXT NOT NULL, day TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (name, day)
    ) WITHOUT ROWID;
    CREATE INDEX days_values_by_day ON days_values (day);
    CREATE TABLE days_told (day TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
    """,
)


@dataclass(frozen=True)
class KeptDay:
    """A day as it was worked out.

    Args:
        until: epoch seconds up to which it was looked at; over: whether that was the whole of it.
        stamp: another text where what it was worked out of has changed since.
        body: its figures; empty where they were not asked for.
    """

    day: date
    until: float
    over: bool
    stamp: str
    body: Mapping[str, Any]


class KeptDays:
    """The kept days of one phone. Methods raise StoreError: the database cannot be read or written."""

    def __init__(self, database: HealthDatabase) -> None:
        self._db = database
        database.prepare(PART, _STEPS)

    def keep(self, day: KeptDay, values: Mapping[str, float]) -> None:
        """Puts a day in the place of what was kept of it, with its value of each kind: all of it or nothing."""
        key = day.day.isoformat()
        body = zlib.compress(json.dumps(dict(day.body), allow_nan=False, separators=(",", ":")).encode(), 6)
        with self._db.transaction(lasting=False):  # what a power cut undoes is worked out again
            self._db.run("DELETE FROM days_values WHERE day=?", (key,))
            self._db.run_many(
                "INSERT INTO days_values VALUES (?, ?, ?)", [(name, key, value) for name, value in values.items()]
            )
            self._db.run(
                "INSERT OR REPLACE INTO days_kept VALUES (?, ?, ?, ?, ?)",
                (key, day.until, int(day.over), day.stamp, body),
            )

    def get(self, day: date) -> KeptDay | None:
        """A day as it is kept; None where it is not."""
        rows = self._db.rows("SELECT until, over, stamp, body FROM days_kept WHERE day=?", (day.isoformat(),))
        for until, over, stamp, body in rows:
            return KeptDay(day, until, bool(over), stamp, json.loads(zlib.decompress(body)))
        return None

    def heads(self, first: date, last: date) -> dict[date, KeptDay]:
        """The kept days from `first` to `last`, both included, oldest first, without their figures."""
        rows = self._db.rows(
            "SELECT day, until, over, stamp FROM days_kept WHERE day BETWEEN ? AND ? ORDER BY day",
            (first.isoformat(), last.isoformat()),
        )
        return {
            date.fromisoformat(day): KeptDay(date.fromisoformat(day), until, bool(over), stamp, {})
            for day, until, over, stamp in rows
        }

    def values(self, first: date, last: date) -> dict[str, dict[date, float]]:
        """The values of the days from `first` to `last`, both included: by name, then by day."""
        rows = self._db.rows(
            "SELECT name, day, value FROM days_values WHERE day BETWEEN ? AND ? ORDER BY day",
            (first.isoformat(), last.isoformat()),
        )
        found: dict[str, dict[date, float]] = {}
        for name, day, value in rows:
            found.setdefault(name, {})[date.fromisoformat(day)] = value
        return found

    def told(self, day: date) -> bool:
        """Whether the person was told of a day's report."""
        return bool(self._db.rows("SELECT 1 FROM days_told WHERE day=?", (day.isoformat(),)))

    def note_told(self, day: date, at: float) -> None:
        """Notes that the person was told of a day's report, at that moment."""
        self._db.run("INSERT OR IGNORE INTO days_told VALUES (?, ?)", (day.isoformat(), at))

    def forget(self, day: date | None = None) -> None:
        """Deletes one day's figures, or all that is kept of all days, for good."""
        with self._db.transaction():
            for table in ("days_kept", "days_values") if day else ("days_kept", "days_values", "days_told"):
                if day:
                    self._db.run(f"DELETE FROM {table} WHERE day=?", (day.isoformat(),))
                else:
                    self._db.run(f"DELETE FROM {table}")

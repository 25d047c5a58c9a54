"""Readings of wearables on a phone's disk: each reading for some days, minutes for years.

Readings lie in blocks of one hour, kind and source, so that a day at one reading a second is a few hundred rows and a
block is written whole or not at all. What is read a second time changes nothing. The minutes of a block are worked out
when it is written, of usable readings alone; `thin` then drops the single readings that are older than some days.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device.health.database import HealthDatabase

PART = "vitals"
HOUR = 3600.0
KEPT_DAYS = 14
DAY = 86_400.0
_STEPS = (
    """
    CREATE TABLE vitals_readings (
        kind TEXT NOT NULL, source TEXT NOT NULL, hour INTEGER NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (kind, source, hour)
    ) WITHOUT ROWID;
    CREATE INDEX vitals_readings_old ON vitals_readings (hour);
    CREATE TABLE vitals_minutes (
        kind TEXT NOT NULL, source TEXT NOT NULL, hour INTEGER NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (kind, source, hour)
    ) WITHOUT ROWID;
    CREATE TABLE vitals_alarms (
        id INTEGER PRIMARY KEY AUTOINCREMENT, raised REAL NOT NULL, last REAL NOT NULL, ended REAL,
        level INTEGER NOT NULL, body TEXT NOT NULL
    );
    CREATE INDEX vitals_alarms_last ON vitals_alarms (last);
    """,
    # the keys have the hour behind the source: without this, a day is looked for among years
    "CREATE INDEX vitals_minutes_by_hour ON vitals_minutes (kind, hour);",
    "CREATE TABLE vitals_units (kind TEXT PRIMARY KEY, unit TEXT NOT NULL) WITHOUT ROWID;",
    "ALTER TABLE vitals_units ADD COLUMN chosen INTEGER NOT NULL DEFAULT 0;",
)
_READING = np.dtype([("at", "<u4"), ("value", "<f4"), ("quality", "u1")])
"""Milliseconds since the hour began, value, quality."""
_MINUTE = np.dtype([("minute", "u1"), ("mean", "<f4"), ("least", "<f4"), ("most", "<f4"), ("count", "<u2")])
USABLE = 1
"""Readings of this quality or a lower number make the minutes: 0 plausible, 1 suspicious, 2 impossible."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Block = npt.NDArray[np.void]


@dataclass(frozen=True)
class Readings:
    """Single readings, in the order of time. at: (n,) epoch seconds; value, quality: (n,)."""

    at: Floats
    value: Floats
    quality: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Minutes:
    """Minutes that have usable readings, in the order of time.

    Attributes:
        at: (n,) epoch seconds of each minute's begin; mean, least, most: (n,); count: (n,) how many readings.
    """

    at: Floats
    mean: Floats
    least: Floats
    most: Floats
    count: Ints


@dataclass(frozen=True)
class AlarmRow:
    """An alarm as it is kept: epoch seconds when it was raised, last seen and ended (None: not yet)."""

    raised: float
    last: float
    ended: float | None
    level: int
    body: dict[str, Any]
    id: int = 0


class VitalsStore:
    """What a phone's wearables read. Raises StoreError throughout: the database cannot be read or written."""

    def __init__(self, database: HealthDatabase) -> None:
        self._db = database
        database.prepare(PART, _STEPS)

    @property
    def database(self) -> HealthDatabase:
        """What they are kept in, with the rest of the phone's health."""
        return self._db

    # readings

    def add(self, kind: str, source: str, at: npt.ArrayLike, value: npt.ArrayLike, quality: npt.ArrayLike) -> int:
        """Keeps readings, all or none, and makes their minutes; NaN values are not kept.

        Returns:
            How many usable ones were not there before. One at a moment that is there already takes its place; one of
            a minute whose single readings were thinned out is not new.
        """
        times, values = np.asarray(at, np.float64), np.asarray(value, np.float64)
        kept = ~np.isnan(values)
        times, values, codes = times[kept], values[kept], np.asarray(quality, np.uint8)[kept]
        hours = np.floor_divide(times, HOUR).astype(np.int64)
        order = np.argsort(hours, kind="stable")
        there, begins = np.unique(hours[order], return_index=True)
        new = 0
        with self._db.transaction(lasting=False):
            for hour, rows in zip(there.tolist(), np.split(order, begins[1:]), strict=False):
                block = np.zeros(len(rows), _READING)
                block["at"] = np.clip(np.rint((times[rows] - hour * HOUR) * 1000), 0, HOUR * 1000 - 1)
                block["value"], block["quality"] = values[rows], codes[rows]
                new += self._merge(kind, source, hour, block)
        return new

    def _merge(self, kind: str, source: str, hour: int, block: Block) -> int:
        key = (kind, source, hour)
        before = self._block("vitals_readings", key, _READING)
        merged = np.concatenate((before, block))
        _, last = np.unique(merged["at"][::-1], return_index=True)
        merged = merged[::-1][last]
        minutes = _minutes(merged)
        kept = self._block("vitals_minutes", key, _MINUTE)
        thinned = kept["minute"][~np.isin(kept["minute"], np.unique(before["at"] // 60_000))]
        # of minutes whose readings were thinned out, those stay that the new readings say nothing of
        kept = kept[~np.isin(kept["minute"], np.unique(merged["at"] // 60_000))]
        self._write("vitals_readings", key, merged)
        self._write("vitals_minutes", key, np.sort(np.concatenate((kept, minutes)), order="minute"))
        new = merged[(merged["quality"] <= USABLE) & ~np.isin(merged["at"], before["at"])]
        return int((~np.isin(new["at"] // 60_000, thinned)).sum())

    def _block(self, table: str, key: tuple[str, str, int], shape: np.dtype[np.void]) -> Block:
        body = self._db.value(f"SELECT body FROM {table} WHERE kind=? AND source=? AND hour=?", key)
        return np.frombuffer(zlib.decompress(body) if body else b"", shape)

    def _write(self, table: str, key: tuple[str, str, int], block: Block) -> None:
        body = zlib.compress(np.ascontiguousarray(block).tobytes(), 1)
        self._db.run(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?)", (*key, body))

    def readings(self, kind: str, begin: float, end: float, source: str | None = None) -> Readings:
        """Single readings from `begin` on and before `end`, of one source or of all."""
        parts = [
            (block["at"] / 1000.0 + hour * HOUR, block["value"].astype(np.float64), block["quality"])
            for hour, block in self._blocks("vitals_readings", kind, begin, end, source, _READING)
        ]
        if not parts:
            return Readings(np.empty(0), np.empty(0), np.empty(0, np.uint8))
        at, value, quality = (np.concatenate(column) for column in zip(*parts, strict=True))
        rows = np.flatnonzero((at >= begin) & (at < end))
        rows = rows[np.argsort(at[rows], kind="stable")]
        return Readings(at[rows], value[rows], quality[rows])

    def minutes(self, kind: str, begin: float, end: float, source: str | None = None) -> Minutes:
        """Minutes that begin at `begin` or later and before `end`, of one source or of all."""
        blocks = list(self._blocks("vitals_minutes", kind, begin, end, source, _MINUTE))
        if not blocks:
            none = np.empty(0)
            return Minutes(none, none, none, none, np.empty(0, np.int64))
        rows = np.concatenate([block for _, block in blocks])
        hours = np.concatenate([np.full(len(block), hour, np.float64) for hour, block in blocks])
        at = hours * HOUR + rows["minute"] * 60.0
        chosen = np.flatnonzero((at >= begin) & (at < end))
        chosen = chosen[np.argsort(at[chosen], kind="stable")]
        mean, least, most = (rows[name][chosen].astype(np.float64) for name in ("mean", "least", "most"))
        return Minutes(at[chosen], mean, least, most, rows["count"][chosen].astype(np.int64))

    def _blocks(
        self, table: str, kind: str, begin: float, end: float, source: str | None, shape: np.dtype[np.void]
    ) -> list[tuple[int, Block]]:
        among = "" if source is None else " AND source=?"
        rows = self._db.rows(
            f"SELECT hour, body FROM {table} WHERE kind=? AND hour BETWEEN ? AND ?{among} ORDER BY hour",
            (kind, int(begin // HOUR), int(end // HOUR), *(() if source is None else (source,))),
        )
        return [(hour, np.frombuffer(zlib.decompress(body), shape)) for hour, body in rows]

    # the units in which the person uses them

    def show_in(self, units: Mapping[str, str], chosen: bool = False) -> None:
        """Keeps in which unit a kind is shown; what is kept of it stays in the kind's own.

        Args:
            chosen: the person said so: from then on no file that is taken in changes it.
        """
        with self._db.transaction():
            self._db.run_many(
                "INSERT INTO vitals_units VALUES (?1, ?2, ?3) ON CONFLICT (kind) DO UPDATE "
                "SET unit=excluded.unit, chosen=excluded.chosen WHERE excluded.chosen >= vitals_units.chosen",
                [(kind, unit, int(chosen)) for kind, unit in units.items()],
            )

    def units(self) -> dict[str, str]:
        """The unit in which a kind is shown, of kinds for which one was told."""
        return dict(self._db.rows("SELECT kind, unit FROM vitals_units"))

    # what there is

    def kinds(self) -> list[str]:
        return [row[0] for row in self._db.rows("SELECT DISTINCT kind FROM vitals_minutes ORDER BY kind")]

    def sources(self, kind: str, begin: float, end: float) -> list[str]:
        """The sources that have minutes of a kind in the hours of that time."""
        rows = self._db.rows(
            "SELECT DISTINCT source FROM vitals_minutes WHERE kind=? AND hour BETWEEN ? AND ? ORDER BY source",
            (kind, int(begin // HOUR), int(end // HOUR)),
        )
        return [row[0] for row in rows]

    def span(self) -> tuple[float, float] | None:
        """Begin of the first hour and end of the last that have readings; None where there are none."""
        (first, last), *_ = self._db.rows("SELECT min(hour), max(hour) FROM vitals_minutes")
        return None if first is None else (first * HOUR, (last + 1) * HOUR)

    def stamps(self, kinds: Iterable[str], begin: float, end: float) -> dict[int, tuple[int, ...]]:
        """Of each hour that has minutes of these kinds other numbers once they were added to or changed.

        Args:
            begin, end: the hours that lie in between, epoch seconds.
        """
        found: dict[int, tuple[int, ...]] = {}
        for kind in kinds:
            rows = self._db.rows(
                "SELECT hour, count(*), sum(length(body)) FROM vitals_minutes"
                " WHERE kind=? AND hour BETWEEN ? AND ? GROUP BY hour",
                (kind, int(begin // HOUR), int((end - 1) // HOUR)),
            )
            for hour, blocks, size in rows:
                found[hour] = (*found.get(hour, ()), blocks, size)
        return found

    def latest(self, before: float) -> dict[str, tuple[float, float]]:
        """The last minute of each kind that began before a time: epoch seconds and mean."""
        found = {}
        for kind in self.kinds():
            hour = self._db.value(
                "SELECT max(hour) FROM vitals_minutes WHERE kind=? AND hour<=?", (kind, int(before // HOUR))
            )
            if hour is None:
                continue
            last = self.minutes(kind, (hour - 1) * HOUR, before)
            if len(last.at):
                found[kind] = (float(last.at[-1]), float(last.mean[-1]))
        return found

    def thin(self, now: float, days: int = KEPT_DAYS) -> int:
        """Drops the single readings that are older than some days; their minutes stay. How many hours of a kind."""
        return self._db.run("DELETE FROM vitals_readings WHERE hour < ?", (int((now - days * DAY) // HOUR),))

    def forget(self) -> None:
        """Deletes all readings, minutes and alarms, for good."""
        with self._db.transaction():
            for table in ("vitals_readings", "vitals_minutes", "vitals_alarms"):
                self._db.run(f"DELETE FROM {table}")

    # alarms

    def save_alarm(self, alarm: AlarmRow) -> int:
        """Keeps a new alarm (id 0) or the present state of one; its id. It outlasts a power cut."""
        values = (alarm.raised, alarm.last, alarm.ended, alarm.level, json.dumps(alarm.body, allow_nan=False))
        if alarm.id:
            self._db.run(
                "UPDATE vitals_alarms SET raised=?, last=?, ended=?, level=?, body=? WHERE id=?", (*values, alarm.id)
            )
            return alarm.id
        return self._db.insert("INSERT INTO vitals_alarms VALUES (NULL, ?, ?, ?, ?, ?)", values)

    def alarms(self, begin: float, end: float) -> list[AlarmRow]:
        """Alarms that were raised before `end` and seen at `begin` or later, oldest first."""
        rows = self._db.rows(
            "SELECT raised, last, ended, level, body, id FROM vitals_alarms"
            " WHERE last >= ? AND raised < ? ORDER BY raised, id",
            (begin, end),
        )
        return [
            AlarmRow(raised, last, ended, level, json.loads(body), number)
            for raised, last, ended, level, body, number in rows
        ]


def _minutes(block: Block) -> Block:
    """Minutes of the usable readings of an hour, which are in the order of time."""
    usable = block[block["quality"] <= USABLE]
    if not len(usable):
        return np.zeros(0, _MINUTE)
    minute, begins, counts = np.unique(usable["at"] // 60_000, return_index=True, return_counts=True)
    found = np.zeros(len(minute), _MINUTE)
    value = usable["value"].astype(np.float64)
    found["minute"], found["count"] = minute, np.minimum(counts, np.iinfo(np.uint16).max)
    found["mean"] = np.add.reduceat(value, begins) / counts
    found["least"], found["most"] = np.minimum.reduceat(value, begins), np.maximum.reduceat(value, begins)
    return found

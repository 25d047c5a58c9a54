"""Medicines, their doses, and what became of each dose, so that a crash neither loses a dose nor makes it two.

A dose is one row: it exists once for a medicine and a time, whoever plans it and how often. What becomes of it is one
change in one transaction, from `due` to `taken` or `skipped`. Missed is no state but a sum: a dose still due when its
time is over, so that a clock that jumped and came back leaves no false one.

A reminder is leased before it is shown: whoever leases it has `LEASE_SECONDS` to show it and say so. One that was
killed in between is shown again, and the reminder then says that it may be the second.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from camphor.device.health.database import HealthDatabase
from camphor.errors import UsageError

LEASE_SECONDS = 60.0
CLOCK_SLACK = 90.0
"""Seconds by which a moment may be ahead of the clock before the clock is taken to have been set back."""

_STEPS = (
    """
    CREATE TABLE doses_prescriptions (
        id INTEGER PRIMARY KEY AUTOINCREMENT, added TEXT NOT NULL, source TEXT NOT NULL, text TEXT NOT NULL
    );
    CREATE TABLE doses_medicines (
        id INTEGER PRIMARY KEY AUTOINCREMENT, prescription INTEGER NOT NULL REFERENCES doses_prescriptions (id),
        name TEXT NOT NULL, facts TEXT NOT NULL, plan TEXT NOT NULL, start TEXT NOT NULL, stopped TEXT
    );
    CREATE TABLE doses_doses (
        id INTEGER PRIMARY KEY AUTOINCREMENT, medicine INTEGER NOT NULL REFERENCES doses_medicines (id),
        wall TEXT NOT NULL, at REAL NOT NULL, until REAL NOT NULL, amount TEXT NOT NULL, state TEXT NOT NULL,
        decided REAL, reminders INTEGER NOT NULL DEFAULT 0, shown INTEGER NOT NULL DEFAULT 1,
        next REAL NOT NULL, touched REAL, missed_told REAL, UNIQUE (medicine, wall)
    );
    CREATE INDEX doses_by_time ON doses_doses (at);
    CREATE TABLE doses_events (
        id INTEGER PRIMARY KEY AUTOINCREMENT, dose INTEGER NOT NULL, at REAL NOT NULL, what TEXT NOT NULL,
        note TEXT NOT NULL
    );
    """,
)


class DoseState(StrEnum):
    DUE = "due"
    """Not decided: to come, waiting for the person, or missed once its time is over."""
    TAKEN = "taken"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Medicine:
    """A medicine as the person confirmed it.

    `facts`: what else was confirmed (strength, dose, route, form, food, ingredients ...), text by name; `plan`: as
    `health.scheduler.schedule.Plan.to_json`; `start`: naive wall time, ISO 8601; `stopped`: likewise, or None.
    """

    name: str
    plan: Mapping[str, Any]
    start: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    id: int = 0
    prescription: int = 0
    stopped: str | None = None

    @property
    def simulated(self) -> bool:
        """Whether it and what became of its doses were made up for a demonstration."""
        return bool(self.facts.get("simulated"))

    def to_json(self) -> dict[str, Any]:
        told = {"id": self.id, "prescription": self.prescription, "name": self.name, **self.facts}
        return {**told, "plan": dict(self.plan), "start": self.start, "stopped": self.stopped}


@dataclass(frozen=True)
class Dose:
    """One dose. `wall`: naive wall time; `at`, `until`, `decided`, `next`: seconds since 1970, UTC.

    `until`: when it counts as missed; `next`: when to remind of it next; `reminders`: how often that was begun;
    `shown`: False where the last reminder may not have been seen; `touched`: when `next` was last set.
    """

    id: int
    medicine: int
    wall: datetime
    at: float
    until: float
    amount: str
    state: DoseState
    decided: float | None
    reminders: int
    shown: bool
    next: float
    touched: float | None

    def missed(self, now: float) -> bool:
        return self.state is DoseState.DUE and now > self.until

    def waiting(self, now: float) -> bool:
        """Whether it is time for it and nobody has said what became of it."""
        return self.state is DoseState.DUE and self.at <= now <= self.until

    def remind_at(self, now: float) -> float:
        """When to remind of it next; what a clock that was ahead had put off does not count."""
        return self.at if self.touched is not None and self.touched > now + CLOCK_SLACK else self.next


_COLUMNS = "id, medicine, wall, at, until, amount, state, decided, reminders, shown, next, touched"


class Doses:
    """The medicines and doses in a phone's health database. All times are given: nothing here reads a clock.

    Raises:
        StoreError: each method, where the database cannot be read or written; nothing is then changed.
    """

    def __init__(self, database: HealthDatabase) -> None:
        self._database = database
        database.prepare("doses", _STEPS)

    @property
    def database(self) -> HealthDatabase:
        """What they are kept in, with the rest of the phone's health."""
        return self._database

    # medicines

    def add(self, source: str, text: str, medicines: Sequence[Medicine], added: datetime) -> tuple[Medicine, ...]:
        """Keeps a prescription and its medicines, all or none.

        Args:
            source: where it comes from, a file's name or "typed"; text: what was read.
        """
        base = self._database
        with base.transaction():
            number = base.insert(
                "INSERT INTO doses_prescriptions (added, source, text) VALUES (?, ?, ?)",
                (added.isoformat(timespec="seconds"), source, text),
            )
            ids = [
                base.insert(
                    "INSERT INTO doses_medicines (prescription, name, facts, plan, start) VALUES (?, ?, ?, ?, ?)",
                    (number, each.name, json.dumps(dict(each.facts)), json.dumps(dict(each.plan)), each.start),
                )
                for each in medicines
            ]
        return tuple(self.medicine(each) for each in ids)

    def medicines(self, *, stopped: bool = False) -> list[Medicine]:
        """Those that are not stopped, or all."""
        which = "" if stopped else "WHERE stopped IS NULL"
        sql = f"SELECT id, prescription, name, facts, plan, start, stopped FROM doses_medicines {which} ORDER BY id"
        return [
            Medicine(row[2], json.loads(row[4]), row[5], json.loads(row[3]), row[0], row[1], row[6])
            for row in self._database.rows(sql)
        ]

    def medicine(self, number: int) -> Medicine:
        """Raises: UsageError: there is none of that number."""
        found = [each for each in self.medicines(stopped=True) if each.id == number]
        if not found:
            raise UsageError(f"There is no medicine {number}: see  camphor health medicines")
        return found[0]

    def stop(self, number: int, wall: datetime, now: float) -> Medicine:
        """Ends a medicine: no dose of it falls due any more; what became of earlier ones stays.

        Raises:
            UsageError: there is none of that number, or it is stopped.
        """
        medicine = self.medicine(number)
        with self._database.transaction():
            changed = self._database.run(
                "UPDATE doses_medicines SET stopped=? WHERE id=? AND stopped IS NULL",
                (wall.isoformat(timespec="seconds"), number),
            )
            if not changed:
                raise UsageError(f"{medicine.name} was stopped on {medicine.stopped}")
            # one that is due now is no longer to be taken either; one that was missed stays missed
            self._database.run(
                "DELETE FROM doses_doses WHERE medicine=? AND state=? AND until>=?", (number, DoseState.DUE, now)
            )
        return self.medicine(number)

    # doses

    def fill(self, medicine: int, planned: Iterable[tuple[datetime, float, float, str]]) -> None:
        """Makes the doses of a plan that are not there yet: wall time, moment, end, amount of each.

        Those that nobody was reminded of take their moments anew, since a time zone may have changed.
        """
        self._database.run_many(
            "INSERT INTO doses_doses (medicine, wall, at, until, amount, state, next) "
            "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?3 WHERE EXISTS "
            "(SELECT 1 FROM doses_medicines WHERE id=?1 AND stopped IS NULL) "
            "ON CONFLICT (medicine, wall) DO UPDATE SET at=excluded.at, until=excluded.until, next=excluded.next "
            "WHERE state=excluded.state AND reminders=0 AND touched IS NULL AND at<>excluded.at",
            [
                (medicine, wall.isoformat(timespec="minutes"), at, until, amount, DoseState.DUE)
                for wall, at, until, amount in planned
            ],
        )

    def filled(self, medicine: int) -> datetime | None:
        """The wall time of the last dose that is there."""
        last = self._database.value("SELECT max(wall) FROM doses_doses WHERE medicine=?", (medicine,))
        return datetime.fromisoformat(last) if last else None

    def between(self, first: float, last: float, medicine: int | None = None) -> list[Dose]:
        """Doses due from `first` on and before `last`, in order."""
        which, values = ("AND medicine=?", [medicine]) if medicine is not None else ("", [])
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM doses_doses WHERE at>=? AND at<? {which} ORDER BY at, id", [first, last, *values]
        )
        return [_dose(row) for row in rows]

    def waiting(self, now: float) -> list[Dose]:
        """Doses whose time it is and of which nobody has said what became of them."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM doses_doses WHERE state=? AND at<=? AND until>=? ORDER BY at, id",
            (DoseState.DUE, now, now),
        )
        return [_dose(row) for row in rows]

    def upcoming(self, now: float, most: int) -> list[Dose]:
        """The next doses to come."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM doses_doses WHERE state=? AND at>? ORDER BY at, id LIMIT ?",
            (DoseState.DUE, now, most),
        )
        return [_dose(row) for row in rows]

    def dose(self, number: int) -> Dose:
        """Raises: UsageError: there is none of that number."""
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM doses_doses WHERE id=?", (number,))
        if not rows:
            raise UsageError(f"There is no dose {number}: see  camphor health doses")
        return _dose(rows[0])

    def taken_near(self, medicines: Sequence[int], at: float, seconds: float) -> list[Dose]:
        """Doses of these medicines that were noted as taken less than so many seconds before or after a moment."""
        marks = ", ".join("?" * len(medicines))
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM doses_doses WHERE state=? AND medicine IN ({marks}) AND abs(decided-?)<? "
            "ORDER BY decided",
            [DoseState.TAKEN, *medicines, at, seconds],
        )
        return [_dose(row) for row in rows]

    # what becomes of a dose

    def decide(self, number: int, state: DoseState, at: float, note: str = "") -> tuple[Dose, bool]:
        """A dose is taken or skipped; the dose as it then is, and whether this changed it.

        One that is decided stays as it is, so that the same word said twice, by a retry after a crash, say, counts
        once.
        """
        with self._database.transaction():
            changed = self._database.run(
                "UPDATE doses_doses SET state=?, decided=? WHERE id=? AND state=?", (state, at, number, DoseState.DUE)
            )
            if changed:
                self._note(number, at, state, note)
            return self.dose(number), bool(changed)

    def reopen(self, number: int, now: float) -> Dose:
        """Takes back what was said of a dose. Raises: UsageError: nothing was."""
        with self._database.transaction():
            if not self._database.run(
                "UPDATE doses_doses SET state=?, decided=NULL, next=?, touched=? WHERE id=? AND state<>?",
                (DoseState.DUE, now, now, number, DoseState.DUE),
            ):
                self.dose(number)
                raise UsageError(f"Of dose {number} nothing was said that could be taken back")
            self._note(number, now, "reopened", "")
            return self.dose(number)

    def add_taken(self, medicine: int, wall: datetime, at: float, amount: str) -> tuple[Dose, bool]:
        """Notes a dose of a medicine that is taken as needed; the same minute said twice counts once."""
        key = (medicine, wall.isoformat(timespec="minutes"))
        with self._database.transaction():
            made = self._database.run(
                "INSERT INTO doses_doses (medicine, wall, at, until, amount, state, decided, next) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (*key, at, at, amount, DoseState.TAKEN, at, at),
            )
            number = self._database.value("SELECT id FROM doses_doses WHERE medicine=? AND wall=?", key)
            if made:
                self._note(number, at, DoseState.TAKEN, "as needed")
            return self.dose(number), bool(made)

    # reminding

    def lease(self, number: int, now: float) -> Dose | None:
        """Takes it upon oneself to show the next reminder of a dose; None where it is not its turn.

        Of several that ask at once, one gets it. The dose is as it was before, so that `shown` tells whether an earlier
        reminder was cut off.
        """
        with self._database.transaction():
            before = self.dose(number)
            if not before.waiting(now) or before.remind_at(now) > now:
                return None
            self._database.run(
                "UPDATE doses_doses SET reminders=reminders+1, shown=0, next=?, touched=? WHERE id=?",
                (now + LEASE_SECONDS, now, number),
            )
            self._note(number, now, "reminding", "")
            return before

    def showed(self, number: int, now: float, again: float) -> None:
        """The leased reminder was shown; the next one is due at `again` unless the person said something meanwhile."""
        with self._database.transaction():
            self._database.run(
                "UPDATE doses_doses SET shown=1, next=CASE WHEN state=? AND next<=? THEN ? ELSE next END, touched=? "
                "WHERE id=?",
                (DoseState.DUE, now + LEASE_SECONDS, again, now, number),
            )
            self._note(number, now, "reminded", "")

    def snooze(self, number: int, now: float, until: float) -> Dose:
        """No reminder of the dose before `until`. Raises: UsageError: it is decided already."""
        with self._database.transaction():
            dose = self.dose(number)
            if dose.state is not DoseState.DUE:
                raise UsageError(f"Dose {number} was {dose.state.value} already: there is nothing to put off")
            self._database.run("UPDATE doses_doses SET next=?, touched=? WHERE id=?", (until, now, number))
            self._note(number, now, "snoozed", "")
            return self.dose(number)

    def newly_missed(self, now: float, since: float) -> list[Dose]:
        """Doses that were missed since a moment and that nobody was told of; they are told of once."""
        with self._database.transaction():
            rows = self._database.rows(
                f"SELECT {_COLUMNS} FROM doses_doses WHERE state=? AND until<? AND until>=? "
                "AND (missed_told IS NULL OR missed_told>?) ORDER BY at, id",
                (DoseState.DUE, now, since, now + CLOCK_SLACK),
            )
            self._database.run_many("UPDATE doses_doses SET missed_told=? WHERE id=?", [(now, row[0]) for row in rows])
        return [_dose(row) for row in rows]

    def events(self, dose: int) -> list[tuple[float, str, str]]:
        """What happened to a dose: when (seconds since 1970), what, and a note; oldest first."""
        rows = self._database.rows("SELECT at, what, note FROM doses_events WHERE dose=? ORDER BY id", (dose,))
        return [(row[0], row[1], row[2]) for row in rows]

    def _note(self, dose: int, at: float, what: str, note: str) -> None:
        self._database.run(
            "INSERT INTO doses_events (dose, at, what, note) VALUES (?, ?, ?, ?)", (dose, at, str(what), note)
        )


def _dose(row: tuple[Any, ...]) -> Dose:
    number, medicine, wall, at, until, amount, state, decided, reminders, shown, next_, touched = row
    moment = datetime.fromisoformat(wall)
    return Dose(
        number, medicine, moment, at, until, amount, DoseState(state), decided, reminders, bool(shown), next_, touched
    )

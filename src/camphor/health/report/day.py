"""The report of one day: what was measured, what was told, doses, appointments, complaints, conversations.

What was measured is worked out once and kept (`device.health.days`); the rest is asked of records, doses and
conversations whenever a report is shown. A day that was not over when it was worked out, or of which readings came in
later, is worked out again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from camphor.device.health.database import HealthDatabase
from camphor.device.health.days import KeptDay, KeptDays
from camphor.device.health.doses import Dose, Doses, Medicine
from camphor.device.health.emergencies import Emergencies, Sos
from camphor.device.health.slots import slot_of
from camphor.device.health.vitals import KEPT_DAYS, VitalsStore
from camphor.device.talks import Talks, talks_file
from camphor.errors import UsageError
from camphor.health.monitor.alarms import Alarm
from camphor.health.monitor.baseline import TREND_DAYS, USUAL_DAYS, span
from camphor.health.monitor.monitor import alarms_of
from camphor.health.monitor.thresholds import person_of
from camphor.health.monitor.vitals import Vital, epoch, local
from camphor.health.report.measured import EVENING, HOUR, MeasuredDay, measure, values_of
from camphor.health.scheduler.reminders import DoseReminders, describe, state_of

if TYPE_CHECKING:
    from camphor.device.device import Device

VERSION = 2
"""Of what is kept of a day: one of another version is worked out again."""
AHEAD = timedelta(days=7)
"""So far ahead appointments are told."""
_BEFORE = USUAL_DAYS + TREND_DAYS


@dataclass(frozen=True)
class DoseLine:
    """A dose: its time, what to take, in a word what became of it, and when that was noted (None: not)."""

    at: datetime
    what: str
    state: str
    noted: datetime | None


@dataclass(frozen=True)
class Visit:
    """An appointment of the day or to come."""

    begin: datetime
    end: datetime
    name: str
    specialization: str
    symptoms: str
    state: str


@dataclass(frozen=True)
class TalkSession:
    """A conversation of the day: when, what was asked first, how many questions, how many actions were done."""

    begin: datetime
    title: str
    questions: int
    actions: int


@dataclass(frozen=True)
class DayReport:
    """One person's day.

    Attributes:
        made: when it was put together, by the phone's clock. until: up to when the day was looked at; None: to its end.
        alarms: soft SOS that were raised; emergencies: hard SOS that were begun.
        medicines: how many are planned, or noted when needed. clinic: whether the phone has the clinic app.
        age_known: whether the ranges are those of the person's age.
        visits: appointments of the day; coming: of the days after it, cancelled ones aside.
    """

    owner: str
    day: date
    made: datetime
    until: datetime | None
    zone: tzinfo | None
    measured: MeasuredDay
    alarms: tuple[Alarm, ...]
    medicines: int
    doses: tuple[DoseLine, ...]
    visits: tuple[Visit, ...]
    coming: tuple[Visit, ...]
    complaints: tuple[str, ...]
    sessions: tuple[TalkSession, ...]
    emergencies: tuple[Sos, ...] = ()
    clinic: bool = True
    age_known: bool = True

    @property
    def empty(self) -> bool:
        """Whether there is nothing at all to tell of the day."""
        told = (self.alarms, self.doses, self.visits, self.complaints, self.sessions, self.emergencies)
        return self.measured.empty and not any(told)

    def wall(self, at: float) -> datetime:
        """Local time of epoch seconds."""
        return local(at, self.zone)

    def counts(self) -> dict[str, int]:
        """How many doses were taken, skipped, missed, wait, are to come."""
        found: dict[str, int] = {}
        for dose in self.doses:
            found[dose.state] = found.get(dose.state, 0) + 1
        return found


@dataclass
class Reports:
    """The reports of one phone.

    Args:
        device: whose phone; database: its health database.
    """

    device: Device
    database: HealthDatabase

    def __post_init__(self) -> None:
        self.days, self.vitals, self.doses = KeptDays(self.database), VitalsStore(self.database), Doses(self.database)
        self.zone = self.device.zone

    @property
    def now(self) -> float:
        return epoch(self.device.now, self.zone)

    @property
    def today(self) -> date:
        return self.device.now.date()

    def of(self, day: date, again: bool = False) -> DayReport:
        """The report of a day, and keeps what was measured.

        Args:
            again: works it out again, also where nothing has changed since.

        Raises:
            UsageError: the day is still to come. StoreError: what is kept cannot be read or written.
        """
        if day > self.today:
            raise UsageError(f"{day} is still to come: it is {self.today} on this phone")
        measured = self.measured(day, again)
        until = None if measured.until >= measured.end else local(max(measured.until, measured.begin), self.zone)
        begin, end = measured.begin, measured.end
        visits = list(visits_of(self.device))
        return DayReport(
            self.device.owner,
            day,
            self.device.now,
            until,
            self.zone,
            measured,
            tuple(each for each in alarms_of(self.vitals, begin, end) if each.level),
            len(self.doses.medicines()),
            tuple(self.dose_lines(begin, end)),
            tuple(each for each in visits if each.begin.date() == day),
            tuple(each for each in visits if day < each.begin.date() <= day + AHEAD and each.state != "cancelled"),
            tuple(" ".join(words.split()) for _, words in self.complaints(day, day)),
            tuple(self._sessions(day)),
            tuple(Emergencies(self.database).of_day(day.isoformat())),
            "clinic" in self.device.apps,
            person_of(self.device).age is not None,
        )

    # what was measured

    def measured(self, day: date, again: bool = False) -> MeasuredDay:
        """What was measured on a day: as it is kept, or worked out and then kept.

        Args:
            again: works it out again; where single readings were thinned out, of their minutes.

        Raises:
            StoreError: what is kept cannot be read or written.
        """
        stamp = self._stamp(day, self.vitals.stamps(self.vitals.kinds(), *self._reach(day)))
        kept = None if again else self.days.get(day)
        if kept is not None and kept.over and kept.stamp == stamp:
            with suppress(KeyError, TypeError, ValueError):
                return MeasuredDay.from_json(kept.body)
        values = self.values(day - timedelta(days=_BEFORE), day)
        found = measure(self.vitals, day, self.zone, person_of(self.device), values, self.now)
        if not found.empty:
            own = {kind.value: days[day] for kind, days in values.items() if day in days}
            self.days.keep(KeptDay(day, found.until, self.now >= found.end, stamp, found.to_json()), own)
        return found

    def values(
        self, first: date, last: date, told: Callable[[int, int], None] = lambda number, total: None
    ) -> dict[Vital, dict[date, float]]:
        """The value of each kind on each day that has one; those that are not kept yet, or not as they are, are made.

        Args:
            first, last: both included. told: is told how many of how many days are done.
        """
        last = min(last, self.today)
        stamps = self.vitals.stamps(self.vitals.kinds(), self._reach(first)[0], self._reach(last)[1])
        known, due = self.days.heads(first, last), []
        for number in range((last - first).days + 1):
            day = first + timedelta(days=number)
            head, stamp = known.get(day), self._stamp(day, stamps)
            if head is None and not self._hours(day, stamps):
                continue
            if head is None or not head.over or head.stamp != stamp:
                due.append((day, stamp))
        for number, (day, stamp) in enumerate(due):
            told(number, len(due))
            values = values_of(self.vitals, day, self.zone)
            if not self._hours(day, stamps):  # its readings were deleted
                self.days.forget(day)
                continue
            end = span(day, self.zone)[1]
            kept = KeptDay(day, min(self.now, end), self.now >= end, stamp, {})
            self.days.keep(kept, {kind.value: value for kind, value in values.items()})
        return {Vital(name): values for name, values in self.days.values(first, last).items()}

    def finish(self) -> None:
        """Works out the days that are over while their single readings are still there."""
        for number in range(1, KEPT_DAYS):
            day = self.today - timedelta(days=number)
            kept = self.days.get(day)
            if kept is None or not (kept.over and kept.body):
                self.measured(day)

    def _reach(self, day: date) -> tuple[float, float]:
        """The time whose readings a day's figures depend on: from the evening before."""
        begin, end = span(day, self.zone)
        return begin - EVENING, end

    def _hours(self, day: date, stamps: Mapping[int, tuple[int, ...]]) -> list[tuple[int, tuple[int, ...]]]:
        begin, end = self._reach(day)
        hours = range(int(begin // HOUR), int((end - 1) // HOUR) + 1)
        return [(hour, stamps[hour]) for hour in hours if hour in stamps]

    def _stamp(self, day: date, stamps: Mapping[int, tuple[int, ...]]) -> str:
        blocks = self._hours(day, stamps)
        sizes = [sum(numbers[1::2]) for _, numbers in blocks]
        # sentences of a day name values in the unit of their time
        told = ",".join(f"{kind}={unit}" for kind, unit in sorted(self.vitals.units().items()) if unit)
        return f"{VERSION}{told}:{sum(sum(numbers[::2]) for _, numbers in blocks)}:{sum(sizes)}:{_mixed(sizes)}"

    # the rest

    def dose_lines(self, begin: float, end: float) -> list[DoseLine]:
        """The doses of a time, epoch seconds, in the order of their times."""
        reminders = DoseReminders.of(self.device, self.doses)
        reminders.plan()  # where no reminders run, the doses of the day are not there yet
        now, medicines = self.now, {each.id: each for each in self.doses.medicines(stopped=True)}
        return [self._dose(each, medicines[each.medicine], now) for each in self.doses.between(begin, end)]

    def _dose(self, dose: Dose, medicine: Medicine, now: float) -> DoseLine:
        noted = None if dose.decided is None else local(dose.decided, self.zone)
        return DoseLine(dose.wall, describe(medicine, dose), state_of(dose, now), noted)

    def complaints(self, first: date, last: date) -> Iterator[tuple[date, str]]:
        """What was complained of from `first` to `last`, both included, with its day."""
        for record in self.device.records("clinic", "complaints"):
            with suppress(ValueError):
                day = date.fromisoformat(str(record.get("date") or "")[:10])
                if first <= day <= last and (said := _text(record.get("symptoms"))):
                    yield day, said

    def _sessions(self, day: date) -> Iterator[TalkSession]:
        path = talks_file(self.device.path)
        if path is None or not path.exists():
            return
        with closing(Talks(path)) as talks:
            for talk in reversed(talks.all()):
                asked = [event.at for event in talks.events(talk.id) if event.kind == "asked"]
                moments = [each for each in map(self._wall, asked) if each is not None and each.date() == day]
                if moments:
                    yield TalkSession(moments[0], talk.title, len(moments), self._actions(talk.id, day))

    def _actions(self, talk: str, day: date) -> int:
        begun = (self._wall(each.begun) for each in self.device.done(f"{talk}/"))
        return sum(wall is not None and wall.date() == day for wall in begun)

    def _wall(self, written: str) -> datetime | None:
        """Local time of a moment as conversations and the journal write it."""
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            return None
        return moment.astimezone(self.zone).replace(tzinfo=None) if moment.tzinfo else moment


def visits_of(device: Device) -> Iterator[Visit]:
    """The appointments that have a time, in the order of their times."""
    found = []
    for record in device.records("clinic", "appointments"):
        slot = slot_of(record)
        if slot is not None:
            words = (_text(record.get(name)) for name in ("name", "specialization", "symptoms", "state"))
            found.append(Visit(slot.start, slot.end, *words))
    yield from sorted(found, key=lambda each: each.begin)


def _text(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
    return text.strip()


def _mixed(numbers: list[int]) -> int:
    """A number that depends on each of them and on its place."""
    mixed = 0
    for number in numbers:
        mixed = (mixed * 1_000_003 + number) % (1 << 61)
    return mixed

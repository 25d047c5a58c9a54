"""Looks after one phone: what is due now is told, once, whoever else looks after the same phone.

Everything that is found becomes a notice in one transaction with what was found, and goes out from the outbox; so a
program that is killed in between loses nothing, and two that run beside each other tell nothing twice.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from datetime import time as clock_time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from camphor.device.health.database import HealthDatabase
from camphor.device.health.doses import Doses, DoseState
from camphor.device.health.notices import CLOCK, DOSE, REPORT, VITALS, Notice, Notices
from camphor.device.health.vitals import VitalsStore
from camphor.errors import CamphorError, UsageError
from camphor.health.emergency.delivery import Courier
from camphor.health.emergency.plan import other_way
from camphor.health.emergency.settings import ReminderWishes
from camphor.health.monitor.monitor import Monitor, SoftSos, alarms_of
from camphor.health.monitor.thresholds import Level, person_of
from camphor.health.monitor.vitals import Vital, epoch, shown_in
from camphor.health.report.day import DayReport, Reports
from camphor.health.report.words import long_day, tiles
from camphor.health.scheduler.reminders import DoseReminders, NagRules, Reminder
from camphor.service.state import Places

if TYPE_CHECKING:
    from camphor.device.device import Device

DAY = 86_400.0
_AGAIN = "again-"
_MOST = 1000
"""Reminders of one dose where the person wants to be nagged: until its time is over."""


@dataclass
class Usual:
    """What was usual for each phone's person before a day, which takes a month of readings to work out."""

    known: dict[Path, tuple[date, Mapping[Vital, float]]] = field(default_factory=dict)


class Care:
    """The care of one phone.

    Args:
        device, database: the phone, open. places: where its person is reached. clock: epoch seconds, the outbox's.
    """

    def __init__(
        self,
        device: Device,
        database: HealthDatabase,
        places: Places,
        clock: Callable[[], float] = time.time,
        usual: Usual | None = None,
    ) -> None:
        self.device, self.database, self.places, self._clock = device, database, places, clock
        self.notices, self._usual = Notices(database, clock), usual or Usual()
        self.reminders = DoseReminders.of(device, Doses(database), self._remind, rules_of(places.settings.wishes))
        channels = (*places.channels,)
        other = partial(other_way, device, channels=places.others.channels)
        self.courier = Courier(self.notices.outbox, places, clock, channels=channels, other_way=other)
        self._channels = channels

    def all(self) -> None:
        """Everything that is due now. Raises: StoreError: the phone's health cannot be read or written."""
        self.doses()
        self.readings()
        self.evening()
        self.deliver()

    def doses(self) -> list[Reminder]:
        """Reminds of what is due; what was reminded of and decided since rings no more."""
        for notice in self.notices.open(DOSE):
            if self._decided(notice):
                self.notices.end(notice.thread)
        return self.reminders.tick()

    def _decided(self, notice: Notice) -> bool:
        try:
            dose = self.reminders.doses.dose(int(notice.thread.rpartition("-")[2]))
        except UsageError:  # of a medicine that was stopped
            return True
        return dose.state is not DoseState.DUE

    def _remind(self, reminder: Reminder) -> None:
        thread = f"dose-{reminder.dose.id}"
        key = f"{thread}-{'missed' if reminder.missed else reminder.number}"
        self.notices.tell(Notice(key, DOSE, thread, reminder.title, reminder.text, True), self.places.names)

    def readings(self) -> list[str]:
        """Looks at the readings of the last hours; what the person is told of them now."""
        store, now = VitalsStore(self.database), epoch(self.device.now, self.device.zone)
        if not self._recent(store, now):
            return []
        monitor = Monitor(store, self.device.zone, person_of(self.device))
        path = self.device.path or Path()
        monitor.usual_of_day = self._usual.known.get(path)
        with shown_in(store.units()), self.database.transaction():
            alarms = monitor.look(now)
            for sos in alarms:
                self._alarm(sos)
            again = self._again(monitor)
        if monitor.usual_of_day:
            self._usual.known[path] = monitor.usual_of_day
        return [*(each.text for each in alarms), *again]

    def _recent(self, store: VitalsStore, now: float) -> bool:
        """Whether there is anything to look at: readings of the last day, or an alarm that has not ended."""
        span = store.span()
        if span is not None and span[1] > now - DAY:
            return True
        return any(each.ended is None for each in alarms_of(store, now - 2 * DAY, now + DAY))

    def _alarm(self, sos: SoftSos) -> None:
        alarm, urgent = sos.alarm, sos.alarm.level is Level.URGENT
        thread = f"vitals-{alarm.id}"
        title = "Urgent: your readings" if urgent else "Your readings"
        notice = Notice(f"{thread}-{len(alarm.tellings)}", VITALS, thread, title, sos.text, urgent)
        self.notices.tell(notice, self.places.names)

    def _again(self, monitor: Monitor) -> list[str]:
        """Asks for another measurement where one or two readings are beyond a range and no alarm is sure."""
        thread = f"{_AGAIN}{round(max((each.at for each in monitor.unsure), default=0))}"
        for notice in self.notices.open(VITALS):
            if notice.thread.startswith(_AGAIN) and notice.thread != thread:
                self.notices.end(notice.thread)
        if not (text := monitor.again()):
            return []
        urgent = any(each.urgent for each in monitor.unsure)
        notice = Notice(thread, VITALS, thread, "Measure again", text, urgent)
        return [text] if self.notices.tell(notice, self.places.names) else []

    def evening(self) -> None:
        """Tells of the day's report when it is due."""
        at = self.places.settings.wishes.report
        if at is not None:
            reports = Reports(self.device, self.database)
            with shown_in(reports.vitals.units()):
                Evening(reports, self._report, at)()

    def _report(self, text: str) -> None:
        # one that cannot be made says the same each time that it is tried
        key = f"report-{self.device.now.date()}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        self.notices.tell(Notice(key, REPORT, key, "Your health report", text), self.places.names)

    def clock_changed(self, text: str) -> None:
        """Tells the owner of medicines that the clock was changed."""
        if self.reminders.doses.medicines():
            at = round(self._clock())
            self.notices.tell(Notice(f"clock-{at}", CLOCK, "clock", "The clock was changed", text), self.places.names)

    def deliver(self) -> None:
        """Brings away what is due, to the person and to others."""
        self.courier.send_due()

    def next(self) -> float | None:
        """Seconds until something is due again by itself; None where nothing is."""
        waits = [self.notices.outbox.seconds_to_next(self._channels)]
        if self.device.clock_goes and (due := self.reminders.next()) is not None:
            waits.append(max(0.0, due - self.reminders.now))
        return min((each for each in waits if each is not None), default=None)


def rules_of(wishes: ReminderWishes) -> NagRules:
    """How reminders nag, as the person wishes."""
    return NagRules(again=timedelta(minutes=wishes.every), most=_MOST if wishes.nag else 1)


@dataclass
class Evening:
    """Tells of the report of each evening: put together, kept, and told of once.

    It looks at the phone's clock alone. An evening on which nothing ran is made up for the next day. A report that
    cannot be made is said and keeps nobody from reminding of doses.

    Args:
        reports: of the phone; tell: says something to the person; at: when, by the phone's clock.
    """

    reports: Reports
    tell: Callable[[str], None]
    at: clock_time
    _done: set[date] = field(default_factory=set)

    def __call__(self) -> DayReport | None:
        """Tells of the report that is due, if one is; that report."""
        now = self.reports.device.now
        day = now.date() if now.time() >= self.at else now.date() - timedelta(days=1)
        if day in self._done:
            return None
        self._done.add(day)
        try:
            return self._report(day)
        except CamphorError as error:
            self.tell(f"The report of {long_day(day)} could not be made: {error}")
            return None

    def _report(self, day: date) -> DayReport | None:
        reports = self.reports
        if reports.days.told(day):
            return None
        reports.finish()  # as long as the single readings of days that are over are there
        report = reports.of(day)
        if not report.empty:
            self.tell(notice(report))
        # noted afterwards: told twice after a crash is better than never
        reports.days.note_told(day, reports.now)
        return None if report.empty else report


def notice(report: DayReport) -> str:
    """What is told of a report: the day at a glance."""
    glance = "; ".join(f"{tile.name.lower()}: {tile.text}" for tile in tiles(report))
    return f"Your health report of {long_day(report.day)}. {glance}"

"""Reminders of doses: each until the person says what became of it, or until its time is over.

`DoseReminders.tick` does all that is due at one moment; who calls it, how often and with which clock is not its
concern. So it is right after a crash, after sleep and after a change of the clock: it asks what is due now and what was
said of it.
Everything it must know the next time is in the database (`device.health.doses`) before the person sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from camphor.device.health.doses import CLOCK_SLACK, Dose, Doses, DoseState, Medicine
from camphor.errors import Refused, UsageError
from camphor.health.scheduler.schedule import DosePlan, dues, epoch, gap, wall_of

if TYPE_CHECKING:
    from camphor.device.device import Device

_AHEAD = timedelta(days=3)
"""How far ahead doses are made; a longer pause of the program is made up for when it runs again."""
_FARTHEST = timedelta(days=183)
"""How far ahead doses are made for a day that somebody asks to see."""


_EARLY = 2 * 3600.0
"""Seconds before its time from which a dose can be noted as taken, or the half way from the one before."""


@dataclass(frozen=True)
class NagRules:
    """How reminders nag. Ours; each person may want others.

    Args:
        again: from one reminder of a dose to the next; most: reminders of one dose; snooze: a person's "later".
        tell_missed: for how long after its end a missed dose is still told of.
    """

    again: timedelta = timedelta(minutes=10)
    most: int = 12
    snooze: timedelta = timedelta(minutes=10)
    tell_missed: timedelta = timedelta(days=1)


@dataclass(frozen=True)
class Reminder:
    """What the person is to be shown. `missed`: the dose's time is over. `number`: the how manieth of the dose."""

    dose: Dose
    medicine: Medicine
    text: str
    number: int = 1
    missed: bool = False

    @property
    def title(self) -> str:
        return f"{'Missed' if self.missed else 'Time for'}: {self.medicine.name}"


Clock = Callable[[], datetime]
"""The device's clock: naive local time, `fold` set in the second of two equal hours."""


@dataclass
class DoseReminders:
    """The doses of one phone, reminded of by a clock that is given.

    Args:
        doses: where they are kept; clock: the phone's; zone: its time zone; notify: shows a reminder to the person.
    """

    doses: Doses
    clock: Clock
    zone: tzinfo | None
    notify: Callable[[Reminder], None] = lambda reminder: None
    rules: NagRules = field(default_factory=NagRules)

    @classmethod
    def of(
        cls,
        device: Device,
        doses: Doses,
        notify: Callable[[Reminder], None] = lambda reminder: None,
        rules: NagRules | None = None,
    ) -> DoseReminders:
        return cls(doses, lambda: device.now, device.zone, notify, rules or NagRules())

    # the clock

    @property
    def now(self) -> float:
        return epoch(self.clock(), self.zone)

    def wall(self, at: float) -> datetime:
        """The wall time of a moment."""
        return wall_of(at, self.zone)

    # what is due

    def plan(self, until: datetime | None = None) -> None:
        """Makes the doses that fall due up to `until` (naive wall time; three days ahead unless given)."""
        last = until or self.clock() + _AHEAD
        for medicine in self.doses.medicines():
            plan, start = DosePlan.from_json(medicine.plan), datetime.fromisoformat(medicine.start)
            filled = self.doses.filled(medicine.id)
            # some days back: the time zone may have changed
            first = max(start, filled - timedelta(days=2)) if filled else start
            made = dues(plan, start, first, last, self.zone)
            self.doses.fill(medicine.id, [(due.wall, due.at, due.until, due.amount) for due in made])

    def tick(self) -> list[Reminder]:
        """Shows every reminder that is due now; those that were shown."""
        self.plan()
        now, shown = self.now, []
        for waiting in self.doses.waiting(now):
            if waiting.remind_at(now) > now or waiting.reminders >= self.rules.most:
                continue
            dose = self.doses.lease(waiting.id, now)
            if dose is None:  # another process shows it, or the person was faster
                continue
            medicine, number = self.doses.medicine(dose.medicine), dose.reminders + 1
            reminder = Reminder(dose, medicine, self._text(dose, medicine, number, now), number)
            self.notify(reminder)
            self.doses.showed(dose.id, now, now + self.rules.again.total_seconds())
            shown.append(reminder)
        return [*shown, *self._missed(now)]

    def _missed(self, now: float) -> list[Reminder]:
        told = []
        for dose in self.doses.newly_missed(now, now - self.rules.tell_missed.total_seconds()):
            medicine = self.doses.medicine(dose.medicine)
            text = (
                f"{describe(medicine, dose)}, due {self._day(dose.wall)}: nobody said that it was taken, so it counts "
                "as missed. If you took it, say so. Do not take two to make up for it; ask your pharmacist, or read "
                "the leaflet"
            )
            told.append(Reminder(dose, medicine, text, dose.reminders, missed=True))
            self.notify(told[-1])
        return told

    def next(self) -> float | None:
        """When something is to be shown next, in seconds since 1970; None where nothing is planned."""
        now = self.now
        moments = [
            moment
            for dose in self.doses.waiting(now)
            for moment in (dose.remind_at(now) if dose.reminders < self.rules.most else dose.until, dose.until)
        ]
        moments += [dose.at for dose in self.doses.upcoming(now, 1)]
        return min(moments, default=None)

    # what the person says

    def taken(self, number: int, at: datetime | None = None, *, another: bool = False) -> tuple[Dose, bool]:
        """Notes that a dose was taken; the dose, and whether this is news.

        Args:
            at: when, naive wall time; now unless given. another: also where one was noted shortly before.

        Raises:
            UsageError: there is no such dose, it is not due yet, or the time is ahead of the clock.
            Refused: another dose of the same medicine was noted so close to it that this may be the same one.
        """
        dose, now = self.doses.dose(number), self.now
        if dose.state is DoseState.TAKEN:
            return dose, False
        moment = self._moment(at, now)
        medicine = self.doses.medicine(dose.medicine)
        if dose.at - moment > min(dose.until - dose.at, _EARLY):
            raise UsageError(
                f"Dose {number} is due {self._day(dose.wall)}: it is too early to note it, see  camphor health doses"
            )
        if not another:
            self._check_close(medicine, moment, dose)
        return self.doses.decide(number, DoseState.TAKEN, moment)

    def taken_as_needed(self, number: int, at: datetime | None = None, *, another: bool = False) -> tuple[Dose, bool]:
        """Notes a dose of a medicine that is taken when needed. Raises: as `taken`."""
        medicine, moment = self.doses.medicine(number), self._moment(at, self.now)
        plan = DosePlan.from_json(medicine.plan)
        if medicine.stopped:
            raise UsageError(f"{medicine.name} was stopped on {medicine.stopped[:10]}")
        if not plan.as_needed:
            raise UsageError(f"{medicine.name} has its times: note the dose, as  camphor health doses  numbers it")
        if not another:
            self._check_close(medicine, moment)
            day = self.doses.taken_near([medicine.id], moment - 12 * 3600, 12 * 3600)
            if plan.most_a_day and len(day) >= plan.most_a_day:
                raise Refused(
                    f"{medicine.name} was noted {len(day)} times in the last 24 hours, and your prescription says at "
                    f"most {plan.most_a_day}: ask your doctor or pharmacist, or add --another if it was so"
                )
        return self.doses.add_taken(medicine.id, self.wall(moment), moment, str(medicine.facts.get("dose", "")))

    def skip(self, number: int, why: str = "") -> tuple[Dose, bool]:
        """Notes that a dose is left out. Raises: UsageError: there is no such dose."""
        return self.doses.decide(number, DoseState.SKIPPED, self.now, why)

    def snooze(self, number: int, pause: timedelta | None = None) -> Dose:
        """Puts the reminders of a dose off.

        Raises:
            UsageError: it is decided, or the pause goes beyond the time until which it counts.
        """
        dose, until = self.doses.dose(number), self.now + (pause or self.rules.snooze).total_seconds()
        if until > dose.until:
            raise UsageError(
                f"Dose {number} can be put off until {self.wall(dose.until):%H:%M}: then it counts as missed"
            )
        return self.doses.snooze(number, self.now, until)

    # sums

    def counts(self, first: datetime, last: datetime) -> dict[str, int]:
        """How many doses from `first` on and before `last` (naive wall times) were taken, skipped, missed, are open."""
        found = {"taken": 0, "skipped": 0, "missed": 0, "open": 0}
        for dose in self.doses.between(epoch(first, self.zone), epoch(last, self.zone)):
            found["open" if (said := state_of(dose, self.now)) in ("to come", "waiting") else said] += 1
        return found

    def listed(self, first: datetime, last: datetime) -> list[dict[str, Any]]:
        """The doses from `first` on and before `last` (naive wall times) as people see them, half a year ahead at most:
        a day that is asked for writes the doses up to it."""
        wall = self.clock()
        self.plan(min(max(last, wall + timedelta(days=1)), wall + _FARTHEST))
        now, kept = self.now, {each.id: each for each in self.doses.medicines(stopped=True)}
        return [
            {
                "dose": dose.id,
                "due": dose.wall.isoformat(timespec="minutes"),
                "what": describe(kept[dose.medicine], dose),
                "state": state_of(dose, now),
                "noted": self.wall(dose.decided).isoformat(timespec="minutes") if dose.decided else None,
                "reminders": dose.reminders,
            }
            for dose in self.doses.between(epoch(first, self.zone), epoch(last, self.zone))
        ]

    def outcome(self, dose: Dose, news: bool) -> str:
        """What was noted of a dose, or that it was noted before."""
        what = describe(self.doses.medicine(dose.medicine), dose)
        when = self.wall(dose.decided or 0)
        if news:
            return f"Noted: {what}, {dose.state.value} at {when:%H:%M}"
        return f"{what} was noted as {dose.state.value} at {when:%H:%M on %d %B} already: nothing was changed"

    # words

    def _text(self, dose: Dose, medicine: Medicine, number: int, now: float) -> str:
        text = f"{describe(medicine, dose)}, due {self._day(dose.wall)}"
        late = timedelta(seconds=now - dose.at)
        if late >= timedelta(minutes=30):
            text += f", {_long(late)} ago"
        if not dose.shown:
            text += ". You may have seen this before: I was interrupted. Take it only if you have not yet"
        elif number > 1:
            text += f". Reminder {number}: say what became of it"
        ahead = [each for each in self._same(medicine) if (each.decided or 0) > now + CLOCK_SLACK]
        if ahead:
            noted = self.wall(ahead[-1].decided or 0)
            text += (
                f". Careful: one is noted as taken at {noted:%H:%M on %d %B}, which is ahead of the clock. The clock "
                "was set back: make sure that you do not take it twice"
            )
        return text

    def _same(self, medicine: Medicine) -> list[Dose]:
        """Doses noted as taken from now on, of this medicine and others with something of it."""
        return self.doses.taken_near(self._kin(medicine), self.now + 30 * 86400, 30 * 86400)

    def _kin(self, medicine: Medicine) -> list[int]:
        mine = set(medicine.facts.get("ingredients") or [medicine.name.casefold()])
        return [
            other.id
            for other in self.doses.medicines(stopped=True)
            if mine & set(other.facts.get("ingredients") or [other.name.casefold()])
        ]

    def _check_close(self, medicine: Medicine, moment: float, dose: Dose | None = None) -> None:
        """Refuses what may be the same dose noted twice: another within half the gap between two doses."""
        close = gap(DosePlan.from_json(medicine.plan)).total_seconds()
        close = close if dose is None else close / 2
        if close <= 0:
            return
        near = [each for each in self.doses.taken_near([medicine.id], moment, close) if not dose or each.id != dose.id]
        if near:
            when = self.wall(near[-1].decided or 0)
            raise Refused(
                f"{medicine.name} was noted as taken at {when:%H:%M on %d %B} already, and two doses lie further "
                "apart: nothing was noted. Add --another if you did take another one, and ask your pharmacist"
            )

    def _moment(self, at: datetime | None, now: float) -> float:
        moment = now if at is None else epoch(at, self.zone)
        if moment > now + CLOCK_SLACK:
            raise UsageError(f"{self.wall(moment):%d %B %H:%M} is still to come: say when it was taken")
        return moment

    def _day(self, wall: datetime) -> str:
        return f"{wall:%H:%M}" if wall.date() == self.clock().date() else f"{wall:%H:%M on %d %B}"


def state_of(dose: Dose, now: float) -> str:
    """In a word: taken, skipped, missed, waiting (due, nothing was said) or to come."""
    if dose.state is not DoseState.DUE:
        return dose.state.value
    return "missed" if dose.missed(now) else "waiting" if dose.waiting(now) else "to come"


def describe(medicine: Medicine, dose: Dose) -> str:
    """What to take: "Metformin 850 mg, 1 tablet, with food"."""
    facts = medicine.facts
    amount = dose.amount or str(facts.get("dose") or "")
    strength = str(facts.get("strength") or "")
    name = f"{medicine.name} {strength}".strip()
    parts: Sequence[str] = [name, amount if amount != strength else "", str(facts.get("food") or "")]
    return ", ".join(each for each in parts if each) + (" (simulated)" if medicine.simulated else "")


def _long(pause: timedelta) -> str:
    minutes = round(pause.total_seconds() / 60)
    return f"{minutes} minutes" if minutes < 90 else f"{round(minutes / 60)} hours"

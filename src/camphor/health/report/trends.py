"""What some weeks or months showed: averages, what is usual for the person, doses, what was told.

Each kind has one value a day (`monitor.baseline`): at rest at night for what is steadiest then, the day's mean or its
sum otherwise. A day without a value is in no average, and neither is the sum of a day that is not over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from camphor.health.monitor.alarms import Alarm
from camphor.health.monitor.baseline import TREND_DAYS, USUAL_DAYS, WEEK, Baseline, Days, Trend, span, trends, usual
from camphor.health.monitor.monitor import alarms_of
from camphor.health.monitor.thresholds import RangeRule, person_of, rules_for
from camphor.health.monitor.vitals import COUNTED, Vital, local
from camphor.health.report.day import Reports, Visit, visits_of
from camphor.health.report.measured import Spell, simulated_of

LOOKED_THROUGH = 31
"""So many days are looked through for abnormal spells; of longer times those are told that raised an alarm."""


@dataclass(frozen=True)
class Average:
    """The mean of the days from `first` to `last` that have a value, the least and the greatest, and how many they are.

    `mean` and the others are None where no day has one.
    """

    first: date
    last: date
    mean: float | None
    least: float | None
    most: float | None
    days: int


@dataclass(frozen=True)
class VitalCourse:
    """How one kind went.

    Attributes:
        days: the values of the period. week: its last seven days; usual: of the 28 days before those.
        weeks, months: from Monday to Sunday and from the first to the last, as far as they lie in the period.
    """

    kind: Vital
    days: Days
    week: Average
    usual: Baseline | None
    weeks: tuple[Average, ...]
    months: tuple[Average, ...]

    @property
    def off(self) -> float | None:
        """How far the last week is off the usual, where that is more than one day's usual spread; else None."""
        if self.usual is None or self.week.mean is None:
            return None
        off = self.week.mean - self.usual.median
        return off if abs(off) > self.usual.spread else None


@dataclass(frozen=True)
class DoseSum:
    """What became of the doses of some days: how many by state."""

    first: date
    last: date
    counts: Mapping[str, int]

    @property
    def due(self) -> int:
        """Those of which it is known what became of them."""
        return sum(self.counts.get(state, 0) for state in ("taken", "skipped", "missed"))


@dataclass(frozen=True)
class PeriodReport:
    """Some weeks or months of one person.

    Attributes:
        first, last: both included. courses: of each kind that was measured.
        spells: abnormal spells by their day, None where the time is too long to look through.
        simulated: kinds of which readings were made up; doses_simulated: so were doses.
        age_known: whether the ranges are those of the person's age. rules: the ranges that were looked for.
        alarms: soft SOS. doses: by the week, or by the day of a period of a month at most.
    """

    owner: str
    first: date
    last: date
    made: datetime
    zone: tzinfo | None
    courses: tuple[VitalCourse, ...]
    changes: tuple[Trend, ...]
    spells: tuple[tuple[date, Spell], ...] | None
    alarms: tuple[Alarm, ...]
    doses: tuple[DoseSum, ...]
    doses_by_column: tuple[DoseSum, ...]
    complaints: tuple[tuple[date, str], ...]
    visits: tuple[Visit, ...]
    simulated: tuple[Vital, ...] = ()
    age_known: bool = True
    doses_simulated: bool = False
    rules: tuple[RangeRule, ...] = ()

    @property
    def length(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def empty(self) -> bool:
        dosed = any(each.counts for each in self.doses)
        return not (self.courses or self.alarms or dosed or self.complaints or self.visits)

    @property
    def columns(self) -> tuple[tuple[date, date], ...]:
        """The weeks or, of more than ten weeks, the months of the period."""
        return tuple(weeks(self.first, self.last) if self.length <= 70 else months(self.first, self.last))

    def wall(self, at: float) -> datetime:
        return local(at, self.zone)


def period(
    reports: Reports, last: date, count: int, told: Callable[[int, int], None] = lambda number, total: None
) -> PeriodReport:
    """The report of the `count` days up to `last`.

    Args:
        told: is told how many of how many days are worked out: of a year that was just imported it takes seconds.

    Raises:
        StoreError: what is kept cannot be read or written.
    """
    last = min(last, reports.today)
    first, zone, device = last - timedelta(days=count - 1), reports.zone, reports.device
    before = max(count, TREND_DAYS) + USUAL_DAYS + WEEK
    values = reports.values(last - timedelta(days=before - 1), last, told)
    if reports.now < span(last, zone)[1]:
        for kind in COUNTED & set(values):  # the sum of a day that is not over is no day's sum
            if kind is not Vital.SLEEP_LIGHT:
                values[kind].pop(last, None)
    begin, end = span(first, zone)[0], span(last, zone)[1]
    every = sorted(values, key=list(Vital).index)
    courses = [course(kind, values[kind], first, last) for kind in every]
    heart = next((each.usual for each in courses if each.kind is Vital.HEART_RATE), None)
    person = replace(person_of(device), usual_heart=heart.median if heart else None)
    lines = reports.dose_lines(begin, end)
    by_state = [(dose.at.date(), dose.state) for dose in lines]
    days = [(first + timedelta(days=number),) * 2 for number in range(count)]
    columns = weeks(first, last) if count <= 70 else months(first, last)
    return PeriodReport(
        device.owner,
        first,
        last,
        device.now,
        zone,
        tuple(each for each in courses if each.days),
        tuple(trends(values, last)),
        tuple(_spells(reports, first, last)) if count <= LOOKED_THROUGH else None,
        tuple(alarms_of(reports.vitals, begin, end)),
        tuple(_doses(by_state, days if count <= LOOKED_THROUGH else list(weeks(first, last)))),
        tuple(_doses(by_state, list(columns))),
        tuple((day, " ".join(words.split())) for day, words in sorted(reports.complaints(first, last))),
        tuple(each for each in visits_of(device) if first <= each.begin.date() <= last),
        simulated_of(reports.vitals, begin, end),
        person.age is not None,
        any(each.simulated for each in reports.doses.medicines(stopped=True)),
        tuple(rule for rule in rules_for(person) if rule.name != "strained_heart"),
    )


def course(kind: Vital, values: Days, first: date, last: date) -> VitalCourse:
    """How a kind went from `first` to `last`; `values` reach back further, for what is usual."""
    week = last - timedelta(days=WEEK - 1)
    return VitalCourse(
        kind,
        {day: value for day, value in values.items() if first <= day <= last},
        average(values, week, last),
        usual(kind, values, week),
        tuple(average(values, *each) for each in weeks(first, last)),
        tuple(average(values, *each) for each in months(first, last)),
    )


def average(values: Days, first: date, last: date) -> Average:
    """The average of the days from `first` to `last` that have a value."""
    found = [value for day, value in values.items() if first <= day <= last]
    if not found:
        return Average(first, last, None, None, None, 0)
    return Average(first, last, sum(found) / len(found), min(found), max(found), len(found))


def weeks(first: date, last: date) -> Iterator[tuple[date, date]]:
    """The weeks from Monday to Sunday, cut to the days from `first` to `last`."""
    day = first
    while day <= last:
        sunday = day + timedelta(days=6 - day.weekday())
        yield day, min(sunday, last)
        day = sunday + timedelta(days=1)


def months(first: date, last: date) -> Iterator[tuple[date, date]]:
    """The months, cut to the days from `first` to `last`."""
    day = first
    while day <= last:
        after = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
        yield day, min(after - timedelta(days=1), last)
        day = after


def _spells(reports: Reports, first: date, last: date) -> Iterator[tuple[date, Spell]]:
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        for spell in reports.measured(day).spells:
            yield day, spell


def _doses(found: Sequence[tuple[date, str]], spans: Sequence[tuple[date, date]]) -> Iterator[DoseSum]:
    for first, last in spans:
        counts: dict[str, int] = {}
        for day, state in found:
            if first <= day <= last:
                counts[state] = counts.get(state, 0) + 1
        yield DoseSum(first, last, counts)

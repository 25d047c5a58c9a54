"""The charts of the reports as data: the app draws them with its library, `plots` on the page to keep and in the PDF.

Of a day, and of weeks and months: a value a day, or of long times the mean of each week; doses by day or week. What was
not measured is left out; nothing is ever told as zero that was not measured as zero. All values are in the unit that
the person uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from functools import partial
from math import ceil
from typing import NamedTuple

from camphor.health.monitor.thresholds import Level, RangeRule
from camphor.health.monitor.vitals import MEASURES, Measure, Vital, epoch, local
from camphor.health.report.measured import POINT_SECONDS, Figure, MeasuredDay, Range
from camphor.health.report.trends import DoseSum, PeriodReport, VitalCourse
from camphor.health.report.words import PRESSURE, STAGES, name_of

_HOURS_APART = 4
_QUARTER = 900
DAILY = 62
"""Up to so many days each day is a dot; beyond, each week is a point with its least and greatest day."""
_MOST_TICKS = 6
_STATES = {"taken": ("taken", "taken"), "skipped": ("left out", "other"), "missed": ("missed", "missed")}
"""What became of doses, from below: how it is named, and its role."""


class ChartForm(StrEnum):
    """How the values of a chart are drawn: pairs are joined across two series, bars stand on each other."""

    LINES = "lines"
    PAIRS = "pairs"
    BARS = "bars"
    ROWS = "rows"


class Value(NamedTuple):
    """A value from `at` to `until`, between its least and its most; name: its time in words."""

    at: float
    value: float
    least: float
    most: float
    until: float
    name: str


class Tick(NamedTuple):
    at: float
    name: str


class UsualBand(NamedTuple):
    """The values between which it is usual."""

    least: float
    most: float


@dataclass(frozen=True)
class MarkedSpan:
    """A time that is marked: silent, later, spell or urgent."""

    at: float
    until: float
    role: str
    name: str = ""


@dataclass(frozen=True)
class LimitLine:
    """Where a range begins that is looked for."""

    value: float
    above: bool
    urgent: bool


@dataclass(frozen=True)
class ChartSeries:
    """Values that belong together. role: main, taken, other, missed, awake, rem, light or deep."""

    name: str
    values: tuple[Value, ...]
    role: str = "main"


@dataclass(frozen=True)
class Chart:
    """What one chart shows.

    Attributes:
        told: what it shows, for who cannot see it. name, unit, decimals: of its values.
        first, last, ticks: of the time: minutes of the day, or days of the period.
        gap: values further apart are not joined by a line.
        limits: of the one series; none where several share the scale, since a limit of one crosses the other.
    """

    told: str
    name: str
    unit: str
    decimals: int
    first: float
    last: float
    ticks: tuple[Tick, ...]
    series: tuple[ChartSeries, ...]
    form: ChartForm = ChartForm.LINES
    gap: float = 0.0
    spans: tuple[MarkedSpan, ...] = ()
    usual: tuple[UsualBand, ...] = ()
    limits: tuple[LimitLine, ...] = ()


def curve(measured: MeasuredDay, kind: Vital, zone: tzinfo | None) -> Chart:
    """A kind over a day: range and mean of each ten minutes, or each reading; silences, and spells beyond a range."""
    measure, figure, day = MEASURES[kind], measured.figures[kind], _DayAxis(measured, zone)
    return day.chart(
        f"{measure.name} over the day, from {measure.told(figure.least)} to {measure.told(figure.most)}",
        measure,
        (ChartSeries(measure.name, tuple(day.values(figure))),),
        gap=3 * POINT_SECONDS / 60 - 1 if figure.often else 0.0,
        spans=(*day.unknown(figure.gaps), *day.spells((kind,))),
        limits=limits_of(figure.ranges, measure),
    )


def pressure(measured: MeasuredDay, zone: tzinfo | None) -> Chart:
    """Both blood pressures: the lower and the upper at each measurement."""
    figures = [measured.figures[kind] for kind in PRESSURE if kind in measured.figures]
    day = _DayAxis(measured, zone)
    return day.chart(
        "blood pressure over the day: upper and lower value of each measurement",
        MEASURES[figures[0].kind],
        tuple(ChartSeries(MEASURES[each.kind].name, tuple(day.values(each))) for each in figures),
        form=ChartForm.PAIRS,
        spans=(*day.unknown(), *day.spells(PRESSURE)),
    )


def walked(measured: MeasuredDay, zone: tzinfo | None) -> Chart:
    """The steps of each hour."""
    day, hour = _DayAxis(measured, zone), 3600.0
    steps = (day.value(at, min(at + hour, measured.end), count) for at, count in measured.steps)
    told = f"steps of each hour, {sum(count for _, count in measured.steps):,.0f} in all"
    series = (ChartSeries(MEASURES[Vital.STEPS].name, tuple(steps)),)
    return day.chart(told, MEASURES[Vital.STEPS], series, form=ChartForm.BARS, spans=tuple(day.unknown()))


def slept(measured: MeasuredDay, zone: tzinfo | None) -> Chart:
    """The stages of the night, a row each: how many minutes from when to when."""
    day, night = _DayAxis(measured, zone), measured.night
    first, last = night[0].at, max(each.at + each.seconds for each in night)
    series = tuple(
        ChartSeries(
            name,
            tuple(day.value(each.at, each.at + each.seconds, each.seconds / 60) for each in night if each.kind is kind),
            kind.value.removeprefix("sleep_"),
        )
        for kind, name in STAGES.items()
    )
    told, measure = "stages of sleep over the night", Measure("sleep", "min")
    ticks = tuple(_night_hours(first, last, zone, day.minute))
    return Chart(
        told, measure.name, measure.unit, 0, day.minute(first), day.minute(last), ticks, series, ChartForm.ROWS
    )


def limits_of(ranges: Iterable[Range | RangeRule], measure: Measure) -> tuple[LimitLine, ...]:
    """The limits of ranges, each once, in the unit that is shown."""
    found = (
        LimitLine(_rounded(measure, each.limit), each.above, int(each.level) == int(Level.URGENT)) for each in ranges
    )
    return tuple(dict.fromkeys(found))


def _rounded(measure: Measure, value: float) -> float:
    return round(measure.shown(value), measure.decimals + 1)


@dataclass(frozen=True)
class _DayAxis:
    """Moments of a day by its minutes: a day of 23 or 25 hours is as long as it was."""

    measured: MeasuredDay
    zone: tzinfo | None

    def chart(
        self,
        told: str,
        measure: Measure,
        series: tuple[ChartSeries, ...],
        form: ChartForm = ChartForm.LINES,
        gap: float = 0.0,
        spans: tuple[MarkedSpan, ...] = (),
        limits: tuple[LimitLine, ...] = (),
    ) -> Chart:
        """A chart of the whole day."""
        last, ticks = self.minute(self.measured.end), tuple(self._ticks())
        return Chart(
            told, measure.name, measure.unit, measure.decimals, 0.0, last, ticks, series, form, gap, spans, (), limits
        )

    def minute(self, at: float) -> float:
        return round((at - self.measured.begin) / 60, 2)

    def value(self, at: float, until: float, value: float) -> Value:
        return Value(self.minute(at), value, value, value, self.minute(until), f"{local(at, self.zone):%H:%M}")

    def values(self, figure: Figure) -> Iterator[Value]:
        """The points of a curve, each of ten minutes where it is measured all the time."""
        measure, length = MEASURES[figure.kind], POINT_SECONDS if figure.often else 0.0
        for point in figure.points:
            least, mean, most = (_rounded(measure, each) for each in (point.least, point.mean, point.most))
            yield self.value(point.at, point.at + length, mean)._replace(least=least, most=most)

    def unknown(self, gaps: Sequence[tuple[float, float]] = ()) -> Iterator[MarkedSpan]:
        """What was not measured, and what is still to come."""
        for begin, end in gaps:
            yield MarkedSpan(self.minute(begin), self.minute(end), "silent", "not measured")
        if self.measured.until < self.measured.end:
            yield MarkedSpan(self.minute(self.measured.until), self.minute(self.measured.end), "later", "to come")

    def spells(self, kinds: Sequence[Vital]) -> Iterator[MarkedSpan]:
        for spell in self.measured.spells:
            if spell.kind in kinds:
                begin, end = max(spell.begin, self.measured.begin), min(spell.end, self.measured.end)
                role = "urgent" if spell.level == Level.URGENT else "spell"
                yield MarkedSpan(self.minute(begin), self.minute(end), role)

    def _ticks(self) -> Iterator[Tick]:
        for hour in range(0, 25, _HOURS_APART):
            at = epoch(datetime.combine(self.measured.day, time()) + timedelta(hours=hour), self.zone)
            if self.measured.begin <= at <= self.measured.end:
                yield Tick(self.minute(at), f"{hour:02d}:00")


def _night_hours(begin: float, end: float, zone: tzinfo | None, minute: Callable[[float], float]) -> Iterator[Tick]:
    """Whole hours of the wall clock, looked for by quarters for zones that are off by some."""
    every = 2 if end - begin > 4 * 3600 else 1
    for number in range(ceil(begin / _QUARTER), int(end // _QUARTER) + 1):
        wall = datetime.fromtimestamp(number * _QUARTER, zone)
        if wall.minute == 0 and wall.hour % every == 0:
            yield Tick(minute(number * _QUARTER), f"{wall:%H:%M}")


# weeks and months


def course_chart(report: PeriodReport, courses: Sequence[VitalCourse]) -> Chart:
    """One kind, or both blood pressures, over the period, with what was usual before the last week."""
    kind = courses[0].kind
    asleep = kind is Vital.SLEEP_LIGHT
    measure = Measure("sleep", "hours", 1, 1 / 60) if asleep else MEASURES[kind]
    names = [name_of(each.kind, plain=True) for each in courses]
    by_day = report.length <= DAILY

    show = partial(_rounded, measure)
    return Chart(
        f"{' and '.join(dict.fromkeys(name_of(each.kind) for each in courses))} from {report.first} to {report.last}",
        measure.name,
        measure.unit,
        measure.decimals,
        0,
        report.length,
        tuple(calendar(report.first, report.last)),
        tuple(
            ChartSeries(name, tuple((_daily if by_day else _weekly)(each, report.first, show)))
            for name, each in zip(names, courses, strict=True)
        ),
        gap=1 if by_day else 7,
        usual=tuple(
            UsualBand(show(each.usual.median - each.usual.spread), show(each.usual.median + each.usual.spread))
            for each in courses
            if each.usual is not None
        ),
        limits=limits_of((rule for rule in report.rules if rule.kind is kind), measure) if len(courses) == 1 else (),
    )


def dose_chart(report: PeriodReport, sums: Sequence[DoseSum]) -> Chart:
    """The doses of each day or week: taken, left out, missed, from below."""
    taken = sum(each.counts.get("taken", 0) for each in sums)
    series = tuple(
        ChartSeries(
            name, tuple(_value(report.first, each.first, each.last, each.counts.get(state, 0)) for each in sums), role
        )
        for state, (name, role) in _STATES.items()
    )
    told = f"doses: {taken} of {sum(each.due for each in sums)} taken"
    ticks = tuple(calendar(report.first, report.last))
    return Chart(told, "doses", "", 0, 0, report.length, ticks, series, ChartForm.BARS)


def calendar(first: date, last: date) -> Iterator[Tick]:
    """Some dates of a period: the first of months, or days an even number apart."""
    length = (last - first).days + 1
    if length > DAILY:
        days = [day for day in (first + timedelta(days=number) for number in range(length)) if day.day == 1]
        for day in days[:: max(1, -(-len(days) // _MOST_TICKS))]:
            yield Tick((day - first).days, f"{day:%b}" if day.month > 1 else f"{day:%b %Y}")
        return
    for number in range(0, length, max(1, -(-length // _MOST_TICKS))):
        day = first + timedelta(days=number)
        yield Tick(number + 0.5, f"{day.day} {day:%b}")


def _daily(course: VitalCourse, first: date, show: Callable[[float], float]) -> Iterator[Value]:
    for day, value in sorted(course.days.items()):
        yield _value(first, day, day, show(value))


def _weekly(course: VitalCourse, first: date, show: Callable[[float], float]) -> Iterator[Value]:
    for week in course.weeks:
        if week.mean is not None and week.least is not None and week.most is not None:
            whole = _value(first, week.first, week.last, show(week.mean))
            yield whole._replace(least=show(week.least), most=show(week.most))


def _value(start: date, first: date, last: date, value: float) -> Value:
    name = f"{first.day} {first:%b}" if first == last else f"{first.day} {first:%b} to {last.day} {last:%b}"
    return Value((first - start).days, value, value, value, (last - start).days + 1, name)

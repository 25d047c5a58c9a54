"""The charts of weeks and months: a value a day, or of long times the mean of each week; doses by day or week."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta

from camphor.health.monitor.vitals import MEASURES, Kind, Measure
from camphor.health.report.charts import Band, Chart, ChartSeries, Form, Tick, Value, limits_of
from camphor.health.report.trends import Course, DoseSum, PeriodReport
from camphor.health.report.words import name_of

DAILY = 62
"""Up to so many days each day is a dot; beyond, each week is a point with its least and greatest day."""
_MOST_TICKS = 6
_STATES = {"taken": ("taken", "taken"), "skipped": ("left out", "other"), "missed": ("missed", "missed")}
"""What became of doses, from below: how it is named, and its role."""


def course_chart(report: PeriodReport, courses: Sequence[Course]) -> Chart:
    """One kind, or both blood pressures, over the period, with what was usual before the last week."""
    kind = courses[0].kind
    asleep = kind is Kind.SLEEP_LIGHT
    measure = Measure("sleep", "hours", 1, 1 / 60) if asleep else MEASURES[kind]
    names = [name_of(each.kind, plain=True) for each in courses]
    by_day = report.length <= DAILY

    def show(value: float) -> float:
        return round(measure.shown(value), measure.decimals + 1)

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
            Band(show(each.usual.median - each.usual.spread), show(each.usual.median + each.usual.spread))
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
    return Chart(told, "doses", "", 0, 0, report.length, ticks, series, Form.BARS)


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


def _daily(course: Course, first: date, show: Callable[[float], float]) -> Iterator[Value]:
    for day, value in sorted(course.days.items()):
        yield _value(first, day, day, show(value))


def _weekly(course: Course, first: date, show: Callable[[float], float]) -> Iterator[Value]:
    for week in course.weeks:
        if week.mean is not None and week.least is not None and week.most is not None:
            whole = _value(first, week.first, week.last, show(week.mean))
            yield whole._replace(least=show(week.least), most=show(week.most))


def _value(start: date, first: date, last: date, value: float) -> Value:
    name = f"{first.day} {first:%b}" if first == last else f"{first.day} {first:%b} to {last.day} {last:%b}"
    return Value((first - start).days, value, value, value, (last - start).days + 1, name)

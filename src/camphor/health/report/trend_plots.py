"""The plots of weeks and months: a value a day, or of long times the mean of each week; doses by day or week."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta

from camphor.health.monitor.vitals import MEASURES, Kind
from camphor.health.report.plots import HEIGHT, LEFT, RIGHT, WIDTH, Plot, Scale, Shape, axis, box, text
from camphor.health.report.trends import Course, DoseSum, PeriodReport
from camphor.health.report.words import name_of

DAILY = 62
"""Up to so many days each day is a dot; beyond, each week is a point with its least and greatest day."""
_MOST_LABELS = 6


def calendar(first: date, last: date) -> tuple[Scale, list[Shape]]:
    """The scale of the days, by their number, and some dates: the first of months, or days an even number apart."""
    scale = Scale(first.toordinal() - 0.5, last.toordinal() + 0.5, LEFT, WIDTH - RIGHT)
    length = (last - first).days + 1
    if length > DAILY:
        days = [day for day in (first + timedelta(days=number) for number in range(length)) if day.day == 1]
        days = days[:: max(1, -(-len(days) // _MOST_LABELS))]
        names = [f"{day:%b}" if day.month > 1 else f"{day:%b %Y}" for day in days]
    else:
        every = max(1, -(-length // _MOST_LABELS))
        days = [first + timedelta(days=number) for number in range(0, length, every)]
        names = [f"{day.day} {day:%b}" for day in days]
    shapes = []
    for day, name in zip(days, names, strict=True):
        place = min(max(scale(day.toordinal()), LEFT + 10), WIDTH - RIGHT - 12)
        shapes.append(text(place, HEIGHT - 5, name, "middle"))
    return scale, shapes


def course_plot(report: PeriodReport, courses: Sequence[Course]) -> Plot:
    """One kind, or both blood pressures, over the period; shaded: what was usual before the last week."""
    x, dates = calendar(report.first, report.last)
    measure = MEASURES[courses[0].kind]
    show = (lambda value: value / 60) if courses[0].kind is Kind.SLEEP_LIGHT else measure.shown
    values = [show(value) for each in courses for value in each.days.values()]
    for each in courses:
        if each.usual is not None:
            values += [show(each.usual.median + sign * each.usual.spread) for sign in (-1, 1)]
    low, high = min(values), max(values)
    room = max((high - low) * 0.1, 0.1)
    y, lines = axis(max(0.0, low - room), high + room)
    shapes: list[Shape] = []
    for each in courses:
        if each.usual is not None:
            upper, lower = (each.usual.median + sign * each.usual.spread for sign in (1, -1))
            shapes.append(box("usual", LEFT, y(show(upper)), WIDTH - RIGHT, y(show(lower))))
    shapes += [*lines, *dates]
    for each in courses:
        shapes += _daily(each, x, y, show) if report.length <= DAILY else _weekly(each, x, y, show)
    names = " and ".join(name_of(each.kind) for each in courses)
    return Plot(tuple(shapes), f"{names} from {report.first} to {report.last}")


def _daily(each: Course, x: Scale, y: Scale, show: Callable[[float], float]) -> Iterator[Shape]:
    places = [(day.toordinal(), show(value)) for day, value in sorted(each.days.items())]
    for part in _runs(places, 1):
        if len(part) > 1:
            yield Shape("line", "line", tuple((x(day), y(value)) for day, value in part))
    for day, value in places:
        yield Shape("dot", "dot", ((x(day), y(value)),))


def _weekly(each: Course, x: Scale, y: Scale, show: Callable[[float], float]) -> Iterator[Shape]:
    known = [
        ((week.first.toordinal() + week.last.toordinal()) / 2, week.least, week.mean, week.most)
        for week in each.weeks
        if week.mean is not None and week.least is not None and week.most is not None
    ]
    for run in _runs([(at, number) for number, (at, *_) in enumerate(known)], 7.5):
        part = [known[int(number)] for _, number in run]
        if len(part) == 1:
            yield Shape("dot", "dot", ((x(part[0][0]), y(show(part[0][2]))),))
            continue
        upper = [(x(at), y(show(most))) for at, _, _, most in part]
        lower = [(x(at), y(show(least))) for at, least, _, _ in part]
        yield Shape("area", "range", (*upper, *reversed(lower)))
        yield Shape("line", "line", tuple((x(at), y(show(mean))) for at, _, mean, _ in part))


def _runs(places: Sequence[tuple[float, float]], apart: float) -> Iterator[list[tuple[float, float]]]:
    """Places that are no further apart than that: a line is broken where days are missing."""
    part: list[tuple[float, float]] = []
    for place in places:
        if part and place[0] - part[-1][0] > apart:
            yield part
            part = []
        part.append(place)
    if part:
        yield part


def dose_plot(report: PeriodReport, sums: Sequence[DoseSum]) -> Plot:
    """The doses of each day or week: taken, left out, missed, from below."""
    x, dates = calendar(report.first, report.last)
    y, lines = axis(0, max((each.due for each in sums), default=0) or 1)
    shapes = [*lines, *dates]
    for each in sums:
        left, right = x(each.first.toordinal() - 0.5) + 0.8, x(each.last.toordinal() + 0.5) - 0.8
        below = 0
        for state, role in (("taken", "taken"), ("skipped", "other"), ("missed", "missed")):
            count = each.counts.get(state, 0)
            if count:
                shapes.append(box(role, left, y(below + count), right, y(below)))
            below += count
    taken = sum(each.counts.get("taken", 0) for each in sums)
    return Plot(tuple(shapes), f"doses: {taken} of {sum(each.due for each in sums)} taken")

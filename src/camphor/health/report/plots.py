"""The plots of the reports as shapes, which page and PDF draw each in its way.

A plot is a sheet of 420 by 150 units with y downwards. What was not measured is left out of a line and marked as such;
nothing is ever drawn as zero that was not measured as zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from math import ceil, floor, log10

from camphor.health.monitor.thresholds import Level
from camphor.health.monitor.vitals import MEASURES, Kind, epoch
from camphor.health.report.measured import POINT_SECONDS, Figure, Measured, Point, Stage
from camphor.health.report.words import PRESSURE, STAGES

WIDTH, HEIGHT = 420.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 38.0, 8.0, 8.0, 20.0
STRIP = 96.0
"""The height of the sleep's sheet."""
_MOST_TICKS = 4

XY = tuple[float, float]


@dataclass(frozen=True)
class Shape:
    """Something drawn: what ("line", "area", "box", "dot", "text"), in which role, where.

    Roles: grid, label, usual, range, line, dot, spell, urgent, limit, silent, later, bar, awake, rem, light, deep,
    taken, missed, other. A box has two corners, a dot one point, a text one point and an anchor (start, middle, end).
    """

    what: str
    role: str
    points: tuple[XY, ...]
    text: str = ""
    anchor: str = "start"


@dataclass(frozen=True)
class Plot:
    """A sheet with its shapes, back to front. told: what it shows, for who cannot see it."""

    shapes: tuple[Shape, ...]
    told: str
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True)
class Scale:
    """From values to places along an axis."""

    first: float
    last: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        span = (self.last - self.first) or 1.0
        return round(self.begin + (value - self.first) / span * (self.end - self.begin), 2)


def box(role: str, left: float, top: float, right: float, bottom: float) -> Shape:
    return Shape("box", role, ((left, top), (right, bottom)))


def text(x: float, y: float, words: str, anchor: str = "start", role: str = "label") -> Shape:
    return Shape("text", role, ((x, y),), words, anchor)


def steps_of(low: float, high: float, most: int = _MOST_TICKS) -> list[float]:
    """Round values between two that make at most so many steps."""
    raw = max((high - low) / most, 1e-9)
    power = 10.0 ** floor(log10(raw))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= raw * 0.999)
    return [round(number * step, 6) for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def axis(low: float, high: float, height: float = HEIGHT) -> tuple[Scale, list[Shape]]:
    """The scale of the values and its lines and labels."""
    scale = Scale(low, high, height - BOTTOM, TOP)
    shapes: list[Shape] = []
    for value in steps_of(low, high):
        y = scale(value)
        shapes.append(Shape("line", "grid", ((LEFT, y), (WIDTH - RIGHT, y))))
        shapes.append(text(LEFT - 5, y + 3.5, f"{value:,g}" if abs(value) < 10_000 else f"{value / 1000:g}k", "end"))
    return scale, shapes


# one day


def clock(
    begin: float, end: float, day: date, zone: tzinfo | None, every: int = 4, height: float = HEIGHT
) -> tuple[Scale, list[Shape]]:
    """The scale of a day and its hours; a day of 23 or 25 hours is as long as it was."""
    scale = Scale(begin, end, LEFT, WIDTH - RIGHT)
    shapes = []
    for hour in range(0, 25, every):
        wall = datetime.combine(day, time()) + timedelta(hours=hour)
        at = epoch(wall, zone)
        if begin <= at <= end:
            anchor = "start" if at == begin else "end" if at == end else "middle"
            shapes.append(text(scale(at), height - 5, f"{hour:02d}:00", anchor))
            shapes.append(Shape("line", "grid", ((scale(at), height - BOTTOM), (scale(at), height - BOTTOM + 4))))
    return scale, shapes


def curve(measured: Measured, kind: Kind, zone: tzinfo | None) -> Plot:
    """A kind over a day: range and mean of each ten minutes, or each reading; silences, and spells beyond a range."""
    figure = _in_unit(measured.figures[kind])
    x, hours = clock(measured.begin, measured.end, measured.day, zone)
    low, high = _bounds([figure])
    y, lines = axis(low, high)
    shapes = [*_unknown(measured, [figure], x), *lines, *hours, *_spells(measured, (kind,), x), *_limits(figure, y)]
    if figure.often:
        for part in _parts(figure.points):
            shapes += _band(part, x, y)
    else:
        shapes += [Shape("dot", "dot", ((x(each.at), y(each.mean)),)) for each in figure.points]
    measure, own = MEASURES[kind], measured.figures[kind]
    told = f"{measure.name} over the day, from {measure.told(own.least)} to {measure.told(own.most)}"
    return Plot(tuple(shapes), told)


def pressure(measured: Measured, zone: tzinfo | None) -> Plot:
    """Both blood pressures: a bar from the lower to the upper at each measurement."""
    figures = [measured.figures[kind] for kind in PRESSURE if kind in measured.figures]
    x, hours = clock(measured.begin, measured.end, measured.day, zone)
    y, lines = axis(*_bounds(figures))
    shapes = [*_unknown(measured, [], x), *lines, *hours, *_spells(measured, PRESSURE, x)]
    lower = {point.at: point.mean for figure in figures for point in figure.points if figure.kind is Kind.DIASTOLIC}
    for figure in figures:
        for point in figure.points:
            if figure.kind is Kind.SYSTOLIC and point.at in lower:
                place = x(point.at)
                shapes.append(box("range", place - 2, y(point.mean), place + 2, y(lower[point.at])))
            shapes.append(Shape("dot", "dot", ((x(point.at), y(point.mean)),)))
    return Plot(tuple(shapes), "blood pressure over the day: upper and lower value of each measurement")


def walked(measured: Measured, zone: tzinfo | None) -> Plot:
    """The steps of each hour."""
    x, hours = clock(measured.begin, measured.end, measured.day, zone)
    y, lines = axis(0, max((count for _, count in measured.steps), default=0) or 100)
    shapes = [*_unknown(measured, [], x), *lines, *hours]
    for at, count in measured.steps:
        # an hour of no steps has a line, an hour of which nothing is told has none
        shapes.append(box("bar", x(at) + 1.5, min(y(count), y(0) - 0.8), x(min(at + 3600, measured.end)) - 1.5, y(0)))
    return Plot(tuple(shapes), f"steps of each hour, {sum(count for _, count in measured.steps):,.0f} in all")


def slept(measured: Measured, zone: tzinfo | None) -> Plot:
    """The stages of the night."""
    night = measured.night
    begin, end = night[0].at, max(each.at + each.seconds for each in night)
    x = Scale(begin, end, 78, WIDTH - RIGHT)
    row = (STRIP - BOTTOM - TOP) / len(STAGES)
    shapes: list[Shape] = []
    for number, (kind, name) in enumerate(STAGES.items()):
        top = TOP + number * row
        shapes.append(text(72, top + row / 2 + 3.5, name, "end"))
        shapes.append(Shape("line", "grid", ((78, top + row), (WIDTH - RIGHT, top + row))))
        shapes += [_piece(each, kind, x, top, row) for each in night if each.kind is kind]
    shapes += list(_night_hours(begin, end, x, zone))
    return Plot(tuple(shapes), "stages of sleep over the night", height=STRIP)


def _piece(stage: Stage, kind: Kind, x: Scale, top: float, row: float) -> Shape:
    role = kind.value.removeprefix("sleep_")
    left, right = x(stage.at), x(stage.at + stage.seconds)
    return box(role, left, top + 2, max(right, left + 0.8), top + row - 1)


def _night_hours(begin: float, end: float, x: Scale, zone: tzinfo | None) -> Iterator[Shape]:
    every = 2 if end - begin > 4 * 3600 else 1
    # whole hours of the wall clock, by quarters for zones that are off by some
    at = ceil(begin / 900) * 900.0
    while at <= end:
        wall = datetime.fromtimestamp(at, zone)
        if wall.minute == 0 and wall.hour % every == 0:
            yield text(x(at), STRIP - 5, f"{wall:%H:%M}", "middle")
        at += 900


def _in_unit(figure: Figure) -> Figure:
    """The curve and the limits in the unit that the person uses, as the title names it."""
    shown = MEASURES[figure.kind].shown
    points = (Point(each.at, shown(each.least), shown(each.mean), shown(each.most)) for each in figure.points)
    limits = (replace(each, limit=shown(each.limit)) for each in figure.ranges)
    return replace(figure, points=tuple(points), ranges=tuple(limits))


def _bounds(figures: Sequence[Figure]) -> tuple[float, float]:
    """The values that are shown: all that was measured with some room, and what is usual."""
    values = [value for figure in figures for point in figure.points for value in (point.least, point.most)]
    low, high = min(values), max(values)
    room = max((high - low) * 0.08, 1.0 if MEASURES[figures[0].kind].decimals == 0 else 0.2)
    top = high + room
    if figures[0].kind is Kind.OXYGEN:
        top = min(top, 100.5)
    return max(0.0, low - room), top


def _parts(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Runs of points that follow each other without a silence."""
    part: list[Point] = []
    for point in points:
        if part and point.at - part[-1].at > 3 * POINT_SECONDS - 1:
            yield part
            part = []
        part.append(point)
    if part:
        yield part


def _band(part: Sequence[Point], x: Scale, y: Scale) -> Iterator[Shape]:
    middle = [x(each.at + POINT_SECONDS / 2) for each in part]
    upper = [(place, y(each.most)) for place, each in zip(middle, part, strict=True)]
    lower = [(place, y(each.least)) for place, each in zip(middle, part, strict=True)]
    if len(part) == 1:
        yield Shape("line", "line", ((middle[0], y(part[0].least)), (middle[0], y(part[0].most))))
        yield Shape("dot", "dot", ((middle[0], y(part[0].mean)),))
        return
    yield Shape("area", "range", (*upper, *reversed(lower)))
    yield Shape("line", "line", tuple((place, y(each.mean)) for place, each in zip(middle, part, strict=True)))


def _unknown(measured: Measured, figures: Sequence[Figure], x: Scale) -> Iterator[Shape]:
    """What was not measured, and what is still to come."""
    for figure in figures:
        for begin, end in figure.gaps:
            left, right = x(begin), x(end)
            yield box("silent", left, TOP, right, HEIGHT - BOTTOM)
            if right - left > 66:
                yield text((left + right) / 2, TOP + 11, "not measured", "middle")
    if measured.until < measured.end:
        left, right = x(measured.until), x(measured.end)
        yield box("later", left, TOP, right, HEIGHT - BOTTOM)
        if right - left > 50:
            yield text((left + right) / 2, TOP + 11, "to come", "middle")


def _spells(measured: Measured, kinds: Sequence[Kind], x: Scale) -> Iterator[Shape]:
    for spell in measured.spells:
        if spell.kind in kinds:
            role = "urgent" if spell.level == Level.URGENT else "spell"
            left = x(max(spell.begin, measured.begin))
            yield box(role, left, TOP, max(x(min(spell.end, measured.end)), left + 2), HEIGHT - BOTTOM)


def _limits(figure: Figure, y: Scale) -> Iterator[Shape]:
    """The ranges' limits that lie on the sheet."""
    for limit in sorted({each.limit for each in figure.ranges}):
        if y.first < limit < y.last:
            yield Shape("line", "limit", ((LEFT, y(limit)), (WIDTH - RIGHT, y(limit))))

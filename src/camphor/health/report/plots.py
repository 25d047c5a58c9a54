"""The charts of the reports on paper, as shapes: the page to keep and the PDF draw them each in its way.

A plot is a sheet of 420 by 150 units with y downwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from camphor.health.report.charts import Chart, ChartForm, MarkedSpan, Tick, Value

WIDTH, HEIGHT = 420.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 38.0, 8.0, 8.0, 20.0
STRIP, NAMES = 96.0, 78.0
"""The height of a sheet of rows, and the room for their names."""
_MOST_TICKS = 4
_APART = 5.0
"""Values so far from each other have a dot each."""
_LETTER = 5.4
"""The width of a letter of a label, about."""

XY = tuple[float, float]


@dataclass(frozen=True)
class DrawnShape:
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
class PlotSheet:
    """A sheet with its shapes, back to front. told: what it shows, for who cannot see it."""

    shapes: tuple[DrawnShape, ...]
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


def box(role: str, left: float, top: float, right: float, bottom: float) -> DrawnShape:
    return DrawnShape("box", role, ((left, top), (right, bottom)))


def text(x: float, y: float, words: str, anchor: str = "start", role: str = "label") -> DrawnShape:
    return DrawnShape("text", role, ((x, y),), words, anchor)


def plot(chart: Chart) -> PlotSheet:
    """A chart as a sheet."""
    if chart.form is ChartForm.ROWS:
        return _rows(chart)
    x = Scale(chart.first, chart.last, LEFT, WIDTH - RIGHT)
    y = Scale(*bounds(chart), HEIGHT - BOTTOM, TOP)
    draw = {ChartForm.LINES: _lines, ChartForm.PAIRS: _pairs, ChartForm.BARS: _bars}[chart.form]
    shapes = (
        *(shape for each in chart.spans for shape in _span(each, x)),
        *(box("usual", LEFT, y(each.most), WIDTH - RIGHT, y(each.least)) for each in chart.usual),
        *_grid(y, chart.decimals),
        *_ticks(chart.ticks, x, HEIGHT),
        *_limits(chart, y),
        *draw(chart, x, y),
    )
    return PlotSheet(shapes, chart.told)


def steps_of(low: float, high: float, decimals: int = 9, most: int = _MOST_TICKS) -> list[float]:
    """Round values between two that make at most so many steps."""
    raw = max((high - low) / most, 10.0**-decimals)
    power = 10.0 ** floor(log10(raw) + 1e-9)
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= raw * 0.999)
    return [round(number * step, 6) for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def bounds(chart: Chart) -> tuple[float, float]:
    """The values that are shown: all that was measured, and what is usual, with some room."""
    values = [value for series in chart.series for each in series.values for value in (each.least, each.most)]
    if chart.form is ChartForm.BARS:
        columns = zip(*(series.values for series in chart.series), strict=True)
        tops = (sum(each.value for each in column) for column in columns)
        return 0.0, max(tops, default=0.0) or 1.0
    values += [value for each in chart.usual for value in each]
    low, high = min(values), max(values)
    room = max((high - low) * 0.08, 0.5 * 10.0**-chart.decimals)
    top = min(high + room, max(high, 100.5)) if chart.unit == "%" else high + room
    return max(0.0, low - room), top


def _grid(y: Scale, decimals: int) -> Iterator[DrawnShape]:
    for value in steps_of(y.first, y.last, decimals):
        place = y(value)
        yield DrawnShape("line", "grid", ((LEFT, place), (WIDTH - RIGHT, place)))
        yield text(LEFT - 5, place + 3.5, f"{value:,g}" if abs(value) < 10_000 else f"{value / 1000:g}k", "end")


def _ticks(ticks: Sequence[Tick], x: Scale, height: float) -> Iterator[DrawnShape]:
    for tick in ticks:
        place, half = x(tick.at), len(tick.name) * _LETTER / 2
        yield text(min(max(place, x.begin + half), x.end - half), height - 5, tick.name, "middle")
        yield DrawnShape("line", "grid", ((place, height - BOTTOM), (place, height - BOTTOM + 4)))


def _span(span: MarkedSpan, x: Scale) -> Iterator[DrawnShape]:
    left = x(span.at)
    right = max(x(span.until), left + 2)
    yield box(span.role, left, TOP, right, HEIGHT - BOTTOM)
    if span.name and right - left > len(span.name) * _LETTER:
        yield text((left + right) / 2, TOP + 11, span.name, "middle")


def _limits(chart: Chart, y: Scale) -> Iterator[DrawnShape]:
    """The limits that lie on the sheet."""
    for limit in sorted({each.value for each in chart.limits}):
        if y.first < limit < y.last:
            yield DrawnShape("line", "limit", ((LEFT, y(limit)), (WIDTH - RIGHT, y(limit))))


def _lines(chart: Chart, x: Scale, y: Scale) -> Iterator[DrawnShape]:
    for series in chart.series:
        for run in _runs(series.values, chart.gap):
            yield from _run(run, x, y)
            if _middle(run[-1], x) - _middle(run[0], x) >= (len(run) - 1) * _APART:
                yield from _dots(run, x, y)


def _run(run: Sequence[Value], x: Scale, y: Scale) -> Iterator[DrawnShape]:
    """Values without a silence between them: their range and their line."""
    upper = tuple((_middle(each, x), y(each.most)) for each in run)
    lower = tuple((_middle(each, x), y(each.least)) for each in run)
    if len(run) > 1:
        if upper != lower:
            yield DrawnShape("area", "range", (*upper, *reversed(lower)))
        yield DrawnShape("line", "line", tuple((_middle(each, x), y(each.value)) for each in run))
    elif upper != lower:
        yield DrawnShape("line", "line", lower + upper)


def _pairs(chart: Chart, x: Scale, y: Scale) -> Iterator[DrawnShape]:
    lower = {each.at: each.value for each in chart.series[-1].values}
    for each in chart.series[0].values if len(chart.series) > 1 else ():
        if each.at in lower:
            place = x(each.at)
            yield box("range", place - 2, y(each.value), place + 2, y(lower[each.at]))
    for series in chart.series:
        yield from _dots(series.values, x, y)


def _dots(values: Sequence[Value], x: Scale, y: Scale) -> Iterator[DrawnShape]:
    for each in values:
        yield DrawnShape("dot", "dot", ((_middle(each, x), y(each.value)),))


def _bars(chart: Chart, x: Scale, y: Scale) -> Iterator[DrawnShape]:
    for columns in zip(*(series.values for series in chart.series), strict=True):
        below = 0.0
        for series, each in zip(chart.series, columns, strict=True):
            # an hour of no steps has a line, an hour of which nothing is told has none
            if each.value or len(columns) == 1:
                top, left, right = below + each.value, x(each.at) + 1, x(each.until) - 1
                yield box(
                    "bar" if series.role == "main" else series.role, left, min(y(top), y(below) - 0.8), right, y(below)
                )
                below = top


def _rows(chart: Chart) -> PlotSheet:
    """Each series as a row of pieces of time, with its name before it."""
    x = Scale(chart.first, chart.last, NAMES, WIDTH - RIGHT)
    row = (STRIP - BOTTOM - TOP) / len(chart.series)
    shapes: list[DrawnShape] = []
    for number, series in enumerate(chart.series):
        top = TOP + number * row
        shapes.append(text(NAMES - 6, top + row / 2 + 3.5, series.name, "end"))
        shapes.append(DrawnShape("line", "grid", ((NAMES, top + row), (WIDTH - RIGHT, top + row))))
        for each in series.values:
            left = x(each.at)
            shapes.append(box(series.role, left, top + 2, max(x(each.until), left + 0.8), top + row - 1))
    shapes += _ticks(chart.ticks, x, STRIP)
    return PlotSheet(tuple(shapes), chart.told, height=STRIP)


def _middle(value: Value, x: Scale) -> float:
    return x((value.at + value.until) / 2)


def _runs(values: Sequence[Value], gap: float) -> Iterator[list[Value]]:
    """Values that are no further apart than that: a line is broken where some are missing."""
    run: list[Value] = []
    for value in values:
        if run and value.at - run[-1].at > gap:
            yield run
            run = []
        run.append(value)
    if run:
        yield run

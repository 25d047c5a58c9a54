"""What a report shows and in which order: blocks of sentences, plots and tables, which page and PDF lay out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from camphor.health.monitor.thresholds import UNKNOWN_AGE
from camphor.health.monitor.vitals import MEASURES, SIMULATED, Vital
from camphor.health.report import charts, words
from camphor.health.report.charts import Chart
from camphor.health.report.day import DayReport
from camphor.health.report.words import ReportLine, Tile


class Illustrated(NamedTuple):
    """What a chart is about and whether readings of it were made up, what is written beside it, and the chart."""

    name: str
    simulated: bool
    captions: tuple[str, ...]
    chart: Chart | None

    @property
    def title(self) -> str:
        return words.marked(self.name, self.simulated)


@dataclass(frozen=True)
class ReportBlock:
    """A part of a report. head: of the rows; folded: of use to few, so shown last or on demand."""

    title: str
    lines: tuple[ReportLine, ...] = ()
    plots: tuple[Illustrated, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    folded: bool = False

    @property
    def empty(self) -> bool:
        return not (self.lines or self.plots or self.rows)


@dataclass(frozen=True)
class ReportContent:
    """A whole report."""

    owner: str
    title: str
    subtitle: str
    tiles: tuple[Tile, ...]
    blocks: tuple[ReportBlock, ...]
    note: str


def content(report: DayReport) -> ReportContent:
    """The report of a day."""
    nothing = [ReportBlock("Nothing to tell", (ReportLine(words.NOTHING),)), _visits(report)]
    blocks = nothing if report.empty else list(_blocks(report))
    tiles = [] if report.empty else words.tiles(report)
    shown = tuple(each for each in blocks if not each.empty)
    title = words.marked(words.long_day(report.day), report.measured.simulated)
    return ReportContent(report.owner, title, words.until(report), tuple(tiles), shown, words.NOTE)


def _blocks(report: DayReport) -> Iterator[ReportBlock]:
    measured = report.measured
    yield ReportBlock("Emergency", tuple(ReportLine(each, "fault") for each in words.emergency_lines(report)))
    yield ReportBlock("Beyond a range", tuple(words.beyond(report)))
    vitals = tuple(_vitals(report))
    key = (ReportLine(words.KEY, "quiet"),) if vitals else ()
    if measured.simulated and (vitals or report.alarms):
        key = (ReportLine(SIMULATED, "warn"), *key)
    if vitals and not report.age_known:
        key = (ReportLine(UNKNOWN_AGE), *key)
    yield ReportBlock("Vitals", (*map(ReportLine, words.absent(measured)), *key), vitals)
    yield ReportBlock(
        "Changes over days", tuple(ReportLine(each.says, source=each.source) for each in measured.changes)
    )
    yield ReportBlock(
        "Medicines",
        tuple(map(ReportLine, words.medicine_lines(report))),
        head=("at", "what", "what became of it"),
        rows=tuple(words.dose_row(each) for each in report.doses),
    )
    yield _visits(report)
    yield ReportBlock("Complaints", tuple(map(ReportLine, report.complaints)))
    yield ReportBlock("Conversations", tuple(ReportLine(words.session_line(each)) for each in report.sessions))
    yield ReportBlock("The watch", tuple(map(ReportLine, measured.watch)))
    head = ("vital sign", "looked for", "source")
    yield ReportBlock("Ranges that were looked for", head=head, rows=tuple(words.ranges(report)), folded=True)


def _visits(report: DayReport) -> ReportBlock:
    every = (*report.visits, *report.coming)
    return ReportBlock("Appointments", tuple(ReportLine(words.visit_line(each, report.day)) for each in every))


def _vitals(report: DayReport) -> Iterator[Illustrated]:
    measured, zone, made_up = report.measured, report.zone, set(report.measured.simulated)
    for kind, figure in measured.figures.items():
        if not figure.points:
            continue
        if kind in words.PRESSURE:
            if kind is Vital.SYSTOLIC or Vital.SYSTOLIC not in measured.figures:
                simulated, told = bool(made_up & set(words.PRESSURE)), tuple(words.pressure_captions(report))
                yield Illustrated("Blood pressure, mmHg", simulated, told, charts.pressure(measured, zone))
        else:
            name = f"{MEASURES[kind].name.capitalize()}, {MEASURES[kind].unit}"
            told = tuple(words.captions(report, kind))
            yield Illustrated(name, kind in made_up, told, charts.curve(measured, kind, zone))
    if measured.night:
        simulated = any(each.kind in made_up for each in measured.night)
        yield Illustrated("Sleep", simulated, tuple(words.night_lines(report)), charts.slept(measured, zone))
    if words.movement_lines(report):
        simulated, told = bool(made_up & {Vital.STEPS, Vital.EXERCISE}), tuple(words.movement_lines(report))
        yield Illustrated("Movement", simulated, told, charts.walked(measured, zone) if measured.steps else None)

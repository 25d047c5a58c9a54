"""The words of weeks and months, and the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from camphor.health.monitor.baseline import NIGHTLY
from camphor.health.monitor.thresholds import UNKNOWN_AGE, Level
from camphor.health.monitor.vitals import MEASURES, SIMULATED, Vital
from camphor.health.report import charts
from camphor.health.report.content import Illustrated, ReportBlock, ReportContent
from camphor.health.report.trends import LOOKED_THROUGH, Average, PeriodReport, VitalCourse
from camphor.health.report.words import (
    NOTE,
    PRESSURE,
    TONES,
    ReportLine,
    Tile,
    alarm_line,
    hours,
    marked,
    moment,
    name_of,
    spell_text,
    visit_line,
)

NOTHING = "Nothing is known of this time: nothing was measured and nothing was noted."
KEY = (
    "Each dot is a day, or of long times each point a week and its shade the least and greatest day; the wide band is "
    "usual for you: the median of the four weeks before the last seven days, give or take one day's usual spread. "
    "Dashed lines are limits of the ranges that single readings are held against. A line is broken where nothing was "
    "measured."
)
_MOST_LISTED = 20
_MOST_COLUMNS = 12


def trend_content(report: PeriodReport) -> ReportContent:
    """The report of some weeks or months."""
    blocks = [ReportBlock("Nothing to tell", (ReportLine(NOTHING),))] if report.empty else [*_blocks(report)]
    made_up = report.simulated
    return ReportContent(
        report.owner,
        marked(f"{_day(report.first, report.first.year != report.last.year)} to {_day(report.last, True)}", made_up),
        f"Health report of {report.length} days, made {moment(report.made)}",
        () if report.empty else tuple(tiles(report)),
        tuple(each for each in blocks if not each.empty),
        NOTE,
    )


def trend_text(report: PeriodReport) -> str:
    """The report as plain text, for a terminal."""
    whole = trend_content(report)
    lines = [", ".join(filter(None, (whole.owner, whole.title))), whole.subtitle, ""]
    if report.simulated:
        lines[-1:] = [SIMULATED, ""]
    lines += [f"{tile.name}: {tile.text}" for tile in whole.tiles]
    for block in whole.blocks:
        lines += ["", block.title]
        lines += [f"- {each.text}{f' ({each.source})' if each.source else ''}" for each in block.lines
                  if each.tone != "quiet"]  # fmt: skip
        lines += [f"- {each.title}: {'. '.join(each.captions)}" for each in block.plots]
        lines += [f"- {row[0]}: {_row(block.head, row)}" for row in block.rows]
    return "\n".join([*lines, "", whole.note])


def _row(head: Sequence[str], row: Sequence[str]) -> str:
    return "; ".join(f"{name} {cell}" for name, cell in zip(head[1:], row[1:], strict=True))


def _day(day: date, year: bool = False) -> str:
    return f"{day.day} {day:%B %Y}" if year else f"{day.day} {day:%B}"


def tiles(report: PeriodReport) -> Iterator[Tile]:
    """The period at a glance."""
    off = [each for each in report.courses if each.off is not None]
    measured = max((len(each.days) for each in report.courses), default=0)
    yield Tile("Days with vitals", f"{measured} of {report.length}")
    if report.courses:
        names = ", ".join(name_of(each.kind) for each in off)
        yield Tile("Other than usual, last 7 days", names or "nothing", "warn" if off else "good")
    worst = max((alarm.level for alarm in report.alarms), default=None)
    count = len(report.alarms)
    yield Tile("Soft SOS", str(count) if count else "none", TONES[worst] if worst else "plain")
    due = sum(each.due for each in report.doses)
    if due:
        taken = sum(each.counts.get("taken", 0) for each in report.doses)
        yield Tile("Doses taken", f"{taken} of {due} ({100 * taken / due:.0f}%)")


def _blocks(report: PeriodReport) -> Iterator[ReportBlock]:
    yield ReportBlock("Changes", tuple(ReportLine(each.says, source=each.source) for each in report.changes))
    yield ReportBlock("Beyond a range", tuple(_beyond(report)))
    shown = tuple(_plots(report))
    unknown = () if report.age_known else (ReportLine(UNKNOWN_AGE),)
    key = (*unknown, ReportLine(KEY, "quiet")) if shown else (ReportLine("No vitals were measured."),)
    yield ReportBlock("Vitals", key, shown)
    if any(each.due for each in report.doses):
        told = tuple(_dose_captions(report))
        chart = charts.dose_chart(report, report.doses)
        yield ReportBlock("Medicines", plots=(Illustrated("Doses", report.doses_simulated, told, chart),))
    columns = report.columns[-_MOST_COLUMNS:]
    by_week = report.length <= 70
    head = ("average a day", *(_column(first, by_week) for first, _ in columns))
    rows = tuple(_table(report, len(columns)))
    yield ReportBlock(f"By {'week, from each Monday' if by_week else 'month'}", head=head, rows=rows)
    complaints = report.complaints[-_MOST_LISTED:]
    yield ReportBlock("Complaints", tuple(ReportLine(f"{_day(day, True)}: {words}") for day, words in complaints))
    visits = report.visits[-_MOST_LISTED:]
    yield ReportBlock("Appointments", tuple(ReportLine(visit_line(each)) for each in visits))


def _beyond(report: PeriodReport) -> Iterator[ReportLine]:
    if report.spells is not None:
        for day, spell in report.spells[-_MOST_LISTED:]:
            at = f"{_day(day)}, {report.wall(spell.begin):%H:%M}"
            yield ReportLine(f"{at}: {spell_text(spell)}", TONES[Level(spell.level)], spell.source)
        if len(report.spells) > _MOST_LISTED:
            yield ReportLine(f"and {len(report.spells) - _MOST_LISTED} earlier ones")
        return
    for alarm in report.alarms[-_MOST_LISTED:]:
        yield alarm_line(alarm, f"{moment(report.wall(alarm.raised))}: ")
    if len(report.alarms) > _MOST_LISTED:
        yield ReportLine(f"and {len(report.alarms) - _MOST_LISTED} earlier ones")
    if not report.alarms:
        yield ReportLine("No soft SOS was raised.")
    yield ReportLine(f"Of more than {LOOKED_THROUGH} days only what was told as a soft SOS is listed.", "quiet")


# vitals


def _plots(report: PeriodReport) -> Iterator[Illustrated]:
    by_kind = {each.kind: each for each in report.courses}
    for each in report.courses:
        if each.kind in PRESSURE:
            both = [by_kind[kind] for kind in PRESSURE if kind in by_kind]
            if each is both[0]:
                lines = [line for one in both for line in sentences(one, report.length, named=len(both) > 1)]
                simulated = not set(PRESSURE).isdisjoint(report.simulated)
                chart = charts.course_chart(report, both)
                yield Illustrated("Blood pressure, mmHg", simulated, tuple(lines), chart)
        else:
            chart = charts.course_chart(report, [each])
            unit = f", {chart.unit}" if chart.unit else ""
            name = f"{name_of(each.kind)}{' at night' if each.kind in NIGHTLY else ''}{unit}"
            told = tuple(sentences(each, report.length))
            yield Illustrated(name[:1].upper() + name[1:], each.kind in report.simulated, told, chart)


def sentences(each: VitalCourse, length: int, named: bool = False) -> Iterator[str]:
    """The last week against what is usual, in plain words, and how many days were measured."""
    name = f"{MEASURES[each.kind].name.capitalize()}: " if named else ""
    if each.week.mean is None:
        yield f"{name}not measured in the last 7 days"
    else:
        told = f"{name}{value(each.kind, each.week.mean)} on average over the last 7 days"
        if each.usual is None:
            yield f"{told}; what is usual for you is not known yet"
        else:
            about = f"{value(each.kind, each.usual.median)}, give or take {value(each.kind, each.usual.spread, 1)}"
            yield f"{told}; {_against(each)} {about}"
    if len(each.days) < length:
        yield f"{name}measured on {len(each.days)} of {length} days"


def _against(each: VitalCourse) -> str:
    if each.off is None:
        return "your usual is"
    return f"{value(each.kind, abs(each.off), 1)} {'above' if each.off > 0 else 'below'} your usual"


def value(kind: Vital, amount: float, more: int = 0) -> str:
    """A value of a day as a person reads it."""
    if kind is Vital.SLEEP_LIGHT:
        return hours(amount)
    measure = MEASURES[kind]
    # what has a further decimal is a distance from the usual
    return measure.told(amount, more if amount < 100 else 0, difference=more > 0)


# medicines and the table


def _dose_captions(report: PeriodReport) -> Iterator[str]:
    sums = {state: sum(each.counts.get(state, 0) for each in report.doses) for state in ("taken", "skipped", "missed")}
    yield f"{sums['taken']} taken, {sums['skipped']} left out, {sums['missed']} missed"
    yield "Each bar is a day" if report.length <= LOOKED_THROUGH else "Each bar is a week"


def _column(first: date, by_week: bool) -> str:
    return f"{first.day} {first:%b}" if by_week else f"{first:%b %y}"


def _table(report: PeriodReport, count: int) -> Iterator[tuple[str, ...]]:
    for each in report.courses:
        spans = each.weeks if report.length <= 70 else each.months
        yield name_of(each.kind, plain=True), *(_cell(each.kind, one) for one in spans[-count:])
    if any(each.due for each in report.doses_by_column):
        cells = (f"{each.counts.get('taken', 0)} of {each.due}" if each.due else "–" for each in
                 report.doses_by_column[-count:])  # fmt: skip
        yield "doses taken", *cells


def _cell(kind: Vital, one: Average) -> str:
    if one.mean is None:
        return "–"
    told = f"{one.mean / 60:.1f} h" if kind is Vital.SLEEP_LIGHT else MEASURES[kind].number(one.mean)
    few = one.days < ((one.last - one.first).days + 1) / 2
    return f"{told} ({one.days} d)" if few else told

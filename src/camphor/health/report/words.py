"""The words of the reports, shared by page, PDF and terminal: what was measured, never what it means."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from camphor.health.monitor.alarms import NO_DIAGNOSIS, Alarm, minutes
from camphor.health.monitor.baseline import NIGHTLY
from camphor.health.monitor.thresholds import UNKNOWN_AGE, Level
from camphor.health.monitor.vitals import ASLEEP, MEASURES, SIMULATED, Vital
from camphor.health.report.day import AHEAD, DayReport, DoseLine, TalkSession, Visit
from camphor.health.report.measured import Figure, MeasuredDay, Range, Spell

NOTE = f"{NO_DIAGNOSIS} It tells what was measured and noted on this phone, and which ranges were looked for."
NOTHING = "Nothing is known of this day: nothing was measured and nothing was noted."
KEY = (
    "Each line is the mean of ten minutes and its shade their lowest and highest minute; dashed lines are limits of "
    "the ranges below, coloured stretches are beyond them, grey ones were not measured or are to come."
)
PRESSURE = (Vital.SYSTOLIC, Vital.DIASTOLIC)
STAGES = {
    Vital.SLEEP_AWAKE: "awake",
    Vital.SLEEP_REM: "dream sleep",
    Vital.SLEEP_LIGHT: "light sleep",
    Vital.SLEEP_DEEP: "deep sleep",
}
TONES = {Level.NOTICE: "plain", Level.WARNING: "warn", Level.URGENT: "fault"}


@dataclass(frozen=True)
class Tile:
    """What is told first: a name, a short text, and a tone: good, plain, warn or fault."""

    name: str
    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class ReportLine:
    """A sentence with its tone (as a tile, or quiet) and, quieter, where it comes from."""

    text: str
    tone: str = "plain"
    source: str = ""


def whole_text(text: str) -> str:
    """The text with a question mark for each half of a character, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def marked(title: str, made_up: Collection[Vital] | bool) -> str:
    """A title that says whether what it is about was made up."""
    return f"{title} (simulated)" if made_up else title


def long_day(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def until(report: DayReport) -> str:
    """What it is, and up to when the day was looked at."""
    if report.until is None:
        return f"Daily health report of the whole day, made {moment(report.made)}"
    return f"Daily health report as of {report.until:%H:%M}: the day is not over yet"


def moment(at: datetime) -> str:
    return f"{at.day} {at:%B %Y, %H:%M}"


# what is told first


def tiles(report: DayReport) -> list[Tile]:
    """The day at a glance."""
    first = [*_emergency(report), _abnormal(report), _medicines(report)]
    return [*first, *_slept(report), *_walked(report), *_next(report)]


def _emergency(report: DayReport) -> Iterator[Tile]:
    if report.emergencies:
        yield Tile("Emergency", f"SOS begun at {report.emergencies[0].started[11:16]}", "fault")


def _abnormal(report: DayReport) -> Tile:
    worst = max((spell.level for spell in report.measured.spells), default=0)
    worst = max([worst, *(int(alarm.level) for alarm in report.alarms)])
    count = len(beyond(report))
    if worst:
        text = f"{count} time{'s' if count > 1 else ''} beyond a range"
        return Tile("Vitals", text, TONES[Level(worst)])
    if report.measured.figures:
        return Tile("Vitals", "nothing beyond the ranges", "good")
    return Tile("Vitals", "not measured")


def _medicines(report: DayReport) -> Tile:
    counts = report.counts()
    due = sum(counts.values())
    if not due:
        return Tile("Medicines", "no dose was due" if report.medicines else "none are planned")
    text = f"{counts.get('taken', 0)} of {due} dose{'s' if due > 1 else ''} taken"
    rest = [f"{count} {state}" for state, count in counts.items() if state != "taken"]
    tone = "warn" if counts.get("missed") else "good" if counts.get("taken") == due else "plain"
    return Tile("Medicines", ", ".join([text, *rest]), tone)


def _slept(report: DayReport) -> Iterator[Tile]:
    asleep = report.measured.asleep
    if asleep is not None:
        yield Tile("Sleep", hours(asleep))


def _walked(report: DayReport) -> Iterator[Tile]:
    steps = report.measured.figures.get(Vital.STEPS)
    if steps is not None:
        yield Tile("Steps", f"{steps.value:,.0f}")


def _next(report: DayReport) -> Iterator[Tile]:
    if report.visits:
        first = report.visits[0]
        yield Tile("Appointments", f"{first.begin:%H:%M} {first.name or first.specialization}")
    elif report.coming:
        first = report.coming[0]
        yield Tile("Next appointment", f"{_short(first.begin)} {first.name or first.specialization}")
    elif report.clinic:
        yield Tile("Appointments", f"none in the next {AHEAD.days} days")


def _short(moment: datetime) -> str:
    return f"{moment:%a} {moment.day} {moment:%b}, {moment:%H:%M}"


# vitals


def beyond(report: DayReport) -> list[ReportLine]:
    """What was beyond its range, in the order of time, and when the person was told of it."""
    told: set[int] = set()
    found = []
    for spell in report.measured.spells:
        alarm = next((each for each in report.alarms if _same(each, spell)), None)
        if alarm is not None:
            told.add(id(alarm))
        text = f"{report.wall(spell.begin):%H:%M}  {spell_text(spell)}"
        found.append((spell.begin, ReportLine(text + _told(report, alarm), TONES[Level(spell.level)], spell.source)))
    for alarm in report.alarms:
        if id(alarm) not in told:
            begin = min((sign.begin for sign in alarm.signs), default=alarm.raised)
            found.append((begin, alarm_line(alarm, f"{report.wall(begin):%H:%M}  ", _told(report, alarm))))
    return [line for _, line in sorted(found, key=lambda each: each[0])]


def alarm_line(alarm: Alarm, before: str, after: str = "") -> ReportLine:
    """The signs of an alarm in a sentence, between these words."""
    signs = "; ".join(
        f"{sign.says}: {MEASURES[Vital(sign.kind)].told(sign.typical)} for {minutes(sign.end - sign.begin)}"
        for sign in alarm.signs
    )
    sources = "; ".join(dict.fromkeys(sign.source for sign in alarm.signs))
    return ReportLine(f"{before}{signs}{after}", TONES[alarm.level], sources)


def _same(alarm: Alarm, spell: Spell) -> bool:
    signs = (sign for sign in alarm.signs if sign.kind == spell.kind)
    return any(sign.begin <= spell.end and spell.begin <= sign.end for sign in signs)


def _told(report: DayReport, alarm: Alarm | None) -> str:
    if alarm is None:
        return ""
    return f"; you were told at {report.wall(alarm.told):%H:%M}" if alarm.told is not None else "; held back, not told"


def spell_text(spell: Spell) -> str:
    """A stretch of abnormal values in a sentence."""
    measure = MEASURES[spell.kind]
    far = "at most" if spell.above else "at least"
    if spell.again:
        return f"{spell.says}: {measure.told(spell.typical)}, measured once"
    text = f"{spell.says}: {measure.told(spell.typical)} for {minutes(spell.end - spell.begin)}"
    if measure.told(spell.worst) != measure.told(spell.typical):
        text += f", {far} {measure.told(spell.worst)}"
    return text + (", if the watch is right" if spell.doubtful else "")


def captions(report: DayReport, kind: Vital) -> list[str]:
    """What is written beside the curve of a kind."""
    figure = report.measured.figures[kind]
    measure = MEASURES[kind]
    low, high = report.wall(figure.least_at), report.wall(figure.most_at)
    told = f"{_number(figure.least, kind)} ({low:%H:%M}) to {_number(figure.most, kind)} ({high:%H:%M})"
    mean = f"{measure.told(figure.value)} on average"
    if figure.minutes == 1:
        return [f"{measure.told(figure.value)} at {low:%H:%M}, measured once", *_usual(figure)]
    return [f"{mean}; {told}", *_usual(figure), *silences(report, figure)]


def pressure_captions(report: DayReport) -> list[str]:
    """Both blood pressures in the form that doctors write them."""
    upper, lower = (report.measured.figures.get(kind) for kind in PRESSURE)
    if upper is None or lower is None:
        return captions(report, Vital.SYSTOLIC if upper is not None else Vital.DIASTOLIC)
    times = f"measured {upper.minutes} time{'s' if upper.minutes > 1 else ''}"
    lines = [f"{upper.value:.0f}/{lower.value:.0f} mmHg on average, {times}"]
    if upper.minutes > 1:
        lines[0] += f"; upper {upper.least:.0f} to {upper.most:.0f}, lower {lower.least:.0f} to {lower.most:.0f}"
    if upper.usual is not None and lower.usual is not None:
        lines.append(f"Usual for you: {upper.usual:.0f}/{lower.usual:.0f}")
    return lines


def _usual(figure: Figure) -> Iterator[str]:
    if figure.usual is None or figure.spread is None:
        return
    measure, kind = MEASURES[figure.kind], figure.kind
    about = f"{measure.told(figure.usual)}, give or take {_number(figure.spread, kind, 1)}"
    if kind in NIGHTLY:
        night = "not known" if figure.own is None else measure.told(figure.own)
        yield f"At night at rest: {night}; usual for you: {about}"
    else:
        yield f"Usual for you: {about}"


def _number(value: float, kind: Vital, more: int = 0) -> str:
    return MEASURES[kind].number(value, more, difference=more > 0)


def silences(report: DayReport, figure: Figure) -> list[str]:
    """When a kind that is measured all the time was not measured."""
    if not figure.gaps:
        return []
    spans = [f"{report.wall(begin):%H:%M} to {_end(report, end)}" for begin, end in figure.gaps]
    more = f" and {len(spans) - 4} times more" if len(spans) > 4 else ""
    return [f"Not measured from {', '.join(spans[:4])}{more}"]


def _end(report: DayReport, at: float) -> str:
    return "midnight" if at >= report.measured.end else f"{report.wall(at):%H:%M}"


def absent(measured: MeasuredDay) -> list[str]:
    """What was measured in the weeks before and not on the day."""
    if not measured.figures and not measured.night:
        return ["No vitals were measured."]
    names = list(dict.fromkeys(name_of(kind) for kind in measured.absent))
    return [f"Not measured on this day: {', '.join(names)}."] if names else []


def name_of(kind: Vital, plain: bool = False) -> str:
    """A kind as a sentence names it; plain: each of the blood pressures by itself."""
    names = {Vital.SLEEP_LIGHT: "sleep"}
    if not plain:
        names |= dict.fromkeys(PRESSURE, "blood pressure")
    return names.get(kind, MEASURES[kind].name)


def ranges(report: DayReport) -> list[tuple[str, str, str]]:
    """The ranges that were looked for: name, range, source."""
    found = []
    for kind, figure in report.measured.figures.items():
        for each in figure.ranges:
            found.append((MEASURES[kind].name, _range(kind, each), each.source))
    return found


def _range(kind: Vital, each: Range) -> str:
    measure = MEASURES[kind]
    told = f"{each.limit:g}" if measure.scale == 1 else measure.number(each.limit)
    limit = f"{told}{'' if measure.unit == '%' else ' '}{measure.unit}"
    rest = " at rest" if each.at_rest else ""
    level = "urgent" if each.level == Level.URGENT else "warning"
    return f"{limit} or {'more' if each.above else 'less'}{rest} for {minutes(each.hold)}: {level}"


# sleep and movement


def hours(whole: float) -> str:
    """Minutes as hours and minutes."""
    if whole < 59.5:
        return f"{whole:.0f} min"
    return f"{round(whole) // 60} h {round(whole) % 60:02d} min"


def night_lines(report: DayReport) -> list[str]:
    """The night that ended on the day."""
    measured = report.measured
    if not measured.night:
        return []
    sums = {kind: sum(each.seconds for each in measured.night if each.kind is kind) / 60 for kind in STAGES}
    first, last = measured.night[0], measured.night[-1]
    begin, end = report.wall(first.at), report.wall(last.at + last.seconds)
    asleep = sum(sums[kind] for kind in ASLEEP)
    parts = ", ".join(f"{name} {hours(sums[kind])}" for kind, name in STAGES.items() if sums[kind])
    lines = [f"{hours(asleep)} asleep between {begin:%H:%M} and {end:%H:%M}: {parts}"]
    if measured.usual_sleep is not None:
        lines.append(f"Usual for you: {hours(measured.usual_sleep)}")
    return lines


def movement_lines(report: DayReport) -> list[str]:
    figures, lines = report.measured.figures, []
    if Vital.STEPS in figures:
        steps = figures[Vital.STEPS]
        lines.append(f"{steps.value:,.0f} steps")
        if steps.usual is not None:
            lines.append(f"Usual for you: {steps.usual:,.0f} a day")
    if Vital.EXERCISE in figures:
        lines.append(f"{hours(figures[Vital.EXERCISE].value)} of exercise")
    return lines


# medicines, the clinic, conversations


def dose_row(dose: DoseLine) -> tuple[str, str, str]:
    """Time, what, and what became of it."""
    noted = ""
    if dose.noted is not None and dose.state == "taken":
        on = "" if dose.noted.date() == dose.at.date() else f" on {dose.noted.day} {dose.noted:%B}"
        noted = f" at {dose.noted:%H:%M}{on}"
    return f"{dose.at:%H:%M}", dose.what, f"{dose.state}{noted}"


def medicine_lines(report: DayReport) -> list[str]:
    if report.doses:
        return []
    return ["No dose was due on this day." if report.medicines else "No medicines are planned on this phone."]


def visit_line(visit: Visit, day: date | None = None) -> str:
    """An appointment; with its date where it is not of that day."""
    when = f"{visit.begin:%H:%M} to {visit.end:%H:%M}"
    if visit.begin.date() != day:
        when = f"{visit.begin:%a} {visit.begin.day} {visit.begin:%B}{'' if day else f' {visit.begin:%Y}'}, {when}"
    text = f"{when}: {visit.name or 'somebody'}"
    text += f", {visit.specialization}" if visit.specialization else ""
    text += f", for {visit.symptoms}" if visit.symptoms else ""
    return f"{text} ({visit.state})" if visit.state else text


def session_line(session: TalkSession) -> str:
    title = session.title if len(session.title) <= 60 else session.title[:59].rstrip() + "…"
    count = f"{session.questions} question{'s' if session.questions > 1 else ''}"
    actions = session.actions
    done = f", {actions} action{'s' if actions > 1 else ''} done" if actions else ", nothing was done"
    return f"{session.begin:%H:%M}  “{title}”: {count}{done}"


def emergency_lines(report: DayReport) -> list[str]:
    return [
        f"An SOS was begun at {each.started[11:16]}"
        + (f" and ended at {each.ended[11:16]}" if each.ended else " and has not ended")
        for each in report.emergencies
    ]


def text(report: DayReport) -> str:
    """The whole report as plain text, for a terminal."""
    lines = [f"{report.owner or 'Daily report'}, {long_day(report.day)}", until(report), ""]
    if report.empty:
        return "\n".join([*lines, NOTHING, "", NOTE])
    if report.measured.simulated:
        lines[-1:] = [SIMULATED, ""]
    lines += [f"{tile.name}: {tile.text}" for tile in tiles(report)]
    for title, found in _sections(report):
        if found:
            lines += ["", title, *(f"- {each}" for each in found)]
    return "\n".join([*lines, "", NOTE])


def _sections(report: DayReport) -> Iterator[tuple[str, list[str]]]:
    measured = report.measured
    yield "Emergency", emergency_lines(report)
    yield "Beyond a range", [f"{each.text} ({each.source})" for each in beyond(report)]
    vitals = []
    for kind in measured.figures:
        if kind is Vital.SYSTOLIC or (kind is Vital.DIASTOLIC and Vital.SYSTOLIC not in measured.figures):
            vitals.append(f"Blood pressure: {'. '.join(pressure_captions(report))}")
        elif kind not in (*PRESSURE, Vital.STEPS, Vital.EXERCISE):
            vitals.append(f"{MEASURES[kind].name.capitalize()}: {'. '.join(captions(report, kind))}")
    unknown = [UNKNOWN_AGE] if vitals and not report.age_known else []
    yield "Vitals", [*vitals, *absent(measured), *unknown]
    yield "Sleep", night_lines(report)
    yield "Movement", movement_lines(report)
    yield "Changes over days", [f"{each.says} ({each.source})" for each in measured.changes]
    yield "Medicines", [*("  ".join(dose_row(each)) for each in report.doses), *medicine_lines(report)]
    yield "Appointments", [visit_line(each, report.day) for each in (*report.visits, *report.coming)]
    yield "Complaints", list(report.complaints)
    yield "Conversations", [session_line(each) for each in report.sessions]
    yield "The watch", list(measured.watch)

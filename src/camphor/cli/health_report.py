"""`camphor health report` and `camphor health export`: the daily report, weeks and months, and FHIR for a doctor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.health_phone import HealthDeviceOption, health_phone, say
from camphor.cli.home import write_whole
from camphor.cli.options import JsonOption
from camphor.cli.text import bars, print_json, print_table
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.health.report.content import ReportContent
    from camphor.health.report.day import Reports

_LONGEST = 3660
DayArgument = Annotated[
    str | None, typer.Argument(help="The day, as 2026-03-12, or yesterday; today unless given.", show_default=False)
]


def report(
    day: DayArgument = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write it as one page with plots.")] = None,
    pdf: Annotated[Path | None, typer.Option("--pdf", help="Write it as PDF with plots, on A4.")] = None,
    days: Annotated[
        int,
        typer.Option("--days", min=1, max=_LONGEST, help="So many days up to that one, with what is usual for you."),
    ] = 1,
    list_: Annotated[bool, typer.Option("--list", help="List the days whose figures are kept.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Work the day out again, also where nothing has changed since.")
    ] = False,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """Show a day's report: vitals, what was beyond a range, medicines, appointments, complaints, conversations.

    It says what was measured and which ranges were looked for. It is no diagnosis: a doctor decides what it means.

    \b
    camphor health report
    camphor health report 2026-03-12 --pdf report.pdf
    camphor health report --days 90 --html trends.html
    """
    with _reports(device) as reports:
        if list_:
            _list(reports, json_)
            return
        chosen = _day(day, reports.today)
        if days == 1:
            told, whole, more = _one_day(reports, chosen, again)
        else:
            told, whole, more = _many_days(reports, chosen, days)
    written = [path for path in (html, pdf) if path is not None]
    _write(whole, html, pdf)
    if json_:
        print_json({**_json(whole), **more})
    elif not written:
        say(told)
    for path in written if not json_ else ():
        say(f"Written: {path}")


def export(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    fhir: Annotated[str, typer.Option("--fhir", help="The version: r5, or r4.")] = "r5",
    until: Annotated[str | None, typer.Option("--until", help="The last day; today unless given.")] = None,
    days: Annotated[int, typer.Option("--days", min=1, max=_LONGEST, help="So many days up to that one.")] = 90,
    device: HealthDeviceOption = None,
) -> None:
    """Write vitals, medicines, appointments and complaints as a FHIR bundle, to give to a doctor.

    \b
    camphor health export --fhir r5 for-my-doctor.json
    camphor health export --fhir r4 --days 30 for-my-doctor.json
    """
    import json

    from camphor.health.report.fhir import Version
    from camphor.health.report.fhir import export as exported

    if fhir.strip().casefold() not in tuple(Version):
        raise UsageError(f"{fhir[:40]!r} is no version that can be written: give  --fhir r5  or  --fhir r4")
    version = Version(fhir.strip().casefold())
    with _reports(device) as reports:
        last = _day(until, reports.today)
        with _progress("days") as told:
            text = exported(reports, last, days, version, told)
    write_whole(file, text)
    count = len(json.loads(text)["entry"])
    say(f"Written: {file}, FHIR {version.upper()}, {count:,} resources of {days} days up to {last}")
    say("It holds your health data: give it only to whom you trust")


# what is shown


def _one_day(reports: Reports, day: date, again: bool) -> tuple[str, ReportContent, dict[str, Any]]:
    from camphor.health.report.content import content
    from camphor.health.report.words import text

    found = reports.of(day, again)
    until = None if found.until is None else found.until.isoformat(timespec="seconds")
    return text(found), content(found), {"day": day.isoformat(), "until": until, "measured": found.measured.to_json()}


def _many_days(reports: Reports, last: date, count: int) -> tuple[str, ReportContent, dict[str, Any]]:
    from camphor.health.report.trend_words import trend_content, trend_text
    from camphor.health.report.trends import period

    with _progress("days") as told:
        found = period(reports, last, count, told)
    values = {
        each.kind.value: {day.isoformat(): round(value, 2) for day, value in sorted(each.days.items())}
        for each in found.courses
    }
    more = {"first": found.first.isoformat(), "last": found.last.isoformat(), "values": values}
    return trend_text(found), trend_content(found), more


def _json(whole: ReportContent) -> dict[str, Any]:
    return {
        "title": whole.title,
        "glance": {tile.name: tile.text for tile in whole.tiles},
        "blocks": [
            {
                "title": block.title,
                "lines": [line.text for line in block.lines if line.tone != "quiet"],
                "plots": {each.title: list(each.captions) for each in block.plots},
                "head": list(block.head),
                "rows": [list(row) for row in block.rows],
            }
            for block in whole.blocks
        ],
        "note": whole.note,
        "simulated": any(each.simulated for block in whole.blocks for each in block.plots),
    }


def _list(reports: Reports, json_: bool) -> None:
    from camphor.health.monitor.vitals import local

    heads = reports.days.heads(date.min, reports.today)
    rows = [
        {
            "day": day.isoformat(),
            "until": None if head.over else local(head.until, reports.zone).isoformat(timespec="minutes"),
        }
        for day, head in heads.items()
    ]
    if json_:
        print_json(rows)
    elif not rows:
        say("No day's figures are kept yet: see one with  camphor health report DAY")
    else:
        shown = [
            [str(row["day"]), "the whole day" if row["until"] is None else f"until {row['until']}"] for row in rows
        ]
        print_table(["day", "kept"], shown)


def _write(whole: ReportContent, html: Path | None, pdf: Path | None) -> None:
    if html is not None:
        from camphor.health.report.page import document as page

        write_whole(html, page(whole))
    if pdf is not None:
        from camphor.health.report.pdf import document

        write_whole(pdf, document(whole))


# what is asked for


@contextmanager
def _reports(spec: str | None) -> Iterator[Reports]:
    from camphor.device.health.database import HealthDatabase
    from camphor.health.monitor.vitals import shown_in
    from camphor.health.report.day import Reports

    with health_phone(spec) as phone, HealthDatabase.of(phone.path) as database:
        reports = Reports(phone, database)
        with shown_in(reports.vitals.units()):
            yield reports


def _day(text: str | None, today: date) -> date:
    said = (text or "today").strip().casefold()
    if said in ("today", "yesterday"):
        return today - timedelta(days=said == "yesterday")
    try:
        day = (
            date.fromisoformat(said) if re.fullmatch(r"\d{4}-\d\d-\d\d", said) else datetime.fromisoformat(said).date()
        )
    except ValueError:
        raise UsageError(f"{said[:40]!r} is no day: write it as {today}") from None
    if day > today:
        raise UsageError(f"{day} is still to come: it is {today} on this phone")
    return day


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows on standard error how far it is, where that is a terminal."""
    with bars() as shown:
        task = shown.add_task(what, total=None)
        yield lambda number, total: shown.update(task, completed=number, total=total)

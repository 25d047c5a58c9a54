"""The reports: which days there are, a day or some weeks as blocks and charts, as a page and as PDF."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from camphor.errors import UsageError
from camphor.health.monitor.baseline import span
from camphor.health.monitor.vitals import shown_in
from camphor.health.report import content, page, pdf
from camphor.health.report.charts import Chart
from camphor.health.report.day import Reports
from camphor.health.report.trend_words import trend_content
from camphor.health.report.trends import period
from camphor.health.report.words import long_day
from camphor.web.health import HealthRoute, health_of, in_words
from camphor.web.services import Phone

router = APIRouter(prefix="/api/phones/{phone}/reports", tags=["health"], route_class=HealthRoute)
_FIRST = date(1970, 1, 10)
"""The first day of a report: readings have epoch seconds."""
Length = Annotated[int, Query(ge=1, le=366, description="So many days up to that one")]


class DayTold(BaseModel):
    day: date
    title: str
    hours: int = Field(description="Hours of the day that have readings")


class LineTold(BaseModel):
    text: str
    tone: str
    source: str


class ChartTold(BaseModel):
    name: str
    simulated: bool = Field(description="Whether what it shows was made up")
    captions: list[str]
    chart: Chart | None


class BlockTold(BaseModel):
    title: str
    lines: list[LineTold]
    plots: list[ChartTold]
    head: list[str]
    rows: list[list[str]]
    folded: bool


class ReportTold(BaseModel):
    title: str
    subtitle: str
    note: str
    tiles: list[dict[str, str]]
    blocks: list[BlockTold]


@router.get("")
def days(request: Request, phone: Phone, most: Annotated[int, Query(ge=1, le=60)] = 14) -> list[DayTold]:
    """The last days, today first, and whether anything was measured on them."""
    with _reports(request, phone) as reports:
        first, today = reports.today - timedelta(days=most - 1), reports.today
        begin, end = span(first, reports.zone)[0], span(today, reports.zone)[1]
        hours = reports.vitals.stamps(reports.vitals.kinds(), begin, end)
        found = []
        for number in range(most):
            day = today - timedelta(days=number)
            since, until = span(day, reports.zone)
            measured = sum(since <= hour * 3600 < until for hour in hours)
            found.append(DayTold(day=day, title=long_day(day), hours=measured))
    return found


@router.get("/{day}")
def report(request: Request, phone: Phone, day: date, days: Length = 1) -> ReportTold:
    """The report of a day, or of some weeks or months up to it with what is usual for the person."""
    whole = _content(request, phone, day, days)
    return ReportTold(
        title=whole.title,
        subtitle=whole.subtitle,
        note=in_words(whole.note),
        tiles=[{"name": each.name, "text": each.text, "tone": each.tone} for each in whole.tiles],
        blocks=[_block(each) for each in whole.blocks],
    )


@router.get("/{day}/page", response_class=Response)
def as_page(request: Request, phone: Phone, day: date, days: Length = 1) -> Response:
    """The report as one page of HTML that needs nothing else, to keep or to send."""
    written = page.document(_content(request, phone, day, days)).encode("utf-8", "replace")
    return _file(written, "text/html", f"{_name(day, days)}.html")


@router.get("/{day}/pdf", response_class=Response)
def as_pdf(request: Request, phone: Phone, day: date, days: Length = 1) -> Response:
    """The report as PDF."""
    written = pdf.document(_content(request, phone, day, days))
    return _file(written, "application/pdf", f"{_name(day, days)}.pdf")


def _content(request: Request, phone: str, day: date, days: int) -> content.ReportContent:
    """Raises UsageError: the day is still to come, or before any that a report can be of."""
    with _reports(request, phone) as reports:
        if not _FIRST <= day <= reports.today:
            raise UsageError(f"There is no report of {day}: choose a day from {_FIRST} to {reports.today}")
        return content.content(reports.of(day)) if days == 1 else trend_content(period(reports, day, days))


def _name(day: date, days: int) -> str:
    return f"{day}" if days == 1 else f"{days}-days-to-{day}"


def _file(content_: bytes, kind: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="health-{name}"'}
    return Response(content_, media_type=kind, headers=headers)


@contextmanager
def _reports(request: Request, phone: str) -> Iterator[Reports]:
    with health_of(request, phone) as (device, database):
        reports = Reports(device, database)
        with shown_in(reports.vitals.units()):
            yield reports


def _block(block: content.ReportBlock) -> BlockTold:
    return BlockTold(
        title=block.title,
        lines=[LineTold(text=in_words(each.text), tone=each.tone, source=each.source) for each in block.lines],
        plots=[ChartTold(**each._asdict()) for each in block.plots],
        head=list(block.head),
        rows=[list(row) for row in block.rows],
        folded=block.folded,
    )

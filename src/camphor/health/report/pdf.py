"""The reports as PDF on A4, by reportlab: the same blocks, sentences and plots as the page.

Text is set in Helvetica, and in DejaVu Sans (which matplotlib brings) where a character is not in it; one that neither
has is shown as a box. The same report is the same file to the byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from camphor.errors import MissingExtra
from camphor.health.report.content import Illustrated, ReportBlock, ReportContent, content
from camphor.health.report.day import DayReport
from camphor.health.report.page import colours
from camphor.health.report.plots import DrawnShape, PlotSheet, plot
from camphor.health.report.words import Tile, whole_text

_INK, _FILLS = colours()["paper"]["ink"], colours()["paper"]["fills"]
_STROKES = {"grid": ("#dfe4e1", 0.6, None), "line": ("#1c6b57", 1.3, None), "limit": ("#7a5200", 0.8, (4, 3))}
_MARGIN = 45.0  # points
_GAP = 12.0
_PAGE = (595.28, 841.89)
_WIDE = _PAGE[0] - 2 * _MARGIN
_TILES_A_ROW = 3
_WIDE_TABLE = 6
_LEAST_OF_BLOCK, _LEAST_OF_PLOTS = 70.0, 215.0
_OTHER_FONT = "DejaVuSans"


def pdf(report: DayReport) -> bytes:
    """The report of a day as a PDF file. Raises: MissingExtra: reportlab or matplotlib is not installed."""
    return document(content(report))


def document(whole: ReportContent) -> bytes:
    """A report as a PDF file. Raises: MissingExtra: reportlab or matplotlib is not installed."""
    try:
        from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate
    except ImportError as error:
        raise MissingExtra("reportlab, which makes the PDF,", "health") from error
    made = BytesIO()
    whole = replace(whole, owner=_plain(whole.owner), title=_plain(whole.title))
    title = ", ".join(filter(None, (whole.title, whole.owner)))
    template = BaseDocTemplate(
        made, pagesize=_PAGE, title=title, author=whole.owner, creator="camphor", lang="en", invariant=1
    )
    frame = Frame(_MARGIN, _MARGIN, _WIDE, _PAGE[1] - 2 * _MARGIN, 0, 0, 0, 0)
    template.addPageTemplates(PageTemplate("page", [frame], onPage=lambda canvas, _: _foot(canvas, whole)))
    template.build(list(_story(whole)))
    return made.getvalue()


def _story(whole: ReportContent) -> Iterator[Any]:
    from reportlab.platypus import HRFlowable, Spacer

    if whole.owner:
        yield _text(whole.owner, "quiet")
    yield _text(whole.title, "title")
    yield _text(whole.subtitle, "quiet")
    yield Spacer(0, 8)
    if whole.tiles:
        yield from _tiles(whole.tiles)
    for block in whole.blocks:
        yield from _block(block)
    yield Spacer(0, 10)
    yield HRFlowable(width="100%", thickness=0.6, color=_INK["line"], spaceAfter=4)
    yield _text(whole.note, "quiet")


def _foot(canvas: Any, whole: ReportContent) -> None:
    canvas.saveState()
    text = ", ".join(filter(None, (whole.owner, whole.title)))
    font = "Helvetica" if all(map(_common, text)) else _font()
    canvas.setFont(font, 7.5)
    canvas.setFillColor(_INK["quiet"])
    canvas.drawString(_MARGIN, _MARGIN - 18, text)
    canvas.drawRightString(_PAGE[0] - _MARGIN, _MARGIN - 18, f"page {canvas.getPageNumber()}")
    canvas.restoreState()


# text


@cache
def _styles() -> dict[str, Any]:
    from reportlab.lib.styles import ParagraphStyle

    base = ParagraphStyle("base", fontName="Helvetica", fontSize=9, leading=12, textColor=_INK["text"])
    quiet = ParagraphStyle("quiet", base, fontSize=8, leading=10.5, textColor=_INK["quiet"])
    return {
        "base": base,
        "quiet": quiet,
        "small": ParagraphStyle("small", base, fontSize=7.5, leading=10),
        "title": ParagraphStyle("title", base, fontName="Helvetica-Bold", fontSize=19, leading=24),
        "head": ParagraphStyle("head", base, fontName="Helvetica-Bold", fontSize=12, leading=15, spaceBefore=12,
                               spaceAfter=4),
        "name": ParagraphStyle("name", base, fontName="Helvetica-Bold", fontSize=9.5, leading=12),
        "item": ParagraphStyle("item", base, leftIndent=9, bulletIndent=1, spaceAfter=2),
    }  # fmt: skip


def _text(text: str, style: str, tone: str = "", source: str = "") -> Any:
    from reportlab.platypus import Paragraph

    told = _marked(_plain(text))
    if tone in ("good", "warn", "fault"):
        told = f'<font color="{_INK[tone]}">{told}</font>'
    if source:
        told += f' <font size="7.5" color="{_INK["quiet"]}">({_marked(source)})</font>'
    return Paragraph(told, _styles()[style], bulletText="•" if style == "item" else None)


def _marked(text: str) -> str:
    """Text as reportlab's markup: escaped, and in another font where Helvetica lacks a character."""
    parts: list[str] = []
    run, common = "", True
    for character in text:
        if _common(character) != common and run:
            parts.append(_run(run, common))
            run = ""
        common = _common(character)
        run += character
    return "".join([*parts, _run(run, common)])


def _plain(text: str) -> str:
    return "".join(" " if ord(each) < 32 else each for each in whole_text(text))


def _run(run: str, common: bool) -> str:
    told = escape(run)
    return told if common or not run else f'<font name="{_font()}">{told}</font>'


def _common(character: str) -> bool:
    try:
        character.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


@cache
def _font() -> str:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    try:
        from matplotlib import get_data_path
    except ImportError as error:
        raise MissingExtra("matplotlib, whose font has the letters of this report,", "health") from error
    pdfmetrics.registerFont(TTFont(_OTHER_FONT, str(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")))
    return _OTHER_FONT


# blocks


def _tiles(tiles: Sequence[Tile]) -> Iterator[Any]:
    from reportlab.platypus import Spacer, Table

    columns = min(len(tiles), _TILES_A_ROW)
    width = (_WIDE - (columns - 1) * _GAP / 2) / columns
    for first in range(0, len(tiles), columns):
        row: list[Any] = []
        widths: list[float] = []
        for number, tile in enumerate(tiles[first : first + columns]):
            if number:
                row.append("")
                widths.append(_GAP / 2)
            row.append([_text(tile.name, "quiet"), _text(tile.text, "name", tile.tone)])
            widths.append(width)
        style = [("VALIGN", (0, 0), (-1, -1), "TOP"), ("LEFTPADDING", (0, 0), (-1, -1), 7)]
        style += [("BACKGROUND", (each, 0), (each, 0), _INK["soft"]) for each in range(0, len(row), 2)]
        yield Table([row], widths, style=style, hAlign="LEFT", cornerRadii=None)
        yield Spacer(0, _GAP / 2)


def _block(block: ReportBlock) -> Iterator[Any]:
    from reportlab.platypus import CondPageBreak

    # a head never stands alone at the foot of a page
    yield CondPageBreak(_LEAST_OF_PLOTS if block.plots else _LEAST_OF_BLOCK)
    yield _text(block.title, "head")
    for line in block.lines:
        yield _text(line.text, "quiet" if line.tone == "quiet" else "item", line.tone, line.source)
    for first in range(0, len(block.plots), 2):
        yield _pair(block.plots[first : first + 2])
    if block.rows:
        yield _table(block)


def _pair(pair: Sequence[Illustrated]) -> Any:
    """Two plots side by side, with what is written beside them above."""
    from reportlab.platypus import Table

    width = (_WIDE - _GAP) / 2
    told: list[Any] = [[_text(each.title, "name"), *(_text(line, "quiet") for line in each.captions)] for each in pair]
    drawn: list[Any] = [drawing(plot(each.chart), width) if each.chart else "" for each in pair]
    rows = [[each[0], "", each[1] if len(each) > 1 else ""] for each in (told, drawn)]
    style = [
        ("NOSPLIT", (0, 0), (-1, -1)), ("VALIGN", (0, 0), (-1, -1), "TOP"), ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), 0), ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, 0), 2), ("BOTTOMPADDING", (0, 1), (-1, 1), 10),
    ]  # fmt: skip
    return Table(rows, [width, _GAP, width], style=style, hAlign="LEFT")


def _table(block: ReportBlock) -> Any:
    from reportlab.platypus import Table

    columns = len(block.rows[0])
    widest = [max(len(row[number]) for row in (*block.rows, block.head) if row) for number in range(columns)]
    share = [min(max(each, 6), 60) for each in widest]
    widths = [_WIDE * each / sum(share) for each in share]
    top = "quiet" if columns <= _WIDE_TABLE else "small"
    rows = [[_text(cell, top) for cell in block.head]] if any(block.head) else []
    style = "quiet" if block.folded else "base" if columns <= _WIDE_TABLE else "small"
    rows += [[_text(cell, style) for cell in row] for row in block.rows]
    form = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), 6 if columns <= _WIDE_TABLE else 2),
        ("TOPPADDING", (0, 0), (-1, -1), 2.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ("LINEBELOW", (0, 0), (-1, -2), 0.5, _INK["line"]),
    ]
    return Table(rows, widths, style=form, repeatRows=1 if any(block.head) else 0, hAlign="LEFT")


# plots


def drawing(sheet: PlotSheet, width: float) -> Any:
    """A plot as a drawing of so many points' width."""
    from reportlab.graphics.shapes import Drawing, Group

    scale = width / sheet.width
    drawn = Drawing(width, sheet.height * scale)
    drawn.add(Group(*(_shape(shape, sheet.height) for shape in sheet.shapes), transform=(scale, 0, 0, scale, 0, 0)))
    return drawn


def _shape(shape: DrawnShape, height: float) -> Any:
    from reportlab.graphics import shapes

    points = [(x, height - y) for x, y in shape.points]  # y grows upwards here
    (x, y), last = points[0], points[-1]
    if shape.what == "text":
        return shapes.String(
            x, y, shape.text, fontName="Helvetica", fontSize=10.5, fillColor=_colour("quiet"), textAnchor=shape.anchor
        )
    fill = _colour(shape.role)
    if shape.what == "dot":
        return shapes.Circle(x, y, 2.3, fillColor=fill, strokeColor=None)
    if shape.what == "box":
        return shapes.Rect(
            x, last[1], max(last[0] - x, 0), max(y - last[1], 0), fillColor=fill, strokeColor=None, strokeWidth=0
        )
    flat = [number for point in points for number in point]
    if shape.what == "area":
        return shapes.Polygon(flat, fillColor=fill, strokeColor=None)
    colour, width, dashes = _STROKES.get(shape.role, _STROKES["line"])
    return shapes.PolyLine(
        flat, strokeColor=_hex(colour), strokeWidth=width, strokeDashArray=dashes, strokeLineJoin=1, fillColor=None
    )


def _colour(role: str) -> Any:
    return _hex(_FILLS.get(role) or _INK.get(role, _INK["text"]))


@cache
def _hex(colour: str) -> Any:
    from reportlab.lib.colors import HexColor

    return HexColor(colour)

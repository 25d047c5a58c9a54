"""The reports as one page of HTML each: plots inline, light and dark, no script, nothing loaded from anywhere.

Every text of records, doses and conversations is escaped. The page forbids itself scripts and connections.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files

from camphor.health.report.content import Illustrated, ReportBlock, ReportContent, content
from camphor.health.report.day import DayReport
from camphor.health.report.plots import DrawnShape, PlotSheet, plot
from camphor.health.report.words import ReportLine, Tile, whole_text


@cache
def colours() -> dict[str, dict[str, dict[str, str]]]:
    """The colours of "page" and "paper", by theme or use."""
    return tomllib.loads(files(__package__).joinpath("colours.toml").read_text(encoding="utf-8"))


def page(report: DayReport) -> str:
    """The report of a day as a page that needs nothing else."""
    return document(content(report))


def document(whole: ReportContent) -> str:
    """A report as a page."""
    parts = [f'<header><p class="quiet">{escape(whole.owner)}</p><h1>{escape(whole.title)}</h1>']
    parts.append(f'<p class="quiet">{escape(whole.subtitle)}</p></header>')
    if whole.tiles:
        parts.append(f'<ul class="tiles">{"".join(map(_tile, whole.tiles))}</ul>')
    parts += map(_block, whole.blocks)
    parts.append(f'<footer><p class="quiet">{escape(whole.note)}</p></footer>')
    body = "\n".join(parts)
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    whole_page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(f'{whole.title}, {whole.owner}' if whole.owner else whole.title)}</title>\n"
        f"<style>\n{_root('light')}\n@media (prefers-color-scheme: dark){{{_root('dark')}}}\n{style}</style></head>\n"
        f"<body><main>\n{body}\n</main></body></html>\n"
    )
    return whole_text(whole_page)


def _root(theme: str) -> str:
    told = ";".join(f"--{name}:{value}" for name, value in colours()["page"][theme].items())
    return f":root{{{told};color-scheme:{theme}}}"


def _tile(tile: Tile) -> str:
    return f'<li><span>{escape(tile.name)}</span><b class="{tile.tone}">{escape(tile.text)}</b></li>'


def _block(block: ReportBlock) -> str:
    inside = []
    inside += [f'<p class="quiet"><small>{escape(line.text)}</small></p>' for line in block.lines if _aside(line)]
    if told := [line for line in block.lines if not _aside(line)]:
        inside.insert(0, _lines(told))
    if block.plots:
        inside.append(f'<div class="plots">{"".join(map(_figure, block.plots))}</div>')
    if block.rows:
        inside.append(f'<div class="card">{_table(block.head, block.rows)}</div>')
    body = "".join(inside)
    if block.folded:
        return f"<section><details><summary>{escape(block.title)}</summary>{body}</details></section>"
    return f"<section><h2>{escape(block.title)}</h2>{body}</section>"


def _aside(line: ReportLine) -> bool:
    return line.tone == "quiet"


def _lines(lines: Sequence[ReportLine]) -> str:
    items = [
        f'<li><span class="{line.tone}">{escape(line.text)}</span>'
        + (f" <small>({escape(line.source)})</small>" if line.source else "")
        + "</li>"
        for line in lines
    ]
    return f"<ul>{''.join(items)}</ul>"


def _figure(shown: Illustrated) -> str:
    told = "".join(f"<p>{escape(each)}</p>" for each in shown.captions)
    head = f"<figcaption><h3>{escape(shown.title)}</h3>{told}</figcaption>"
    return f"<figure>{head}{svg(plot(shown.chart)) if shown.chart else ''}</figure>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = f"<tr>{''.join(f'<th>{escape(each)}</th>' for each in head)}</tr>" if any(head) else ""
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{top}{body}</table>"


# plots


def svg(sheet: PlotSheet) -> str:
    """A plot as inline SVG; its colours are the page's."""
    shapes = "".join(map(_shape, sheet.shapes))
    return (
        f'<svg viewBox="0 0 {sheet.width:g} {sheet.height:g}" role="img" aria-label="{escape(sheet.told)}">'
        f"{shapes}</svg>"
    )


def _shape(shape: DrawnShape) -> str:
    if shape.what == "text":
        x, y = shape.points[0]
        return f'<text x="{x:g}" y="{y:g}" text-anchor="{shape.anchor}">{escape(shape.text)}</text>'
    if shape.what == "dot":
        x, y = shape.points[0]
        return f'<circle class="{shape.role}" cx="{x:g}" cy="{y:g}" r="2.3"/>'
    if shape.what == "box":
        (left, top), (right, bottom) = shape.points
        return (
            f'<rect class="{shape.role}" x="{left:g}" y="{top:g}" width="{max(right - left, 0):.4g}" '
            f'height="{max(bottom - top, 0):.4g}"/>'
        )
    points = " ".join(f"{x:g},{y:g}" for x, y in shape.points)
    name = "polygon" if shape.what == "area" else "polyline"
    return f'<{name} class="{shape.role}" points="{points}"/>'

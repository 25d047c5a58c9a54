"""Where pieces of text stand on a page: rows, tables (tables.py), and lines in the order of reading."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from camphor.health.prescriptions.lines import Piece, TextLine, joined
from camphor.health.prescriptions.tables import MedicineTable, table_of

_APART = 2.5
"""White between two pieces of a row, in heights of a letter, from which they are lines of their own."""
_FAR = 2.6
"""From one row to the next where something else begins, in heights: an empty line is put between."""


def lines_of(pieces: Sequence[Piece], marks: Sequence[Piece] = ()) -> list[TextLine]:
    """The lines of a page, from top to bottom; each medicine of a table is its name, then what is said of it.

    Args:
        marks: where there may be a letter that was not read.
    """
    found: list[TextLine] = []
    table: MedicineTable | None = None
    bottom = 0.0
    for row in rows_of(pieces):
        if found and table is None and row[0].y - bottom > _FAR * row[0].height:
            found.append(TextLine(""))
        bottom = row[0].y
        if table is None or not table.takes(row):
            if table is not None:
                found.extend(table.lines(marks))
                if table.ends_before(row):
                    found.append(TextLine("", begins=True))
            table = table_of(row)
            if table is None:
                found.extend(_apart(row))
    return [*found, *(table.lines(marks) if table else ())]


def straight(pieces: Sequence[tuple[float, Piece]]) -> list[Piece]:
    """Pieces, each with its slope, as they stand where the page is turned back by the slope of most of the writing.

    A piece counts by its width: a figure in a cell has an edge of its own, and a chart has many of them.
    """
    if not pieces:
        return []
    told = [(slope, piece.width) for slope, piece in pieces if piece.text]
    half = sum(width for _, width in told) / 2
    before = accumulate(width for _, width in sorted(told))
    slope = next((each for (each, _), until in zip(sorted(told), before, strict=True) if until >= half), 0.0)
    sine, cosine = math.sin(slope), math.cos(slope)
    return [replace(each, x=each.x * cosine + each.y * sine, y=each.y * cosine - each.x * sine) for _, each in pieces]


def rows_of(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces side by side, from top to bottom."""
    rows: list[list[Piece]] = []
    for each in sorted(pieces, key=lambda piece: piece.y):
        last = rows[-1][-1] if rows else None
        if last and abs(each.y - last.y) < 0.5 * min(each.height, last.height):
            rows[-1].append(each)
        else:
            rows.append([each])
    return [sorted(row, key=lambda piece: piece.x) for row in rows]


def _apart(row: Sequence[Piece]) -> Iterator[TextLine]:
    """A row as lines: what stands far to the right is one of its own."""
    part = [row[0]]
    for each in row[1:]:
        if each.left - part[-1].right > _APART * min(each.height, part[-1].height):
            yield joined(part)
            part = []
        part.append(each)
    yield joined(part)

"""Where pieces of text stand on a page: rows, tables with wrapped cells, and lines in the order of reading."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from camphor.health.prescriptions.drugs import find, plain
from camphor.health.prescriptions.lines import Line, page_words

_APART = 2.5
"""White between two pieces of a row, in heights of a letter, from which they are lines of their own."""
_NEXT = 2.2
"""From one line to the next within a cell at most, in heights."""
_WITHIN = 1.7
"""From one line to the next within a cell, in heights, that are certainly of one medicine."""
_FAR = 2.6
"""From one row to the next where something else begins, in heights: an empty line is put between."""


@dataclass(frozen=True)
class Piece:
    """One piece of text: its middle, width and height, on a page that lies straight, and how clear it is.

    `other`: what a second reading has there.
    """

    x: float
    y: float
    width: float
    height: float
    text: str
    seen: float
    corners: Any = ()
    other: str | None = None

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2


def lines_of(pieces: Sequence[Piece]) -> list[Line]:
    """The lines of a page, from top to bottom; each medicine of a table is its name, then what is said of it."""
    found: list[Line] = []
    table: _Table | None = None
    bottom = 0.0
    for row in rows_of(pieces):
        if found and table is None and row[0].y - bottom > _FAR * row[0].height:
            found.append(Line(""))
        bottom = row[0].y
        if table is None or not table.takes(row):
            if table is not None:
                found.extend(table.lines())
            table = _table(row)
            if table is None:
                found.extend(_apart(row))
            else:
                found.append(_joined(row))
    return [*found, *(table.lines() if table else ())]


def straight(pieces: Sequence[tuple[float, Piece]]) -> list[Piece]:
    """Pieces, each with its slope, as they stand where the page is turned back by the slope of most."""
    if not pieces:
        return []
    slope = sorted(slope for slope, _ in pieces)[len(pieces) // 2]
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


def _apart(row: Sequence[Piece]) -> Iterator[Line]:
    """A row as lines: what stands far to the right is one of its own."""
    part = [row[0]]
    for each in row[1:]:
        if each.left - part[-1].right > _APART * min(each.height, part[-1].height):
            yield _joined(part)
            part = []
        part.append(each)
    yield _joined(part)


def _joined(row: Sequence[Piece]) -> Line:
    others = [each.text if each.other is None else each.other for each in row]
    read_twice = any(each.other is not None for each in row)
    other = " ".join(each for each in others if each) if read_twice else None
    return Line(" ".join(each.text for each in row), min(each.seen for each in row), other)


# tables


@dataclass
class _Cells:
    """One medicine of a table: its pieces by column."""

    columns: dict[int, list[Piece]] = field(default_factory=dict)


class _Table:
    """A table under its heads: a medicine begins where the first column names one."""

    def __init__(self, heads: Sequence[Piece]) -> None:
        self._lefts = [each.left for each in heads]
        self._heads = [_head(each.text) for each in heads]
        self._medicines: list[_Cells] = []
        self._bottom, self._height = heads[0].y, heads[0].height
        self._pitch = 0.0

    def takes(self, row: Sequence[Piece]) -> bool:
        """Whether a row is of the table; it is then part of it."""
        columns = [self._column(each) for each in row]
        first = " ".join(each.text for column, each in zip(columns, row, strict=True) if column == 0)
        beside = any(columns)
        step = row[0].y - self._bottom
        if not self._medicines and all(_head(each.text) in _words("other") for each in row):
            for column, each in zip(columns, row, strict=True):
                self._heads[column] = f"{self._heads[column]} {_head(each.text)}".strip()
        elif (
            first
            and (_begins(first) or (beside and _dosed(first) and step > _WITHIN * row[0].height))
            and (beside or step < 3 * _NEXT * row[0].height)
        ):
            self._medicines.append(_Cells())
            self._add(columns, row)
        elif self._medicines and step < _NEXT * row[0].height:
            self._add(columns, row)
        elif first and beside:
            self._medicines.append(_Cells())
            self._add(columns, row)
        else:
            return False
        self._bottom = row[0].y
        return True

    def _add(self, columns: Sequence[int], row: Sequence[Piece]) -> None:
        for column, each in zip(columns, row, strict=True):
            self._medicines[-1].columns.setdefault(column, []).append(each)

    def _column(self, piece: Piece) -> int:
        fits = [number for number, left in enumerate(self._lefts) if left <= piece.left + piece.height]
        return fits[-1] if fits else 0

    def lines(self) -> Iterator[Line]:
        for each in self._medicines:
            told = [column for column in sorted(each.columns) if column and self._heads[column] not in _words("aside")]
            if 0 in each.columns:
                yield _joined(each.columns[0])
            if told:
                yield _joined([piece for column in told for piece in each.columns[column]])
            for column in sorted(each.columns):
                if column and column not in told:
                    line = _joined(each.columns[column])
                    head = self._heads[column].capitalize()
                    other = None if line.other is None else f"{head}: {line.other}"
                    yield Line(f"{head}: {line.text}", line.seen, other)


def _table(row: Sequence[Piece]) -> _Table | None:
    heads = [_head(each.text) for each in row]
    return (
        _Table(row)
        if len(row) > 1 and heads[0] in _words("medicine") and any(each in _words("other") for each in heads[1:])
        else None
    )


def _begins(text: str) -> bool:
    """Whether the first cell of a row begins a medicine, and does not go on with the one above."""
    told = plain(text).split()
    named = (find(" ".join(told[start:end])) for start in range(len(told)) for end in range(start + 1, start + 4))
    return bool(re.match(r"\s*\(?\d{1,2}\s?[.)]\s", text)) or any(
        match.drug or (match.candidates and len(match.read) > 6) for match in named
    )


def _dosed(text: str) -> bool:
    return bool(re.search(r"\d\s?(?:mg|mcg|micrograms?|g|ml|units?|%)(?![a-z])", text, re.IGNORECASE))


def _head(text: str) -> str:
    return plain(text)


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(page_words()["table"][name])

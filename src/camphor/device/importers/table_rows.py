"""The rows of a table: of a .csv or .tsv, whatever program wrote it, or of a JSON list of objects."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from camphor.device.importers.base import Unread, beginning
from camphor.device.importers.json_objects import NoList, objects
from camphor.device.importers.tidy import LONGEST, tidy
from camphor.errors import UsageError

_LONGEST_LINE = 1 << 20  # characters
_LONGEST_NAME = 100  # characters of a column's
_MOST_COLUMNS = 1000
_SAMPLE = 1 << 16  # characters from which delimiter and quotes are told
_SAMPLED_ROWS = 50
_CHUNK = 1 << 20  # bytes
_DELIMITERS = ",;\t|"
_SEP = re.compile(r"\ufeff?sep=(?P<delimiter>[^\r\n])[\r\n]*", re.IGNORECASE)
_ESCAPED_QUOTE = re.compile(r'\\"(?![,;\t|\r\n]|\Z)')  # a folder's name may end with a backslash, before the quote


@dataclass(frozen=True)
class Table:
    """A table that can be read several times.

    Args:
        columns: their names, without those of no name. rows: its rows, as many cells as columns each, with their
        numbers; notes what it cannot read. row: what a row is called: "line", as the numbers are those of lines.
    """

    columns: tuple[str, ...]
    rows: Callable[[Unread], Iterator[tuple[int, list[str]]]]
    row: str


def table_of(path: Path) -> Table:
    """The table in a file. Raises: UsageError, there is none."""
    return _json_table(path) if path.suffix.lower() == ".json" else _csv_table(path)


def encoding_of(path: Path) -> str:
    """How a file's text is written down: as its first bytes say, else UTF-8 where it can be that, else cp1252."""
    begins = beginning(path)
    if begins.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if begins.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding, first in (("utf-16-be", 0), ("utf-16-le", 1)):
        if begins[first::2].count(0) > len(begins) / 4:
            return encoding
    return "utf-8" if _is_utf8(path) else "cp1252"


def _is_utf8(path: Path) -> bool:
    """Whether the text is UTF-8, but for a few bytes that are damaged."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    good = bad = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            text = decoder.decode(chunk)
            if not text.isascii():
                wrong = text.count("\ufffd")
                good, bad = good + len(text) - len(text.encode("ascii", "ignore")) - wrong, bad + wrong
    bad += len(decoder.decode(b"", final=True))
    return good >= bad * 10


def _opened(path: Path, encoding: str) -> TextIO:
    return path.open(encoding=encoding, errors="replace", newline="")


# CSV


@dataclass(frozen=True)
class _Form:
    """How a file is written: its encoding, whether a first line says the delimiter, and what csv wants to know."""

    encoding: str
    begins_with_sep: bool
    dialect: dict[str, Any]


def _csv_table(path: Path) -> Table:
    form = _form(path)
    with _opened(path, form.encoding) as file:
        names = next(_cells(file, form, Unread()), (0, []))[1]
    if len(names) > _MOST_COLUMNS:
        raise UsageError(f"{path}: it has more than {_MOST_COLUMNS:,} columns: it is no table of records")
    if not names:
        raise UsageError(f"{path}: it holds no table: its first line should have the names of the columns")
    columns = tuple(tidy(name, _LONGEST_NAME) for name in names)
    return Table(columns, partial(_csv_rows, path, form), "line")


def _form(path: Path) -> _Form:
    encoding = encoding_of(path)
    with _opened(path, encoding) as file:
        sample = file.read(_SAMPLE)
    if sep := _SEP.match(sample):  # Excel's own way to say it
        return _Form(encoding, True, _dialect(sample[sep.end() :], sep["delimiter"]))
    if "\t" in sample.partition("\n")[0] and path.suffix.lower() == ".tsv":
        return _Form(encoding, False, _dialect(sample, "\t"))
    dialects = [_dialect(sample, delimiter) for delimiter in _DELIMITERS]
    return _Form(encoding, False, max(dialects, key=lambda dialect: _evenness(sample, dialect)))


def _dialect(sample: str, delimiter: str) -> dict[str, Any]:
    first = sample.lstrip().partition("\n")[0].strip()
    single = '"' not in sample and len(first) > 1 and first[0] == first[-1] == "'"
    quote = "'" if single else '"'
    escaped = bool(_ESCAPED_QUOTE.search(sample)) and not re.search(r'[^"\\,;\t|\r\n]""', sample)
    return {
        "delimiter": delimiter if delimiter not in "\"'\r\n" else ",",
        "quotechar": quote,
        "escapechar": "\\" if escaped else None,
        "doublequote": not escaped,
        "skipinitialspace": f"{delimiter} {quote}" in first,
    }


def _evenness(sample: str, dialect: dict[str, Any]) -> float:
    """How much a sample looks like a table in a dialect: many columns, and as many in all rows."""
    rows = []
    try:
        for row in csv.reader(io.StringIO(sample, newline=""), **dialect):
            rows += [row] if any(row) else []
            if len(rows) > _SAMPLED_ROWS:
                break
    except csv.Error:
        return -1
    if len(rows) > 1:
        rows.pop()  # it may be cut off
    width = len(rows[0]) if rows else 0
    even = sum(len(row) == width for row in rows) / max(len(rows), 1)
    return even**2 * (width - 1)


def _csv_rows(path: Path, form: _Form, unread: Unread) -> Iterator[tuple[int, list[str]]]:
    with _opened(path, form.encoding) as file:
        cells = _cells(file, form, unread)
        next(cells, None)  # the columns' names
        yield from cells


def _cells(file: TextIO, form: _Form, unread: Unread) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold anything, all as wide as the first, which has the names of the columns."""
    reader = csv.reader(_lines(file, unread), **form.dialect)
    if form.begins_with_sep:
        next(reader, None)
    width = 0
    broken = False  # behind a broken row, only what is as wide as the others is a row again
    while True:
        try:
            for row in reader:
                if not any(row) or (broken and len(row) < width):
                    continue
                broken = False
                width = width or len(row)
                if len(row) == width:
                    yield reader.line_num, row
                elif len(row) < width:
                    yield reader.line_num, row + [""] * (width - len(row))
                elif any(cell.strip() for cell in row[width:]):
                    unread.add(f"line {reader.line_num}", "it has more cells than there are columns")
                else:
                    yield reader.line_num, row[:width]
            return
        except csv.Error:
            unread.add(f"line {reader.line_num}", "a cell is far too long, or its quotes do not end")
            broken = True


def _lines(file: TextIO, unread: Unread) -> Iterator[str]:
    """The lines of a file; those that are far too long as empty ones."""
    skipping, number = False, 0
    for line in iter(partial(file.readline, _LONGEST_LINE), ""):
        ends = len(line) < _LONGEST_LINE or line[-1] in "\r\n"
        if skipping or not ends:
            if not skipping:
                unread.add(f"line {number + 1}", "it is far too long")
            skipping = not ends
            if skipping:
                continue
            line = "\n"
        number += 1
        yield line


# JSON


def _json_table(path: Path) -> Table:
    encoding = encoding_of(path)
    columns: dict[str, None] = {}
    try:
        with _opened(path, encoding) as file:
            for _, each in objects(file):
                if each and len(columns) < _MOST_COLUMNS:
                    columns.update(dict.fromkeys(each))
    except NoList:
        raise UsageError(f"{path}: it is no list of objects: a table in JSON begins with  [{{") from None
    if not columns:
        raise UsageError(f"{path}: it holds no table: none of its objects has anything in it")
    names = tuple(columns)
    return Table(
        tuple(tidy(name, _LONGEST_NAME) for name in names), partial(_json_rows, path, encoding, names), "record"
    )


def _json_rows(path: Path, encoding: str, names: tuple[str, ...], unread: Unread) -> Iterator[tuple[int, list[str]]]:
    with _opened(path, encoding) as file:
        for number, each in objects(file):
            if each is None:
                unread.add(f"record {number}", "it is broken")
            else:
                yield number, [_cell(each.get(name)) for name in names]


def _cell(value: object) -> str:
    """A value as a cell would have it; lists of plain values as people write them in one."""
    if isinstance(value, str):
        return value[: LONGEST * 2]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return "; ".join(map(_cell, value))
    if isinstance(value, list | dict):
        try:
            return json.dumps(value, ensure_ascii=False)
        except (ValueError, RecursionError):
            return ""
    return "" if value is None or value in (float("inf"), -float("inf")) or value != value else str(value)

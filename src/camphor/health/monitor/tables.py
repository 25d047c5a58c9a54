"""Tables of vitals as CSV, in the forms that programs and people write them.

One reading a row (`time, kind, value, unit`) or one time a row with a column for each kind. Comma, semicolon, tab or
bar between; decimal point or comma; units in the head (`temperature (°F)`) or in a column. What a date means that could
be read in two ways is decided by the other dates of the table, and asked for where they leave it open.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from importlib.resources import files
from math import isfinite
from pathlib import Path

from camphor.errors import UsageError
from camphor.health.monitor.imported import Imported, conversion
from camphor.health.monitor.times import moment, order_of
from camphor.health.monitor.vitals import CHOICES, Vital, epoch

_WORDS = tomllib.loads(files(__package__).joinpath("tables.toml").read_text(encoding="utf-8"))
NAMES: dict[str, Vital] = {name: Vital(kind) for kind, names in _WORDS["kinds"].items() for name in names}
_TIME, _DATE, _CLOCK, _KIND, _VALUE, _UNIT = (
    tuple(_WORDS["heads"][each]) for each in ("time", "date", "clock", "kind", "value", "unit")
)
_DEFAULT = {
    Vital.HEART_RATE: "bpm", Vital.RESPIRATORY_RATE: "bpm", Vital.OXYGEN: "%", Vital.SYSTOLIC: "mmHg",
    Vital.DIASTOLIC: "mmHg", Vital.HRV: "ms", Vital.STEPS: "count",
}  # fmt: skip
"""Units of kinds that are hardly ever told in another one; minutes of sleep too."""
_IN_HEAD = re.compile(r"^(.*?)\s*[\[(]\s*([^\])]*)\s*[\])]\s*$")
NO_VALUE = frozenset({"", "-", "--", "n/a", "na", "nan", "null", "none"})
_LONGEST_LINE = 100_000
MOST_BYTES = 32 << 20
"""A table is held in memory while it is read: this is a million rows, two years of one a minute, in less than a GB."""


SOURCE = "CSV table"
"""What measured it is not told, and the same table under another name is the same."""


def read(path: Path, zone: tzinfo | None, day_first: bool | None = None) -> Imported:
    """The vitals of a table.

    Raises:
        UsageError: its head names no time or no vital sign; its dates can be read in two ways; a unit that matters is
            not told.
    """
    cut = Cut()
    rows = rows_of(path, cut)
    head = next(rows, [])
    columns = _Columns(path, head)
    body = list(rows)
    order = order_of(path, [columns.date_of(row) for row in body], day_first)
    found = Imported(local=True, broken=cut.says)
    comma = decimal_comma(body)
    for row in body:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) < len(head) - 1:
            found.skip("a row with too few cells")
            continue
        try:
            told = columns.moment(row, order)
            at = epoch(told, zone)
        except (ValueError, OverflowError, OSError):
            found.skip("a time that cannot be read")
            continue
        found.local &= told.tzinfo is None
        for kind, text, convert in columns.values(row, found):
            value = number(text, comma)
            if value is None:
                if text.strip().casefold() not in NO_VALUE:
                    found.skip(f"{kind.value} that is no number")
                continue
            share = kind is Vital.OXYGEN and 0 < value <= 1
            found.add(kind, SOURCE, at, value * 100 if share else convert(value))
    found.units |= columns.units
    for name, count in columns.unknown(body, comma):
        found.skip(f"{name}, which is no vital sign here", count)
    found.settle(zone)
    return found


@dataclass
class Cut:
    """How many rows at the end of a table could not be read, since it breaks off within one."""

    rows: int = 0

    @property
    def says(self) -> str:
        if not self.rows:
            return ""
        lost = "1 row was" if self.rows == 1 else f"{self.rows:,} rows were"
        return f"the file breaks off in the middle of a row: {lost} not read, and what came after is missing"


def rows_of(path: Path, cut: Cut | None = None) -> Iterator[list[str]]:
    """The rows of a table. cut: is told what could not be read.

    Raises:
        UsageError: it is too large, or no table.
    """
    size = path.stat().st_size
    if size > MOST_BYTES:
        most = f"{MOST_BYTES >> 20} MB"
        raise UsageError(
            f"{path} has {size >> 20:,} MB, and tables are read up to {most}: take in a shorter time, or split it "
            f"into parts of at most {most} that each begin with its first line"
        )
    with path.open("rb") as file:
        raw = file.read(4)
    coding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = path.read_text(encoding=coding)
    except UnicodeDecodeError:
        text = path.read_text(encoding="cp1252", errors="replace")
    whole = text.endswith(("\n", "\r"))
    lines = [line for line in text.splitlines() if line.strip()]
    del text
    if lines and lines[0].casefold().startswith("sep=") and len(lines[0]) == 5:
        separator, lines = lines[0][4], lines[1:]
    else:
        separator = _separator(lines[:20])
    if any(len(line) > _LONGEST_LINE for line in lines[:50]):
        raise UsageError(f"{path} is no table: it has a line of more than {_LONGEST_LINE:,} characters")
    try:
        yield from _rows(lines, separator, whole, cut or Cut())
    except csv.Error as error:
        raise UsageError(f"{path} cannot be read as a table ({error}): save it as CSV again") from error


def _rows(lines: Sequence[str], separator: str, whole: bool, cut: Cut) -> Iterator[list[str]]:
    """The rows of lines, without what breaks off: a last one with too few cells, or in quotes that nothing closes.

    Args:
        whole: the last line has its end.
    """
    reader, widths, begin = csv.reader(lines, delimiter=separator), set[int](), 0
    for row in reader:
        if reader.line_num == len(lines) and begin:
            quotes = sum(line.count('"') for line in lines[begin:])
            if quotes % 2 or (not whole and len(widths) == 1 and len(row) < min(widths)):
                cut.rows = len(lines) - begin
                return
        begin = reader.line_num
        widths.add(len(row))
        yield row


def _separator(lines: Sequence[str]) -> str:
    """The sign that splits the head into most cells, and the other lines into as many."""

    def fits(separator: str) -> tuple[int, int]:
        counts = [line.count(separator) for line in lines]
        return sum(count == counts[0] for count in counts) if counts and counts[0] else 0, counts[0] if counts else 0

    return max("\t;|,", key=lambda each: (fits(each)[0] > 0, fits(each)[0] >= len(lines) / 2, fits(each)[1]))


class _Columns:
    """Where the times, kinds, values and units of a table stand."""

    def __init__(self, path: Path, head: Sequence[str]) -> None:
        self.path, self.head = path, head
        pairs = [_named(cell) for cell in head]
        names = [name for name, _ in pairs]
        self.date = _first(names, _DATE)
        self.time = _first(names, _CLOCK) if self.date is not None else None
        if self.date is None:
            self.date = _first(names, _TIME)
        kind, value = _first(names, _KIND), _first(names, _VALUE)
        self.unit = _first(names, _UNIT)
        self.long = (kind, value) if kind is not None and value is not None else None
        self.wide: list[tuple[int, Vital, Callable[[float], float]]] = []
        self.units: dict[Vital, str] = {}
        if self.date is None:
            raise UsageError(f"{path}: no column is a time: name one time, date or timestamp in the first line")
        if self.long is None:
            for row, (name, unit) in enumerate(pairs):
                if name in NAMES:
                    self.wide.append((row, NAMES[name], conversion_of(path, NAMES[name], unit)))
                    self.units[NAMES[name]] = unit
        if self.long is None and not self.wide:
            shown = ", ".join(name for name in names if name)[:120]
            raise UsageError(
                f"{path}: no column is a vital sign, of: {shown}; name them as heart_rate, spo2, systolic ..."
            )

    def date_of(self, row: Sequence[str]) -> str:
        return cell(row, self.date)

    def moment(self, row: Sequence[str], day_first: bool) -> datetime:
        return moment(f"{cell(row, self.date)} {cell(row, self.time)}".strip(), day_first)

    def unknown(self, rows: Sequence[Sequence[str]], comma: bool) -> Iterator[tuple[str, int]]:
        """Columns of numbers that are no vital sign, by their heads, with how many numbers each has."""
        known = {self.date, self.time, self.unit, *(self.long or ()), *(place for place, _, _ in self.wide)}
        for place, name in enumerate(self.head):
            if place not in known and (count := sum(number(cell(row, place), comma) is not None for row in rows)):
                yield " ".join(name.split())[:40] or "a column without a name", count

    def values(self, row: Sequence[str], found: Imported) -> Iterator[tuple[Vital, str, Callable[[float], float]]]:
        for place, kind, convert in self.wide:
            if place < len(row):
                yield kind, row[place], convert
        if self.long is None:
            return
        name, unit = _named(cell(row, self.long[0]))
        if name not in NAMES:
            found.skip("a kind that is no vital sign here")
            return
        try:
            unit = cell(row, self.unit) or unit
            yield NAMES[name], cell(row, self.long[1]), conversion_of(self.path, NAMES[name], unit)
            self.units[NAMES[name]] = unit
        except UsageError:
            found.skip(f"{NAMES[name].value} in an unknown unit")


def conversion_of(path: Path, kind: Vital, unit: str) -> Callable[[float], float]:
    """What turns values of a unit, or of the usual one where none is told, into the kind's own.

    Raises:
        UsageError: a unit that matters is not told, or is not known.
    """
    if not unit:
        unit = _DEFAULT.get(kind, "min" if kind in (*_SLEEPS, Vital.EXERCISE) else "")
    if not unit:
        example = " or ".join(f"({each})" for each in CHOICES[kind])
        example = f"{kind.value} {example}"
        raise UsageError(f"{path}: the unit of {kind.value} is not told: write {example} in the first line")
    convert = conversion(kind, unit)
    if convert is None:
        raise UsageError(f"{path}: {kind.value} is in {unit[:20]!r}, which is not known: convert it first")
    return convert


_SLEEPS = (Vital.SLEEP_AWAKE, Vital.SLEEP_LIGHT, Vital.SLEEP_DEEP, Vital.SLEEP_REM)


def _named(cell: str) -> tuple[str, str]:
    """The plain name of a head and its unit: `Temperature (°F)` is `temperature` and `°F`."""
    match = _IN_HEAD.match(cell.strip())
    name, unit = match.groups() if match else (cell, "")
    name = " ".join(name.replace("_", " ").replace("-", " ").casefold().split())
    if not unit and name not in NAMES:
        first, _, last = name.rpartition(" ")
        if first in NAMES and conversion(NAMES[first], last) is not None:
            name, unit = first, last
    return name, unit


def _first(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((row for row, name in enumerate(names) if name in wanted), None)


def cell(row: Sequence[str], place: int | None) -> str:
    """What stands at a place of a row; "" where nothing does."""
    return row[place].strip() if place is not None and place < len(row) else ""


def decimal_comma(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a comma is the decimal sign: some cell is digits, a comma and one or two digits."""
    return any(re.fullmatch(r"\s*-?\d+,\d{1,2}\s*", cell) for row in rows[:2000] for cell in row)


def number(text: str, decimal_comma: bool) -> float | None:
    """A number as tables write it; a unit may follow. None for what is none."""
    plain = text.strip().replace("\N{NO-BREAK SPACE}", "").replace("\N{NARROW NO-BREAK SPACE}", "").replace(" ", "")
    plain = plain.rstrip("%")
    if decimal_comma and ("," in plain or re.fullmatch(r"-?\d{1,3}(\.\d{3})+", plain)):
        plain = plain.replace(".", "").replace(",", ".")
    elif not decimal_comma and re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if isfinite(value) else None

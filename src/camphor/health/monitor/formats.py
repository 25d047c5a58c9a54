"""Files of other programs by their format: LibreView, Dexcom Clarity, Oura, Withings, Fitbit, Health Connect.

What a format looks like is data (`formats.toml`); here tables, lists of records and databases are read by it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from fnmatch import fnmatch
from functools import cache
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from typing import Any

from camphor.device.health.database import counts, rows_of
from camphor.errors import UsageError
from camphor.health.monitor import tables
from camphor.health.monitor.imported import Imported, is_unit
from camphor.health.monitor.times import moment, order_of
from camphor.health.monitor.vitals import SLEEP, Vital, epoch

_HEADS = 5
"""So many lines may stand before the names of the columns."""
_LONGEST = 86_400.0
_RECORDS = "_record_table"
"""So the tables of Health Connect are called that hold what was measured."""
Format = Mapping[str, Any]


@cache
def formats() -> Mapping[str, Any]:
    """What formats.toml says of tables, records and databases, and of Apple Health's and FIT files."""
    return tomllib.loads(files(__package__).joinpath("formats.toml").read_text(encoding="utf-8"))


def known_name(name: str) -> bool:
    """Whether a file in an archive may be of some format, by its name alone."""
    return name.casefold().endswith((".csv", ".json", ".db"))


# tables


def read_table(path: Path, zone: tzinfo | None, day_first: bool | None) -> Imported:
    """A table of a known format, or else one as people write them. Raises: as `tables.read`."""
    return next(table_of(path, zone, day_first), None) or tables.read(path, zone, day_first)


def table_of(path: Path, zone: tzinfo | None, day_first: bool | None) -> Iterator[Imported]:
    """What a table of a known format holds; nothing of another one."""
    cut = tables.Cut()
    rows = tables.rows_of(path, cut)
    start = list(islice(rows, _HEADS))
    for number, head in enumerate(start):
        for each in formats()["table"]:
            if _fits(each, path.name, head):
                reading = _FormatReading(each, zone, path)
                title = list(chain.from_iterable(start[:number]))
                reading.table(head, list(chain(start[number + 1 :], rows)), day_first, title)
                reading.found.broken = cut.says
                reading.found.settle(reading.zone)
                yield reading.found
                return


def _fits(form: Format, name: str, head: Sequence[str]) -> bool:
    return _named(form, name) and all(_place(head, names) is not None for names in form["columns"])


def _named(form: Format, name: str) -> bool:
    return "files" not in form or any(fnmatch(name.casefold(), each.casefold()) for each in form["files"])


def _place(head: Sequence[str], names: Iterable[str]) -> int | None:
    """Where a column of one of these names stands; a unit may follow the name."""
    for name in names:
        wanted = _plain(name)
        for place, cell in enumerate(head):
            plain = _plain(cell)
            rest = plain[len(wanted) :].strip()
            if plain == wanted or (plain.startswith(wanted) and (rest.startswith("(") or is_unit(rest))):
                return place
    return None


def _unit(cell: str, names: Iterable[str]) -> str:
    """What follows the name of a column: `mmol/l` of `Historic Glucose mmol/L`."""
    plain = _plain(cell)
    name = next((_plain(each) for each in names if plain.startswith(_plain(each))), plain)
    return plain[len(name) :].strip(" ()")


def _plain(text: str) -> str:
    return " ".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("_", " ").casefold().split())


# records


def read_records(path: Path, zone: tzinfo | None) -> Imported:
    """A list of records as JSON. Raises UsageError: it is no JSON, or of no known format."""
    for found in records_of(path, zone):
        return found
    raise UsageError(f"{path} is no JSON that is read here: Fitbit's heart_rate-, steps- and sleep- files, or Oura's")


def records_of(path: Path, zone: tzinfo | None) -> Iterator[Imported]:
    """What the records of a known format hold; nothing of another one. Raises UsageError: it is no JSON."""
    try:
        told = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read as JSON: export it again") from error
    records = told.get("data", [told]) if isinstance(told, dict) else told
    records = [each for each in records if isinstance(each, dict)] if isinstance(records, list) else []
    for each in formats()["records"]:
        if _named(each, path.name) and any(set(each.get("fields", ())) <= set(record) for record in records):
            reading = _FormatReading(each, zone, path)
            for record in records:
                reading.record(record)
            reading.found.settle(reading.zone)
            yield reading.found
            return


def _field(record: Any, path: str) -> Any:
    """What stands at `value.bpm`."""
    for name in path.split("."):
        record = record.get(name) if isinstance(record, dict) else None
    return record


# databases


def read_database(path: Path) -> Imported:
    """Health Connect's export. Raises UsageError: it cannot be read, or holds none of its tables."""
    (form,) = formats()["database"]
    reading = _FormatReading(form, UTC, path)
    for each in form["tables"]:
        columns = [each["time"], each["value"], *([each["stage"]] if "stage" in each else [])]
        for row in rows_of(path, each["table"], columns, each.get("parent", "")):
            reading.row(each, row)
    read = {each[name] for each in form["tables"] for name in ("table", "parent") if name in each}
    for table, count in counts(path, _RECORDS).items():
        if table not in read:
            reading.found.skip(f"{table.removesuffix(_RECORDS).replace('_', ' ')}, which is not read here", count)
    return reading.found


class _FormatReading:
    """Takes what a file of a format holds."""

    def __init__(self, form: Format, zone: tzinfo | None, path: Path) -> None:
        self.form, self.path, self.found = form, path, Imported(local=True)
        self.zone: tzinfo | None = UTC if form.get("zone") == "UTC" else zone
        self.stages = {str(name): Vital(kind) for name, kind in form.get("stages", {}).items()}
        self.words = {str(word).casefold(): float(value) for word, value in form.get("words", {}).items()}
        self.day_first = False

    def table(
        self, head: Sequence[str], rows: Sequence[Sequence[str]], day_first: bool | None, title: Sequence[str]
    ) -> None:
        times = [place for name in self.form["time"] if (place := _place(head, [name])) is not None]
        self.day_first = order_of(self.path, [_first(row, times) for row in rows], day_first, title)
        comma = tables.decimal_comma(rows)
        source = _place(head, self.form.get("source_column", ()))
        only = self.form.get("only", {"column": [], "is": []})
        chosen = _place(head, only["column"])
        values = list(self._columns(head))
        for row in rows:
            if chosen is not None and (sort := tables.cell(row, chosen)) not in only["is"]:
                if sort not in only.get("not", ()) and any(tables.cell(row, place) for place, *_ in values):
                    self.found.skip(f"a value of the sort {sort[:30]!r}, which is not known")
                continue
            at = self._time(_first(row, times))
            if at is None:
                continue
            record = {_plain(name).replace(" ", "_"): cell for name, cell in zip(head, row, strict=False)}
            named = tables.cell(row, source)
            for place, kind, field, convert, own_time, part in values:
                when = at if own_time is None else self._time(tables.cell(row, own_time))
                text = tables.cell(row, place)
                if field:
                    text = str(_field(_json(text), field) or "")
                if when is not None:
                    self._add(kind, when, text, convert, comma, ", ".join(each for each in (named, part) if each))
            self._long(record, at)
            self._lists(record, at)

    def _columns(
        self, head: Sequence[str]
    ) -> Iterator[tuple[int, Vital, str, Callable[[float], float], int | None, str]]:
        for each in self.form.get("values", ()):
            place, kind = _place(head, each["column"]), Vital(each["kind"])
            if place is None:
                continue
            unit = each.get("unit") or _unit(head[place], each["column"])
            convert = tables.conversion_of(self.path, kind, unit)
            if unit:
                self.found.units[kind] = unit
            own_time = _place(head, [each["time"]]) if "time" in each else None
            yield place, kind, each.get("field", ""), convert, own_time, each.get("source", "")

    def record(self, record: Mapping[str, Any]) -> None:
        inside = _field(record, self.form["inside"]) if "inside" in self.form else [record]
        for each in inside if isinstance(inside, list) else ():
            at = self._time(next((str(each[name]) for name in self.form["time"] if each.get(name)), ""))
            if at is None:
                continue
            for value in self.form.get("values", ()):
                kind, told = Vital(value["kind"]), _field(each, value["field"])
                self._add(kind, at, "" if told is None else str(told), tables.conversion_of(self.path, kind, ""))
            if "stage" in self.form:
                self._stage(str(each.get(self.form["stage"])), at, each.get(self.form["length"]))
            self._long(each, at)

    def row(self, told: Mapping[str, Any], row: tuple[Any, ...]) -> None:
        """A row of a database: time and value (of a stretch its end), and the app that measured it."""
        *values, app = row
        if not all(isinstance(each, int | float) for each in values):
            self.found.skip(f"a row of {told['table']} without a number")
            return
        at, value = values[0] / 1000, values[1]
        source = str(app or "")
        if "stage" in told:
            self._stage(str(values[2]), at, value / 1000 - at, source)
        elif told.get("exercise"):
            for minute in range(int(min(max(value / 1000 - at, 0), _LONGEST) // 60)):
                self._keep(Vital.EXERCISE, at + 60 * minute, 1.0, source)
        else:
            kind = Vital(told["kind"])
            self._keep(kind, at, tables.conversion_of(self.path, kind, told.get("unit", ""))(value), source)

    def _long(self, record: Mapping[str, Any], at: float) -> None:
        """A night in one record: series of values at even distances, and a letter for each stretch of sleep."""
        for each in self.form.get("series", ()):
            told = _json(record.get(each["column"]))
            begin = self._time(str(told.get("timestamp", ""))) if isinstance(told, dict) else None
            every, items = (told.get("interval"), told.get("items")) if isinstance(told, dict) else (None, None)
            if begin is None or not isinstance(every, int | float) or not isinstance(items, list):
                continue
            for number, value in enumerate(items):
                if isinstance(value, int | float):
                    self._keep(Vital(each["kind"]), begin + number * every, float(value))
        if phases := self.form.get("phases"):
            for number, letter in enumerate(str(record.get(phases["column"]) or "")):
                self._stage(letter, at + number * phases["minutes"] * 60, phases["minutes"] * 60)

    def _lists(self, record: Mapping[str, Any], at: float) -> None:
        """Lengths and values of the pieces of a stretch, which follow each other."""
        told = self.form.get("lists")
        if not told:
            return
        lengths, values = _json(record.get(told["length"])), _json(record.get(told["value"]))
        if not isinstance(lengths, list) or not isinstance(values, list) or len(lengths) != len(values):
            self.found.skip("a row whose lengths and values do not fit")
            return
        for length, value in zip(lengths, values, strict=True):
            if "kind" not in told:
                self._stage(str(value), at, length)
            elif isinstance(value, int | float):
                self._keep(Vital(told["kind"]), at, float(value))
            at += length if isinstance(length, int | float) else 0

    def _stage(self, name: str, at: float, seconds: Any, source: str = "") -> None:
        kind = self.stages.get(name)
        if kind is not None and isinstance(seconds, int | float) and 0 < seconds <= _LONGEST:
            self._keep(kind, at, seconds / 60, source)

    def _time(self, text: str) -> float | None:
        if not text:
            return None
        try:
            told = moment(text, self.day_first)
            self.found.local &= told.tzinfo is None
            return epoch(told, self.zone)
        except (ValueError, OverflowError, OSError):
            self.found.skip("a time that cannot be read")
            return None

    def _add(
        self,
        kind: Vital,
        at: float,
        text: str,
        convert: Callable[[float], float],
        comma: bool = False,
        source: str = "",
    ) -> None:
        word = self.words.get(text.strip().casefold())
        if word is not None:
            self._keep(kind, at, word, source)
            return
        value = tables.number(text, comma)
        if value is not None:
            share = kind is Vital.OXYGEN and 0 < value <= 1
            self._keep(kind, at, value * 100 if share else convert(value), source)
        elif text.strip().casefold() not in tables.NO_VALUE:
            self.found.skip(f"{kind.value} that is no number")

    def _keep(self, kind: Vital, at: float, value: float, source: str = "") -> None:
        if kind in SLEEP and value <= 0:
            return
        self.found.add(kind, f"{self.form['source']}, {source}" if source else self.form["source"], at, value)


def _first(row: Sequence[str], places: Iterable[int]) -> str:
    return next((text for place in places if (text := tables.cell(row, place))), "")


def _json(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return None

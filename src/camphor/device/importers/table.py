"""Tables (.csv, .tsv, a JSON list of objects): of a known program, or with a mapping that says what the columns are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, beginning, without_empty
from camphor.device.importers.table_known import Known, are_places, known_table, places
from camphor.device.importers.table_mapping import (
    TableMapping,
    mapping_name,
    mapping_of,
    mapping_path,
    places_of,
    shown_columns,
    what_to_write,
)
from camphor.device.importers.table_rows import Table, table_of
from camphor.device.importers.table_values import DATES, MANY, Readings, reader
from camphor.device.importers.tidy import tidy
from camphor.errors import UsageError

_SHEETS = frozenset((".csv", ".tsv"))
_BEGINNING = 1 << 15  # bytes in which the first place of a file stands
_MOST_KEYS = 1_000_000  # that are remembered, to tell those that come twice: some 70 MB
_LONGEST_KEY = 200  # characters, of longer ones a hash is the key
_BETWEEN = "\x1f"

_Where = tuple[int, Brought]
"""A record, and the number of its row."""


def _looks(path: Path) -> bool:
    end = path.suffix.lower()
    if not path.is_file() or end not in (*_SHEETS, ".json"):
        return False
    return end in _SHEETS or mapping_path(path) is not None or are_places(beginning(path, _BEGINNING))


def _read(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    mapping = mapping_of(path)
    if mapping and mapping.app:
        table = table_of(path)
        found = _mapped(table, mapping, situation, unread)
        return _once(found, table.row, unread) if mapping.key else (each for _, each in found)
    if path.suffix.lower() == ".json" and are_places(beginning(path, _BEGINNING)):
        return _once(places(path, situation, unread), "record", unread)
    table = table_of(path)
    known = known_table(table.columns)
    if known is None:
        raise what_to_write(path, table.columns)
    dayfirst = mapping.dayfirst if mapping else None
    return _once(_of_program(path, table, known, dayfirst, situation, unread), table.row, unread)


def _once(found: Iterator[_Where], row: str, unread: Unread) -> Iterator[Brought]:
    """Each key once. Of two rows nobody knows which is meant: the first stays, and does when they are read again."""
    seen: set[int] = set()
    for number, each in found:
        key = hash(each.key)
        if key in seen:
            unread.add(f"{row} {number}", "its key is that of another before it")
            continue
        if len(seen) < _MOST_KEYS:
            seen.add(key)
        yield each


def _mapped(table: Table, mapping: TableMapping, situation: Situation, unread: Unread) -> Iterator[_Where]:
    columns = {name: places_of(mapping, each, table.columns) for name, each in mapping.fields.items()}
    key = places_of(mapping, mapping.key, table.columns)
    dates = {name: each for name, each in columns.items() if name in DATES and name in mapping.known}
    dayfirst = _dayfirst(table, dates, mapping.dayfirst, mapping.path)
    fields = [
        (name, each[0] if len(each) == 1 else -1, each, _reader(mapping, name, situation, dayfirst.get(name, False)))
        for name, each in columns.items()
    ]
    app, list_, unit = mapping.app, mapping.list, table.row
    for number, row in table.rows(unread):
        record: dict[str, object] = {}
        for name, place, several, made in fields:
            text = row[place] if place >= 0 else _joined(row, several)
            if not text:
                continue
            value = made(text)
            if value is None:
                if text.strip():
                    unread.add(f"{unit} {number}", f"its {name} cannot be read")
            elif value != "" and value != []:
                record[name] = value
        if record:
            yield number, Brought(app, list_, _key(row, key), record)


def _reader(mapping: TableMapping, field: str, situation: Situation, dayfirst: bool) -> Callable[[str], object]:
    """What makes a value of a cell: of fields that the list does not know a text."""
    return reader(field, situation, dayfirst) if field in mapping.known or field in MANY else tidy


def _joined(row: Sequence[str], places: Sequence[int]) -> str:
    return " ".join(filter(None, (row[place].strip() for place in places)))


def _key(row: Sequence[str], places: Sequence[int]) -> str:
    """The cells of the key; all cells where those are empty, or none are named."""
    cells = [row[place].strip() for place in places]
    text = _BETWEEN.join(cells if any(cells) else row)
    return text if len(text) <= _LONGEST_KEY else blake2b(text.encode("utf-8", "surrogatepass")).hexdigest()


def _dayfirst(table: Table, dates: Mapping[str, Sequence[int]], said: bool | None, mapping: Path) -> Mapping[str, bool]:
    """Whether the day comes first, of each field, as the mapping says or else as its dates tell.

    Raises:
        UsageError: a column can be read both ways.
    """
    if said is not None or not dates:
        return dict.fromkeys(dates, bool(said))
    readings = {name: Readings() for name in dates}
    tested = [(readings[name].add, each) for name, each in dates.items()]
    for _, row in table.rows(Unread()):
        for add, columns in tested:
            add(row[columns[0]] if len(columns) == 1 else _joined(row, columns))
    told = {name: each.dayfirst for name, each in readings.items()}
    unclear = dict.fromkeys(place for name, each in told.items() if each is None for place in dates[name])
    if unclear:
        shown = shown_columns([table.columns[place] for place in unclear])
        raise UsageError(
            f"{mapping}: the dates of {shown} can be read with the day or with the month first: write a line"
            "  dayfirst = true  or  dayfirst = false  at its top"
        )
    return {name: bool(each) for name, each in told.items()}


def _of_program(
    path: Path, table: Table, known: Known, said: bool | None, situation: Situation, unread: Unread
) -> Iterator[_Where]:
    dates = {name: (table.columns.index(name),) for name in known.dates if name in table.columns}
    dayfirst = any(_dayfirst(table, dates, said, path.with_name(mapping_name(path))).values())
    for number, row in table.rows(unread):
        key, record = known.made(dict(zip(table.columns, row, strict=True)), situation, dayfirst)
        if key:
            yield number, Brought(known.app, known.list, key, without_empty(record))
        else:
            unread.add(f"{table.row} {number}", "it has nothing to call it by")


CSV = SimpleImporter(
    "csv",
    "tables (.csv, .tsv, .json) with a .map.toml beside them; Google's, Outlook's and Goodreads' own",
    _looks,
    _read,
)

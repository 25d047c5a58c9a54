"""Which columns of a table are which fields of which list: what a person writes in NAME.map.toml beside it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.device.importers.base import beginning
from camphor.errors import UsageError

_END = ".map.toml"
_LARGEST = 1 << 16  # bytes
_FIELD = re.compile(r"[a-z][a-z0-9_]{0,39}")
_KNOWN = ("app", "list", "key", "dayfirst", "fields")
_MOST_SHOWN = 40  # columns that are named in an error
_LONGEST_SHOWN = 40  # characters of each


@dataclass(frozen=True)
class TableMapping:
    """What a mapping says.

    Args:
        path: its file. app, list: where the rows belong; empty where it only says how dates are read. fields: the
        columns of each field, joined by a space. key: the columns that tell a row from others; none for all of them.
        known: the fields that the list has of itself.
        dayfirst: whether 03/04 is the third of April; None where it is not said.
    """

    path: Path
    app: str = ""
    list: str = ""
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    key: Sequence[str] = ()
    known: Sequence[str] = ()
    dayfirst: bool | None = None


def mapping_name(table: Path) -> str:
    """What the mapping of a table is called."""
    return table.stem + _END


def mapping_path(table: Path) -> Path | None:
    """The file of a table's mapping, named as the table with or without its ending; None where there is none."""
    places = (table.with_name(table.name + _END), table.with_name(mapping_name(table)))
    return next((place for place in places if place.is_file()), None)


def mapping_of(table: Path) -> TableMapping | None:
    """The mapping beside a table; None where there is none. Raises: UsageError, it cannot be used."""
    path = mapping_path(table)
    return _checked(path, _said(path)) if path else None


def _said(path: Path) -> dict[str, Any]:
    content = beginning(path, _LARGEST + 1)
    if len(content) > _LARGEST:
        raise UsageError(f"{path}: it is larger than {_LARGEST >> 10} KiB: a mapping is a few lines")
    try:
        return tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise UsageError(f"{path}: it is not UTF-8 text: save it as UTF-8") from None
    except RecursionError:
        raise UsageError(f"{path}: it is nested too deep: a mapping is a few lines") from None
    except ValueError as error:
        place = re.search(r"\(at [^()]*\)\Z", str(error))
        raise UsageError(f"{path}: it is no TOML {place[0] if place else ''}: write texts in quotes") from None


def _checked(path: Path, said: dict[str, Any]) -> TableMapping:
    if unknown := next((name for name in said if name not in _KNOWN), None):
        raise UsageError(f"{path}: it says {_shown(unknown)}, and a mapping knows {', '.join(_KNOWN)}")
    dayfirst = said.get("dayfirst")
    if not isinstance(dayfirst, bool | None):
        raise UsageError(f"{path}: dayfirst is true or false")
    if set(said) <= {"dayfirst"}:
        return TableMapping(path, dayfirst=dayfirst)
    app, name, known = _place(path, said)
    key = _columns(path, "key", said.get("key", []))
    return TableMapping(path, app, name, _fields(path, said, known), key, known, dayfirst)


def _place(path: Path, said: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    """App and list, and the fields that the list has."""
    from camphor.device.apps import BUILT_IN_APPS

    app, name = said.get("app"), said.get("list")
    known = BUILT_IN_APPS.get(app) if isinstance(app, str) else None
    if known is None or not isinstance(app, str):
        raise UsageError(f"{path}: app should be one of {', '.join(BUILT_IN_APPS)}")
    if not isinstance(name, str) or name not in known.lists:
        raise UsageError(f"{path}: list of {app} should be {' or '.join(known.lists)}")
    return app, name, known.lists[name]


def _fields(path: Path, said: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    fields = said.get("fields")
    if not isinstance(fields, dict) or not fields:
        raise UsageError(
            f'{path}: it names no fields: below a line  [fields]  write lines such as  {known[0]} = "COLUMN"'
        )
    if wrong := next((name for name in fields if not _FIELD.fullmatch(name)), None):
        raise UsageError(f"{path}: {_shown(wrong)} cannot be a field: a name is of small letters, digits and _")
    if not set(fields) & set(known):
        raise UsageError(f"{path}: none of its fields is one of the list's: {', '.join(known)}")
    return {name: _columns(path, f"fields.{name}", columns) for name, columns in fields.items()}


def _columns(path: Path, name: str, said: object) -> tuple[str, ...]:
    columns = [said] if isinstance(said, str) else said
    if not isinstance(columns, list) or not all(isinstance(each, str) for each in columns):
        raise UsageError(f"{path}: {name} should be a column's name, or several in brackets")
    if not columns and name != "key":
        raise UsageError(f"{path}: {name} names no column")
    return tuple(columns)


def places_of(mapping: TableMapping, names: Sequence[str], columns: Sequence[str]) -> tuple[int, ...]:
    """Where columns stand in the table. Raises: UsageError, one is not there."""
    return tuple(_place_of(mapping, name, columns) for name in names)


def _place_of(mapping: TableMapping, name: str, columns: Sequence[str]) -> int:
    if name in columns:
        return columns.index(name)
    near = [place for place, each in enumerate(columns) if each.casefold() == name.strip().casefold()]
    if not near:
        raise UsageError(f"{mapping.path}: there is no column {_shown(name)}: the columns are {shown_columns(columns)}")
    return near[0]


def what_to_write(table: Path, columns: Sequence[str]) -> UsageError:
    """The error for a table that has no mapping."""
    first = json.dumps(next(filter(None, columns), "Column"), ensure_ascii=False)
    lines = ('app = "notes"', 'list = "notes"', f"key = [{first}]", "[fields]", f"title = {first}")
    return UsageError(
        f"{table}: its columns are {shown_columns(columns)}: say what they are in {mapping_name(table)} beside it, in"
        f" lines such as  {' | '.join(lines)}"
    )


def shown_columns(columns: Sequence[str]) -> str:
    shown = ", ".join(_shown(each) for each in columns[:_MOST_SHOWN])
    return shown if len(columns) <= _MOST_SHOWN else f"{shown} and {len(columns) - _MOST_SHOWN} more"


def _shown(name: str) -> str:
    text = " ".join(name.split())
    return f'"{text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."}"'

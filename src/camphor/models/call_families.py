"""How families of models write calls of tools: the table that reading, writing and the grammar share."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.models.chat import ChatCall

HERMES = "hermes"
"""The family whose form most models have seen: for those whose template knows of no tools."""


@dataclass(frozen=True)
class CallFamily:
    """A form of calls; `call_families.toml` says what the fields are."""

    name: str
    mark: str
    call: tuple[str, str, str]
    known_by: tuple[str, ...] = ()
    first: bool = False
    section: tuple[str, str] = ("", "")
    between: str = ""
    arguments: str = "object"
    argument: tuple[str, str, str] = ("", "", "")
    quote: str = ""
    end: str = ""

    def write(self, calls: Iterable[ChatCall]) -> str:
        """Calls as a model of the family writes them."""
        before, middle, behind = self.call
        written = (f"{before}{each.name}{middle}{self._arguments(as_object(each.arguments))}{behind}" for each in calls)
        return f"{self.section[0]}{self.between.join(written)}{self.section[1]}"

    def _arguments(self, values: Mapping[str, Any]) -> str:
        match self.arguments:
            case "tagged":
                before, middle, behind = self.argument
                return "".join(
                    f"{before}{key}{middle}{value if isinstance(value, str) else as_json(value)}{behind}"
                    for key, value in values.items()
                )
            case "quoted":
                return self._quoted(values)[1:-1]
            case "code":
                return ", ".join(f"{key}={_as_code(value)}" for key, value in values.items())
            case _:
                return as_json(values)

    def _quoted(self, value: Any) -> str:
        if isinstance(value, str):
            return f"{self.quote}{value}{self.quote}"
        if isinstance(value, Mapping):
            return "{" + ",".join(f"{key}:{self._quoted(each)}" for key, each in value.items()) + "}"
        if isinstance(value, list | tuple):
            return "[" + ",".join(map(self._quoted, value)) + "]"
        return as_json(value)


def _as_code(value: Any) -> str:
    names = {True: "True", False: "False", None: "None"}
    return names[value] if value is None or isinstance(value, bool) else as_json(value)


@functools.cache
def families() -> tuple[CallFamily, ...]:
    """All of them, as the table has them."""
    rows: list[dict[str, Any]] = _table()["family"]
    return tuple(CallFamily(**{key: _fixed(value) for key, value in row.items()}) for row in rows)


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@functools.cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def unknown_part(template: str) -> str:
    """What a template writes that nobody here could read; "" for nothing."""
    return next((each for each in _table()["unknown"] if each in template), "")


def family_named(name: str) -> CallFamily:
    """The family of that name; KeyError where there is none."""
    return {each.name: each for each in families()}[name]


def family_of(template: str) -> CallFamily | None:
    """The family whose calls a chat template writes; None where it writes none that are known."""
    known = (each for each in families() if each.known_by)
    return next((each for each in known if all(part in template for part in each.known_by)), None)


def as_object(arguments: str) -> dict[str, Any]:
    """The arguments of a call; none where their text is no object."""
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def as_json(value: Any) -> str:
    """JSON as chat templates write it."""
    return json.dumps(value, ensure_ascii=False, default=str)

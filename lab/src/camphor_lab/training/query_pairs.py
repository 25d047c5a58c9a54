"""Implicit queries, each beside the one thing that it is about, without a phone around them (`data/context-pairs`).

A phone with weeks of use is much to write for a few queries. A pair is one line: it teaches what people mean by their
words, of more people and more things than phones could be written for, before situations teach what use and time tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from camphor.device.apps import KNOWN_APPS
from camphor.device.usage_events import ItemRef
from camphor.retrieval.context.items import item_of
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.relevance import apps_of
from camphor_lab.training.small_models import read_lines

_MONDAY = datetime(2026, 6, 1)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_WHEN = re.compile(rf"({'|'.join(_DAYS)}) ([01]\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True)
class Thing:
    """An item as a ranker reads it: its text, and in words the list that holds it."""

    text: str
    store: str


@dataclass(frozen=True)
class QueryPair:
    """Wordings of a query in a situation, the thing that is meant, and one that a hasty reader would take for it."""

    queries: tuple[str, ...]
    situation: UseSituation
    meant: Thing
    near: Thing


def read_pairs(paths: Sequence[Path]) -> tuple[list[QueryPair], bytes]:
    """The pairs of files, and all that was read.

    Args:
        paths: of lines of `{"queries", "place", "when", "list", "item", "near": {"list", "item"}}`; "when" is a weekday
            and a time ("Thu 15:20"), "list" an app with one of its lists ("notes.notes").

    Raises:
        DatasetError: a file cannot be read or breaks the format; says where.
    """
    return read_lines(paths, _pair, '{"queries", "place", "when", "list", "item", "near"}')


def _pair(line: Any) -> QueryPair:
    found = _WHEN.fullmatch(line["when"])
    if not found or not line["queries"] or not isinstance(line["queries"], list):
        raise ValueError(f"{line['when']!r}, {line['queries']!r}")
    day, hour, minute = found.groups()
    now = _MONDAY + timedelta(days=_DAYS.index(day), hours=int(hour), minutes=int(minute))
    queries = tuple(map(str, line["queries"]))
    return QueryPair(queries, UseSituation(now, str(line["place"])), _thing(line), _thing(line["near"]))


def _thing(value: Mapping[str, Any]) -> Thing:
    app, name = value["list"].split(".", 1)
    known = apps_of({"apps": {app: {}}})[app] if app in KNOWN_APPS else ""
    return Thing(item_of(ItemRef(app, name, 0), value["item"]).text, f"{app} {name} {known}".replace("_", " "))

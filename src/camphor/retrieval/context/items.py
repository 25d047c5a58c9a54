"""The items of a device: each record of each app's list, as a retriever reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

from camphor.device import dates
from camphor.device.manifests import ACTIONS
from camphor.device.text import fold, text_of
from camphor.device.usage_events import ItemRef, seconds

Record = Mapping[str, Any]

LONGEST = 4000
"""Characters of an item that are read: its beginning says what it is about, and a note may have ten million."""
LONGEST_FIELD = 3000

_TITLES = ("title", "subject", "name", "query", "content", "contact", "item", "text", "app", "show", "action")
_PEOPLE = (
    "sender", "recipients", "contact", "organizer", "participants", "name", "artist", "person", "author", "from", "to",
)  # fmt: skip
_CATEGORIES = ("category", "genre", "relationship", "direction", "status")
_DATED = frozenset(
    ("start", "end", "date", "time", "modified", "played", "read", "visited", "created", "due", "when", "day", "at")
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]|$)")
_NO_WORDS = re.compile(r"[\d\W_]*")


@dataclass(frozen=True)
class Item:
    """One record of an app's list.

    Attributes:
        text: what it says, without its dates and numbers, cut to `LONGEST` characters.
        title: the field that names it.
        moments: first and last of its dates in seconds (`usage_events.seconds`); one where they are the same, none
            where it has none.
        people: names, addresses and relationships in its fields for people.
        category: what kind of item it is, by its own fields: a category, genre, direction, status.
        done: whether it says that it is done.
    """

    ref: ItemRef
    text: str
    title: str = ""
    moments: tuple[float, ...] = ()
    people: tuple[str, ...] = ()
    category: str = ""
    done: bool = False


def item_of(ref: ItemRef, record: Record, zone: tzinfo | None = None) -> Item:
    """A record as an item. Values that are no text, number, list or object are passed over."""
    title = next((str(record[key]) for key in _TITLES if isinstance(record.get(key), str) and record[key]), "")
    words = [_cut(value) for key, value in record.items() if key not in _DATED]
    text = "\n".join(part for part in words if not _NO_WORDS.fullmatch(part))
    return Item(
        ref=ref,
        text=text[:LONGEST],
        title=title[:200],
        moments=_moments(record, zone),
        people=tuple(_people(record)),
        category=" ".join(fold(str(record[key]))[:60] for key in _CATEGORIES if record.get(key)),
        done=record.get("done") is True,
    )


def items_of(
    lists: Iterable[tuple[str, str, Iterable[tuple[int, Record]]]], zone: tzinfo | None = None
) -> Iterator[Item]:
    """The items of lists, given as app, name, and records with their ordinals.

    What apps recorded of actions is passed over. An item about somebody whose relationship another record states
    knows that relationship too.
    """
    kept = [(app, name, list(records)) for app, name, records in lists if name != ACTIONS]
    known = relationships(record for _, _, records in kept for _, record in records)
    for app, name, records in kept:
        for ordinal, record in records:
            yield related(item_of(ItemRef(app, name, ordinal), record, zone), known)


def relationships(records: Iterable[Record]) -> dict[str, str]:
    """The relationship of each person by folded name and address, as records state it beside a name."""
    found: dict[str, str] = {}
    for record in records:
        said = record.get("relationship")
        if not isinstance(said, str) or not said:
            continue
        for key in ("contact", "name", "email"):
            if isinstance(record.get(key), str):
                found.setdefault(fold(record[key]), said[:60])
    return found


def related(item: Item, known: Mapping[str, str]) -> Item:
    """The item with the relationships of its people."""
    if not known or not item.people:
        return item
    more = dict.fromkeys(known[fold(name)] for name in item.people if fold(name) in known)
    missing = [said for said in more if said not in item.people]
    return replace(item, people=(*item.people, *missing)) if missing else item


def _people(record: Record) -> Iterator[str]:
    for key in (*_PEOPLE, "relationship"):
        value = record.get(key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one:
                yield one[:100]


def _cut(value: Any) -> str:
    """The text of a field, as far as it is read."""
    return value[:LONGEST_FIELD] if isinstance(value, str) else text_of(value)[:LONGEST_FIELD]


def _moments(record: Record, zone: tzinfo | None) -> tuple[float, ...]:
    found = []
    for key, value in record.items():
        if isinstance(value, str) and (key in _DATED or _ISO.match(value)) and key != "birthday":
            moment = dates.moment(value, zone)
            if moment is not None:
                found.append(seconds(moment))
    if not found:
        return ()
    first, last = min(found), max(found)
    return (first,) if first == last else (first, last)

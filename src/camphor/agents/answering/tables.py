"""The record lists of a phone as a question sees them: what each is called, and what kind of value each field holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from camphor.agents.answering.lexicon import lexicon, stem, stems_of, word_list
from camphor.device import dates
from camphor.device.records import ACTIONS
from camphor.device.text import COMMON, fold, text_of, words
from camphor.tools.tool import Tool

if TYPE_CHECKING:
    from camphor.device.device import Device
from datetime import date, timedelta

Record = Mapping[str, Any]
LONGEST = 2000
"""Records of a list that are read; of a longer one those that were added last."""
_CALLS = "calls"
_COMMONPLACE = COMMON | word_list("commonplace")


class FieldKind(StrEnum):
    """What a field holds, as far as questions tell values apart."""

    TIME = "time"
    END = "end"
    NUMBER = "number"
    FLAG = "flag"
    PERSON = "person"
    ADDRESS = "address"
    WORD = "word"
    TEXT = "text"


@dataclass(frozen=True)
class Field:
    """A field of a list: its name in records, its kind, the folded words that ask for it."""

    name: str
    kind: FieldKind
    words: frozenset[str]


@dataclass(frozen=True)
class Row:
    """One record, and where it stands in its list."""

    ordinal: int
    record: Record


@dataclass(frozen=True, eq=False)
class Table:
    """A record list with its fields.

    Attributes:
        label: what the person calls its place ("your calendar"). noun, nouns: one record, several.
        words: folded words that speak of it.
    """

    app: str
    name: str
    label: str
    noun: str
    nouns: str
    words: frozenset[str]
    fields: tuple[Field, ...]
    rows: tuple[Row, ...]
    explicit: frozenset[str] = frozenset()
    """Folded words that mean this list and no other."""
    untitled: bool = False
    said: bool = False
    """Whether its records are what somebody else wrote: quoted, never spoken as the assistant's own words."""

    @property
    def key(self) -> str:
        """`calendar.events`."""
        return f"{self.app}.{self.name}"

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stem(word) for word in self.words)

    @cached_property
    def called(self) -> frozenset[str]:
        """The stems of what one of its records, or several, are called and of words that mean this list alone."""
        named = f"{self.noun} {self.nouns} {self.name.replace('_', ' ')}"
        return stems_of(named) | {stem(word) for word in self.explicit}

    @cached_property
    def spoken(self) -> frozenset[str]:
        """The stems of words that speak of the list or of one of its fields."""
        return self.stems | {stem(word) for each in self.fields for word in each.words}

    def field(self, name: str) -> Field | None:
        return next((each for each in self.fields if each.name == name), None)

    def of(self, *kinds: FieldKind) -> tuple[Field, ...]:
        return tuple(each for each in self.fields if each.kind in kinds)

    @cached_property
    def title(self) -> Field | None:
        """The field that names a record; None where its day does."""
        if self.untitled:
            return None
        named = [
            each
            for name in _data()["titles"]
            if (each := self.field(name)) and each.kind in (FieldKind.WORD, FieldKind.TEXT, FieldKind.PERSON)
        ]
        return next(
            iter([*named, *self.of(FieldKind.WORD), *self.of(FieldKind.PERSON), *self.of(FieldKind.TEXT)]), None
        )

    @cached_property
    def time(self) -> Field | None:
        """The field that says when a record is."""
        return next(iter(self.of(FieldKind.TIME)), None)

    @cached_property
    def text(self) -> Field | None:
        """The field with sentences in it."""
        return next(iter(self.of(FieldKind.TEXT)), None)

    @cached_property
    def author(self) -> Field | None:
        """Who wrote what is said in it."""
        return next((each for name in _data()["authors"] if (each := self.field(name))), None)

    def held(self, stems: Iterable[str]) -> list[int]:
        """In how many records each of the stems stands."""
        return [sum(each in told for told in self.told) for each in stems]

    @cached_property
    def told(self) -> tuple[frozenset[str], ...]:
        """The stems of each record."""
        return tuple(stems_of(text_of(dict(row.record))) for row in self.rows)

    def when(self, record: Record) -> datetime | None:
        return dates.moment(record.get(self.time.name)) if self.time else None

    def has_end(self, record: Record) -> bool:
        return any(record.get(each.name) for each in self.of(FieldKind.END))

    def ends(self, record: Record) -> datetime | None:
        """The end of a record that has one, or its beginning."""
        ends = self.of(FieldKind.END)
        return (dates.moment(record.get(ends[0].name)) if ends else None) or self.when(record)


def _data() -> dict[str, Any]:
    return lexicon("tables.toml")


def tables_of(device: Device) -> list[Table]:
    """Every list of the phone with records, its single objects as lists of one, and the pages of the web."""
    names = frozenset(fold(str(each.get("name", ""))) for each in device.people() if each.get("name"))
    found = [
        _table(app, name, [Row(ordinal, record) for ordinal, record in rows[-LONGEST:]], names, device)
        for app, name, rows in device.item_lists()
        if name not in (ACTIONS, _CALLS)
    ]
    for (app, name), record in _single(device):
        found.append(_table(app, name, [Row(0, record)], names, device))
    pages = [Row(ordinal, record) for ordinal, record in enumerate(device.web)]
    if pages:
        found.append(_table("web", "result", pages[:LONGEST], names, device))
    return [each for each in found if each.rows]


def read_by(tool: Tool) -> str:
    """The key "app.list" of the list that a look-up reads; "" where it is none."""
    for key, told in _data()["table"].items():
        if told.get("reads") == tool.name:
            return str(key)
    return f"{tool.app}.{tool.returns}" if tool.returns else ""


def _single(device: Device) -> Iterator[tuple[tuple[str, str], Record]]:
    for key in _data()["single"]:
        app, _, name = key.partition(".")
        if app in device.apps and (record := device.fact(app, name)):
            yield (app, name), _with_rest(_flat(record))
    if device.location:
        yield ("phone", "location"), device.location
    if device.screen:
        yield ("phone", "screen"), {"screen": device.screen}


def _flat(record: Record) -> Record:
    """An object inside the object as fields of its own: `per_app: {Music: 1.2}` becomes `Music: 1.2`."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat.update({str(key): each for key, each in value.items()})
        else:
            flat[name] = value
    return flat


def _with_rest(record: Record) -> Record:
    """With what is left of a limit, where the object has both."""
    used, limit = dates.number(record.get("used_gb")), dates.number(record.get("limit_gb"))
    return record if used is None or limit is None else {**record, "left_gb": round(limit - used, 2)}


def _table(app: str, name: str, rows: Sequence[Row], people: frozenset[str], device: Device) -> Table:
    told = _data()["table"].get(f"{app}.{name}")
    if told is None:
        description = str(device.part(app).get("description") or "") if app in device.apps else ""
        noun = name.replace("_", " ")
        tools = " ".join(
            f"{tool.name} {tool.description}" for tool in device.toolbox if tool.app == app and tool.returns == name
        )
        spoken = " ".join(
            word for word in words(f"{app} {noun} {description} {tools}".replace("_", " ")) if word not in _COMMONPLACE
        )
        told = {"label": app.replace("_", " ").title(), "noun": noun.removesuffix("s"), "nouns": noun, "words": spoken}
    fields = tuple(_fields(rows, people, told.get("kinds", {}), f"{app}.{name}"))
    spoken_of = frozenset(fold(told["words"]).split())
    return Table(
        app,
        name,
        told["label"],
        told["noun"],
        told["nouns"],
        spoken_of,
        fields,
        tuple(rows),
        frozenset(told.get("explicit", fold(app)).split()),
        told.get("untitled", False),
        told.get("said", False),
    )


def _fields(rows: Sequence[Row], people: frozenset[str], kinds: Mapping[str, str], key: str) -> Iterator[Field]:
    hidden = frozenset(_data()["hidden"])
    names = dict.fromkeys(name for row in rows for name in row.record if name not in hidden)
    timed = False
    for name in names:
        values = [value for row in rows if (value := row.record.get(name)) not in (None, "", [])]
        if not values:
            continue
        kind = FieldKind(kinds[name]) if name in kinds else _kind(name, values, people)
        if kind is FieldKind.TIME and timed and name in _data()["ends"]:
            kind = FieldKind.END
        timed = timed or kind is FieldKind.TIME
        own = frozenset(word for word in re.split(r"[_\W]+", fold(name)) if word)
        asked = _data()["field"].get(f"{key}.{name}") or _data()["field"].get(name, "")
        yield Field(name, kind, own | frozenset(fold(asked).split()))


def _kind(name: str, values: Sequence[Any], people: frozenset[str]) -> FieldKind:
    first = values[:40]
    if all(isinstance(each, bool) for each in first):
        return FieldKind.FLAG
    if sum(dates.moment(each) is not None for each in first) * 2 > len(first):
        return FieldKind.TIME
    if name in _data()["persons"]:
        return FieldKind.PERSON
    if name == "id" or name.endswith("_id"):
        return FieldKind.WORD
    if all(isinstance(each, int | float) or _AMOUNT.fullmatch(str(each).strip()) for each in first):
        return FieldKind.NUMBER
    texts = [", ".join(map(str, each)) if isinstance(each, list) else str(each) for each in first]
    if sum(bool(_ADDRESS.fullmatch(each.strip())) for each in texts) * 2 > len(texts):
        return FieldKind.ADDRESS
    if name in _data()["texts"] or sum(map(len, texts)) / len(texts) > _SENTENCE:
        return FieldKind.TEXT
    if sum(fold(each) in people for each in texts) * 2 > len(texts):
        return FieldKind.PERSON
    return FieldKind.WORD


_SENTENCE = 48  # characters in the mean, from which on a field holds sentences
_AMOUNT = re.compile(
    r"(?:-|(?:[^\W\d_]{1,3}\.?|[$€£¥₹₦₱]) ?)?\d[\d,. ]*(?: ?(?:[^\W\d_]{1,6}|%|[$€£¥₹₦])(?:/[^\W\d_]+)?)?"
)
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+|\+?[\d][\d ()./-]{5,}\d|https?://\S+")


def built_in_lists() -> tuple[str, ...]:
    """The keys "app.list" of the lists of built-in apps."""
    return tuple(_data()["table"])


_LONGEST_VALUE = 300  # characters
_NEAR_DAYS, _NEAR_WEEKS = 15, 60  # days within which a distance is said in days, and in weeks
_PARTS = ((5, "night"), (12, "morning"), (17, "afternoon"), (22, "evening"), (24, "night"))
_DAYS = {0: "today", 1: "tomorrow", -1: "yesterday"}
_WEEKS = {0: "this week", 1: "next week", -1: "last week"}


def record_text(table: Table, row: Row, now: datetime) -> str:
    """`calendar event: title Dentist | start Thursday 12 March 10:00 morning, today, this week`."""
    told = [_said(each, row.record.get(each.name), now) for each in table.fields]
    place = table.label.removeprefix("your ")
    return f"{place} {table.noun}: {' | '.join(each for each in told if each)}"


def _said(field: Field, value: object, now: datetime) -> str:
    label = field.name.replace("_", " ")
    if value in (None, "", []):
        return ""
    if isinstance(value, bool):
        return label if value else f"not {label}"
    if field.kind in (FieldKind.TIME, FieldKind.END) and (when := dates.moment(value)):
        return f"{label} {_when(when, now, timed=len(str(value)) > len('2026-03-12'))}"
    return f"{label} {_plain(value)[:_LONGEST_VALUE]}"


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(each.get("name", each) if isinstance(each, Mapping) else each) for each in value)
    if isinstance(value, Mapping):
        return " ".join(f"{name} {each}" for name, each in value.items())
    return str(value)


def _when(when: datetime, now: datetime, timed: bool) -> str:
    """`Friday 27 February 19:00 evening, in 4 days, this week`."""
    days = (when.date() - now.date()).days
    weeks = (_monday(when.date()) - _monday(now.date())).days // 7
    day = f"{when:%A} {when.day} {when:%B}" + (f" {when.year}" if when.year != now.year else "")
    hour = f" {when:%H:%M} {next(name for until, name in _PARTS if when.hour < until)}" if timed else ""
    return ", ".join(each for each in (day + hour, _away(days), _WEEKS.get(weeks, "")) if each)


def _away(days: int) -> str:
    if days in _DAYS:
        return _DAYS[days]
    if abs(days) < _NEAR_DAYS:
        return f"in {days} days" if days > 0 else f"{-days} days ago"
    if abs(days) < _NEAR_WEEKS:
        return f"in {days // 7} weeks" if days > 0 else f"{-days // 7} weeks ago"
    return "later" if days > 0 else "long ago"


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())

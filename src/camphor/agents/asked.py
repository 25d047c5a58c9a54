"""A question for one field of what was found ("until when", "her number") is answered from the record itself.

A small model that has the right record before it tells another of its fields, or a figure of its own: asked for an
e-mail address it names the telephone number. Where the words of a question name a field, and what was found leaves no
doubt whose, code tells it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from camphor.agents.display import show_value
from camphor.device.text import COMMON, words
from camphor.types import Observation

_ASKING = re.compile(
    r"\?|\b(?:what|which|when|where|who|whose|how|until|till|since|tell me|give me|do i|have i|did|does|is|i need)\b",
    re.I,
)
_ISO = re.compile(r"\d{4}-\d\d-(\d\d)(?:T(\d\d):(\d\d).*)?")
_NAMED_BY = ("name", "title", "relationship")
_OWN = frozenset(("i", "me", "my", "mine"))
_POINTING = frozenset(words("his her hers their theirs its it that this he she they"))


@dataclass(frozen=True)
class _Field:
    """A field of records that also have the fields `of`, the words that ask for it, and the sentence that tells it."""

    name: str
    of: frozenset[str]
    asked: re.Pattern[str]
    told: str

    def has(self, record: Mapping[str, Any]) -> bool:
        return self.of <= record.keys() and bool(record[self.name] and _called(record))

    def tell(self, record: Mapping[str, Any], year: int) -> str:
        who = _called(record)
        owner = "Your" if record.get("is_self") else f"{who}'s"
        return self.told.format(who=who, owner=owner, value=show_value(record[self.name], year))


def _called(record: Mapping[str, Any]) -> str:
    return str(record.get("title") or record.get("name") or "")


def _field(name: str, of: str, asked: str, told: str) -> _Field:
    return _Field(name, frozenset(of.split()), re.compile(asked, re.IGNORECASE), told)


_FIELDS = (
    _field(
        "email",
        "name email",
        r"\b(?:an?|the|what|which|whose|his|her|their|my|\w+['’]s) e-?mail\b(?!.*\b(?:sa(?:y|id|ys)|about|wr[io]te))"
        r"|\be?-?mail address\b|\bat sign\b",
        "{owner} e-mail address is {value}.",
    ),
    _field("phone_number", "name phone_number", r"\bnumber\b", "{owner} number is {value}."),
    _field(
        "birthday", "name birthday", r"\b(?:birthday|birth ?date|date of birth|born)\b", "{owner} birthday is {value}."
    ),
    _field(
        "end",
        "title start end",
        r"\b(?:until|till) (?:when|what (?:time|hour))\b"
        r"|\b(?:when|what time)\b(?!.*\b(?:start|begin)).*\b(?:finish\w*|end|ends|ending|over|done|out of)\b",
        "{who} ends {value}.",
    ),
    _field(
        "start",
        "name dose start",
        r"\bsince when\b|\bstart of\b|\bwhen did i (?:start|begin)\b",
        "{who}: since {value}.",
    ),
)


def asked_field(query: str, answer: str, observations: Iterable[Observation], year: int) -> str:
    """The sentence that tells the field a query asks for; "" where the answer has it, or none or several may be meant.

    Of records with that field the one is meant that the query names best, or the only one that there is.
    """
    if answer.rstrip().endswith("?") or not _ASKING.search(query):
        return ""
    records: list[Mapping[str, Any]] = []
    for record in (each for found in observations for each in found.records):
        if record not in records:  # two look-ups may find the same
            records.append(record)
    for field in _FIELDS:
        if not field.asked.search(query):
            continue
        meant = list(_meant(query, [record for record in records if field.has(record)]))
        if len(meant) > 1:  # the one whose day the answer tells, if it tells one's
            meant = [record for record in meant if _tells(answer, str(record.get("start") or "")[:10] or "-")]
        if len(meant) != 1:
            continue
        if _tells(answer, str(meant[0][field.name])):
            return ""
        return field.tell(meant[0], year)
    return ""


def _meant(query: str, records: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Those whose names share most words with the query; where none does, the only one, if it says "her" or "it"."""
    said = set(words(query))
    asked = said - COMMON
    shared = [len(asked.intersection(_names(each))) or bool(each.get("is_self") and said & _OWN) for each in records]
    most = max(shared, default=0)
    if most or (len(records) == 1 and said & _POINTING):
        yield from (record for record, count in zip(records, shared, strict=True) if count == most)


def _names(record: Mapping[str, Any]) -> Iterator[str]:
    for field in _NAMED_BY:
        yield from words(str(record.get(field) or ""))


def _tells(answer: str, value: str) -> bool:
    """Whether a value stands in an answer: of a day the number of the day, of a time the time."""
    found = _ISO.fullmatch(value)
    if found is None:
        return "".join(value.casefold().split()) in "".join(answer.casefold().split())
    day, hour, minute = found.groups()
    if hour is None:
        return re.search(rf"(?<!\d){int(day)}(?!\d)", answer) is not None
    return re.search(rf"(?<!\d)0?{int(hour)}[:.]{minute}(?!\d)", answer) is not None

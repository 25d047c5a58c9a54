"""What a right answer to a generated question says: the item's `answer` (data/README.md, "Answers").

The situation knows the record that it asks about; here its fields become the facts that have to be told, and like
fields of other records those that must not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from camphor.device.text import words
from camphor_lab.datasets.phones import Record

LONG = 5  # words of a field from which on only its telling ones must be said
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d).*)?")
_FIGURE = re.compile(r"\d+(?:[:.,]\d+)*(?:\s?[ap]m\b)?", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
_ASKS_HOUR = re.compile(r"\bwhat (?:time|hour)\b", re.IGNORECASE)
_ASKS_DAY = re.compile(r"\b(?:what|which) (?:day|date)\b|\bbirthday\b", re.IGNORECASE)


@dataclass(frozen=True)
class ExpectedAnswer:
    """What has to be told, what must not be, and the values of the phone that it rests on; `abstain`: that nothing is
    there, or cannot be done."""

    must: tuple[Any, ...] = ()
    must_not: tuple[str, ...] = ()
    found: tuple[Any, ...] = ()
    abstain: bool = False

    def to_json(self, phone: Mapping[str, Any]) -> dict[str, Any]:
        """The item's `answer`, with pointers into the device file."""
        pointers = [pointer for value in self.found if (pointer := pointer_to(phone, value))]
        told: dict[str, Any] = {"must": list(self.must), "must_not": list(self.must_not), "records": pointers}
        return {**told, "abstain": True} if self.abstain else told


def pointer_to(document: Any, wanted: Any, at: str = "") -> str:
    """The JSON pointer of that very value in a device file; empty where it is not within."""
    if document is wanted:
        return at
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(document, Mapping):
        parts = document.items()
    elif isinstance(document, list):
        parts = enumerate(document)
    for key, part in parts:
        if isinstance(part, Mapping | list) or part is wanted:
            step = str(key).replace("~", "~0").replace("/", "~1")
            if found := pointer_to(part, wanted, f"{at}/{step}"):
                return found
    return ""


def tell(question: str, record: Record, fields: Iterable[str], others: Sequence[Record] = ()) -> ExpectedAnswer:
    """The answer that gives some fields of a record, but for what the question says itself.

    Where a reply gives several fields, nobody knows which of them was asked for: any of them does.

    Args:
        others: records of the same list, whose like values would be wrong.
    """
    said, must_not = set(words(question)), []
    mine = " ".join(map(str, record.values()))
    given: list[list[Any]] = []
    for field in sorted(fields):
        fresh = [fact for fact in _facts(question, field, record.get(field)) if not set(words(_plain(fact))) <= said]
        given += [fresh] if fresh else []
        if _FIGURE.search(str(record.get(field, ""))):
            near = [_facts(question, field, other.get(field)) for other in others if other is not record]
            wrong = (fact for facts in near for fact in facts if isinstance(fact, str) and fact not in mine)
            must_not += [fact for fact in wrong if _FIGURE.search(fact) and fact not in must_not][:2]
    return ExpectedAnswer(tuple(given[0]) if len(given) == 1 else _any(given), tuple(must_not), (record,))


def _any(given: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    texts = [fact for facts in given for fact in facts if isinstance(fact, str)]
    return ({"any_of": texts},) if texts else ()


def _plain(value: Any) -> str:
    return " ".join(value["any_of"]) if isinstance(value, Mapping) else str(value)


def _facts(question: str, field: str, value: Any) -> list[Any]:
    """The pieces that tell a field's value: days and hours apart, figures as they are, of a long text what tells it."""
    if value is None or isinstance(value, bool):
        return []
    if isinstance(value, list):
        return [fact for part in value for fact in _facts(question, field, part)]
    text = str(value)
    if moment := _MOMENT.fullmatch(text):
        day, hour = moment[1], moment[2]
        if hour is None or (_ASKS_DAY.search(question) and not _ASKS_HOUR.search(question)):
            return [day]
        return [hour] if field == "end" or _ASKS_HOUR.search(question) else [day, hour]
    return [text] if len(text.split()) < LONG else list(telling(text, question))


def telling(text: str, question: str) -> tuple[Any, ...]:
    """One of the figures of a text, else its names, else one of its longest words: what an answer from it says."""
    said = set(words(question))
    figures = tuple(dict.fromkeys(found for found in _FIGURE.findall(text) if found not in question))
    if figures:
        return figures if len(figures) == 1 else ({"any_of": list(figures)},)
    if names := tuple(dict.fromkeys(name for name in _NAME.findall(text) if not set(words(name)) & said)):
        return names
    fresh = sorted({word for word in words(text) if word not in said}, key=lambda word: (-len(word), word))
    return ({"any_of": fresh[:3]},) if fresh else ()

"""What a right answer to an item has to say: the item's `answer` (data/README.md, "Answers"), read and checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from camphor_lab.evaluation.stated import Fact, agree, facts_of, plain

Piece = tuple[str, ...]
"""Texts of which any will do."""


@dataclass(frozen=True)
class Expected:
    """A right answer. `must`: all pieces have to be in it, `must_not`: none may; `records` are JSON pointers into the
    device file; `abstain`: nothing on the phone answers the question, and the answer says so."""

    must: tuple[Piece, ...] = ()
    must_not: tuple[Piece, ...] = ()
    records: tuple[str, ...] = ()
    abstain: bool = False


def read_expected(answer: Mapping[str, Any]) -> Expected:
    """The item's `answer`. `datasets.items` has checked its form."""
    return Expected(
        tuple(map(_piece, answer.get("must", ()))),
        tuple(map(_piece, answer.get("must_not", ()))),
        tuple(answer.get("records", ())),
        bool(answer.get("abstain", False)),
    )


def _piece(value: Any) -> Piece:
    return tuple(value["any_of"]) if isinstance(value, Mapping) else (str(value),)


def pointed(document: Any, pointer: str) -> Any:
    """What a JSON pointer (RFC 6901) names in a device file. Raises LookupError: nothing."""
    found = document
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            if not part.isdigit():
                raise LookupError(f"{pointer}: {part!r} is no place of a list")
            found = found[int(part)]
        elif isinstance(found, Mapping):
            found = found[part]
        else:
            raise LookupError(f"{pointer}: there is nothing within {part!r}")
    return found


class Known:
    """What may be stated without being false: the gold records, the query, what has to be said.

    Args:
        values: JSON values and texts. now: the device's clock. gold: those of them that are gold records.
    """

    def __init__(self, values: Sequence[Any], now: datetime | None, gold: Sequence[Any] = ()) -> None:
        self.gold = "\n".join(text for value in gold for text in leaves(value))
        texts = [text for value in values for text in leaves(value)]
        self._plain = plain("\n".join(texts))
        self._facts = [fact for text in texts for fact in facts_of(text, now)]

    def supports(self, fact: Fact) -> bool:
        """Whether a stated fact stands there, in whatever writing."""
        if fact.kind in ("day", "clock", "code") and fact.text.strip(" .") in self._plain:
            return True
        if any(agree(fact, other) for other in self._facts):
            return True
        yearly = not re.search(r"\d{4}", fact.text)  # a birthday comes round
        return yearly and any(agree(_any_year(fact), other) for other in self._facts if other.kind == "day")


def _any_year(fact: Fact) -> Fact:
    return replace(fact, readings=frozenset((kind, 0, month, day) for kind, _, month, day in fact.readings))


def leaves(value: Any) -> Iterator[str]:
    """The texts and numbers of a JSON value, as texts."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield str(value)

"""What a question asks for: an operation, a stretch of time, words that point at records."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cache, cached_property
from typing import Any

from camphor.agents.answering.lexicon import lexicon, pattern, stem
from camphor.agents.answering.stretch import Stretch, read_stretch
from camphor.device.text import fold, words


class Operation(StrEnum):
    """What is done with the records that were picked."""

    TELL = "tell"
    LIST = "list"
    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    FIRST = "first"
    NEXT = "next"
    LAST = "last"
    MOST = "most"
    LEAST = "least"
    DIFFERENCE = "difference"
    UNTIL = "until"
    AGO = "ago"
    AGE = "age"
    BETWEEN = "between"
    DURATION = "duration"
    FREE = "free"
    YES_NO = "yes_no"
    NONE = "none"


class Want(StrEnum):
    """The kind of value that a question asks for."""

    MONEY = "amount"
    TIME = "time"
    END = "end"
    PHONE = "number"
    EMAIL = "mail address"
    PLACE = "place"
    CODE = "such number"
    BIRTHDAY = "birthday"


@dataclass(frozen=True)
class ParsedQuestion:
    """A question, read.

    Attributes:
        text: as it was asked. operation: what it wants. stretch: the time it names.
        content: stems of the words that point at something, with how they were written.
        asked: all its folded words. more, less: a figure that a value is compared with.
        past: whether it is about what was.
    """

    text: str
    operation: Operation
    stretch: Stretch | None
    content: dict[str, str]
    asked: frozenset[str]
    more: float | None = None
    less: float | None = None
    past: bool = False
    weekday: bool = False
    operations: frozenset[Operation] = field(default_factory=frozenset)
    skipped: int = 0
    """How many of the newest are left out: one for "the reading before the last"."""
    settled: bool = False
    """Whether the operation is certain, and not for the reader to change."""
    wants: Want | None = None
    """The kind of value that would answer it, where its words tell."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all its words."""
        return frozenset(stem(word) for word in self.asked)


@cache
def cues() -> dict[str, Any]:
    data = dict(lexicon("cues.toml"))
    data["operations"] = [(Operation(each["name"]), re.compile(each["pattern"])) for each in data["operation"]]
    data["wants"] = [(Want(each["name"]), re.compile(each["pattern"])) for each in data["want"]]
    data["nothing"] = frozenset(data["empty"]["words"].split())
    data["nothing_stems"] = frozenset(map(stem, data["nothing"]))
    number = "|".join(_NUMBERS)
    data["alike"] = _alike(data["alike"]["lines"])
    data["more"] = re.compile(data["compare"]["more"].replace("{words}", number))
    data["less"] = re.compile(data["compare"]["less"].replace("{words}", number))
    return data


def _alike(lines: list[str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in lines:
        group = frozenset(stem(word) for word in line.split())
        for word in group:
            found[word] = found.get(word, frozenset()) | group - {word}
    return found


_NUMBERS = lexicon("words.toml")["numbers"]
_PAST = pattern("past")


def read_question(text: str, now: datetime, names: Collection[str] = ()) -> ParsedQuestion:
    """What a question asks for, by its words alone.

    Args:
        names: of people, which are no times though they look like some (`names_of`).
    """
    stretch, spans, weekday = read_stretch(text, now, names)
    rest = "".join(" " if any(a <= place < b for a, b in spans) else char for place, char in enumerate(text))
    plain = fold(rest).replace("’", "'").strip()
    found = [operation for operation, asks in cues()["operations"] if asks.search(plain)]
    everything = fold(text).replace("’", "'")
    if Operation.LIST not in found and pattern("whats_on").search(plain) and stretch and len(plain.split()) <= 6:
        found.append(Operation.LIST)
    asked = frozenset(re.findall(r"[^\W_]+(?:'[a-z]+)?", everything))
    named = {fold(name) for name in names if re.search(rf"(?<=\S ){re.escape(name)}\b", rest)}  # May, Will
    empty = cues()["nothing"] - named
    content = {stem(word): word for word in words(rest) if word not in empty and len(word) > 1}
    return ParsedQuestion(
        text,
        found[0] if found else Operation.TELL,
        stretch,
        content,
        asked,
        _figure(cues()["more"], plain),
        _figure(cues()["less"], plain),
        bool(_PAST.search(everything)),
        weekday,
        frozenset(found),
        int(bool(pattern("before_the_last").search(everything))),
        False,
        next((want for want, asks in cues()["wants"] if asks.search(everything)), None),
    )


def names_of(people: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The words of people's names, as written."""
    return frozenset(word for person in people for word in str(person.get("name") or "").split())


def _figure(compares: re.Pattern[str], text: str) -> float | None:
    found = compares.search(text)
    return number_of(text[found.end() :]) if found else None


def number_of(text: str) -> float | None:
    """The number that a text begins with: "10,000", "ten thousand", "10k"; None where it begins with none."""
    found = pattern("written_figure").search(text)
    if found:
        return float(re.sub(r"[, ]", "", found[1])) * float(lexicon("words.toml")["multiples"].get(found[2] or "", 1))
    total: float | None = None
    for word in re.findall(r"[a-z]+", text):
        value: float | None = _NUMBERS.get(word)
        if value is None:
            if word in ("k",) and total is not None:
                total *= 1000
            elif word not in ("and", "a"):
                break
            continue
        total = value if total is None else total * value if value >= 100 else total + value
    return total

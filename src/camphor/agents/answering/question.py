"""What a question asks for: an operation, a stretch of time, words that point at records."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from camphor.agents.answering.stems import stem
from camphor.device.text import fold, words
from camphor.device.when import WhenError, parse_range, parse_time
from camphor.device.when.fragments import Fragment, fragments
from camphor.device.when.fragments import Kind as TimeKind


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
    UNTIL = "until"
    AGO = "ago"
    AGE = "age"
    BETWEEN = "between"
    DURATION = "duration"
    FREE = "free"
    YES_NO = "yes_no"
    NONE = "none"


@dataclass(frozen=True)
class Stretch:
    """Some time that was named: from the first moment up to the last, both included; the words that named it."""

    first: datetime
    last: datetime
    said: str
    clock: bool = False
    """Whether hours were said, so that the day alone does not tell it."""

    def holds(self, moment: datetime) -> bool:
        return self.first <= moment <= self.last

    def meets(self, first: datetime, last: datetime) -> bool:
        return first <= self.last and last >= self.first

    def shifted(self, days: int) -> Stretch:
        by = timedelta(days=days)
        return Stretch(self.first + by, self.last + by, self.said, self.clock)


class Want(StrEnum):
    """The kind of value that a question asks for."""

    MONEY = "amount"
    TIME = "time"
    PHONE = "number"
    EMAIL = "mail address"
    PLACE = "place"
    CODE = "such number"
    BIRTHDAY = "birthday"


@dataclass(frozen=True)
class Question:
    """A question, read.

    Attributes:
        text: as it was asked. operation: what it wants. stretch: the time it names. content: stems of the words that point at something, with how they were written.
        asked: all its folded words. more, less: a figure that a value is compared with. past: whether it is about what was.
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
    wants: Want | None = None
    """The kind of value that would answer it, where its words tell."""


@cache
def cues() -> dict[str, Any]:
    data = tomllib.loads(files(__package__).joinpath("cues.toml").read_text("utf-8"))
    data["operations"] = [(Operation(each["name"]), re.compile(each["pattern"])) for each in data["operation"]]
    data["nothing"] = frozenset(data["empty"]["words"].split())
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


_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "half": 0.5, "a hundred": 100, "hundred": 100, "a thousand": 1000, "thousand": 1000,
}  # fmt: skip
_PAST = re.compile(
    r"\b(?:did|was|were|had|has|have|wrote|said|sent|went|came|got|bought|paid|played|spent|walked|ran|last|ago|yesterday|been|\w{2,}ed)\b"
)
_PARTS = {
    "morning": (0, 12),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "tonight": (17, 24),
    "night": (18, 24),
    "noon": (11, 14),
    "lunchtime": (11, 14),
}


def read_question(text: str, now: datetime) -> Question:
    """What a question asks for, by its words alone."""
    stretch, spans, weekday = _stretch(text, now)
    rest = "".join(" " if any(a <= place < b for a, b in spans) else char for place, char in enumerate(text))
    plain = fold(rest).replace("’", "'").strip()
    found = [operation for operation, pattern in cues()["operations"] if pattern.search(plain)]
    everything = fold(text).replace("’", "'")
    if (
        Operation.LIST not in found
        and re.search(r"\bwhat(?:'s| is| do i have| have i got)\b.{0,24}$", plain)
        and stretch
        and len(plain.split()) <= 6
    ):
        found.append(Operation.LIST)
    asked = frozenset(re.findall(r"[^\W_]+(?:'[a-z]+)?", everything))
    content = {stem(word): word for word in words(rest) if word not in cues()["nothing"] and len(word) > 1}
    return Question(
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
        int(
            bool(
                re.search(
                    r"\b(?:before (?:the|this|my|that) last|before (?:this|that) one|previous|second[- ]last|last but one|one before)\b",
                    everything,
                )
            )
        ),
        next((want for want, pattern in _WANTS if re.search(pattern, everything)), None),
    )


_WANTS = (
    (Want.BIRTHDAY, r"\bbirthday\b(?!.*\b(?:party|present|gift|dinner|lunch|cake)\b)|\bdate of birth\b|\bborn\b"),
    (Want.EMAIL, r"\be-?mail address\b|\bmail address\b|\b(?:'s|my|his|her|their|for|of) e-?mail\b"),
    (
        Want.CODE,
        r"\b(?:passport|account|booking|reference|order|flight|policy|member\w*|registration|room|seat|tracking|licen[cs]e|insurance|bank|card|pin|locker|invoice) ?(?:number|code|no)\b|\bpassword\b|\bpin\b|\bcode\b",
    ),
    (
        Want.PHONE,
        r"\b(?:phone|mobile|telephone|cell|whatsapp) ?(?:number)?\b.*\b(?:of|for|is|\?)|\b\w+'s (?:phone |mobile |cell )?number\b|\bphone number\b|\bnumber (?:for|of) (?!(?!.*\bphone))",
    ),
    (
        Want.MONEY,
        r"\bhow much\b.*\b(?:cost|costs|pay|paid|charg\w+|owe|owes|owed|price|fee|bill|spend|spent|want|wants|wanting|asking|is it|was it|set me back|run me|euros?|dollars?|pounds?)\b|\b(?:price|cost|fee|rent|deposit|balance|fare)\b|\bhow (?:expensive|pricey)\b|\bcharging me\b|\bbill me\b",
    ),
    (
        Want.TIME,
        r"\bwhen(?:'s|s)?\b(?! (?:i|you|we|he|she|they) )|\b(?:what|which) (?:time|hour|day|date|night|morning|weekday)\b|\buntil when\b|\bdeadline\b|\bhow late\b|\bwhat's the (?:time|date|day)\b",
    ),
    (
        Want.PLACE,
        r"^\W*(?:and |so |hey |ok )?where\b|\bwhere(?:'s| is| are| do| does| am)\b|\bwhat address\b|\bwhich (?:address|street|room|hall|place|gate|platform)\b",
    ),
)


def _figure(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    return number_of(text[found.end() :]) if found else None


def number_of(text: str) -> float | None:
    """The number that a text begins with: "10,000", "ten thousand", "10k"; None where it begins with none."""
    found = re.match(r"\s*[$€£]?(\d[\d,]*\.?\d*)\s*(k\b|thousand|million)?", text)
    if found:
        return float(found[1].replace(",", "")) * {"k": 1e3, "thousand": 1e3, "million": 1e6}.get(found[2] or "", 1)
    total: float | None = None
    for word in re.findall(r"[a-z]+", text):
        value = _NUMBERS.get(word)
        if value is None:
            if word in ("k",) and total is not None:
                total *= 1000
            elif word not in ("and", "a"):
                break
            continue
        total = value if total is None else total * value if value >= 100 else total + value
    return total


def _stretch(text: str, now: datetime) -> tuple[Stretch | None, list[tuple[int, int]], bool]:
    """The first stretch of time that a text names, and where all expressions of time stand."""
    pieces = [
        each
        for each in fragments(text, now)
        if each.kind not in (TimeKind.LENGTH, TimeKind.SHIFT) and _is_time(each, text)
    ]
    chosen: list[tuple[Fragment, Stretch]] = []
    for piece in sorted(pieces, key=lambda each: -len(each.text)):
        if any(
            piece.start < other.start + len(other.text) and other.start < piece.start + len(piece.text)
            for other, _ in chosen
        ):
            continue
        if found := _resolve(piece, now):
            chosen.append((piece, found))
    chosen.sort(key=lambda pair: pair[0].start)
    spans = [(piece.start, piece.start + len(piece.text)) for piece, _ in chosen]
    if not chosen:
        return None, spans, False
    stretch = _joined(chosen, text, now)
    said = fold(text)
    weekday = bool(re.search(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day", said)) and not re.search(
        r"\b(?:next|last|this|coming)\b", fold(stretch.said)
    )
    return stretch, spans, weekday


def _joined(chosen: Sequence[tuple[Fragment, Stretch]], text: str, now: datetime) -> Stretch:
    """One stretch of all that was named: a day with its hour, from one day to another, since a day, until a day."""
    days = [(piece, found) for piece, found in chosen if piece.kind is not TimeKind.CLOCK]
    hours = [(piece, found) for piece, found in chosen if piece.kind is TimeKind.CLOCK]
    piece, stretch = (days or hours)[0]
    before = fold(text[: piece.start]).split()[-2:]
    if len(days) > 1:
        other, last = days[1]
        between = fold(text[piece.start + len(piece.text) : other.start]).strip()
        past = bool(_PAST.search(fold(text))) or "so far" in fold(text)
        if between in ("to", "and", "-", "until", "till", "through", "thru", "and on", "up to") and (
            past or between != "and" or "between" in before
        ):
            first = stretch
            while first.first > last.last and _by_weekday(first):
                first = first.shifted(-7)
            while past and last.first.date() > now.date() and first.first.date() > now.date() and _by_weekday(last):
                first, last = first.shifted(-7), last.shifted(-7)
            return Stretch(first.first, last.last, f"{first.said} {between} {last.said}")
        if _by_weekday(stretch) and last.first.date() != last.last.date():  # "Monday to Wednesday this week"
            inside = next((stretch.shifted(by) for by in (0, -7, 7) if last.holds(stretch.shifted(by).first)), stretch)
            return inside
    if (
        before
        and before[-1] in ("since", "from")
        and not hours
        and stretch.first.date() == stretch.last.date()
        and not re.match(r"\s*(?:to|until|till|-)\b", text[piece.start + len(piece.text) :])
    ):
        first = stretch
        while first.first > now and (_by_weekday(first) or before[-1] == "since"):
            first = first.shifted(-7)
        return (
            Stretch(first.first, datetime.combine(max(now, first.last).date(), time(23, 59)), f"since {first.said}")
            if before[-1] == "since"
            else stretch
        )
    if days and hours and not stretch.clock and stretch.first.date() == stretch.last.date():
        first_moment = datetime.combine(stretch.first.date(), hours[0][1].first.time())
        stretch = Stretch(first_moment, first_moment, f"{stretch.said} {hours[0][1].said}", True)
        before = fold(text[: hours[0][0].start]).split()[-1:]
    if stretch.clock and stretch.first == stretch.last and before[-1:] == ["after"]:
        stretch = Stretch(stretch.first, datetime.combine(stretch.first.date(), time(23, 59)), stretch.said, True)
    if stretch.clock and stretch.first == stretch.last and before[-1:] in (["before"], ["by"], ["until"], ["till"]):
        stretch = Stretch(datetime.combine(stretch.first.date(), time(0)), stretch.first, stretch.said, True)
    return stretch


def _by_weekday(stretch: Stretch) -> bool:
    return bool(re.search(r"\b(?:mon|tue|wed|thu|fri|sat|sun)", fold(stretch.said)))


_BARE = re.compile(r"\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve")
_UNSURE = frozenset(["may", "mar", "march", "sun", "sat", "wed", "mon", "fri", "thu", "tue", "dec", "jan", "second", "night", "noon", "eve"])
_AT = frozenset(["at", "by", "after", "before", "from", "until", "till", "since", "around", "about", "past"])


def _is_time(piece: Fragment, text: str) -> bool:
    """Whether a piece means a time for certain: a bare figure does after "at", "sat" where it has its capital."""
    before = text[: piece.start].split()
    after = text[piece.start + len(piece.text) :]
    if fold(piece.text) in ("first", "second", "third", "the first", "the second", "the third", "last", "next"):
        return bool(
            re.match(r"\s+of\s+(?:this|next|last|the|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", fold(after))
        )
    if _BARE.fullmatch(fold(piece.text)):
        return (
            bool(before)
            and fold(before[-1]) in _AT
            and not re.match(r"[ ,]?\d|\s*(?:percent|%|km|kg|euros?|steps|likes|[€$£])", after)
        )
    if re.match(r"[ ,]?\d{3}\b", after) and re.fullmatch(r"\d+", piece.text):
        return False
    return piece.text not in _UNSURE


def _resolve(piece: Fragment, now: datetime) -> Stretch | None:
    part = next((hours for word, hours in _PARTS.items() if re.search(rf"\b{word}\b", fold(piece.text))), None)
    clock = piece.kind in (TimeKind.MOMENT, TimeKind.CLOCK)
    try:
        if clock and part is None:
            at = parse_time(piece.text, now)
            return Stretch(at, at, piece.text, True)
        first, _, last = parse_range(piece.text, now).partition("/")
    except WhenError:
        return None
    begin = datetime.fromisoformat(first)
    end = datetime.fromisoformat(last or first)
    if len(last or first) == 10:
        end = datetime.combine(end.date(), time(23, 59))
    if part and begin.date() == end.date():
        begin = datetime.combine(begin.date(), time(part[0]))
        end = (
            datetime.combine(end.date(), time(part[1] % 24))
            if part[1] < 24
            else datetime.combine(end.date(), time(23, 59))
        )
        return Stretch(begin, end, piece.text, True)
    return Stretch(begin, end, piece.text)


def stems(texts: Iterable[str]) -> set[str]:
    return {stem(word) for text in texts for word in words(text)}

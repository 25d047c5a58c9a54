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

from camphor.agents.answering.lexicon import lexicon, pattern, word_list
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
    data["wants"] = [(Want(each["name"]), re.compile(each["pattern"])) for each in data["want"]]
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


_NUMBERS = lexicon("words.toml")["numbers"]
_PAST = pattern("past")
_PARTS = lexicon("words.toml")["day_parts"]


def read_question(text: str, now: datetime) -> Question:
    """What a question asks for, by its words alone."""
    stretch, spans, weekday = _stretch(text, now)
    rest = "".join(" " if any(a <= place < b for a, b in spans) else char for place, char in enumerate(text))
    plain = fold(rest).replace("’", "'").strip()
    found = [operation for operation, asks in cues()["operations"] if asks.search(plain)]
    everything = fold(text).replace("’", "'")
    if Operation.LIST not in found and pattern("whats_on").search(plain) and stretch and len(plain.split()) <= 6:
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
        int(bool(pattern("before_the_last").search(everything))),
        next((want for want, asks in cues()["wants"] if asks.search(everything)), None),
    )


def _figure(compares: re.Pattern[str], text: str) -> float | None:
    found = compares.search(text)
    return number_of(text[found.end() :]) if found else None


def number_of(text: str) -> float | None:
    """The number that a text begins with: "10,000", "ten thousand", "10k"; None where it begins with none."""
    found = pattern("written_figure").search(text)
    if found:
        return float(found[1].replace(",", "")) * lexicon("words.toml")["multiples"].get(found[2] or "", 1)
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
    weekday = bool(pattern("weekday").search(said)) and not pattern("which_week").search(fold(stretch.said))
    return stretch, spans, weekday


def _joined(chosen: Sequence[tuple[Fragment, Stretch]], text: str, now: datetime) -> Stretch:
    """One stretch of all that was named: a day with its hour, from one day to another, since a day, until a day."""
    days = [(piece, found) for piece, found in chosen if piece.kind is not TimeKind.CLOCK]
    hours = [(piece, found) for piece, found in chosen if piece.kind is TimeKind.CLOCK]
    piece, stretch = (days or hours)[0]
    before = [word for word in fold(text[: piece.start]).split() if word != "the"][-2:]
    if _by_weekday(stretch) and stretch.first > now and not pattern("next_or_coming").search(fold(stretch.said)):
        week = datetime.combine(now.date() + timedelta(days=6 - now.weekday()), time(23, 59))
        if "this week" in fold(text) and stretch.first > week:
            stretch = stretch.shifted(-7)
        elif stretch.first.date() != stretch.last.date() and _PAST.search(fold(text)):
            stretch = stretch.shifted(-7)
    if len(days) > 1:
        other, last = days[1]
        between = fold(text[piece.start + len(piece.text) : other.start]).strip()
        past = bool(_PAST.search(fold(text))) or "so far" in fold(text)
        if pattern("joins_days").search(between) and (past or between != "and" or "between" in before):
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
        and before[-1] in word_list("bound_from")
        and not hours
        and stretch.first.date() == stretch.last.date()
        and not pattern("goes_on_until").search(text[piece.start + len(piece.text) :])
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
    if stretch.clock and stretch.first == stretch.last and set(before[-1:]) & word_list("bound_until"):
        stretch = Stretch(datetime.combine(stretch.first.date(), time(0)), stretch.first, stretch.said, True)
    return stretch


def _by_weekday(stretch: Stretch) -> bool:
    return bool(pattern("starts_with_day").search(fold(stretch.said)))


_UNSURE = word_list("unsure_times")
_AT = word_list("before_a_time")


def _is_time(piece: Fragment, text: str) -> bool:
    """Whether a piece means a time for certain: a bare figure does after "at", "sat" where it has its capital."""
    before = text[: piece.start].split()
    after = text[piece.start + len(piece.text) :]
    if pattern("ordinal").search(fold(piece.text)):
        return bool(pattern("ordinal_of_month").search(fold(after)))
    if pattern("bare_figure").search(fold(piece.text)):
        return bool(before) and fold(before[-1]) in _AT and not pattern("counts_things").search(after)
    if pattern("more_digits").search(after) and re.fullmatch(r"\d+", piece.text):
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

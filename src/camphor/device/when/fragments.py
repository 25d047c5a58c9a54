"""The pieces of a text that speak of time, with what each is: a day, an hour, a length..."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from camphor.device.when.clocks import counted_from_now, length_of
from camphor.device.when.days import NoSuchDay
from camphor.device.when.lexicon import MONTHS, WEEKDAY, WEEKDAYS, canonical
from camphor.device.when.phrases import PhraseReader, ReadMoment, moment_of, read


class TimeKind(StrEnum):
    """What a piece of text says."""

    MOMENT = "moment"  # a day and an hour, or a time counted from now: "tomorrow at 5", "in 20 minutes"
    DAY = "day"  # "Friday", "the 4th", "tomorrow morning"
    CLOCK = "clock"  # "half ten", "7 in the evening", "that night"
    LENGTH = "length"  # "an hour and a half"
    SHIFT = "shift"  # "the night before", "the Saturday before"
    SPAN = "span"  # other words of time: "next two weeks"


@dataclass(frozen=True)
class Fragment:
    """A piece of a text: its words as written, what they say, and where they begin (a character's place)."""

    text: str
    kind: TimeKind
    start: int


_OTHER_WORDS = (
    "today tonight tomorrow yesterday morning afternoon evening night eve noon midnight lunchtime minute m hour h day"
    " week weekend month year fortnight am pm oclock half quarter past to after before next last this that same"
    " coming following of in at on by from for until and a couple few now ago rest end start beginning christmas"
    " easter boxing new good valentine halloween early late"
)
_TIME_WORDS = frozenset((*WEEKDAYS, *MONTHS, *_OTHER_WORDS.split()))
_INSIDE_ONLY = frozenset(
    ("of", "and", "that", "same", "to", "a", "by", "for", "from", "until", "past", "after", "before")
)
_NUMBER = re.compile(r"\d[\d:./-]*(?:st|nd|rd|th)?")
_ENDS_SENTENCE = re.compile(r"[.!?:;]['\")\u201d]*$")
_MOST_WORDS = 10
_SHIFT = re.compile(rf"(?:day|night|evening|morning|afternoon|eve|{WEEKDAY}) (?:before|after)")
_TWO_PREPOSITIONS = re.compile(
    rf"(?:at|in|on|by|for|from|of) (?:at|in|on|by|for|from|of|today|tomorrow)\b|in {WEEKDAY}\b"
)
_BARE = re.compile(
    r"(?:[a-z]+ten|[a-z]*(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|\d{3,4})(?:['\u2019]s)?",
    re.IGNORECASE,
)
# "22h", "14h30": an hour as people write it on much of the continent, or a length; "2h" and "1h30" are lengths
_HOUR_OR_LENGTH = re.compile(r"(?:1[3-9]|2[0-3]) h|(?:[7-9]|1\d|2[0-3]) h [0-5]\d")
_GREETING = re.compile(r"\bgood (?:morning|afternoon|evening|night|day)\b", re.IGNORECASE)
_BEFORE_HOURS = frozenset(("at", "by", "for", "from", "till", "until", "to", "before", "after", "@"))
_THAT_WEEKDAY = re.compile(rf"\bthat ({WEEKDAY})\b", re.IGNORECASE)
_EDGES = " ,.;:!?()\"'\u201c\u201d-"


@lru_cache(maxsize=8192)
def _of_time(word: str) -> bool:
    return all(token in _TIME_WORDS or _NUMBER.fullmatch(token) for token in canonical(word).split())


def _runs(text: str) -> Iterator[list[tuple[int, int]]]:
    """Stretches of words that may all belong to one expression of time; they end with the sentence."""
    run: list[tuple[int, int]] = []
    for m in re.finditer(r"\S+", text):
        if _of_time(m[0].strip(_EDGES)):
            run.append(m.span())
            if not (_ENDS_SENTENCE.search(m[0]) and not m[0].endswith(".m.")):
                continue
        if run:
            yield run
        run = []
    if run:
        yield run


def _kind(plain: str, now: datetime) -> TimeKind | None:
    words = plain.split()
    if not words or words[-1] in _INSIDE_ONLY - {"before", "after"}:
        return None
    if _SHIFT.fullmatch(plain):
        return TimeKind.SHIFT
    if words[-1] in ("before", "after") or _TWO_PREPOSITIONS.match(plain):
        return None
    if length_of(plain):
        return TimeKind.LENGTH if words[0][0].isdigit() or words[0] in ("a", "half", "quarter", "couple") else None
    if counted_from_now(plain, now):
        return TimeKind.MOMENT
    try:
        phrase = read(plain, PhraseReader(now))
    except (NoSuchDay, ValueError, OverflowError):
        return None
    if phrase is None and words[0] not in ("a", "evening", "night", "day", "morning"):
        moment = _compound(plain, now)
        if moment is not None:
            return TimeKind.MOMENT if moment.phrase.clocks else TimeKind.DAY
    if phrase is None:
        return TimeKind.SPAN if len(words) > 1 or words[0] in ("week", "month", *MONTHS) else None
    if phrase.day is None:
        return TimeKind.CLOCK
    return TimeKind.MOMENT if phrase.clocks else TimeKind.DAY


def _compound(plain: str, now: datetime) -> ReadMoment | None:
    try:
        moment = moment_of(plain, PhraseReader(now))
    except (NoSuchDay, ValueError, OverflowError):
        return None
    return moment if moment and moment.dated else None


def fragments(text: str, now: datetime) -> list[Fragment]:
    """Every piece of up to ten words that says a day, an hour, both, a length or a shift, in the order of the text.

    A bare number word counts as an hour only after "at", "by" and the like: "the one I met" is no hour; nor is a
    greeting.
    """
    found: list[Fragment] = []
    text = _GREETING.sub(lambda m: "-" * len(m[0]), text)
    for run in _runs(text):
        for i in range(len(run)):
            for j in range(i, min(i + _MOST_WORDS, len(run))):
                start = run[i][0]
                raw = text[start : run[j][1]]
                piece = raw.strip(_EDGES)
                if raw.endswith((".m.", ".m")):
                    piece = raw.rstrip(".") + "."
                if (
                    not piece
                    or not canonical(piece.split()[0].strip(_EDGES))
                    or not canonical(piece.split()[-1].strip(_EDGES))
                ):
                    continue
                plain = canonical(piece)
                kind = _kind(plain, now)
                if kind is TimeKind.CLOCK and _BARE.fullmatch(piece) and not _after_at(text, start):
                    continue
                if kind is TimeKind.SHIFT and piece.split()[0].casefold().endswith("s"):  # of "two days before"
                    continue
                if kind is not None:
                    place = start + raw.index(piece.rstrip("."))
                    kinds = (kind, TimeKind.CLOCK) if _HOUR_OR_LENGTH.fullmatch(plain) else (kind,)
                    found.extend(Fragment(piece, each, place) for each in dict.fromkeys(kinds))
    return found


def weekdays_beside(text: str) -> tuple[str, ...]:
    """The weekdays of "that Saturday": one before or after a day that is spoken of."""
    return tuple(_THAT_WEEKDAY.findall(text))


def _after_at(text: str, start: int) -> bool:
    before = text[:start].rstrip(" ,").rsplit(None, 1)
    return bool(before) and before[-1].casefold() in _BEFORE_HOURS

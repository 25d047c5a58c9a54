"""Columns of times in a table: what a figure below "Morning" or "22:00" says, and whether directions say the same.

A cell becomes the words that it stands for, "1 in the morning", which are then read as any directions are. What is no
amount, and no sign that nothing is taken, leaves the whole row in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from camphor.health.prescriptions.directions import Directions
from camphor.health.prescriptions.drugs import plain
from camphor.health.prescriptions.lines import Piece, doses_surely, joined, page_words, taken
from camphor.health.prescriptions.reading import read_directions

LEAST = 2
"""Columns of times that make a table one of times."""
_CLOCK = re.compile(r"([01]?\d|2[0-3])(?::([0-5]\d)|[.h]?(00|15|30|45)) ?(?:h|hrs|hours)?")
_HALF_DAY = re.compile(r"(0?[1-9]|1[0-2])(?:[:.]([0-5]\d))? ?([ap])\.? ?m\.?")
_NUMBER = r"(?:\d+(?:\.\d+|/\d+)?(?: ?[½¼¾⅓⅔]| \d/\d)?|[½¼¾⅓⅔]|one|two|three|four|half)"
_NONE = re.compile(r"[-–—―_.=一ー\s]*|[0Oo](?:\.0)?|nil|none", re.IGNORECASE)
"""A cell that says nothing is taken then."""


def spoken(heads: Sequence[str]) -> list[str]:
    """What each head says below which a figure is an amount at a time, "in the morning"; "" for another head.

    None says so where too few do: "12" alone may be a day of the month.
    """
    said = [_spoken(head) for head in heads]
    for letters in page_words()["letters"]:
        own = [place for place, head in enumerate(heads) if plain(head) in letters["heads"]]
        if [plain(heads[place]) for place in own] == letters["heads"]:
            said = [letters["say"][own.index(place)] if place in own else each for place, each in enumerate(said)]
    sure = [each for each, head in zip(said, heads, strict=True) if each and not plain(head).isdigit()]
    return said if len(sure) >= LEAST else ["" for _ in heads]


def _spoken(head: str) -> str:
    """What a head says, or the two parts of one that is in two lines: "Morning 8am"."""
    if said := _times().get(plain(head)) or _clock(head):
        return said
    first, _, rest = head.partition(" ")
    rest = _clock(rest.strip("()"))
    return f"{_times()[plain(first)]} {rest}" if plain(first) in _times() and rest else ""


def _clock(head: str) -> str:
    told = head.casefold().strip()
    if match := _HALF_DAY.fullmatch(told):
        hour, minutes, half = match.groups()
        return f"at {int(hour)}{f':{minutes}' if minutes else ''}{half}m"
    # "8" may be of the morning or the evening, and any number a day of the month
    match = _CLOCK.fullmatch(told)
    return f"at {int(match[1]):02}:{match[2] or match[3]}" if match else ""


@cache
def _times() -> Mapping[str, str]:
    return {plain(head): said for said, heads in page_words()["times"].items() for head in heads}


def is_none(text: str) -> bool:
    """Whether a cell says that nothing is taken then."""
    return bool(_NONE.fullmatch(text.strip()))


def is_amount(text: str) -> bool:
    """Whether a cell begins with how much is taken: "1", "15 ml", "1 with food"."""
    return bool(re.match(rf"{_NUMBER}(?![\w/.,]*\d)", text.strip(), re.IGNORECASE))


def is_tick(text: str) -> bool:
    """Whether a cell has a mark that it is taken then; a cross may say that it is not."""
    return text.strip() in page_words()["ticks"]["marks"]


def timed(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces below "When", with "at breakfast" for "breakfast" where they have nothing but names of times."""
    words = [plain(word) for each in pieces for word in re.findall(r"[^\s,]+", each.text)]
    joins = page_words()["table"]["joins"]
    named = [each in _times() and each.isalpha() for each in words if each not in joins]
    if not named or not all(named):
        return list(pieces)

    def at(text: str) -> str:
        return re.sub(r"[^\s,]+", lambda match: _times().get(plain(match[0]), match[0]), text)

    return [replace(each, text=at(each.text), other=each.other and at(each.other)) for each in pieces]


def told(cells: Sequence[tuple[str, Sequence[Piece]]], before: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces of a row's cells, each with the words of its column, in the order of the columns.

    Args:
        cells: what each column says and the pieces below it. before: what the columns before them say.
    """
    given = [(said, list(pieces)) for said, pieces in cells if pieces and not is_none(_text(pieces))]
    dose = read_directions(joined(before).text).amount if before else None
    one = f"{dose.low:g}" if dose and dose.unit and dose.low == dose.high else ""
    # "1 tab" before "1" below each time says it twice; before "2", or a tick with no dose, it is not clear
    twice = bool(one) and all(is_tick(_text(pieces)) or _text(pieces) == one for _, pieces in given)
    for place, (said, pieces) in enumerate(given):
        last = "" if place == len(given) - 1 else ","
        if not _is_clear(pieces, ticks=twice) or (dose and not twice):
            yield from (replace(piece, seen=0.0) for piece in pieces)
        elif twice:
            yield replace(pieces[0], text=f"{said}{last}", other=f"{said}{last}")
        else:
            *first, end = pieces
            yield from first
            other = end.other and f"{end.other} {said}{last}"
            yield replace(end, text=f"{end.text} {said}{last}", other=other)


def _is_clear(pieces: Sequence[Piece], ticks: bool) -> bool:
    """Whether the pieces of a cell are read and have one amount, or a tick where a dose is said."""
    amounts = sum(is_amount(piece.text) for piece in pieces)
    marked = is_tick(_text(pieces)) if ticks else False
    return all(piece.seen for piece in pieces) and (marked or (amounts == 1 and is_amount(pieces[0].text)))


def _text(pieces: Sequence[Piece]) -> str:
    return " ".join(piece.text for piece in pieces)


def said_already(directions: str, cells: Sequence[tuple[str, Sequence[Piece]]]) -> bool | None:
    """Whether directions tell all that the cells of a row do, so that these need not be read; None if they differ.

    Where cells have no amounts, what is said is all there is: a nurse signs below the times of a day.
    """
    said = read_directions(directions)
    if not (said.stop or (taken(said) and doses_surely(said))):
        return False
    pieces = [(head, list(own)) for head, own in cells if own and not is_none(_text(own))]
    if not pieces or not all(is_amount(_text(own)) for _, own in pieces):
        return True
    shown = _each(read_directions(", ".join(f"{_text(own)} {head}" for head, own in pieces)))
    told = _each(said)
    near = len(told) == len(shown) and all(
        abs(one - other) <= _NEAR and amount == same for (one, amount), (other, same) in zip(told, shown, strict=True)
    )
    return (bool(told) and near) or (not told and _as_often(said, shown)) or None


_HOURS = {"morning": 8.0, "noon": 12.5, "afternoon": 15.0, "evening": 18.0, "bedtime": 22.0}
_NEAR = 3.0
"""Hours between a time that is said and that of its column."""


def _each(said: Directions) -> list[tuple[float, float]]:
    """At what hours of the day how much is taken, where no hour is a meal."""
    one = said.amount.low if said.amount and said.amount.low == said.amount.high else 0.0
    given = said.by_time or tuple((when, one) for when in said.at)
    return sorted((hour, amount) for when, amount in given if amount and (hour := _hour(when)) is not None)


def _hour(when: str) -> float | None:
    hours, _, minutes = when.partition(":")
    return int(hours) + int(minutes) / 60 if minutes.isdigit() else _HOURS.get(when)


def _as_often(said: Directions, shown: Sequence[tuple[float, float]]) -> bool:
    """Whether directions that name no time have the same amount as often as the cells."""
    amounts = {amount for _, amount in shown}
    if not (said.amount and said.often and said.often.period == "day" and not said.often.every):
        return False
    same = said.amount.low == said.amount.high and amounts == {said.amount.low}
    return same and said.often.low == said.often.high == len(shown)

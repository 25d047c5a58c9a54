"""Which numbers a call may hold: those that the request says, and what they are in other units.

A number that nobody said is a wrong value that looks like a right one, so none can be written: an optional parameter is
left out then, and a function that requires one cannot be called.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from camphor.device.numbers import clock_length, in_digits, lengths_in, numbers_in
from camphor.device.when import WhenError
from camphor.device.when.events import clock_of
from camphor.device.when.fragments import TimeKind, fragments
from camphor.device.when.lexicon import MONTHS, canonical
from camphor.tools.tool import Parameter

_ANY_DAY = datetime(2001, 1, 1)
_FACTORS = (10, 100, 1000, 60, 3600, 12, 24, 7)
"""Between units that people say and those that functions take: per cent, kilos, cents, minutes, dozens, weeks."""
_LENGTHS = (0.001, 1, 60, 3600, 86400, 604800)
_FRACTIONS = (0.25, 0.5, 0.75)
_PARTS = (*_FRACTIONS, 0.2, 1 / 3, 2 / 3)
_MOST_CHARACTERS = 1000
_MOST_IN_RANGE = 50
_RANGE = re.compile(r"(\d{1,6})\s*(?:-|–|to|through|thru|until|and)\s*(\d{1,6})(?![\d:])")
_DIGITS = re.compile(r"(?<![\d.])\d{1,12}(?:\.\d{1,6})?(?![\d.])")
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")


class NumbersSaid:
    """The numbers of one request."""

    def __init__(self, query: str, found: Iterable[str] = ()) -> None:
        """`found`: values that were looked up, whose numbers may be written as they are."""
        text = query[-_MOST_CHARACTERS:]
        words = frozenset(re.findall(r"[^\W\d_]+", text.casefold()))
        self._none, self._all = bool(words & _words("none")), bool(words & _words("all"))
        shown = (float(each) for value in found for each in _DIGITS.findall(value[:_MOST_CHARACTERS]))
        self._values = frozenset((*(round(value, 6) for value in _meant(text, words)), *shown))

    def allowed(self, parameter: Parameter, whole: bool) -> tuple[float, ...]:
        """What a parameter may be, in order, whole numbers as such; these alone where it takes no others."""
        low, high = parameter.minimum, parameter.maximum
        ends: set[float | None] = {0.0, low} if self._none else set()
        ends |= {100.0, high} if self._all else set()
        values = {float(value) for value in (self._values | ends) if value is not None}
        fitting = (value for value in values if (low is None or value >= low) and (high is None or value <= high))
        return tuple(
            int(value) if value.is_integer() else value for value in sorted(fitting) if value.is_integer() or not whole
        )


def _meant(text: str, words: frozenset[str]) -> Iterator[float]:
    said = numbers_in(text)
    row = [float(each) for each in re.findall(r"(?<![\d.])\d+(?:\.\d+)?(?![\d.])", in_digits(text))]
    one = {1.0} if words & {"a", "an", "one"} else set()
    amounts = {value for value in said if value}
    amounts |= {value + part for value in amounts | one for part in _FRACTIONS if value >= 1}  # "a kilo and a half"
    amounts |= {a + b / 100 for a, b in pairwise(row) if b < 100}  # "six fifty"
    amounts |= {100 * a + b for a, b in pairwise(row) if b < 100}
    amounts |= set(_PARTS) if words & _words("part") else set()
    for value in said | amounts:
        yield from (value, -value)
    for value in amounts | one:
        for factor in (*_FACTORS, *_units(words)):
            yield from (value * factor, value / factor, -value * factor)
    if words & {"fahrenheit", "celsius", "degree", "degrees", "f", "c"} or "°" in text:
        yield from (turned for value in said for turned in ((value - 32) / 1.8, value * 1.8 + 32))
    for seconds in {*lengths_in(text), *(clock_length(each) or 0.0 for each in _CLOCK.findall(text))}:
        yield from (sign * seconds / unit for unit in _LENGTHS for sign in (1, -1))
    for first, last in ((int(a), int(b)) for a, b in _RANGE.findall(in_digits(text))):
        if first < last <= first + _MOST_IN_RANGE:
            yield from range(first, last + 1)
        yield float(last - first)
    yield from _of_times(text)


def _of_times(text: str) -> Iterator[float]:
    """Hours, minutes and months of times: some functions take them as numbers."""
    for piece in fragments(text, _ANY_DAY):
        if piece.kind in (TimeKind.CLOCK, TimeKind.MOMENT):
            try:
                at = clock_of(piece.text)
            except WhenError:
                continue
            yield from filter(None, (at.hour, at.minute))
    yield from (MONTHS.index(word) + 1 for word in canonical(text).split() if word in MONTHS)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(_table()[name].split())


def _units(words: frozenset[str]) -> Iterator[float]:
    """What one of the units that are said is in others."""
    for names, factors in _table()["units"].items():
        if words & set(names.split()):
            yield from factors

"""Figures and lengths: those of a text or a record, and what they come to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from text_to_num import alpha2digit

from camphor.agents.observed_facts import FoundRecord

_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)*) ?([^\W\d_]{1,9}|[€$£%])")
_HALF = r"(\d+(?:\.\d+)?)( and a half)?"
_JOINT = r"(?:,? and |, | )?"
_TO_THE_SECOND = re.compile(
    rf"\b(?:(\d+) ?(?:hours?|hrs?|h){_JOINT})?"
    rf"(?:(\d+) ?(?:minutes?|mins?|m){_JOINT}(\d+)(?: ?(?:seconds?|secs?|s))?\b(?![:.]\d)"
    rf"|{_HALF} ?(?:minutes?|mins?)\b|(\d+) ?(?:seconds?|secs?)\b)",
    re.IGNORECASE,
)
_WITH_COLON = re.compile(r"\d+(?::\d+)+")
_LONGEST_VALUE = 20  # characters of a value that is no text
_MOST_IN_TEXT = 8  # figures of a text that are reckoned with
MOST_SUMMED = 10
"""Values of one field of which every sum is reckoned."""


def figures_of(text: str) -> Iterator[float]:
    """The numbers of a text, in digits or in words."""
    for written in _FIGURE.findall(alpha2digit(text, "en")):
        yield from _read_figure(written)


def seconds_of(clock: str) -> float:
    """Seconds of minutes and seconds, or of hours, minutes and seconds: "21:40"."""
    total = 0
    for part in clock.split(":"):
        total = 60 * total + int(part)
    return float(total)


def clocks_with_colons(text: str) -> list[str]:
    """What a text writes as "21:40" or "1:02:03"."""
    return _WITH_COLON.findall(text)


def _read_figure(written: str) -> Iterator[float]:
    plain = written.replace(",", "")
    with suppress(ValueError):
        yield float(plain)
        return
    for digits in re.findall(r"\d+", written):
        yield float(digits)


def numbers_of(each: FoundRecord) -> Iterator[float]:
    for value in each.record.values():
        yield from _numbers_in(value)
    for value, shown in each.shown:
        if not (isinstance(value, str) and _ISO.fullmatch(value)):
            yield from figures_of(shown[:2000])


def _numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        if not _ISO.fullmatch(value):  # a day and an hour are no figures
            yield from figures_of(value[:2000])
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _numbers_in(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _numbers_in(each)


def reckoned(records: Sequence[FoundRecord], told: Sequence[float]) -> frozenset[float]:
    """Sums and differences of the figures of one field, their mean, and these with what was said.

    Args:
        told: figures that were said, a few.
    """
    own = [{name: list(_numbers_in(value)) for name, value in each.record.items()} for each in records]
    found: set[float] = set()
    fields: dict[str, list[float]] = {}
    for each, numbers_by_name in zip(records, own, strict=True):
        for name, numbers in numbers_by_name.items():
            value = each.record[name]
            if len(numbers) <= 1 or not isinstance(value, str):
                fields.setdefault(name, []).extend(numbers)
            elif len(value) <= _LONGEST_VALUE:  # "148/92": one beside the other; those of a text are of many kinds
                for place, number in enumerate(numbers):
                    fields.setdefault(f"{name} {place}", []).append(number)
            elif len(numbers) <= _MOST_IN_TEXT:  # texts with as many figures are of one make
                for place, number in enumerate(numbers):
                    fields.setdefault(f"{name} {place} of {len(numbers)}", []).append(number)
                found.add(sum(numbers))
                found |= {round(100 * one / other) for one, other in pairwise(numbers) if one < other}  # "41 out of 50"
            if isinstance(value, str) and len(numbers) in (2, 3):  # "34 metres sewn, 60 wanted"
                found |= _apart(numbers)
        together = [number for numbers in numbers_by_name.values() for number in numbers][:12]
        found |= {one * other for one, other in combinations(together, 2)}  # a price and how many of it
        for amounts in _amounts(each).values():
            found |= {sum(amounts)} | sums(amounts[:6]) | _apart(amounts)
    for numbers in filter(None, fields.values()):
        found |= {sum(numbers), sum(numbers) / len(numbers)} | sums(numbers[:MOST_SUMMED]) | _apart(numbers[:40])
    every = [number for numbers in fields.values() for number in numbers][:60]
    for said in told:
        found |= {number * said for number in every} | {number + said for number in every}
        found |= {abs(number - said) for number in every} | {number / said for number in every if said}
    found |= {round(100 * number) for number in every if 0 < number < 1}  # percent
    for one, other in combinations([*every[:30], *told], 2):
        found |= {round(100 * abs(one - other) / base) for base in (one, other) if base} | {abs(one - other)}
    for one, other in combinations(told, 2):
        found |= {one + other, one * other}
    return frozenset(round(each, 2) for each in found)


def is_about(figure: float, exact: float) -> bool:
    """Whether a figure is another one, as exactly as it is written."""
    return round(exact, len(f"{figure:.10g}".partition(".")[2])) == figure


def comes_of(figure: float, told: Sequence[float]) -> bool:
    """Whether a figure is what two of those that were told come to, or the sum of some of the last."""
    pairs = ((one, other) for one in told for other in told)
    made = {each for one, other in pairs for each in (one + other, one - other, one * other, other and one / other)}
    return any(is_about(figure, each) for each in made | sums(told[-MOST_SUMMED:]))


def _apart(numbers: Sequence[float]) -> set[float]:
    return {abs(one - other) for one, other in combinations(numbers, 2)}


def _amounts(found: FoundRecord) -> Mapping[str, list[float]]:
    """The figures in the texts of a record, by the unit behind them: "Deposit 80 EUR, balance 246 EUR"."""
    amounts: dict[str, list[float]] = {}
    for value in found.record.values():
        for written, unit in _AMOUNT.findall(value[:2000]) if isinstance(value, str) else ():
            amounts.setdefault(unit.casefold(), []).extend(_read_figure(written))
    return amounts


def sums(numbers: Sequence[float]) -> set[float]:
    """The sums of any two or more of some numbers."""
    sizes = range(2, len(numbers) + 1)
    return {sum(chosen) for size in sizes for chosen in combinations(numbers, size)}


@dataclass(frozen=True)
class ExactLength:
    """A length as written, in seconds, and within how many seconds it is meant."""

    written: str
    seconds: float
    within: float = 0.0


def lengths_to_the_second(text: str) -> tuple[list[ExactLength], str]:
    """The lengths of a text that have seconds or halves of minutes, and the text without them: "six minutes and
    thirty-two seconds", "51 minutes 44"."""
    digits, found = alpha2digit(text, "en"), []
    for match in _TO_THE_SECOND.finditer(digits):
        hours, minutes, seconds, some, half, few = match.groups()
        if some and not half:
            continue
        whole = 3600 * float(hours or 0) + 60 * float(minutes or some or 0) + float(seconds or few or 0)
        found.append(ExactLength(match[0], whole + 30 * bool(half), 30.0 if half else 0.0))
    if not found:
        return [], text
    return found, _TO_THE_SECOND.sub(lambda match: match[0] if match[4] and not match[5] else " ", digits)

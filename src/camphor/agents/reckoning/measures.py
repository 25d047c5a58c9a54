"""Amounts in other units in words: "5 miles in km", "how tall is 5 foot 11 in cm"; currencies are not converted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from camphor.agents.reckoning.sums import NUMBER, currencies
from camphor.agents.reckoning.words import Reckoning, Said, table
from camphor.device.arithmetic import Unit, convert, evaluate, pair, rounded, show_number, unit_words, units_called
from camphor.errors import ToolError
from camphor.types import Call

_SMALLER = {"foot": "inch", "stone": "pound"}  # what a bare number behind it counts: "5 foot 11"


@cache
def measures() -> tuple[re.Pattern[str], ...]:
    """The table's patterns of questions about units."""
    signs = "".join(re.escape(word) for word in unit_words() if not word[0].isalnum() and len(word) == 1)
    names = "|".join(re.escape(word) for word in unit_words() if word[0].isalnum() or len(word) > 1)
    unit = rf"(?:{names})(?![a-z0-9²³])"
    one = rf"(?P<number>{NUMBER}) ?-?(?P<unit>{unit}|[{signs}])"
    more = rf"(?:,? ?(?:and )?(?P<more>{NUMBER}) ?(?P<smaller>{unit}|[{signs}])?)?"
    fraction = rf"(?P<part>\d+/\d+) (?:of )?(?:an? )?(?P<whole>{unit})"
    amount = rf"(?:{one}{more}|{fraction}|(?:an?|1) (?P<single>{unit}))"
    return tuple(
        re.compile(each["pattern"].replace("{q}", amount).replace("{u}", f"(?P<to>{unit})"))
        for each in table()["measure"]
    )


def measure_of(asked: Said, country: str = "") -> Reckoning | None:
    """The amount in the unit that is asked for, or None.

    Args:
        country: of the device, in lower case: a pint is another one in Ireland than in the United States.
    """
    for pattern, row in zip(measures(), table()["measure"], strict=True):
        if (found := pattern.fullmatch(asked.digits)) and (told := _converted(found, country, row.get("loose", False))):
            return told
    return _money(asked)


def _converted(found: re.Match[str], country: str, loose: bool) -> Reckoning | None:
    word = found["unit"] or found["whole"] or found["single"]
    number = (found["number"] or found["part"] or "1").replace(",", "").replace("−", "-")
    try:
        one, other = pair(word, found["to"], country)
    except ToolError:
        return None if loose else _unlike(word, found["to"], country)
    amount, unit = evaluate(number), one
    shown = f"{show_number(rounded(amount))} {one.show(amount)}"
    if found["more"]:
        smaller = found["smaller"] or _SMALLER.get(one.name)
        unit = next((each for each in units_called(smaller or "", country) if each.measures == one.measures), one)
        if unit == one:
            return None
        more = evaluate(found["more"].replace(",", ""))
        shown += f" {show_number(rounded(more))} {unit.show(more)}"
        amount = convert(amount, one, unit) + more
    result = convert(amount, unit, other)
    # the words of a unit that another country has too would mean that one there
    call = Call("convert_units", {"amount": _json(amount), "unit": unit.name, "to": other.name})
    return Reckoning(call, f"{shown} is {_shown(result, other)}.")


def _shown(amount: Fraction, unit: Unit) -> str:
    near = rounded(amount, 2)
    return f"{show_number(near)} {unit.show(near)}"


def _json(amount: Fraction) -> int | float:
    return amount.numerator if amount.denominator == 1 else float(amount)


def _unlike(word: str, to: str, country: str) -> Reckoning | None:
    """What is said of units that measure different things; None where a short word may mean something else."""
    one, other = units_called(word, country), units_called(to, country)
    if min(len(word), len(to)) < 3 or len(one) != 1 or len(other) != 1:
        return None
    kinds = f"{one[0].many} measure {one[0].measures} and {other[0].many} {other[0].measures}"
    return Reckoning(None, f"That cannot be converted: {kinds}.")


@cache
def _rates() -> tuple[re.Pattern[str], ...]:
    words = sorted(currencies(), key=len, reverse=True)
    names = "|".join(re.escape(word) for word in words if len(word) > 1)
    signs = "".join(re.escape(word) for word in words if len(word) == 1 and not word.isalpha())
    amount = rf"(?:[{signs}] ?{NUMBER}|(?:{NUMBER}|an?) ?(?:[{signs}]|(?:{names})\b))"
    return tuple(
        re.compile(each["pattern"].replace("{q}", f"(?P<amount>{amount})").replace("{u}", rf"(?P<to>(?:{names})\b)"))
        for each in table()["measure"]
    )


def _money(asked: Said) -> Reckoning | None:
    for pattern in _rates():
        if found := pattern.fullmatch(asked.digits):
            amount, to = found["amount"], currencies()[found["to"]]
            if next(_coins(amount), "") != to:
                return Reckoning(None, f"I do not know exchange rates, so I cannot tell {amount} in {to}.")
    return None


def _coins(amount: str) -> Iterator[str]:
    for word, name in currencies().items():
        if re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", amount):
            yield name

"""The strengths in which a medicine is sold (strengths.toml): one of a picture that is none of them is asked about.

A strength is compared by what it has: "125 mg/5 ml" is 25 mg in a ml, "0.5 mg" is 500 mcg, and the parts of a
combination may stand in any order.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from camphor.health.prescriptions.drugs import table

_IN_MCG = {"nanogram": 0.001, "mcg": 1.0, "microgram": 1.0, "mg": 1000.0, "g": 1_000_000.0, "gram": 1_000_000.0}
_OTHERS = {"unit": "unit", "iu": "unit", "mmol": "mmol", "meq": "meq", "%": "%"}
_IN = {"ml": ("ml", 1.0), "hour": ("hour", 1.0), "h": ("hour", 1.0), "hr": ("hour", 1.0), "day": ("hour", 24.0)}
_EACH = ("dose", "actuation", "spray", "puff", "tablet", "capsule", "patch", "inhalation")
"""What a strength is of without saying so: "100 mcg/dose" is 100 mcg."""
_PART = re.compile(r"(\d+(?:\.\d+)?)?\s?([a-z%]+)?\s*")

Strength = tuple[str, tuple[tuple[float, str], ...]]
"""In what ("ml", "hour", "g" or "" for each one), and how much of each part: (500.0, "mcg"), (5.0, "unit")."""


def strength_of(text: str) -> Strength | None:
    """A strength as what it has; None for a text that is none."""
    bare = re.sub(r"^u-?(\d+)$", r"\1 unit/ml", re.sub(r"(?<=\d),(?=\d{3})", "", text.casefold()))  # "U-100"
    parts = [_part(each) for each in re.split(r"[/+]|-(?=\d)", bare)]
    if any(each is None for each in parts) or not parts:
        return None
    told = [each for each in parts if each is not None]
    per, share = "", 1.0
    last, unit = told[-1]
    if len(told) > 1 and (unit in _IN or unit in _EACH or (unit == "g" and last is None)):
        per, factor = _IN.get(unit, ("" if unit in _EACH else "g", 1.0))
        share = (last or 1.0) * factor
        told.pop()
    found: list[tuple[float, str]] = []
    beside = next((unit for _, unit in reversed(told) if unit), "")  # "5-325 mg"
    for number, each in reversed(told):
        each = each or beside
        if number is None or not share or not each:
            return None
        if each in _IN_MCG:
            found.append((float(f"{number * _IN_MCG[each] / share:.6g}"), "mcg"))
        elif each in _OTHERS:
            found.append((float(f"{number / share:.6g}"), _OTHERS[each]))
        else:
            return None
    return per, tuple(sorted(found))


def _part(text: str) -> tuple[float | None, str] | None:
    match = _PART.fullmatch(text.strip())
    if match is None or not (match[1] or match[2]):
        return None
    unit = (match[2] or "").removesuffix("s")
    return (float(match[1]) if match[1] else None), {"ug": "mcg"}.get(unit, unit)


def known(ingredients: Sequence[str]) -> frozenset[Strength] | None:
    """The strengths of a medicine; None where none are known."""
    return _strengths().get(frozenset(ingredients))


_FACTORS = (1.0, _IN_MCG["mg"])
"""A figure without a unit is of micrograms or of milligrams."""


def is_listed(text: str, listed: Collection[Strength]) -> bool:
    """Whether a strength as it is printed is one of these: "500 mg", and bare figures that can only be one of them."""
    one = strength_of(text)
    if one is not None:
        return one in listed
    numbers = sorted(float(each) for each in text.split("/") if re.fullmatch(r"\d+(?:\.\d+)?", each))
    if not numbers or len(numbers) != text.count("/") + 1:
        return False
    told = [parts for _, parts in listed]
    return any(numbers == sorted(amount / factor for amount, _ in parts) for parts in told for factor in _FACTORS)


@cache
def _strengths() -> dict[frozenset[str], frozenset[Strength]]:
    told = table("strengths.toml")["strengths"]
    return {frozenset(name.split(" + ")): frozenset(_listed(each)) for name, each in told.items()}


def _listed(text: str) -> list[Strength]:
    """The strengths of a line of the table: "2.5 5 10 mg; 1 mg/ml"."""
    found: list[Strength] = []
    for group in text.split(";"):
        *numbers, unit = group.split()
        if any(letter.isalpha() for letter in unit) and unit[0].isdigit():
            numbers, unit = [*numbers, unit], ""
        for number in numbers:
            strength = strength_of(f"{number} {unit}" if unit else number)
            if strength is None:
                raise ValueError(f"strengths.toml: {number} {unit} is no strength")
            found.append(strength)
    return found

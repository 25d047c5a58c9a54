"""Amounts in other units, exactly: 5 miles are 25146/3125 km. The library pint knows them; it is loaded when needed.

`units.toml` has the words people use and how a unit is shown. Loading pint takes 0.8 s, once a process.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from camphor.errors import ToolError

if TYPE_CHECKING:
    from pint import UnitRegistry

_EXAMPLES = 'write for example "mile", "km", "cup" or "celsius"'
_OF_LIBRARY = re.compile(r"[a-z][a-z_]{2,30}", re.IGNORECASE)


@dataclass(frozen=True)
class Unit:
    """A unit: the library's name for it, what it measures, and how one and many of it are shown."""

    name: str
    measures: str
    one: str
    many: str

    def show(self, amount: Fraction) -> str:
        """The unit behind that amount: "mile", "miles", "km"."""
        return self.one if abs(amount) == 1 else self.many


@cache
def _table() -> dict[str, tuple[tuple[Unit, frozenset[str]], ...]]:
    """For each word the units that it may mean, with the countries where it does; none named is everywhere."""
    read = tomllib.loads(files("camphor.device").joinpath("units.toml").read_text(encoding="utf-8"))
    found: dict[str, tuple[tuple[Unit, frozenset[str]], ...]] = {}
    for each in read["unit"]:
        unit = Unit(each["name"], each["measures"], each["shown"], each.get("many", each["shown"]))
        for word in each["words"]:
            found[word] = (*found.get(word, ()), (unit, frozenset(each.get("countries", ()))))
    return found


@cache
def _by_name() -> dict[str, Unit]:
    return {unit.name.casefold(): unit for meant in _table().values() for unit, _ in meant}


def unit_words() -> tuple[str, ...]:
    """Every word for a unit, in lower case, longest first."""
    return tuple(sorted(_table(), key=len, reverse=True))


def units_called(word: str, country: str = "") -> tuple[Unit, ...]:
    """The units that a word may mean in a country, in lower case; "oz" may be one of mass and one of volume."""
    meant = _table().get(word.casefold(), ())
    named = {unit.measures for unit, countries in meant if country and country in countries}
    return tuple(
        unit
        for unit, countries in meant
        if not countries or country in countries or ("" in countries and unit.measures not in named)
    )


def pair(unit: str, to: str, country: str = "") -> tuple[Unit, Unit]:
    """The two units of one measure that two words mean.

    Raises:
        ToolError: a word is no unit, or they measure different things.
    """
    first, second = (_called(word, country) for word in (unit, to))
    for one in first:
        for other in second:
            if one.measures == other.measures or not (one.measures and other.measures):
                return one, other
    one, other = first[0], second[0]
    raise ToolError(
        f'"{unit}" is a unit of {one.measures} and "{to}" one of {other.measures}: neither can be told in the other'
    )


def _called(word: str, country: str) -> tuple[Unit, ...]:
    if found := units_called(word, country):
        return found
    if named := _by_name().get(word.casefold()):
        return (named,)
    if not _OF_LIBRARY.fullmatch(word):
        raise ToolError(f'"{word[:40]}" is no unit that is known: {_EXAMPLES}')
    try:
        _registry().parse_units(word)
    except Exception:  # whatever the library finds wrong with a word, it is no unit
        raise ToolError(f'"{word}" is no unit that is known: {_EXAMPLES}') from None
    return (Unit(word, "", word, word),)  # `convert` says whether it fits


def convert(amount: Fraction, unit: Unit, to: Unit) -> Fraction:
    """The amount in the other unit, exact where the units' ratio is a fraction.

    Raises:
        ToolError: they do not fit, or the library cannot reckon with them.
    """
    units = _registry()
    try:
        found = units.Quantity(amount, unit.name).to(to.name).magnitude
        return found if isinstance(found, Fraction) else Fraction(found)
    except Exception:  # of the library, of many kinds
        raise ToolError(f"{unit.many} cannot be told in {to.many}: {_EXAMPLES}") from None


@cache
def _registry() -> UnitRegistry[Fraction]:
    from pint import UnitRegistry

    units: UnitRegistry[Fraction] = UnitRegistry(non_int_type=Fraction)
    units.define(
        "international_acre = 43560 * foot ** 2"
    )  # the library's acre is the survey's, 4 parts in a million more
    return units

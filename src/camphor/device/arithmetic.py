"""Reckoning, exactly: sums, amounts in other units; and how far two places on the earth lie apart."""

from __future__ import annotations

import ast
import math
import operator
import re
import tomllib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import isqrt
from typing import TYPE_CHECKING, Any

from camphor.errors import ToolError

if TYPE_CHECKING:
    from pint import UnitRegistry


# Sums, exactly: an expression becomes a fraction, so that 0.1 + 0.2 is 0.3.
#
# Written as people write them: `12 × 7`, `15% of 84`, `1/2 of 3 1/2`, `2^10`, `sqrt(144)`. Python's own parser reads
# the expression, and only numbers, the operators and `sqrt` are carried out.

_LONGEST = 200  # characters
_MOST_BITS = 2000  # of a numerator or a denominator: about 600 digits
_ROOT_DIGITS = 40
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "∕": "/"})
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])")
_MIXED = re.compile(r"(?<![\d.])(\d+) (\d+)/(\d+)(?![\d.])")
_DIVISOR = re.compile(r"÷\s*(\d+/\d+)(?![\d./])")  # "12 ÷ 3/4" divides by three quarters
_PERCENT = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*%(?=\s*(?:$|[-+*/^)]|of\b))")
_OF = re.compile(r"\bof\b")
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)")


def evaluate(expression: str) -> Fraction:
    """The value of an expression, exact but for roots that are no fraction (40 digits).

    Raises:
        ToolError: what is wrong with it: not a sum, a division by zero, a number that is too large.
    """
    if not expression.strip() or len(expression) > _LONGEST:
        raise _wrong(expression, f"is not a sum of at most {_LONGEST} characters")
    plain = _MIXED.sub(r"(\1+\2/\3)", _THOUSANDS.sub(lambda m: m[0].replace(",", ""), expression))
    plain = _DIVISOR.sub(r"/(\1)", plain).translate(_SIGNS).replace("^", "**")
    source = _OF.sub("*", _PERCENT.sub(r"(\1/100)", plain)).strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # "2(3)" and the like: said below
            tree = ast.parse(source, mode="eval")
        return _value(tree.body, source)
    except ZeroDivisionError:
        raise _wrong(expression, "divides by zero, which has no result") from None
    except OverflowError:
        raise _wrong(expression, "has a result that is too large to be written") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _wrong(expression, "is not a sum that can be reckoned") from None


def _wrong(expression: str, why: str) -> ToolError:
    shown = expression if len(expression) <= 60 else expression[:57] + "..."
    return ToolError(f'"{shown}" {why}: write for example  12 * 7  or  15% of 84')


def _value(node: ast.expr, source: str) -> Fraction:
    if isinstance(node, ast.Constant):
        written = ast.get_source_segment(source, node) or ""
        if not _NUMBER.fullmatch(written):  # no text, no exponent, no imaginary number
            raise ValueError(written)
        return Fraction(written)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand, source)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, source), _value(node.right, source)
        if type(node.op) not in _OPERATORS:
            raise ValueError(ast.dump(node.op))
        return _bounded(_OPERATORS[type(node.op)](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sqrt" and not node.keywords:
        (argument,) = node.args
        return _root(_value(argument, source))
    raise ValueError(ast.dump(node))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent == Fraction(1, 2):
        return _root(base)
    if exponent.denominator != 1:
        raise ValueError("only whole powers are fractions")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if bits * abs(exponent) > _MOST_BITS:
        raise OverflowError
    if abs(base) == 1:
        return base if exponent % 2 else Fraction(1)
    return base ** int(exponent)


def _root(value: Fraction) -> Fraction:
    if value < 0:
        raise ValueError("the root of a negative number")
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    with localcontext() as context:
        context.prec = _ROOT_DIGITS
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise OverflowError
    return value


_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: _power,
}  # fmt: skip


def rounded(value: Fraction, decimals: int = 6) -> Fraction:
    """The value itself where that many decimals write it in full; else to two decimals, or three significant digits."""
    scale = 10**decimals
    if (value * scale).denominator == 1:
        return value
    places = 2
    while places < 12 and 0 < abs(value) * 10**places < 100:
        places += 1
    return round(value, places)


def show_number(value: Fraction) -> str:
    """In digits, thousands apart: "1,024", "-0.5". Give it what `rounded` gave."""
    if value.denominator == 1:
        return f"{value.numerator:,}"
    with localcontext() as context:
        context.prec = 700
        text = f"{Decimal(value.numerator) / Decimal(value.denominator):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_json(value: Fraction) -> int | float:
    """The number as a record holds it: whole, or the nearest float."""
    return value.numerator if value.denominator == 1 else float(value)


# Amounts in other units, exactly: 5 miles are 25146/3125 km. The library pint knows them; it is loaded when needed.
#
# `units.toml` has the words people use and how a unit is shown. Loading pint takes 0.8 s, once a process.

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


# How far two places on the earth lie apart.

_EARTH_KM = 6371.0088  # mean radius (IUGG)

Point = tuple[float, float]
"""Latitude and longitude in degrees, north and east positive."""


def point_of(record: Mapping[str, Any]) -> Point | None:
    """Where a record says that it is; None where it does not, or where no such place is on the earth."""
    found = []
    for field, most in (("latitude", 90), ("longitude", 180)):
        value = record.get(field)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= most:
            return None
        found.append(float(value))
    return found[0], found[1]


def distance_km(one: Point, other: Point) -> float:
    """Length of the great circle between two places, in kilometres (haversine formula, right for near places too)."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, each)) for each in (one, other))
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * _EARTH_KM * math.asin(math.sqrt(min(1.0, half)))

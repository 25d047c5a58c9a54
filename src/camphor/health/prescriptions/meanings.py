"""What the phrases of directions.lark say, as values: how much, of what strength, where, and what not to exceed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lark.exceptions import VisitError

from camphor.health.prescriptions.directions import HOURS, MASSES, Amount, Most
from camphor.health.prescriptions.timings import NoMeaning, Timings, first_quantity, rising, sole, words_of_kind


@dataclass(frozen=True)
class Strength:
    """What a product has: "500 mg", "250 mg/5 ml"; its form where that was said beside it, and what one of it has."""

    text: str
    form: str = ""
    amount: Amount | None = None


def _amount(qty: Any, unit: str = "", strength: str = "") -> Amount:
    return Amount(qty[0], qty[1], unit, strength)


class Meanings(Timings):
    """Trees of directions.lark to values. Raises: NoMeaning."""

    def transform(self, tree: Any) -> Any:
        try:
            return super().transform(tree)
        except VisitError as error:
            raise NoMeaning(str(error.orig_exc)) from error

    def __default__(self, data: Any, children: list[Any], meta: Any) -> Any:
        if len(children) == 1:
            return children[0]
        plain = {"needed", "then", "end", "goon", "stop", "directed", "mix", "site", "gap", "most"}
        return tuple(map(str, children) if str(data) in plain else children)

    # numbers and amounts

    def plain(self, parts: list[Any]) -> float:
        return float(parts[0])

    def mixed(self, parts: list[Any]) -> float:
        numbers = [float(each) for each in words_of_kind(parts, "NUM", "FRAC", "HALF")]
        if numbers[0] != int(numbers[0]) or numbers[1] >= 1 or numbers[0] > 12:
            raise NoMeaning("no mixed number")
        return sum(numbers)

    def echoed_half(self, parts: list[Any]) -> float:
        half, _, again, _ = parts
        if float(half) != float(again):
            raise NoMeaning("two numbers")
        return float(half)

    def exact(self, parts: list[Any]) -> tuple[float, float]:
        return parts[0], parts[0]

    def span(self, parts: list[Any]) -> tuple[float, float]:
        return rising(parts[0], parts[2])

    def bare(self, parts: list[Any]) -> Amount:
        return _amount(parts[0])

    def counted(self, parts: list[Any]) -> Amount:
        return _amount(parts[0], str(parts[-1]))

    formed = counted

    def totalled(self, parts: list[Any]) -> Amount:
        return _amount(parts[0], parts[1])

    def one(self, parts: list[Any]) -> Amount:
        return Amount(1, 1, str(parts[-1]))

    def massed(self, parts: list[Any]) -> Amount:
        low, unit, _, high, other = parts
        if unit != other or not low[0] < high[0]:
            raise NoMeaning("two units")
        return Amount(low[0], high[1], str(unit))

    def echoed(self, parts: list[Any]) -> Amount:
        qty, unit, _, again, _ = parts
        if qty != again:
            raise NoMeaning("two numbers")
        return _amount(qty, unit)

    def spoons(self, parts: list[Any]) -> Amount:
        number = float(words_of_kind(parts, "NUM")[-1])
        if words_of_kind(parts, "MASS")[0] != "ml":
            raise NoMeaning("a spoon of no millilitres")
        return _amount(parts[0], "spoonful" if number == 5 else f"{number:g} ml spoonful")

    def spoon(self, parts: list[Any]) -> Amount:
        return self.spoons([(1.0, 1.0), *parts[1:]])

    def spoonfuls(self, parts: list[Any]) -> Amount:
        return _amount(parts[0], "spoonful")

    def tablets(self, parts: list[Any]) -> Amount:
        number, mass = words_of_kind(parts, "NUM")[-1], words_of_kind(parts, "MASS")[0]
        return _amount(parts[0], str(parts[-1]), f"{float(number):.9g} {mass}")

    def upto(self, parts: list[Any]) -> Amount:
        low, high = parts[1]
        if low != high or high < 1:
            raise NoMeaning("up to a range")
        unit = parts[2] if len(parts) > 2 else ""
        return Amount(0 if unit in (*MASSES, "ml") else min(1.0, high), high, unit, upto=True)

    def unit(self, parts: list[Any]) -> str:
        return str(parts[0])

    # strength

    def _said(self, parts: list[Any]) -> str:
        numbers = [each[0] if isinstance(each, tuple) else each for each in parts]
        flat = [f"{each:.9g}" if isinstance(each, float) else str(each) for each in numbers]
        said = re.sub(r"(?<=\d)\.0(?!\d)", "", " ".join(flat))
        return said.replace(" / ", "/").replace(" - ", "-").replace(" %", "%")

    def ratio(self, parts: list[Any]) -> Strength:
        return Strength(self._said(parts))

    def lasting(self, parts: list[Any]) -> Strength:
        """How long one of it lasts is no strength: "24 hr tablet", "7-day patch"."""
        return Strength("", words_of_kind(parts, "COUNT")[-1])

    def combined(self, parts: list[Any]) -> Strength:
        if str(parts[-1]) in ("unit", "ml"):
            raise NoMeaning("two figures of what is taken: NovoMix 30 - 18 units")
        return Strength(self._said(parts))

    def mixed_in(self, parts: list[Any]) -> Strength:
        if parts[-1] != "ml" or parts[2] != "in":
            raise NoMeaning("no volume")
        return Strength(self._said(parts).replace(" in ", "/"))

    def per(self, parts: list[Any]) -> str:
        return self._said(parts)

    def per_time(self, parts: list[Any]) -> str:
        return "/ " + self._said(parts[1:])

    def product(self, parts: list[Any]) -> Strength:
        number, mass = parts[0], words_of_kind(parts, "MASS")[0]
        form = words_of_kind(parts, "COUNT", "FORM", "FORMWORD")[-1]
        return Strength(f"{number:.9g} {mass}", form, Amount(number, number, mass))

    def form(self, parts: list[Any]) -> str:
        return str(parts[-1])

    # how many are given out

    def supply(self, parts: list[Any]) -> tuple[Any, ...]:
        if any(isinstance(each, str) and each in ("mg", "mcg", "g", "unit") for each in parts):
            raise NoMeaning("no count")
        counts = [each[0] for each in parts if isinstance(each, tuple)]
        if str(parts[0]) == "disp" and counts and counts[0] < 5:
            raise NoMeaning("dispersible, or dispensed")
        return tuple(map(str, parts))

    # limits

    def window(self, parts: list[Any]) -> float:
        count = next((sole(each, "in a range of hours") for each in parts if isinstance(each, tuple)), 1.0)
        last = parts[-1]
        return count * HOURS[last.type.lower() if last.type in ("HOUR", "MINUTE") else str(last)]

    def window_short(self, parts: list[Any]) -> float:
        count = float(parts[0]) if parts[0].type == "NUM" else 1.0
        return count * HOURS["hour" if parts[-1].type == "HOUR" else str(parts[-1])]

    def most_amount(self, parts: list[Any]) -> Most:
        amount = sole(parts[1], "a range for the most")
        unit = next((each for each in parts[2:] if isinstance(each, str) and not hasattr(each, "type")), "")
        return Most(amount, unit, next((each for each in parts[2:] if isinstance(each, float)), 0.0))

    def most_colon(self, parts: list[Any]) -> Most:
        return self.most_amount([parts[0], *parts[2:]])

    def most_pair(self, parts: list[Any]) -> Most:
        amount, _, hours = str(parts[1]).partition("/")
        if float(hours) not in (24.0, 12.0, 48.0, 7.0):
            raise NoMeaning("no hours")
        return Most(float(amount), "", float(hours) if float(hours) != 7.0 else 168.0)

    def most_once(self, parts: list[Any]) -> Most:
        return Most(float(parts[1]), "dose", parts[2])

    def most_times(self, parts: list[Any]) -> Most:
        return Most(sole(parts[1], "a range for the most"), "dose", parts[3])

    def most_latin(self, parts: list[Any]) -> Most:
        return Most(float(parts[1]), "dose", 24.0)

    def most_upto(self, parts: list[Any]) -> Most:
        return Most(sole(parts[1], "a range for the most"), parts[2], parts[3])

    def most_upto_hours(self, parts: list[Any]) -> Most:
        amount, hours = (sole(parts[place], "a range for the most") for place in (1, 3))
        return Most(amount, "", hours)

    def most_two(self, parts: list[Any]) -> tuple[Most, Amount]:
        hours = next(each for each in parts if isinstance(each, float))
        (first, unit), (second, other) = [
            (sole(each, "a range for the most"), parts[place + 1])
            for place, each in enumerate(parts)
            if isinstance(each, tuple)
        ]
        return Most(first, unit, hours), Amount(second, second, other)

    most_two_after = most_two

    def gap_hours(self, parts: list[Any]) -> float:
        return sole(first_quantity(parts), "a range for the least gap")

    def gap_minutes(self, parts: list[Any]) -> float:
        return self.gap_hours(parts) / 60

    def repeat_hours(self, parts: list[Any]) -> tuple[float, bool]:
        return self.gap_hours(parts), True

    def repeat_minutes(self, parts: list[Any]) -> tuple[float, bool]:
        return self.gap_minutes(parts), True

    def gap_open(self, parts: list[Any]) -> float:
        if str(parts[0]) == "wait":
            raise NoMeaning("hours to wait, and not between doses")
        return self.gap_hours(parts)

    # places

    def sided(self, _: list[Any]) -> str:
        return ""  # in the words that were said

    body = body_of = side_body_of = bodies = body_two = sided

    def named(self, parts: list[Any]) -> str:
        return str(parts[-1])

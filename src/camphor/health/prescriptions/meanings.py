"""What the phrases of directions.lark say, as values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lark import Transformer, v_args
from lark.exceptions import VisitError

HOURS = {"hour": 1.0, "day": 24.0, "night": 24.0, "week": 168.0, "month": 720.0, "minute": 1 / 60}
DAYS = {"day": 1, "night": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
MASSES = ("mg", "mcg", "g", "unit", "mmol", "meq")
IN_MG = {"mcg": 0.001, "mg": 1.0, "g": 1000.0}
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
OTHER_DAYS = ("other",)
"""The days of the week that are not named."""
_SLOTS = ("morning", "noon", "evening", "bedtime")


class NoMeaning(ValueError):
    """The words fit the grammar and say nothing: "5 to 1 tablets"."""


@dataclass(frozen=True)
class Amount:
    """How much at a time, from `low` to `high` of a unit; `strength` of each where it was said beside the count."""

    low: float
    high: float
    unit: str = ""
    strength: str = ""
    upto: bool = False


@dataclass(frozen=True)
class Often:
    """How often: `low` to `high` times a period, or, with `every`, once in so many periods; or once and no more."""

    low: float = 1
    high: float = 1
    period: str = "day"
    every: bool = False
    once: bool = False
    upto: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Most:
    """What is not to be exceeded in so many hours; the unit is "dose" where doses are counted."""

    amount: float
    unit: str
    hours: float


@dataclass(frozen=True)
class Taper:
    """A change by `amount` every so many days, up or down; `end` is where it ends, 0 for off, None where not said."""

    amount: Amount
    up: bool
    days: int
    end: Amount | None


@dataclass(frozen=True)
class Strength:
    """What a product has: "500 mg", "250 mg/5 ml"; its form where that was said beside it, and what one of it has."""

    text: str
    form: str = ""
    amount: Amount | None = None


def mass_of(strength: str) -> tuple[float, str] | None:
    """A strength that is one mass, as number and unit; None where it is not: "250 mg/5 ml"."""
    parts = re.fullmatch(r"([\d.]+) (mg|mcg|g)", strength)
    return (float(parts[1]), parts[2]) if parts else None


class Meanings(Transformer[Any, Any]):
    """Trees of directions.lark to values. Raises: NoMeaning."""

    def transform(self, tree: Any) -> Any:
        try:
            return super().transform(tree)
        except VisitError as error:
            raise NoMeaning(str(error.orig_exc)) from error

    def __default__(self, data: Any, children: list[Any], meta: Any) -> Any:
        name = str(data)
        plain = {"needed", "then", "end", "goon", "stop", "directed", "mix", "site", "gap", "most"}
        if name in plain:
            return children[0] if len(children) == 1 else tuple(map(str, children))
        return children[0] if len(children) == 1 else tuple(children)

    # numbers and amounts

    @v_args(inline=True)
    def plain(self, number: Any, *_: Any) -> float:
        return float(number)

    def mixed(self, parts: list[Any]) -> float:
        numbers = [float(each) for each in parts if each.type in ("NUM", "FRAC", "HALF")]
        if numbers[0] != int(numbers[0]) or numbers[1] >= 1 or numbers[0] > 12:
            raise NoMeaning("no mixed number")
        return sum(numbers)

    @v_args(inline=True)
    def echoed_half(self, half: Any, _: Any, again: Any, __: Any) -> float:
        if float(half) != float(again):
            raise NoMeaning("two numbers")
        return float(half)

    @v_args(inline=True)
    def exact(self, number: float) -> tuple[float, float]:
        return number, number

    @v_args(inline=True)
    def span(self, low: float, _: Any, high: float) -> tuple[float, float]:
        if not low < high:
            raise NoMeaning("a range that does not rise")
        return low, high

    def bare(self, parts: list[Any]) -> Amount:
        return Amount(parts[0][0], parts[0][1])

    def counted(self, parts: list[Any]) -> Amount:
        return Amount(parts[0][0], parts[0][1], str(parts[-1]))

    formed = counted

    @v_args(inline=True)
    def totalled(self, qty: Any, unit: Any, _: Any) -> Amount:
        return Amount(qty[0], qty[1], str(unit))

    def one(self, parts: list[Any]) -> Amount:
        return Amount(1, 1, str(parts[-1]))

    @v_args(inline=True)
    def massed(self, low: Any, unit: Any, _: Any, high: Any, other: Any) -> Amount:
        if unit != other or not low[0] < high[0]:
            raise NoMeaning("two units")
        return Amount(low[0], high[1], str(unit))

    @v_args(inline=True)
    def echoed(self, qty: Any, unit: Any, _: Any, again: Any, __: Any) -> Amount:
        if qty != again:
            raise NoMeaning("two numbers")
        return Amount(qty[0], qty[1], str(unit))

    def spoons(self, parts: list[Any]) -> Amount:
        number = [each for each in parts if getattr(each, "type", "") == "NUM"][-1]
        mass = next(each for each in parts if getattr(each, "type", "") == "MASS")
        if mass != "ml":
            raise NoMeaning("a spoon of no millilitres")
        return Amount(parts[0][0], parts[0][1], "spoonful" if float(number) == 5 else f"{float(number):g} ml spoonful")

    def spoon(self, parts: list[Any]) -> Amount:
        return self.spoons([(1.0, 1.0), *parts[1:]])

    def spoonfuls(self, parts: list[Any]) -> Amount:
        return Amount(parts[0][0], parts[0][1], "spoonful")

    def tablets(self, parts: list[Any]) -> Amount:
        number = [each for each in parts if getattr(each, "type", "") == "NUM"][-1]
        mass = next(each for each in parts if getattr(each, "type", "") == "MASS")
        return Amount(parts[0][0], parts[0][1], str(parts[-1]), f"{float(number):.9g} {mass}")

    def upto(self, parts: list[Any]) -> Amount:
        low, high = parts[1]
        if low != high or high < 1:
            raise NoMeaning("up to a range")
        unit = str(parts[2]) if len(parts) > 2 else ""
        counted = unit not in ("mg", "mcg", "g", "ml", "unit", "mmol", "meq")
        return Amount(min(1.0, high) if counted else 0, high, unit, upto=True)

    def unit(self, parts: list[Any]) -> str:
        return str(parts[0])

    # strength

    def _said(self, parts: list[Any]) -> str:
        flat: list[str] = []
        for each in parts:
            if isinstance(each, tuple):
                flat.append(f"{each[0]:.9g}")
            elif isinstance(each, float):
                flat.append(f"{each:.9g}")
            else:
                flat.append(str(each))
        said = re.sub(r"(?<=\d)\.0(?!\d)", "", " ".join(flat))
        return said.replace(" / ", "/").replace(" - ", "-").replace(" %", "%")

    def ratio(self, parts: list[Any]) -> Strength:
        return Strength(self._said(parts))

    def lasting(self, parts: list[Any]) -> Strength:
        """How long one of it lasts is no strength: "24 hr tablet", "7-day patch"."""
        words = [str(each) for each in parts if getattr(each, "type", "") == "COUNT"]
        return Strength("", words[-1])

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
        words = [str(each) for each in parts if getattr(each, "type", "") in ("COUNT", "FORM", "FORMWORD")]
        number, mass = parts[0], next(each for each in parts if getattr(each, "type", "") == "MASS")
        return Strength(f"{number:.9g} {mass}", words[-1], Amount(number, number, str(mass)))

    def form(self, parts: list[Any]) -> str:
        return str(parts[-1])

    # how often

    @v_args(inline=True)
    def latin(self, *parts: Any) -> Often:
        count = parts[-1]
        return Often(float(count), float(count))

    @v_args(inline=True)
    def latin_span(self, low: Any, _: Any, high: Any) -> Often:
        if not float(low) < float(high):
            raise NoMeaning("a range that does not rise")
        return Often(float(low), float(high))

    @v_args(inline=True)
    def times(self, qty: Any, _: Any, period: Any) -> Often:
        return Often(qty[0], qty[1], str(period))

    @v_args(inline=True)
    def often_once(self, count: Any, period: Any) -> Often:
        return Often(float(count), float(count), str(period))

    @v_args(inline=True)
    def daily_once(self, period: Any, count: Any) -> Often:
        return Often(float(count), float(count), str(period))

    @v_args(inline=True)
    def daily_times(self, period: Any, qty: Any, _: Any) -> Often:
        return Often(qty[0], qty[1], str(period))

    @v_args(inline=True)
    def once_or(self, low: Any, _: Any, high: Any, period: Any) -> Often:
        if not float(low) < float(high):
            raise NoMeaning("a range that does not rise")
        return Often(float(low), float(high), str(period))

    @v_args(inline=True)
    def once_or_times(self, low: Any, _: Any, high: Any, __: Any, period: Any) -> Often:
        return Often(float(low), high[1], str(period))

    def upto_times(self, parts: list[Any]) -> Often:
        if parts[1][0] != parts[1][1]:
            raise NoMeaning("up to a range")
        return Often(1, parts[1][1], str(parts[-1]), upto=True)

    @v_args(inline=True)
    def upto_once(self, _: Any, count: Any, period: Any) -> Often:
        return Often(1, float(count), str(period), upto=True)

    @v_args(inline=True)
    def upto_latin(self, _: Any, count: Any) -> Often:
        return Often(1, float(count), upto=True)

    @v_args(inline=True)
    def daily(self, period: Any) -> Often:
        return Often(period=str(period))

    def every(self, parts: list[Any]) -> Often:
        period, (low, high) = str(parts[-1]), parts[1]
        if not low:
            raise NoMeaning("every nought hours")
        if period == "night":
            period = "day"
        if period == "minute":
            return Often(low / 60, high / 60, "hour", True)
        if period == "fortnight":
            return Often(2 * low, 2 * high, "week", True)
        if (low, high) == (1, 1) and period != "hour":
            return Often(period=period)
        return Often(low, high, period, True)

    def every_one(self, _: Any) -> Often:
        return Often(1, 1, "hour", True)

    def every_one_hour(self, parts: list[Any]) -> Often:
        period = str(parts[0])
        return Often(1, 1, "hour", True) if period == "hour" else Often(period=period)

    @v_args(inline=True)
    def every_span(self, _: Any, low: Any, __: Any, ___: Any, high: Any, ____: Any) -> Often:
        if not low[0] < high[1]:
            raise NoMeaning("a range that does not rise")
        return Often(low[0], high[1], "hour", True)

    @v_args(inline=True)
    def every_other(self, _: Any, count: Any, period: Any) -> Any:
        if period == "night":
            return Often(float(count), float(count), "day", True), ("bedtime",)
        return Often(float(count), float(count), str(period), True)

    def every_other_slot(self, parts: list[Any]) -> tuple[Often, tuple[str, ...]]:
        count = float(parts[1])
        return Often(count, count, "day", True), (str(parts[2]),)

    @v_args(inline=True)
    def hourly(self, qty: Any, period: Any) -> Often:
        if str(period) not in ("hour", "month") or (str(period) == "month" and qty[0] < 2):
            raise NoMeaning("2 daily")
        return Often(qty[0], qty[1], str(period), True)

    @v_args(inline=True)
    def hourly_every(self, _: Any, qty: Any, period: Any) -> Often:
        if str(period) != "hour":
            raise NoMeaning("every 2 daily")
        return Often(qty[0], qty[1], "hour", True)

    @v_args(inline=True)
    def alternate(self, _: Any) -> Often:
        return Often(2, 2, "day", True)

    @v_args(inline=True)
    def fortnight(self, _: Any) -> Often:
        return Often(2, 2, "week", True)

    @v_args(inline=True)
    def stat(self, _: Any) -> Often:
        return Often(once=True)

    # times of day

    def slots(self, parts: list[Any]) -> tuple[str, ...]:
        return tuple(str(each) for each in parts if each.type == "SLOT")

    def slot(self, parts: list[Any]) -> tuple[str, ...]:
        if len(parts) > 1 and (float(parts[0]) != len(parts[1])):
            raise NoMeaning("twice at night")
        return tuple(parts[-1])

    def meal(self, parts: list[Any]) -> tuple[str, ...]:
        relation, meal = str(parts[0]), str(parts[1])
        return (relation,) if meal == "food" else (meal, relation)

    @v_args(inline=True)
    def with_or_after(self, *_: Any) -> tuple[str, ...]:
        return "with food", "after food"

    def two_meals(self, parts: list[Any]) -> tuple[str, ...]:
        return str(parts[1]), str(parts[-1]), str(parts[0])

    @v_args(inline=True)
    def meal_of(self, meal: tuple[str, ...]) -> tuple[str, ...]:
        return meal

    def meals_of(self, parts: list[Any]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*parts[0], *parts[-1])))

    def meals_or(self, parts: list[Any]) -> tuple[str, ...]:
        if any(each in _SLOTS for part in (parts[0], parts[-1]) for each in part):
            raise NoMeaning("either of two meals")
        return tuple(dict.fromkeys((*parts[0], *parts[-1])))

    def lead(self, parts: list[Any]) -> tuple[str, ...]:
        relation = parts[-1][-1]
        if relation == "with food":
            raise NoMeaning("hours with food")
        hours = parts[-2].type == "HOUR" and isinstance(parts[-3], tuple) and parts[-3][0] >= 3
        if relation == "after food" and hours:
            return *(each for each in parts[-1] if each != relation), "empty stomach"
        return tuple(parts[-1])

    def lead_or_empty(self, parts: list[Any]) -> tuple[str, ...]:
        return *self.lead(parts[:-2]), "empty stomach"

    def lead_bed(self, parts: list[Any]) -> tuple[str, ...]:
        if isinstance(parts[0], tuple) and parts[0][1] > 2 and parts[1].type == "HOUR":
            raise NoMeaning("well before bedtime")
        return (str(parts[-1]),)

    def lead_food(self, parts: list[Any]) -> tuple[str, ...]:
        relation = tuple(str(parts[-1]).split(","))
        if "with food" in relation:
            raise NoMeaning("hours with food")
        return relation

    def before_meals(self, parts: list[Any]) -> tuple[str, ...]:
        return *parts[-2], str(parts[-3])

    lead_meals = before_meals

    def empty(self, parts: list[Any]) -> tuple[str, ...]:
        del parts
        return ("empty stomach",)

    fasting = empty

    @v_args(inline=True)
    def food(self, relation: Any) -> tuple[str, ...]:
        return tuple(str(relation).split(","))

    def clock(self, parts: list[Any]) -> tuple[str, ...]:
        return (next(str(each) for each in parts if each.type == "CLOCK"),)

    def scheme(self, parts: list[Any]) -> tuple[tuple[float, ...], str]:
        counts = tuple(float(each) for each in str(parts[0]).split())
        if not any(counts):
            raise NoMeaning("nothing at any time")
        return counts, str(parts[1]) if len(parts) > 1 else ""

    def supply(self, parts: list[Any]) -> tuple[Any, ...]:
        if any(isinstance(each, str) and each in ("mg", "mcg", "g", "unit") for each in parts):
            raise NoMeaning("no count")
        counts = [each[0] for each in parts if isinstance(each, tuple)]
        if str(parts[0]) == "disp" and counts and counts[0] < 5:
            raise NoMeaning("dispersible, or dispensed")
        return tuple(map(str, parts))

    # limits

    def window(self, parts: list[Any]) -> float:
        quantities = [each for each in parts if isinstance(each, tuple)]
        count = quantities[0][0] if quantities else 1.0
        if quantities and quantities[0][0] != quantities[0][1]:
            raise NoMeaning("in a range of hours")
        last = parts[-1]
        unit = last.type.lower() if last.type in ("HOUR", "MINUTE") else str(last)
        return float(count) * HOURS[unit]

    def window_short(self, parts: list[Any]) -> float:
        count = float(parts[0]) if parts[0].type == "NUM" else 1.0
        unit = "hour" if parts[-1].type == "HOUR" else str(parts[-1])
        return count * HOURS[unit]

    def most_amount(self, parts: list[Any]) -> Most:
        low, high = parts[1]
        if low != high:
            raise NoMeaning("a range for the most")
        words = str(parts[0])
        unit = next((str(each) for each in parts[2:] if isinstance(each, str) and not hasattr(each, "type")), "")
        hours = next((each for each in parts[2:] if isinstance(each, float)), 0.0)
        if not hours and "day" not in words and "daily" not in words:
            hours = 0.0
        return Most(low, unit, hours)

    def most_colon(self, parts: list[Any]) -> Most:
        return self.most_amount([parts[0], *parts[2:]])

    def most_pair(self, parts: list[Any]) -> Most:
        amount, _, hours = str(parts[1]).partition("/")
        if float(hours) not in (24.0, 12.0, 48.0, 7.0):
            raise NoMeaning("no hours")
        return Most(float(amount), "", float(hours) if float(hours) != 7.0 else 168.0)

    @v_args(inline=True)
    def most_once(self, _: Any, count: Any, hours: float) -> Most:
        return Most(float(count), "dose", hours)

    @v_args(inline=True)
    def most_times(self, _: Any, qty: Any, __: Any, hours: float) -> Most:
        if qty[0] != qty[1]:
            raise NoMeaning("a range for the most")
        return Most(qty[0], "dose", hours)

    @v_args(inline=True)
    def most_latin(self, _: Any, count: Any) -> Most:
        return Most(float(count), "dose", 24.0)

    @v_args(inline=True)
    def most_upto(self, _: Any, qty: Any, unit: str, hours: float) -> Most:
        if qty[0] != qty[1]:
            raise NoMeaning("a range for the most")
        return Most(qty[0], unit, hours)

    @v_args(inline=True)
    def most_upto_hours(self, _: Any, qty: Any, __: Any, hours: Any, ___: Any) -> Most:
        if qty[0] != qty[1] or hours[0] != hours[1]:
            raise NoMeaning("a range for the most")
        return Most(qty[0], "", hours[0])

    def most_two(self, parts: list[Any]) -> tuple[Most, Amount]:
        hours = next(each for each in parts if isinstance(each, float))
        (first, unit), (second, other) = [
            (parts[place], parts[place + 1]) for place, each in enumerate(parts) if isinstance(each, tuple)
        ]
        if first[0] != first[1] or second[0] != second[1]:
            raise NoMeaning("a range for the most")
        return Most(first[0], unit, hours), Amount(second[0], second[1], other)

    most_two_after = most_two

    def gap_hours(self, parts: list[Any]) -> float:
        low, high = next(each for each in parts if isinstance(each, tuple))
        return self._least(low, high)

    def gap_minutes(self, parts: list[Any]) -> float:
        low, high = next(each for each in parts if isinstance(each, tuple))
        return self._least(low, high) / 60

    def repeat_hours(self, parts: list[Any]) -> tuple[float, bool]:
        return self.gap_hours(parts), True

    def repeat_minutes(self, parts: list[Any]) -> tuple[float, bool]:
        return self.gap_minutes(parts), True

    def gap_open(self, parts: list[Any]) -> float:
        if str(parts[0]) == "wait":
            raise NoMeaning("hours to wait, and not between doses")
        return self.gap_hours(parts)

    def _least(self, low: float, high: float) -> float:
        if low != high:
            raise NoMeaning("a range for the least gap")
        return low

    # lengths and days

    def length(self, parts: list[Any]) -> int:
        if len(parts) == 2 and str(parts[-1]) == "year":
            raise NoMeaning("an age")
        low, high = next(each for each in parts if isinstance(each, tuple))
        if low != high:
            raise NoMeaning("a range of days")
        period = next(str(each) for each in parts if getattr(each, "type", "") == "PERIOD")
        return _whole(low * DAYS[period])

    def length_hours(self, parts: list[Any]) -> int:
        low, high = next(each for each in parts if isinstance(each, tuple))
        if low != high:
            raise NoMeaning("a range of days")
        return _whole(low / 24)

    def length_one(self, parts: list[Any]) -> int:
        return DAYS[str(parts[-1])]

    def length_span(self, parts: list[Any]) -> int:
        return int(next(each for each in parts if each.type == "SPAN"))

    def days_from(self, parts: list[Any]) -> tuple[int, int]:
        low, high = parts[1]
        size = 7 if str(parts[0]) == "week" else 1
        return _whole((low - 1) * size) + 1, _whole(high * size)

    def days_since(self, parts: list[Any]) -> tuple[int, int]:
        low, high = parts[1]
        if low != high:
            raise NoMeaning("from one of two days")
        size = 7 if str(parts[0]) == "week" else 1
        return _whole((low - 1) * size) + 1, 0

    def days_two(self, parts: list[Any]) -> tuple[int, int]:
        if float(parts[3]) != float(parts[1]) + 1:
            raise NoMeaning("days that do not follow each other")
        return _whole(float(parts[1])), _whole(float(parts[3]))

    def days_to(self, parts: list[Any]) -> tuple[int, int]:
        return self.days_from([parts[0], (float(parts[1]), float(parts[4]))])

    def first_day(self, _: Any) -> tuple[int, int]:
        return 1, 1

    def weekdays(self, parts: list[Any]) -> tuple[str, ...]:
        named = [str(each) for each in parts if getattr(each, "type", "") == "WEEKDAY"]
        counts = [each for each in parts if getattr(each, "type", "") == "ONCE"]
        if counts and float(counts[0]) != len(named):
            raise NoMeaning("twice on one day")
        return tuple(sorted(set(named), key=WEEK.index))

    def weekdays_but(self, parts: list[Any]) -> tuple[str, ...]:
        named = [str(each) for each in parts if getattr(each, "type", "") == "WEEKDAY"]
        return tuple(each for each in WEEK if each not in named)

    def weekday_span(self, parts: list[Any]) -> tuple[str, ...]:
        first, last = [WEEK.index(each) for each in parts if getattr(each, "type", "") == "WEEKDAY"]
        if last - first < 2:
            raise NoMeaning("this day or that")
        return WEEK[first : last + 1]

    def weekpart(self, parts: list[Any]) -> tuple[str, ...]:
        return WEEK[:5] if str(parts[0]) == "weekdays" else WEEK[5:]

    def weekdays_other(self, _: Any) -> tuple[str, ...]:
        return OTHER_DAYS

    # changes by so much at a time

    def taper(self, parts: list[Any]) -> Taper:
        low, high = parts[1]
        if low != high or not low:
            raise NoMeaning("by a range")
        unit = next((str(each) for each in parts[2:] if isinstance(each, str)), "")
        days = next(each for each in parts if isinstance(each, int))
        end = next((each for each in parts if isinstance(each, Amount)), None)
        return Taper(Amount(low, low, unit), str(parts[0]) == "up", days, end)

    def taper_every(self, parts: list[Any]) -> int:
        count = next((each for each in parts if isinstance(each, tuple)), (1.0, 1.0))
        if count[0] != count[1]:
            raise NoMeaning("every so many days, or more")
        return _whole(count[0] * DAYS[str(parts[-1])])

    def taper_end(self, parts: list[Any]) -> Amount:
        if len(parts) == 1:
            return Amount(0, 0)
        low, high = parts[1]
        if low != high:
            raise NoMeaning("to a range")
        return Amount(low, low, str(parts[2]) if len(parts) > 2 else "")

    # places

    def _place(self, parts: list[Any]) -> str:
        del parts
        return ""  # in the words that were said

    sided = body = body_of = side_body_of = bodies = body_two = _place

    def named(self, parts: list[Any]) -> str:
        return str(parts[-1])


def _whole(days: float) -> int:
    if days != int(days) or days < 0:
        raise NoMeaning("a part of a day")
    return int(days)

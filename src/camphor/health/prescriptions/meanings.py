"""What the phrases of directions.lark say, as values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lark import Transformer
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


def _typed(parts: list[Any], *kinds: str) -> list[str]:
    """The words of these terminals among the parts of a phrase."""
    return [str(each) for each in parts if getattr(each, "type", "") in kinds]


def _qty(parts: list[Any]) -> Any:
    """The first quantity, from low to high, of a phrase."""
    return next(each for each in parts if isinstance(each, tuple))


def _sole(qty: Any, why: str) -> float:
    """A quantity that may be no range, since it would be what `why` says."""
    low, high = qty
    if low != high:
        raise NoMeaning(why)
    return float(low)


def _rising(low: float, high: float) -> tuple[float, float]:
    if not low < high:
        raise NoMeaning("a range that does not rise")
    return low, high


def _amount(qty: Any, unit: str = "", strength: str = "") -> Amount:
    return Amount(qty[0], qty[1], unit, strength)


def _often(qty: Any, period: str = "day", every: bool = False) -> Often:
    return Often(qty[0], qty[1], period, every)


def _per(count: Any, period: str = "day") -> Often:
    return Often(float(count), float(count), str(period))


class Meanings(Transformer[Any, Any]):
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
        numbers = [float(each) for each in _typed(parts, "NUM", "FRAC", "HALF")]
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
        return _rising(parts[0], parts[2])

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
        number = float(_typed(parts, "NUM")[-1])
        if _typed(parts, "MASS")[0] != "ml":
            raise NoMeaning("a spoon of no millilitres")
        return _amount(parts[0], "spoonful" if number == 5 else f"{number:g} ml spoonful")

    def spoon(self, parts: list[Any]) -> Amount:
        return self.spoons([(1.0, 1.0), *parts[1:]])

    def spoonfuls(self, parts: list[Any]) -> Amount:
        return _amount(parts[0], "spoonful")

    def tablets(self, parts: list[Any]) -> Amount:
        number, mass = _typed(parts, "NUM")[-1], _typed(parts, "MASS")[0]
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
        return Strength("", _typed(parts, "COUNT")[-1])

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
        number, mass = parts[0], _typed(parts, "MASS")[0]
        form = _typed(parts, "COUNT", "FORM", "FORMWORD")[-1]
        return Strength(f"{number:.9g} {mass}", form, Amount(number, number, mass))

    def form(self, parts: list[Any]) -> str:
        return str(parts[-1])

    # how often

    def latin(self, parts: list[Any]) -> Often:
        return _per(parts[-1])

    def latin_span(self, parts: list[Any]) -> Often:
        return _often(_rising(float(parts[0]), float(parts[2])))

    def times(self, parts: list[Any]) -> Often:
        return _often(parts[0], str(parts[2]))

    def often_once(self, parts: list[Any]) -> Often:
        return _per(*parts)

    def daily_once(self, parts: list[Any]) -> Often:
        return _per(*reversed(parts))

    def daily_times(self, parts: list[Any]) -> Often:
        return _often(parts[1], str(parts[0]))

    def once_or(self, parts: list[Any]) -> Often:
        return _often(_rising(float(parts[0]), float(parts[2])), str(parts[3]))

    def once_or_times(self, parts: list[Any]) -> Often:
        return Often(float(parts[0]), parts[2][1], str(parts[4]))

    def upto_times(self, parts: list[Any]) -> Often:
        return Often(1, _sole(parts[1], "up to a range"), str(parts[-1]), upto=True)

    def upto_once(self, parts: list[Any]) -> Often:
        return Often(1, float(parts[1]), str(parts[2]), upto=True)

    def upto_latin(self, parts: list[Any]) -> Often:
        return Often(1, float(parts[1]), upto=True)

    def daily(self, parts: list[Any]) -> Often:
        return Often(period=str(parts[0]))

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

    def every_one(self, _: list[Any]) -> Often:
        return Often(1, 1, "hour", True)

    def every_one_hour(self, parts: list[Any]) -> Often:
        return self.every_one(parts) if str(parts[0]) == "hour" else self.daily(parts)

    def every_span(self, parts: list[Any]) -> Often:
        return _often(_rising(parts[1][0], parts[4][1]), "hour", True)

    def every_other(self, parts: list[Any]) -> Any:
        count, period = float(parts[1]), str(parts[2])
        if period == "night":
            return Often(count, count, "day", True), ("bedtime",)
        return Often(count, count, period, True)

    def every_other_slot(self, parts: list[Any]) -> tuple[Often, tuple[str, ...]]:
        return Often(float(parts[1]), float(parts[1]), "day", True), (str(parts[2]),)

    def hourly(self, parts: list[Any]) -> Often:
        qty, period = parts[0], str(parts[1])
        if period not in ("hour", "month") or (period == "month" and qty[0] < 2):
            raise NoMeaning("2 daily")
        return _often(qty, period, True)

    def hourly_every(self, parts: list[Any]) -> Often:
        if str(parts[2]) != "hour":
            raise NoMeaning("every 2 daily")
        return _often(parts[1], "hour", True)

    def alternate(self, _: list[Any]) -> Often:
        return Often(2, 2, "day", True)

    def fortnight(self, _: list[Any]) -> Often:
        return Often(2, 2, "week", True)

    def stat(self, _: list[Any]) -> Often:
        return Often(once=True)

    # times of day

    def slots(self, parts: list[Any]) -> tuple[str, ...]:
        return tuple(_typed(parts, "SLOT"))

    def slot(self, parts: list[Any]) -> tuple[str, ...]:
        if len(parts) > 1 and (float(parts[0]) != len(parts[1])):
            raise NoMeaning("twice at night")
        return tuple(parts[-1])

    def meal(self, parts: list[Any]) -> tuple[str, ...]:
        relation, meal = str(parts[0]), str(parts[1])
        return (relation,) if meal == "food" else (meal, relation)

    def with_or_after(self, _: list[Any]) -> tuple[str, ...]:
        return "with food", "after food"

    def two_meals(self, parts: list[Any]) -> tuple[str, ...]:
        return str(parts[1]), str(parts[-1]), str(parts[0])

    def meal_of(self, parts: list[Any]) -> tuple[str, ...]:
        return tuple(parts[0])

    def meals_of(self, parts: list[Any]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*parts[0], *parts[-1])))

    def meals_or(self, parts: list[Any]) -> tuple[str, ...]:
        if any(each in _SLOTS for each in self.meals_of(parts)):
            raise NoMeaning("either of two meals")
        return self.meals_of(parts)

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
        relation = self.food(parts)
        if "with food" in relation:
            raise NoMeaning("hours with food")
        return relation

    def before_meals(self, parts: list[Any]) -> tuple[str, ...]:
        return *parts[-2], str(parts[-3])

    lead_meals = before_meals

    def empty(self, _: list[Any]) -> tuple[str, ...]:
        return ("empty stomach",)

    fasting = empty

    def food(self, parts: list[Any]) -> tuple[str, ...]:
        return tuple(str(parts[-1]).split(","))

    def clock(self, parts: list[Any]) -> tuple[str, ...]:
        return (_typed(parts, "CLOCK")[0],)

    def scheme(self, parts: list[Any]) -> tuple[tuple[float, ...], str]:
        counts = tuple(float(each) for each in str(parts[0]).split())
        if not any(counts):
            raise NoMeaning("nothing at any time")
        return counts, parts[1] if len(parts) > 1 else ""

    def supply(self, parts: list[Any]) -> tuple[Any, ...]:
        if any(isinstance(each, str) and each in ("mg", "mcg", "g", "unit") for each in parts):
            raise NoMeaning("no count")
        counts = [each[0] for each in parts if isinstance(each, tuple)]
        if str(parts[0]) == "disp" and counts and counts[0] < 5:
            raise NoMeaning("dispersible, or dispensed")
        return tuple(map(str, parts))

    # limits

    def window(self, parts: list[Any]) -> float:
        count = next((_sole(each, "in a range of hours") for each in parts if isinstance(each, tuple)), 1.0)
        last = parts[-1]
        return count * HOURS[last.type.lower() if last.type in ("HOUR", "MINUTE") else str(last)]

    def window_short(self, parts: list[Any]) -> float:
        count = float(parts[0]) if parts[0].type == "NUM" else 1.0
        return count * HOURS["hour" if parts[-1].type == "HOUR" else str(parts[-1])]

    def most_amount(self, parts: list[Any]) -> Most:
        amount = _sole(parts[1], "a range for the most")
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
        return Most(_sole(parts[1], "a range for the most"), "dose", parts[3])

    def most_latin(self, parts: list[Any]) -> Most:
        return Most(float(parts[1]), "dose", 24.0)

    def most_upto(self, parts: list[Any]) -> Most:
        return Most(_sole(parts[1], "a range for the most"), parts[2], parts[3])

    def most_upto_hours(self, parts: list[Any]) -> Most:
        amount, hours = (_sole(parts[place], "a range for the most") for place in (1, 3))
        return Most(amount, "", hours)

    def most_two(self, parts: list[Any]) -> tuple[Most, Amount]:
        hours = next(each for each in parts if isinstance(each, float))
        (first, unit), (second, other) = [
            (_sole(each, "a range for the most"), parts[place + 1])
            for place, each in enumerate(parts)
            if isinstance(each, tuple)
        ]
        return Most(first, unit, hours), Amount(second, second, other)

    most_two_after = most_two

    def gap_hours(self, parts: list[Any]) -> float:
        return _sole(_qty(parts), "a range for the least gap")

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

    # lengths and days

    def length(self, parts: list[Any]) -> int:
        if len(parts) == 2 and str(parts[-1]) == "year":
            raise NoMeaning("an age")
        return _whole(_sole(_qty(parts), "a range of days") * DAYS[_typed(parts, "PERIOD")[0]])

    def length_hours(self, parts: list[Any]) -> int:
        return _whole(_sole(_qty(parts), "a range of days") / 24)

    def length_one(self, parts: list[Any]) -> int:
        return DAYS[str(parts[-1])]

    def length_span(self, parts: list[Any]) -> int:
        return int(_typed(parts, "SPAN")[0])

    def days_from(self, parts: list[Any]) -> tuple[int, int]:
        low, high = parts[1]
        size = 7 if str(parts[0]) == "week" else 1
        return _whole((low - 1) * size) + 1, _whole(high * size)

    def days_since(self, parts: list[Any]) -> tuple[int, int]:
        _sole(parts[1], "from one of two days")
        return self.days_from(parts)[0], 0

    def days_two(self, parts: list[Any]) -> tuple[int, int]:
        if float(parts[3]) != float(parts[1]) + 1:
            raise NoMeaning("days that do not follow each other")
        return _whole(float(parts[1])), _whole(float(parts[3]))

    def days_to(self, parts: list[Any]) -> tuple[int, int]:
        return self.days_from([parts[0], (float(parts[1]), float(parts[4]))])

    def first_day(self, _: list[Any]) -> tuple[int, int]:
        return 1, 1

    def weekdays(self, parts: list[Any]) -> tuple[str, ...]:
        named, counts = _typed(parts, "WEEKDAY"), _typed(parts, "ONCE")
        if counts and float(counts[0]) != len(named):
            raise NoMeaning("twice on one day")
        return tuple(sorted(set(named), key=WEEK.index))

    def weekdays_but(self, parts: list[Any]) -> tuple[str, ...]:
        named = _typed(parts, "WEEKDAY")
        return tuple(each for each in WEEK if each not in named)

    def weekday_span(self, parts: list[Any]) -> tuple[str, ...]:
        first, last = map(WEEK.index, _typed(parts, "WEEKDAY"))
        if last - first < 2:
            raise NoMeaning("this day or that")
        return WEEK[first : last + 1]

    def weekpart(self, parts: list[Any]) -> tuple[str, ...]:
        return WEEK[:5] if str(parts[0]) == "weekdays" else WEEK[5:]

    def weekdays_other(self, _: list[Any]) -> tuple[str, ...]:
        return OTHER_DAYS

    # changes by so much at a time

    def taper(self, parts: list[Any]) -> Taper:
        low = _sole(parts[1], "by a range")
        if not low:
            raise NoMeaning("by nothing")
        unit = next((str(each) for each in parts[2:] if isinstance(each, str)), "")
        days = next(each for each in parts if isinstance(each, int))
        end = next((each for each in parts if isinstance(each, Amount)), None)
        return Taper(Amount(low, low, unit), str(parts[0]) == "up", days, end)

    def taper_every(self, parts: list[Any]) -> int:
        count = next((each for each in parts if isinstance(each, tuple)), (1.0, 1.0))
        return _whole(_sole(count, "every so many days, or more") * DAYS[str(parts[-1])])

    def taper_end(self, parts: list[Any]) -> Amount:
        if len(parts) == 1:
            return Amount(0, 0)
        low = _sole(parts[1], "to a range")
        return Amount(low, low, parts[2] if len(parts) > 2 else "")

    # places

    def sided(self, _: list[Any]) -> str:
        return ""  # in the words that were said

    body = body_of = side_body_of = bodies = body_two = sided

    def named(self, parts: list[Any]) -> str:
        return str(parts[-1])


def _whole(days: float) -> int:
    if days != int(days) or days < 0:
        raise NoMeaning("a part of a day")
    return int(days)

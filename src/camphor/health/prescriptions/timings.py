"""What the phrases of directions.lark say of when and how long, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lark import Transformer

from camphor.health.prescriptions.directions import DAYS, OTHER_DAYS, WEEK, Amount, Often

_SLOTS = ("morning", "noon", "evening", "bedtime")


class NoMeaning(ValueError):
    """The words fit the grammar and say nothing: "5 to 1 tablets"."""


@dataclass(frozen=True)
class Taper:
    """A change by `amount` every so many days, up or down; `end` is where it ends, 0 for off, None where not said."""

    amount: Amount
    up: bool
    days: int
    end: Amount | None


def words_of_kind(parts: list[Any], *kinds: str) -> list[str]:
    """The words of these terminals among the parts of a phrase."""
    return [str(each) for each in parts if getattr(each, "type", "") in kinds]


def first_quantity(parts: list[Any]) -> Any:
    """The first quantity, from low to high, of a phrase."""
    return next(each for each in parts if isinstance(each, tuple))


def sole(qty: Any, why: str) -> float:
    """A quantity that may be no range, since it would be what `why` says."""
    low, high = qty
    if low != high:
        raise NoMeaning(why)
    return float(low)


def rising(low: float, high: float) -> tuple[float, float]:
    if not low < high:
        raise NoMeaning("a range that does not rise")
    return low, high


def whole_days(days: float) -> int:
    if days != int(days) or days < 0:
        raise NoMeaning("a part of a day")
    return int(days)


def _often(qty: Any, period: str = "day", every: bool = False) -> Often:
    return Often(qty[0], qty[1], period, every)


def _per(count: Any, period: str = "day") -> Often:
    return Often(float(count), float(count), str(period))


class Timings(Transformer[Any, Any]):
    """Trees of phrases of how often, of times of day and of days to values. Raises: NoMeaning."""

    # how often

    def latin(self, parts: list[Any]) -> Often:
        return _per(parts[-1])

    def latin_span(self, parts: list[Any]) -> Often:
        return _often(rising(float(parts[0]), float(parts[2])))

    def times(self, parts: list[Any]) -> Often:
        return _often(parts[0], str(parts[2]))

    def often_once(self, parts: list[Any]) -> Often:
        return _per(*parts)

    def daily_once(self, parts: list[Any]) -> Often:
        return _per(*reversed(parts))

    def daily_times(self, parts: list[Any]) -> Often:
        return _often(parts[1], str(parts[0]))

    def once_or(self, parts: list[Any]) -> Often:
        return _often(rising(float(parts[0]), float(parts[2])), str(parts[3]))

    def once_or_times(self, parts: list[Any]) -> Often:
        return Often(float(parts[0]), parts[2][1], str(parts[4]))

    def upto_times(self, parts: list[Any]) -> Often:
        return Often(1, sole(parts[1], "up to a range"), str(parts[-1]), upto=True)

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
        return _often(rising(parts[1][0], parts[4][1]), "hour", True)

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
        return tuple(words_of_kind(parts, "SLOT"))

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
        return (words_of_kind(parts, "CLOCK")[0],)

    def scheme(self, parts: list[Any]) -> tuple[tuple[float, ...], str]:
        counts = tuple(float(each) for each in str(parts[0]).split())
        if not any(counts):
            raise NoMeaning("nothing at any time")
        return counts, parts[1] if len(parts) > 1 else ""

    # lengths and days

    def length(self, parts: list[Any]) -> int:
        if len(parts) == 2 and str(parts[-1]) == "year":
            raise NoMeaning("an age")
        return whole_days(sole(first_quantity(parts), "a range of days") * DAYS[words_of_kind(parts, "PERIOD")[0]])

    def length_hours(self, parts: list[Any]) -> int:
        return whole_days(sole(first_quantity(parts), "a range of days") / 24)

    def length_one(self, parts: list[Any]) -> int:
        return DAYS[str(parts[-1])]

    def length_span(self, parts: list[Any]) -> int:
        return int(words_of_kind(parts, "SPAN")[0])

    def days_from(self, parts: list[Any]) -> tuple[int, int]:
        low, high = parts[1]
        size = 7 if str(parts[0]) == "week" else 1
        return whole_days((low - 1) * size) + 1, whole_days(high * size)

    def days_since(self, parts: list[Any]) -> tuple[int, int]:
        sole(parts[1], "from one of two days")
        return self.days_from(parts)[0], 0

    def days_two(self, parts: list[Any]) -> tuple[int, int]:
        if float(parts[3]) != float(parts[1]) + 1:
            raise NoMeaning("days that do not follow each other")
        return whole_days(float(parts[1])), whole_days(float(parts[3]))

    def days_to(self, parts: list[Any]) -> tuple[int, int]:
        return self.days_from([parts[0], (float(parts[1]), float(parts[4]))])

    def first_day(self, _: list[Any]) -> tuple[int, int]:
        return 1, 1

    def weekdays(self, parts: list[Any]) -> tuple[str, ...]:
        named, counts = words_of_kind(parts, "WEEKDAY"), words_of_kind(parts, "ONCE")
        if counts and float(counts[0]) != len(named):
            raise NoMeaning("twice on one day")
        return tuple(sorted(set(named), key=WEEK.index))

    def weekdays_but(self, parts: list[Any]) -> tuple[str, ...]:
        named = words_of_kind(parts, "WEEKDAY")
        return tuple(each for each in WEEK if each not in named)

    def weekday_span(self, parts: list[Any]) -> tuple[str, ...]:
        first, last = map(WEEK.index, words_of_kind(parts, "WEEKDAY"))
        if last - first < 2:
            raise NoMeaning("this day or that")
        return WEEK[first : last + 1]

    def weekpart(self, parts: list[Any]) -> tuple[str, ...]:
        return WEEK[:5] if str(parts[0]) == "weekdays" else WEEK[5:]

    def weekdays_other(self, _: list[Any]) -> tuple[str, ...]:
        return OTHER_DAYS

    # changes by so much at a time

    def taper(self, parts: list[Any]) -> Taper:
        low = sole(parts[1], "by a range")
        if not low:
            raise NoMeaning("by nothing")
        unit = next((str(each) for each in parts[2:] if isinstance(each, str)), "")
        days = next(each for each in parts if isinstance(each, int))
        end = next((each for each in parts if isinstance(each, Amount)), None)
        return Taper(Amount(low, low, unit), str(parts[0]) == "up", days, end)

    def taper_every(self, parts: list[Any]) -> int:
        count = next((each for each in parts if isinstance(each, tuple)), (1.0, 1.0))
        return whole_days(sole(count, "every so many days, or more") * DAYS[str(parts[-1])])

    def taper_end(self, parts: list[Any]) -> Amount:
        if len(parts) == 1:
            return Amount(0, 0)
        low = sole(parts[1], "to a range")
        return Amount(low, low, parts[2] if len(parts) > 2 else "")

"""The doses of directions put together: one, several by the time of day or of the week, or one after the other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from camphor.health.prescriptions.directions import (
    ALL,
    DAYS,
    DOSE,
    IN_MG,
    LENGTH,
    MEALS,
    WEEK,
    WHEN,
    Amount,
    Directions,
    DoseStep,
    Doubt,
    Often,
)
from camphor.health.prescriptions.lexing import Token, listed
from camphor.health.prescriptions.scanning import TextItem

MEASURED = ("mg", "mcg", "g", "unit", "ml")
"""Units of what is weighed or measured, not counted."""
_PARTS = ("morning", "noon", "evening", "bedtime")


@dataclass
class SaidDose:
    """What is said of one dose; `step`: it comes after the one before, not beside it."""

    step: bool = False
    amount: Amount | None = None
    often: Often | None = None
    at: list[str] = field(default_factory=list)
    meals: list[str] = field(default_factory=list)
    weekdays: tuple[str, ...] = ()
    days: int | None = None
    span: tuple[int, int] | None = None
    items: list[TextItem] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.amount or self.often or self.at or self.meals or self.weekdays or self.days or self.span)


class Together:
    """What is said of doses, and what they come to; `made` puts them together."""

    def __init__(self, said: Callable[[TextItem], str], tokens: Sequence[Token]) -> None:
        self._said, self._tokens = said, tokens
        self.doses = [SaidDose()]
        self.doubts: list[Doubt] = []
        self.scheme: tuple[float, ...] = ()
        self.read: dict[str, str] = {}
        self.totals: list[tuple[Amount, Amount]] = []  # a count and a mass that are both said of a dose
        self.ended = False
        self._form = ""
        self.strength = ""  # that stands beside one of what is counted: "1 tablet 20 mg"
        self._scheme_unit = ""
        self.doses_daily = 0.0
        self._many_meals = False
        self._meals_and_bed = False

    @property
    def says_length(self) -> bool:
        return any(each.days is not None for each in self.doses)

    @property
    def amount_last(self) -> bool:
        """Whether the amount stands after how often: "alternate days 50 mcg"."""
        kinds = [each.kind for each in self.doses[0].items]
        return "amount" in kinds and "often" in kinds and kinds.index("often") < kinds.index("amount")

    @property
    def bare(self) -> bool:
        """Whether what is taken is a number alone."""
        return any(each.amount and not each.amount.unit for each in self.doses) or (
            bool(self.scheme) and not self._scheme_unit
        )

    @property
    def says_amount(self) -> bool:
        return bool(self.scheme) or any(each.amount for each in self.doses)

    def _is_meals(self, item: TextItem) -> bool:
        return any(token.key == "meals" for token in self._tokens[item.start : item.end]) and not any(
            each not in MEALS for each in item.value
        )

    def units(self, form: str, strength: str) -> None:
        self._form, self.strength = form, strength or self.strength

    def made(self, text: str) -> Directions:
        doses = [each for each in self.doses if not each.empty] or [SaidDose()]
        if len(self.doses) > 1 and self.doses[-1].empty:
            self._doubt("something is to follow, and it is not said what", ALL)
        if self.scheme:
            return self._by_scheme(text, doses[0] if len(doses) == 1 else SaidDose())
        self._with_units(doses)
        for count, mass in self.totals:
            self._check_total(count, mass)
        if len(doses) == 1:
            return self._one(text, doses[0])
        meals = [each for dose in doses for each in dose.meals]
        if all(not dose.step and dose.days is None for dose in (*doses[:-1], replace(doses[-1], days=None))) and all(
            dose.amount and (dose.at or dose.meals) for dose in doses
        ):
            return self._at_times(text, doses, meals)
        if self._alternates(doses):
            steps = tuple(
                DoseStep(dose.amount, doses[-1].often, None, tuple(dict.fromkeys(doses[-1].at))) for dose in doses
            )
            at = (*dict.fromkeys(doses[-1].at), *dict.fromkeys(meals))
            return Directions(text, at=at, steps=steps, read=self.read)
        self._share(doses)
        if all(dose.step for dose in doses[1:]):
            return self._in_steps(text, doses, meals)
        if all(dose.amount and dose.weekdays and not dose.step and dose.days is None for dose in doses):
            return self._by_weekday(text, doses, meals)
        self._doubt("several doses are said, and it is not clear how they belong together", ALL)
        return Directions(text, read=self.read)

    def _alternates(self, doses: Sequence[SaidDose]) -> bool:
        """Whether two doses take turns: "3 mg and 4 mg on alternate days"."""
        first, last = doses[0], doses[-1]
        often = last.often
        turns = often is not None and often.every and (often.period, often.low, often.high) == ("day", 2, 2)
        bare = not (first.often or first.at or first.meals or first.weekdays or first.days)
        joined = bool(first.items and last.items) and {"and", "&"} >= {
            token.key for token in self._tokens[first.items[-1].end : last.items[0].start]
        }
        return len(doses) == 2 and turns and bare and joined and bool(first.amount and last.amount) and not last.days

    def _share(self, doses: Sequence[SaidDose]) -> None:
        """Lets what is said once after all parts of a course count for each: "4 x 4 d, 3 x 4 d. In the morning"."""
        last = doses[-1]
        kinds = [each.kind for each in last.items]
        after = "length" in kinds and {*kinds[kinds.index("length") + 1 :]} <= {"at", "often"}
        if after and not any(dose.often or dose.at or dose.meals for dose in doses[:-1]):
            for dose in doses[:-1]:
                dose.often, dose.at, dose.meals = last.often, last.at, last.meals

    def _with_units(self, doses: Sequence[SaidDose]) -> None:
        told = [each.amount.unit for each in doses if each.amount and each.amount.unit]
        named = next((each for each in told if each not in (*MEASURED, "mmol", "meq") or each == "ml"), "")
        if told and not named and not self._form:
            named = told[0]
        for dose in doses:
            if dose.amount and not dose.amount.unit:
                unit = named or self._form
                dose.amount = replace(dose.amount, unit=unit)

    def _check_total(self, count: Amount, mass: Amount) -> None:
        strength = count.strength or self.strength
        if (not strength and count.high != 1) or (strength and not _makes(strength, count, mass)):
            self._doubt("the amount is said twice, and it was not possible to see that both are the same", DOSE)

    def _one(self, text: str, dose: SaidDose) -> Directions:
        often, at = self._when(dose)
        days = dose.days
        if days and often and not often.every and often.period != "day" and days < DAYS[often.period]:
            self._doubt("it is not clear how the days and how often belong together", (*WHEN, *LENGTH))
        if dose.span:
            self._doubt("a day of a course is named, and no other", ALL)
        return Directions(
            text, amount=dose.amount, often=often, at=at, weekdays=dose.weekdays, days=days, read=self.read
        )

    def _when(self, dose: SaidDose) -> tuple[Often | None, tuple[str, ...]]:
        """How often, with the times of day that are named; a doubt where the two differ."""
        named = tuple(dict.fromkeys(dose.at))
        at = (*named, *dict.fromkeys(dose.meals))
        often, count = dose.often, len(named)
        if often is None and self._meals_and_bed and named:
            self._doubt("it is not said how many times a day", WHEN)
        if self._meals_and_bed and often is not None and often.period == "day" and often.high == 4:
            return often, at
        if count > 1 and self._is_daily(dose) and dose.items[-1].kind == "often":
            often = Often(count, count)  # "morning and night every day"
        if often is None:
            if (
                count == 1
                and self._many_meals
                and any(each.kind == "at" and self._is_meals(each) for each in dose.items)
            ):
                self._doubt("it is not said how many times a day", WHEN)
            if dose.weekdays:
                return Often(len(dose.weekdays), len(dose.weekdays), "week"), at
            return (Often(count, count) if count else None), at
        if dose.weekdays:
            self._fits_weekdays(often, len(dose.weekdays))
        if count and not often.once and not self._fits(often, count):
            self._doubt(f"{_often_text(often)} does not fit the times that are named", WHEN)
        return often, at

    def _fits(self, often: Often, count: int) -> bool:
        if often.every:
            if often.period == "hour":
                return often.low == often.high and count == 24 / often.low
            return count == 1
        if often.period != "day":
            return count == 1 or often.low == often.high == count
        if often.low != often.high:
            return False
        if self._many_meals and count == 1:
            return often.low in (1, 4)
        return often.low == count

    def _fits_weekdays(self, often: Often, count: int) -> None:
        if often.every:
            fits = (often.period == "week" and count == 1) or ((often.period, often.low) == ("day", 7) and count == 1)
        elif often.period == "week":
            fits = often.low == often.high == count
        else:
            fits = often.period == "day" and not often.once and count > 1
        if not fits:
            self._doubt("how often does not fit the days of the week", WHEN)

    def _by_scheme(self, text: str, dose: SaidDose) -> Directions:
        counts = self.scheme
        marks = _PARTS if len(counts) == 4 else ("morning", "noon", "evening")
        taken = [(mark, each) for mark, each in zip(marks, counts, strict=True) if each]
        unit = self._scheme_unit or self._form
        amounts = {each for _, each in taken}
        if dose.amount and (
            len(amounts) > 1
            or next(iter(amounts)) not in (1.0, dose.amount.high)
            or dose.amount.low != dose.amount.high
        ):
            self._doubt("the amount is said twice, and differs", DOSE)
        strange = [each for each in counts if each > 4] and unit not in ("unit", "ml")
        if strange:
            self._doubt("the figures of the scheme are large for a count", ALL)
        number = Often(len(taken), len(taken))
        if dose.often and dose.often != number and not (dose.often.every or dose.often.period != "day"):
            self._doubt("the scheme and how often do not fit", (*WHEN, *DOSE))
        often = dose.often if dose.often and dose.often != number else number
        if often != number:
            self._doubt("the scheme and how often do not fit", (*WHEN, *DOSE))
        named = tuple(dict.fromkeys(mark for mark, _ in taken))
        if "bedtime" in dose.at and "evening" not in dose.at and counts[-1] and len(counts) == 3:
            named = (*named[:-1], "bedtime")
            taken[-1] = ("bedtime", taken[-1][1])
        extra = [each for each in dose.at if each not in named]
        if extra:
            self._doubt("the scheme and the times do not fit", (*WHEN, *DOSE))
        at = (*named, *dict.fromkeys(dose.meals))
        amount = dose.amount or Amount(taken[0][1], taken[0][1], unit)
        amount = amount if amount.unit else replace(amount, unit=unit)
        return self._timed(Directions(text, amount=amount, often=often, at=at), dose, taken, unit)

    def _timed(self, said: Directions, dose: SaidDose, taken: Sequence[tuple[str, float]], unit: str) -> Directions:
        """Directions with what is taken at each time of day, where that is not always the same amount."""
        said = replace(said, weekdays=dose.weekdays, days=dose.days, read=self.read)
        if len({each for _, each in taken}) == 1:
            return said
        return replace(said, amount=None, by_time=tuple(taken), read={**self.read, "unit": unit})

    def _at_times(self, text: str, doses: Sequence[SaidDose], meals: Sequence[str]) -> Directions:
        """Amounts beside each other, each with its time of day."""
        pairs: list[tuple[str, float]] = []
        units = list(dict.fromkeys(dose.amount.unit for dose in doses if dose.amount))
        for dose in doses:
            assert dose.amount is not None
            if not dose.at or dose.amount.low != dose.amount.high:
                self._doubt("amounts differ by time, and not every time was read", ALL)
            if not self._listed_together(dose):
                self._doubt("amounts differ by time, and not every time was read", ALL)
            pairs.extend((mark, dose.amount.high) for mark in dict.fromkeys(dose.at))
        marks = [mark for mark, _ in pairs]
        often = Often(len(pairs), len(pairs))
        said = [each.often for each in doses if each.often and not self._is_daily(each)]
        if len(units) > 1 or len(set(marks)) != len(marks):
            self._doubt("amounts at different times do not fit together", ALL)
        if any(each.weekdays for each in doses[:-1]) or any(each != often for each in said):
            self._doubt("amounts at different times do not fit how often", ALL)
        at = (*marks, *dict.fromkeys(meals))
        if not pairs:  # meals alone: the doubt above
            return Directions(text, at=at, read=self.read)
        unit = units[0]
        amount = Amount(pairs[0][1], pairs[0][1], unit)
        return self._timed(Directions(text, amount=amount, often=often, at=at), doses[-1], pairs, unit)

    def _listed_together(self, dose: SaidDose) -> bool:
        """Whether the times of one amount stand in one list: not the empty boxes of a chart, "8am 1 12pm - 6pm -"."""
        slots = [each for each in dose.items if each.kind == "at" and not set(each.value) <= set(MEALS)]
        return all(
            listed("joins", token.key)
            for one, two in itertools.pairwise(slots)
            for token in self._tokens[one.end : two.start]
        )

    def _by_weekday(self, text: str, doses: Sequence[SaidDose], meals: Sequence[str]) -> Directions:
        """Amounts that differ by the day of the week."""
        named = [each for dose in doses for each in dose.weekdays]
        if len(set(named)) != len(named):
            self._doubt("different days of the week", (*WHEN, *DOSE))
        if any(dose.often not in (None, Often()) or len(dict.fromkeys(dose.at)) > 1 for dose in doses):
            self._doubt("amounts on different days do not fit how often", ALL)
        steps = tuple(
            DoseStep(dose.amount, dose.often or Often(), None, tuple(dict.fromkeys(dose.at)), dose.weekdays)
            for dose in doses
        )
        at = (*dict.fromkeys(each for dose in doses for each in dose.at), *dict.fromkeys(meals))
        return Directions(text, at=at, weekdays=tuple(sorted(set(named), key=WEEK.index)), steps=steps, read=self.read)

    def _is_daily(self, dose: SaidDose) -> bool:
        """Whether how often is only that it is every day: "2 in the morning and 1 at night daily"."""
        said = [self._said(each).casefold() for each in dose.items if each.kind == "often"]
        return dose.often == Often() and all(("day" in each or "daily" in each) and "once" not in each for each in said)

    def _in_steps(self, text: str, doses: Sequence[SaidDose], meals: Sequence[str]) -> Directions:
        steps: list[DoseStep] = []
        named: list[str] = []
        for number, dose in enumerate(doses):
            often, at = self._when(dose)
            days = dose.days
            if dose.span is not None:
                first, last = dose.span
                expected = 1 + sum(each.days or 0 for each in steps)
                if first != expected or days is not None:
                    self._doubt("the days of the course do not follow each other", ALL)
                days = last - first + 1 if last else None
                if not last and number < len(doses) - 1:
                    self._doubt("the days of the course do not follow each other", ALL)
                if often is None and days == 1:
                    often = Often()
            amount = dose.amount or (steps[-1].amount if steps else None)
            if number and often is None and not at and self._carries(steps[-1], dose):
                often, at = steps[-1].often, steps[-1].at  # "6 daily for 5 days, then 4 for 5 days"
            if number and often is None:
                self._doubt("it is not said how often after the change", ("steps", "times"))
            if dose.weekdays:
                self._doubt("a change over time, and days of the week", ALL)
            if often and often.once:
                days = None
            if number < len(doses) - 1 and days is None and not (often and often.once):
                self._doubt("it is not said when the dose changes", ALL)
            named.extend(each for each in at if each not in MEALS)
            steps.append(DoseStep(amount, often, days, at))
        if steps[0].amount is None and any(each.amount for each in steps):
            self._doubt("it is not said how much at first", ("steps", *DOSE))
        at = (*dict.fromkeys(named), *dict.fromkeys(meals))
        return Directions(text, at=at, steps=tuple(steps), read=self.read)

    def _carries(self, before: DoseStep, dose: SaidDose) -> bool:
        """Whether how often goes on from the part before: the same is taken, for so long."""
        units = {each.amount.unit for each in (before, dose) if each.amount}
        told = dose.days is not None or dose.span is not None
        return told and len(units) == 1 and before.often is not None and not before.often.once

    def _doubt(self, why: str, fields: tuple[str, ...], candidates: tuple[str, ...] = ()) -> None:
        self.doubts.append(Doubt(why, fields, candidates))


def _makes(strength: str, count: Amount, mass: Amount) -> bool:
    """Whether so many of a strength are a mass: 2 tablets of "500 mg" 1 g, 0.8 ml of "100 mg/ml" 80 mg."""
    parts = re.fullmatch(r"([\d.]+) (\w+)(?:\s?/\s?([\d.]*) ?(\w+))?", strength)
    if parts is None:
        return False
    each, per = float(parts[1]) * IN_MG.get(parts[2], 1), float(parts[3] or 1)
    if (parts[2] in IN_MG) != (mass.unit in IN_MG) or (parts[2] not in IN_MG and parts[2] != mass.unit):
        return False
    if parts[4] and parts[4] != count.unit:
        return False
    told = mass.high * IN_MG.get(mass.unit, 1)
    return abs(each * count.high / per - told) < 1e-6 * max(told, 1)


def _often_text(often: Often) -> str:
    if often.once:
        return "a single dose"
    number = f"{often.low:g}" if often.low == often.high else f"{often.low:g} to {often.high:g}"
    return f"every {number} {often.period}s" if often.every else f"{number} times a {often.period}"

"""The doses of directions: one, several by the time of day, or several one after the other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from camphor.health.prescriptions.directions import (
    ALL,
    DOSE,
    LENGTH,
    MEALS,
    WHEN,
    Directions,
    Doubt,
    Step,
    amount_text,
)
from camphor.health.prescriptions.lexing import Token, listed, words
from camphor.health.prescriptions.meanings import DAYS, IN_MG, MASSES, OTHER_DAYS, WEEK, Amount, Often, Taper
from camphor.health.prescriptions.scanning import Item
from camphor.health.prescriptions.tapers import tapered

_MASSES = ("mg", "mcg", "g", "unit", "ml")
_PARTS = ("morning", "noon", "evening", "bedtime")


@dataclass
class _Dose:
    """What is said of one dose; `step`: it comes after the one before, not beside it."""

    step: bool = False
    amount: Amount | None = None
    often: Often | None = None
    at: list[str] = field(default_factory=list)
    meals: list[str] = field(default_factory=list)
    weekdays: tuple[str, ...] = ()
    days: int | None = None
    span: tuple[int, int] | None = None
    items: list[Item] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.amount or self.often or self.at or self.meals or self.weekdays or self.days or self.span)


class Course:
    """Takes the phrases of doses in their order; `made` puts them together."""

    KINDS = frozenset({"amount", "often", "at", "scheme", "length", "daynumber", "weekdays", "taper", "then", "end"})

    def __init__(self, said: Callable[[Item], str], tokens: Sequence[Token]) -> None:
        self._said, self._tokens = said, tokens
        self.doses = [_Dose()]
        self.doubts: list[Doubt] = []
        self.scheme: tuple[float, ...] = ()
        self.read: dict[str, str] = {}
        self._totals: list[tuple[Amount, Amount]] = []
        self.ended = False
        self._form = ""
        self._strength = ""
        self.doses_daily = 0.0
        self._many_meals = False
        self._meals_and_bed = False

    @property
    def says_length(self) -> bool:
        return any(each.days is not None for each in self.doses)

    def needed(self, apart: bool) -> None:
        """ "As needed" stands here; `apart`: after a mark."""
        if len(self.doses) > 1 and not apart:
            self._doubt("it is not clear what of it is taken as needed", ("as_needed", *WHEN, *DOSE))

    @property
    def said_strength(self) -> str:
        """The strength that stands beside one of what is counted: "1 tablet 20 mg"."""
        return self._strength

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

    def add(self, item: Item, body: Sequence[Item], place: int) -> None:
        """The next phrase, with all items around it."""
        if self.ended and item.kind not in ("at", "end", "length"):
            self._doubt("something is said after the end of the course", ALL)
        getattr(self, f"_{item.kind}")(item, body, place)
        name = {"amount": "amount", "length": "for_days", "scheme": "times"}.get(item.kind, "times")
        self.read[name] = f"{self.read[name]} {self._said(item)}" if name in self.read else self._said(item)

    # one phrase at a time

    def _then(self, item: Item, body: Sequence[Item], place: int) -> None:
        del body, place
        if self.doses[-1].empty:
            self._doubt(f"it is not clear what {self._said(item)!r} follows", ALL)
        else:
            self.doses.append(_Dose(step=True))

    def _end(self, item: Item, body: Sequence[Item], place: int) -> None:
        del item, body, place
        if self.doses[-1].empty:
            self._doubt("it ends and does not say what", ALL)
        self.ended = True

    def _amount(self, item: Item, body: Sequence[Item], place: int) -> None:
        value: Amount = item.value
        if not value.unit and not self._is_taken(body, place):
            self._doubt(f"it is not clear what {self._said(item)!r} counts", ALL)
            return
        last = self.doses[-1]
        if self.scheme and last.days is not None:
            self._doubt("another dose is said after the scheme and its length", ALL)
        if self._is_one_of_it(last, value):
            self._totals.append((value, last.amount))
            self._strength = self._strength or amount_text(last.amount)
            last.amount = value
            return
        if place + 1 < len(body) and body[place + 1].kind == "word" and listed("that_much", str(body[place + 1].value)):
            self._doubt(f"it is not clear how much {self._said(item)!r} is", ALL)  # "half that"
        if (
            last.items
            and last.items[-1].kind == "weekdays"
            and last.amount is not None
            and self._excepts(last.items[-1])
        ):
            others = tuple(each for each in WEEK if each not in last.weekdays)
            self.doses.append(_Dose(weekdays=others))  # "daily except Sun 2"
            last = self.doses[-1]
        if last.amount is not None:
            if self._echoes(last.amount, item, body, place):
                if last.amount.unit in _MASSES and value.unit not in _MASSES:
                    last.amount = value  # "40 mg = 1 tab"
                return
            step = last.days is not None or last.span is not None
            if step and not any(each.kind == "mark" for each in body[max(0, place - 2) : place]):
                self._doubt("a second dose begins, and it is not clear whether after the first", ALL)
            self.doses.append(_Dose(step=step))
        self.doses[-1].amount = value
        self.doses[-1].items.append(item)

    def _excepts(self, item: Item) -> bool:
        first = self._tokens[item.start].key
        return any(first == each.split()[0] for told in words()["EXCEPT"].values() for each in told)

    def _is_one_of_it(self, dose: _Dose, value: Amount) -> bool:
        """Whether one tablet follows a strength and how often: "40 mg alternate days, 1 tab morning"."""
        mass = dose.amount is not None and dose.amount.unit in MASSES and dose.amount.low == dose.amount.high
        one = value.low == value.high == 1 and value.unit not in ("", *_MASSES)
        return mass and one and len(self.doses) == 1 and bool(dose.often or dose.at) and not dose.days

    def _is_taken(self, body: Sequence[Item], place: int) -> bool:
        """Whether a bare number is how much is taken: it stands after "take", or before how often or where."""
        if (
            place > 1
            and body[place - 1].kind == "word"
            and body[place - 1].value == "x"
            and body[place - 2].kind == "amount"
        ):
            return False  # "2 x 3"
        before = [each for each in body[:place] if each.kind != "mark"][-1:]
        after = [each for each in body[place + 1 :] if not (each.kind == "mark" and each.value in "()")][:1]
        follows = (
            "often",
            "at",
            "needed",
            "site",
            "then",
            "weekdays",
            "daynumber",
            "verb",
            "form",
            "length",
            "mix",
            "advice",
        )
        if after and after[0].kind in follows:
            return True
        if (
            after
            and after[0].kind == "word"
            and str(after[0].value) in ("high", "every", "to", "of", "with", "when", "if", "into")
        ):
            return True
        return bool(before) and before[0].kind in ("verb", "then")

    def _echoes(self, amount: Amount, item: Item, body: Sequence[Item], place: int) -> bool:
        """Whether an amount says once more, in mass or volume, what was said as a count: "2 tablets (1 g)"."""
        value: Amount = item.value
        before = [each for each in body[:place] if each.kind != "mark"][-1:]
        bracket = place > 0 and body[place - 1].kind == "mark" and str(body[place - 1].value) == "("
        if not before or not (before[0].kind == "amount" or bracket) or not place:
            return False
        mass_of_one = amount.high == 1 and value.unit in _MASSES and amount.unit not in _MASSES
        if body[place - 1].kind == "amount" and mass_of_one:
            if not self._strength:  # "1 tablet 20 mg"
                self._strength = self._said(item).removesuffix(" total")
            self._totals.append((amount, value))
            return True
        marked = body[place - 1].kind == "mark" and str(body[place - 1].value) in "(="
        if not marked or not value.unit or value.unit == amount.unit:
            return False
        count, mass = (amount, value) if value.unit in _MASSES else (value, amount)
        if mass.unit not in _MASSES or (count.unit in _MASSES and mass.unit in _MASSES and count.unit != "ml"):
            return False
        self._totals.append((count, mass))
        return True

    def _often(self, item: Item, body: Sequence[Item], place: int) -> None:
        value, slots = item.value if isinstance(item.value, tuple) else (item.value, ())
        last = self.doses[-1]
        if (
            value.once
            and (last.often is not None or last.at)
            and listed("at_once", self._said(item).casefold().split()[0])
        ):
            self._doubt("it is not clear what is to be done at once", WHEN)
            return
        if value.once and self._said(item).casefold() == "now" and last.amount is None:
            return
        if last.days is not None and (last.often is not None or last.at):
            before = [each for each in body[:place] if each.kind != "site"][-1:]
            if not before or before[0].kind not in ("mark", "then"):
                self._doubt("how often is said again after the length", ALL)
            self.doses.append(_Dose(step=True))
            last = self.doses[-1]
        if last.often is not None and last.often != value:
            joined = _both(last.often, value)
            if joined is None:
                self._doubt("two different things are said of how often", (*WHEN, *DOSE))
                return
            if not joined.upto and (value.upto or last.often.upto):
                self.doses_daily = (value if value.upto else last.often).high
            value = joined
        last.often = value
        last.at.extend(each for each in slots if each not in last.at)
        last.items.append(item)

    def _at(self, item: Item, body: Sequence[Item], place: int) -> None:
        joined = place > 0 and self._said(body[place - 1]).casefold() in ("and", "&", "+", "or", "/")
        if joined and self.doses[-1].items and self.doses[-1].items[-1].kind == "at":
            told = (self.doses[-1].items[-1], item)
            if any(all(each in MEALS for each in one.value) for one in told):
                self._meals_and_bed = True
        for each in item.value:
            (self.doses[-1].meals if each in MEALS else self.doses[-1].at).append(each)
        self._many_meals = self._many_meals or self._is_meals(item)
        self.doses[-1].items.append(item)

    def _is_meals(self, item: Item) -> bool:
        return any(token.key == "meals" for token in self._tokens[item.start : item.end]) and not any(
            each not in MEALS for each in item.value
        )

    def _scheme(self, item: Item, body: Sequence[Item], place: int) -> None:
        del body, place
        counts, unit = item.value
        if (self.scheme and self.scheme != counts) or len(self.doses) > 1:
            self._doubt("more than one scheme of meals", ALL)
            return
        self.scheme = counts
        self.doses[-1].items.append(item)
        if unit:
            self._scheme_unit = unit

    _scheme_unit = ""

    def _length(self, item: Item, body: Sequence[Item], place: int) -> None:
        said = [each.key for each in self._tokens[item.start : item.end + 1]]
        if "total" in said and len(self.doses) > 1:
            self._doubt("it is not clear how long each part takes", ("for_days", "steps"))
        if any(listed("given_out", each) for each in said):
            self._doubt("it is not clear whether it is how long it is taken, or how long it lasts", ("for_days",))
        last = self.doses[-1]
        if self._tokens[item.end - 1].key == "night" and (item.value != 1 or said[0] in ("1", "one")):
            self._doubt("it is not clear whether it is one taken at night", ALL)  # "1 morning 2 night"
        before = body[place - 1] if place else None
        if before and before.kind == "word" and listed("before_dates", str(before.value)):
            self._doubt(f"it is not clear what is done {before.value} {self._said(item)}", LENGTH)
        if before and self._in_brackets(body, place) and before.value != "(":
            self._doubt(f"it is not clear what lasts {self._said(item)}", LENGTH)
        bracket = before and before.kind == "mark" and before.value == "("
        if bracket and last.often and last.often.every and _hours(last.often) == 24 * item.value:
            return  # "every 72 hours (3 days)"
        if last.days is not None and last.days != item.value:
            self._doubt("two lengths are said", LENGTH)
            return
        last.days = int(item.value)
        last.items.append(item)

    def _in_brackets(self, body: Sequence[Item], place: int) -> bool:
        marks = [str(each.value) for each in body[:place] if each.kind == "mark" and str(each.value) in "()"]
        return marks[-1:] == ["("]

    def _daynumber(self, item: Item, body: Sequence[Item], place: int) -> None:
        del body, place
        if self.doses[-1].span is not None or self.doses[-1].days is not None:
            self.doses.append(_Dose(step=True))
        self.doses[-1].span = item.value
        self.doses[-1].items.append(item)

    def _weekdays(self, item: Item, body: Sequence[Item], place: int) -> None:
        value: tuple[str, ...] = item.value
        if value == OTHER_DAYS:
            named = {each for dose in self.doses for each in dose.weekdays}
            value = tuple(each for each in WEEK if each not in named)
            if not named or not value:
                self._doubt(f"it is not clear which days {self._said(item)!r} are", ALL)
                return
        last = self.doses[-1]
        if last.weekdays and last.amount and self._amount_follows(body, place):
            self.doses.append(_Dose())  # "Mon-Fri 2 caps, Sat/Sun 1 cap"
            last = self.doses[-1]
        apart = place > 0 and body[place - 1].kind == "mark" and body[place - 1].value == ","
        daily = last.often is not None and last.often.period == "day" and not last.often.every
        if apart and daily and not listed("before_days", self._tokens[item.start].key):
            self._doubt("it is not clear what is done on that day of the week", ALL)
        if place + 1 < len(body) and body[place + 1].kind == "length":
            self._doubt("a day of the week, and a date or a length", ALL)
        if last.weekdays and last.weekdays != value:
            if last.amount and len(self.doses) == 1 and not last.days:
                last.weekdays = tuple(dict.fromkeys((*last.weekdays, *value)))
                return
            self._doubt("different days of the week", (*WHEN, *DOSE))
        last.weekdays = value
        last.items.append(item)

    def _amount_follows(self, body: Sequence[Item], place: int) -> bool:
        rest = [
            each
            for each in body[place + 1 :]
            if each.kind != "verb" and not (each.kind == "mark" and each.value in ":-")
        ]
        return bool(rest) and rest[0].kind == "amount"

    def _taper(self, item: Item, body: Sequence[Item], place: int) -> None:
        """So much less, or more, every so many days: the steps that follow."""
        del body, place
        change: Taper = item.value
        if self.doses[-1].empty and len(self.doses) > 1:
            self.doses.pop()
        first = self.doses[-1]
        steps = tapered(first.amount, change) if first.amount else None
        if steps is None or not (first.often or first.at) or first.weekdays:
            self._doubt(f"it is not clear what {self._said(item)!r} leads to", ALL)
            return
        if first.days is None:
            first.days = change.days
        first.amount = replace(steps[0], strength=first.amount.strength if first.amount else "")
        for number, amount in enumerate(steps[1:], 2):
            goes_on = number == len(steps) and bool(change.end and change.end.low)
            days = None if goes_on else change.days
            self.doses.append(replace(first, step=True, amount=amount, days=days, items=[*first.items, item]))
        self.ended = bool(change.end and not change.end.low)

    def total(self, count: Amount, mass: Amount) -> None:
        """A count and a mass that are both said of a dose."""
        self._totals.append((count, mass))

    def first_amount(self, amount: Amount) -> None:
        """What stands before the directions is what is taken."""
        self.doses[0].amount = amount

    def units(self, form: str, strength: str) -> None:
        self._form, self._strength = form, strength or self._strength

    # together

    def made(self, text: str) -> Directions:
        doses = [each for each in self.doses if not each.empty] or [_Dose()]
        if len(self.doses) > 1 and self.doses[-1].empty:
            self._doubt("something is to follow, and it is not said what", ALL)
        if self.scheme:
            return self._by_scheme(text, doses[0] if len(doses) == 1 else _Dose())
        self._with_units(doses)
        for count, mass in self._totals:
            self._check_total(count, mass)
        if len(doses) == 1:
            return self._one(text, doses[0])
        meals = [each for dose in doses for each in dose.meals]
        if all(not dose.step and dose.days is None for dose in (*doses[:-1], replace(doses[-1], days=None))) and all(
            dose.amount and (dose.at or dose.meals) for dose in doses
        ):
            return self._at_times(text, doses, meals)
        self._share(doses)
        if all(dose.step for dose in doses[1:]):
            return self._in_steps(text, doses, meals)
        if all(dose.amount and dose.weekdays and not dose.step and dose.days is None for dose in doses):
            return self._by_weekday(text, doses, meals)
        self._doubt("several doses are said, and it is not clear how they belong together", ALL)
        return Directions(text, read=self.read)

    def _share(self, doses: Sequence[_Dose]) -> None:
        """Lets what is said once after all parts of a course count for each: "4 x 4 d, 3 x 4 d. In the morning"."""
        last = doses[-1]
        kinds = [each.kind for each in last.items]
        after = "length" in kinds and {*kinds[kinds.index("length") + 1 :]} <= {"at", "often"}
        if after and not any(dose.often or dose.at or dose.meals for dose in doses[:-1]):
            for dose in doses[:-1]:
                dose.often, dose.at, dose.meals = last.often, last.at, last.meals

    def _with_units(self, doses: Sequence[_Dose]) -> None:
        told = [each.amount.unit for each in doses if each.amount and each.amount.unit]
        named = next((each for each in told if each not in (*_MASSES, "mmol", "meq") or each == "ml"), "")
        if told and not named and not self._form:
            named = told[0]
        for dose in doses:
            if dose.amount and not dose.amount.unit:
                unit = named or self._form
                dose.amount = replace(dose.amount, unit=unit)

    def _check_total(self, count: Amount, mass: Amount) -> None:
        strength = count.strength or self._strength
        if (not strength and count.high != 1) or (strength and not _makes(strength, count, mass)):
            self._doubt("the amount is said twice, and it was not possible to see that both are the same", DOSE)

    def _one(self, text: str, dose: _Dose) -> Directions:
        often, at = self._when(dose)
        days = dose.days
        if days and often and not often.every and often.period != "day" and days < DAYS[often.period]:
            self._doubt("it is not clear how the days and how often belong together", (*WHEN, *LENGTH))
        if dose.span:
            self._doubt("a day of a course is named, and no other", ALL)
        return Directions(
            text, amount=dose.amount, often=often, at=at, weekdays=dose.weekdays, days=days, read=self.read
        )

    def _when(self, dose: _Dose) -> tuple[Often | None, tuple[str, ...]]:
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

    def _by_scheme(self, text: str, dose: _Dose) -> Directions:
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
            self._doubt("the scheme and the times do not fit", WHEN)
        at = (*named, *dict.fromkeys(dose.meals))
        if len(amounts) == 1:
            amount = dose.amount or Amount(taken[0][1], taken[0][1], unit)
            amount = amount if amount.unit else replace(amount, unit=unit)
            return Directions(
                text, amount=amount, often=often, at=at, weekdays=dose.weekdays, days=dose.days, read=self.read
            )
        read = {**self.read, "unit": unit}
        return Directions(
            text, by_time=tuple(taken), often=often, at=at, weekdays=dose.weekdays, days=dose.days, read=read
        )

    def _at_times(self, text: str, doses: Sequence[_Dose], meals: Sequence[str]) -> Directions:
        """Amounts beside each other, each with its time of day."""
        pairs: list[tuple[str, float]] = []
        units = {dose.amount.unit for dose in doses if dose.amount}
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
        unit = next(iter(units))
        last = doses[-1]
        at = (*marks, *dict.fromkeys(meals))
        if len({value for _, value in pairs}) == 1:
            amount = Amount(pairs[0][1], pairs[0][1], unit)
            return Directions(
                text, amount=amount, often=often, at=at, weekdays=last.weekdays, days=last.days, read=self.read
            )
        read = {**self.read, "unit": unit}
        return Directions(
            text, by_time=tuple(pairs), often=often, at=at, weekdays=last.weekdays, days=last.days, read=read
        )

    def _listed_together(self, dose: _Dose) -> bool:
        """Whether the times of one amount stand in one list: not the empty boxes of a chart, "8am 1 12pm - 6pm -"."""
        slots = [each for each in dose.items if each.kind == "at" and not set(each.value) <= set(MEALS)]
        return all(
            listed("joins", token.key)
            for one, two in itertools.pairwise(slots)
            for token in self._tokens[one.end : two.start]
        )

    def _by_weekday(self, text: str, doses: Sequence[_Dose], meals: Sequence[str]) -> Directions:
        """Amounts that differ by the day of the week."""
        named = [each for dose in doses for each in dose.weekdays]
        if len(set(named)) != len(named):
            self._doubt("different days of the week", (*WHEN, *DOSE))
        if any(dose.often not in (None, Often()) or len(dict.fromkeys(dose.at)) > 1 for dose in doses):
            self._doubt("amounts on different days do not fit how often", ALL)
        steps = tuple(
            Step(dose.amount, dose.often or Often(), None, tuple(dict.fromkeys(dose.at)), dose.weekdays)
            for dose in doses
        )
        at = (*dict.fromkeys(each for dose in doses for each in dose.at), *dict.fromkeys(meals))
        return Directions(text, at=at, weekdays=tuple(sorted(set(named), key=WEEK.index)), steps=steps, read=self.read)

    def _is_daily(self, dose: _Dose) -> bool:
        """Whether how often is only that it is every day: "2 in the morning and 1 at night daily"."""
        said = [self._said(each).casefold() for each in dose.items if each.kind == "often"]
        return dose.often == Often() and all(("day" in each or "daily" in each) and "once" not in each for each in said)

    def _in_steps(self, text: str, doses: Sequence[_Dose], meals: Sequence[str]) -> Directions:
        steps: list[Step] = []
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
            steps.append(Step(amount, often, days, at))
        if steps[0].amount is None and any(each.amount for each in steps):
            self._doubt("it is not said how much at first", ("steps", *DOSE))
        at = (*dict.fromkeys(named), *dict.fromkeys(meals))
        return Directions(text, at=at, steps=tuple(steps), read=self.read)

    def _carries(self, before: Step, dose: _Dose) -> bool:
        """Whether how often goes on from the part before: the same is taken, for so long."""
        units = {each.amount.unit for each in (before, dose) if each.amount}
        told = dose.days is not None or dose.span is not None
        return told and len(units) == 1 and before.often is not None and not before.often.once

    def _doubt(self, why: str, fields: tuple[str, ...], candidates: tuple[str, ...] = ()) -> None:
        self.doubts.append(Doubt(why, fields, candidates))


def _hours(often: Often) -> float:
    """The hours between two doses that come every so often."""
    return often.low * {"hour": 1, "day": 24, "week": 168}.get(often.period, 720)


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


def _both(one: Often, other: Often) -> Often | None:
    """How often, where it is said twice; None where the two differ."""
    for first, second in ((one, other), (other, one)):
        if (
            first.every
            and first.period == "hour"
            and first.low == first.high > 0
            and second == Often(24 / first.low, 24 / first.low)
        ):
            return second
        if first.every and first.period == "hour" and second.upto and second.period == "day":
            return first
        if (first.every, first.period, first.low, first.high) == (True, "day", 7, 7) and second == Often(period="week"):
            return first
        if second == Often() and first.once:
            return None
    return None


def _often_text(often: Often) -> str:
    if often.once:
        return "a single dose"
    number = f"{often.low:g}" if often.low == often.high else f"{often.low:g} to {often.high:g}"
    return f"every {number} {often.period}s" if often.every else f"{number} times a {often.period}"

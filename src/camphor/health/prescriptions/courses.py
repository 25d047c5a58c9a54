"""The phrases of doses, taken one by one in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from camphor.health.prescriptions.directions import (
    ALL,
    DOSE,
    HOURS,
    IN_MG,
    LENGTH,
    MASSES,
    MEALS,
    OTHER_DAYS,
    WEEK,
    WHEN,
    Amount,
    Often,
    amount_text,
)
from camphor.health.prescriptions.lexing import entries_of, listed
from camphor.health.prescriptions.scanning import TextItem
from camphor.health.prescriptions.timings import Taper
from camphor.health.prescriptions.together import MEASURED, SaidDose, Together

_MOST_STEPS = 40
_FOLLOWS = (
    "often", "at", "needed", "site", "then", "weekdays", "daynumber", "verb", "form", "length", "mix", "advice",
)  # fmt: skip


class DoseCourse(Together):
    """Takes the phrases of doses in their order."""

    KINDS = frozenset({"amount", "often", "at", "scheme", "length", "daynumber", "weekdays", "taper", "then", "end"})

    def needed(self, apart: bool) -> None:
        """ "As needed" stands here; `apart`: after a mark."""
        if len(self.doses) > 1 and not apart:
            self._doubt("it is not clear what of it is taken as needed", ("as_needed", *WHEN, *DOSE))

    def add(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        """The next phrase, with all items around it."""
        if self.ended and item.kind not in ("at", "end", "length"):
            self._doubt("something is said after the end of the course", ALL)
        getattr(self, f"_{item.kind}")(item, body, place)
        name = {"amount": "amount", "length": "for_days", "scheme": "times"}.get(item.kind, "times")
        self.read[name] = f"{self.read[name]} {self._said(item)}" if name in self.read else self._said(item)

    def _then(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        del body, place
        if self.doses[-1].empty:
            self._doubt(f"it is not clear what {self._said(item)!r} follows", ALL)
        else:
            self.doses.append(SaidDose(step=True))

    def _end(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        del item, body, place
        if self.doses[-1].empty:
            self._doubt("it ends and does not say what", ALL)
        self.ended = True

    def _amount(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        value: Amount = item.value
        if not value.unit and not self._is_taken(body, place):
            self._doubt(f"it is not clear what {self._said(item)!r} counts", ALL)
            return
        last = self.doses[-1]
        if self.scheme and last.days is not None:
            self._doubt("another dose is said after the scheme and its length", ALL)
        if last.amount is not None and self._is_one_of_it(last, value):
            self.totals.append((value, last.amount))
            self.strength = self.strength or amount_text(last.amount)
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
            self.doses.append(SaidDose(weekdays=others))  # "daily except Sun 2"
            last = self.doses[-1]
        if last.amount is not None:
            if self._echoes(last.amount, item, body, place):
                if last.amount.unit in MEASURED and value.unit not in MEASURED:
                    last.amount = value  # "40 mg = 1 tab"
                return
            step = last.days is not None or last.span is not None
            if step and not any(each.kind == "mark" for each in body[max(0, place - 2) : place]):
                self._doubt("a second dose begins, and it is not clear whether after the first", ALL)
            self.doses.append(SaidDose(step=step))
        self.doses[-1].amount = value
        self.doses[-1].items.append(item)

    def _excepts(self, item: TextItem) -> bool:
        first = self._tokens[item.start].key
        return any(first == each.split()[0] for each in entries_of("EXCEPT"))

    def _is_one_of_it(self, dose: SaidDose, value: Amount) -> bool:
        """Whether one tablet follows a strength and how often: "40 mg alternate days, 1 tab morning"."""
        mass = dose.amount is not None and dose.amount.unit in MASSES and dose.amount.low == dose.amount.high
        one = value.low == value.high == 1 and value.unit not in ("", *MEASURED)
        return mass and one and len(self.doses) == 1 and bool(dose.often or dose.at) and not dose.days

    def _is_taken(self, body: Sequence[TextItem], place: int) -> bool:
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
        if after and after[0].kind in _FOLLOWS:
            return True
        joins = ("high", "every", "to", "of", "with", "when", "if", "into")
        if after and after[0].kind == "word" and str(after[0].value) in joins:
            return True
        return bool(before) and before[0].kind in ("verb", "then")

    def _echoes(self, amount: Amount, item: TextItem, body: Sequence[TextItem], place: int) -> bool:
        """Whether an amount says once more, in mass or volume, what was said as a count: "2 tablets (1 g)"."""
        value: Amount = item.value
        before = [each for each in body[:place] if each.kind != "mark"][-1:]
        bracket = place > 0 and body[place - 1].kind == "mark" and str(body[place - 1].value) == "("
        if not before or not (before[0].kind == "amount" or bracket) or not place:
            return False
        mass_of_one = amount.high == 1 and value.unit in MEASURED and amount.unit not in MEASURED
        if body[place - 1].kind == "amount" and mass_of_one:
            if not self.strength:  # "1 tablet 20 mg"
                self.strength = self._said(item).removesuffix(" total")
            self.totals.append((amount, value))
            return True
        marked = body[place - 1].kind == "mark" and str(body[place - 1].value) in "(="
        if not marked or not value.unit or value.unit == amount.unit:
            return False
        count, mass = (amount, value) if value.unit in MEASURED else (value, amount)
        if mass.unit not in MEASURED or (count.unit in MEASURED and mass.unit in MEASURED and count.unit != "ml"):
            return False
        self.totals.append((count, mass))
        return True

    def _often(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
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
            self.doses.append(SaidDose(step=True))
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

    def _at(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        joined = place > 0 and self._said(body[place - 1]).casefold() in ("and", "&", "+", "or", "/")
        if joined and self.doses[-1].items and self.doses[-1].items[-1].kind == "at":
            told = (self.doses[-1].items[-1], item)
            if any(all(each in MEALS for each in one.value) for one in told):
                self._meals_and_bed = True
        for each in item.value:
            (self.doses[-1].meals if each in MEALS else self.doses[-1].at).append(each)
        self._many_meals = self._many_meals or self._is_meals(item)
        self.doses[-1].items.append(item)

    def _scheme(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        del body, place
        counts, unit = item.value
        if (self.scheme and self.scheme != counts) or len(self.doses) > 1:
            self._doubt("more than one scheme of meals", ALL)
            return
        self.scheme = counts
        self.doses[-1].items.append(item)
        if unit:
            self._scheme_unit = unit

    def _length(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
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

    def _in_brackets(self, body: Sequence[TextItem], place: int) -> bool:
        marks = [str(each.value) for each in body[:place] if each.kind == "mark" and str(each.value) in "()"]
        return marks[-1:] == ["("]

    def _daynumber(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        del body, place
        if self.doses[-1].span is not None or self.doses[-1].days is not None:
            self.doses.append(SaidDose(step=True))
        self.doses[-1].span = item.value
        self.doses[-1].items.append(item)

    def _weekdays(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        value: tuple[str, ...] = item.value
        if value == OTHER_DAYS:
            named = {each for dose in self.doses for each in dose.weekdays}
            value = tuple(each for each in WEEK if each not in named)
            if not named or not value:
                self._doubt(f"it is not clear which days {self._said(item)!r} are", ALL)
                return
        last = self.doses[-1]
        if last.weekdays and last.amount and self._amount_follows(body, place):
            self.doses.append(SaidDose())  # "Mon-Fri 2 caps, Sat/Sun 1 cap"
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

    def _amount_follows(self, body: Sequence[TextItem], place: int) -> bool:
        rest = [
            each
            for each in body[place + 1 :]
            if each.kind != "verb" and not (each.kind == "mark" and each.value in ":-")
        ]
        return bool(rest) and rest[0].kind == "amount"

    def _taper(self, item: TextItem, body: Sequence[TextItem], place: int) -> None:
        """So much less, or more, every so many days: the steps that follow."""
        del body, place
        change: Taper = item.value
        if self.doses[-1].empty and len(self.doses) > 1:
            self.doses.pop()
        first = self.doses[-1]
        steps = _tapered(first.amount, change) if first.amount else None
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


def _hours(often: Often) -> float:
    """The hours between two doses that come every so often."""
    return often.low * HOURS.get(often.period, HOURS["month"])


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
    return None


def _tapered(first: Amount, change: Taper) -> tuple[Amount, ...] | None:
    """Doses that fall or rise by the same amount, with the first; None where they do not end, or where is not said.

    The last is what is taken for good, where the change ends at an amount; else the last one before nothing.
    """
    unit = first.unit or change.amount.unit
    by, end = _in(change.amount, unit), _in(change.end, unit) if change.end else None
    if first.low != first.high or by is None or end is None or (change.up and not end):
        return None
    steps = (end - first.low) / by if change.up else (first.low - end) / by
    count = round(steps)
    if abs(steps - count) > 1e-6 or not 1 <= count <= _MOST_STEPS:
        return None
    sign = by if change.up else -by
    amounts = [round(first.low + sign * number, 6) for number in range(count + 1)]
    return tuple(Amount(each, each, unit) for each in amounts if each)


def _in(amount: Amount, unit: str) -> float | None:
    """An amount in another unit; None where the two do not measure the same."""
    if amount.unit in ("", unit) or not unit:
        return amount.low
    if amount.unit in IN_MG and unit in IN_MG:
        return amount.low * IN_MG[amount.unit] / IN_MG[unit]
    return None

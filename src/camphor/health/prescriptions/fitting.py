"""Whether what was read fits together: form and unit, way and form, figures and limits, and nothing left blank.

Each check asks about one kind of slip that no grammar sees, since every part is read right by itself: "40 ml" for 40
mg, drops for the ear in the eye, "5 daily" of 2.5 mg tablets, a most that is less than what is taken.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from camphor.health.prescriptions.directions import (
    ALL,
    DOSE,
    LENGTH,
    LIMITS,
    MASSES,
    MEALS,
    WHEN,
    Amount,
    Directions,
    Doubt,
    Most,
    mass_of,
)
from camphor.health.prescriptions.drugs import find
from camphor.health.prescriptions.lexing import Token, entries_of, listed, words
from camphor.health.prescriptions.product import INSIDE
from camphor.health.prescriptions.scanning import TextItem, complaint

_SWALLOWED = ("tablet", "capsule")
_ON = {"eye": ("eye", "eyes"), "ear": ("ear", "ears"), "nose": ("nostril", "nostrils", "nose")}


def misfits(
    said: Directions, tokens: Sequence[Token], items: Sequence[TextItem], verbs: Sequence[str], sites: Sequence[str]
) -> Iterator[Doubt]:
    """A doubt for each thing that does not fit. `verbs` and `sites` are those that were said."""
    check = _Fit(said, tokens, items, verbs, sites)
    for each in (
        check.blanks,
        check.units,
        check.ways,
        check.figures,
        check.beside,
        check.parts,
        check.limits,
        check.times,
        check.parts_of_day,
        check.needed,
        check.names,
    ):
        yield from each()


_PARTS = {"morning": range(5, 12), "noon": range(11, 15), "evening": range(16, 22), "bedtime": range(19, 24)}
"""Which hours a part of the day may be."""


class _Fit:
    def __init__(
        self,
        said: Directions,
        tokens: Sequence[Token],
        items: Sequence[TextItem],
        verbs: Sequence[str],
        sites: Sequence[str],
    ) -> None:
        self._said, self._tokens, self._items, self._verbs, self._sites = said, tokens, items, verbs, sites
        self._unit = said.amount.unit if said.amount else said.read.get("unit", "")
        self._keys = [each.key for each in tokens]

    def blanks(self) -> Iterator[Doubt]:
        """Places left to be filled in, and question marks."""
        if re.search(r"\(\s*\)|\[\s*\]", self._said.text):
            yield Doubt("a box is empty there", ALL)
        if re.search(r"\?|\*\*|__|\.\.\.\.|…|xxx", self._said.text.casefold()):
            yield Doubt("something is left open there", ALL)
        if any(listed("ambiguous_names", each) for each in self._keys):
            yield Doubt("the name stands for two medicines", ALL)
        if any(listed("unreadable", each) for each in self._keys):
            yield Doubt("something cannot be read there", ALL)
        advised = bool(self._items) and self._items[-1].kind in ("advice", "remark")  # "rinse mouth after"
        if self._keys and listed("dangling", self._keys[-1]) and not advised:
            yield Doubt("it ends in the middle", ALL)
        if re.search(r"\+ ?/ ?-|±", self._said.text):
            yield Doubt("more or less, it says", (*WHEN, *LENGTH))

    def units(self) -> Iterator[Doubt]:
        """What is counted, of what it is counted of."""
        said, unit = self._said, self._unit
        allowed = words()["fits"]["units"].get(said.form, "").split()
        if allowed and unit and unit not in allowed and unit.split()[-1] not in allowed:
            yield Doubt(f"{unit} is not what a {said.form} is counted in", (*DOSE, "site"))
        liquid = listed("liquid", said.form) or "/ml" in said.strength or " ml" in said.strength
        limit = {"mg": 5000, "mcg": 5000, "g": 60}.get(unit)
        if said.amount and limit and said.amount.high > limit:
            yield Doubt("the figure is large for its unit", DOSE)
        if said.amount and not unit and (liquid or said.amount.high > 10):
            yield Doubt("it is not said what the number counts", DOSE)
        sites = {word for each in self._sites for word in each.split()}
        if unit == "ml" and any(sites & set(names) for names in _ON.values()):
            yield Doubt("it may be the size of the bottle", DOSE)
        per_ml = "ml" in said.strength.partition("/")[2]
        drug = find(said.head).drug
        if unit == "ml" and said.site == "injection" and drug and not per_ml:
            yield Doubt("it is not said how much is in a ml", DOSE)

    def ways(self) -> Iterator[Doubt]:
        """The way into the body, of the form."""
        said = self._said
        solid = said.form in _SWALLOWED or self._unit in _SWALLOWED
        swallows = any(listed("swallowing", each) for each in self._keys)
        never = any(one == "not" and two in ("swallow", "take") for one, two in itertools.pairwise(self._keys))
        inhales = said.form == "rotacap" or "inhalation" in self._keys or "inhaled" in self._keys
        outside = listed("outside", said.form)
        oral = "oral" in self._keys or "mouth" in self._keys or said.form == "drops"
        if swallows and not never and ((outside and not oral) or inhales):
            yield Doubt(f"a {said.form or 'medicine to inhale'} is not swallowed", ALL)
        if swallows and not never and self._said.site == "injection":
            yield Doubt("what is injected is not swallowed", ALL)
        tablets = any(item.kind in ("form", "amount") and _counts_tablets(item) for item in self._items)
        if said.steps and said.site == "injection" and tablets:
            yield Doubt("it goes two ways, one after the other", ("site", *DOSE))
        if solid and ("apply" in self._verbs or "inject" in self._verbs):
            yield Doubt(f"a {said.form or self._unit} is neither applied nor injected", ALL)
        if "inject" in self._verbs and self._unit in ("nebule", "puff", "suppository", "patch", "drop", "sachet"):
            yield Doubt(f"a {self._unit} is not injected", ALL)
        if self._unit == "drop" and said.often and said.often.once and "single" in self._keys:
            yield Doubt("a single dose may be the container", ("times", "at"))
        if outside and "mouth" in self._sites and said.form not in ("gel", "drops", "inhaler", "spray"):
            yield Doubt(f"a {said.form} does not go by mouth", ALL)
        weighed = self._unit in MASSES and not outside and said.form not in ("injection", "inhaler", "mouthwash")
        if weighed and set(said.site.split()) & {name for names in _ON.values() for name in names}:
            yield Doubt("what is weighed does not go there", ("site",))  # "200 mg BD, eye screening arranged"
        if solid and said.site not in INSIDE and not any(listed("of_the_mouth", each) for each in said.site.split()):
            yield Doubt(f"a {said.form or self._unit} does not go there", ("site",))  # "eye screening each year"
        sites = {word for each in self._sites for word in each.split()}
        head = {*said.head.casefold().split(), *self._keys[:8]}
        for part, names in _ON.items():
            elsewhere = {each for name in _ON if name != part for each in _ON[name]}
            if head & set(words()["fits"]["parts"][part].split()) and sites & elsewhere and not sites & set(names):
                yield Doubt(f"a medicine for the {part} that goes elsewhere", ALL)
        if "mouth" in self._sites and any(each in ("injection", "under the tongue", "rectal") for each in self._sites):
            yield Doubt("two ways are said", ("site",))

    def figures(self) -> Iterator[Doubt]:
        """Numbers that may be another's: of tablets or milligrams, of one or of the other."""
        said, amount, often = self._said, self._said.amount, self._said.often
        one = _solid(said.strength, said.form)
        if one and amount and amount.unit == one[1] and self._verbs and (4 * amount.high / one[0]) % 1:
            yield Doubt("the dose is no number of tablets of this strength", DOSE)
        bare = amount is not None and any(
            item.kind == "amount" and item.value.low == amount.low and not item.value.unit for item in self._items
        )
        if one and amount and bare and amount.low >= 3 and amount.low / one[0] in (1, 2):
            yield Doubt("the figure may be tablets or the strength", DOSE)
        if bare and not said.strength and self._after_name():
            yield Doubt("the figure may be the strength", DOSE)
        if amount:
            yield from self._count(amount)
        if often and often.low != often.high and often.high > 4 * often.low and not often.upto:
            yield Doubt("the range leaves open how often", WHEN)
        ratio = re.search(r"(?:mg|mcg|g)/[\d.]+ ?(?:mg|mcg|g)\b", said.strength)
        drug = find(said.head).drug if ratio else None
        if drug and len(drug.ingredients) == 1:
            yield Doubt("two strengths are said", ("strength", *DOSE))

    def _after_name(self) -> bool:
        """Whether a figure follows the medicine's name at once: "Glycomet-GP 1 OD"."""
        first = next((each for each in self._items if each.kind == "amount"), None)
        named = first is not None and first.start > 0 and self._tokens[first.start - 1].text in self._said.head.split()
        return named and first is not None and self._tokens[first.start].text.isdigit()

    def _count(self, amount: Amount) -> Iterator[Doubt]:
        """How many, and whether so many can be."""
        most = {"patch": 4, "ring": 1, "implant": 1, "suppository": 2, "pessary": 2}.get(amount.unit, 20)
        if amount.unit not in (*MASSES, "ml", "click", "scoop") and amount.high > most:
            yield Doubt("the figure is large for a count", DOSE)
        if amount.low != amount.high and not amount.upto:
            regular = amount.unit in ("mg", "mcg", "g") and not self._said.as_needed
            if regular or amount.high > 4 * amount.low > 0:
                yield Doubt("the range leaves open how much", (*DOSE, *WHEN))

    def beside(self) -> Iterator[Doubt]:
        """Figures that stand beside others, in brackets or in what is mixed."""
        for before, item in itertools.pairwise(self._items):
            if item.kind == "supply" and before.kind == "amount" and not before.value.unit:
                yield Doubt("two numbers are said of what is taken", DOSE)
            if item.kind == "supply" and before.kind == "amount" and not self._makes(before.value, item):
                yield Doubt("the amount is said twice, and differs", DOSE)
            if item.kind == "often" and before.kind == "supply" and self._keys[before.start] != "(":
                yield Doubt("it may be how often it is given out", WHEN)
            if item.kind == "strength" and "/day" in item.value.text.replace(" ", "") and before.value == "=":
                yield Doubt("it also says how much that is in a day", (*DOSE, *WHEN))
        mixed = [
            self._keys[place] for each in self._items if each.kind == "mix" for place in range(each.start, each.end)
        ]
        if {"litre", "liter", "l"} & set(mixed):
            yield Doubt("how much of what is made is taken is not said", DOSE)
        first = next((each.start for each in self._items if each.kind in ("often", "at", "scheme", "needed")), 0)
        bracketed = [each for each in self._items if each.kind == "supply" and self._keys[each.start] == "("]
        if any(each.start < first and each.end == each.start + 3 for each in bracketed):
            yield Doubt("it is not clear what a number in brackets counts", DOSE)
        for place, (one, two) in enumerate(itertools.pairwise(self._tokens)):
            after = self._keys[place + 2] if place + 2 < len(self._keys) else ""
            figures = one.kind == two.kind == "NUM" and one.text.isdigit() and two.text.replace(".", "", 1).isdigit()
            if figures and (after in ("mg", "mcg", "g", "ml") or two.text.startswith("0")):
                yield Doubt("two figures stand beside each other", DOSE)
            half = one.text == "1/2" and one.kind == "FRAC" and not self._mixed(place)
            if half and two.key in ("tabs", "tablets", "caps", "capsules"):
                yield Doubt("1/2 may be a half, or 1 or 2", DOSE)

    def _makes(self, amount: Amount, given: TextItem) -> bool:
        """Whether a number in brackets after a mass is that mass of tablets, as far as their strength is known."""
        one = _solid(self._said.strength, self._said.form)
        counts = [float(each.value) for each in self._tokens[given.start : given.end] if each.kind == "NUM"]
        if not one or amount.unit != one[1] or len(counts) != 1:
            return True
        return abs(amount.low - counts[0] * one[0]) < 1e-6

    def parts(self) -> Iterator[Doubt]:
        """Parts of what is not divided."""
        amount = self._said.amount
        whole = ("nebule", "capsule", "puff", "suppository", "ampoule", "pessary")
        if amount and amount.low % 1 and amount.unit in whole:
            yield Doubt(f"a part of a {amount.unit}", DOSE)

    def _mixed(self, place: int) -> bool:
        """Whether a fraction follows a number: "1 and 1/2"."""
        joined = place > 1 and self._keys[place - 1] in ("and", "&")
        before = self._tokens[place - (2 if joined else 1)] if place else None
        return before is not None and (before.kind == "NUM" or before.key in ("one", "two", "three", "four"))

    def limits(self) -> Iterator[Doubt]:
        """The most, and the least time between, of what is taken."""
        said, most, often = self._said, self._said.most, self._said.often
        ranged = often is not None and often.low != often.high and not often.upto
        if ranged and not most and not said.gap_hours:
            yield Doubt("it leaves open how often, and says no most", ("times", "max"))
        if most:
            yield from self._most(most)
        if said.gap_hours and often and often.every and often.period == "hour" and often.high < said.gap_hours:
            yield Doubt("it is taken more often than the least gap", (*WHEN, *LIMITS))
        if not said.gap_hours and not said.steps and self._repeats():
            yield Doubt("something is said of a further dose, and it was not read", (*LIMITS, "times", "steps"))
        for item in self._items:
            hours = item.value[0] if item.kind == "gap" and isinstance(item.value, tuple) else None
            told = any(listed("may", each) for each in self._keys)
            if hours is not None and (float(hours) <= 1 or not told):
                yield Doubt("it is not clear how often it is repeated", ("gap_hours", "max"))

    def _repeats(self) -> bool:
        """Whether some hours are said of a further dose: "repeat after 6 hours"."""
        hours = set(entries_of("HOUR"))
        for place, key in enumerate(self._keys):
            near = self._keys[place + 1 : place + 7]
            if listed("once_more", key) and hours & set(near):
                return True
        return False

    def _most(self, most: Most) -> Iterator[Doubt]:
        said, often, amount = self._said, self._said.often, self._said.amount
        daily = often if often and often.period == "day" and not often.every and most.hours == 24 else None
        one = _solid(said.strength, said.form)
        counts = amount is not None and said.as_needed and most.unit in (amount.unit, "") and most.unit != "dose"
        if amount and counts and most.amount < 2 * amount.high and most.amount not in (amount.low, amount.high):
            yield Doubt("the most fits no number of doses", (*DOSE, *LIMITS))
        if amount and daily:
            least = (daily.high if daily.upto else daily.low) * amount.low
            counted = most.unit in (amount.unit, "") and most.unit != "dose" and (daily.upto or not said.as_needed)
            massed = one is not None and most.unit == one[1] and least * one[0] > most.amount
            if massed or (counted and least > most.amount):
                yield Doubt("more is taken in a day than the most", (*DOSE, *WHEN, *LIMITS))
        if daily and most.unit in ("dose", "") and daily.low > most.amount and not (most.unit and said.as_needed):
            yield Doubt("it is taken more often than the most", (*WHEN, *LIMITS))
        if amount and 1 <= most.hours < 12 and most.amount > amount.high and not said.gap_hours:
            yield Doubt("the most is said for a few hours", LIMITS)

    def times(self) -> Iterator[Doubt]:
        """Times beside each other with nothing between them, and before and after a meal at once."""
        at = [(place, each) for place, each in enumerate(self._items) if each.kind == "at"]
        for (first, one), (second, two) in itertools.pairwise(at):
            meals = bool((set(one.value) | set(two.value)) & set(MEALS))
            if second == first + 1 and not meals and not _restates(one, two):
                yield Doubt("two times of day stand there, and nothing between them", WHEN)
            dash = (
                second == first + 2
                and self._items[first + 1].kind == "mark"
                and self._items[first + 1].value in ("-", "/")
            )
            if dash and not meals:
                yield Doubt("it is not clear whether it is from one time to the other", WHEN)
        for (first, one), (second, two) in itertools.pairwise(at):
            between = {str(each.value) for each in self._items[first + 1 : second]}
            slots, others = set(one.value) - set(MEALS), set(two.value) - set(MEALS)
            meal = set(two.value) & set(MEALS) and not set(one.value) & set(MEALS)
            if meal and slots and others - slots and between <= {"(", ",", "-"}:
                yield Doubt("it is not clear whether both times are meant", WHEN)
        hours = [self._tokens[each.start].text.casefold() for _, each in at if self._tokens[each.start].kind == "CLOCK"]
        early = [each for each in hours if re.fullmatch(r"[1-4] ?am", each)]
        if early and all(re.fullmatch(r"[1-4] ?[ap]m", each) for each in hours):
            yield Doubt(f"it is not clear whether {early[0]!r} is an hour or how many are taken", (*DOSE, *WHEN))
        if {"before food", "after food"} <= set(self._said.at):
            yield Doubt("before and after food", ("at",))
        other = any(
            each.kind == "often" and {"alternate", "alt", "every", "eod"} & set(self._keys[each.start : each.end])
            for each in self._items
        )
        every = any(self._keys[each.start] in ("every", "each") for _, each in at)
        if other and every and self._said.often and (self._said.often.every, self._said.often.low) == (True, 2):
            yield Doubt("every day, and every other day", WHEN)
        lengths = [each for each in self._items if each.kind == "length"]
        dosed = min(
            (
                each.start
                for each in self._items
                if each.kind in ("scheme", "often", "at", "needed")
                or (each.kind == "amount" and each.value.unit not in MASSES)
            ),
            default=0,
        )
        if any(each.start < dosed for each in lengths) or (lengths and not dosed and not self._said.says_when):
            yield Doubt("a length stands before what is taken", LENGTH)

    def parts_of_day(self) -> Iterator[Doubt]:
        """A part of the day and an hour within it, said apart: it may be one time ("at night, dissolved, 21:00")."""
        hours = [int(each[:2]) for each in self._said.at if each[:2].isdigit()]
        for part in self._said.at:
            if any(hour in _PARTS.get(part, ()) for hour in hours):
                yield Doubt(f"{part} and an hour of it may be one time", (*WHEN, *DOSE))

    def needed(self) -> Iterator[Doubt]:
        """Whether it is taken as needed, or anyway."""
        said = self._said
        regular = any(each in ("regularly", "regular") for each in self._keys)
        if said.as_needed and regular:
            yield Doubt("as needed, and regularly", ("as_needed", *WHEN))
        before = {"exercise", "exercising", "sport", "activity"} & set(self._keys)
        if said.as_needed and before and not {"sexual", "prn", "needed", "required"} & set(self._keys):
            yield Doubt("it does not say whether it is taken only then", ("as_needed", "times"))
        onset = (
            any(one == "first" and two == "sign" for one, two in itertools.pairwise(self._keys))
            or "onset" in self._keys
        )
        if said.as_needed and said.days and onset:
            yield Doubt("at the onset, and for days", ("as_needed",))
        complains = any(one == "for" and complaint(two) for one, two in itertools.pairwise(self._keys))
        measured = any(each in ("<", ">") for each in self._keys) or any(
            one == "for" and two in ("fever", "temp", "temperature") for one, two in itertools.pairwise(self._keys)
        )
        upto = said.often is not None and said.often.upto
        if not said.as_needed and not said.steps and complains and (said.most or measured or upto or not said.often):
            yield Doubt("it does not say whether it is taken only when needed", ("as_needed",))

    def names(self) -> Iterator[Doubt]:
        """Two medicines where one is named."""
        for one, two in re.findall(r"([^\W\d_]{4,})(?: / | or )([^\W\d_]{4,})", self._said.text):
            first, second = find(one).drug, find(two).drug
            if first and second and first.ingredients != second.ingredients:
                yield Doubt("two medicines are named", ALL)


def _counts_tablets(item: TextItem) -> bool:
    return (item.value.unit if item.kind == "amount" else item.value) in _SWALLOWED


def _restates(one: TextItem, two: TextItem) -> bool:
    """Whether one says the other again, or a clock says what time it is: "in the morning 08:00"."""
    return bool(set(one.value) & set(two.value)) or any(":" in each for each in (*one.value, *two.value))


def _solid(strength: str, form: str) -> tuple[float, str] | None:
    """What one tablet or capsule has; None where it is no single figure."""
    return mass_of(strength) if form in _SWALLOWED else None

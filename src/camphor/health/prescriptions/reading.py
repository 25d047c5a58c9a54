"""Phrases put together to directions; what does not fit together, or is not explained, becomes a doubt."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from camphor.health.prescriptions.courses import Course
from camphor.health.prescriptions.directions import ALL, DOSE, LENGTH, LIMITS, WHEN, Directions, Doubt
from camphor.health.prescriptions.drugs import find
from camphor.health.prescriptions.fitting import misfits
from camphor.health.prescriptions.lexing import WORD, listed, tokens
from camphor.health.prescriptions.meanings import IN_MG, MASSES, Amount, Most, Strength, mass_of
from camphor.health.prescriptions.phrases import in_lexicon
from camphor.health.prescriptions.remarks import without_remarks
from camphor.health.prescriptions.scanning import (
    Item,
    clauses,
    harmless,
    is_drug,
    near_dosing,
    near_number,
    of_dosing,
    scan,
    significant,
    small,
)

_ON_SKIN = ("cream", "ointment", "gel", "lotion", "foam", "paste", "powder", "shampoo")
_UNIT_OF = {
    "tablet": "tablet",
    "capsule": "capsule",
    "inhaler": "puff",
    "spray": "spray",
    "drops": "drop",
    "patch": "patch",
    "sachet": "sachet",
    "suppository": "suppository",
    "pessary": "pessary",
    "nebule": "nebule",
    "lozenge": "lozenge",
    "wafer": "wafer",
    "injection": "injection",
    "puff": "puff",
    "drop": "drop",
    "film": "film",
    "ring": "ring",
    "enema": "enema",
    "rotacap": "capsule",
    "pastille": "pastille",
    "implant": "implant",
    "ampoule": "ampoule",
    "vial": "vial",
    "blister": "blister",
    "application": "application",
}
_SITE_OF = {"inhale": "inhaled", "inject": "injection", "apply": "skin"}
_SITE_FROM = {
    "puff": "inhaled",
    "nebule": "inhaled",
    "suppository": "rectal",
    "enema": "rectal",
    "pessary": "vaginal",
    "patch": "skin",
    "injection": "injection",
    "inhaler": "inhaled",
    "rotacap": "inhaled",
}
_DOSING = frozenset(
    {
        "often",
        "at",
        "scheme",
        "needed",
        "length",
        "weekdays",
        "daynumber",
        "stop",
        "most",
        "gap",
        "then",
        "end",
        "directed",
        "goon",
    }
)
_INSIDE = ("", "injection", "inhaled", "rectal", "vaginal", "under the tongue", "on the tongue")
_SIDED = ("eye", "eyes", "ear", "ears", "nostril", "nostrils")
_MASS_LIKE = frozenset({"strength", "supply", "form"})


class Reader:
    """Reads one text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.items = scan(self.tokens)
        self.doubts: list[Doubt] = []
        self.read_: dict[str, str] = {}
        self.strengths: list[str] = []
        self.masses: list[tuple[Amount, Item]] = []
        self.products: list[Amount] = []
        self.forms: list[str] = []
        self.verbs: list[str] = []
        self.sites: list[str] = []
        self.head = ""

    def read(self) -> Directions:
        if not self.items:
            return Directions(self.text, doubts=(Doubt("nothing is written there", ALL),))
        start = self._head()
        body = self._products(without_remarks(self.items[start:], self.tokens))
        body = self._without_supply(body)
        self._residue(body)
        return self._assembled(body)

    # the name, the strength and the form

    def _head(self) -> int:
        """Takes the name, strength and form before the directions; returns where those begin."""
        named, place, words = False, 0, []
        while place < len(self.items):
            item = self.items[place]
            if item.kind == "word" and not (small(str(item.value)) and not named and not is_drug(str(item.value))):
                if significant(str(item.value)) and not (named and listed("after_names", str(item.value))):
                    break
                named = True
                words.append(self._said(item))
                glued = item.start and self.tokens[item.start].tight and self.tokens[item.start - 1].kind == "NUM"
                if glued and not is_drug(str(item.value)):
                    self.doubts.append(Doubt(f"{self._said(item)!r} was not understood", ALL))
                if near_number(str(item.value)) and not listed("after_names", str(item.value)):
                    self.doubts.append(Doubt(f"{self._said(item)!r} was not understood", ALL, confirms=True))
            elif item.kind in _MASS_LIKE:
                if item.kind == "supply" and not named:
                    break
                self._product(item)
            elif item.kind == "amount" and named and self.tokens[item.start].text == "I" and item.end == item.start + 1:
                words.append("I")  # Humulin I
            elif item.kind == "amount" and named and self._is_head_figure(item, place):
                self._head_figure(item)
            elif item.kind == "unsure" and named:
                self._unsure(item, ("strength", *DOSE))
            elif item.kind == "site" and str(item.value) in ("eye", "ear", "nostril", "nose", "mouth") and named:
                self.sites.append(str(item.value))
            elif item.kind != "mark" and not (item.kind == "word" and (named or self._names_next(place))):
                break
            place += 1
        if place == len(self.items) and not self.masses and not self.strengths and not named:
            place = 0
        self.head = " ".join(words)
        return place

    def _names_next(self, place: int) -> bool:
        """Whether a medicine's name follows: "T. Metformin"; "co" is the beginning of one."""
        if self.items[place].value == "co":
            return False
        rest = [each for each in self.items[place + 1 :] if each.kind != "mark"][:1]
        return bool(rest) and rest[0].kind == "word" and is_drug(str(rest[0].value))

    def _is_head_figure(self, item: Item, place: int) -> bool:
        amount: Amount = item.value
        if amount.unit and amount.unit not in (*MASSES, "ml") and amount.low >= 1000:
            return True
        rest = [each for each in self.items[place + 1 :] if each.kind != "mark"]
        if amount.unit in MASSES and amount.high > 10 * amount.low > 0 and any(each.kind == "amount" for each in rest):
            return True  # "oxycodone-acetaminophen 5-325 mg"
        if amount.unit in MASSES and amount.low == amount.high:
            beside = place + 1 < len(self.items) and self.items[place + 1].kind in (*_DOSING - {"scheme"}, "site")
            return not beside
        if amount.unit or any(
            not each.text[0].isdigit() or each.kind != "NUM" for each in self.tokens[item.start : item.end]
        ):
            return False
        before = [each for each in self.items[:place] if each.kind != "mark"]
        followed = bool(rest) and rest[0].kind in ("amount", "scheme", "form", "verb", "strength", "word")
        own = bool(before) and before[-1].kind == "word" and self.items[place - 1].kind == "word"
        more = any(each.kind in ("amount", "scheme") for each in rest)
        return followed and own and (more or rest[0].kind == "form")

    def _head_figure(self, item: Item) -> None:
        if item.value.unit and item.value.unit not in MASSES:
            self.strengths.append(f"{item.value.low:.9g} unit")
            self.forms.append(item.value.unit)
        elif item.value.unit and item.value.low == item.value.high:
            self.masses.append((item.value, item))
        else:
            self.strengths.append(self._said(item))

    def _product(self, item: Item) -> None:
        if item.kind == "strength":
            value: Strength = item.value
            self.strengths.append(value.text)
            if value.form:
                self.forms.append(value.form)
            if value.amount:
                self.products.append(value.amount)
        elif item.kind == "form":
            self.forms.append(str(item.value))
        elif item.kind == "amount":
            self.strengths.append(self._said(item))

    def _products(self, body: Sequence[Item]) -> list[Item]:
        """Without what names the product after the directions: "Take 1 daily. Furosemide 20 mg"."""
        left: list[Item] = []
        for clause in clauses(body, lambda each: each.kind == "mark" and str(each.value) in ".\n;"):
            kinds = {each.kind for each in clause}
            strange = any(each.kind == "word" and significant(str(each.value)) for each in clause)
            named = not strange and any(each.kind == "word" and is_drug(str(each.value)) for each in clause)
            plain = kinds <= {"word", "mark", "strength", "form", "supply", "amount"} and len(clause) > 1
            figures = [each for each in clause if each.kind == "amount"]
            masses = all(each.value.unit in MASSES for each in figures)
            if named and plain and masses and not self.head:
                self.head = " ".join(self._said(each) for each in clause if each.kind == "word")
                for each in clause:
                    if each.kind == "amount":
                        self.strengths.append(self._said(each))
                    else:
                        self._product(each)
            else:
                left.extend([*clause, Item("mark", ".", clause[-1].end, clause[-1].end)])
        return left

    def _without_supply(self, body: Sequence[Item]) -> list[Item]:
        """Without a count alone after the dose and when it is taken: how many were given out, "15 tabs" or "28"."""
        segments = clauses(body, lambda each: each.kind == "mark" and str(each.value) in ".,;()\n-")
        dosed = amounts = False
        for number, segment in enumerate(segments):
            told = [
                each for each in segment if each.kind not in ("mark", "word", "form", "strength", "remark", "advice")
            ]
            later = [each for other in segments[number + 1 :] for each in other]
            last = not any(each.kind in (*_DOSING, "amount", "verb") for each in later)
            given = told[-1] if told and told[-1].kind == "amount" else None
            if given and last and len(told) == 1 and dosed and amounts:
                amount: Amount = given.value
                units = {each.value.unit for each in body if each.kind == "amount" and each is not given}
                units |= {_UNIT_OF.get(each, each) for each in self.forms}
                same = not amount.unit or amount.unit in units
                counted = amount.unit not in (*MASSES, "ml") and same
                packed = any(amount.low % each == 0 for each in (5, 6, 7, 8))
                if amount.low == amount.high >= 5 and packed and counted:
                    return [each for each in body if each is not given]
            dosed = dosed or any(each.kind in ("often", "at", "scheme") for each in segment)
            amounts = amounts or any(each.kind in ("amount", "scheme") for each in segment)
        return list(body)

    # what nothing explains

    def _residue(self, body: Sequence[Item]) -> None:
        for clause in clauses(body, lambda each: each.kind == "mark" and str(each.value) in ".,;:()\n-"):
            dosing = any(each.kind in _DOSING or each.kind == "amount" for each in clause)
            told = False  # after "for", "if needed": what it is for
            for place, item in enumerate(clause):
                if item.kind == "word":
                    self._word(item, dosing, told, place)
                told = (
                    told
                    or item.kind in ("needed", "advice")
                    or (item.kind == "word" and item.value in ("for", "to", "post"))
                )
                if item.kind in ("figure", "unsure"):
                    self._unsure(item, ALL if item.kind == "figure" else (*DOSE, "times", "at", "for_days", "max"))
                elif item.kind == "unclear":
                    self.doubts.append(Doubt(str(item.value), ALL))
                elif item.kind == "advice":
                    self._advice(item)

    def _word(self, item: Item, dosing: bool, told: bool, place: int) -> None:
        word = str(item.value)
        if any(each.isdigit() for each in word):
            if not is_drug(word):
                self._unsure(item, ALL)
            return
        patch = "patch" in self.forms or any(each.key in ("patch", "patches") for each in self.tokens)
        if patch and word in ("change", "changed", "replace", "replaced"):
            return
        if significant(word):
            if not small(word) and not (told and word == "or"):
                self.doubts.append(Doubt(f"{self._said(item)!r} may change what is taken", ALL, confirms=True))
        elif near_dosing(word) or not (small(word) or is_drug(word) or told or (harmless(word) and not dosing)):
            why = f"{self._said(item)!r} was not understood"
            self.doubts.append(Doubt(why, ALL, confirms=True))

    def _advice(self, item: Item) -> None:
        for token in self.tokens[item.start : item.end]:
            if token.kind == "UNSURE":
                self.doubts.append(Doubt(f"{token.text!r} cannot be read for certain", ALL))

    def _unsure(self, item: Item, fields: tuple[str, ...]) -> None:
        said = self._said(item)
        why = (
            f"{said!r} cannot be read for certain" if item.kind == "unsure" else f"it is not clear what {said!r} counts"
        )
        self.doubts.append(Doubt(why, fields, _candidates(said, self._after(item))))

    def _after(self, item: Item) -> str:
        rest = self.tokens[item.end : item.end + 1]
        return rest[0].text if rest and rest[0].kind == WORD else ""

    def _said(self, item: Item) -> str:
        return " ".join(each.text for each in self.tokens[item.start : item.end] if each.text != "\n")

    def _place(self, item: Item) -> str:
        """A place in the words that were said, less those before it: "left ear", "upper arm"."""
        said = [each.key for each in self.tokens[item.start : item.end]]
        while len(said) > 1 and listed("before_places", said[0]):
            said.pop(0)
        sides = {"l": "left", "lt": "left", "r": "right", "rt": "right"}
        return " ".join(sides.get(each, each) for each in said if each not in ("the", "your", "(", ")"))

    def _note(self, name: str, item: Item) -> None:
        said = self._said(item)
        self.read_[name] = f"{self.read_[name]} {said}" if name in self.read_ else said

    # all together

    def _assembled(self, body: Sequence[Item]) -> Directions:
        course = Course(self._said, self.tokens)
        found: dict[str, Any] = {"needed": False, "goon": False, "stop": [], "directed": False, "repeats": False}
        most: list[Most] = []
        gaps: list[float] = []
        loose: list[Item] = []
        for place, item in enumerate(body):
            self._note(item.kind, item)
            if item.kind in ("needed", "goon", "directed"):
                found[item.kind] = found[item.kind] or not (item.kind == "goon" and self._until(body[place + 1 :]))
                if item.kind == "needed" and self._beside(body, place):
                    self.doubts.append(Doubt("it is not clear what of it is taken as needed", (*LIMITS, *WHEN, *DOSE)))
                if item.kind == "needed" and self._other_instruction(body, place):
                    self.doubts.append(Doubt("it is not clear what is done then", ALL))
                if item.kind == "needed":
                    course.needed(body[place - 1].kind == "mark" if place else True)
            elif item.kind == "stop":
                found["stop"].append(item)
                if self._said(item).casefold().replace(" ", "") in ("d/c", "dc", "d/cd"):
                    self.doubts.append(Doubt("'D/C' may be to stop, or from hospital", ALL))
            elif item.kind == "most":
                value = item.value
                most.append(value[0] if isinstance(value, tuple) else value)
            elif item.kind == "gap":
                repeats = isinstance(item.value, tuple)
                gaps.append(float(item.value[0] if repeats else item.value))
                found["repeats"] = found["repeats"] or repeats
            elif item.kind == "verb":
                self.verbs.append(str(item.value))
            elif item.kind == "site":
                if self._is_place(item, body, place):
                    self.sites.append(str(item.value) or self._place(item))
            elif item.kind == "form":
                loose.append(item)
            elif item.kind in _MASS_LIKE or self._names_product(item, body, place):
                self._product(item)
            elif (
                item.kind == "then"
                and (self._said(item).casefold() == "thereafter" or _is_remark(body[place + 1 :]))
                and not _goes_on(body[place + 1 :])
            ):
                continue
            elif item.kind in course.KINDS:
                course.add(item, body, place)
        masses_ = any(each.amount and each.amount.unit in MASSES for each in course.doses)
        if loose and masses_ and not self.strengths and any(str(each.value) in ("tablet", "capsule") for each in loose):
            self.doubts.append(Doubt("it is not said how many are taken", DOSE))
        if loose and course.bare:
            self.doubts.append(
                Doubt("it is not said what the number counts", ("unit",), tuple(str(each.value) for each in loose))
            )
        if len(found["stop"]) == 1 and course.says_length and self._ends(body):
            found["stop"] = []  # "od for 1 week, stop"
        if found["stop"]:
            return self._stopped(course, found, most)
        self._two_medicines(body)
        return self._whole(course, found, most, gaps)

    def _other_instruction(self, body: Sequence[Item], place: int) -> bool:
        """Whether "if ..." opens another instruction after the dose: "1 daily. If vomiting, take at night"."""
        opens = (
            place > 0
            and body[place - 1].kind == "mark"
            and self._said(body[place]).casefold().startswith(("if", "when"))
        )
        dosed = any(each.kind in ("often", "at", "scheme") for each in body[:place])
        return (
            opens
            and dosed
            and any(each.kind in ("verb", "at", "often", "amount") for each in body[place + 1 : place + 4])
        )

    def _beside(self, body: Sequence[Item], place: int) -> bool:
        """Whether "as needed" is joined to what is taken anyway: "and as needed", "then as needed"."""
        before = [each for each in body[:place] if each.kind != "mark"][-1:]
        dosing = any(each.kind in ("often", "at", "scheme") for each in body[:place])
        joins = ("and", "&", "plus", "also", "+", "/")
        said = bool(before) and (before[0].kind == "then" or (before[0].kind == "word" and before[0].value in joins))
        return dosing and (
            said or (place > 0 and body[place - 1].kind == "mark" and body[place - 1].value in ("&", "+", "/"))
        )

    def _is_place(self, item: Item, body: Sequence[Item], place: int) -> bool:
        """Whether it is where the medicine goes, not what it is for: "as needed for knee pain"."""
        if item.value:
            return not (place and body[place - 1].kind == "word" and body[place - 1].value == "with")  # "with INH"
        before: list[Item] = []
        for each in reversed(body[:place]):
            if each.kind == "mark" and str(each.value) in ".;\n()":
                break
            before.append(each)
        opened = place > 0 and body[place - 1].kind == "mark" and body[place - 1].value == "("
        bare = str(self.tokens[item.start].key) == "back" and item.end == item.start + 1
        if bare:
            return False  # "dandruff coming back"
        side = self._place(item).split()[0] in ("left", "right", "both", "each")
        if opened and not side and not listed("before_places", self.tokens[item.start].key):
            return False
        words_ = [str(each.value) for each in before if each.kind == "word"]
        if "for" in words_ or any(each.kind in ("needed", "advice") for each in before):
            return self.tokens[item.start].kind == WORD and listed("before_places", self.tokens[item.start].key)
        return True

    def _until(self, rest: Sequence[Item]) -> bool:
        return bool(rest) and self._said(rest[0]).casefold().startswith(("until", "till", "for "))

    def _names_product(self, item: Item, body: Sequence[Item], place: int) -> bool:
        """Whether a mass is the strength beside a medicine's name: "half a tablet of bisoprolol 5 mg"."""
        counted = any(each.kind == "amount" and each.value.unit not in ("", *MASSES, "ml") for each in body)
        mass = item.kind == "amount" and item.value.unit in MASSES and counted
        return mass and place > 0 and body[place - 1].kind == "word" and is_drug(str(body[place - 1].value))

    def _ends(self, body: Sequence[Item]) -> bool:
        """Whether the last words say that a course ends: "for 5 days, stop"."""
        last = [each for each in body if each.kind != "mark"][-1]
        place = body.index(last)
        said = self._said(last).casefold() in ("stop", "cease", "stopped")
        return last.kind == "stop" and said and place > 0 and body[place - 1].kind == "mark"

    def _stopped(self, course: Course, found: dict[str, Any], most: Sequence[Most]) -> Directions:
        after = [each for each in self.items if each.start >= found["stop"][-1].end]
        later = any(
            each.kind in ("often", "scheme", "at") or (each.kind == "amount" and each.value.unit not in MASSES)
            for each in after
        )
        taken = (
            self.verbs or found["needed"] or len(course.doses) > 1 or any(each.days or each.at for each in course.doses)
        )
        told = [*found["stop"], *(each for each in self.items if each.kind == "advice")]
        stops = {place for each in told for place in range(each.start, each.end)}
        others = {token.key for place, token in enumerate(self.tokens) if place not in stops}
        unsure = any(token.kind == "UNSURE" for token in self.tokens)
        names = {tuple(drug.ingredients) for each in self.tokens if len(each.key) > 3 and (drug := find(each.key).drug)}
        before = [each for each in self.items if each.end <= found["stop"][0].start]
        whole = any(each.kind == "amount" for each in before) and any(each.kind in _DOSING for each in before)
        taken = taken or whole
        first = all(
            each.kind in ("mark", "word", "form", "strength")
            for each in self.items
            if each.end <= found["stop"][0].start
        )
        ends = next((each.start for each in after if each.kind == "mark" and str(each.value) in ".;"), len(self.tokens))
        later = later and not (
            first and all(each.start < ends for each in after if each.kind in ("often", "scheme", "at", "amount"))
        )
        if first and not self.verbs and not whole:
            taken = found["needed"] or any(each.days for each in course.doses)
        more = (
            len(names) > 1
            or found["goon"]
            or later
            or most
            or taken
            or unsure
            or any(listed("more_than_stop", each) for each in others)
        )
        doubts = [Doubt("it says to stop, and more than that", ALL)] if more else []
        doubts += [each for each in self.doubts if "'D/C'" in each.why]
        read = {"stop": " ".join(self._said(each) for each in found["stop"]), **self.read_}
        return Directions(self.text, stop=True, head=self._name(), read=read, doubts=tuple(doubts))

    def _whole(self, course: Course, found: dict[str, Any], most: Sequence[Most], gaps: Sequence[float]) -> Directions:
        form = self.forms[0] if self.forms else ""
        if form in _ON_SKIN:  # grams are the size of the tube
            self.masses = [each for each in self.masses if each[0].unit not in ("g", "ml")]
        masses = {each.amount.unit for each in course.doses if each.amount} & set(MASSES)
        if self.masses and masses and not (self.verbs and self._is_apart(self.masses[0][1])):
            self.doubts.append(Doubt("it is not clear which is the strength and which is taken", ALL))
        apart = bool(self.masses) and self._is_apart(self.masses[0][1])
        apart = apart or not self._leads_to_dosing()
        alone = course.says_amount or self.masses or len(self.products) != 1 or apart
        if not alone and self.forms[:1] != ["patch"] and self.forms[:1] != ["drops"]:
            course.first_amount(self.products[0])  # "500 mg tab bd"
            self.read_["amount"] = self.strengths[0]
        elif len(self.masses) == 1 and not course.says_amount and not apart:
            course.first_amount(self.masses[0][0])
            self.read_["amount"] = self._said(self.masses[0][1])
        else:
            self.strengths = [self._said(item) for _, item in self.masses] + self.strengths
            if len(self.masses) > 1 and not course.says_amount:
                self.doubts.append(Doubt("it is not clear which of these is taken", ALL, tuple(self.strengths)))
        if form in ("inhaler", "injection") and course.bare:
            self.doubts.append(Doubt("it is not said what the number counts", ("unit",), (_UNIT_OF[form],)))
        for mass, _ in self.masses if course.says_amount else ():
            for dose in course.doses:
                if dose.amount and dose.amount.unit == "ml" and any("/" in each for each in self.strengths):
                    course.total(dose.amount, mass)
        beside = [each.amount.strength for each in course.doses if each.amount and each.amount.strength]
        self.strengths.extend(each for each in dict.fromkeys(beside) if each not in self.strengths)
        if not self.strengths and course.said_strength:
            self.strengths.append(course.said_strength)
        course.units(_UNIT_OF.get(form, ""), self.strengths[0] if self.strengths else "")
        made = course.made(self.text)
        self.doubts.extend(course.doubts)
        site = self._site(form, made.amount.unit if made.amount else "")
        if course.doses_daily and not most:
            most = [Most(course.doses_daily, "dose", 24.0)]
        limit = self._limit(most, made)
        stops = any(
            each.kind == "length" and self.tokens[each.end - 1].key in ("stop", "off", "nil") for each in self.items
        )
        if (course.ended or stops) and found["goon"]:
            self.doubts.append(Doubt("it ends, and it goes on", ALL))
        if limit and made.amount and not made.amount.unit and limit.unit not in ("", "dose", *MASSES):
            made = replace(made, amount=replace(made.amount, unit=limit.unit))
        gap = self._gap(gaps)
        result = Directions(
            self.text,
            amount=made.amount,
            by_time=made.by_time,
            often=made.often,
            at=made.at,
            weekdays=made.weekdays,
            as_needed=found["needed"],
            most=limit,
            gap_hours=gap,
            days=made.days,
            ongoing=found["goon"],
            steps=made.steps,
            site=site,
            by_mouth="mouth" in self.sites,
            strength=self.strengths[0] if self.strengths else "",
            form=form,
            head=self._name(),
            directed=found["directed"],
            read={**self.read_, **made.read},
        )
        if found["repeats"] and not (found["needed"] or limit):
            self.doubts.append(Doubt("it is not clear whether, and how often, it is repeated", (*LIMITS, *WHEN)))
        if course.amount_last and masses and _alone(self.strengths) and not self.verbs:
            self.doubts.append(Doubt("it is not clear which is the strength and which is taken", ALL))
        if _differ(self.strengths):
            self.doubts.append(Doubt("two strengths are said", ("strength", *DOSE, *WHEN), tuple(self.strengths)))
        self._missing(result)
        self._fitting(result)
        return Directions(
            **{**vars(result), "doubts": tuple(dict.fromkeys(_whole(each, result) for each in self.doubts))}
        )

    def _leads_to_dosing(self) -> bool:
        """Whether nothing but form and way stand between the strength and how often: "500 mg tab bd", not "T bd"."""
        masses = [item for item in self.items if item.kind in ("amount", "strength")]
        if not masses:
            return True
        for each in self.items:
            if each.start < masses[0].end:
                continue
            if each.kind in _DOSING:
                return True
            if self.products and each.kind not in ("site", "form"):
                return False
            if each.kind == "word" and not (small(str(each.value)) or is_drug(str(each.value))):
                return False
        return False

    def _is_apart(self, item: Item) -> bool:
        """Whether a sentence with a verb of its own follows the strength: "4 mg nasal. Spray once"."""
        rest = [each for each in self.items if each.start >= item.end]
        ended = next(
            (place for place, each in enumerate(rest) if each.kind == "mark" and str(each.value) in ".\n"), None
        )
        return ended is not None and any(each.kind in ("verb", "form") for each in rest[ended:])

    def _name(self) -> str:
        return self.head

    def _limit(self, most: Sequence[Most], made: Directions) -> Most | None:
        if not most:
            return None
        amount = made.amount or next((each.amount for each in made.steps if each.amount), None)
        told = [
            Most(each.amount, each.unit or (amount.unit if amount else self._form_unit()), each.hours or self._day())
            for each in most
        ]
        first = told[0]
        if any(each != first for each in told[1:]):
            self.doubts.append(Doubt("two limits are said", LIMITS))
        if not first.hours:
            shown = f"{first.amount:.9g} {first.unit} in 24 hours".replace("  ", " ")
            self.doubts.append(Doubt("it does not say in how long the most is", ("max",), (shown,)))
            first = Most(first.amount, first.unit, 24.0)
        if amount and amount.unit == first.unit and first.amount < amount.high and first.unit != "dose":
            self.doubts.append(Doubt("the most is less than one dose", (*DOSE, *LIMITS)))
        return first

    def _form_unit(self) -> str:
        return _UNIT_OF.get(self.forms[0], "") if self.forms else ""

    def _day(self) -> float:
        said = self.read_.get("most", "").casefold()
        return 24.0 if "daily" in said or "mdd" in said or "day" in said else 0.0

    def _gap(self, gaps: Sequence[float]) -> float | None:
        if len(set(gaps)) > 1:
            self.doubts.append(Doubt("two least gaps are said", LIMITS))
        return gaps[0] if gaps else None

    def _site(self, form: str, unit: str) -> str:
        exact = [each for each in self.sites if each not in ("mouth", "on the tongue", "tongue")]
        sided = {each for each in exact if each.split()[-1] in _SIDED and " " in each}
        if len(sided) > 1:
            self.doubts.append(Doubt("two places are said", ("site",)))
        inside = [*sided, *(each for each in exact if each in ("injection", "rectal", "vaginal", "under the tongue"))]
        if inside:
            return inside[0]
        if "inject" in self.verbs or "injection" in (unit, form):
            return "injection"
        if exact and unit not in ("suppository", "enema", "pessary"):
            return " ".join(dict.fromkeys(exact))
        if unit in ("suppository", "enema", "pessary"):
            return _SITE_FROM[unit]
        verb = next((_SITE_OF[each] for each in self.verbs if each in _SITE_OF), "")
        return verb or _SITE_FROM.get(form, "") or _SITE_FROM.get(unit, "") or ("skin" if form in _ON_SKIN else "")

    def _two_medicines(self, body: Sequence[Item]) -> None:
        """Doubts all where the name of another medicine stands among the directions."""
        if not self.head:
            return
        known = {each for word in self.head.split() if (drug := find(word).drug) for each in drug.ingredients}
        for each in body:
            drug = find(str(each.value)).drug if each.kind == "word" and is_drug(str(each.value)) else None
            if drug and not set(drug.ingredients) & known and str(each.value) not in self.head.casefold():
                self.doubts.append(Doubt(f"{self._said(each)!r} is another medicine", ALL, confirms=True))

    def _strange(self) -> None:
        """Doubts all of a text of which much is not English."""
        told = [each.key for each in self.tokens if each.kind == WORD and len(each.key) > 3]
        strange = [
            each for each in told if not (harmless(each) or of_dosing(each) or significant(each) or is_drug(each))
        ]
        strange = [each for each in strange if each not in self.head.casefold().split() and not in_lexicon(each)]
        if len(strange) >= 4 and len(strange) > 0.5 * len(told):
            self.doubts.append(Doubt("much of it was not understood", ALL))

    def _missing(self, said: Directions) -> None:
        self._strange()
        on_skin = any(each not in (*_INSIDE, "mouth") and each.split()[-1] not in _SIDED for each in self.sites)
        outside = "apply" in self.verbs or said.form in _ON_SKIN or (on_skin and not said.form)
        if not (said.amount or said.by_time or said.steps or outside):
            self.doubts.append(Doubt("no dose was read", (*DOSE, *WHEN), tuple(_alone(self.strengths))))
        if (
            not said.says_when
            or (said.at and not said.often and not said.as_needed and not said.weekdays and not said.steps)
        ) and not any("times" in each.fields for each in self.doubts):
            self.doubts.append(Doubt("it was not read when it is to be taken", (*WHEN, *DOSE, "as_needed")))
        ranged = said.amount is not None and said.amount.low != said.amount.high
        inner = not said.site or said.site in ("rectal", "injection")
        if said.as_needed and ranged and inner and not (said.often or said.most or said.gap_hours):
            self.doubts.append(Doubt("it does not say how often at most", ("times", "max")))

    def _fitting(self, said: Directions) -> None:
        unit = said.amount.unit if said.amount else ""
        drops = unit == "drop" and not any(each in said.site for each in ("ear", "nostril", "nose"))
        drops = drops or (
            said.form == "drops" and not any(each in said.text.casefold() for each in ("ear", "nas", "nose", "oral"))
        )
        eyes = "eye" in said.site or "eye" in said.text.casefold() or "ophth" in said.text.casefold() or drops
        if said.form in ("tablet", "capsule") and unit in ("tablet", "capsule") and unit != said.form:
            self.doubts.append(Doubt(f"it says {said.form} and {unit}", ("unit",), (said.form, unit)))
        if eyes and any(each.key == "od" for each in self.tokens):
            self.doubts.append(Doubt("'OD' may mean once daily or the right eye", ("times", "site")))
        self.doubts.extend(misfits(said, self.tokens, self.items, self.verbs, self.sites))
        if said.often and said.often.once and (said.days or said.weekdays):
            self.doubts.append(Doubt("a single dose, and for days", (*WHEN, *LENGTH)))


def _whole(doubt: Doubt, said: Directions) -> Doubt:
    """A doubt of the parts of a course is one of how much, when and how long; of how often, of whether as needed."""
    if said.as_needed and "times" in doubt.fields:
        doubt = replace(doubt, fields=tuple(dict.fromkeys((*doubt.fields, "as_needed"))))
    if "steps" not in doubt.fields or not said.steps:
        return doubt
    return replace(doubt, fields=tuple(dict.fromkeys((*doubt.fields, *DOSE, *WHEN, *LENGTH))))


def _goes_on(rest: Sequence[Item]) -> bool:
    return any(each.kind in ("amount", "often", "at") for each in rest if each.kind != "mark")


def _is_remark(rest: Sequence[Item]) -> bool:
    told = [each for each in rest if each.kind != "mark"]
    return bool(told) and told[0].kind in ("advice", "remark", "verb")


def _differ(strengths: Sequence[str]) -> bool:
    """Whether strengths say different figures, and not one of them more of the same: "250" and "250 mg/5 ml"."""
    grams = {_grams(text) for text in strengths}
    if len(grams) == 1 and None not in grams:
        return False
    figures = sorted((set(re.findall(r"[\d.]+", text)) for text in strengths), key=len)
    return any(not few <= many for few, many in itertools.pairwise(figures))


def _grams(strength: str) -> float | None:
    mass = mass_of(strength)
    return round(mass[0] * IN_MG[mass[1]] / 1000, 9) if mass else None


def _alone(strengths: Sequence[str]) -> list[str]:
    return [each for each in strengths[:1] if "/" not in each and "%" not in each and " " in each]


_MENDED = str.maketrans("OoIlSBZ", "0011582")


def _candidates(read: str, unit: str) -> tuple[str, ...]:
    """What a figure that cannot be read for certain may be."""
    tail = f" {unit}" if unit else ""
    if read.startswith("."):
        return f"0{read}{tail}", f"{read[1:]}{tail}"
    if "," in read:
        return (f"{read.replace(',', '.')}{tail}",)
    whole, _, part = read.partition(".")
    if part and not part.strip("0"):
        return f"{whole}{tail}", f"{whole}{part}{tail}"
    mended = read.translate(_MENDED)
    return (f"{mended}{tail}",) if mended != read and mended.replace(".", "", 1).isdigit() else ()

"""What the medicine is and where it goes: name, strength and form, how many are given; places, said or of the form."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from camphor.health.prescriptions.directions import ALL, DOSE, IN_MG, MASSES, WHEN, Amount, Doubt, mass_of
from camphor.health.prescriptions.drugs import find
from camphor.health.prescriptions.lexing import WORD, Token, listed
from camphor.health.prescriptions.meanings import Strength
from camphor.health.prescriptions.residue import unsure
from camphor.health.prescriptions.scanning import (
    DOSING,
    TextItem,
    clauses,
    is_drug,
    near_number,
    said_of,
    significant,
    small,
)

MASS_LIKE = frozenset({"strength", "supply", "form"})
"""Kinds of phrase that are of the product."""


class Product:
    """What is said of the product in a text of directions.

    Attributes:
        name: the words that name it. strengths: as they are shown, the first counts. forms: of words.toml.
        masses: amounts that may be the strength or what is taken, with where they stand. each: what one of a form has.
        sites: places that stand in the name ("Otrivin nose drops"). doubts: of all this.
    """

    def __init__(self, tokens: Sequence[Token], items: Sequence[TextItem]) -> None:
        self._tokens, self._items = tokens, items
        self.name = ""
        self.strengths: list[str] = []
        self.masses: list[tuple[Amount, TextItem]] = []
        self.each: list[Amount] = []
        self.forms: list[str] = []
        self.sites: list[str] = []
        self.doubts: list[Doubt] = []

    @property
    def strength(self) -> str:
        return self.strengths[0] if self.strengths else ""

    @property
    def form(self) -> str:
        return self.forms[0] if self.forms else ""

    def differ(self, text: str) -> bool:
        """Whether strengths of a text say different figures, not one more of the same: "250" and "250 mg/5 ml"."""
        strengths = self._measured(text)
        grams = {_grams(text) for text in strengths}
        if len(grams) == 1 and None not in grams:
            return False
        figures = sorted((set(re.findall(r"[\d.]+", text)) for text in strengths), key=len)
        return any(not few <= many for few, many in itertools.pairwise(figures))

    def _measured(self, text: str) -> list[str]:
        """Strengths that may contradict each other: not "2%" beside "20 mg/ml", nor the parts of a combination."""
        drug = find(self.name).drug
        one = sum(is_drug(each) for each in self.name.split()) == 1
        if one and drug and len(drug.ingredients) >= len(set(self.strengths)) > 1:
            return []
        restated = re.search(r"\([\d.]+ ?%|% ?\([\d.]+ ?m", text)  # "0.083% (2.5 mg/3 ml)"
        masses = [each for each in self.strengths if "%" not in each]
        return masses if masses and restated else list(self.strengths)

    @property
    def alone(self) -> list[str]:
        """The first strength, where it is one mass."""
        return [each for each in self.strengths[:1] if "/" not in each and "%" not in each and " " in each]

    def take_head(self) -> int:
        """Takes the name, strength and form before the directions; returns where those begin."""
        named, place, words = False, 0, []
        while place < len(self._items):
            item = self._items[place]
            if item.kind == "word" and not (small(str(item.value)) and not named and not is_drug(str(item.value))):
                if significant(str(item.value)) and not (named and listed("after_names", str(item.value))):
                    break
                named = True
                words.append(self._said(item))
                glued = item.start and self._tokens[item.start].tight and self._tokens[item.start - 1].kind == "NUM"
                if glued and not is_drug(str(item.value)):
                    self.doubts.append(Doubt(f"{self._said(item)!r} was not understood", ALL))
                if near_number(str(item.value)) and not listed("after_names", str(item.value)):
                    self.doubts.append(Doubt(f"{self._said(item)!r} was not understood", ALL, confirms=True))
            elif item.kind in MASS_LIKE:
                if item.kind == "supply" and not named:
                    break
                self.take(item)
            elif (
                item.kind == "amount" and named and self._tokens[item.start].text == "I" and item.end == item.start + 1
            ):
                words.append("I")  # Humulin I
            elif item.kind == "amount" and self._is_pack(place, named):
                pass
            elif item.kind == "amount" and named and self._is_head_figure(item, place):
                self._head_figure(item)
            elif item.kind == "unsure" and named:
                timed = self._said(item).casefold().endswith(("am", "pm"))  # "18 am"
                self.doubts.append(unsure(self._tokens, item, ("strength", *DOSE, *(WHEN if timed else ()))))
            elif item.kind == "site" and str(item.value) in ("eye", "ear", "nostril", "nose", "mouth") and named:
                self.sites.append(str(item.value))
            elif item.kind not in ("mark", "remark") and not (
                item.kind == "word" and (named or self._names_next(place))
            ):
                break
            place += 1
        if place == len(self._items) and not self.masses and not self.strengths and not named:
            place = 0
        self.name = " ".join(words)
        return place

    def _names_next(self, place: int) -> bool:
        """Whether a medicine's name follows: "T. Metformin"; "co" is the beginning of one."""
        if self._items[place].value == "co":
            return False
        rest = [each for each in self._items[place + 1 :] if each.kind != "mark"][:1]
        return bool(rest) and rest[0].kind == "word" and is_drug(str(rest[0].value))

    def _is_pack(self, place: int, named: bool) -> bool:
        """Whether a number alone is how many are given out: "28 Amlodipine 5 mg tablets", "COVERSYL 5MG TABS 30"."""
        amount: Amount = self._items[place].value
        if amount.unit or not self._tokens[self._items[place].start].text.isdigit():
            return False
        before = self._items[place - 1] if place else None
        after = self._items[place + 1] if place + 1 < len(self._items) else None
        if before and before.kind == "word" and listed("numbered_places", str(before.value)):
            return True  # "Room 12"
        if after and after.kind == "word" and listed("years", str(after.value)):
            return True  # "child 4 yrs"
        if before and before.kind == "word" and before.value == "x" and place > 1:
            ends = after is None or after.kind == "mark"
            return ends and amount.low >= 4 and _formed(self._items[place - 2])  # "tabs x 28"
        if amount.low < 10 or (amount.low % 7 and amount.low % 10):
            return False
        if not named or before is None:
            return place == 0 and self._names_next(place)
        return _formed(before) and after is not None and after.kind == "mark" and after.value == "\n"

    def _is_head_figure(self, item: TextItem, place: int) -> bool:
        amount: Amount = item.value
        if amount.unit and amount.unit not in (*MASSES, "ml") and amount.low >= 1000 and not amount.strength:
            return True
        if self._is_named_figure(item, place):
            return True
        rest = [each for each in self._items[place + 1 :] if each.kind != "mark"]
        if amount.unit in MASSES and _another(rest, amount):
            return False  # "3 mg and 4 mg on alternate days"
        if amount.unit in MASSES and amount.high > 10 * amount.low > 0 and any(each.kind == "amount" for each in rest):
            return True  # "oxycodone-acetaminophen 5-325 mg"
        if amount.unit in MASSES and amount.low == amount.high:
            beside = place + 1 < len(self._items) and self._items[place + 1].kind in (*DOSING - {"scheme"}, "site")
            return not beside
        if amount.unit or any(
            not each.text[0].isdigit() or each.kind != "NUM" for each in self._tokens[item.start : item.end]
        ):
            return False
        before = [each for each in self._items[:place] if each.kind != "mark"]
        followed = bool(rest) and rest[0].kind in ("amount", "scheme", "form", "verb", "strength", "word")
        own = bool(before) and before[-1].kind == "word" and self._items[place - 1].kind == "word"
        more = any(each.kind in ("amount", "scheme") for each in rest)
        return followed and own and (more or rest[0].kind == "form")

    def _is_named_figure(self, item: TextItem, place: int) -> bool:
        """Whether a large figure and a form follow the name, before what is taken: "Evorel 50 patches. Apply one"."""
        amount: Amount = item.value
        counted = (
            bool(amount.unit) and not amount.strength and amount.unit not in (*MASSES, "ml", "unit", "puff", "drop")
        )
        named = self._items[place - 1].kind == "word" and is_drug(str(self._items[place - 1].value))
        rest = self._items[place + 1 :]
        apart = bool(rest) and rest[0].kind in ("mark", "verb", "amount", "word")
        return counted and named and apart and amount.low >= 10 and any(each.kind == "amount" for each in rest)

    def _head_figure(self, item: TextItem) -> None:
        if not item.value.unit and item.value.low >= 1000:
            self.strengths.append(f"{item.value.low:.9g} unit")  # "Uprise D3 60K"
        elif item.value.unit and item.value.unit not in MASSES and item.value.low < 1000:
            self.forms.append(item.value.unit)  # "Evorel 50 patches"
        elif item.value.unit and item.value.unit not in MASSES:
            self.strengths.append(f"{item.value.low:.9g} unit")
            self.forms.append(item.value.unit)
        elif item.value.unit and item.value.low == item.value.high:
            self.masses.append((item.value, item))
        else:
            self.strengths.append(self._said(item))

    def take(self, item: TextItem) -> None:
        """Takes a phrase of the product."""
        if item.kind == "strength":
            value: Strength = item.value
            if value.text:
                self.strengths.append(value.text)
            if value.form:
                self.forms.append(value.form)
            if value.amount:
                self.each.append(value.amount)
        elif item.kind == "form":
            self.forms.append(str(item.value))
        elif item.kind == "amount":
            self.strengths.append(self._said(item))

    def without_names(self, body: Sequence[TextItem]) -> list[TextItem]:
        """Without what names the product after the directions: "Take 1 daily. Furosemide 20 mg"."""
        left: list[TextItem] = []
        for clause in clauses(body, lambda each: each.kind == "mark" and str(each.value) in ".\n;"):
            kinds = {each.kind for each in clause}
            strange = any(each.kind == "word" and significant(str(each.value)) for each in clause)
            named = not strange and any(each.kind == "word" and is_drug(str(each.value)) for each in clause)
            plain = kinds <= {"word", "mark", "strength", "form", "supply", "amount"} and len(clause) > 1
            figures = [each for each in clause if each.kind == "amount"]
            masses = all(each.value.unit in MASSES for each in figures)
            if named and plain and masses and not self.name:
                self.name = " ".join(self._said(each) for each in clause if each.kind == "word")
                for each in clause:
                    if each.kind == "amount":
                        self.strengths.append(self._said(each))
                    else:
                        self.take(each)
            else:
                left.extend([*clause, TextItem("mark", ".", clause[-1].end, clause[-1].end)])
        return left

    def without_supply(self, body: Sequence[TextItem]) -> list[TextItem]:
        """Without a count alone after the dose and when it is taken: how many were given out, "15 tabs" or "28"."""
        segments = clauses(body, lambda each: each.kind == "mark" and str(each.value) in ".,;()\n-")
        dosed = amounts = False
        for number, segment in enumerate(segments):
            told = [
                each for each in segment if each.kind not in ("mark", "word", "form", "strength", "remark", "advice")
            ]
            later = [each for other in segments[number + 1 :] for each in other]
            last = not any(each.kind in (*DOSING, "amount", "verb") for each in later)
            given = told[-1] if told and told[-1].kind == "amount" else None
            if given and last and len(told) == 1 and dosed and amounts and self._is_supply(given, body):
                return [each for each in body if each is not given]
            dosed = dosed or any(each.kind in ("often", "at", "scheme") for each in segment)
            amounts = amounts or any(each.kind in ("amount", "scheme") for each in segment)
        return list(body)

    def _is_supply(self, given: TextItem, body: Sequence[TextItem]) -> bool:
        """Whether an amount is how much is given out: a pack of what is taken, a count after masses, a bottle."""
        amount: Amount = given.value
        doses = [each.value for each in body if each.kind == "amount" and each is not given]
        if amount.low != amount.high:
            return False
        if amount.unit == "ml":
            return amount.low >= 50 and bool(doses) and all(each.unit == "ml" and each.high <= 30 for each in doses)
        counted = bool(doses) and all(each.unit in MASSES for each in doses) and amount.unit in ("tablet", "capsule")
        if counted and amount.low >= 14 and not (amount.low % 7 and amount.low % 10):
            return True
        units = {each.unit for each in doses} | {UNIT_OF.get(each, each) for each in self.forms}
        same = amount.unit not in MASSES and (not amount.unit or amount.unit in units)
        return same and amount.low >= 5 and any(amount.low % each == 0 for each in (5, 6, 7, 8))

    def _said(self, item: TextItem) -> str:
        return said_of(self._tokens, item)


def _formed(item: TextItem) -> bool:
    """Whether it names a form."""
    return item.kind == "form" or (item.kind == "strength" and bool(item.value.form))


def _another(rest: Sequence[TextItem], amount: Amount) -> bool:
    """Whether another amount of the same unit is joined to an amount."""
    joined = len(rest) > 1 and rest[0].kind == "word" and rest[0].value in ("and", "&") and rest[1].kind == "amount"
    return joined and rest[1].value.unit == amount.unit


# where it goes


ON_SKIN = ("cream", "ointment", "gel", "lotion", "foam", "paste", "shampoo")
_ITSELF = (
    "tablet", "capsule", "spray", "patch", "sachet", "suppository", "pessary", "nebule", "lozenge", "wafer",
    "injection", "puff", "drop", "film", "ring", "enema", "pastille", "implant", "ampoule", "vial", "blister",
    "application",
)  # fmt: skip
UNIT_OF = {each: each for each in _ITSELF} | {"inhaler": "puff", "drops": "drop", "rotacap": "capsule"}
"""In what each form is counted."""
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
    "applicatorful": "vaginal",
}
INSIDE = ("", "injection", "inhaled", "rectal", "vaginal", "under the tongue", "on the tongue")
SIDED = ("eye", "eyes", "ear", "ears", "nostril", "nostrils")


def sides(sites: Sequence[str]) -> list[str]:
    """The places that are said with their side: "left eye"; two of them differ."""
    return list(dict.fromkeys(each for each in sites if each.split()[-1] in SIDED and " " in each))


def is_place(tokens: Sequence[Token], body: Sequence[TextItem], place: int) -> bool:
    """Whether it is where the medicine goes, not what it is for: "as needed for knee pain"."""
    item = body[place]
    if item.value:
        return not (place and body[place - 1].kind == "word" and body[place - 1].value == "with")  # "with INH"
    before: list[TextItem] = []
    for each in reversed(body[:place]):
        if each.kind == "mark" and str(each.value) in ".;\n()":
            break
        before.append(each)
    opened = place > 0 and body[place - 1].kind == "mark" and body[place - 1].value == "("
    bare = str(tokens[item.start].key) == "back" and item.end == item.start + 1
    if bare:
        return False  # "dandruff coming back"
    side = place_of(tokens, item).split()[0] in ("left", "right", "both", "each")
    if opened and not side and not listed("before_places", tokens[item.start].key):
        return False
    words_ = [str(each.value) for each in before if each.kind == "word"]
    if "for" in words_ or any(each.kind in ("needed", "advice") for each in before):
        return tokens[item.start].kind == WORD and listed("before_places", tokens[item.start].key)
    return True


def place_of(tokens: Sequence[Token], item: TextItem) -> str:
    """A place in the words that were said, less those before it: "left ear", "upper arm"."""
    said = [each.key for each in tokens[item.start : item.end]]
    while len(said) > 1 and listed("before_places", said[0]):
        said.pop(0)
    sides = {"l": "left", "lt": "left", "r": "right", "rt": "right"}
    return " ".join(sides.get(each, each) for each in said if each not in ("the", "your", "(", ")"))


def site_of(sites: Sequence[str], verbs: Sequence[str], form: str, unit: str) -> str:
    """The one place of those that were said, or the one that follows from verb, form or unit."""
    exact = [each for each in sites if each not in ("mouth", "on the tongue", "tongue")]
    inside = [
        *sides(sites),
        *(each for each in exact if each in ("injection", "rectal", "vaginal", "under the tongue")),
    ]
    if inside:
        return inside[0]
    if "inject" in verbs or "injection" in (unit, form):
        return "injection"
    if exact and unit not in ("suppository", "enema", "pessary"):
        return " ".join(dict.fromkeys(exact))
    if unit in ("suppository", "enema", "pessary"):
        return _SITE_FROM[unit]
    verb = next((_SITE_OF[each] for each in verbs if each in _SITE_OF), "")
    return verb or _SITE_FROM.get(form, "") or _SITE_FROM.get(unit, "") or ("skin" if form in ON_SKIN else "")


def _grams(strength: str) -> float | None:
    mass = mass_of(strength)
    return round(mass[0] * IN_MG[mass[1]] / 1000, 9) if mass else None

"""Where medicines contradict each other: the same one twice, two that do the same, one that the person is allergic to.

Said in plain words for the person to take to a doctor or pharmacist; nothing is decided here. What two different
medicines do to each other (interactions) is not known to camphor and not claimed to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from camphor.health.prescriptions.drugs import find, group_of, plain

# how people name groups of medicines when they say what they are allergic to, and the ATC codes that are meant
_ALLERGY_GROUPS = {
    "penicillin": ("J01C",), "penicillins": ("J01C",), "cephalosporins": ("J01D",), "cephalosporin": ("J01D",),
    "sulfa": ("J01E",), "sulpha": ("J01E",), "sulfonamides": ("J01E",), "sulphonamides": ("J01E",),
    "nsaids": ("M01A",), "nsaid": ("M01A",), "anti inflammatories": ("M01A",), "statins": ("C10AA",),
    "macrolides": ("J01F",), "quinolones": ("J01M",), "fluoroquinolones": ("J01M",), "tetracyclines": ("J01A",),
    "opioids": ("N02A",), "opiates": ("N02A",), "ace inhibitors": ("C09A",),
}  # fmt: skip


@dataclass(frozen=True)
class Taken:
    """A medicine as conflicts see it. `label`: how to name it to the person ("Panadol, of your medicines")."""

    label: str
    ingredients: tuple[str, ...]
    strength: str = ""
    dose: str = ""
    when: str = ""


@dataclass(frozen=True)
class Conflict:
    """`kind` is "same", "different dose", "same group" or "allergy"; `text` is one or two sentences."""

    kind: str
    first: str
    second: str
    text: str


_ASK = "Ask your doctor or pharmacist which of them holds."


def conflicts(new: Sequence[Taken], current: Sequence[Taken] = (), allergies: Sequence[str] = ()) -> list[Conflict]:
    """What contradicts: the new medicines with each other, with those that are taken, and with the allergies."""
    found = []
    for number, one in enumerate(new):
        for other in (*new[number + 1 :], *current):
            if conflict := _between(one, other):
                found.append(conflict)
        found.extend(_allergic(one, allergies))
    return found


def _between(one: Taken, other: Taken) -> Conflict | None:
    both = [each for each in one.ingredients if each in other.ingredients]
    if both:
        what = " and ".join(both)
        if (one.dose, one.strength, one.when) == (other.dose, other.strength, other.when):
            text = f"{one.label} and {other.label} are the same: {what}. Taking both would be twice as much. {_ASK}"
            return Conflict("same", one.label, other.label, text)
        named = f"{one.label} ({_how(one)}) and {other.label} ({_how(other)})"
        text = f"{named} both have {what} and say different things. {_ASK}"
        return Conflict("different dose", one.label, other.label, text)
    mine = {group.atc: group for each in one.ingredients if (group := group_of(each)) and group.twice}
    for each in other.ingredients:
        group = group_of(each)
        if group and group.atc in mine:
            text = (
                f"{one.label} and {other.label} are of one group ({group.word}) and are seldom taken together. {_ASK}"
            )
            return Conflict("same group", one.label, other.label, text)
    return None


def _how(taken: Taken) -> str:
    return ", ".join(each for each in (taken.strength, taken.dose, taken.when) if each) or "no dose given"


def _allergic(one: Taken, allergies: Sequence[str]) -> list[Conflict]:
    found = []
    for allergy in allergies:
        words = plain(allergy)
        drug = find(allergy).drug
        groups = _ALLERGY_GROUPS.get(words, ())
        of_group = any((group := group_of(each)) and group.atc in groups for each in one.ingredients)
        if of_group or (drug and set(drug.ingredients) & set(one.ingredients)) or words in one.ingredients:
            text = (
                f"You are noted as allergic to {allergy}, and {one.label} has or is that. Do not take it before you "
                "have asked your doctor or pharmacist."
            )
            found.append(Conflict("allergy", one.label, allergy, text))
    return found

"""Where medicines contradict each other: the same one twice, two that do the same, two that do harm together, one that
the person is allergic to.

Said in plain words for the person to take to a doctor or pharmacist; nothing is decided here. A pair of medicines of
which nothing is told is not known to be safe (interactions.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from camphor.health.prescriptions.drugs import find, group_of, plain
from camphor.health.prescriptions.interactions import interaction, reach


@dataclass(frozen=True)
class Taken:
    """A medicine as conflicts see it. `label`: how to name it to the person ("Panadol, of your medicines"); `route`: as
    in medicines.toml, "" where it is not known."""

    label: str
    ingredients: tuple[str, ...]
    strength: str = ""
    dose: str = ""
    when: str = ""
    route: str = ""


@dataclass(frozen=True)
class Conflict:
    """`kind` is "same", "different dose", "same group", "interaction" or "allergy"; `text` is one or two sentences."""

    kind: str
    first: str
    second: str
    text: str


_ASK = "Ask your doctor or pharmacist which of them holds."
_ASK_BOTH = "Ask your doctor or pharmacist before you take both."


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
    known = interaction(one.ingredients, other.ingredients, (one.route, other.route))
    if known and known.never:
        text = f"{one.label} and {other.label} are never taken together: {known.what} ({known.source}) {_ASK_BOTH}"
        return Conflict("interaction", one.label, other.label, text)
    mine = {group.atc: group for each in one.ingredients if (group := group_of(each)) and group.twice}
    for each in other.ingredients:
        group = group_of(each)
        if group and group.atc in mine:
            text = (
                f"{one.label} and {other.label} are of one group ({group.word}) and are seldom taken together. {_ASK}"
            )
            return Conflict("same group", one.label, other.label, text)
    if known:
        text = f"{one.label} and {other.label} only with a doctor's check: {known.what} ({known.source}) {_ASK_BOTH}"
        return Conflict("interaction", one.label, other.label, text)
    return None


def _how(taken: Taken) -> str:
    return ", ".join(each for each in (taken.strength, taken.dose, taken.when) if each) or "no dose given"


def _allergic(one: Taken, allergies: Sequence[str]) -> list[Conflict]:
    found = []
    for allergy in allergies:
        words = plain(allergy)
        drug = find(allergy).drug
        known = reach(allergy, one.ingredients)
        if (
            (known and known.avoid)
            or (drug and set(drug.ingredients) & set(one.ingredients))
            or words in one.ingredients
        ):
            text = (
                f"You are noted as allergic to {allergy}, and {one.label} has or is that. Do not take it before you "
                "have asked your doctor or pharmacist."
            )
            text = f"{text} {known.what} ({known.source})" if known else text
            found.append(Conflict("allergy", one.label, allergy, text))
        elif known:
            text = (
                f"You are noted as allergic to {allergy}, and some people with that react to {one.label}, too: "
                f"{known.what} ({known.source}) Ask your doctor or pharmacist before you take it."
            )
            found.append(Conflict("allergy", one.label, allergy, text))
    return found

"""What medicines do to each other, and what an allergy reaches, as far as interactions.toml and allergies.toml know.

A pair or a medicine that is not there is not known to be safe, and `unknown` says so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from camphor.health.prescriptions.bounds import canonical, entry
from camphor.health.prescriptions.drugs import plain

_WORST = "never together"


@dataclass(frozen=True)
class Interaction:
    """What two medicines do together: `never` or only with a doctor's check, what may happen, and the source."""

    never: bool
    what: str
    source: str


@dataclass(frozen=True)
class Reach:
    """What an allergy has to do with a medicine: `avoid` it, or ask about it; why, and the source."""

    avoid: bool
    what: str
    source: str


def names_of(ingredients: Iterable[str]) -> set[str]:
    """The names in medicines.toml of ingredients and of the parts of products."""
    found = {name for each in ingredients if (name := canonical(each))}
    return found | {part for each in found for part in (entry(each) or {}).get("parts", ())}


def interaction(one: Sequence[str], other: Sequence[str], routes: tuple[str, str] = ("", "")) -> Interaction | None:
    """The worst that is known of two medicines.

    Args:
        one, other: their ingredients. routes: how each is taken, as in medicines.toml; "" where that is not known.
    """
    first, second = names_of(one), names_of(other)
    found = [
        pair
        for pair in _data("interactions.toml")["pair"]
        if _fits(pair, first, second, routes) or _fits(pair, second, first, (routes[1], routes[0]))
    ]
    if not found:
        return None
    worst = min(found, key=lambda pair: pair["severity"] != _WORST)
    return Interaction(worst["severity"] == _WORST, worst["what"], worst["source"])


def _fits(pair: Mapping[str, Any], first: set[str], second: set[str], routes: tuple[str, str]) -> bool:
    mine = first & _members(pair["first"]) - set(pair.get("first_except", ()))
    theirs = second & _members(pair["second"]) - set(pair.get("second_except", ()))
    if routes[0] in pair.get("first_not_by", ()) or routes[1] in pair.get("second_not_by", ()):
        return False
    return bool(mine and theirs) and (len(mine | theirs) > 1)


@cache
def _members(name: str) -> frozenset[str]:
    return frozenset(_data("interactions.toml")["classes"].get(name, [name]))


def reach(allergy: str, ingredients: Sequence[str]) -> Reach | None:
    """What an allergy, as people say it, has to do with a medicine; None where nothing is known."""
    told = _data("allergies.toml")
    mine = names_of(ingredients) | {plain(each) for each in ingredients}
    classes = _classes_of(allergy)
    for key in classes:
        each = told["allergy"][key]
        if mine & _all_members(each):
            return Reach(True, each["what"], each["source"])
    found = []
    for cross in told.get("cross", ()):
        if cross["allergy"] in classes:
            members = set(cross["only"]) if cross.get("only") else _all_members(told["allergy"][cross["to"]])
            if mine & members:
                found.append(Reach(cross["weight"] == "avoid", cross["what"], cross["source"]))
    return min(found, key=lambda each: not each.avoid) if found else None


def _classes_of(allergy: str) -> list[str]:
    said = plain(allergy)
    name = canonical(said) or said
    return [
        key
        for key, each in _data("allergies.toml")["allergy"].items()
        if said == plain(key) or said in {plain(text) for text in each["said"]} or name in _all_members(each)
    ]


def _all_members(each: Mapping[str, Any]) -> set[str]:
    others = {plain(name) for name in each.get("other_members", ())}
    return {*each["members"], *(plain(name) for name in each["members"]), *others}


def unknown(medicines: Sequence[tuple[str, Sequence[str]]], allergies: Sequence[str]) -> list[str]:
    """What could not be looked up, in sentences: medicines (what each is called, its ingredients) and allergies."""
    lacking = [label for label, ingredients in medicines if not names_of(ingredients)]
    found = [f"Nothing is known here of what {label} does with other medicines: ask a pharmacist." for label in lacking]
    for allergy in allergies:
        if not _classes_of(allergy) and not canonical(plain(allergy)):
            found.append(f"Nothing is known here of which medicines an allergy to {allergy} reaches.")
    return found


@cache
def _data(name: str) -> Mapping[str, Any]:
    return tomllib.loads((files("camphor") / "health" / "prescriptions" / name).read_text(encoding="utf-8"))

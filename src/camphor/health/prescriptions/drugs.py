"""Names of medicines, matched against what was read. A doubtful name is told with what it may be, never taken for it.

The list and its sources are in `drugs.toml`: names by ATC group, other names of the same substance, trade names.
"""

from __future__ import annotations

import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from rapidfuzz import fuzz, process

SOURCE = "ATC index and WHO Model List of Essential Medicines, 23rd list (2023), with other names and trade names"
SURE = 0.85
"""A reading below this confidence is a doubt, for the person to settle."""
_NEAR = 80.0
_MOST_CANDIDATES = 3
_LIKE = 2
"""Names that differ by at most so many letters can be taken for one another where the picture is not clear."""
# letters that OCR reads as digits
_DIGITS = str.maketrans("015863", "olsbbe")
_WEIGHT = 0.75


@dataclass(frozen=True)
class Drug:
    """One name of the list: `ingredients` are nonproprietary names; `name` is the ingredient's or the brand's."""

    name: str
    ingredients: tuple[str, ...]


@dataclass(frozen=True)
class DrugMatch:
    """What a read name is. `drug` is None where that is in doubt; `candidates` are then names that are near."""

    read: str
    drug: Drug | None
    confidence: float
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """An ATC group: its code, what it is called, and whether two of it together are asked about."""

    atc: str
    word: str
    twice: bool


@dataclass(frozen=True)
class _List:
    drugs: dict[str, Drug]
    groups: dict[str, Group]
    near: tuple[str, ...]
    """Names that a reading is compared with; the many trade names of the other tables are near to ordinary words."""


def file_of(name: str) -> str:
    """The text of a file beside this module."""
    return (files("camphor") / "health" / "prescriptions" / name).read_text(encoding="utf-8")


@cache
def table(name: str) -> dict[str, Any]:
    """A TOML file beside this module."""
    return tomllib.loads(file_of(name))


@cache
def _list() -> _List:
    told = table("drugs.toml")
    drugs: dict[str, Drug] = {}
    groups: dict[str, Group] = {}
    for group in told["group"]:
        of = Group(group["atc"], group["word"], group.get("twice", False))
        for name in group["names"]:
            drugs[plain(name)] = Drug(name, (name,))
            groups[name] = of
        for other, name in group.get("also", {}).items():
            drugs[plain(other)] = Drug(name, (name,))
    for brand, names in told["brands"].items():
        drugs[plain(brand)] = Drug(brand, tuple(names))
    near = tuple(drugs)
    for name, facts in table("medicines.toml").items():
        if facts.get("kind") in ("herb", "food"):
            continue
        own = drugs.setdefault(plain(name), Drug(name, (name,)))
        for other in facts.get("also", ()):
            if plain(other).split()[-1] not in _salts():
                drugs.setdefault(plain(other), Drug(other, own.ingredients))
    for name, of in table("names.toml")["names"].items():
        drugs.setdefault(plain(name), Drug(name, tuple(of.split(" + "))))
    return _List(drugs, groups, near)


def plain(text: str) -> str:
    """Lower case without accents, marks and double spaces."""
    bare = "".join(each for each in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(each))
    return " ".join("".join(each if each.isalnum() else " " for each in bare).split())


@cache
def _salts() -> frozenset[str]:
    return frozenset(table("drugs.toml")["salts"].split())


def is_salt(word: str) -> bool:
    """Whether a word behind a substance's name says its salt or make ("hydrochloride", "SR")."""
    return word in _salts()


@cache
def words_of_names() -> frozenset[str]:
    """The words that names of medicines are made of, of more than three letters, but for rare trade names."""
    return frozenset(word for name in _list().near for word in name.split() if len(word) > 3)


def count() -> int:
    """How many names are known."""
    return len(_list().drugs)


def group_of(ingredient: str) -> Group | None:
    return _list().groups.get(ingredient)


def find(text: str, seen: float = 1.0) -> DrugMatch:
    """What a name is.

    Args:
        text: as it was read. seen: how clear the picture was there, 0 to 1; 1 for typed text.
    """
    known, name = _list(), plain(text)
    if drug := _exact(name) or _without_salt(name) or _combined(name):
        return _seen(text, drug, name, seen)
    mended = name.translate(_DIGITS)
    if mended != name and (drug := _exact(mended) or _without_salt(mended)):
        return DrugMatch(text, None, 0.8 * seen, (drug.name,))
    near = process.extract(mended, known.near, scorer=fuzz.ratio, limit=2 * _MOST_CANDIDATES, score_cutoff=_NEAR)
    candidates = tuple(dict.fromkeys(known.drugs[found].name for found, _, _ in near))[:_MOST_CANDIDATES]
    confidence = near[0][1] / 100 * _WEIGHT * seen if near else 0.0
    return DrugMatch(text, None, confidence, candidates)


def known(text: str) -> Drug | None:
    """The medicine of exactly this name, which may have its salt or be several."""
    name = plain(text)
    return _exact(name) or _without_salt(name) or _combined(name)


def _seen(text: str, drug: Drug, name: str, seen: float) -> DrugMatch:
    """An exact name in a picture that is not clear is in doubt where another is hardly different."""
    if seen < 0.95:
        alike = [other for other in _alike(name) if _list().drugs[other].ingredients != drug.ingredients]
        if alike:
            others = tuple(_list().drugs[other].name for other in alike[: _MOST_CANDIDATES - 1])
            return DrugMatch(text, None, 0.8 * seen, (drug.name, *others))
    return DrugMatch(text, drug if seen >= SURE else None, seen, () if seen >= SURE else (drug.name,))


def _alike(name: str) -> list[str]:
    from rapidfuzz.distance import Levenshtein

    found = process.extract(name, _list().drugs.keys(), scorer=Levenshtein.distance, score_cutoff=_LIKE, limit=5)
    return [other for other, _, _ in found if other != name]


def _exact(name: str) -> Drug | None:
    return _list().drugs.get(name)


def _without_salt(name: str) -> Drug | None:
    """The substance of a name with its salt or its make ("metformin hydrochloride", "diclofenac sodium SR")."""
    words = name.split()
    while len(words) > 1 and words[-1] in _salts():
        words.pop()
        if drug := _exact(" ".join(words)):
            return drug
    return None


def _combined(name: str) -> Drug | None:
    """A name that is several ("amoxicillin clavulanic acid", from "amoxicillin/clavulanic acid")."""
    joins = ("and", "with", "plus")
    if name.endswith(joins):  # "Betahistine Plus" is not betahistine
        return None
    words, parts = [each for each in name.split() if each not in joins], []
    while words:
        for length in range(min(3, len(words)), 0, -1):
            if (drug := _exact(" ".join(words[:length]))) and len(drug.ingredients) == 1:
                parts.append(drug.ingredients[0])
                words = words[length:]
                break
        else:
            if not parts or words[0] not in _salts():  # "perindopril arginine/amlodipine"
                return None
            words = words[1:]
    ingredients = tuple(dict.fromkeys(parts))  # one alone: "Panadol (paracetamol)"
    return Drug(" + ".join(ingredients), ingredients) if ingredients else None

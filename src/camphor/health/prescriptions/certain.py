"""What of a medicine in a picture is certain: only what two readings agree in, field by field, and what can be so.

A picture is read twice (ocr.py). A name is certain where both readings have the same known name, spelt as it is known,
and it opens its line with nothing unknown beside it; a strength where both have the same, it stands in the line of the
name with nothing unread beside it, and the medicine is sold in it (strengths.toml); that it has none, where all of that
line is understood. Any other field is certain where both say the same.

A strength is compared by what it has: "125 mg/5 ml" is 25 mg in a ml, "0.5 mg" is 500 mcg, and the parts of a
combination may stand in any order.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from camphor.health.prescriptions.directions import ALL, MASSES, SHOWN_IN, Directions, Doubt
from camphor.health.prescriptions.drugs import DrugMatch, find, is_salt, plain, table
from camphor.health.prescriptions.lexing import words_of
from camphor.health.prescriptions.lines import page_words
from camphor.health.prescriptions.pages import unended
from camphor.health.prescriptions.reading import read_directions
from camphor.health.prescriptions.scanning import harmless, is_drug, small

_LONGEST_BESIDE = 40
"""Letters behind a name that are shown with it."""
_FIGURE = re.compile(r"\d+(?:[.,/]\d+)*")


def name_doubt(line: str, match: DrugMatch, other: DrugMatch | None) -> tuple[tuple[str, ...], str] | None:
    """Why a name is in doubt, and what it may be; None where it is certain.

    Args:
        line: of the name, without numbering. match: what it is by the first reading. other: by the second.
    """
    if match.drug is None:
        return (), "it is no name that is known"
    own = match.drug.name
    if other is None or other.drug is None or set(other.drug.ingredients) != set(match.drug.ingredients):
        read = other.drug.name if other and other.drug else other.read if other else ""
        return tuple(dict.fromkeys(each for each in (own, read) if each)), "two readings of the name differ"
    if beside := _beside(line, match):
        return (own,), f"{beside!r} beside the name was not understood"
    return None


def named_there(line: str, match: DrugMatch) -> str:
    """What a line has from a name to its strength or form: the name that a person is shown where it is in doubt."""
    start = line.casefold().find(match.read.split()[0].casefold())
    rest = line[start:] if start >= 0 else match.read
    shown, behind = rest[: len(match.read)], re.split(r"\s?\d|[,.;:(]", rest[len(match.read) :], maxsplit=1)[0]
    for word in re.findall(r"\S+\s*", behind):
        if plain(word) in _forms() or _GARBLED.fullmatch(word.strip()):
            break
        shown += word
    shown = shown.rstrip()
    return shown if len(shown) <= len(match.read) + _LONGEST_BESIDE else match.read


_GARBLED = re.compile(r"[sSoOIlZzB|]{1,4}\s?(?:mg|mcg|ml|g)")
"""A strength in which letters stand for figures."""


def _beside(line: str, match: DrugMatch) -> str:
    """What stands in the line of a name, before it or right behind it, that may be part of it; "" for nothing."""
    told = re.findall(r"[^\W_]+(?:[.,/]\d+)*|[^\w\s]", line)
    bare = [plain(each) for each in told]
    name = plain(match.read).split()
    if tied := re.search(rf"{re.escape(match.read)}(-\w+)", line):
        return match.read + tied[1]  # "Pantocid-D" is not Pantocid
    letters = [place for place, each in enumerate(bare) if each]
    for start in range(len(letters) - len(name) + 1):
        places = letters[start : start + len(name)]
        if [bare[place] for place in places] == name:
            break
    else:
        return match.read
    for place in range(places[0]):
        if bare[place] and not (bare[place] in _forms() or harmless(bare[place]) or small(bare[place])):
            return str(told[place])
    for place in range(places[-1] + 1, len(told)):
        word = bare[place]
        if not word:
            if told[place] in "/+&":
                return "".join(told[place : place + 2])
            continue
        if (
            is_drug(word)
            and match.drug
            and (drug := find(word).drug)
            and set(drug.ingredients) <= set(match.drug.ingredients)
        ):
            continue
        letters_ = re.fullmatch(r"\d+([a-z]{4,})", word)
        garbled = letters_ is not None and letters_[1] not in _forms()  # "0steo"
        if not garbled and (word[0].isdigit() or (word in _forms() and (len(word) > 1 or word == "g"))):
            break  # one letter may tell another medicine: "Pan D"
        if not is_salt(word):
            return str(told[place])
    return ""


@cache
def _forms() -> frozenset[str]:
    """Words that stand beside a name and are no part of it: forms, and the marks of a prescription."""
    told = words_of("FORM", "FORMWORD", "COUNT", "ROUTE", "MASS")
    parts = {part for each in told for part in each.split()}
    return frozenset(parts) | frozenset(page_words()["product"]["before"])


def strength_doubts(line: str, said: Directions, match: DrugMatch) -> Iterator[Doubt]:
    """Doubts of a strength: that it is not known of the medicine, is not in the line of its name, or was not read."""
    ingredients = match.drug.ingredients if match.drug else ()
    listed = strengths_of(ingredients) if ingredients else None
    if not said.strength:
        if left := _figures_left(line, said):
            yield Doubt(f"it is not clear what {left} beside the name is", ("strength",))
        elif _lacks(line, match, listed) and not (said.amount and said.amount.unit in MASSES) and not said.stop:
            yield Doubt("no strength was read", ("strength",))
        return
    if listed is None or not is_listed(said.strength, listed):
        why = (
            f"{said.strength} is no strength of it that is known here"
            if listed
            else "no strengths of it are known here"
        )
        yield Doubt(why, ("strength",), (said.strength,))
    elif _glued(said.strength, line):
        yield Doubt("it is not clear in what the strength is", ("strength",), (said.strength,))
    elif not _stands_in(said.strength, line):
        yield Doubt("the strength does not stand beside the name", ("strength",), (said.strength,))
    elif left := _share_left(line, said.strength) or _figures_left(line, said):
        yield Doubt(f"it is not clear what {left} beside the strength is", ("strength",), (said.strength,))


def _lacks(line: str, match: DrugMatch, listed: Collection[Strength] | None) -> bool:
    """Whether a strength should stand in a line of a name and does not; most brands of two substances have but one."""
    several = match.drug is not None and len(match.drug.ingredients) > 1
    return bool(listed and not several) or _unknown(line)


def _unknown(line: str) -> bool:
    """Whether a line has a word or a mark that says nothing known: it may be a strength."""
    words_ = [plain(each) for each in re.findall(r"[^\W_]+|[%?]", line)]
    return any(
        not (each in _forms() or harmless(each) or small(each) or is_drug(each) or is_salt(each)) for each in words_
    )


def _glued(strength: str, line: str) -> bool:
    """Whether letters stand right behind a bare figure: of "100microgramsldose" the figure alone was read."""
    return not re.search(r"[^\W\d_]|%", strength) and bool(
        re.search(rf"(?<![\d.,]){re.escape(strength)}[^\W\d_]", line)
    )


def _stands_in(strength: str, line: str) -> bool:
    """Whether the figures of a strength, as the reader writes it ("5 mg/10.0 mg"), stand in a line."""
    there = [_number(each) for part in _FIGURE.findall(line) for each in part.split("/")]
    return all(_number(each) in there for part in _FIGURE.findall(strength) for each in part.split("/"))


def _share_left(line: str, strength: str) -> str:
    """What stands under a stroke behind a strength that has none: "250micrograms/imi" is so much in something."""
    figure = _FIGURE.search(strength)
    behind = re.search(rf"(?<![\d.,]){re.escape(figure[0])}\s?[^\W\d_]+\s?(/\s?\w+)", line) if figure else None
    return behind[1] if behind and "/" not in strength else ""


def _figures_left(line: str, said: Directions) -> str:
    """The first figure in a line that neither the strength nor the directions were read from."""
    taken = [
        _number(each)
        for text in (said.strength, *said.read.values())
        for part in _FIGURE.findall(text)
        for each in part.split("/")
    ]
    return next((each for part in _FIGURE.findall(line) for each in part.split("/") if _number(each) not in taken), "")


def _number(text: str) -> str:
    """A figure in one form: "10.0" and "10", "100,000" and "100000"."""
    bare = text.replace(",", "")
    return f"{float(bare):g}" if bare.replace(".", "", 1).isdigit() else bare


def lost(lines: Sequence[str], said: Directions) -> Iterator[str]:
    """Why what a medicine's directions say may not be theirs, or not all of it.

    Args:
        lines: those below the line of the name.
    """
    if not (said.says_when or said.stop):
        yield "no directions of it were read"
    directed, before = False, ""
    for line in lines:
        bare = any(each.isdigit() for each in line) and not re.search(r"[^\W\d_]|\d[-+:]\d", line)
        if bare or (directed and _PACK.fullmatch(line) and not unended(before)):
            yield f"it is not clear what {line!r} counts"
        directed, before = directed or read_directions(line).says_when, line
    if unended(before) and not before[-1].isdigit():
        yield f"{before!r} breaks off"


_PACK = re.compile(r"\W*\d[\d.,/ x×]*\s?[^\W\d_]*\W*")
"""A number of something, and nothing more: below the directions it may be how much is handed out."""


def differing(
    one: Directions, other: Directions, values: Mapping[str, str], others: Mapping[str, str]
) -> Iterator[Doubt]:
    """A doubt of each field in which two readings differ, with both as what it may be.

    A field that the other reading itself doubts, for a letter that it has wrong ("moming"), is no difference while both
    have the same figures: a word of directions does not come of a mistake.

    Args:
        values: the fields of `one` as they are shown, `others` those of `other`.
    """
    first, second = one.to_json(), other.to_json()
    same = _FIGURE.findall(one.text) == _FIGURE.findall(other.text)
    for name in ALL:
        garbled = same and other.doubtful(name)
        if name in first and first[name] != second[name] and not garbled:
            yield Doubt("two readings of the picture differ there", (name,), _shown(name, values, others))
    for name in ("strength", "form", "food"):
        garbled = same and name != "strength" and other.doubtful("unit" if name == "form" else "at")
        if values[name] != others[name] and not garbled:
            yield Doubt("two readings of the picture differ there", (name,), _shown(name, values, others))


def _shown(name: str, values: Mapping[str, str], others: Mapping[str, str]) -> tuple[str, ...]:
    field = SHOWN_IN.get(name, name)
    return tuple(dict.fromkeys(each for each in (values[field], others[field]) if each))


# the strengths in which a medicine is sold


_IN_MCG = {"nanogram": 0.001, "mcg": 1.0, "microgram": 1.0, "mg": 1000.0, "g": 1_000_000.0, "gram": 1_000_000.0}
_OTHERS = {"unit": "unit", "iu": "unit", "mmol": "mmol", "meq": "meq", "%": "%"}
_IN = {"ml": ("ml", 1.0), "hour": ("hour", 1.0), "h": ("hour", 1.0), "hr": ("hour", 1.0), "day": ("hour", 24.0)}
_EACH = ("dose", "actuation", "spray", "puff", "tablet", "capsule", "patch", "inhalation")
"""What a strength is of without saying so: "100 mcg/dose" is 100 mcg."""
_PART = re.compile(r"(\d+(?:\.\d+)?)?\s?([a-z%]+)?\s*")

Strength = tuple[str, tuple[tuple[float, str], ...]]
"""In what ("ml", "hour", "g" or "" for each one), and how much of each part: (500.0, "mcg"), (5.0, "unit")."""


def strength_of(text: str) -> Strength | None:
    """A strength as what it has; None for a text that is none."""
    bare = re.sub(r"^u-?(\d+)$", r"\1 unit/ml", re.sub(r"(?<=\d),(?=\d{3})", "", text.casefold()))  # "U-100"
    parts = [_part(each) for each in re.split(r"[/+]|-(?=\d)", bare)]
    if any(each is None for each in parts) or not parts:
        return None
    told = [each for each in parts if each is not None]
    per, share = "", 1.0
    last, unit = told[-1]
    if len(told) > 1 and (unit in _IN or unit in _EACH or (unit == "g" and last is None)):
        per, factor = _IN.get(unit, ("" if unit in _EACH else "g", 1.0))
        share = (last or 1.0) * factor
        told.pop()
    found: list[tuple[float, str]] = []
    beside = next((unit for _, unit in reversed(told) if unit), "")  # "5-325 mg"
    for number, each in reversed(told):
        each = each or beside
        if number is None or not share or not each:
            return None
        if each in _IN_MCG:
            found.append((float(f"{number * _IN_MCG[each] / share:.6g}"), "mcg"))
        elif each in _OTHERS:
            found.append((float(f"{number / share:.6g}"), _OTHERS[each]))
        else:
            return None
    return per, tuple(sorted(found))


def _part(text: str) -> tuple[float | None, str] | None:
    match = _PART.fullmatch(text.strip())
    if match is None or not (match[1] or match[2]):
        return None
    unit = (match[2] or "").removesuffix("s")
    return (float(match[1]) if match[1] else None), {"ug": "mcg"}.get(unit, unit)


def strengths_of(ingredients: Sequence[str]) -> frozenset[Strength] | None:
    """The strengths of a medicine; None where none are strengths_of."""
    return _sold().get(frozenset(ingredients))


_FACTORS = (1.0, _IN_MCG["mg"])
"""A figure without a unit is of micrograms or of milligrams."""


def is_listed(text: str, listed: Collection[Strength]) -> bool:
    """Whether a strength as it is printed is one of these: "500 mg", and bare figures that can only be one of them."""
    one = strength_of(text)
    if one is not None:
        return one in listed
    numbers = sorted(float(each) for each in text.split("/") if re.fullmatch(r"\d+(?:\.\d+)?", each))
    if not numbers or len(numbers) != text.count("/") + 1:
        return False
    told = [parts for _, parts in listed]
    return any(numbers == sorted(amount / factor for amount, _ in parts) for parts in told for factor in _FACTORS)


@cache
def _sold() -> dict[frozenset[str], frozenset[Strength]]:
    told = table("strengths.toml")["strengths"]
    return {frozenset(name.split(" + ")): frozenset(_listed(each)) for name, each in told.items()}


def _listed(text: str) -> list[Strength]:
    """The strengths of a line of the table: "2.5 5 10 mg; 1 mg/ml"."""
    found: list[Strength] = []
    for group in text.split(";"):
        *numbers, unit = group.split()
        if any(letter.isalpha() for letter in unit) and unit[0].isdigit():
            numbers, unit = [*numbers, unit], ""
        for number in numbers:
            strength = strength_of(f"{number} {unit}" if unit else number)
            if strength is None:
                raise ValueError(f"strengths.toml: {number} {unit} is no strength")
            found.append(strength)
    return found

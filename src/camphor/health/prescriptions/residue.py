"""What is left of a text beside its directions.

Remarks say nothing of a dose: storage, tests, notes to a pharmacist, what to do if unwell. A text falls into segments,
between points, commas, brackets and dashes. A segment without a dose in it is a remark where one of its words is of
those that open remarks (words.toml, `opens_remark` and [remarks]); a segment of words alone, without a figure and
without a word that may change a dose, says nothing of one. In both, a word that is a slip of the pen away from one that
matters, or that changes a dose, keeps the segment among the directions.

What nothing explains is doubted: words in no list, words that may change a dose, and figures that count nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

from camphor.health.prescriptions.directions import ALL, DOSE, Amount, Doubt
from camphor.health.prescriptions.lexing import WORD, Token, listed, words
from camphor.health.prescriptions.scanning import (
    DOSING,
    TextItem,
    clauses,
    harmless,
    is_drug,
    near_dosing,
    of_dosing,
    said_of,
    significant,
    small,
)

_STRONG = frozenset({"scheme", "most", "stop", "then", "end", "needed", "goon", "unclear", "gap"})
"""Kinds of phrase that are directions wherever they stand."""
_WEAK = frozenset({"often", "at", "length", "weekdays", "daynumber"})
"""Kinds that are directions only where no word of a remark stands beside them."""
_CUTS = frozenset(".;\n(),:-")


def without_remarks(items: Sequence[TextItem], tokens: Sequence[Token]) -> list[TextItem]:
    """The items, with each remark as one item of the kind "remark"."""
    kept: list[TextItem] = []
    for segment in _segments(items):
        if segment[0].kind == "mark" or not _is_remark(segment, tokens):
            kept.extend(segment)
        else:
            kept.append(TextItem("remark", None, segment[0].start, segment[-1].end))
    return kept


def _segments(items: Sequence[TextItem]) -> list[list[TextItem]]:
    found: list[list[TextItem]] = []
    for each in items:
        cuts = each.kind == "mark" and str(each.value) in _CUTS
        if cuts or not found or found[-1][0].kind == "mark":
            found.append([each])
        else:
            found[-1].append(each)
    return found


def _is_remark(segment: Sequence[TextItem], tokens: Sequence[Token]) -> bool:
    kinds = {each.kind for each in segment}
    said = [each.key for each in tokens[segment[0].start : segment[-1].end]]
    if said[:1] == ["not"] and kinds & _WEAK and kinds <= {"word", "at", "often", "weekdays"}:
        return True  # "(not daily)"
    if kinds & _STRONG or any(listed("changes_dose", each) for each in said):
        return False
    if any(near_dosing(str(each.value)) for each in segment if each.kind == "word"):
        return False
    verbs = any(each.kind == "verb" for each in segment)
    opens = any(listed("opens_remark", each) for each in said) or _phrase(said)
    if any(each.kind == "amount" and _is_dose(each, verbs or not opens) for each in segment):
        return False
    if any(one.kind == "amount" and two.kind in ("at", "often") for one, two in itertools.pairwise(segment)):
        return False  # "2 at bedtime blood test monthly"
    if "site" in kinds and kinds & _WEAK:
        return False
    if (
        opens
        and kinds & {"length", "daynumber", "weekdays", "at", "often"}
        and not any(listed("remark_of_time", each) for each in said)
    ):
        return False
    if opens:
        return not (verbs and kinds & _WEAK)
    if kinds & {"amount", "strength", "unsure", "figure", "site", "mix", *_WEAK} or verbs:
        return False
    told = [str(each.value) for each in segment if each.kind == "word"]
    if any(len(each) == 1 and each not in ("a", "i") for each in told):
        return False
    return (
        bool(told)
        and not any((significant(each) and not small(each)) or is_drug(each) or of_dosing(each) for each in told)
        and not any(letter.isdigit() for each in told for letter in each)
    )


def _is_dose(item: TextItem, taken: bool) -> bool:
    amount: Amount = item.value
    return (taken and not amount.unit) or (bool(amount.unit) and (taken or amount.unit not in ("g", "ml", "unit")))


def _phrase(said: Sequence[str]) -> bool:
    return any(tuple(said[place : place + len(each)]) == each for place in range(len(said)) for each in _phrases())


@cache
def _phrases() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(each.split()) for each in words()["remarks"]["phrases"])


class Residue:
    """The doubts of what is left of a text; `forms`: those of the product."""

    def __init__(self, tokens: Sequence[Token], forms: Sequence[str]) -> None:
        self._tokens, self._forms = tokens, forms

    def of(self, body: Sequence[TextItem]) -> Iterator[Doubt]:
        """A doubt for each word and figure of the directions that nothing explains."""
        for clause in clauses(body, lambda each: each.kind == "mark" and str(each.value) in ".,;:()\n-"):
            dosing = any(each.kind in DOSING or each.kind == "amount" for each in clause)
            told = False  # after "for", "if needed": what it is for
            for place, item in enumerate(clause):
                if item.kind == "word":
                    yield from self._word(item, dosing, told, place)
                told = (
                    told
                    or item.kind in ("needed", "advice")
                    or (item.kind == "word" and item.value in ("for", "to", "post"))
                )
                if item.kind in ("figure", "unsure"):
                    yield unsure(
                        self._tokens, item, ALL if item.kind == "figure" else (*DOSE, "times", "at", "for_days", "max")
                    )
                elif item.kind == "unclear":
                    yield Doubt(str(item.value), ALL)
                elif item.kind == "advice":
                    yield from self._advice(item)

    def _word(self, item: TextItem, dosing: bool, told: bool, place: int) -> Iterator[Doubt]:
        word = str(item.value)
        if any(each.isdigit() for each in word):
            if not is_drug(word):
                yield unsure(self._tokens, item, ALL)
            return
        patch = "patch" in self._forms or any(each.key in ("patch", "patches") for each in self._tokens)
        if patch and word in ("change", "changed", "replace", "replaced"):
            return
        if significant(word):
            if not small(word) and not (told and word == "or"):
                yield Doubt(f"{said_of(self._tokens, item)!r} may change what is taken", ALL, confirms=True)
        elif (
            near_dosing(word)
            or (told and of_dosing(word))
            or not (small(word) or is_drug(word) or told or (harmless(word) and not dosing))
        ):
            why = f"{said_of(self._tokens, item)!r} was not understood"
            yield Doubt(why, ALL, confirms=True)

    def _advice(self, item: TextItem) -> Iterator[Doubt]:
        for token in self._tokens[item.start : item.end]:
            if token.kind == "UNSURE":
                yield Doubt(f"{token.text!r} cannot be read for certain", ALL)


def unsure(tokens: Sequence[Token], item: TextItem, fields: tuple[str, ...]) -> Doubt:
    """The doubt of a figure that cannot be read for certain, or that counts nothing known."""
    said = said_of(tokens, item)
    why = f"{said!r} cannot be read for certain" if item.kind == "unsure" else f"it is not clear what {said!r} counts"
    rest = tokens[item.end : item.end + 1]
    after = rest[0].text if rest and rest[0].kind == WORD else ""
    return Doubt(why, fields, _candidates(said, after))


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

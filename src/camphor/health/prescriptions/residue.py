"""What nothing explains: words that are in no list, words that may change a dose, and figures that count nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from camphor.health.prescriptions.directions import ALL, DOSE, Doubt
from camphor.health.prescriptions.lexing import WORD, Token
from camphor.health.prescriptions.scanning import (
    DOSING,
    Item,
    clauses,
    harmless,
    is_drug,
    near_dosing,
    of_dosing,
    said_of,
    significant,
    small,
)


class Residue:
    """The doubts of what is left of a text; `forms`: those of the product."""

    def __init__(self, tokens: Sequence[Token], forms: Sequence[str]) -> None:
        self._tokens, self._forms = tokens, forms

    def of(self, body: Sequence[Item]) -> Iterator[Doubt]:
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

    def _word(self, item: Item, dosing: bool, told: bool, place: int) -> Iterator[Doubt]:
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

    def _advice(self, item: Item) -> Iterator[Doubt]:
        for token in self._tokens[item.start : item.end]:
            if token.kind == "UNSURE":
                yield Doubt(f"{token.text!r} cannot be read for certain", ALL)


def unsure(tokens: Sequence[Token], item: Item, fields: tuple[str, ...]) -> Doubt:
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

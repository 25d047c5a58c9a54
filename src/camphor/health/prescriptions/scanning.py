"""A text of directions as a row of items: phrases, advice, names of forms, and words that nothing explains.

Every token becomes part of one item. Words of the closed lists (words.toml, harmless.txt) say nothing of a dose; any
other that no phrase takes is left, for the reader to doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rapidfuzz.distance import OSA

from camphor.health.prescriptions.drugs import file_of, find
from camphor.health.prescriptions.lexing import CODE, DATE, MARK, PHONE, UNSURE, WORD, Token, entries_of, words
from camphor.health.prescriptions.phrases import DirectionPhrase, phrases_at, word_at

SEPARATORS = frozenset(".,;:()\n-")
_ENDS = frozenset(".;\n")
_QUIET = frozenset({"site", "mix", "directed", "form"})
"""Kinds of phrase that may stand in advice."""


DOSING = frozenset({
    "often", "at", "scheme", "needed", "length", "weekdays", "daynumber", "taper", "stop", "most", "gap", "then", "end",
    "directed", "goon",
})  # fmt: skip
"""Kinds of phrase that say how a medicine is taken, but how much."""


@dataclass(frozen=True)
class TextItem:
    """What stands from `start` to `end`: `kind` is that of a phrase, or "verb", "advice", "mark", "word", "figure" or
    "unclear" (two readings that differ; `value` is why)."""

    kind: str
    value: Any
    start: int
    end: int


def said_of(tokens: Sequence[Token], item: TextItem) -> str:
    """The words of an item."""
    return " ".join(each.text for each in tokens[item.start : item.end] if each.text != "\n")


def scan(tokens: Sequence[Token]) -> list[TextItem]:
    """The items of a text."""
    found: list[TextItem] = []
    place = 0
    while place < len(tokens):
        item = (
            _past(tokens, place)
            or _complaint(tokens, place)
            or _threshold(tokens, place)
            or _well_again(tokens, place)
            or _advice(tokens, place)
            or _phrase(tokens, place)
            or _single(tokens[place], place)
        )
        found.append(item)
        place = item.end
    return found


def harmless(word: str) -> bool:
    """Whether a word is of the closed lists of those that say nothing of a dose."""
    return word in _harmless() or word in _small() or (word.endswith("'s") and word[:-2] in _harmless())


def small(word: str) -> bool:
    """Whether a word says nothing of a dose even within directions."""
    return word in _small()


def significant(word: str) -> bool:
    """Whether a word may change what is taken."""
    return word in _significant()


def near_number(word: str) -> bool:
    """Whether a word may be a number, a frequency or a word to stop, written wrong: "tow"."""
    if len(word) < 3 or word in _numbers() or is_drug(word) or (harmless(word) and word not in _MISTAKEN):
        return False
    return any(OSA.distance(word, each, score_cutoff=1) <= 1 for each in _numbers())


def of_dosing(word: str) -> bool:
    """Whether a word is one of the lists of directions, by itself."""
    return word in _alone()


def near_dosing(word: str) -> bool:
    """Whether a word that is no other known word may be one of directions, written wrong: "mornig", "tabelt"."""
    if len(word) < 4 or word in _dosing() or harmless(word) or significant(word) or is_drug(word):
        return near_number(word)
    slips = 1 if len(word) < 7 else 2
    return any(
        abs(len(each) - len(word)) <= slips and OSA.distance(word, each, score_cutoff=slips) <= slips
        for each in _dosing()
    )


_MISTAKEN = frozenset({"tow", "won", "tree", "fore", "ate"})
_DOUBLING = frozenset({"double", "missed", "half", "twice", "thrice", "skip", "omit", "quarter"})


@cache
def _numbers() -> frozenset[str]:
    told = [*entries_of("NUM", "STOP", "ONCE"), "half", "daily", "weekly", "every", "twice", "hourly", "monthly"]
    return frozenset(each for each in told if " " not in each and each.isalpha() and len(each) > 2)


_DOSING = (  # noqa: SIM905
    "NUM HALF COUNT SPOON MASS LATIN TIMES ONCE DAILY EVERY OTHER ALTDAYS FORTNIGHT HOUR HOURLY PERIOD STAT SLOT "
    "MEAL FASTING NEEDED MAX WEEKDAY THEN END STOP REPEAT GAP"
).split()


@cache
def _alone() -> frozenset[str]:
    others = ("FOODLATIN", "MEALS", "BEFORE", "AFTER", "DIRECTED", "GOON", "ROUTE", "UPTO", "TOTAL", "EXCEPT", "MORE")
    return frozenset(word for word in entries_of(*_DOSING, *others) if " " not in word and not small(word))


@cache
def _dosing() -> frozenset[str]:
    told = {part for word in entries_of(*_DOSING) for part in word.split()}
    return frozenset(each for each in told if each.isalpha() and len(each) > 3)


def is_drug(word: str) -> bool:
    return len(word) > 3 and (find(word).drug or find(f"co {word}").drug) is not None


@cache
def _harmless() -> frozenset[str]:
    lines = file_of("harmless.txt").splitlines()
    return frozenset(each for line in lines if not line.startswith("#") for each in line.split())


@cache
def _small() -> frozenset[str]:
    return frozenset(words()["small"]["words"].split())


@cache
def _significant() -> frozenset[str]:
    return frozenset(word for each in words()["significant"]["words"] for word in each.split())


def _phrase(tokens: Sequence[Token], place: int) -> TextItem | None:
    verb = _verb(tokens, place)
    found = phrases_at(tokens, place)
    if not found or (verb and verb.end >= found[0].end and found[0].kind != "stop"):
        return verb
    first = found[0]
    different = {(each.kind, repr(each.value)) for each in found}
    if len(different) > 1:
        kept = _preferred(found)
        if kept is None:
            said = " ".join(each.text for each in tokens[first.start : first.end])
            return TextItem("unclear", f"{said!r} can be read in two ways", first.start, first.end)
        first = kept
    after = tokens[first.end].key if first.end < len(tokens) else ""
    if tokens[first.start].key == "pen" and first.length == 1 and after in ("v", "vk", "g"):
        return verb  # penicillin
    if first.kind == "form" and first.length == 1 and len(tokens[first.start].text) == 1:
        return verb  # "Vit C", and no capsule
    return TextItem(first.kind, first.value, first.start, first.end)


_RANK = ("end", "goon", "stop", "needed", "most", "often", "at", "then", "mix", "form", "site", "amount")


def _preferred(found: Sequence[DirectionPhrase]) -> DirectionPhrase | None:
    """Of two kinds of one length the one that says more; None where both may be meant."""
    kinds = {each.kind for each in found}
    for pair in ({"often", "at"}, {"length", "most"}, {"length", "often"}, {"gap", "length"}, {"most", "length"}):
        if pair <= kinds:
            return None
    ranked = sorted(found, key=lambda each: _RANK.index(each.kind) if each.kind in _RANK else len(_RANK))
    return ranked[0]


def _verb(tokens: Sequence[Token], place: int) -> TextItem | None:
    contents = word_at(tokens, place, "CONTENTS")
    if contents:
        return TextItem("verb", "", place, contents[1])
    if tokens[place].key in ("start", "commence", "begin") and place + 1 < len(tokens):
        after = place + (2 if tokens[place + 1].key in ("with", "on", "at") else 1)
        follows = phrases_at(tokens, after) if after < len(tokens) else []
        return TextItem("verb", "take", place, after) if follows and follows[0].kind == "amount" else None
    found = word_at(tokens, place, "VERB")
    return TextItem("verb", found[0], place, found[1]) if found else None


def _advice(tokens: Sequence[Token], place: int) -> TextItem | None:
    """A sentence that advises, to its end; with a phrase in it that may be a direction it is unclear."""
    head = _head(tokens, place)
    if head is None:
        return None
    kind, end = head
    figures = kind == "figures"
    if figures and end == place + 1 and place and tokens[place - 1].key not in SEPARATORS | {"and", "&", "then"}:
        return None
    stronger = phrases_at(tokens, place)
    if stronger and stronger[0].length > end - place:
        return None
    if kind == "alone":
        return TextItem("advice", None, place, end)
    while end < len(tokens) and tokens[end].key not in _ENDS:
        if tokens[end].key in ",-:()" and _goes_on(tokens, end + 1, figures):
            break
        inner = _head(tokens, end) if figures else None
        if inner and inner[0] != "alone":
            end = inner[1]
            continue
        found = [each for each in phrases_at(tokens, end) if each.kind not in _QUIET]
        if found and figures and found[0].kind == "then" and not _doses_follow(tokens, found[0].end):
            end = found[0].end
            continue
        conditional = found and found[0].kind == "needed" and tokens[end].key in ("if", "when")
        if found and figures and not conditional and found[0].kind in ("then", "end", "stop", "most", "needed"):
            break
        if found and not figures:
            if tokens[end - 1].key in SEPARATORS or found[0].kind in ("at", "needed", "goon"):
                break
            said = " ".join(each.text for each in tokens[place : found[0].end])
            return TextItem("unclear", f"{said!r} may be advice or part of how it is taken", place, found[0].end)
        if tokens[end].key in _DOUBLING:
            said = " ".join(each.text for each in tokens[place : end + 1])
            return TextItem("unclear", f"{said!r} may be part of how it is taken", place, end + 1)
        end = max([end + 1, *(each.end for each in found)])
    return TextItem("advice", None, place, end)


def _doses_follow(tokens: Sequence[Token], place: int) -> bool:
    return place < len(tokens) and any(each.kind in ("amount", "often", "scheme") for each in phrases_at(tokens, place))


def _longest(tokens: Sequence[Token], place: int, entries: Iterable[str]) -> int:
    """How many tokens the longest of the entries has that stand there; 0 where none does."""
    told = [each.split() for each in entries]
    return max((len(each) for each in told if [it.key for it in tokens[place : place + len(each)]] == each), default=0)


def _threshold(tokens: Sequence[Token], place: int) -> TextItem | None:
    """A measurement and what it is above or below: "temp > 38.5 C", "SBP < 100"."""
    told = words()["thresholds"]
    end = place + 1
    if tokens[place].key not in told["measures"].split():
        return None
    while end < len(tokens) and tokens[end].key in told["joins"].split():
        end += 1
    compares = _longest(tokens, end, told["compares"])
    end += compares
    if not compares or end >= len(tokens) or tokens[end].kind not in ("NUM", "PAIR", UNSURE):
        return None
    end += 1
    while end < len(tokens) and tokens[end].key in told["units"].split():
        end += 1
    return TextItem("advice", None, place, end)


def _well_again(tokens: Sequence[Token], place: int) -> TextItem | None:
    """To go on for some days after a complaint is over: "continue for 2 days after symptoms have gone"."""
    end = place
    heads = {"continue", "continuing", "carry", "keep", "continued"}
    while end < len(tokens) and tokens[end].key in {"and", "to", "on", "going", "be", "treatment", *heads}:
        end += 1
    goes_on = heads & {each.key for each in tokens[place:end]}
    if not goes_on or end + 3 >= len(tokens) or tokens[end].key != "for":
        return None
    number, unit, after = tokens[end + 1], tokens[end + 2], tokens[end + 3]
    counted = number.kind == "NUM" or number.key in ("two", "three", "one", "five", "seven")
    if not counted or unit.key not in ("hours", "days", "day", "week", "weeks") or after.key != "after":
        return None
    end += 4
    while end < len(tokens) and tokens[end].key not in SEPARATORS:
        if any(each.kind in ("amount", "often", "at", "then", "stop") for each in phrases_at(tokens, end)):
            return None
        end += 1
    return TextItem("advice", None, place, end)


def _past(tokens: Sequence[Token], place: int) -> TextItem | None:
    """What was taken before, to the end of its clause."""
    if place and tokens[place - 1].key not in SEPARATORS:
        return None
    end = place + _longest(tokens, place, words()["past"]["words"])
    if end == place:
        return None
    while end < len(tokens) and (tokens[end].key not in SEPARATORS or (tokens[end].key == "-" and tokens[end].tight)):
        if tokens[end].key in ("to", "now", "then", "but", "and"):
            said_ = " ".join(each.text for each in tokens[place : end + 1])
            return TextItem("unclear", f"it is not clear what {said_!r} changes", place, end + 1)
        end += 1
    return TextItem("past", None, place, end)


def _complaint(tokens: Sequence[Token], place: int) -> TextItem | None:
    """ "If" or "when" with a complaint, and nothing else to the end of the clause: taken as needed."""
    end = start = place + _longest(tokens, place, words()["complaints"]["openers"])
    if start == place:
        return None
    while end < len(tokens):
        measured = _threshold(tokens, end)
        if measured is None and tokens[end].key not in _complaints():
            break
        end = measured.end if measured else end + 1
    closed = end == len(tokens) or tokens[end].key in SEPARATORS or tokens[end].key in ("and", "for", "but")
    named = any(
        len(token.key) > 3 and token.key not in ("have", "feel", "very", "still", "your") for token in tokens[start:end]
    )
    return TextItem("needed", None, place, end) if closed and named else None


def complaint(word: str) -> bool:
    """Whether a word names a complaint: "fever"."""
    return len(word) > 3 and word in _complaints()


@cache
def _complaints() -> frozenset[str]:
    return frozenset(words()["complaints"]["words"].split())


def _goes_on(tokens: Sequence[Token], place: int, figures: bool = False) -> bool:
    """Whether directions begin again after a comma."""
    if figures and place < len(tokens):
        found = phrases_at(tokens, place)
        weak = found and found[0].kind in ("at", "length", "weekdays", "site", "mix", "form", "gap")
        after = tokens[found[0].end].key if found and found[0].end < len(tokens) else ""
        weak = weak and not (found[0].kind == "length" and after not in ("before", "after", "of", "prior"))
        hours = found and found[0].kind == "amount" and not found[0].value.unit and found[0].end < len(tokens)
        weak = weak or (hours and tokens[found[0].end].key in ("hour", "hours", "hrs", "hr", "minutes", "mins", "min"))
        return bool(_verb(tokens, place) or (found and not weak))
    return place < len(tokens) and bool(
        _verb(tokens, place)
        or _head(tokens, place)
        or any(each.kind not in _QUIET for each in phrases_at(tokens, place))
    )


def _head(tokens: Sequence[Token], place: int) -> tuple[str, int] | None:
    best: tuple[str, int] | None = None
    for told, kind in _heads().get(tokens[place].key, ()):
        end = place + len(told)
        fits = end <= len(tokens) and all(tokens[place + step].key == word for step, word in enumerate(told))
        if fits and (best is None or end > best[1] or (end == best[1] and kind == "figures")):
            best = kind, end
    return best


@cache
def _heads() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, each in words()["advice"].items():
        for text in each:
            told = tuple(text.split())
            found.setdefault(told[0], []).append((told, name))
    return found


def _single(token: Token, place: int) -> TextItem:
    if token.kind == MARK and token.key in SEPARATORS | set("/&\"'+*•="):
        return TextItem("mark", token.key, place, place + 1)
    if token.kind in (DATE, PHONE):
        return TextItem("advice", None, place, place + 1)
    if token.kind in (WORD, CODE):
        return TextItem("word", token.key, place, place + 1)
    return TextItem("unsure" if token.kind == UNSURE else "figure", token.text, place, place + 1)


def clauses(items: Sequence[TextItem], cut: Callable[[TextItem], bool]) -> list[list[TextItem]]:
    """The items between marks that cut."""
    found: list[list[TextItem]] = [[]]
    for each in items:
        if cut(each):
            found.append([])
        else:
            found[-1].append(each)
    return [each for each in found if each]

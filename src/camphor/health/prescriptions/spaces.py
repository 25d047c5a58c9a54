"""Spaces put back where recognition has joined known words: "TakeONEtabletat8am", "Rasagiline0.5mg".

A run of letters that is no known word is cut only where one way to cut it into known words has the fewest ("everyday"
and "every day" are the same); a figure is cut off the letters beside it where those are known words, and never cut
itself: what "11/2" is stays open. Two readings of a picture are then compared: what they agree in is clear, what one
alone has is not (`checked`).
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

from camphor.health.prescriptions.drugs import is_salt, words_of_names
from camphor.health.prescriptions.lines import page_words
from camphor.health.prescriptions.scanning import harmless, is_drug, of_dosing, significant, small

_RUN = re.compile(r"[^\W\d_]+|\d+(?:[.,/:]\d+)*|.", re.DOTALL)
_CLEAR = re.compile(r"[\d.,:]+|[1-3]/[2-4]|\d{1,2}/\d{1,2}/(?:\d\d){1,2}")
"""Figures that are the same with letters joined before them: not 11/2, which may be one and a half."""
_SHORT = frozenset({"a", "at", "by", "in", "of", "on", "to", "or", "as", "bd", "od", "po"})
"""Short words that are cut off between words of directions alone: "away" is not "a way"."""
_MASSES = frozenset({"mg", "ml", "mcg", "g"})
_LEAST = 4
"""Letters of a part, but for words of directions."""
_UNITS = ("mg", "ml", "mcg", "microgram", "unit", "gram", "am", "pm", "st", "nd", "rd", "th")
_WHOLE = frozenset({"away"})
_MOST_WAYS = 8
_LONGEST = 60
"""Letters of a run that is cut."""


def parted(text: str) -> str:
    """A text with spaces between known words that stand joined, without those within a known word ("c ream")."""
    # brackets and marks as wide as a Chinese letter are those of other letters; ½ and µ stay
    text = "".join(unicodedata.normalize("NFKC", each) if "\uff01" <= each <= "\uff5e" else each for each in text)
    return _mended(_COURSE.sub(r" x \1", " ".join(_parted(each) for each in text.split(" "))))


_COURSE = re.compile(r"(?<=\d)[xX×](\d+ ?(?:days?|weeks?|wks?|months?|/(?:7|52|12)))\b", re.IGNORECASE)


def _mended(text: str) -> str:
    """With two pieces, one of them no word, as the known word that they are together."""
    found: list[str] = []
    for piece in text.split(" "):
        if found and found[-1].isalpha() and _one_word(found[-1], piece.rstrip(".,;:")):
            found[-1] += piece
        else:
            found.append(piece)
    return " ".join(found)


def _one_word(one: str, other: str) -> bool:
    """Whether letters that recognition has parted are a word: "c ream", not "a way"."""
    words = [each.casefold() for each in (one, other)]
    strange = not all(_known(each) or each in _SHORT | _MASSES or each == "a" for each in words)
    return strange and other.isalpha() and _known("".join(words)) and len("".join(words)) > _LEAST


def strange(text: str) -> int:
    """How many letters of a text are in words that are not known."""
    return sum(len(run) for run in _RUN.findall(text) if run.isalpha() and not _is_words(run) and len(run) > 1)


def _parted(word: str) -> str:
    made, before = "", ""
    runs = _RUN.findall(_ZEROS.sub(lambda found: "0" * len(found[0]), word))
    for place, run in enumerate(runs):
        if run[-1] in "xX" and "".join(runs[place + 1 : place + 2]).isdigit() and _is_words(run[:-1]):
            run = f"{_cut(run[:-1])} x "  # "DAILYX3"
        if (_is_words(before) and run[0].isdigit() and _CLEAR.fullmatch(run)) or (
            before[:1].isdigit() and _is_words(run) and not run.casefold().startswith(_UNITS)
        ):
            made += " "
        made += _cut(run)
        before = run
    return made


_ZEROS = re.compile(r"(?<=\d)[oO]+(?=(?:mg|mcg|ml|g)(?:tab|cap|[^a-z]|$))", re.IGNORECASE)


def _is_words(run: str) -> bool:
    parts = _cut(run).casefold().split()
    return len(run) > 1 and run.isalpha() and all(_known(each) or each in _SHORT | _MASSES for each in parts)


def _cut(run: str) -> str:
    """A run of letters as known words, where one way to cut it has the fewest; else as it is."""
    if not run.isalpha() or not 3 < len(run) <= _LONGEST or _known(run.casefold()):
        return run
    ways = sorted((each for each in _ways(run.casefold()) if _fits(each)), key=len)
    if not ways or [len(each) for each in ways[:2]] == [len(ways[0])] * 2:
        return _named(run)
    found, start = [], 0
    for each in ways[0]:
        found.append(run[start : start + len(each)])
        start += len(each)
    return " ".join(found)


def _named(run: str) -> str:
    """A known name cut off what is joined to it: a strength in which letters stand for figures ("CyclizineSomg")."""
    for end in range(len(run) - 1, _LEAST, -1):
        if (figures := _GARBLED.match(run[end:])) and is_drug(run[:end].casefold()):
            return f"{run[:end]} {figures[0]} {_cut(run[end + figures.end() :])}".rstrip()
    return run


_GARBLED = re.compile(r"[sSoOIlZzB]{1,4}(?:mg|mcg|ml|g)(?=$|[a-z]{3})")


def _fits(parts: tuple[str, ...]) -> bool:
    """Whether short words stand beside words of directions alone, and a mass at the start."""
    for place, part in enumerate(parts):
        beside = parts[max(0, place - 1) : place] + parts[place + 1 : place + 2]
        if part in _SHORT and not all(_taking(each) for each in beside):
            return False
        if part in _MASSES and place:
            return False
    return True


def _taking(word: str) -> bool:
    """Whether a word is one of directions, or stands in them: "tablet", "mouth"."""
    return of_dosing(word) or small(word) or significant(word) or (len(word) >= _LEAST and _known(word))


@cache
def _ways(run: str) -> tuple[tuple[str, ...], ...]:
    """The ways to cut letters into known words, some at most."""
    if not run:
        return ((),)
    found: list[tuple[str, ...]] = []
    for end in range(1, len(run) + 1):
        part = run[:end]
        if part in _SHORT or part in _MASSES or (end > 2 and _taking(part)) or (end >= _LEAST and _known(part)):
            found += [(part, *rest) for rest in _ways(run[end:])]
    return tuple(found[:_MOST_WAYS])


@cache
def _known(word: str) -> bool:
    return (
        small(word)
        or harmless(word)
        or significant(word)
        or of_dosing(word)
        or is_drug(word)
        or word in words_of_names()
        or (is_salt(word) and len(word) > _LEAST)
        or word in page_words()["product"]["words"]
        or word in _WHOLE
    )


def unmixed(text: str) -> str:
    """With figures in figures and letters in words, where two readings agree in all but that: "4oo mg", "P0"."""
    text = re.sub(r"\b\d+ ?[oO]{2,}(?=\s?(?:mg|mcg|g|ml|MG|MCG|G|ML)\b)", _figures, text)
    text = re.sub(
        rf"(?<![^\s(/-])(?=[\doOlI|.,]*[oOlI|])(?:[\doOlI|]+[.,])?[\doOlI|]{{1,6}}(?=\s?{_COUNTED})", _figures, text
    )
    text = re.sub(r"(?<=\d-)[oOlI|](?!\w)|(?<![\w-])[oOlI|](?=-\d)", _figures, text)
    text = re.sub(r"(?<![A-Za-z])\d[\doO]*[oO][\doO]*(?=(?i:mg|mcg|micro|g\b|ml)|\b)", _figures, text)
    text = re.sub(r"\b(?=[A-Z0]*[A-Z])[A-Z0]*0[A-Z0]*\b", lambda found: found[0].replace("0", "O"), text)
    return re.sub(r"\b(?=[A-Za-z01]*[01lI])(?=[01]*[A-Za-z])[A-Za-z01]{3,}\b", _letters, text)


_COUNTED = r"(?:(?i:mg|mcg|micrograms?|g|ml|units?)(?![A-Za-z])|%)"
_ALIKE = str.maketrans({"o": "0", "O": "0", "l": "1", "I": "1", "|": "1", " ": ""})


def _figures(found: re.Match[str]) -> str:
    return found[0].translate(_ALIKE)


def _letters(found: re.Match[str]) -> str:
    """A word in which a 0, a 1, an I or an l stands for a letter like it: "0meprazole", "SlX"."""
    word = found[0]
    if _known(word.casefold()):
        return word
    options = [_LETTERS.get(letter, letter.casefold()) for letter in word]
    if math.prod(map(len, options)) > _MOST_WAYS:
        return word
    known = [each for each in map("".join, itertools.product(*options)) if _known(each)]
    if len(known) != 1:
        return word
    return known[0].upper() if word.replace("l", "").isupper() else known[0]


_LETTERS = {"0": "o", "1": "li", "l": "li", "I": "li"}


# two readings of a picture


_ONCE = 0.6  # how clear a piece counts that one reading alone has


@dataclass(frozen=True)
class Box:
    """One piece of text: its middle, extent and slope in the picture, and what was read.

    `mean`: confidence over all characters; `seen`: that, or that of the least clear digit where it is lower; `other`:
    what the second reading has there; `letters`: confidence over all characters by both readings where they agree.
    """

    corners: Any
    x: float
    y: float
    width: float
    height: float
    slope: float
    text: str
    mean: float
    seen: float
    other: str = ""
    letters: float = 0.0


def checked(first: Sequence[Box], second: Sequence[Box]) -> list[Box]:
    """The pieces of two readings, each with what the other has; what one of them alone has counts as unclear."""
    found: list[Box] = []
    for one, other in _pairs(first, second):
        one, other = _unmarked(one, other)
        if not (one and other):
            found += [
                replace(each, seen=min(each.seen, _ONCE), letters=min(each.letters, _ONCE), other=each.text)
                for each in one or other
            ]
            continue
        better, worse = (one, other) if _likely(one) >= _likely(other) else (other, one)
        if _said(one) == _said(other):
            seen = 1 - (1 - _surest(one)) * (1 - _surest(other))  # both would have to err, and alike
            letters = 1 - (1 - min(box.mean for box in one)) * (1 - min(box.mean for box in other))
            texts = [unmixed(each.text) for each in better]
            found += [
                replace(each, text=text, letters=letters, seen=max(each.seen, seen), other=text)
                for each, text in zip(better, texts, strict=True)
            ]
        else:
            found += [replace(each, other=text) for each, text in zip(better, _beside(better, worse), strict=True)]
    return found


_SIGN = frozenset("RPBDKF")
"""Letters for which the sign of a prescription, ℞, is taken."""


def _unmarked(one: list[Box], other: list[Box]) -> tuple[list[Box], list[Box]]:
    """Two readings without the sign of a prescription before them: both begin with a letter, and not the same."""
    if not (one and other):
        return one, other
    marks = {each[0].text.partition(" ")[0] for each in (one, other)}
    if len(marks) < 2 or not marks <= _SIGN:
        return one, other
    first, second = ([replace(each[0], text=each[0].text[2:]), *each[1:]] for each in (one, other))
    return [each for each in first if each.text], [each for each in second if each.text]


def _likely(boxes: Sequence[Box]) -> tuple[int, float]:
    """What is the likelier of two readings: that with fewer letters in strange words, then the surer one."""
    return -sum(strange(box.text) for box in boxes), _surest(boxes)


def _beside(boxes: Sequence[Box], others: Sequence[Box]) -> list[str]:
    """What another reading has at each box; all of it at the first where the pieces are not the same."""
    texts = [each.text for each in others]
    return texts if len(texts) == len(boxes) else [" ".join(texts), *[""] * (len(boxes) - 1)]


def _pairs(first: Sequence[Box], second: Sequence[Box]) -> list[tuple[list[Box], list[Box]]]:
    """The pieces of both readings that lie on each other, each side from left to right."""
    groups: list[tuple[list[Box], list[Box]]] = [([each], []) for each in first]
    for each in second:
        on = [group for group in groups if any(_on_each_other(each, other) for side in group for other in side)]
        groups = [group for group in groups if not any(group is other for other in on)]
        groups.append(([box for one, _ in on for box in one], [*(box for _, other in on for box in other), each]))
    return [(sorted(one, key=attrgetter("x")), sorted(other, key=attrgetter("x"))) for one, other in groups]


def _on_each_other(one: Box, other: Box) -> bool:
    across = min(one.x + one.width / 2, other.x + other.width / 2) - max(
        one.x - one.width / 2, other.x - other.width / 2
    )
    sine = math.sin((one.slope + other.slope) / 2)
    down = abs(one.y - other.y - sine * (one.x - other.x))
    return across > 0.3 * min(one.width, other.width) and down < 0.5 * min(one.height, other.height)


def _surest(boxes: Sequence[Box]) -> float:
    return min(box.seen for box in boxes)


_LIKE = str.maketrans("oil|", "0111")
"""Letters that are told from figures only by the words around them."""


def _said(boxes: Sequence[Box]) -> str:
    """What pieces say, without what changes nothing: spaces, capitals, marks that do not stand before a figure."""
    text = "".join("".join(box.text.split()) for box in boxes).casefold().translate(_LIKE)
    return re.sub(r"[.,/:-](?!\d)|[^\w%½¼¾⅓⅔+.,/:-]", "", text)

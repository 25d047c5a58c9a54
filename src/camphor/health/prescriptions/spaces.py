"""Spaces put back where recognition has joined known words: "TakeONEtabletat8am", "Rasagiline0.5mg".

A run of letters that is no known word is cut only where there is one way to cut it into known words; a figure is cut
off the letters beside it where those are known words, and never cut itself: what "11/2" is stays open.
"""

from __future__ import annotations

import re
from functools import cache

from camphor.health.prescriptions.drugs import words_of_names
from camphor.health.prescriptions.scanning import harmless, is_drug, of_dosing, significant, small

_RUN = re.compile(r"[^\W\d_]+|\d+(?:[.,/:]\d+)*|.", re.DOTALL)
_SHORT = frozenset({"a", "at", "by", "in", "of", "on", "to", "or", "as", "mg", "ml", "bd", "od", "po", "am", "pm"})
_LEAST = 3
"""Letters of a part, but for some short words."""
_UNITS = ("mg", "ml", "mcg", "microgram", "unit", "gram", "am", "pm", "st", "nd", "rd", "th")
_LONGEST = 60
"""Letters of a run that is cut."""


def parted(text: str) -> str:
    """A text with spaces between known words that stand joined."""
    return " ".join(_parted(each) for each in text.split(" "))


def strange(text: str) -> int:
    """How many letters of a text are in words that are not known."""
    return sum(len(run) for run in _RUN.findall(text) if run.isalpha() and not _is_words(run) and len(run) > 1)


def _parted(word: str) -> str:
    made, before = "", ""
    for run in _RUN.findall(word):
        if (_is_words(before) and run[0].isdigit() and "/" not in run) or (
            before[:1].isdigit() and _is_words(run) and not run.casefold().startswith(_UNITS)
        ):
            made += " "
        made += _cut(run)
        before = run
    return made


def _is_words(run: str) -> bool:
    return (
        len(run) > 1 and run.isalpha() and all(_known(each) or each in _SHORT for each in _cut(run).casefold().split())
    )


def _cut(run: str) -> str:
    """A run of letters as known words, where there is one way to cut it; else as it is."""
    if not run.isalpha() or not _LEAST < len(run) <= _LONGEST or _known(run.casefold()):
        return run
    ways = _ways(run.casefold())
    if len(ways) != 1:
        return run
    found, start = [], 0
    for each in ways[0]:
        found.append(run[start : start + len(each)])
        start += len(each)
    return " ".join(found)


@cache
def _ways(run: str) -> tuple[tuple[str, ...], ...]:
    """The ways to cut letters into known words, two at most."""
    if not run:
        return ((),)
    found: list[tuple[str, ...]] = []
    for end in range(1, len(run) + 1):
        part = run[:end]
        if part in _SHORT or (len(part) >= _LEAST and _known(part)):
            found += [(part, *rest) for rest in _ways(run[end:])]
    return tuple(found[:2])


@cache
def _known(word: str) -> bool:
    return (
        small(word)
        or harmless(word)
        or significant(word)
        or of_dosing(word)
        or is_drug(word)
        or word in words_of_names()
    )

"""Strict comparison of free text: what an embedding does not see has to be the gold's too.

A sentence embedding holds "See you at 6" and "See you at 7" for the same, and "can come" and "can't come" nearly so.
So beside the cosine the figures, times and days, the names and the negations of a predicted text must be those of the
gold text.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime

from camphor.device.text import words
from camphor_lab.evaluation.matching import matching_size
from camphor_lab.evaluation.stated import Fact, agree, facts_of, plain
from camphor_lab.evaluation.stated_words import NEGATES

_NAME = re.compile(r"(?<![.!?:] )(?<![.!?:\"“(\n])(?<!^)\b[A-ZÀ-Þ][\w'’]*[a-zß-ÿ][\w'’]*")
_NOT_NAMES = frozenset(("i", "i'm", "i'll", "i've", "i'd"))

_SOME_DAY = datetime(2000, 1, 1)  # with any clock "Sunday" is read as a day, and not as a name


def same_facts(gold: str, predicted: str, names: Collection[str] = (), now: datetime | None = None) -> bool:
    """Whether figures, times, days, names and negations of two texts are the same.

    Args:
        names: folded words of the names of contacts: they count however they are written. now: the device's clock.
    """
    if bool(NEGATES.search(plain(gold))) != bool(NEGATES.search(plain(predicted))):
        return False
    there, here = _stems(words(gold)), _stems(words(predicted))
    if not (_stems(_names(gold, names)) <= here and _stems(_names(predicted, names)) <= there):
        return False
    return _same_figures(_claims(gold, now), _claims(predicted, now))


def _names(text: str, known: Collection[str]) -> set[str]:
    """Folded words of names: capitalised within a sentence, or of a contact."""
    written = {word for name in _NAME.findall(text) if name.casefold() not in _NOT_NAMES for word in words(name)}
    figures = {word for fact in facts_of(text, _SOME_DAY) for word in words(fact.text)}
    return (written - figures) | {word for word in words(text) if word in known}


def _stems(found: Collection[str]) -> set[str]:
    """Without the "s" at the end: people leave out the apostrophe of "Mom's"."""
    return {word.removesuffix("s") for word in found}


def _claims(text: str, now: datetime | None) -> list[Fact]:
    return list(dict.fromkeys(fact for fact in facts_of(text, now) if not fact.weak or fact.kind != "number"))


def _same_figures(gold: list[Fact], predicted: list[Fact]) -> bool:
    """Each agrees with one of the other text, whatever the writing."""
    pairs = [[place for place, other in enumerate(predicted) if agree(fact, other)] for fact in gold]
    if len(gold) == len(predicted):
        return matching_size(pairs) == len(gold)
    back = [any(agree(fact, other) for other in gold) for fact in predicted]
    return all(pairs) and all(back)

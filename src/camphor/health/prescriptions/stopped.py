"""Whether a text that says to stop says more than that: a dose that is taken, a limit, another medicine."""

from __future__ import annotations

from collections.abc import Sequence

from camphor.health.prescriptions.courses import Course
from camphor.health.prescriptions.drugs import find
from camphor.health.prescriptions.lexing import UNSURE, Token, listed, words
from camphor.health.prescriptions.meanings import MASSES
from camphor.health.prescriptions.scanning import DOSING, Item

_NAMES = ("mark", "word", "form", "strength")


def says_more(
    tokens: Sequence[Token], items: Sequence[Item], stops: Sequence[Item], course: Course, *, verbs: bool, needed: bool
) -> bool:
    """Whether more is said than to stop.

    Args:
        stops: the words to stop, of `items`. verbs, needed: whether a verb of taking and "as needed" are said.
    """
    before = [each for each in items if each.end <= stops[0].start]
    after = [each for each in items if each.start >= stops[-1].end]
    whole = any(each.kind == "amount" for each in before) and any(each.kind in DOSING for each in before)
    replaced = _replaced(tokens, stops)
    first = all(each.kind in _NAMES for each in before)
    if first and not verbs and not whole:
        taken = needed or any(each.days for each in course.doses)
    else:
        timed = len(course.doses) > 1 or any(each.days or each.at for each in course.doses)
        taken = verbs or needed or whole or timed
    return (
        taken
        or _doses_follow(tokens, after, first)
        or any(each.kind in DOSING | {"amount"} for each in after if each.start >= replaced)
        or _medicines(tokens[:replaced]) > 1
        or any(token.kind == UNSURE for token in tokens)
        or any(listed("more_than_stop", each) for each in _others(tokens[:replaced], items, stops))
    )


def _doses_follow(tokens: Sequence[Token], after: Sequence[Item], first: bool) -> bool:
    """Whether a dose stands after the words to stop, and outside their sentence where they come first."""
    dosed = any(
        each.kind in ("often", "scheme", "at") or (each.kind == "amount" and each.value.unit not in MASSES)
        for each in after
    )
    ends = next((each.start for each in after if each.kind == "mark" and str(each.value) in ".;"), len(tokens))
    inside = all(each.start < ends for each in after if each.kind in ("often", "scheme", "at", "amount"))
    return dosed and not (first and inside)


def _replaced(tokens: Sequence[Token], stops: Sequence[Item]) -> int:
    """Where it is said what takes the place of what is stopped, "now on apixaban"; the end, where it is not."""
    keys = [each.key for each in tokens]
    for place in range(stops[-1].end, len(keys) - 1):
        if f"{keys[place]} {keys[place + 1]}" in words()["replaced"]["by"]:
            return place
    return len(keys)


def _medicines(tokens: Sequence[Token]) -> int:
    found = {tuple(drug.ingredients) for each in tokens if len(each.key) > 3 and (drug := find(each.key).drug)}
    return len(found)


def _others(tokens: Sequence[Token], items: Sequence[Item], stops: Sequence[Item]) -> set[str]:
    """The words that are neither to stop nor advice, nor name the product."""
    told = [*stops, *(each for each in items if each.kind in ("advice", "strength", "form"))]
    places = {place for each in told for place in range(each.start, each.end)}
    return {token.key for place, token in enumerate(tokens) if place not in places}

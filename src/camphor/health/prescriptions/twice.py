"""Two readings of a picture compared: what they agree in is clear, what one alone has is not."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from camphor.health.prescriptions.spaces import strange, unmixed

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

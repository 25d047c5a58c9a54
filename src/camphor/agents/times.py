"""The words of time that a call may use: the person's own, and those of what was found.

A moment is copied, never composed of parts that nobody said: a day and an hour from the query, an hour that a mail
names, the start of an event that was looked up, a length before or after one of them. Code computes the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import islice

from camphor.agents.observed_facts import FoundRecord, Known
from camphor.device.when import parse_time
from camphor.device.when.fragments import TimeKind, fragments, weekdays_beside
from camphor.errors import ToolError
from camphor.tools.grammar import TimeWords

_MOST_TEXT = 600  # characters of one value that are searched
_MOST_IN_ALL = 4000  # and of all: a screen full of mails takes 50 ms
_MOST_OF_A_KIND = 60
_MOST_REFERRING = 3  # of "half ten that night", each of which is tried beside
_MOST_REFERRED = 20  # days
_PREPOSITION = re.compile(r"^(?:at|by|for|from)\s+", re.IGNORECASE)
_REFERS_FIRST = re.compile(r"(?:in |on |of )?(?:the )?(?:that|same|very)\b", re.IGNORECASE)
_OWNING = re.compile(r"['\u2019]s$")
_NOW = re.compile(
    r"\b(?:right now|immediately|(?<!just )now(?=(?:\W+(?:please|pls))?\W*(?:[.,;:!?]|$)))", re.IGNORECASE
)


def time_words(known: Known) -> TimeWords:
    """Every piece of the turns that says a time, newest turn first; nothing in it was made up by a model."""
    found: dict[TimeKind, dict[str, None]] = {kind: {} for kind in TimeKind}
    referring: dict[str, None] = {}
    left = _MOST_IN_ALL
    texts = dict.fromkeys(
        text[:_MOST_TEXT]
        for turn, found_then in zip(reversed(known.turns), reversed(known.found), strict=True)
        for text in (turn.query, turn.response, *_shown(found_then))
    )
    for text in texts:
        left -= len(text)
        if left > 0:
            for kind, piece, alone in _pieces(text, known.now):
                (found[kind] if alone else referring)[piece] = None
    for piece in _beside_days(referring, found[TimeKind.DAY], known.now):
        found[TimeKind.MOMENT][piece] = None
    kept = {kind: tuple(pieces)[:_MOST_OF_A_KIND] for kind, pieces in found.items()}
    if not any(kept[kind] for kind in (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK)):
        kept[TimeKind.CLOCK] = tuple(_bare_hours_and_now(known))
    return TimeWords(
        moments=kept[TimeKind.MOMENT],
        days=kept[TimeKind.DAY],
        clocks=kept[TimeKind.CLOCK],
        lengths=kept[TimeKind.LENGTH],
        shifts=kept[TimeKind.SHIFT],
    )


@lru_cache(maxsize=1024)
def _pieces(text: str, now: datetime) -> tuple[tuple[TimeKind, str, bool], ...]:
    """The pieces of one text that a time can be made of, each with whether it says so without a day beside it.

    They are kept, as each step of a query reads the same texts again.
    """
    found = []
    for piece in fragments(text, now):
        alone = piece.kind in (TimeKind.LENGTH, TimeKind.SHIFT) or _understood(piece.text, now)
        if piece.kind is not TimeKind.SPAN and (alone or piece.kind is TimeKind.CLOCK):
            found.append((piece.kind, _without_owning(piece.text, now), alone))
    sides = ((TimeKind.SHIFT, f"{day} {side}", True) for day in weekdays_beside(text) for side in ("before", "after"))
    return (*found, *sides)


def _beside_days(referring: Iterable[str], days: Iterable[str], now: datetime) -> Iterator[str]:
    """What says when only of a day that was said, with each day: "half ten that night" with "the 4th"."""
    whole = dict.fromkeys(_PREPOSITION.sub("", clock) for clock in referring)
    longest = (clock for clock in whole if not any(other.endswith(f" {clock}") for other in whole))
    for clock in islice(longest, _MOST_REFERRING):
        at = " " if _REFERS_FIRST.match(clock) else " at "
        yield from (text for day in islice(days, _MOST_REFERRED) if _understood(text := f"{day}{at}{clock}", now))


def _bare_hours_and_now(known: Known) -> Iterator[str]:
    """What says when only where nothing else does: "eight" as a whole answer, "now" at the end of a clause."""
    for turn in reversed(known.turns):
        whole = turn.query.strip(" \n.,;:!?")
        if _understood(whole, known.now):
            yield whole
        yield from _NOW.findall(turn.query)


def _without_owning(text: str, now: datetime) -> str:
    """The day of "Monday's survey" is Monday, with an hour "Monday at noon"."""
    bare = _OWNING.sub("", text)
    return bare if bare == text or _understood(bare, now) else text


def _understood(text: str, now: datetime) -> bool:
    try:
        parse_time(text, now)
    except ToolError:
        return False
    return True


def _shown(found: tuple[FoundRecord, ...]) -> Iterator[str]:
    for each in found:
        for value, shown in each.shown:
            if value not in (None, "", [], {}) and not isinstance(value, bool | int | float):
                yield shown

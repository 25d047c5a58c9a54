"""A text with its figures written in one way, so that two texts can be compared by them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from camphor.agents.gate.words import gate_words
from camphor.device.arithmetic import units_called
from camphor.device.when import WhenError, parse_time
from camphor.device.when.fragments import TimeKind, fragments
from camphor.device.when.lexicon import canonical

_COUNT = re.compile(r"(?:for )?(?:1[3-9]|[2-9]\d|\d{3})")  # that no clock face has: "15 minutes"


def in_figures(text: str, now: datetime) -> Iterator[str]:
    """The words of a text, folded, with hours and numbers in figures, and each figure as one with what gives it its
    sense: "half past ten" is "10:30", "2 lbs" are "2 pound" and no "2 kilogram", "by 2" is not "to 2"."""
    way, figure = "", ""
    for word in [*_with_clocks(text, now).split(), ""]:
        unit = units_called(word)[:1] if figure and word not in gate_words().small else ()
        if figure:
            yield " ".join(filter(None, [figure, way, *(each.name for each in unit)]))
            way = ""
        figure = word if word[:1].isdigit() else ""
        if figure or unit or not word:
            continue
        way = word if word in gate_words().ways else ""
        yield word


def _with_clocks(text: str, now: datetime) -> str:
    pieces, end = [], 0
    clocks = (each for each in fragments(text, now) if each.kind is TimeKind.CLOCK)
    for each in sorted(clocks, key=lambda piece: (piece.start, -len(piece.text))):
        said = canonical(each.text)
        if each.start >= end and re.search(r"\d", said) and not _COUNT.fullmatch(said):
            with suppress(WhenError):
                at = parse_time(each.text, now)
                pieces.append(f"{canonical(text[end : each.start])} {at.hour % 12}:{at.minute:02} ")
                end = each.start + len(each.text)
    return "".join([*pieces, canonical(text[end:])])

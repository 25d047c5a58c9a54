"""Pieces of text as they stand on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from camphor.health.prescriptions.lines import Line


@dataclass(frozen=True)
class Piece:
    """One piece of text: its middle, width and height, on a page that lies straight, and how clear it is.

    `other`: what a second reading has there; `letters`: how clear it is apart from its figures.
    """

    x: float
    y: float
    width: float
    height: float
    text: str
    seen: float
    corners: Any = ()
    other: str | None = None
    letters: float = 1.0

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2


def joined(row: Sequence[Piece]) -> Line:
    """The pieces of a row as one line, as clear as the least clear of them."""
    others = [each.text if each.other is None else each.other for each in row]
    read_twice = any(each.other is not None for each in row)
    other = " ".join(each for each in others if each) if read_twice else None
    letters = min(each.letters for each in row)
    return Line(" ".join(each.text for each in row), min(each.seen for each in row), other, letters=letters)

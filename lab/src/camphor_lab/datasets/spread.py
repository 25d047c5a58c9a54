"""Keeps a test split wide: no skeleton is used often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

A_SHARE = 4 / 700  # of a test split, for one skeleton
LEAST = 4  # uses of a skeleton that are always allowed


class Spread:
    """What has been used so far.

    Args:
        most: uses of one skeleton; None: any number (training may repeat itself).
        used: uses before.
    """

    def __init__(self, most: int | None, used: Mapping[str, int] | None = None) -> None:
        self.most = most
        self._used: Counter[str] = Counter(used or {})

    def open(self, lines: Iterable[str]) -> tuple[str, ...]:
        """The skeletons that may still be used."""
        if self.most is None:
            return tuple(lines)
        return tuple(line for line in lines if self._used[line] < self.most)

    def fits(self, lines: Iterable[str]) -> bool:
        """True where all of the skeletons may still be used."""
        return self.most is None or all(self._used[line] < self.most for line in lines)

    def add(self, lines: Iterable[str]) -> None:
        self._used.update(lines)


def most_of(items: int) -> int:
    """How often one skeleton may stand in a test split that has so many items by now."""
    return max(LEAST, int(items * A_SHARE))

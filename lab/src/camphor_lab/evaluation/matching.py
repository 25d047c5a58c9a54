"""The largest one-to-one matching between two small sets.

Greedy pairing can lose a pair (gold a fits predicted 1 and 2, gold b fits 1 only), so the matching is found exactly, by
augmenting paths (Berge 1957; Kuhn 1955). Queries have a handful of calls, so no solver is needed.
"""

from __future__ import annotations

from collections.abc import Sequence


def matching(pairs: Sequence[Sequence[int]]) -> dict[int, int]:
    """Pair as many left elements as possible with different right elements.

    Args:
        pairs: for each left element, the right elements that it may be paired with.

    Returns:
        The left element of each right element that is paired. Every right element stands at most once, so does every
            left.
    """
    left_of: dict[int, int] = {}

    def place(left: int, tried: set[int]) -> bool:
        for right in pairs[left]:
            if right in tried:
                continue
            tried.add(right)
            if right not in left_of or place(left_of[right], tried):
                left_of[right] = left
                return True
        return False

    for left in range(len(pairs)):
        place(left, set())
    return left_of


def matching_size(pairs: Sequence[Sequence[int]]) -> int:
    """The number of pairs in the largest matching."""
    return len(matching(pairs))

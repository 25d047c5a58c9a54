from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from camphor_lab.evaluation.values import matching, matching_size

GRAPHS = st.integers(0, 5).flatmap(
    lambda right: st.lists(st.lists(st.integers(0, right - 1), max_size=4) if right else st.just([]), max_size=5)
)


def brute_force(pairs: list[list[int]]) -> int:
    """The best over all ways to give each left element its own place on the right; places beyond 5 mean: not paired."""
    places = range(5 + len(pairs))
    return max(
        sum(right in allowed for right, allowed in zip(order, pairs, strict=True))
        for order in permutations(places, len(pairs))
    )


def test_greedy_pairing_would_lose_one() -> None:
    assert matching([[0, 1], [0]]) == {1: 0, 0: 1}


def test_empty() -> None:
    assert matching_size([]) == 0
    assert matching_size([[], []]) == 0


@given(GRAPHS.filter(lambda pairs: len(pairs) <= 3))
def test_as_large_as_any_matching(pairs: list[list[int]]) -> None:
    assert matching_size(pairs) == brute_force(pairs)


@given(GRAPHS)
def test_pairs_are_allowed_and_one_to_one(pairs: list[list[int]]) -> None:
    found = matching(pairs)
    assert len(set(found.values())) == len(found)
    assert all(right in pairs[left] for right, left in found.items())

"""Recall and NDCG at K, by hand and by properties, and intervals over persons."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor_lab.evaluation.retrieval import Ranking, compare_rankings, measure_rankings, ndcg_at, recall_at

RANKS = st.lists(st.none() | st.integers(1, 30), min_size=1, max_size=4, unique_by=lambda r: r or object())


@pytest.mark.parametrize(
    ("ranks", "k", "share"),
    [([1], 3, 1), ([4], 3, 0), ([3, 4], 3, 0.5), ([None, 1], 10, 0.5), ([None], 10, 0)],
)
def test_recall_is_the_share_of_gold_among_the_first_k(ranks: list[int | None], k: int, share: float) -> None:
    assert recall_at(ranks, k) == share


@pytest.mark.parametrize(
    ("ranks", "k", "value"),
    [
        ([1], 3, 1),
        ([2], 3, 1 / math.log2(3)),
        ([4], 3, 0),
        ([2, 1], 3, 1),
        ([1, None], 3, 1 / (1 + 1 / math.log2(3))),
        ([1, 2, 3, 4], 3, 1),
    ],
)
def test_ndcg_by_hand(ranks: list[int | None], k: int, value: float) -> None:
    assert ndcg_at(ranks, k) == pytest.approx(value)


@given(RANKS, st.integers(1, 20))
def test_both_lie_between_0_and_1_and_recall_grows_with_k(ranks: list[int | None], k: int) -> None:
    assert 0 <= ndcg_at(ranks, k) <= 1 + 1e-12
    assert 0 <= recall_at(ranks, k) <= recall_at(ranks, k + 1) <= 1


@given(RANKS, st.integers(1, 20))
def test_a_perfect_ranking_has_ndcg_1(ranks: list[int | None], k: int) -> None:
    assert ndcg_at(range(1, len(ranks) + 1), k) == pytest.approx(1)


def test_means_and_counts_are_of_the_queries() -> None:
    found = measure_rankings([Ranking("a", [1]), Ranking("a", [None, 4]), Ranking("b", [4])])
    assert (found["queries"], found["clusters"], found["gold"]) == (3, 2, 1.33)
    assert found["recall"] == {"3": 0.3333, "5": 0.8333, "10": 0.8333}
    assert list(found["ndcg"]) == ["3", "5", "10"]


def test_an_interval_is_over_persons_not_over_queries() -> None:
    alike = [Ranking(person, [1 if person in "abcde" else None]) for person in "abcdefghij" for _ in range(50)]
    apart = [Ranking(str(number), each.ranks) for number, each in enumerate(alike)]
    (low, high), (near, far) = (measure_rankings(each)["interval_95"]["recall"]["3"] for each in (alike, apart))
    assert low < 0.3 < 0.7 < high
    assert 0.4 < near < 0.5 < far < 0.6


def test_one_person_or_the_same_answer_everywhere_has_an_interval_of_no_width() -> None:
    assert measure_rankings([Ranking("a", [1]), Ranking("a", [None])])["interval_95"]["recall"]["3"] == [0.5, 0.5]
    assert measure_rankings([Ranking(p, [2]) for p in "ab"])["interval_95"]["ndcg"]["3"] == [0.6309, 0.6309]


def test_a_comparison_is_paired() -> None:
    one = [Ranking(str(n), [1 if n % 2 else 4]) for n in range(40)]
    other = [Ranking(str(n), [4 if n % 2 else 11]) for n in range(40)]
    found = compare_rankings(one, other)
    assert found["recall"] == {"3": 0.5, "5": 0.5, "10": 0.5}
    assert found["interval_95"]["recall"]["3"][0] > 0


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="no queries"):
        measure_rankings([])
    with pytest.raises(ValueError, match="without gold"):
        Ranking("a", [])
    with pytest.raises(ValueError, match="same queries"):
        compare_rankings([Ranking("a", [1])], [Ranking("b", [1])])

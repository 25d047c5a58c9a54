from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from camphor.retrieval.retrievers import Scores, by_ranks, by_scores, shared_ranks


def scores(*values: float) -> Scores:
    return np.array(values, np.float32)


def test_scores_count_in_standard_deviations() -> None:
    joined = by_scores([scores(0, 0, 0, 12), scores(0.4, 0.5, 0.6, 0.5)])
    assert joined.argmax() == 3  # clearly the first of one part, middling in the other
    np.testing.assert_allclose(by_scores([scores(1, 3), scores(10, 30)]), [-2, 2])


def test_a_part_that_finds_all_equal_has_no_say() -> None:
    one = scores(3, 1, 2)
    for fusion in (by_ranks, by_scores):
        assert np.argsort(fusion([one, scores(7, 7, 7)])).tolist() == np.argsort(one).tolist()


def test_no_tools_have_no_scores() -> None:
    for fusion in (by_ranks, by_scores):
        assert fusion([scores(), scores()]).tolist() == []


def test_equal_scores_share_the_mean_of_their_ranks() -> None:
    assert shared_ranks([0.5, 0.9, 0.5, 0.1]).tolist() == [2.5, 1, 2.5, 4]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_ranks_add_up_whatever_the_ties(scores: list[int]) -> None:
    ranks = shared_ranks(scores)
    assert ranks.sum() == len(scores) * (len(scores) + 1) / 2
    assert all(scores[a] >= scores[b] for a in range(len(scores)) for b in range(len(scores)) if ranks[a] < ranks[b])

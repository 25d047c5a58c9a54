"""Several retrievers' scores of the same tools, joined into one score for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]
Fusion = Callable[[Sequence[Scores]], Scores]

CONSTANT = 60
"""Of reciprocal rank fusion; 60 is the value of the paper that proposed it."""


def by_ranks(parts: Sequence[Scores]) -> Scores:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): the sum of 1 / (60 + rank), at most parts / 61.

    Tools that one part finds equally good share the mean of their ranks, so that a part which finds nothing has no say.
    """
    total = np.zeros(len(parts[0]))
    for scores in parts:
        total += 1 / (CONSTANT + shared_ranks(scores))
    return total.astype(np.float32)


def by_scores(parts: Sequence[Scores]) -> Scores:
    """The sum of each part's scores in standard deviations from their mean; a part that finds all equal has no say.

    Beside ranks it hears how clearly a part prefers a tool: one rare word that only one of thousands has.
    """
    total = np.zeros(len(parts[0]))
    for scores in parts:
        spread = float(np.std(scores, dtype=np.float64)) if len(scores) else 0.0
        if spread > 1e-9:
            total += (scores - np.mean(scores, dtype=np.float64)) / spread
    return total.astype(np.float32)


def shared_ranks(scores: Sequence[float] | Scores) -> npt.NDArray[np.float64]:
    """The rank of each score, 1 for the highest; equal scores have the mean of the ranks that they take up."""
    _, places, counts = np.unique(np.negative(scores), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[places], dtype=np.float64)

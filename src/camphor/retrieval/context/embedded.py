"""Items as a sentence encoder reads them, and search by cosine alone: the semantic search of the Context Tuning paper.

An item's text begins with the app that it is in. A person who means a song may say nothing about it but that it is to
be played, and thoughts about a query (expansion) name apps before all else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from camphor.retrieval.context.items import Item

Vectors = npt.NDArray[np.float32]

LONGEST = 600
"""Characters of an item that are embedded: a mean over more words says less of each."""


class Encoder(Protocol):
    """Makes texts into vectors of unit length."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The embeddings of the texts, in order: float32, shape (number of texts, dimensions)."""


def text_of(item: Item) -> str:
    """An item in words: its app, then what it says."""
    return f"{item.ref.app}: {' '.join(item.text[:LONGEST].split())}"


class Embedded:
    """Items with their vectors, to be searched by cosine; each text is embedded once.

    Args:
        encoder: what embeds.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, npt.NDArray[np.float16]] = {}

    def cosines(self, query: str, items: Iterable[Item]) -> Vectors:
        """How near each item is to the query, from -1 to 1: shape (number of items,)."""
        texts = [text_of(item) for item in items]
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._encoder.encode(new).astype(np.float16), strict=True))
        if not texts:
            return np.zeros(0, np.float32)
        matrix = np.stack([self._vectors[text] for text in texts]).astype(np.float32)
        return np.asarray(matrix @ self._encoder.encode([query])[0], np.float32)

"""Items as a sentence encoder reads them, and search by cosine alone: the semantic search of the Context Tuning paper.

An item's text begins with the app that it is in. A person who means a song may say nothing about it but that it is to
be played, and thoughts about a query (expansion) name apps before all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from camphor.device.usage_events import ItemRef
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.items import Item
from camphor.retrieval.context.query import Situation
from camphor.retrieval.context.rankers import ContextRetriever, Scored, best
from camphor.retrieval.retrievers import CONSTANT, Encoder

TUNED = Path(__file__).parent / "search-tuned.npz"
"""What fine-tuning changed in the table of word vectors (`camphor_lab.training.finetune_encoder`)."""
LONGEST = 600
"""Characters of an item that are embedded: a mean over more words says less of each."""


def text_of(item: Item) -> str:
    """An item in words: its app, then what it says."""
    return f"{item.ref.app}: {' '.join(item.text[:LONGEST].split())}"


class EmbeddedSearch:
    """The cosine between the embeddings of the query and of each item with its app; each text is embedded once.

    Args:
        encoder: what embeds.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, npt.NDArray[np.float16]] = {}

    def search(self, query: str, situation: Situation, index: ContextIndex, k: int) -> tuple[Scored, ...]:
        """The `k` items that are nearest in meaning, best first."""
        rows = index.rows()
        if not len(rows):
            return ()
        texts = [text_of(item) for row in rows if (item := index.item(index.ref(int(row))))]
        matrix = self._embed(texts)
        return best(query, index, rows, matrix @ self._encoder.encode([query])[0], k)

    def _embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._encoder.encode(new).astype(np.float16), strict=True))
        return np.stack([self._vectors[text] for text in texts]).astype(np.float32)


class Fused:
    """Several retrievers joined by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).

    Args:
        parts: an item counts 1 / (60 + rank) for each that has it among its first.
        depth: how many items of each part are heard, at least as many as are asked for.
    """

    def __init__(self, *parts: ContextRetriever, depth: int = 50) -> None:
        self._parts, self._depth = parts, depth

    def search(self, query: str, situation: Situation, index: ContextIndex, k: int) -> tuple[Scored, ...]:
        """At most `k` items, best first. Raises: as the parts."""
        total: dict[ItemRef, float] = {}
        for part in self._parts:
            for rank, hit in enumerate(part.search(query, situation, index, max(k, self._depth)), 1):
                total[hit.ref] = total.get(hit.ref, 0.0) + 1 / (CONSTANT + rank)
        rows = [(row, score) for ref, score in total.items() if (row := index.row_of(ref)) is not None]
        places, scores = (np.array(each) for each in zip(*rows, strict=True)) if rows else (np.zeros(0), np.zeros(0))
        return best(query, index, places.astype(np.intp), scores, k)

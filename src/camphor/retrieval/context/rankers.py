"""Context retrievers: given a query in a situation, they put the items of a device in order, the likeliest first.

`LexicalRanker` counts words (BM25), `Semantic` compares embeddings, `LambdaMartRrf` ranks by learnt trees over usage
signals, store by store, and joins the stores by reciprocal rank fusion (Context Tuning, section 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.device.usage_events import ItemRef
from camphor.errors import ModelMissing
from camphor.retrieval.context.candidates import pick
from camphor.retrieval.context.features import OTHER, features, most_within, ranks_within
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.model import EVERY, SHIPPED, Forest, RankerModel, read_model
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.retrievers import CONSTANT, Encoder

Floats = npt.NDArray[np.floating[Any]]


class ScoredItem(NamedTuple):
    """An item found, and how well it fits: higher is better, and only comparable within one search."""

    ref: ItemRef
    score: float


class ContextRetriever(Protocol):
    """Finds the items that a query is about."""

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """At most `k` items, best first."""


class LexicalRanker:
    """BM25 over the words of the items; items without a word of the query are not found."""

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """At most `k` items that share a word with the query, best first."""
        scores = index.words.scores(query)
        rows = np.flatnonzero((scores > 0) & index.columns.alive)
        return best(query, index, rows, scores[rows], k)


class Semantic:
    """The cosine between the embeddings of the query and of each item.

    Args:
        encoder: what embeds, each item once; the index's own encoder and its vectors where None.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder
        self._vectors: WeakKeyDictionary[ContextIndex, npt.NDArray[np.float32]] = WeakKeyDictionary()

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """The `k` items that are nearest in meaning, best first."""
        rows = index.rows()
        if not len(rows):
            return ()
        if self._encoder is None:
            vector = np.asarray(index.encoder.encode([query])[0], np.float32)
            return best(query, index, rows, index.columns.vectors[rows].astype(np.float32) @ vector, k)
        vectors = self._of(index, self._encoder)
        return best(query, index, rows, vectors[rows] @ self._encoder.encode([query])[0], k)

    def _of(self, index: ContextIndex, encoder: Encoder) -> npt.NDArray[np.float32]:
        known = self._vectors.get(index)
        start = 0 if known is None else len(known)
        if known is None or start < index.columns.size:
            texts = [index.text(row) for row in range(start, index.columns.size)]
            new = np.asarray(encoder.encode(texts), np.float32)
            known = new if known is None else np.concatenate([known, new])
            self._vectors[index] = known
        return known


class LambdaMartRrf:
    """LambdaMART (Burges 2010) store by store, and reciprocal rank fusion of what it says (Context Tuning, 3.2).

    Every store's own forest ranks its items. Each store then has a first item, so that these rankings alone cannot say
    which store a query is about; two more rankings do, and the fusion is over all three:

    1. the rank of an item within its store, by the store's forest;
    2. its rank among all items, by one forest that was trained on all stores together;
    3. the rank of its store among the stores, by the best of its items in the second ranking.

    Args:
        model: a trained ranker, or its file.

    Raises:
        ModelMissing: the file is none of a ranker.
    """

    def __init__(self, model: RankerModel | Path = SHIPPED) -> None:
        self.model = read_model(model) if isinstance(model, Path) else model

    def search(self, query: str, situation: UseSituation, index: ContextIndex, k: int) -> tuple[ScoredItem, ...]:
        """The `k` items that fit best, best first.

        Raises:
            ModelMissing: the ranker was trained on other features, or with another encoder than the index has.
        """
        picked = pick(query, situation, index)
        if not len(picked):
            return ()
        made = features(query, picked, situation, index, self.model.reader)
        if (made.names, index.encoder.identity) != (self.model.features, self.model.encoder):
            raise ModelMissing(OTHER)
        table = made.table
        stores = [".".join(store) for store in index.stores]
        within, overall = forest_scores(self.model.forests, table, picked.store, stores)
        return best(query, index, picked.rows, self.join(within, overall, picked.store), k)

    def join(self, within: Floats, overall: Floats, store: npt.NDArray[np.int16]) -> Floats:
        """One score an item, of what its store's forest and the forest of all stores say; see `forest_scores`."""
        return fused(within, overall, store)


class LambdaMartSum(LambdaMartRrf):
    """The same forests with their scores added up, half of the store's own: it hears how clearly a forest prefers.

    Ours, not the paper's.
    """

    def join(self, within: Floats, overall: Floats, store: npt.NDArray[np.int16]) -> Floats:
        """As `LambdaMartRrf.join`."""
        return added(within, overall, store)


def forest_scores(
    forests: Mapping[str, Forest], table: npt.NDArray[np.float32], store: npt.NDArray[np.int16], stores: Sequence[str]
) -> tuple[Floats, Floats]:
    """What the forest of each item's own store says, and what the forest of all stores says; both (items,)."""
    overall = forests[EVERY].scores(table)
    within = overall.copy()
    for number, name in enumerate(stores):
        forest = forests.get(name)
        if forest is not None:
            mine = np.flatnonzero(store == number)
            within[mine] = forest.scores(table[mine])
    return within, overall


def fused(within: Floats, overall: Floats, store: npt.NDArray[np.int16]) -> Floats:
    """Reciprocal rank fusion of the three rankings that `LambdaMartRrf` tells of, (items,)."""
    alone = np.zeros_like(store)
    first = most_within(overall, store)
    by_store = np.searchsorted(np.unique(-first), -first) + 1
    ranks = (ranks_within(within, store), ranks_within(overall, alone), by_store)
    return np.asarray(sum(1 / (CONSTANT + rank) for rank in ranks))


def added(within: Floats, overall: Floats, store: npt.NDArray[np.int16]) -> Floats:
    """The sum that `LambdaMartSum` tells of, (items,)."""
    return np.asarray(overall + within / 2)


def best(query: str, index: ContextIndex, rows: npt.NDArray[np.intp], scores: Floats, k: int) -> tuple[ScoredItem, ...]:
    """The `k` rows of the highest scores as items, best first.

    Items that fit equally well stand in an order that follows from query and item alone, so that a retriever does not
    look good for finding nothing on a device that lists the right item first.
    """
    if len(rows) > k:
        # ties at the edge: keep all that could be among the first
        edge = np.partition(scores, -k)[-k] if k > 0 else np.inf
        kept = np.flatnonzero(scores >= edge)
        rows, scores = rows[kept], scores[kept]
    found = [ScoredItem(index.ref(row), float(score)) for row, score in zip(rows, scores, strict=True)]
    return tuple(sorted(found, key=lambda hit: (-hit.score, crc32(f"{query}\n{hit.ref}".encode(errors="replace"))))[:k])

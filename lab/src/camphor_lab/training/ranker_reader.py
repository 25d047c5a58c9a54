"""The reader of queries, fitted: what the items that were meant were like, as a linear map from the words (ridge)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.retrieval.context.features import FACTS
from camphor.retrieval.context.query import Reader, Reading, inputs, terms
from camphor_lab.training.ranker_data import Example

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ReaderConfig:
    """Settings of a reader.

    Attributes:
        dimensions: how many of a vector's leading ones are predicted.
        seen: how many wordings a word or a pair of words must be in.
        ridge, term_ridge, item_ridge: the penalty on the weights of queries' vectors, of words, of items' vectors.
    """

    dimensions: int = 32
    seen: int = 2
    ridge: float = 1.0
    term_ridge: float = 10.0
    item_ridge: float = 0.3


def fit_reader(examples: Sequence[Example], config: ReaderConfig) -> Reader:
    """The reader of these examples, by ridge regression in closed form."""
    wordings = {example.phrase: set(terms(example.sample.query)) for example in examples}
    counts = Counter(term for found in wordings.values() for term in found)
    width = examples[0].vector.size
    kept = sorted(term for term, count in counts.items() if count >= config.seen)
    known = {term: row for row, term in enumerate(kept, width)}
    stores = tuple(sorted({name for example in examples for name in example.stores}))
    kinds = tuple(sorted({example.sample.thread for example in examples}))
    goals = np.stack([_goal(example, stores, kinds, config.dimensions) for example in examples])
    vectors = np.stack([example.vector for example in examples])
    table = inputs([example.sample.query for example in examples], vectors, known)
    # a wording that came up often counts as a few times its first, so that the reader learns wordings, not draws
    often = Counter(example.phrase for example in examples)
    weight = np.array([often[example.phrase] ** -0.5 for example in examples], np.float32)
    penalty = np.full(table.shape[1], config.term_ridge)
    penalty[:width], penalty[-1] = config.ridge, 1e-3
    weights = _solved(table, goals, penalty, weight)
    return Reader(known, stores, kinds, FACTS, weights, fit_items(examples, stores, kinds, config.item_ridge))


def fit_items(
    examples: Sequence[Example], stores: Sequence[str], kinds: Sequence[str], ridge: float, apart: int | None = None
) -> Floats:
    """What tells the kind of an item by its vector and its store: (dimensions + stores, kinds).

    Args:
        apart: leave out the items whose texts are of this part (`_part`).
    """
    rows, goals = [], []
    for example in examples:
        for place in np.flatnonzero(example.gold):
            vector = example.vectors[place]
            if apart is None or _part(vector) != apart:
                store = np.array([name == example.stores[example.store[place]] for name in stores], np.float32)
                rows.append(np.concatenate([vector, store]))
                goals.append([kind == example.sample.thread for kind in kinds])
    width = examples[0].vectors.shape[1]
    if not rows:
        return np.zeros((width + len(stores), len(kinds)), np.float32)
    penalty = np.full(width + len(stores), ridge)
    penalty[width:] = 0.1
    return _solved(np.stack(rows), np.array(goals, float), penalty, np.ones(len(rows), np.float32))


def _solved(table: Floats, goals: npt.NDArray[Any], penalty: npt.NDArray[Any], weight: Floats) -> Floats:
    weighted = (table * weight[:, None]).T
    return np.asarray(np.linalg.solve(weighted @ table + np.diag(penalty), weighted @ goals), np.float32)


def _goal(example: Example, stores: Sequence[str], kinds: Sequence[str], dimensions: int) -> npt.NDArray[np.float64]:
    """What the gold items of an example are like: the share of each store, their kind, facts, and mean vector."""
    gold = example.gold
    names = [example.stores[number] for number in example.store[gold]]
    facts = [example.table[gold, example.names.index(fact)].mean() for fact in FACTS]
    shares = [names.count(store) / len(names) for store in stores]
    belongs = [float(kind == example.sample.thread) for kind in kinds]
    return np.concatenate([shares, belongs, facts, example.vectors[gold][:, :dimensions].mean(axis=0)])


_PARTS = 4


def _part(vector: Floats) -> int:
    """The part that an item is in, by its text."""
    return crc32(vector.tobytes()) % _PARTS


def read_apart(examples: Sequence[Example], config: ReaderConfig, parts: int) -> list[tuple[Reader, Reading, Floats]]:
    """For each example a reading of its query, and the kinds of its items, by readers that saw neither.

    The reader of a query saw no variation of its wording, that of an item no item of the same text: on people to come
    the trees will see readings of new words, and must not learn to trust those of old ones.
    """
    everything = fit_reader(examples, config)
    items = [
        replace(
            everything, item_weights=fit_items(examples, everything.stores, everything.kinds, config.item_ridge, part)
        )
        for part in range(_PARTS)
    ]
    readers = {}
    for part in range(parts):
        rest = [example for example in examples if example.phrase % parts != part]
        readers[part] = fit_reader(rest or examples, config)
    found = []
    for example in examples:
        reader = readers[example.phrase % parts]
        all_kinds = np.stack([one.kinds_of(example.vectors, example.stores, example.store) for one in items])
        of = np.array([_part(vector) for vector in example.vectors])
        kinds = all_kinds[of, np.arange(len(of))]
        if reader.kinds != everything.kinds:
            kinds = kinds[:, [everything.kinds.index(kind) for kind in reader.kinds]]
        found.append((reader, reader.read(example.sample.query, example.vector), kinds))
    return found

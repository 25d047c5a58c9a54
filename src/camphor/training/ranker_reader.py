"""The reader of queries, fitted: what the items that were meant were like, as a linear map from the words (ridge)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from camphor.retrieval.context.features import FACTS
from camphor.retrieval.context.query import Reader, Reading, inputs, terms
from camphor.training.ranker_data import Example

Floats = npt.NDArray[np.float32]


def fit_reader(examples: Sequence[Example], dimensions: int, ridge: float, seen: int, term_ridge: float) -> Reader:
    """The reader of these examples, by ridge regression in closed form.

    Args:
        dimensions: how many of a vector's leading ones are predicted.
        ridge, term_ridge: the penalty on the weights of vectors, and on those of words and pairs of words.
        seen: how many wordings a word or a pair must be in.
    """
    wordings = {example.phrase: set(terms(example.sample.query)) for example in examples}
    counts = Counter(term for found in wordings.values() for term in found)
    width = examples[0].vector.size
    kept = sorted(term for term, count in counts.items() if count >= seen)
    known = {term: row for row, term in enumerate(kept, width)}
    stores = tuple(sorted({name for example in examples for name in example.stores}))
    goals = np.stack([_goal(example, stores, dimensions) for example in examples])
    vectors = np.stack([example.vector for example in examples])
    table = inputs([example.sample.query for example in examples], vectors, known)
    # a wording that came up often counts as a few times its first, so that the reader learns wordings, not draws
    often = Counter(example.phrase for example in examples)
    weight = np.array([often[example.phrase] ** -0.5 for example in examples], np.float32)[:, None]
    penalty = np.full(table.shape[1], term_ridge)
    penalty[:width], penalty[-1] = ridge, 1e-3
    left = (table * weight).T @ table + np.diag(penalty)
    weights = np.linalg.solve(left, (table * weight).T @ goals)
    return Reader(known, stores, FACTS, weights.astype(np.float32))


def _goal(example: Example, stores: Sequence[str], dimensions: int) -> npt.NDArray[np.float64]:
    """What the gold items of an example are like: the share of each store, of each fact, and their mean vector."""
    gold = example.gold
    names = [example.stores[number] for number in example.store[gold]]
    facts = [example.table[gold, example.names.index(fact)].mean() for fact in FACTS]
    shares = [names.count(store) / len(names) for store in stores]
    return np.concatenate([shares, facts, example.vectors[gold][:, :dimensions].mean(axis=0)])


def read_apart(examples: Sequence[Example], parts: int, **settings: float) -> list[tuple[Reader, Reading]]:
    """A reading of each example by a reader that saw neither its wording nor a variation of it."""
    found: list[tuple[Reader, Reading] | None] = [None] * len(examples)
    for part in range(parts):
        here = [place for place, example in enumerate(examples) if example.phrase % parts == part]
        rest = [example for example in examples if example.phrase % parts != part]
        reader = fit_reader(rest or examples, **settings)  # type: ignore[arg-type]
        for place in here:
            found[place] = (reader, reader.read(examples[place].sample.query, examples[place].vector))
    return [one for one in found if one is not None]

"""Ridge regression over what texts are made of: what the small models of the health assistant share in training.

Least squares (Rifkin et al. 2003) needs one solution of a linear system, in as many unknowns as there are texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from camphor.agents.health.suspicion import BUCKETS, Places, made_of
from camphor.errors import UsageError
from camphor.retrieval.static import StaticEncoder

Floats = npt.NDArray[np.float64]
Classes = npt.NDArray[np.uint16]
_ROUNDS = 8


def word_classes(texts: Sequence[str], classes: int, seed: int, rounds: int = _ROUNDS) -> Classes:
    """A class for every piece of the static table: k-means over the pieces that the texts have."""
    table = StaticEncoder()
    everything = table.vectors(range(table.size))
    everything /= np.maximum(np.linalg.norm(everything, axis=1, keepdims=True), 1e-9)
    seen = everything[sorted({piece for text in texts for piece in table.pieces(text)})]
    if len(seen) <= classes:
        raise UsageError(f"{len(seen)} word pieces are too few for {classes} classes: write more sentences")
    centres = seen[np.random.default_rng(seed).choice(len(seen), classes, replace=False)]
    for _ in range(rounds):
        nearest = _nearest(seen, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, seen)
        counts = np.bincount(nearest, minlength=classes)[:, None]
        centres = np.where(counts > 0, sums / np.maximum(counts, 1), centres)
    return _nearest(everything, centres).astype(np.uint16)


def _nearest(vectors: npt.NDArray[np.float32], centres: npt.NDArray[np.float32]) -> npt.NDArray[np.intp]:
    return np.asarray((vectors @ centres.T - (centres**2).sum(axis=1) / 2).argmax(axis=1), np.intp)


@dataclass(frozen=True)
class Texts:
    """Texts as what they are made of.

    Attributes:
        made: of each text. rarity: float32, (`BUCKETS`,): logarithm of one in how many texts has it.
        products: how alike any two texts are: sum over families of the cosine, (texts, texts).
    """

    made: tuple[Places, ...]
    rarity: npt.NDArray[np.float32]
    products: Floats

    @classmethod
    def of(cls, texts: Sequence[str], classes: Classes, make: Callable[[str, Classes], Places] = made_of) -> Texts:
        """`make` gives the places of a text."""
        made = tuple(make(text, classes) for text in texts)
        counts = np.zeros(BUCKETS)
        for places in made:
            counts[np.concatenate(places)] += 1
        rarity = np.log((1 + len(texts)) / (1 + counts)).astype(np.float32)
        bare = cls(made, rarity, np.zeros((0, 0)))
        products = bare._products(0)
        for family in range(1, len(made[0])):
            products += bare._products(family)  # one at a time: of 15,000 texts each takes 1.8 GB
        return replace(bare, products=products)

    def alike(self, rows: npt.NDArray[np.intp] | None = None, columns: npt.NDArray[np.intp] | None = None) -> Floats:
        """The products of some texts with others, of all by default."""
        return self.products if rows is None or columns is None else self.products[np.ix_(rows, columns)]

    def weights(self, factors: Floats) -> npt.NDArray[np.float32]:
        """The weights that say the same as the texts' factors, (texts, n), do: float32, (`BUCKETS`, n)."""
        found = np.zeros((BUCKETS, factors.shape[1]))
        for each, factor in zip(self.made, factors, strict=True):
            for places in each:
                found[places] += np.outer(self._unit(places), factor)
        return found.astype(np.float32)

    def _unit(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        parts = self.rarity[places]
        return np.asarray(parts / max(float(np.linalg.norm(parts)), 1e-9), np.float32)

    def _products(self, family: int) -> Floats:
        """The cosines of one family, from lists of who has what: most things are rare, so this is quick."""
        rows = np.concatenate([np.full(len(each[family]), row) for row, each in enumerate(self.made)])
        places = np.concatenate([each[family] for each in self.made])
        parts = np.concatenate([self._unit(each[family]) for each in self.made])
        order = np.argsort(places, kind="stable")
        rows, parts = rows[order], parts[order]
        bounds = np.flatnonzero(np.diff(places[order])) + 1
        found = np.zeros((len(self.made), len(self.made)))
        for who, much in zip(np.split(rows, bounds), np.split(parts, bounds), strict=True):
            found[np.ix_(who, who)] += np.outer(much, much)
        return found


def ridge(
    products: Floats, wanted: Floats, shrink: float, weights: npt.NDArray[np.float64] | None = None
) -> tuple[Floats, Floats]:
    """The factors of the texts, (texts, n), and the bias, (n,), that come nearest to what is wanted, (texts, n), with
    small weights.

    Args:
        weights: how much each text counts, (texts,); None for all alike.
    """
    count = len(wanted)
    counts = np.ones(count) if weights is None else weights
    solved = np.linalg.solve(products + np.diag(shrink / counts), np.column_stack([wanted, np.ones(count)]))
    bias = np.asarray(solved[:, :-1].sum(axis=0) / solved[:, -1].sum(), np.float64)
    return np.asarray(solved[:, :-1] - np.outer(solved[:, -1], bias), np.float64), bias

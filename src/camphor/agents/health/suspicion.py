"""A second net for emergencies, of another kind than the rules: how much a text reads like one.

A linear model over what a text is made of: its words and pairs of words; pieces of its words, for slips of the finger;
and the classes of its word pieces and their pairs ("gushing" and "pouring" are of one class: their vectors in the
table of `retrieval.static` are near). It raises no alarm, it makes the assistant ask. `camphor.training.suspicion`
trains it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.agents.health.cues import normal
from camphor.agents.model_file import Arrays, read_model_file, write_model_file
from camphor.retrieval.static import StaticEncoder

SHIPPED = Path(__file__).parent / "suspicion.npz"
FORM = "camphor.suspicion/1"
BUCKETS = 1 << 16
LONGEST = 1000
"""Characters of a text that are read."""
_LETTERS = (3, 4, 5)
_WORD = re.compile(r"[a-z0-9']+|[?!]")

Places = tuple[npt.NDArray[np.intp], ...]


@dataclass(frozen=True)
class Suspicion:
    """A trained net.

    Attributes:
        weights, rarity: float32, (`BUCKETS`,): of each thing that a text may be made of.
        classes: uint16, a class for each piece of the static table.
        bias: score of a text made of nothing known. threshold: from this score on a text is suspicious.
        about: settings and figures of the training.
    """

    weights: npt.NDArray[np.float32]
    rarity: npt.NDArray[np.float32]
    classes: npt.NDArray[np.uint16]
    bias: float
    threshold: float
    about: Mapping[str, Any] = field(default_factory=dict)

    def score(self, text: str) -> float:
        """About 1 for an emergency, about -1 for anything else."""
        score = self.bias
        for places in made_of(text, self.classes):
            parts = self.rarity[places]
            score += float(self.weights[places] @ parts) / max(float(np.linalg.norm(parts)), 1e-9)
        return score

    def suspects(self, text: str) -> bool:
        """Whether a text is to be asked about."""
        return self.score(text) >= self.threshold

    def save(self, path: Path) -> None:
        """Write the net to a file, whole or not at all. Raises OSError: it cannot be written."""
        facts = {"bias": self.bias, "threshold": self.threshold, "about": self.about}
        halves = {"weights": self.weights.astype(np.float16), "rarity": self.rarity.astype(np.float16)}
        write_model_file(path, FORM, facts, {**halves, "classes": self.classes})


def made_of(text: str, classes: npt.NDArray[np.uint16]) -> Places:
    """The places of what a text is made of, none twice: of words, of letters, of classes."""
    plain = normal(text[:LONGEST])
    words = _WORD.findall(plain)
    letters = (
        piece[start : start + size]
        for piece in (f"<{word}>" for word in words)
        for size in _LETTERS
        for start in range(len(piece) - size + 1)
    )
    kinds = [str(kind) for kind in classes[word_table().pieces(plain)]]
    return _places("w", _pairs(["<", *words])), _places("l", letters), _places("c", _pairs(kinds))


@lru_cache(maxsize=4)
def read_suspicion(path: Path = SHIPPED) -> Suspicion:
    """The net of a file, read once.

    Raises:
        ModelMissing: there is none, or it is none of these.
    """
    return read_model_file(path, FORM, _net, name="the second net for emergencies", command="train-red-flags")


def _net(facts: Mapping[str, Any], arrays: Arrays) -> Suspicion:
    weights, rarity = (arrays[name].astype(np.float32) for name in ("weights", "rarity"))
    classes = arrays["classes"].astype(np.uint16)
    if {weights.shape, rarity.shape} != {(BUCKETS,)} or classes.shape != (word_table().size,):
        raise ValueError("of another table of word vectors")
    return Suspicion(weights, rarity, classes, float(facts["bias"]), float(facts["threshold"]), facts["about"])


@lru_cache(maxsize=1)
def word_table() -> StaticEncoder:
    """The static table of word vectors, read once."""
    return StaticEncoder()


def _pairs(units: Sequence[str]) -> list[str]:
    return [*units, *(f"{one} {two}" for one, two in pairwise(units))]


def _places(family: str, things: Iterable[str]) -> npt.NDArray[np.intp]:
    return np.array(sorted({crc32(f"{family} {thing}".encode()) % BUCKETS for thing in things}), np.intp)

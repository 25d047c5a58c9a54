"""The reader: a small cross-encoder that tells from a question and a record whether the answer rests on that record,
and, to a question of yes or no, what the record says.

A BERT of six layers (MiniLM, Wang et al. 2020) that reads both at once, as Nogueira and Cho (2019) rank passages. It is
run here with NumPy: a question costs one pass over the few records that the linear ranking puts first.
`camphor_lab.training.reader` trains it from sentence vectors' weights (all-MiniLM-L6-v2, Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.models.model_file import Arrays, read_model_file, write_model_file
from camphor.retrieval.reading.encoder import (
    LAYER_ARRAYS,
    MATRICES,
    SPECIAL,
    Encoder,
    Floats,
    Matrix,
    layer_of,
    shares,
    vocabulary,
    word_pieces,
)

SHIPPED = Path(__file__).parent / "reader.npz"
FORM = "camphor.reader/2"
LONGEST = 96
"""Pieces of a question with a record that are read; the record's end goes first."""
QUESTION = 40
"""Pieces of a question that are read."""
_BATCH = 16
_ENDS = ("norm", "head", "linear", "verdict", "verdict_bias", "kind", "kind_bias")


@dataclass(frozen=True, eq=False)
class Read:
    """What the reader says of records.

    Attributes:
        scores: the log-odds that an answer to the question rests on each, (records,).
        says: how likely each says no, yes, and neither to a question of yes or no, (records, 3).
        kinds: how likely the question, read with each, is of each of `KINDS`, (records, kinds).
    """

    scores: Floats
    says: Floats
    kinds: Floats


NO, YES, NEITHER = range(3)
"""The places of `Read.says`."""
KINDS = ("tell", "list", "count", "sum", "mean", "first", "next", "last", "most", "least", "difference", "yes_no")
"""What a question may want done with records."""


@dataclass(frozen=True, eq=False)
class Reader(Encoder):
    """A trained reader: the encoder and its ends.

    Attributes:
        head: weights of a record's score: of the mean, (width,), of the linear features, and what is added.
        verdict: of what a record says to a question of yes or no, (3, width), with what is added, (3,).
        kind: of the kind of question, (kinds, width), with what is added.
    """

    head: Floats
    linear: Floats
    bias: float
    verdict: Floats
    verdict_bias: Floats
    kind: Floats
    kind_bias: Floats
    about: Mapping[str, Any] = field(default_factory=dict)

    def read(self, question: str, records: Sequence[str], features: Floats) -> Read:
        """What a question and each record say together.

        Args:
            features: of the linear ranking, (records, features).
        """
        texts = cut(question, records)
        means = np.zeros((len(texts), len(self.head)), np.float32)
        order = sorted(range(len(texts)), key=lambda each: len(texts[each]))
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            means[part] = self.mean([texts[each] for each in part])
        scores = np.asarray(means @ self.head + features @ self.linear + self.bias, np.float32)
        says = shares(means @ self.verdict.T + self.verdict_bias)
        return Read(scores, says, shares(means @ self.kind.T + self.kind_bias))

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all. Raises OSError: it cannot be written."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "embedding": self.embedding.values,
            "embedding_scales": self.embedding.scales,
            "places": self.places.astype(np.float16),
            **{each: getattr(self, each) for each in _ENDS},
        }
        for place, layer in enumerate(self.layers):
            for name in LAYER_ARRAYS:
                if name in MATRICES:
                    matrix = Matrix.of(np.ascontiguousarray(layer.whole(name).T))
                    arrays[f"{name}_{place}"], arrays[f"{name}_scales_{place}"] = matrix.values, matrix.scales
                else:
                    arrays[f"{name}_{place}"] = getattr(layer, name)
        facts = {"heads": self.heads, "layers": len(self.layers), "bias": self.bias, "about": dict(self.about)}
        write_model_file(path, FORM, facts, arrays)


def cut(question: str, records: Sequence[str]) -> list[list[int]]:
    """The numbers of the pieces of a question with each record, with the marks around them."""
    first, between = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
    asked = word_pieces().cut(question)[:QUESTION]
    room = LONGEST - len(asked) - 3
    return [[first, *asked, between, *word_pieces().cut(each)[:room], between] for each in records]


@lru_cache(maxsize=2)
def read_reader(path: Path = SHIPPED) -> Reader:
    """The reader of a file, read once. Raises ModelMissing: there is none, or it is none of these."""
    return read_model_file(path, FORM, _reader, name="the reader of records", command="train-reader")


def _reader(facts: Mapping[str, Any], arrays: Arrays) -> Reader:
    layers = [layer_of(arrays, place) for place in range(int(facts["layers"]))]
    embedding = Matrix(arrays["embedding"], arrays["embedding_scales"])
    if len(embedding.values) != len(vocabulary()):
        raise ValueError("of another vocabulary")
    places = arrays["places"].astype(np.float32)
    ends: dict[str, Any] = {each: arrays[each] for each in _ENDS}
    heads, bias, about = int(facts["heads"]), float(facts["bias"]), facts["about"]
    return Reader(embedding, places, layers=layers, heads=heads, bias=bias, about=about, **ends)

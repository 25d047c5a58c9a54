"""The reader: a small cross-encoder that tells from a question and a record whether the answer rests on that record,
and, to a question of yes or no, what the record says.

A BERT of six layers (MiniLM, Wang et al. 2020) that reads both at once, as Nogueira and Cho (2019) rank passages. It is
run here with NumPy: a question costs one pass over the few records that the linear ranking puts first.
`camphor_lab.training.reader` trains it from sentence vectors' weights (all-MiniLM-L6-v2, Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.model_file import Arrays, read_model_file, write_model_file
from camphor.retrieval.static import WordPiece, table_pieces

SHIPPED = Path(__file__).parent / "reader.npz"
FORM = "camphor.reader/2"
LONGEST = 96
"""Pieces of a question with a record that are read; the record's end goes first."""
QUESTION = 40
"""Pieces of a question that are read."""
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_BATCH, _BLOCK = 16, 64
_EPSILON = 1e-12
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix in whole numbers with a scale for each of its blocks of inputs: (outputs, inputs)."""

    values: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float16]

    @classmethod
    def of(cls, numbers: Floats) -> Matrix:
        """Numbers, (outputs, inputs), rounded to 127 steps either way in each block of 64."""
        blocks = numbers.reshape(len(numbers), -1, _BLOCK)
        scales = (np.abs(blocks).max(-1) / 127).astype(np.float16)
        steps = np.rint(blocks / np.maximum(scales.astype(np.float32), 1e-8)[:, :, None])
        return cls(np.clip(steps, -127, 127).astype(np.int8).reshape(numbers.shape), scales)

    def rows(self, numbers: Any = slice(None)) -> Floats:
        """Rows as float32: (rows, inputs)."""
        values, scales = self.values[numbers].astype(np.float32), self.scales[numbers].astype(np.float32)
        blocks = values.reshape(len(values), scales.shape[1], -1) * scales[:, :, None]
        return np.asarray(blocks.reshape(values.shape), np.float32)


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights of a layer, (inputs, outputs), and biases; of the two norms scale and shift, (2, width)."""

    attend: Floats
    attend_bias: Floats
    out: Floats
    out_bias: Floats
    norm: Floats
    wide: Floats
    wide_bias: Floats
    narrow: Floats
    narrow_bias: Floats
    last_norm: Floats


MATRICES = ("attend", "out", "wide", "narrow")
"""The parts of a layer that are kept in whole numbers."""
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
class Reader:
    """A trained reader.

    Attributes:
        embedding: of pieces. places: (longest, width). norm: of the two. heads: of attention.
        head: weights of a record's score: of the mean, (width,), of the linear features, and what is added.
        verdict: of what a record says to a question of yes or no, (3, width), with what is added, (3,).
        kind: of the kind of question, (kinds, width), with what is added.
    """

    embedding: Matrix
    places: Floats
    norm: Floats
    layers: Sequence[Layer]
    heads: int
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
        says = _shares(means @ self.verdict.T + self.verdict_bias)
        return Read(scores, says, _shares(means @ self.kind.T + self.kind_bias))

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all. Raises OSError: it cannot be written."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "embedding": self.embedding.values,
            "embedding_scales": self.embedding.scales,
            "places": self.places.astype(np.float16),
            **{each: getattr(self, each) for each in _ENDS},
        }
        for place, layer in enumerate(self.layers):
            for name, values in vars(layer).items():
                if name in MATRICES:
                    matrix = Matrix.of(np.ascontiguousarray(values.T))
                    arrays[f"{name}_{place}"], arrays[f"{name}_scales_{place}"] = matrix.values, matrix.scales
                else:
                    arrays[f"{name}_{place}"] = values
        facts = {"heads": self.heads, "layers": len(self.layers), "bias": self.bias, "about": dict(self.about)}
        write_model_file(path, FORM, facts, arrays)

    def mean(self, texts: Sequence[Sequence[int]]) -> Floats:
        """The mean over the pieces of each text, given by their numbers, of the last layer: (texts, width)."""
        longest = max(map(len, texts))
        numbers = np.array([[*each, *[0] * (longest - len(each))] for each in texts])
        there = np.array([[1.0] * len(each) + [0.0] * (longest - len(each)) for each in texts], np.float32)
        width = self.places.shape[1]
        hidden = self.embedding.rows(numbers.ravel()).reshape(*numbers.shape, width) + self.places[:longest]
        hidden = _normed(hidden, self.norm)
        shade = np.where(there, 0.0, -1e4).astype(np.float32)[:, None, None, :]
        for layer in self.layers:
            hidden = self._passed(hidden, shade, layer)
        return np.asarray((hidden * there[:, :, None]).sum(1) / there.sum(1)[:, None], np.float32)

    def _passed(self, hidden: Floats, shade: Floats, layer: Layer) -> Floats:
        count, longest, width = hidden.shape
        every = hidden.reshape(-1, width)
        mixed = (every @ layer.attend + layer.attend_bias).reshape(count, longest, 3, self.heads, -1)
        query, key, value = (mixed[:, :, each].transpose(0, 2, 1, 3) for each in range(3))
        share = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(query.shape[-1])) + shade
        seen = (_shares(np.asarray(share, np.float32)) @ value).transpose(0, 2, 1, 3).reshape(-1, width)
        every = _normed(every + (seen @ layer.out + layer.out_bias), layer.norm)
        inner = _gelu(every @ layer.wide + layer.wide_bias)
        every = _normed(every + (inner @ layer.narrow + layer.narrow_bias), layer.last_norm)
        return every.reshape(hidden.shape)


def _shares(values: Floats) -> Floats:
    """The softmax over the last axis."""
    share = np.exp(values - values.max(-1, keepdims=True))
    share /= share.sum(-1, keepdims=True)
    return np.asarray(share, np.float32)


def _normed(values: Floats, norm: Floats) -> Floats:
    centred = values - values.mean(-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + _EPSILON)
    return np.asarray(centred / spread * norm[0] + norm[1], np.float32)


def _gelu(values: Floats) -> Floats:
    inner = values * values
    inner *= 0.044715
    inner += 1.0
    inner *= values
    inner *= np.float32(np.sqrt(2 / np.pi))
    np.tanh(inner, out=inner)
    inner += 1.0
    inner *= values
    inner *= 0.5
    return inner


def vocabulary() -> tuple[str, ...]:
    """The pieces that are known: the special ones, and those of the table of word vectors."""
    return (*SPECIAL, *table_pieces())


@lru_cache(maxsize=1)
def word_pieces() -> WordPiece:
    """Cuts texts into the pieces of `vocabulary`."""
    return WordPiece(vocabulary())


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
    layers = [_layer(arrays, place) for place in range(int(facts["layers"]))]
    embedding = Matrix(arrays["embedding"], arrays["embedding_scales"])
    if len(embedding.values) != len(vocabulary()):
        raise ValueError("of another vocabulary")
    places, ends = arrays["places"].astype(np.float32), {each: arrays[each] for each in _ENDS}
    heads, bias, about = int(facts["heads"]), float(facts["bias"]), facts["about"]
    return Reader(embedding, places, layers=layers, heads=heads, bias=bias, about=about, **ends)


def _layer(arrays: Arrays, place: int) -> Layer:
    parts = {}
    for each in fields(Layer):
        values = arrays[f"{each.name}_{place}"]
        if each.name in MATRICES:
            values = np.ascontiguousarray(Matrix(values, arrays[f"{each.name}_scales_{place}"]).rows().T)
        parts[each.name] = values
    return Layer(**parts)

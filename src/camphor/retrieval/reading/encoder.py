"""A small BERT that reads a text, run with NumPy, and changes of low rank that make it read for another purpose.

Its six layers (MiniLM, Wang et al. 2020) are those of the reader of records (`retrieval.reading.reader`); what else
reads with them adds changes of low rank in its layers (LoRA, Hu et al. 2021), a hundredth of its weights.
`camphor_lab.training.low_rank` trains such changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.errors import ModelMissing
from camphor.models.model_file import Arrays
from camphor.retrieval.static import WordPiece, table_pieces

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_BLOCK = 64
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


LowRank = tuple[Floats, Floats]
"""Two factors, (inputs, rank) and (rank, outputs), whose product is added to a matrix."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights of a layer, (inputs, outputs), and biases; of the two norms scale and shift, (2, width).

    `added`: what is added to each of `MATRICES`, which are shared by all that read with other changes.
    """

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
    added: Mapping[str, LowRank] = field(default_factory=dict)

    def product(self, values: Floats, name: str) -> Floats:
        """Values, (rows, inputs), times one of `MATRICES` with its changes, and its bias: (rows, outputs)."""
        told = values @ getattr(self, name) + getattr(self, f"{name}_bias")
        if name in self.added:
            down, up = self.added[name]
            told += values @ down @ up
        return np.asarray(told, np.float32)

    def whole(self, name: str) -> Floats:
        """One of `MATRICES` with its changes, (inputs, outputs)."""
        matrix = getattr(self, name)
        if name in self.added:
            matrix = matrix + self.added[name][0] @ self.added[name][1]
        return np.asarray(matrix, np.float32)

    def changed(self, factors: Mapping[str, LowRank], norm: Floats, last_norm: Floats) -> Layer:
        """The layer with more added to its matrices, and with other norms."""
        added = dict(self.added)
        for name, (down, up) in factors.items():
            if name in added:
                down, up = np.concatenate([added[name][0], down], axis=1), np.concatenate([added[name][1], up])
            added[name] = np.ascontiguousarray(down), np.ascontiguousarray(up)
        return replace(self, added=added, norm=norm, last_norm=last_norm)


MATRICES = ("attend", "out", "wide", "narrow")
"""The parts of a layer that are kept in whole numbers."""


LAYER_ARRAYS = tuple(each.name for each in fields(Layer) if each.name != "added")
"""The parts of a layer that a file keeps."""


@dataclass(frozen=True, eq=False)
class Encoder:
    """The network without an end.

    Attributes:
        embedding: of pieces. places: (longest, width). norm: of the two. heads: of attention. changed: the mark of the
            changes that it has, "" for none.
    """

    embedding: Matrix
    places: Floats
    norm: Floats
    layers: Sequence[Layer]
    heads: int
    changed: str = field(default="", kw_only=True)

    def hidden(self, texts: Sequence[Sequence[int]]) -> Floats:
        """The last layer of texts, given by the numbers of their pieces: (texts, longest, width), 0 behind an end."""
        longest = max(map(len, texts))
        numbers = np.array([[*each, *[0] * (longest - len(each))] for each in texts])
        there = _there(texts)
        width = self.places.shape[1]
        hidden = self.embedding.rows(numbers.ravel()).reshape(*numbers.shape, width) + self.places[:longest]
        hidden = _normed(hidden, self.norm)
        shade = np.where(there, 0.0, -1e4).astype(np.float32)[:, None, None, :]
        for layer in self.layers:
            hidden = self._passed(hidden, shade, layer)
        return np.asarray(hidden * there[:, :, None], np.float32)

    def mean(self, texts: Sequence[Sequence[int]]) -> Floats:
        """The mean over the pieces of each text of the last layer: (texts, width)."""
        return np.asarray(self.hidden(texts).sum(1) / _there(texts).sum(1)[:, None], np.float32)

    def _passed(self, hidden: Floats, shade: Floats, layer: Layer) -> Floats:
        count, longest, width = hidden.shape
        every = hidden.reshape(-1, width)
        mixed = layer.product(every, "attend").reshape(count, longest, 3, self.heads, -1)
        query, key, value = (mixed[:, :, each].transpose(0, 2, 1, 3) for each in range(3))
        share = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(query.shape[-1])) + shade
        seen = (shares(np.asarray(share, np.float32)) @ value).transpose(0, 2, 1, 3).reshape(-1, width)
        every = _normed(every + layer.product(seen, "out"), layer.norm)
        inner = gelu(layer.product(every, "wide"))
        every = _normed(every + layer.product(inner, "narrow"), layer.last_norm)
        return every.reshape(hidden.shape)

    @property
    def mark(self) -> str:
        """What tells it from others: of its pieces and its last layer, or of its changes.

        Never of products: another processor rounds them otherwise.
        """
        if self.changed:
            return self.changed
        return f"{crc32(self.layers[-1].attend.tobytes(), crc32(self.embedding.values.tobytes())):08x}"


E = TypeVar("E", bound=Encoder)


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes of an encoder's last layers.

    Attributes:
        downs, ups: of each of `MATRICES` of each of these layers, in order: (rank, inputs) and (rank, outputs); their
            product is added to the layer's matrix.
        norms: both norms of each of these layers in their places: float32, (layers, 2, 2, width).
        mark: of the encoder that was changed.
    """

    downs: Sequence[Matrix]
    ups: Sequence[Matrix]
    norms: Floats
    mark: str

    def on(self, encoder: E) -> E:
        """The encoder with the changes. Raises ModelMissing: it is another than the one that they were made for."""
        if encoder.mark != self.mark:
            raise ModelMissing(
                "This model was trained with another reader of records: reinstall camphor, or train it anew"
            )
        factors = [(down.rows().T, up.rows()) for down, up in zip(self.downs, self.ups, strict=True)]
        first = len(encoder.layers) - len(self.norms)
        layers = list(encoder.layers[:first])
        for place, layer in enumerate(encoder.layers[first:]):
            its = factors[place * len(MATRICES) : (place + 1) * len(MATRICES)]
            norm, last = self.norms[place]
            layers.append(layer.changed(dict(zip(MATRICES, its, strict=True)), norm, last))
        return replace(encoder, layers=layers, changed=self.own_mark)

    @property
    def own_mark(self) -> str:
        """The mark of an encoder with these changes: of what was changed and of the whole numbers of the changes."""
        mark = crc32(self.mark.encode())
        for matrix in (*self.downs, *self.ups):
            mark = crc32(matrix.values.tobytes(), mark)
        return f"{mark:08x}"

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is kept in a file, by name; the mark is no array."""
        kept: dict[str, npt.NDArray[Any]] = {"norms": self.norms.astype(np.float16)}
        for name, matrices in (("down", self.downs), ("up", self.ups)):
            for place, matrix in enumerate(matrices):
                kept[f"{name}_{place}"], kept[f"{name}_scales_{place}"] = matrix.values, matrix.scales
        return kept

    @classmethod
    def of(cls, arrays: Arrays, mark: str) -> Changes:
        """What `arrays` gave. Raises KeyError: they are none of these."""
        count = len(MATRICES) * len(arrays["norms"])
        downs, ups = (
            [Matrix(arrays[f"{name}_{place}"], arrays[f"{name}_scales_{place}"]) for place in range(count)]
            for name in ("down", "up")
        )
        return cls(downs, ups, arrays["norms"].astype(np.float32), mark)


def _there(texts: Sequence[Sequence[int]]) -> Floats:
    longest = max(map(len, texts))
    return np.array([[1.0] * len(each) + [0.0] * (longest - len(each)) for each in texts], np.float32)


def shares(values: Floats) -> Floats:
    """The softmax over the last axis."""
    share = np.exp(values - values.max(-1, keepdims=True))
    share /= share.sum(-1, keepdims=True)
    return np.asarray(share, np.float32)


def _normed(values: Floats, norm: Floats) -> Floats:
    centred = values - values.mean(-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + _EPSILON)
    return np.asarray(centred / spread * norm[0] + norm[1], np.float32)


def gelu(values: Floats) -> Floats:
    """The activation of the inner layer, by its approximation with tanh (Hendrycks and Gimpel 2016)."""
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


def layer_of(arrays: Arrays, place: int) -> Layer:
    parts: dict[str, Any] = {}
    for name in LAYER_ARRAYS:
        values = arrays[f"{name}_{place}"]
        if name in MATRICES:
            values = np.ascontiguousarray(Matrix(values, arrays[f"{name}_scales_{place}"]).rows().T)
        parts[name] = values
    return Layer(**parts)

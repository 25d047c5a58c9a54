"""What a message says as a whole, however it is worded: how urgent it is, by the encoder of the reader.

The net of `suspicion` adds up words, so a sentence in words that it never met says little to it. The encoder of
`answering.reader` knows from much text which words stand for each other. Here it is run with changes of low rank in its
layers (LoRA, Hu et al. 2021), a hundredth of its weights. It was made of English alone, so it is given the concepts of
the words (`concepts`), which have English names in all five languages, after the words themselves.
`camphor_lab.training.meaning` trains the changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.agents.answering.reader import MATRICES, SPECIAL, Floats, Matrix, Reader, read_reader, word_pieces
from camphor.agents.health.concepts import concepts_of
from camphor.agents.model_file import Arrays
from camphor.errors import ModelMissing

OUTPUTS = 2
"""The log-odds that a message is urgent, and of an urgent one that it is so now."""
LONGEST = 1000
"""Characters of a message that are read."""
_WORDS, _CONCEPTS = 60, 32
"""Pieces of the words, and of the names of their concepts, that are read; more would not fit the reader's places."""
_BATCH = 16


def pieces_of(text: str) -> list[int]:
    """The numbers of a message's pieces and, after a mark, of its concepts' names, with the marks around them."""
    first, between = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
    words = word_pieces().cut(text[:LONGEST])[:_WORDS]
    named = word_pieces().cut(" ".join(concept.replace("_", " ") for concept in concepts_of(text)))[:_CONCEPTS]
    return [first, *words, between, *named, between]


@dataclass(frozen=True, eq=False)
class Meaning:
    """Changes of the reader's encoder, and what is read at its end.

    Attributes:
        downs, ups: of each of `MATRICES` of each of the last layers, in order: (rank, inputs) and (rank, outputs);
            their product is added to the layer's matrix.
        norms: both norms of each of these layers in their places: float32, (layers, 2, 2, width).
        head: float32, (`OUTPUTS`, width). bias: float32, (`OUTPUTS`,).
        reader: the mark of the reader that was changed, see `mark_of`.
    """

    downs: Sequence[Matrix]
    ups: Sequence[Matrix]
    norms: Floats
    head: Floats
    bias: Floats
    reader: str

    @cached_property
    def encoder(self) -> Reader:
        """The changed reader. Raises ModelMissing: there is no reader, or another than the one that was changed."""
        found = read_reader()
        if mark_of(found) != self.reader:
            raise ModelMissing(
                "The net for emergencies was trained with another reader of records: reinstall camphor, or train it "
                "with  camphor lab train-red-flags"
            )
        changes = [down.rows().T @ up.rows() for down, up in zip(self.downs, self.ups, strict=True)]
        first = len(found.layers) - len(self.norms)
        layers = list(found.layers[:first])
        for place, layer in enumerate(found.layers[first:]):
            its = changes[place * len(MATRICES) : (place + 1) * len(MATRICES)]
            changed = {name: getattr(layer, name) + change for name, change in zip(MATRICES, its, strict=True)}
            norm, last = self.norms[place]
            layers.append(replace(layer, **changed, norm=norm, last_norm=last))
        return replace(found, layers=layers)

    def scores(self, texts: Sequence[str]) -> Floats:
        """The log-odds of the messages: float32, (texts, `OUTPUTS`). Raises ModelMissing: as `encoder`."""
        pieces = [pieces_of(text) for text in texts]
        order = sorted(range(len(pieces)), key=lambda place: len(pieces[place]))
        found = np.zeros((len(pieces), OUTPUTS), np.float32)
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            found[part] = self.encoder.mean([pieces[place] for place in part]) @ self.head.T + self.bias
        return found

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is kept in a file, by name."""
        kept: dict[str, npt.NDArray[Any]] = {"norms": self.norms.astype(np.float16), "head": self.head}
        kept["head_bias"] = self.bias
        for name, matrices in (("down", self.downs), ("up", self.ups)):
            for place, matrix in enumerate(matrices):
                kept[f"{name}_{place}"], kept[f"{name}_scales_{place}"] = matrix.values, matrix.scales
        return kept


def mark_of(reader: Reader) -> str:
    """What tells a reader from others: its pieces and its last layer."""
    return f"{crc32(reader.layers[-1].attend.tobytes(), crc32(reader.embedding.values.tobytes())):08x}"


def meaning_of(arrays: Arrays, facts: Mapping[str, Any]) -> Meaning:
    """What `Meaning.arrays` gave. Raises KeyError, ValueError: they are none of these."""
    count = len(MATRICES) * len(arrays["norms"])
    downs, ups = (
        [Matrix(arrays[f"{name}_{place}"], arrays[f"{name}_scales_{place}"]) for place in range(count)]
        for name in ("down", "up")
    )
    head, bias = arrays["head"].astype(np.float32), arrays["head_bias"].astype(np.float32)
    if len(head) != OUTPUTS or bias.shape != (OUTPUTS,):
        raise ValueError("outputs are missing")
    return Meaning(downs, ups, arrays["norms"].astype(np.float32), head, bias, str(facts["reader"]))

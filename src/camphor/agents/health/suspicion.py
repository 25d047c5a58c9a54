"""The net for emergencies: how urgent a text reads, what kind of trouble it is, and in which language.

Linear models over what a text is made of: its words and pairs of words; pieces of its words, for slips of the finger
and endings; the classes of its word pieces and their pairs ("gushing" and "pouring" are of one class: their vectors in
the table of `retrieval.static` are near); and its concepts (`red_flags`) and their pairs, which join five languages.

A sentence in words that stand in none of the training says little to such models. So what a message says as a whole is
read beside it (`Meaning`), by the encoder of `reading.reader`, which knows from much text which words stand for each
other, with changes of low rank in its layers (LoRA, Hu et al. 2021), a hundredth of its weights. It was made of English
alone, so it is given the concepts of the words, which have English names in all five languages, after the words.
`camphor_lab.training.suspicion` and `.meaning` train them on hand-written sentences; reading takes numpy alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.agents.health.red_flags import concepts_of
from camphor.agents.health.spelling import normal
from camphor.models.model_file import Arrays, read_model_file, write_model_file
from camphor.retrieval.reading.encoder import SPECIAL, Changes, Encoder, Floats, word_pieces
from camphor.retrieval.reading.reader import read_reader
from camphor.retrieval.static import StaticEncoder

SHIPPED = Path(__file__).parent / "suspicion.npz"
FORM = "camphor.suspicion/5"
BUCKETS = 1 << 16
LONGEST = 1000
"""Characters of a text that are read."""
LANGUAGES = ("en", "es", "de", "fr", "pt")
URGENT, NOW = "urgent", "now"
"""Outputs: whether today or now is right, and of urgent texts whether now is."""
KIND, LANGUAGE = "kind ", "language "
"""What the names of the other outputs begin with."""
_LETTERS = (3, 4, 5)
_WORD = re.compile(r"[a-z0-9']+|[?!]")

Places = tuple[npt.NDArray[np.intp], ...]


@dataclass(frozen=True)
class Bars:
    """What `URGENT` must reach for a text to be suspicious, and to be urgent without a question; what `NOW` must reach
    where it is found to be urgent."""

    ask: float
    found: float
    now: float


@dataclass(frozen=True)
class UrgencyReading:
    """What the net reads in a text: scores, the higher the likelier; `kinds`: about 1 for yes and about -1 for no, the
    likeliest first."""

    urgent: float
    now: float
    kinds: tuple[tuple[str, float], ...]
    language: str
    bars: Bars


@dataclass(frozen=True)
class Suspicion:
    """A trained net.

    Attributes:
        outputs: their names. weights: int8, (outputs, `BUCKETS`), times `scales`, float32, (outputs,).
        rarity: float32, (`BUCKETS`,): of each thing that a text may be made of. biases: float32, (outputs,).
        classes: uint16, a class for each piece of the static table.
        meaning: of a message as a whole, whose log-odds count `share` beside the scores of `URGENT` and `NOW`; None in
            a net of words alone.
        bars: by language. about: settings and figures of the training.
    """

    outputs: tuple[str, ...]
    weights: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]
    biases: npt.NDArray[np.float32]
    rarity: npt.NDArray[np.float32]
    classes: npt.NDArray[np.uint16]
    bars: Mapping[str, Bars]
    about: Mapping[str, Any] = field(default_factory=dict)
    meaning: Meaning | None = None
    share: float = 0.0

    def scores(self, text: str) -> npt.NDArray[np.float32]:
        """Of all outputs, by the words alone: float32, (outputs,)."""
        found = self.biases.copy()
        for places in read_of(text, self.classes):
            parts = self.rarity[places]
            length = max(float(np.linalg.norm(parts)), 1e-9)
            found += self.scales * (self.weights[:, places].astype(np.float32) @ (parts / length))
        return found

    def read(self, texts: Sequence[str]) -> list[UrgencyReading]:
        """What the net makes of each text. Raises ModelMissing: the reader of records cannot be read."""
        wholes = np.zeros((len(texts), 2)) if self.meaning is None else self.share * self.meaning.scores(texts)
        found = []
        for text, whole in zip(texts, wholes, strict=True):
            scores = self._by_name(text)
            language = _named(scores, LANGUAGE)[0][0]
            urgent, now = scores[URGENT] + float(whole[0]), scores[NOW] + float(whole[1])
            found.append(UrgencyReading(urgent, now, _named(scores, KIND), language, self.bars[language]))
        return found

    def kinds(self, text: str) -> tuple[tuple[str, float], ...]:
        """As `UrgencyReading.kinds`: of the words alone, so at no cost."""
        return _named(self._by_name(text), KIND)

    def save(self, path: Path) -> None:
        """Write the net to a file, whole or not at all. Raises OSError: it cannot be written."""
        bars = {language: [each.ask, each.found, each.now] for language, each in self.bars.items()}
        arrays: Arrays = {
            "weights": self.weights,
            "scales": self.scales,
            "biases": self.biases,
            "rarity": self.rarity.astype(np.float16),
            "classes": self.classes,
        }
        facts: dict[str, Any] = {"outputs": self.outputs, "bars": bars, "about": self.about, "share": self.share}
        if self.meaning is not None:
            facts["reader"] = self.meaning.changes.mark
            arrays = {**arrays, **self.meaning.arrays()}
        write_model_file(path, FORM, facts, arrays)

    def _by_name(self, text: str) -> dict[str, float]:
        return dict(zip(self.outputs, map(float, self.scores(text)), strict=True))


def _named(scores: Mapping[str, float], start: str) -> tuple[tuple[str, float], ...]:
    named = [(name.removeprefix(start), score) for name, score in scores.items() if name.startswith(start)]
    return tuple(sorted(named, key=lambda each: -each[1]))


def read_of(text: str, classes: npt.NDArray[np.uint16]) -> Places:
    """The places of what a text is made of, none twice: as `made_of`, and of concepts."""
    concepts = sorted(concepts_of(text)) or ["none"]
    pairs = [f"{one} {two}" for one, two in combinations(concepts, 2)]
    return *made_of(text, classes), _places("k", [*concepts, *pairs])


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
    return read_model_file(path, FORM, _net, name="the net for emergencies", command="train-red-flags")


def _net(facts: Mapping[str, Any], arrays: Arrays) -> Suspicion:
    weights, classes = arrays["weights"].astype(np.int8), arrays["classes"].astype(np.uint16)
    scales, biases, rarity = (arrays[name].astype(np.float32) for name in ("scales", "biases", "rarity"))
    outputs = tuple(map(str, facts["outputs"]))
    if weights.shape != (len(outputs), BUCKETS) or rarity.shape != (BUCKETS,) or classes.shape != (word_table().size,):
        raise ValueError("of another table of word vectors")
    if not {URGENT, NOW} <= set(outputs) or {scales.shape, biases.shape} != {(len(outputs),)}:
        raise ValueError("outputs are missing")
    bars = {language: Bars(*map(float, each)) for language, each in facts["bars"].items()}
    meaning = meaning_of(arrays, facts) if "reader" in facts else None
    share = float(facts["share"])
    return Suspicion(outputs, weights, scales, biases, rarity, classes, bars, facts["about"], meaning, share)


@lru_cache(maxsize=1)
def word_table() -> StaticEncoder:
    """The static table of word vectors, read once."""
    return StaticEncoder()


def _pairs(units: Sequence[str]) -> list[str]:
    return [*units, *(f"{one} {two}" for one, two in pairwise(units))]


def _places(family: str, things: Iterable[str]) -> npt.NDArray[np.intp]:
    return np.array(sorted({crc32(f"{family} {thing}".encode()) % BUCKETS for thing in things}), np.intp)


# what a message means as a whole


OUTPUTS = 2
"""The log-odds that a message is urgent, and of an urgent one that it is so now."""
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
    """What a message says as a whole.

    Attributes:
        changes: of the reader's encoder. head: float32, (`OUTPUTS`, width). bias: float32, (`OUTPUTS`,).
    """

    changes: Changes
    head: Floats
    bias: Floats

    @cached_property
    def encoder(self) -> Encoder:
        """The changed encoder. Raises ModelMissing: there is no reader, or another than the one that was changed."""
        return self.changes.on(read_reader())

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
        return {**self.changes.arrays(), "head": self.head, "head_bias": self.bias}


def meaning_of(arrays: Arrays, facts: Mapping[str, Any]) -> Meaning:
    """What `Meaning.arrays` gave. Raises KeyError, ValueError: they are none of these."""
    head, bias = arrays["head"].astype(np.float32), arrays["head_bias"].astype(np.float32)
    if len(head) != OUTPUTS or bias.shape != (OUTPUTS,):
        raise ValueError("outputs are missing")
    return Meaning(Changes.of(arrays, str(facts["reader"])), head, bias)

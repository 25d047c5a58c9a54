"""What a person tells of themselves: which clauses of a text tell a lasting fact, and what it wants of the memory.

A small network reads a text clause by clause (the encoder of `agents.parts` with changes of low rank) and says of each
how likely it tells something that will still be so next week, of what relation it is, and whether it is new, a change,
or the end of something; of the whole text, whether something is to be forgotten or told; and of a text beside a kept
sentence, what the one has to do with the other. `camphor_lab.training.facts` trains it. What follows from a relation
is data (`relations.toml`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from camphor.agents.parts import cut, read_parts, windows
from camphor.models.model_file import Arrays, read_model_file, write_model_file
from camphor.retrieval.reading.encoder import SPECIAL, Changes, Encoder, Floats, shares, word_pieces
from camphor.retrieval.reading.reader import LONGEST as MOST_PIECES

SHIPPED = Path(__file__).parent / "told_facts.npz"
FORM = "camphor.facts/2"
LONGEST = 1500
"""Characters of a text that are read: the rest of a longer one tells nothing that is kept."""


class Effect(StrEnum):
    """What a fact does to what was known."""

    NEW = "new"
    CHANGE = "change"
    END = "end"


class MemoryAct(StrEnum):
    """What a text wants of the memory, beside telling it something."""

    NONE = "none"
    FORGET = "forget"
    FORGET_ALL = "forget_all"
    RECALL = "recall"
    RECALL_ALL = "recall_all"
    SOURCE = "source"
    UNDO = "undo"


@dataclass(frozen=True)
class Relation:
    """What holds for all facts of a relation (`relations.toml`).

    Args:
        single: of one subject and one thing only one value holds at a time.
        passes: it changes with time, so that a new value takes the place of an old one without a question.
        mark: "health" or "secret"; "" for neither.
        preference: it says what the person likes, and not what is so.
    """

    name: str
    single: bool = False
    passes: bool = False
    mark: str = ""
    preference: bool = False


@dataclass(frozen=True)
class ToldFact:
    """A fact as it was told.

    Args:
        text: the words that tell it, as written. start, end: their place in the whole text.
        chance: how sure the reader is that it is one to be kept, 0 to 1.
    """

    text: str
    start: int
    end: int
    relation: Relation
    effect: Effect
    chance: float


@dataclass(frozen=True)
class Told:
    """What a text tells and wants of the memory. `act_chance`: how sure that it wants that act, 0 to 1."""

    facts: tuple[ToldFact, ...] = ()
    act: MemoryAct = MemoryAct.NONE
    act_chance: float = 0.0


@dataclass(frozen=True)
class Bearing:
    """How likely it is, 0 to 1, that a text ends or takes the place of a memory, says the same, or needs it."""

    replaces: float
    same: float
    uses: float


EFFECTS = tuple(Effect)
ACTS = tuple(MemoryAct)
BEARINGS = ("replaces", "same", "uses")


@lru_cache(maxsize=1)
def relations() -> Mapping[str, Relation]:
    """The relations by name, in the order of the file."""
    read = tomllib.loads((Path(__file__).parent / "relations.toml").read_text(encoding="utf-8"))
    return {name: Relation(name, **row) for name, row in read["relations"].items()}


def pair_pieces(text: str, memory: str) -> list[int]:
    """A text and a memory as the network reads them together; the end of a long text is left out."""
    first, between = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
    kept = word_pieces().cut(memory)[: MOST_PIECES // 2]
    said = word_pieces().cut(text)[: MOST_PIECES - len(kept) - 3]
    return [first, *said, between, *kept, between]


@dataclass(frozen=True, eq=False)
class FactModel:
    """A trained model.

    Attributes:
        changes: of the encoder of `agents.parts`.
        clauses: float32, (1 + relations + effects, 2 x width), of the mean over a clause's pieces and the first piece
            of all: the log-odds that it tells a fact, and of which kind; with `clauses_bias`.
        acts: float32, (acts, 2 x width), of the mean over all pieces and the first. pairs: float32, (3, 2 x width), of
            a text read together with a memory: see `Bearing`.
        floor: the chance from which a fact is kept. act_floor: from which an act is.
        relations: their names, in the order of the rows.
    """

    changes: Changes
    clauses: Floats
    clauses_bias: Floats
    acts: Floats
    acts_bias: Floats
    pairs: Floats
    pairs_bias: Floats
    floor: float = 0.5
    act_floor: float = 0.5
    relations: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def encoder(self) -> Encoder:
        """The changed encoder. Raises ModelMissing: the one that was changed is not there."""
        return self.changes.on(read_parts().encoder)

    def read(self, text: str) -> Told:
        """All clauses as facts, whatever their chance, and the likeliest act of the whole text."""
        text = text[:LONGEST]
        spans = cut(text)
        read = list(windows(text, spans, False))
        hidden = self.encoder.hidden([window.pieces for window in read])
        facts: list[ToldFact] = []
        whole = np.concatenate([hidden[0, : len(read[0].pieces)].mean(0), hidden[0, 0]])
        act = shares(whole @ self.acts.T + self.acts_bias)
        for at, window in enumerate(read):
            for first, last in window.clauses:
                pooled = np.concatenate([hidden[at, first:last].mean(0), hidden[at, 0]])
                start, end = spans[len(facts)]
                facts.append(self._fact(text, start, end, pooled @ self.clauses.T + self.clauses_bias))
        return Told(tuple(facts), ACTS[int(act.argmax())], float(act.max()))

    def _fact(self, text: str, start: int, end: int, told: Floats) -> ToldFact:
        relation = self.relations[int(told[1 : 1 + len(self.relations)].argmax())]
        effect = EFFECTS[int(told[1 + len(self.relations) :].argmax())]
        chance = float(1 / (1 + np.exp(-told[0])))
        return ToldFact(text[start:end], start, end, relations()[relation], effect, chance)

    def bearings(self, text: str, memories: Sequence[str]) -> list[Bearing]:
        """What a text has to do with each memory."""
        pairs = [pair_pieces(text, memory) for memory in memories]
        found: list[Bearing] = []
        for start in range(0, len(pairs), _TOGETHER):
            some = pairs[start : start + _TOGETHER]
            hidden = self.encoder.hidden(some)
            lengths = np.array([[len(each)] for each in some], np.float32)
            pooled = np.concatenate([hidden.sum(1) / lengths, hidden[:, 0]], axis=1)
            told = 1 / (1 + np.exp(-(pooled @ self.pairs.T + self.pairs_bias)))
            found += [Bearing(*map(float, row)) for row in told]
        return found

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        arrays: Arrays = {**self.changes.arrays(), **{name: getattr(self, name) for name in _ARRAYS}}
        facts = {"relations": self.relations, "encoder": self.changes.mark, "acts_of": ACTS}
        told = {"floor": self.floor, "act_floor": self.act_floor, "about": self.about}
        write_model_file(path, FORM, {**facts, **told}, arrays)


_ARRAYS = tuple(f"{name}{end}" for name in ("clauses", "acts", "pairs") for end in ("", "_bias"))
_TOGETHER = 16  # pairs that are read at once


@lru_cache(maxsize=2)
def read_fact_model(path: Path = SHIPPED) -> FactModel:
    """The model of a file, read once. Raises ModelMissing: there is none, or it is none of these."""
    return read_model_file(path, FORM, _model, name="the model of what a person tells", command="train-facts")


def _model(facts: Mapping[str, Any], arrays: Arrays) -> FactModel:
    if not set(facts["relations"]) <= set(relations()) or tuple(facts["acts_of"]) != ACTS:
        raise ValueError("of other relations or acts")
    clauses, clauses_bias, acts, acts_bias, pairs, pairs_bias = (arrays[name].astype(np.float32) for name in _ARRAYS)
    return FactModel(
        Changes.of(arrays, str(facts["encoder"])),
        clauses, clauses_bias, acts, acts_bias, pairs, pairs_bias,
        float(facts["floor"]), float(facts["act_floor"]), tuple(facts["relations"]), facts["about"],
    )  # fmt: skip

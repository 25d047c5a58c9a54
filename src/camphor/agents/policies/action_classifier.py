"""Which of a phone's own actions the words of a query could ask for at all.

A small language model that takes a question for a wish writes some call: "that kitchen website again" downloaded an
app. A second opinion of another kind, a linear model over runs of words, has read which actions people ask for in
which words. A call that it finds far from possible is not made; kept out of the grammar instead, such calls became
other wrong ones. `camphor_lab.training.plausible` trains it. It knows nothing of the actions of apps that are not
built in and lets them be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.agents.policies.base import Policy, Situation, at_once
from camphor.models.model_file import Arrays, coarse, read_model_file, write_model_file
from camphor.types import Call

SHIPPED = Path(__file__).parent / "action_classifier.npz"
_ROUNDED = 6  # bits of a weight that are not kept
FORM = "camphor.plausible/1"
LONGEST = 2000
"""Characters of a query that are read."""
FEWEST = 4
"""Words under which a query says too little to be judged ("the usual"), as it does where most of them are unknown."""
_RUNS = (2, 3)  # words, beside single ones
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|\?")
_DIGITS = re.compile(r"\d+")

Numbers = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Plausibility:
    """A trained model.

    Attributes:
        actions: the tools that it knows. runs: uint32, (V,), ascending: marks of the words and runs of words that it
            knows. weights: float32, (actions, V). bias: float32, (actions,).
        floor: log-odds; an action with less is ruled out. about: settings and figures of the training.
    """

    actions: tuple[str, ...]
    runs: Numbers
    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    floor: float
    about: Mapping[str, Any] = field(default_factory=dict)

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """The log-odds that a query asks for each action, shape (actions,)."""
        places = self.places(marks_of(words_of(query)))
        return np.asarray(self.weights[:, places].sum(axis=1) / max(len(places), 1) ** 0.5 + self.bias, np.float32)

    def places(self, marks: Numbers) -> npt.NDArray[np.intp]:
        """Where in `runs` those stand that are known."""
        at = np.searchsorted(self.runs, marks)
        known: npt.NDArray[np.bool_] = self.runs[np.minimum(at, len(self.runs) - 1)] == marks
        return np.asarray(at[known], np.intp)

    def judges(self, query: str) -> bool:
        """Whether a query has words enough that are known."""
        words = words_of(query)
        return len(words) >= FEWEST and 2 * len(self.places(np.array(sorted(map(_mark, words)), np.uint32))) > len(
            words
        )

    def ruled_out(self, query: str) -> frozenset[str]:
        """The actions that a query cannot mean."""
        if not self.judges(query):
            return frozenset()
        low = self.scores(query) < self.floor
        return frozenset(name for name, out in zip(self.actions, low, strict=True) if out)

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        facts = {"actions": self.actions, "floor": self.floor, "about": self.about}
        arrays: Arrays = {"runs": self.runs, "weights": coarse(self.weights, _ROUNDED), "bias": self.bias}
        write_model_file(path, FORM, facts, arrays)


def words_of(query: str) -> list[str]:
    """Words and question marks; any figure is like another."""
    return _WORD.findall(_DIGITS.sub("0", query[:LONGEST].casefold().replace("’", "'")))


def marks_of(words: Sequence[str]) -> Numbers:
    """A mark for each word and each run of words, with those that begin and end it; none twice, ascending."""
    told = ["<", *words, ">"]
    runs = (" ".join(told[at : at + size]) for size in _RUNS for at in range(len(told) - size + 1))
    return np.array(sorted({_mark(run) for run in (*words, *runs)}), np.uint32)


def _mark(run: str) -> int:
    return crc32(run.encode())


def plausible(calls: Sequence[Call], query: str) -> tuple[Call, ...]:
    """Those calls that a query's words may ask for, as the model that ships judges."""
    out = read_plausibility().ruled_out(query) if calls else ()
    return tuple(call for call in calls if call.name not in out)


@lru_cache(maxsize=4)
def read_plausibility(path: Path = SHIPPED) -> Plausibility:
    """The model of a file, read once.

    Raises:
        ModelMissing: there is none, or it is none of these.
    """
    return read_model_file(path, FORM, _model, name="the model of plausible actions", command="train-plausible")


def _model(facts: Mapping[str, Any], arrays: Arrays) -> Plausibility:
    actions: Sequence[str] = facts["actions"]
    runs, weights, bias = arrays["runs"], arrays["weights"].astype(np.float32), arrays["bias"].astype(np.float32)
    if weights.shape != (len(actions), len(runs)) or bias.shape != (len(actions),) or not len(runs):
        raise ValueError("of another size")
    return Plausibility(tuple(actions), runs.astype(np.uint32), weights, bias, float(facts["floor"]), facts["about"])


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...]:
    return plausible(calls, situation.query)


ACTION_CLASSIFIER = Policy("action_classifier", at_once(_revise), tuned=True, first=True)

"""The trained part of answering: which records, and which lists, a question's words point at.

A file of NumPy arrays (1 MB): weights of the features of records, how telling words are, and for each built-in list a
linear model over runs of words. `camphor_lab.training.answers` trains it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.answering.ranking import FEATURES
from camphor.agents.policies.action_classifier import marks_of, words_of
from camphor.models.model_file import Arrays, read_model_file, write_model_file

SHIPPED = Path(__file__).parent / "answering.npz"
FORM = "camphor.answering/1"
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class AnsweringModel:
    """A trained model.

    Attributes:
        weights: float32, (len(FEATURES),). common: how much a stem tells, 0 to 1, of stems that people use often.
        lists: keys "app.list". runs: uint32, (V,), ascending: marks of runs of words.
        list_weights: float32, (lists, V). bias: float32, (lists,). about: settings and figures of the training.
    """

    weights: Floats
    common: Mapping[str, float]
    lists: Sequence[str]
    runs: npt.NDArray[np.uint32]
    list_weights: Floats
    bias: Floats
    about: Mapping[str, Any] = field(default_factory=dict)

    def likely(self, query: str) -> dict[str, float]:
        """For each list how likely a question of these words is about it: log-odds brought to about -1 to 2."""
        marks = marks_of(words_of(query))
        at = np.searchsorted(self.runs, marks)
        known = at[self.runs[np.minimum(at, len(self.runs) - 1)] == marks]
        odds = self.list_weights[:, known].sum(axis=1) / max(len(known), 1) ** 0.5 + self.bias
        return dict(zip(self.lists, scaled(odds), strict=True))

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        facts = {"features": FEATURES, "lists": list(self.lists), "common": dict(self.common), "about": self.about}
        arrays: Arrays = {
            "weights": self.weights,
            "runs": self.runs,
            "list_weights": self.list_weights.astype(np.float16),
            "bias": self.bias,
        }
        write_model_file(path, FORM, facts, arrays)


def scaled(odds: npt.NDArray[Any]) -> list[float]:
    """Log-odds as the feature that the weights are trained with: 0 stands for one in twenty."""
    return [float(each) for each in np.clip((odds + 3) / 3, -1, 2)]


@lru_cache(maxsize=2)
def read_answering(path: Path = SHIPPED) -> AnsweringModel:
    """The model of a file, read once. Raises ModelMissing: there is none, or it is none of these."""
    return read_model_file(path, FORM, _model, name="the model of answers", command="train-answers")


def _model(facts: Mapping[str, Any], arrays: Arrays) -> AnsweringModel:
    if tuple(facts["features"]) != FEATURES:
        raise ValueError("of other features")
    lists: Sequence[str] = facts["lists"]
    weights, list_weights = arrays["weights"].astype(np.float32), arrays["list_weights"].astype(np.float32)
    runs, bias = arrays["runs"].astype(np.uint32), arrays["bias"].astype(np.float32)
    if (
        list_weights.shape != (len(lists), len(runs))
        or bias.shape != (len(lists),)
        or weights.shape != (len(FEATURES),)
    ):
        raise ValueError("of another size")
    return AnsweringModel(weights, facts["common"], lists, runs, list_weights, bias, facts["about"])

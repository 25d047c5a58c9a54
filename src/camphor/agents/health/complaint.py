"""Whether words are about a person's health: a linear model over what they are made of, and what they mean.

It tells a complaint, or a wish for a doctor, from the weather, a pet, a sum or a command to the phone, so that a talk
keeps no small talk in a record. `camphor_lab.training.referral` trains it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.health.referral import meanings_of
from camphor.agents.health.suspicion import BUCKETS, made_of
from camphor.agents.model_file import Arrays, read_model_file, write_model_file

SHIPPED = Path(__file__).parent / "complaint.npz"
FORM = "camphor.complaint/1"


@dataclass(frozen=True)
class Complaints:
    """A trained model.

    Attributes:
        weights, rarity: float32, (`BUCKETS`,): of each thing that a text may be made of.
        meanings: float32, (dimensions of the static table,): weights of a text's vector.
        bias: score of a text made of nothing known.
        classes: uint16, a class for each piece of the static table.
        about: settings and figures of the training.
    """

    weights: npt.NDArray[np.float32]
    rarity: npt.NDArray[np.float32]
    meanings: npt.NDArray[np.float32]
    bias: float
    classes: npt.NDArray[np.uint16]
    about: Mapping[str, Any] = field(default_factory=dict)

    def score(self, text: str) -> float:
        """About 1 where a person's health is spoken of, about -1 where it is anything else."""
        score = self.bias + float(meanings_of([text])[0] @ self.meanings)
        for places in made_of(text, self.classes):
            parts = self.rarity[places]
            score += float(self.weights[places] @ parts) / max(float(np.linalg.norm(parts)), 1e-9)
        return score

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        arrays: Arrays = {
            "weights": self.weights.astype(np.float16),
            "rarity": self.rarity.astype(np.float16),
            "meanings": self.meanings,
            "classes": self.classes,
        }
        write_model_file(path, FORM, {"bias": self.bias, "about": self.about}, arrays)


@lru_cache(maxsize=4)
def read_complaints(path: Path = SHIPPED) -> Complaints:
    """The model of a file, read once.

    Raises:
        ModelMissing: there is none, or it is none of these.
    """
    return read_model_file(path, FORM, _model, name="what tells a complaint", command="train-complaints")


def _model(facts: Mapping[str, Any], arrays: Arrays) -> Complaints:
    weights, rarity, meanings = (arrays[name].astype(np.float32) for name in ("weights", "rarity", "meanings"))
    if {weights.shape, rarity.shape} != {(BUCKETS,)}:
        raise ValueError("other buckets")
    classes = arrays["classes"].astype(np.uint16)
    return Complaints(weights, rarity, meanings, float(facts["bias"]), classes, facts["about"])

"""Which specialist a person's words call for: a linear model over what they are made of, and what they mean.

What they are made of is that of `suspicion`, what they mean is their vector in the table of `retrieval.static`. Of 70
hand-written descriptions for development the planner alone finds an acceptable specialist for 41: a small model reads
the words well and knows little medicine. So code has a say in which specialist the planner's words are to name.
Another one of the same make tells a complaint, or a wish for a doctor, from the weather, a pet, a sum or a command to
the phone, so that a talk keeps no small talk in a record. `camphor_lab.training.referral` trains both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.health.case import GENERAL, Called, Case, PlannerTurn, Seen
from camphor.agents.health.observed import ASK
from camphor.agents.health.suspicion import BUCKETS, made_of, word_table
from camphor.models.model_file import Arrays, coarse, read_model_file, write_model_file

SHIPPED = Path(__file__).parent / "referral.npz"
_ROUNDED = 5  # bits of a weight that are not kept
FORM = "camphor.referral/1"
MARGIN = 0.35
"""Chosen on development data: 63 of 70 descriptions are right, and 4 of 60 gold plans would be changed."""
MOST_QUESTIONS = 3
FIND = "get_available_specialists"


@dataclass(frozen=True)
class Referral:
    """A trained model.

    Attributes:
        names: of the kinds of specialists, n of them.
        weights: float32, (`BUCKETS`, n). bias: float32, (n,). rarity: float32, (`BUCKETS`,).
        meanings: float32, (dimensions of the static table, n): weights of a text's vector.
        classes: uint16, a class for each piece of the static table.
        about: settings and figures of the training.
    """

    names: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    meanings: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    rarity: npt.NDArray[np.float32]
    classes: npt.NDArray[np.uint16]
    about: Mapping[str, Any] = field(default_factory=dict)

    def scores(self, text: str) -> npt.NDArray[np.float32]:
        """How well each kind fits, (n,): about 1 where it is the one, about -1 where it is not."""
        score = self.bias + (meanings_of([text]) @ self.meanings)[0]
        for places in made_of(text, self.classes):
            parts = self.rarity[places]
            score += parts @ self.weights[places] / max(float(np.linalg.norm(parts)), 1e-9)
        return np.asarray(score, np.float32)

    def specialist(self, text: str, proposed: str, among: Sequence[str]) -> str:
        """The kind that fits best, where it fits better than the proposed one by `MARGIN` or more.

        Where that kind is not among these it is a general physician, who knows whom to send a person to: the second
        best of a model that has learnt only who is right is anybody.
        """
        scores = dict(zip(self.names, self.scores(text), strict=True))
        best = max(self.names, key=scores.__getitem__)
        if scores[best] - scores.get(proposed, -1.0) <= MARGIN:
            return proposed
        return next((name for name in (best, GENERAL) if name in among), proposed)

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        arrays: Arrays = {
            "weights": coarse(self.weights, _ROUNDED),
            "meanings": self.meanings,
            "bias": self.bias,
            "rarity": self.rarity.astype(np.float16),
            "classes": self.classes,
        }
        write_model_file(path, FORM, {"names": self.names, "about": self.about}, arrays)


def meanings_of(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """The vectors of texts, of length 1, (texts, dimensions)."""
    vectors = word_table().encode(texts)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), np.float32)


@lru_cache(maxsize=4)
def read_referral(path: Path = SHIPPED) -> Referral:
    """The model of a file, read once.

    Raises:
        ModelMissing: there is none, or it is none of these.
    """
    return read_model_file(path, FORM, _model, name="what finds the specialist", command="train-referral")


def _model(facts: Mapping[str, Any], arrays: Arrays) -> Referral:
    names = tuple(map(str, facts["names"]))
    parts = ("weights", "meanings", "bias", "rarity")
    weights, meanings, bias, rarity = (arrays[part].astype(np.float32) for part in parts)
    if weights.shape != (BUCKETS, len(names)) or rarity.shape != (BUCKETS,):
        raise ValueError("other buckets")
    return Referral(names, weights, meanings, bias, rarity, arrays["classes"].astype(np.uint16), facts["about"])


def referred(planned: PlannerTurn, case: Case, specializations: Sequence[str]) -> tuple[PlannerTurn, tuple[str, ...]]:
    """The plan, where it is the first to look for a specialist with the one in it for whom the person's words call; and
    the kinds that may be asked for then.

    Whom the person named is left, and so is a plan that names several. One that names nobody on the phone is carried
    out for whom the words call.

    Raises:
        ModelMissing: as `read_referral`.
    """
    kinds = tuple(specializations)
    named = [name for name in kinds if _names(name, planned.action)]
    if FIND not in planned.action or len(named) > 1 or _looked(case):
        return planned, kinds
    said = _said(case)
    if named and _names(named[0], said):
        return planned, kinds
    model = read_referral()
    meant = model.specialist(said, named[0] if named else "", kinds)
    if meant in ("", *named):
        return planned, kinds
    for other in named or (name for name in model.names if _names(name, planned.action)):
        planned = _put_right(planned, other, meant)
    return planned, (meant,)


def _put_right(planned: PlannerTurn, other: str, meant: str) -> PlannerTurn:
    """The plan with one specialist in the place of another."""
    old = re.compile(rf"\b(an? )?{re.escape(other)}\b", re.IGNORECASE)
    new = f"{'an' if meant[:1] in 'aeio' else 'a'} {meant}"  # a urologist
    return replace(planned, reason=old.sub(new, planned.reason), action=old.sub(new, planned.action))


def may_ask(case: Case) -> bool:
    """Whether another question may be put before a specialist is looked for: the longest recorded case has three."""
    asked = [turn for turn in case.turns if isinstance(turn, Called) and turn.call.name == ASK]
    return len(asked) < MOST_QUESTIONS or _looked(case)


def _names(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) is not None


def _said(case: Case) -> str:
    """The request, and what the person answered."""
    asked = [turn for turn in case.turns if not isinstance(turn, PlannerTurn)]
    answers = [
        str(seen.result)
        for called, seen in zip(asked[::2], asked[1::2], strict=False)
        if isinstance(called, Called) and called.call.name == ASK and isinstance(seen, Seen) and seen.result
    ]
    return " ".join([case.request, *answers])


def _looked(case: Case) -> bool:
    return any(isinstance(turn, Called) and turn.call.name == FIND for turn in case.turns)


# whether it is about health at all


COMPLAINTS = Path(__file__).parent / "complaint.npz"
COMPLAINT_FORM = "camphor.complaint/1"


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
        write_model_file(path, COMPLAINT_FORM, {"bias": self.bias, "about": self.about}, arrays)


@lru_cache(maxsize=4)
def read_complaints(path: Path = COMPLAINTS) -> Complaints:
    """The model of a file, read once.

    Raises:
        ModelMissing: there is none, or it is none of these.
    """
    return read_model_file(path, COMPLAINT_FORM, _complaints, name="what tells a complaint", command="train-complaints")


def _complaints(facts: Mapping[str, Any], arrays: Arrays) -> Complaints:
    weights, rarity, meanings = (arrays[name].astype(np.float32) for name in ("weights", "rarity", "meanings"))
    if {weights.shape, rarity.shape} != {(BUCKETS,)}:
        raise ValueError("other buckets")
    classes = arrays["classes"].astype(np.uint16)
    return Complaints(weights, rarity, meanings, float(facts["bias"]), classes, facts["about"])

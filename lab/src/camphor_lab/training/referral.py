"""Training of what finds the specialist, and of what tells a complaint from anything else: ridge regressions on
hand-written texts.

The figures come from styles of saying things ("learner", "elderly") that were held out in turns. The complaints of
`datasets.health` are learnt too, those for training, and what they become with a wish for help with food.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from camphor.agents.health.case import DIETICIAN, SPECIALISTS
from camphor.agents.health.referral import Complaints, Referral, meanings_of
from camphor.errors import UsageError
from camphor_lab.datasets.health.diseases import read_diseases
from camphor_lab.datasets.health.scripts import words
from camphor_lab.training.small_models import Progress, read_lines, save
from camphor_lab.training.texts import Texts, ridge, word_classes

COMPLAINT = "complaint"
"""The style of what is not held out."""


@dataclass(frozen=True)
class ReferralConfig:
    """Settings.

    `classes`: of word pieces. `shrink`: of the regression. `second`: what is wanted for a specialist who is acceptable
    and not the best, between 1 for the best and -1 for the wrong ones; more finds a general physician too often.
    """

    classes: int = 1000
    shrink: float = 1.0
    second: float = -1.0
    seed: int = 1


@dataclass(frozen=True)
class Described:
    """A description, and who would be right as the first to see, the best first."""

    text: str
    specialists: tuple[str, ...]
    style: str


def train_referral(folder: Path, out: Path, config: ReferralConfig, progress: Progress) -> dict[str, Any]:
    """Train on the folder's descriptions and the complaints of `datasets.health`, and write the model.

    Args:
        folder: of `*.jsonl`, {"text", "specialists", "style"} a line.
        progress: told of what, how much of how much is done.

    Returns:
        What the model tells about itself: settings, hash of the data, and figures of what was held out.

    Raises:
        DatasetError: the data break their format. UsageError: they are too few, or the file cannot be written.
    """
    described, digest = read_described(folder)
    styles = sorted({each.style for each in described})
    described += complaints()
    progress("texts", 0, 1)
    classes = word_classes([each.text for each in described], config.classes, config.seed)
    texts = Texts.of([each.text for each in described], classes)
    meanings = meanings_of([each.text for each in described]).astype(np.float64)
    products = texts.alike() + meanings @ meanings.T
    progress("texts", 1, 1)
    wanted = np.array([_wanted(each, config.second) for each in described])
    right: list[tuple[bool, bool]] = []
    for place, style in enumerate(styles):
        progress("held out", place, len(styles))
        unknown = np.array([each.style == style for each in described])
        known, asked = np.flatnonzero(~unknown), np.flatnonzero(unknown)
        factors, bias = ridge(products[np.ix_(known, known)], wanted[known], config.shrink)
        chosen = (products[np.ix_(asked, known)] @ factors + bias).argmax(axis=1)
        right += [_right(described[row], SPECIALISTS[best]) for row, best in zip(asked, chosen, strict=True)]
    progress("held out", len(styles), len(styles))
    factors, bias = ridge(products, wanted, config.shrink)
    accepted, best = np.array(right).mean(axis=0)
    about = {
        "data": digest,
        "texts": len(described),
        "settings": asdict(config),
        "held_out": {"descriptions": len(right), "accepted": round(float(accepted), 4), "best": round(float(best), 4)},
    }
    weights = texts.weights(factors)
    dense = (meanings.T @ factors).astype(np.float32)
    save(Referral(SPECIALISTS, weights, dense, bias.astype(np.float32), texts.rarity, classes, about), out)
    return about


def read_described(folder: Path) -> tuple[list[Described], str]:
    """The descriptions of a folder, and their hash.

    Raises:
        DatasetError: a file cannot be read or breaks the format; says where. UsageError: there are too few styles.
    """
    found, whole = read_lines(sorted(folder.glob("*.jsonl")), _described, "text, specialists and style")
    if len({each.style for each in found}) < 2:
        raise UsageError(
            f"{folder}: expected descriptions (*.jsonl) of two styles or more, so that one can be held out"
        )
    return found, hashlib.sha256(whole).hexdigest()[:16]


def complaints() -> list[Described]:
    """The complaints for training of all diseases; where food may help, each with a wish for such help too."""
    found: list[Described] = []
    wishes = words()["diet"]["train"]
    for place, disease in enumerate(read_diseases()):
        spoken = [each.text for each in disease.complaints["train"]]
        found += [Described(text, (disease.specialist,), COMPLAINT) for text in spoken]
        if disease.dietician:
            asked = [f"{text} {wishes[(place + turn) % len(wishes)]}" for turn, text in enumerate(spoken)]
            found += [Described(text, (DIETICIAN,), COMPLAINT) for text in asked]
    return found


def _described(data: dict[str, Any]) -> Described:
    names = tuple(map(str, data["specialists"]))
    unknown = [name for name in names if name not in SPECIALISTS]
    if unknown or not names or not data["text"].strip():
        raise ValueError(f"no text, or specialists that are not known: {unknown}")
    return Described(str(data["text"]), names, str(data["style"]))


def _wanted(described: Described, second: float) -> list[float]:
    first, *others = described.specialists
    return [1.0 if name == first else second if name in others else -1.0 for name in SPECIALISTS]


def _right(described: Described, chosen: str) -> tuple[bool, bool]:
    return chosen in described.specialists, chosen == described.specialists[0]


TERSE = "terse"
"""The style whose first words, up to a comma, are learnt by themselves too: complaints may be short."""


@dataclass(frozen=True)
class ComplaintConfig:
    """Settings. `classes`: of word pieces. `shrink`: of the regression. `every`: of the descriptions one in so many is
    learnt, so that both kinds are about as many. `folds`: parts of the mixed styles that are held out in turns."""

    classes: int = 1000
    shrink: float = 1.0
    every: int = 3
    folds: int = 5
    seed: int = 1


@dataclass(frozen=True)
class ComplaintText:
    """A text, whether somebody's health is spoken of in it, and what is held out together with it."""

    text: str
    complaint: bool
    style: str


def train_complaints(
    folder: Path, descriptions: Path, out: Path, config: ComplaintConfig, progress: Progress
) -> dict[str, Any]:
    """Train on the folder's texts and on descriptions of complaints, and write the model.

    Args:
        folder: of `*.jsonl`, {"text", "complaint", "style"} a line. descriptions: as `train_referral`.
        progress: told of what, how much of how much is done.

    Returns:
        What the model tells about itself: settings, hash of the data, and figures of what was held out.

    Raises:
        DatasetError: the data break their format. UsageError: they are too few, or the file cannot be written.
    """
    said, digest = read_said(folder, descriptions, config.every)
    progress("texts", 0, 1)
    texts_ = [each.text for each in said]
    classes = word_classes(texts_, config.classes, config.seed)
    texts = Texts.of(texts_, classes)
    meanings = meanings_of(texts_).astype(np.float64)
    products = texts.alike() + meanings @ meanings.T
    progress("texts", 1, 1)
    wanted = np.array([[1.0] if each.complaint else [-1.0] for each in said])
    groups = np.random.default_rng(config.seed).integers(0, config.folds, len(said))
    scores = np.zeros(len(said))
    for number, group in enumerate(sorted(set(groups))):
        progress("held out", number, len(set(groups)))
        unknown, known = np.flatnonzero(groups == group), np.flatnonzero(groups != group)
        factors, bias = ridge(products[np.ix_(known, known)], wanted[known], config.shrink)
        scores[unknown] = (products[np.ix_(unknown, known)] @ factors + bias)[:, 0]
    progress("held out", len(set(groups)), len(set(groups)))
    factors, bias = ridge(products, wanted, config.shrink)
    about = {"data": digest, "texts": len(said), "settings": asdict(config), "held_out": _figures(said, scores)}
    dense = (meanings.T @ factors)[:, 0].astype(np.float32)
    save(Complaints(texts.weights(factors[:, :1])[:, 0], texts.rarity, dense, float(bias[0]), classes, about), out)
    return about


def read_said(folder: Path, descriptions: Path, every: int) -> tuple[list[ComplaintText], str]:
    """The texts of both folders, and their hash.

    Raises:
        DatasetError: a file cannot be read or breaks the format; says where. UsageError: all are of one kind.
    """
    found, whole = read_lines(sorted(folder.glob("*.jsonl")), _said, "text, complaint and style")
    described, digest = read_described(descriptions)
    found += [ComplaintText(each.text, True, "described") for each in described[::every]]
    terse = (each.text.split(",")[0] for each in described if each.style == TERSE)
    found += [ComplaintText(text, True, "short") for text in dict.fromkeys(terse) if " " in text]
    if len({each.complaint for each in found}) < 2:
        raise UsageError(f"{folder}: expected texts that are no complaints too (*.jsonl, complaint: false)")
    return found, hashlib.sha256(whole + digest.encode()).hexdigest()[:16]


def _said(data: dict[str, Any]) -> ComplaintText:
    if not isinstance(data["complaint"], bool) or not data["text"].strip():
        raise ValueError("no text, or complaint is not true or false")
    return ComplaintText(str(data["text"]), data["complaint"], str(data["style"]))


def _figures(said: list[ComplaintText], scores: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    """Of each style the share on the right side of 0, and how many texts it has."""
    found: dict[str, list[bool]] = {}
    for each, score in zip(said, scores, strict=True):
        found.setdefault(each.style, []).append(bool((score > 0) == each.complaint))
    return {style: (round(sum(right) / len(right), 4), len(right)) for style, right in sorted(found.items())}

"""The diseases that complaints come from: how patients put them, and which specialist they need.

Each file of `diseases/` holds a few of the paper's 153 (Appendix C), with their source. What a complaint says in the
house's own words is in `mentions.toml`, read by a person: `complaints` has for each complaint the numbers of the
symptoms that it tells of, `answers` those that the answers to the questions tell of.

A disease is never named to anybody: the assistant finds a specialist and does not diagnose.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from camphor.agents.health.case import SPECIALISTS
from camphor.errors import DatasetError
from camphor_lab.datasets.files import read_toml

FOLDER = Path(__file__).parent / "diseases"
MENTIONS = Path(__file__).parent / "mentions.toml"
SPLITS = ("train", "development", "test")
_TEST, _DEVELOPMENT = 2, 1  # complaints of each disease
_TEST_SHARE, _DEVELOPMENT_SHARE = 20, 10  # per cent of diseases, for what is asked about unclear sentences
MOST_SYMPTOMS = 5
"""Of a case: more are not worth a small model's tokens. The first that are told count."""


@dataclass(frozen=True)
class ToldComplaint:
    """What a patient says, and the symptoms in it, as the house words them."""

    text: str
    symptoms: tuple[str, ...]


@dataclass(frozen=True)
class Disease:
    """One disease.

    `complaints` by split: no sentence is in two. `questions` are (question, answer) pairs; `cleared` is what all
    answers tell.
    """

    name: str
    specialist: str
    dietician: bool
    source: str
    symptoms: tuple[str, ...]
    complaints: Mapping[str, tuple[ToldComplaint, ...]]
    vague: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]
    cleared: tuple[str, ...]
    similar: tuple[str, ...]

    @property
    def asked_in(self) -> str:
        """The split that has its unclear sentences, questions and answers."""
        place = mark(self.name) % 100
        if place < _TEST_SHARE:
            return "test"
        return "development" if place < _TEST_SHARE + _DEVELOPMENT_SHARE else "train"


def mark(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


@lru_cache(maxsize=4)
def read_diseases(folder: Path = FOLDER, mentions: Path = MENTIONS) -> tuple[Disease, ...]:
    """All diseases of a folder, in the order of its files.

    Raises:
        DatasetError: a file cannot be read or breaks the format; says where.
    """
    read = read_toml(mentions)
    found: list[Disease] = []
    for path in sorted(folder.glob("*.toml")):
        for number, raw in enumerate(read_toml(path).get("disease", ()), 1):
            name = str(raw.get("name") or f"disease {number}")
            try:
                found.append(_disease(raw, read.get(name, {})))
            except (KeyError, TypeError, ValueError, IndexError) as error:
                raise DatasetError(str(path), None, f"{name}: {error!r}") from error
    names = [disease.name for disease in found]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise DatasetError(str(folder), None, f"{twice} is described twice")
    if not found:
        raise DatasetError(str(folder), None, "no disease is described there")
    return tuple(found)


def _disease(raw: Mapping[str, Any], read: Mapping[str, Any]) -> Disease:
    symptoms = tuple(map(str, raw["symptoms"]))
    if raw["specialist"] not in SPECIALISTS:
        raise ValueError(f"specialist {raw['specialist']!r} is none of those known")
    texts = tuple(map(str, raw["complaints"]))
    told = read.get("complaints", ())
    if len(told) not in (0, len(texts)):
        raise ValueError(f"{len(told)} complaints were read for symptoms, expected {len(texts)}")
    complaints = [
        ToldComplaint(text, _named(symptoms, told[place] if told else "")) for place, text in enumerate(texts)
    ]
    questions = tuple((str(question), str(answer)) for question, answer in raw["questions"])
    return Disease(
        name=str(raw["name"]),
        specialist=str(raw["specialist"]),
        dietician=bool(raw["dietician"]),
        source=str(raw["source"]),
        symptoms=symptoms,
        complaints=_divided(complaints),
        vague=tuple(map(str, raw["vague"])),
        questions=questions,
        cleared=_named(symptoms, read.get("answers", "")),
        similar=tuple(map(str, raw["similar"])),
    )


def _divided(complaints: Iterable[ToldComplaint]) -> dict[str, tuple[ToldComplaint, ...]]:
    """Complaints by split; those from which no symptom was read are left out."""
    order = sorted(complaints, key=lambda complaint: mark(complaint.text))
    bounds = {"test": (0, _TEST), "development": (_TEST, _TEST + _DEVELOPMENT), "train": (_TEST + _DEVELOPMENT, None)}
    return {
        split: tuple(complaint for complaint in order[slice(*bounds[split])] if complaint.symptoms) for split in SPLITS
    }


def _named(symptoms: Sequence[str], numbers: str) -> tuple[str, ...]:
    """The symptoms of these numbers, "0 3 4", counted from 0."""
    return tuple(symptoms[int(number)] for number in numbers.split())[:MOST_SYMPTOMS]

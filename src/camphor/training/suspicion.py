"""Training of the second net for emergencies: ridge regression on hand-written emergencies, near misses and complaints.

Least squares (Rifkin et al. 2003) needs one solution of a linear system, in as many unknowns as there are texts. The
threshold comes from texts that were held out in turns: a style of saying things ("learner", "elderly") and a part of
the diseases at a time. It is set by how often a person with an ordinary complaint is asked for nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.health.red_flags import red_flags
from camphor.agents.health.suspicion import BUCKETS, Places, Suspicion, made_of
from camphor.datasets.health.diseases import read_diseases
from camphor.errors import UsageError
from camphor.retrieval.static import StaticEncoder
from camphor.training.small_models import Progress, read_lines, save

FILES = ("emergencies.jsonl", "near-misses.jsonl", "rules.jsonl")
RULES = "rules"
"""The style of the sentences that the rules were written against."""
ORDINARY = "ordinary"
COMPLAINT = "complaint"
UNCLEAR = "unclear"
"""Of a disease: a complaint too vague to find a specialist, or an answer to a question."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SuspicionConfig:
    """Settings. `classes`: of word pieces. `shrink`: of the regression. `asked`: share of ordinary complaints that may
    be asked about, which sets the threshold."""

    classes: int = 1000
    rounds: int = 8
    shrink: float = 1.0
    asked: float = 0.1
    seed: int = 1


@dataclass(frozen=True)
class Told:
    """A text to learn from; `group`: what is held out together with it."""

    text: str
    emergency: bool
    kind: str
    group: int


def train_suspicion(folder: Path, out: Path, config: SuspicionConfig, progress: Progress) -> dict[str, Any]:
    """Train on the folder's sentences and the complaints of `datasets.health`, and write the net.

    Args:
        progress: told of what, how much of how much is done.

    Returns:
        What the net tells about itself: settings, hash of the data, and figures of what was held out.

    Raises:
        DatasetError: the data break their format. UsageError: they are too few, or the file cannot be written.
    """
    told, styles, digest = read_told(folder)
    classes = word_classes(told, config)
    progress("texts", 0, 1)
    texts = Texts.of([each.text for each in told], classes)
    progress("texts", 1, 1)
    wanted = np.array([[1.0] if each.emergency else [-1.0] for each in told])
    groups = np.array([each.group for each in told])
    scores = np.zeros(len(told))
    for group in range(len(styles)):
        progress("held out", group, len(styles))
        known, unknown = np.flatnonzero(groups != group), np.flatnonzero(groups == group)
        factors, bias = ridge(texts.alike(known, known), wanted[known], config.shrink)
        scores[unknown] = (texts.alike(unknown, known) @ factors + bias)[:, 0]
    progress("held out", len(styles), len(styles))
    threshold = _threshold(told, scores, config.asked)
    factors, bias = ridge(texts.alike(), wanted, config.shrink)
    about = {
        "data": digest,
        "texts": len(told),
        "settings": asdict(config),
        "held_out": figures(told, scores >= threshold, styles),
    }
    save(Suspicion(texts.weights(factors[:, 0]), texts.rarity, classes, float(bias[0]), threshold, about), out)
    return about


def read_told(folder: Path) -> tuple[list[Told], list[str], str]:
    """The sentences and the complaints of diseases, the styles that are held out in turns, and the data's hash.

    Raises:
        DatasetError: a file cannot be read or breaks the format; says where. UsageError: there is but one style.
    """
    lines, whole = read_lines((folder / name for name in FILES), _line, "text, emergency, kind and style")
    digest = hashlib.sha256(whole)
    styles = sorted({line["style"] for line in lines})
    if len(styles) < 2:
        raise UsageError(f"{folder}: all texts are of one style, so none can be held out: give some another `style`")
    told = [Told(line["text"], line["emergency"], line["kind"], styles.index(line["style"])) for line in lines]
    for place, disease in enumerate(read_diseases()):
        part = place % len(styles)
        spoken = [(complaint.text, COMPLAINT) for complaint in disease.complaints["train"]]
        if disease.asked_in == "train":
            spoken += [(text, UNCLEAR) for text in (*disease.vague, *(answer for _, answer in disease.questions))]
        digest.update("".join(text for text, _ in spoken).encode())
        told += [Told(text, False, kind, part) for text, kind in spoken]
    return told, styles, digest.hexdigest()[:16]


def word_classes(told: Sequence[Told], config: SuspicionConfig) -> npt.NDArray[np.uint16]:
    """A class for every piece of the static table: k-means over the pieces that the texts have."""
    table = StaticEncoder()
    everything = table.vectors(range(table.size))
    everything /= np.maximum(np.linalg.norm(everything, axis=1, keepdims=True), 1e-9)
    seen = everything[sorted({piece for each in told for piece in table.pieces(each.text)})]
    if len(seen) <= config.classes:
        raise UsageError(f"{len(seen)} word pieces are too few for {config.classes} classes: write more sentences")
    centres = seen[np.random.default_rng(config.seed).choice(len(seen), config.classes, replace=False)]
    for _ in range(config.rounds):
        nearest = _nearest(seen, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, seen)
        counts = np.bincount(nearest, minlength=config.classes)[:, None]
        centres = np.where(counts > 0, sums / np.maximum(counts, 1), centres)
    return _nearest(everything, centres).astype(np.uint16)


def _nearest(vectors: npt.NDArray[np.float32], centres: npt.NDArray[np.float32]) -> npt.NDArray[np.intp]:
    return np.asarray((vectors @ centres.T - (centres**2).sum(axis=1) / 2).argmax(axis=1), np.intp)


@dataclass(frozen=True)
class Texts:
    """Texts as what they are made of.

    Attributes:
        made: of each text. rarity: float32, (`BUCKETS`,): logarithm of one in how many texts has it.
        products: how alike any two texts are: sum over families of the cosine, (texts, texts).
    """

    made: tuple[Places, ...]
    rarity: npt.NDArray[np.float32]
    products: Floats

    @classmethod
    def of(cls, texts: Sequence[str], classes: npt.NDArray[np.uint16]) -> Texts:
        made = tuple(made_of(text, classes) for text in texts)
        counts = np.zeros(BUCKETS)
        for places in made:
            counts[np.concatenate(places)] += 1
        rarity = np.log((1 + len(texts)) / (1 + counts)).astype(np.float32)
        bare = cls(made, rarity, np.zeros((0, 0)))
        return replace(bare, products=np.sum([bare._products(family) for family in range(len(made[0]))], axis=0))

    def alike(self, rows: npt.NDArray[np.intp] | None = None, columns: npt.NDArray[np.intp] | None = None) -> Floats:
        """The products of some texts with others, of all by default."""
        return self.products if rows is None or columns is None else self.products[np.ix_(rows, columns)]

    def weights(self, factors: Floats) -> npt.NDArray[np.float32]:
        """The weights that say the same as the texts' factors do: float32, (`BUCKETS`,)."""
        found = np.zeros(BUCKETS)
        for each, factor in zip(self.made, factors, strict=True):
            for places in each:
                found[places] += factor * self._unit(places)
        return found.astype(np.float32)

    def _unit(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        parts = self.rarity[places]
        return np.asarray(parts / max(float(np.linalg.norm(parts)), 1e-9), np.float32)

    def _products(self, family: int) -> Floats:
        """The cosines of one family, from lists of who has what: most things are rare, so this is quick."""
        rows = np.concatenate([np.full(len(each[family]), row) for row, each in enumerate(self.made)])
        places = np.concatenate([each[family] for each in self.made])
        parts = np.concatenate([self._unit(each[family]) for each in self.made])
        order = np.argsort(places, kind="stable")
        rows, parts = rows[order], parts[order]
        bounds = np.flatnonzero(np.diff(places[order])) + 1
        found = np.zeros((len(self.made), len(self.made)))
        for who, much in zip(np.split(rows, bounds), np.split(parts, bounds), strict=True):
            found[np.ix_(who, who)] += np.outer(much, much)
        return found


def ridge(products: Floats, wanted: Floats, shrink: float) -> tuple[Floats, Floats]:
    """The factors of the texts, (texts, n), and the bias, (n,), that come nearest to what is wanted, (texts, n), with
    small weights."""
    count = len(wanted)
    solved = np.linalg.solve(products + shrink * np.eye(count), np.column_stack([wanted, np.ones(count)]))
    bias = np.asarray(solved[:, :-1].sum(axis=0) / solved[:, -1].sum(), np.float64)
    return np.asarray(solved[:, :-1] - np.outer(solved[:, -1], bias), np.float64), bias


def figures(told: Sequence[Told], asked: npt.NDArray[np.bool_], styles: Sequence[str]) -> dict[str, Any]:
    """Shares of held-out texts, by what they are: found by the net, by net or rules; asked about for nothing."""
    ruled = np.array([bool(red_flags(each.text)) for each in told])
    own = np.array([styles[each.group] != RULES for each in told])
    urgent = np.array([each.emergency for each in told])
    ordinary, unclear = (
        np.array([each.kind in kinds for each in told]) for kinds in ((ORDINARY, COMPLAINT), (UNCLEAR,))
    )
    near = ~(urgent | ordinary | unclear) & own
    sets = {
        "emergencies found by the net": (asked, urgent & own),
        "emergencies found by the rules": (ruled, urgent & own),
        "emergencies found by either": (asked | ruled, urgent & own),
        "emergencies that the rules miss, found by the net": (asked, urgent & own & ~ruled),
        "emergencies of the rules' own sentences, found by the net": (asked, urgent & ~own),
        "near misses asked about": (asked, near),
        "near misses where the rules call": (ruled, near),
        "ordinary complaints asked about": (asked, ordinary),
        "unclear complaints and answers asked about": (asked, unclear),
    }
    return {
        name: [round(float(hit[these].mean()), 4), int(these.sum())]
        for name, (hit, these) in sets.items()
        if these.any()
    }


def _threshold(told: Sequence[Told], scores: Floats, asked: float) -> float:
    ordinary = [score for each, score in zip(told, scores, strict=True) if each.kind in (ORDINARY, COMPLAINT)]
    return float(np.quantile(ordinary, 1 - asked))


def _line(data: Any) -> dict[str, Any]:
    if not isinstance(data["emergency"], bool) or not data["text"].strip():
        raise ValueError("no text, or an emergency that is neither true nor false")
    return {
        "text": str(data["text"]),
        "emergency": data["emergency"],
        "kind": str(data["kind"]),
        "style": str(data["style"]),
    }

"""Training of what says which actions a query's words could ask for: one logistic regression an action.

The floor comes from files that were held out in turns, each by another hand: it is set by how many of the actions that
people asked for may be ruled out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.answers import BUILT_IN_ACTIONS
from camphor.agents.policies.action_classifier import Numbers, Plausibility, marks_of, words_of
from camphor.errors import UsageError
from camphor.trajectories.items import read_items
from camphor_lab.training.small_models import Progress, need_sklearn, save

FEWEST_TEXTS = 3
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PlausibleConfig:
    """Settings. `fit`: inverse strength of the regressions' shrinkage. `generated`: weight of a generated query, where
    a hand-written one has 1. `lost`: share of the actions asked for that may be ruled out. `parts`: of the hand-written
    files, held out in turns."""

    fit: float = 30.0
    generated: float = 0.2
    lost: float = 0.02
    parts: int = 5
    seed: int = 1


@dataclass(frozen=True)
class AskedActions:
    """A query, the actions that it asks for, and in whose turn it is held out; -1 for never."""

    query: str
    actions: frozenset[str]
    part: int


def train_plausible(
    written: Sequence[Path], generated: Sequence[Path], out: Path, config: PlausibleConfig, progress: Progress
) -> dict[str, Any]:
    """Train on dataset files and write the model.

    Args:
        written: hand-written sets, one hand a file. generated: sets from a generator, which are never held out.
        progress: told of what, how much of how much is done.

    Returns:
        What the model tells about itself: settings, hash of the data, and figures of what was held out.

    Raises:
        DatasetError: a file breaks the format. UsageError: fewer hand-written files than parts, an action that no
        query asks for, or the file cannot be written. MissingExtra: scikit-learn is not installed.
    """
    need_sklearn("train-plausible")
    if len(written) < config.parts:
        raise UsageError(f"hand-written files given: {len(written)}; give {config.parts} or more, one hand a file")
    asked, digest = read_asked(written, generated, config.parts)
    actions = tuple(BUILT_IN_ACTIONS)
    wanted = np.array([[action in each.actions for action in actions] for each in asked])
    for action in actions:
        if not any(action in each.actions for each in asked if each.part >= 0):
            raise UsageError(f"no hand-written query asks for {action}: it would be ruled out everywhere")
    marks = [marks_of(words_of(each.query)) for each in asked]
    parts = np.array([each.part for each in asked])
    weights = np.where(parts < 0, config.generated, 1.0)
    held: list[npt.NDArray[np.float32]] = []
    right: list[npt.NDArray[np.bool_]] = []
    for part in range(config.parts):
        progress("held out", part, config.parts)
        model = _fit(marks, wanted, np.where(parts == part, 0.0, weights), actions, config)
        judged = [place for place in np.flatnonzero(parts == part).tolist() if model.judges(asked[place].query)]
        held += [model.scores(asked[place].query) for place in judged]
        right += [wanted[place] for place in judged]
    progress("held out", config.parts, config.parts)
    scores, true = np.array(held), np.array(right)
    floor = float(np.quantile(scores[true], config.lost))
    about = {
        "data": digest,
        "texts": len(asked),
        "settings": asdict(config),
        "held_out": {
            "queries": int((parts >= 0).sum()),
            "judged": len(scores),
            "actions": int(true.sum()),
            "ruled_out": float((scores[true] < floor).mean()),
            "others_ruled_out": float((scores[~true] < floor).mean()),
        },
    }
    save(replace(_fit(marks, wanted, weights, actions, config), floor=floor, about=about), out)
    return about


def read_asked(written: Sequence[Path], generated: Sequence[Path], parts: int) -> tuple[list[AskedActions], str]:
    """All queries, and the hash of them and what they ask for. Raises DatasetError: a file breaks the format."""
    asked: list[AskedActions] = []
    digest = hashlib.sha256()
    for number, path in enumerate((*written, *generated)):
        part = number % parts if number < len(written) else -1
        for item in read_items(path):
            actions = frozenset(call["name"] for call in item.calls or ())
            digest.update(f"{item.query}\n{sorted(actions)}\n".encode())
            asked.append(AskedActions(item.query, actions, part))
    return asked, digest.hexdigest()[:16]


def _fit(
    marks: Sequence[Numbers],
    wanted: npt.NDArray[np.bool_],
    weights: Floats,
    actions: tuple[str, ...],
    config: PlausibleConfig,
) -> Plausibility:
    """A model of the texts whose weight is not 0, without a floor. It knows what `FEWEST_TEXTS` of them have."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    used = np.flatnonzero(weights).tolist()
    seen, counts = np.unique(np.concatenate([marks[place] for place in used]), return_counts=True)
    runs, nothing = seen[counts >= FEWEST_TEXTS].astype(np.uint32), np.zeros(len(actions), np.float32)
    model = Plausibility(actions, runs, nothing[:, None], nothing, 0.0)
    places = [model.places(marks[place]) for place in used]
    rows = np.repeat(np.arange(len(places)), [len(each) for each in places])
    values = np.concatenate([np.full(len(each), max(len(each), 1) ** -0.5) for each in places])
    texts = csr_matrix((values, (rows, np.concatenate(places))), shape=(len(places), len(model.runs)))
    fitted = [
        LogisticRegression(C=config.fit, max_iter=300, random_state=config.seed).fit(texts, each, weights[used])
        for each in wanted[used].T
    ]
    factors = np.concatenate([each.coef_ for each in fitted]).astype(np.float32)
    return replace(model, weights=factors, bias=np.concatenate([each.intercept_ for each in fitted]).astype(np.float32))

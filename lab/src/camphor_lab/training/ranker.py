"""Training of the context ranker: LambdaMART store by store and over all stores (Context Tuning, section 3.2).

Three fits, one on the other: a network that reads queries, whose readings of training queries come from networks that
saw neither their people nor their wordings, so that the trees learn how far a reading of new ones can be trusted; a
forest over all stores; and a forest for each store. Where there are pairs, the networks learn from them first. How many
trees is decided on what was held out, in turns; then everything is fitted once more on all of the data.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.errors import MissingExtra, UsageError
from camphor.retrieval.context.features import Features, with_reading
from camphor.retrieval.context.model import EVERY, LEAVES, Forest, RankerModel, grow
from camphor.retrieval.context.rankers import added, forest_scores, fused
from camphor.retrieval.static import StaticEncoder
from camphor_lab.training.query_pairs import read_pairs
from camphor_lab.training.query_reader import QueryReaderConfig, fit_reader, learn_pairs, read_apart
from camphor_lab.training.ranker_data import RankedQuery, folds_of, read_all
from camphor_lab.training.small_models import Progress, need, save


def fit_forest(
    table: npt.NDArray[np.float32],
    labels: npt.NDArray[np.int32],
    sizes: Sequence[int],
    rounds: int,
    settings: Mapping[str, Any],
    weights: npt.NDArray[np.float32] | None = None,
) -> Forest:
    """LambdaMART (Burges 2010), by LightGBM (Ke et al. 2017), on groups of rows, one after the other, of these sizes.

    Args:
        weights: of the rows; all alike for None.

    Raises:
        MissingExtra: LightGBM is not installed.
    """
    require_lightgbm()
    import lightgbm

    fixed = {
        "objective": "lambdarank",
        "num_leaves": LEAVES,
        "use_missing": False,
        "deterministic": True,
        "force_row_wise": True,
        "verbosity": -1,
    }
    data = lightgbm.Dataset(table, labels, weight=weights, group=list(sizes), params={"verbosity": -1})
    booster = lightgbm.train({**settings, **fixed}, data, num_boost_round=rounds)
    return forest_of(booster.dump_model())


def require_lightgbm() -> None:
    """Raises MissingExtra: LightGBM is not installed."""
    if importlib.util.find_spec("lightgbm") is None:
        raise MissingExtra("LightGBM, which trains rankers", "train", "camphor-lab")


def forest_of(model: Mapping[str, Any]) -> Forest:
    """The trees of LightGBM's model, as `Booster.dump_model` gives it.

    Raises:
        ValueError: a tree has more than 16 leaves, or a split that is not "at most".
    """
    trees = model["tree_info"]
    forest = grow(len(trees))
    for number, tree in enumerate(trees):
        leaves: list[float] = []
        splits: list[tuple[int, float, int]] = []
        _walk(tree["tree_structure"], leaves, splits)
        if len(leaves) > LEAVES:
            raise ValueError(f"a tree of {len(leaves)} leaves: expected at most {LEAVES}")
        forest.value[number, : len(leaves)] = leaves
        for place, (feature, threshold, struck) in enumerate(splits):
            forest.feature[number, place] = feature
            forest.threshold[number, place] = _below(threshold)
            forest.struck[number, place] = struck
    return forest


def _walk(node: Mapping[str, Any], leaves: list[float], splits: list[tuple[int, float, int]]) -> None:
    if "split_feature" not in node:
        leaves.append(float(node["leaf_value"]))
        return
    if node["decision_type"] != "<=":
        raise ValueError(f"a split by {node['decision_type']!r}: expected one by '<='")
    first = len(leaves)
    _walk(node["left_child"], leaves, splits)
    struck = (1 << len(leaves)) - (1 << first)
    _walk(node["right_child"], leaves, splits)
    splits.append((int(node["split_feature"]), float(node["threshold"]), struck))


def _below(threshold: float) -> np.float32:
    """The greatest float32 that is not above: a float32 is at most the one where it is at most the other."""
    near = np.float32(threshold)
    return near if float(near) <= threshold else np.nextafter(near, np.float32(-np.inf))


KS = (3, 5, 10)
Floats = npt.NDArray[np.floating[Any]]

RRF = "reciprocal rank fusion"
JOINS: dict[str, Callable[[Floats, Floats, npt.NDArray[np.int16]], Floats]] = {
    RRF: fused,
    "sum of scores": added,
    "one forest for all stores": lambda _, overall, __: overall,
}
"""Ways to join what the forests say: the paper's, ours, and none."""


@dataclass(frozen=True)
class RankerConfig:
    """Settings of a training.

    Attributes:
        folds: parts of people or wordings, for scores; parts: for readings of unseen ones.
        rounds: the most trees of a forest; `every` trees are scored at a time, and the best number is kept.
        least_items: in a leaf. least_queries: for a store's own forest.
        columns, rows: the share of features a tree sees, and of queries.
    """

    folds: int = 3
    parts: int = 2
    rounds: int = 100
    every: int = 25
    learning_rate: float = 0.06
    least_items: int = 20
    least_queries: int = 200
    columns: float = 0.4
    rows: float = 0.8
    shrink: float = 5.0
    reader: QueryReaderConfig = field(default_factory=QueryReaderConfig)
    threads: int = 2
    seed: int = 1

    def of_trees(self) -> dict[str, Any]:
        """As LightGBM has them."""
        return {
            "learning_rate": self.learning_rate,
            "min_data_in_leaf": self.least_items,
            "feature_fraction": self.columns,
            "bagging_fraction": self.rows,
            "bagging_freq": 1,
            "lambda_l2": self.shrink,
            "lambdarank_truncation_level": 10,
            "num_threads": self.threads,
            "seed": self.seed,
        }


def train_ranker(
    folders: Sequence[Path],
    out: Path,
    config: RankerConfig,
    progress: Progress,
    weights: Sequence[float] = (),
    tree_weights: Sequence[float] = (),
    pairs: Sequence[Path] = (),
    named: Sequence[Path] = (),
) -> dict[str, Any]:
    """Train on the folders' training splits and write the model.

    Args:
        weights: of a query of each folder; 1 for those behind the last. tree_weights: the same for the trees; as for
            the network where there are none.
        pairs: files of queries, each beside what it is about, from which the network learns first (`read_pairs`).
        named: hand-written sets, of which the network learns what a query is like that leaves nothing unsaid.
        progress: told of what, how much of how much is done.

    Returns:
        What the model tells about itself: settings, hash of the data, and recall at K of held-out people and wordings.

    Raises:
        MissingExtra: torch or LightGBM is not installed. UsageError: the data are too few, or the file cannot be
        written. DatasetError, DeviceFileError: the data break their format.
    """
    require_lightgbm()
    need("torch", "torch, which trains what reads queries,")
    for given in (weights, tree_weights):
        if len(given) > len(folders):
            raise UsageError(f"{len(given)} weights for {len(folders)} folders: give at most one each")
    every, of_trees = ([*given, *[1.0] * (len(folders) - len(given))] for given in (weights, tree_weights or weights))
    paired, lines = read_pairs(pairs)
    examples, digest = read_all(folders, every, lambda done, total: progress("reading samples", done, total), named)
    reading = replace(config.reader, threads=config.threads, seed=config.seed)
    start = None
    if paired:
        digest = hashlib.sha256(digest.encode() + lines).hexdigest()
        width = len(examples[0].names)
        start = learn_pairs(
            paired, width, StaticEncoder(), reading, lambda done, total: progress("reading pairs", done, total)
        )
    apart = read_apart(examples, reading, config.parts, progress, start)
    last = f"reading queries, {config.parts + 1} of {config.parts + 1}"
    reader = fit_reader(examples, reading, lambda done, total: progress(last, done, total), start)
    unsaid_nothing = sum(not example.gold.any() for example in examples)
    apart = [sides for sides, example in zip(apart, examples, strict=True) if example.gold.any()]
    examples = [replace(example, weight=of_trees[example.folder]) for example in examples if example.gold.any()]
    made = [
        with_reading(Features(example.names, example.table.astype(np.float32)), sides, example.store)
        for example, sides in zip(examples, apart, strict=True)
    ]
    trees, recall, sharpness, scored = _validate(examples, made, config, progress)
    progress("training on all", 0, 1)
    forests = fit_forests(examples, made, config, trees)
    about = {
        "data": digest,
        "samples": len(examples),
        "pairs": len(paired),
        "named": unsaid_nothing,
        "tree_weights": of_trees,
        "people": len({example.sample.persona for example in examples}),
        "held_out": {"samples": scored, "recall": recall},
        "trees": trees,
        "settings": asdict(config),
    }
    encoder = StaticEncoder().identity
    save(RankerModel(made[0].names, forests, reader, encoder, about, sharpness), out)
    progress("training on all", 1, 1)
    return about


def _validate(
    examples: Sequence[RankedQuery], made: Sequence[Features], config: RankerConfig, progress: Progress
) -> tuple[int, dict[str, dict[str, float]], float, int]:
    """The number of trees with the best recall on what was held out, recall by way of joining and K, the sharpness that
    makes the scores of the forest of all stores as sure as they are right there, and how many were held out."""
    steps = range(config.every, config.rounds + 1, config.every)
    found: dict[tuple[int, str], list[dict[int, float]]] = {(trees, way): [] for trees in steps for way in JOINS}
    scores: dict[int, list[tuple[Floats, int]]] = {trees: [] for trees in steps}
    for fold, (learnt, scored) in enumerate(folds_of(examples, config.folds)):
        progress("validating", fold, config.folds)
        if not learnt or not scored:
            continue
        forests = fit_forests([examples[at] for at in learnt], [made[at] for at in learnt], config, config.rounds)
        for place in scored[:: 1 + len(scored) // _SCORED]:
            example = examples[place]
            for trees in steps:
                first = {name: forest.first(trees) for name, forest in forests.items()}
                within, overall = forest_scores(first, made[place].table, example.store, example.stores)
                scores[trees].append((overall, int(np.argmax(example.gold))))
                for way, recall in recalls(example, within, overall).items():
                    found[trees, way].append(recall)
    progress("validating", config.folds, config.folds)
    if not found[config.every, RRF]:
        raise UsageError("there are too few people and queries to hold some out: expected a few dozen queries or more")
    means = {at: {str(k): float(np.mean([one[k] for one in each])) for k in KS} for at, each in found.items()}
    trees = max(steps, key=lambda trees: sum(means[trees, RRF].values()))
    return trees, {way: means[trees, way] for way in JOINS}, _sharpness(scores[trees]), len(scores[trees])


_SCORED = 1000
"""Examples of a fold that are scored at most, drawn evenly."""
_SHARPNESSES = np.geomspace(0.25, 8, 41)


def _sharpness(scored: Sequence[tuple[Floats, int]]) -> float:
    """The factor of scores with which the softmax gives the main items the greatest likelihood."""

    def likelihood(factor: float) -> float:
        return sum(float(factor * scores[at] - np.logaddexp.reduce(factor * scores)) for scores, at in scored)

    return float(max(_SHARPNESSES, key=likelihood))


def recalls(example: RankedQuery, within: Floats, overall: Floats) -> dict[str, dict[int, float]]:
    """The share of an example's gold items among the first K, by way of joining the forests, and by K."""
    meant = example.gold > 0
    found = {}
    for way, join in JOINS.items():
        order = np.argsort(-join(within, overall, example.store), kind="stable")
        found[way] = {k: float(meant[order[:k]].sum() / meant.sum()) for k in KS}
    return found


def fit_forests(
    examples: Sequence[RankedQuery], made: Sequence[Features], config: RankerConfig, rounds: int
) -> dict[str, Forest]:
    """A forest over all stores and one for each store that many queries are about, with so many trees each.

    Args:
        made: the features of each example.

    Raises:
        MissingExtra: LightGBM is not installed.
    """
    tables = [features.table for features in made]
    golds = [(example.gold > 0).astype(np.int32) for example in examples]
    weights = [np.full(len(example.gold), example.weight, np.float32) for example in examples]
    forests = {EVERY: _forest(tables, golds, weights, rounds, config)}
    for store in sorted({name for example in examples for name in example.stores}):
        mine = [_rows_of(example, store) for example in examples]
        kept = [place for place, rows in enumerate(mine) if golds[place][rows].any() and len(rows) > 1]
        if len(kept) >= config.least_queries:
            forests[store] = _forest(
                [tables[place][mine[place]] for place in kept],
                [golds[place][mine[place]] for place in kept],
                [weights[place][mine[place]] for place in kept],
                rounds,
                config,
            )
    return forests


def _rows_of(example: RankedQuery, store: str) -> npt.NDArray[np.intp]:
    if store not in example.stores:
        return np.zeros(0, np.intp)
    return np.flatnonzero(example.store == example.stores.index(store))


def _forest(
    tables: Sequence[npt.NDArray[np.float32]],
    golds: Sequence[npt.NDArray[np.int32]],
    weights: Sequence[npt.NDArray[np.float32]],
    rounds: int,
    config: RankerConfig,
) -> Forest:
    sizes = [len(gold) for gold in golds]
    rows, labels = np.concatenate(tables), np.concatenate(golds)
    return fit_forest(rows, labels, sizes, rounds, config.of_trees(), np.concatenate(weights))

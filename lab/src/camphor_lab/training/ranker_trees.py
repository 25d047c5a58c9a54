"""LambdaMART with LightGBM (Burges 2010; Ke et al. 2017), and its trees as arrays that need no LightGBM."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.errors import MissingExtra
from camphor.retrieval.context.trees import LEAVES, Forest, grow

Floats = npt.NDArray[np.float32]


def fit_forest(
    table: Floats,
    labels: npt.NDArray[np.int32],
    sizes: Sequence[int],
    rounds: int,
    settings: Mapping[str, Any],
) -> Forest:
    """LambdaMART on groups of rows, one after the other, of these sizes.

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
    data = lightgbm.Dataset(table, labels, group=list(sizes), params={"verbosity": -1})
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

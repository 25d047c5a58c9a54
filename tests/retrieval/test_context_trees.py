from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from camphor.retrieval.context.model import Forest, grow
from camphor_lab.training.ranker import fit_forest, forest_of

TREES: dict[str, Any] = {"learning_rate": 0.1, "num_threads": 1, "min_data_in_leaf": 5, "seed": 3}


def test_scores_are_those_of_the_library_that_trained_the_trees() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    random = np.random.default_rng(5)
    table = random.normal(size=(1200, 12)).astype(np.float32)
    table[:, 3] = np.round(table[:, 3])
    labels = (table[:, 0] * table[:, 1] + table[:, 3] > 0.5).astype(np.int32)
    settings = {"objective": "lambdarank", "num_leaves": 16, "verbosity": -1, "use_missing": False, **TREES}
    data = lightgbm.Dataset(table, labels, group=[60] * 20)
    booster = lightgbm.train(settings, data, num_boost_round=70)
    forest = forest_of(booster.dump_model())
    unseen = np.concatenate([table, random.normal(size=(300, 12)).astype(np.float32) * 3])
    np.testing.assert_allclose(forest.scores(unseen), booster.predict(unseen, raw_score=True), rtol=1e-9, atol=1e-9)
    at_a_split = np.zeros((1, 12), np.float32)
    # LightGBM takes what is within 1e-35 of zero for zero
    thresholds = forest.threshold[np.isfinite(forest.threshold) & (np.abs(forest.threshold) > 1e-30)]
    for threshold in thresholds[:200]:
        at_a_split[0] = threshold
        np.testing.assert_allclose(forest.scores(at_a_split), booster.predict(at_a_split, raw_score=True), atol=1e-9)


def test_a_forest_learns_which_item_of_a_group_is_meant() -> None:
    pytest.importorskip("lightgbm")
    random = np.random.default_rng(2)
    table = random.normal(size=(2000, 4)).astype(np.float32)
    labels = np.zeros(2000, np.int32)
    labels[np.arange(0, 2000, 10) + table[:, 2].reshape(-1, 10).argmax(axis=1)] = 1
    forest = fit_forest(table, labels, [10] * 200, 30, TREES)
    best = forest.scores(table).reshape(-1, 10).argmax(axis=1)
    assert np.mean(labels.reshape(-1, 10)[np.arange(200), best]) > 0.9


def test_the_first_trees_of_a_forest_are_a_forest() -> None:
    forest = grow(3)
    forest.value[:, 0] = (1, 2, 4)
    table = np.zeros((2, 5), np.float32)
    assert forest.scores(table).tolist() == [7, 7]
    assert forest.first(2).scores(table).tolist() == [3, 3]
    assert forest.first(0).scores(table).tolist() == [0, 0]
    assert forest.scores(table[:0]).tolist() == []


def test_arrays_make_the_forest_again_and_wrong_ones_are_refused() -> None:
    forest = grow(2)
    again = Forest.of_arrays(forest.arrays())
    np.testing.assert_array_equal(again.value, forest.value)
    broken = {**forest.arrays(), "feature": forest.feature[:1]}
    with pytest.raises(ValueError, match="differ in shape"):
        Forest.of_arrays(broken)

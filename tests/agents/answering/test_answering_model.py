"""The file of the model that ranks records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from camphor.agents.answering.model import AnsweringModel, read_answering, scaled
from camphor.agents.answering.ranking import FEATURES
from camphor.agents.answering.tables import built_in_lists
from camphor.errors import ModelMissing


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    shipped = read_answering()
    shipped.save(tmp_path / "a.npz")
    again = read_answering(tmp_path / "a.npz")
    np.testing.assert_array_equal(again.weights, shipped.weights)
    assert (again.common, list(again.lists), again.about) == (shipped.common, list(shipped.lists), shipped.about)
    assert again.likely("what's on today") == pytest.approx(shipped.likely("what's on today"), abs=1e-2)


def test_the_shipped_model_knows_what_lists_questions_speak_of() -> None:
    likely = read_answering().likely("when is my next appointment")
    assert set(likely) <= set(built_in_lists())
    assert max(likely, key=lambda each: likely[each]) == "calendar.events"


def test_what_is_no_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="train-answers"):
        read_answering(tmp_path / "none.npz")
    (tmp_path / "bad.npz").write_bytes(b"no model")
    with pytest.raises(ModelMissing):
        read_answering(tmp_path / "bad.npz")


def test_a_model_of_other_features_is_none(tmp_path: Path) -> None:
    shipped = read_answering()
    short = AnsweringModel(
        shipped.weights[: len(FEATURES) - 1],
        shipped.common,
        shipped.lists,
        shipped.runs,
        shipped.list_weights,
        shipped.bias,
    )
    short.save(tmp_path / "short.npz")
    with pytest.raises(ModelMissing):
        read_answering(tmp_path / "short.npz")


def test_log_odds_as_features_are_bounded() -> None:
    assert scaled(np.array([-100.0, -3.0, 0.0, 100.0])) == [-1.0, 0.0, 1.0, 2.0]

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor_lab.evaluation.compare import fallen, read_floor

METRICS = {"answers_right": 0.9, "actions_right": 0.8, "false_statement_rate": 0.02, "unwished_actions": 1}


def test_what_is_worse_than_the_floor_is_told() -> None:
    assert fallen(METRICS, METRICS) == []
    assert fallen(METRICS, {"answers_right": 0.91}) == ["answers_right is 0.900, at least 0.91 is wanted"]
    assert fallen(METRICS, {"unwished_actions": 0}) == ["unwished_actions is 1, at most 0 is allowed"]
    assert fallen({"answers_right": None}, {"answers_right": 0.5}) == ["answers_right was not measured"]


def test_a_floor_of_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "floor.json"
    for text in ("{", "[]", json.dumps({"answers_rigth": 0.5})):
        path.write_text(text)
        with pytest.raises(UsageError):
            read_floor(path)
    with pytest.raises(UsageError):
        read_floor(tmp_path / "none.json")

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.agents.health.interview.heard import COMPLAINT_FROM
from camphor.agents.health.referral import read_complaints
from camphor.errors import ModelMissing

DATA = Path(__file__).parents[3] / "data"


def texts(file: str, field: str) -> list[str]:
    lines = (DATA / file).read_text(encoding="utf-8").splitlines()
    return [record[field] for record in map(json.loads, lines) if record.get(field)]


def test_complaints_are_told_from_wishes_to_a_phone() -> None:
    """Neither file was learnt from."""
    score = read_complaints().score
    complaints = texts("health-development/specialists.jsonl", "text")
    wishes = texts("handwritten-development/items.jsonl", "query")
    assert sum(score(text) >= COMPLAINT_FROM for text in complaints) / len(complaints) >= 0.93
    assert sum(score(text) < COMPLAINT_FROM for text in wishes) / len(wishes) >= 0.96


def test_a_missing_model_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="train-complaints"):
        read_complaints(tmp_path / "none.npz")

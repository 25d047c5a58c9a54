from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.agents.health.referral import read_complaints
from camphor.errors import DatasetError, UsageError
from camphor_lab.training.referral import ComplaintConfig, read_said, train_complaints

ILL = ["my back tooth aches", "the gum bleeds when I brush", "my left eye waters outdoors", "a rash on both arms"]
OTHER = ["play some music", "the bus is late again", "what is the weather in Rome", "set an alarm for seven"]


def write(folder: Path, lines: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def described(folder: Path) -> Path:
    lines = [
        {"text": text, "specialists": ["general physician"], "style": style}
        for text, style in zip(ILL, ("terse", "chatty") * 2, strict=True)
    ]
    return write(folder, lines)


def test_what_is_trained_knows_what_it_saw_and_says_what_it_is(tmp_path: Path) -> None:
    data = write(tmp_path / "data", [{"text": text, "complaint": False, "style": "wish"} for text in OTHER])
    out = tmp_path / "complaint.npz"
    config = ComplaintConfig(classes=20, every=1, folds=2)
    about = train_complaints(data, described(tmp_path / "described"), out, config, lambda what, done, total: None)
    model = read_complaints(out)
    assert all(model.score(text) > 0 for text in ILL)
    assert all(model.score(text) < 0 for text in OTHER)
    assert model.about["data"] == about["data"]
    assert set(about["held_out"]) == {"described", "short", "wish"}


def test_broken_data_are_told(tmp_path: Path) -> None:
    folder = described(tmp_path / "described")
    with pytest.raises(DatasetError, match="complaint"):
        read_said(write(tmp_path / "data", [{"text": "a", "complaint": "no", "style": "wish"}]), folder, 1)
    with pytest.raises(UsageError, match="no complaints"):
        read_said(write(tmp_path / "data", [{"text": "sore", "complaint": True, "style": "short"}]), folder, 1)

"""`camphor lab data context`, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.doubles.command import Camphor, one_line

SMALL = ("--personas", "12", "--train", "20", "--test", "5")


def test_a_small_dataset(camphor: Camphor, tmp_path: Path) -> None:
    out = tmp_path / "made"
    told = camphor("data", "context", str(out), *SMALL, "--json")
    splits = json.loads(told.out)["splits"]
    assert {split: found["queries"] for split, found in splits.items()} == {"train": 20, "test": 5}
    assert sorted(path.name for path in out.iterdir()) == ["devices", "test.jsonl", "toolbox.json", "train.jsonl"]
    assert len(list((out / "devices").iterdir())) == 12
    shown = camphor("data", "context", str(out), *SMALL)
    assert "20 queries of" in shown.out
    assert "paper" in shown.out
    assert "9.57" in shown.out


def test_wrong_usage(camphor: Camphor, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    told = camphor("data", "context", str(tmp_path / "file"))
    assert told.status == 2
    assert "name a folder" in one_line(told.err)
    told = camphor("data", "context", str(tmp_path / "made"), "--train", "0", "--test", "0")
    assert told.status == 2
    assert "above 0" in one_line(told.err)
    assert not (tmp_path / "made").exists()

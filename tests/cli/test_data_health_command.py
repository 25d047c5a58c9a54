"""`camphor lab data health`, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.doubles.command import Camphor, one_line

SMALL = ("--train", "14", "--test", "1", "--development", "0", "--processes", "1")


def test_a_small_dataset(camphor: Camphor, tmp_path: Path) -> None:
    out = tmp_path / "made"
    told = camphor("data", "health", str(out), *SMALL, "--pairs", "--json")
    splits = json.loads(told.out)["splits"]
    assert sum(splits["test"]["cases"].values()) == 7
    assert splits["train"]["planner_pairs"]["general"] > splits["train"]["caller_pairs"]["general"]
    files = {path.name for path in out.iterdir() if path.is_file()}
    assert {"train.jsonl", "test.jsonl", "tools.json", "train-planner.jsonl", "test-caller.jsonl"} <= files
    assert len(list((out / "devices").iterdir())) == 7
    shown = camphor("data", "health", str(out), *SMALL)
    assert "7 cases of" in shown.out
    assert "for the caller" in shown.out


def test_wrong_usage(camphor: Camphor, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    told = camphor("data", "health", str(tmp_path / "file"))
    assert told.status == 2
    assert "name a folder" in one_line(told.err)
    nothing = camphor("data", "health", str(tmp_path / "out"), "--train", "0", "--test", "0", "--development", "0")
    assert nothing.status == 2
    assert "Nothing is wanted" in one_line(nothing.err)

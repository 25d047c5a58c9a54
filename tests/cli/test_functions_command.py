"""`camphor lab evaluate-functions`: what it refuses, runs, writes and shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.doubles.command import Camphor, one_line

SCHEMA = {"name": "list_beds", "description": "Lists the beds.", "parameters": {"type": "object", "properties": {}}}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    (tmp_path / "tools.json").write_text(json.dumps([SCHEMA]))
    lines = [{"id": name, "query": name, "answers": [{"id": 0, "name": "list_beds", "arguments": {}}]} for name in "ab"]
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "test.jsonl"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--form", "poem"], "poem"),
        (["--retriever", "magic"], "magic"),
        (["--shots", "1"], "train.jsonl"),
        (["--tools", "missing.json"], "missing.json"),
        (["--untuned", "--model", "x.gguf"], "--untuned"),
        (["--unconstrained", "--must-call"], "--must-call"),
        (["--out", "no/folder/r.json"], "no/folder"),
        (["--limit", "0"], "--limit"),
    ],
)
def test_bad_input_is_one_line_and_status_2(camphor: Camphor, dataset: Path, words: list[str], said: str) -> None:
    ran = camphor("evaluate-functions", str(dataset), *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


def test_a_dataset_is_scored_and_the_result_kept(
    camphor: Camphor, script: Callable[[Sequence[str]], str], dataset: Path, tmp_path: Path
) -> None:
    model = script(["list_beds()", "nothing"])
    words = ["evaluate-functions", str(dataset), "--model", model, "--form", "code_short", "--unconstrained"]
    ran = camphor(*words, "--out", str(tmp_path / "r.json"))
    assert ran.status == 0, ran.err
    assert "list_beds" in ran.out
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["metrics"]["accuracy"] == 0.5
    assert report["run"]["settings"] == {
        "form": "code_short", "shots": 0, "constrained": False, "retriever": "perfect",
    }  # fmt: skip


def test_evaluate_says_which_command_takes_such_a_dataset(camphor: Camphor, dataset: Path) -> None:
    ran = camphor("evaluate", str(dataset))
    assert ran.status == 2
    assert "evaluate-functions" in one_line(ran.err)

"""The everyday suite: plain wishes and questions, answered by the model and the adapter that ship.

It is the gate on the brain: what a newcomer types is answered rightly, and nothing is done that nobody wished for. The
floor is a little below what `results/everyday.json` recorded: other processors round otherwise, which changes two of 86
actions and may cost one that nobody wished; it is what the processor that did worst reaches (AVX2).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from camphor.models.llama import shipped_adapter
from camphor_lab.evaluation.compare import AT_LEAST, AT_MOST, fallen, read_floor

ROOT = Path(__file__).parents[1]
SUITE = ROOT / "data" / "everyday"
FLOOR = SUITE / "floor.json"
RECORDED = ROOT / "results" / "everyday.json"
SLACK = 0.02  # a greedy run differs in three of 150 answers from processor to processor: sums round differently
OF_ACTIONS = 0.035  # and in three of 86 actions
FEW = 8
PATIENCE = 1500  # seconds: a machine that has other work may be eight times as slow as a quiet one


def evaluate(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "camphor", "evaluate", *map(str, words), "--memory", "--threads", "1"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)


def few(folder: Path) -> Path:
    """The first questions and the first wishes of the suite, with the paths of their phones in full."""
    lines = [
        {**item, "device": str((path.parent / item["device"]).resolve())}
        for path in sorted(SUITE.glob("*.jsonl"))
        for item in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]
    asks = [item for item in lines if "answer" in item and not item["calls"]][: FEW // 2]
    acts = [item for item in lines if item["calls"]][: FEW // 2]
    made = folder / "few.jsonl"
    made.write_text("".join(json.dumps(item) + "\n" for item in (*asks, *acts)), encoding="utf-8")
    return made


@pytest.mark.timeout(PATIENCE + 60)
def test_what_ships_reaches_the_floor(tmp_path: Path) -> None:
    out = tmp_path / "everyday.json"
    done = evaluate(SUITE, "--processes", "2", "--floor", FLOOR, "--out", out)
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["metrics"]["errors"] == 0
    assert report["metrics"]["answers"]["items"] > report["metrics"]["items"] // 3


def test_the_same_run_twice_says_the_same(tmp_path: Path) -> None:
    made = few(tmp_path)
    reports = []
    for name in ("one", "two"):
        out = tmp_path / f"{name}.json"
        assert evaluate(made, "--out", out).returncode == 0
        reports.append(json.loads(out.read_text(encoding="utf-8")))
    first, second = ([[item["response"], item["predicted"]] for item in report["items"]] for report in reports)
    assert first == second


def test_a_wrong_adapter_does_not_reach_it(tmp_path: Path) -> None:
    wrong = shipped_adapter("health")
    out = tmp_path / "wrong.json"
    done = evaluate(few(tmp_path), "--adapter", str(wrong), "--floor", FLOOR, "--out", out)
    assert done.returncode == 1
    assert "Below" in done.stderr
    metrics: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))["metrics"]
    assert fallen(metrics, {"actions_right": read_floor(FLOOR)["actions_right"]})


def test_a_missing_adapter_does_not_even_start(tmp_path: Path) -> None:
    done = evaluate(few(tmp_path), "--adapter", tmp_path / "none.gguf", "--floor", FLOOR)
    assert done.returncode != 0
    assert "none.gguf" in done.stderr


def test_the_floor_is_not_below_what_was_recorded() -> None:
    floor, recorded = read_floor(FLOOR), json.loads(RECORDED.read_text(encoding="utf-8"))["metrics"]
    assert {"answers_right", "actions_right", "false_statement_rate", "unwished_actions"} <= set(floor)
    slack = {name: OF_ACTIONS if name == "actions_right" else SLACK for name in floor}
    low = {name: recorded[name] for name in AT_LEAST if name in floor and floor[name] < recorded[name] - slack[name]}
    high = {name: recorded[name] for name in AT_MOST if name in floor and floor[name] > recorded[name] + slack[name]}
    assert not low, "raise data/everyday/floor.json"
    assert not high, "lower what data/everyday/floor.json allows"
    assert fallen(recorded, floor) == []

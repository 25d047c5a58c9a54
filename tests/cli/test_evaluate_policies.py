"""`camphor lab evaluate policies`, and a policy switched off for `camphor lab evaluate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor_lab.evaluation.compare import ALL, FIGURES, changed, table
from tests.doubles.command import Camphor

QUERIES = Path(__file__).parents[2] / "data" / "everyday" / "documented.jsonl"


def test_each_policy_is_switched_off_and_a_stopped_run_goes_on(camphor: Camphor, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = ("evaluate", "policies", str(QUERIES), "--limit", "2", "--out", str(out))
    ran = camphor(*command, "--without", "repeated_calls")
    assert ran.status == 0, ran.err
    told = json.loads(out.read_text(encoding="utf-8"))
    assert list(told["variants"]) == [ALL, "repeated_calls"]
    name = QUERIES.name
    figures = told["variants"][ALL][name]
    assert figures["queries"] == 2
    figures["queries"] = 3  # what was done is not done again
    out.write_text(json.dumps(told), encoding="utf-8")
    assert camphor(*command, "--without", "repeated_calls").status == 0
    assert json.loads(out.read_text(encoding="utf-8"))["variants"][ALL][name]["queries"] == 3


def test_an_unknown_policy_is_told_with_those_that_there_are(camphor: Camphor, tmp_path: Path) -> None:
    for command in (("evaluate", "policies"), ("evaluate",)):
        ran = camphor(*command, str(QUERIES), "--without", "luck", "--out", str(tmp_path / "out.json"))
        assert ran.status == 2
        assert "no policy 'luck'" in ran.err
        assert "disambiguation" in ran.err


def test_two_sets_of_one_name_are_refused(camphor: Camphor, tmp_path: Path) -> None:
    ran = camphor("evaluate", "policies", str(QUERIES), str(QUERIES), "--out", str(tmp_path / "out.json"))
    assert ran.status == 2
    assert "same name" in ran.err


def told(plan: float, unwished: int, **said: str) -> dict[str, Any]:
    return {"queries": 2, **dict.fromkeys(FIGURES), "plan_f1": plan, "unwished_actions": unwished, "said": said}


def test_the_table_has_differences_in_points_and_counts() -> None:
    with_all, without = told(0.5, 1, a="x", b="y"), told(0.25, 3, b="z")  # what is said as with all is not kept
    report = {"variants": {ALL: {"one": with_all}, "luck": {"one": without}}}
    whole, luck = table(report)
    assert (whole[1], luck[1]) == ("50.0", "-25.0")
    assert (whole[len(FIGURES)], luck[len(FIGURES)]) == ("1", "+2")
    assert changed(report, "luck") == ["b"]
    assert luck[-1] == "1"

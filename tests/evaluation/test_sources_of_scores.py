"""Which code a score belongs to, and which scores the code has left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor_lab.evaluation.report_files import Results, TableBlock
from camphor_lab.evaluation.report_own import TOLD, ages_of_scores
from camphor_lab.evaluation.sources import (
    ASSISTANT,
    CALLING,
    CONTEXT,
    HEALTH,
    ages,
    changed_since,
    place,
    source_of_now,
)

ROOT = Path(__file__).parents[2]


def test_a_score_of_this_code_is_current_and_one_of_another_is_older() -> None:
    now = source_of_now()
    assert set(now["parts"]) == set(ASSISTANT)
    other = {**now, "parts": {**now["parts"], "agents": "0" * 16}}
    gone = {**now, "parts": {**now["parts"], "no_such_part.py": "0" * 16}}
    assert changed_since(now) == ()
    assert changed_since(other) == ("agents",)
    assert changed_since(gone) == ("no_such_part.py",)
    reports: dict[str, Any] = {"a": {"run": {"source": now}}, "b": {"source": other}, "c": {"run": {}}, "d": [1]}
    assert ages(reports) == {"a": "current", "b": "older", "c": "unknown", "d": "unknown"}


def test_the_parts_that_scores_are_about_exist() -> None:
    assert all(place(part)[1].exists() for part in (*ASSISTANT, *CALLING, *CONTEXT, *HEALTH))


def test_the_report_names_the_scores_that_are_older_than_their_code(tmp_path: Path) -> None:
    now = source_of_now()
    (tmp_path / "new.json").write_text(json.dumps({"run": {"source": now, "date": "2026-11-23T12:00:00"}}))
    (tmp_path / "old.json").write_text(json.dumps({"source": {**now, "parts": {"models": "f" * 16}}}))
    (tmp_path / "bare.json").write_text("{}")
    rows = next(block.rows for block in ages_of_scores(Results(tmp_path)).blocks if isinstance(block, TableBlock))
    assert {row[0]: row[3] for row in rows} == {"new": TOLD["current"], "old": TOLD["older"], "bare": TOLD["unknown"]}


def test_the_committed_report_says_which_committed_scores_are_older() -> None:
    """Fails when code has left a score behind and the report does not say so yet: run  camphor lab report."""
    results = Results(ROOT / "results")
    written = (ROOT / "docs" / "report.md").read_text(encoding="utf-8").partition("## Age")[2]
    lines = {line.split(" | ")[0].removeprefix("| "): line for line in written.splitlines() if line.startswith("| ")}
    told = {name: age for name, age in ages(results.matching("*")).items() if TOLD[age] not in lines.get(name, "")}
    assert not told, "run  camphor lab report"

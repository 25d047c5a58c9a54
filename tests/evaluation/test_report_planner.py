"""The report's section on tools and plans with context, from result files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor_lab.evaluation.context_planner import PlanMatch, compare_plans, measure_plans
from camphor_lab.evaluation.report_context import planner
from camphor_lab.evaluation.report_files import Missing, PlotBlock, Results, TableBlock, TextBlock, papers
from camphor_lab.evaluation.retrieval import Ranking, measure_rankings

GOOD, BAD = PlanMatch(True, True, False, True), PlanMatch(False, False, False, False, False, 0.0)
PEOPLE = ["a", "b", "c", "d"]


def blocks(folder: Path) -> list[Any]:
    return list(planner(Results(folder), papers()["context"]).blocks)


def plans(right: int) -> dict[str, Any]:
    matches = [GOOD] * right + [BAD] * (4 - right)
    metrics = {**measure_plans(matches, PEOPLE), "seconds": {"mean": 0.5}, "prompt_tokens": 321.0}
    run = {"command": "camphor lab evaluate context plan x", "dataset": "test.jsonl"}
    gain = compare_plans(matches, [GOOD, BAD, BAD, BAD], PEOPLE)
    return {"metrics": metrics, "gain": gain, "run": run, "items": []}


def test_what_is_missing_is_said_with_its_command(tmp_path: Path) -> None:
    found = blocks(tmp_path)
    assert all(isinstance(block, Missing) for block in found)
    commands = " ".join(command for block in found for command in block.commands)
    assert "context tools" in commands
    assert "--setting all" in commands


def test_table_3_stands_beside_the_papers_figures(tmp_path: Path) -> None:
    for setting, right in (("tools", 1), ("context", 3)):
        told = plans(right)
        if setting == "tools":
            del told["gain"]
        (tmp_path / f"context-plan-{setting}.json").write_text(json.dumps(told))
    found = blocks(tmp_path)
    table, gains = (block for block in found if isinstance(block, TableBlock))
    row = table.rows[1]
    assert row[0] == "context (Context-tuned RAG Planner)"
    assert str(row[1]).startswith("75.0 (")
    assert list(row[4:7]) == ["85.24", "67.33", "0.93"]
    assert list(row[-2:]) == ["321", "0.50"]
    assert [gains.rows[0][0], gains.rows[0][2]] == ["context", "+8.85"]
    assert str(gains.rows[0][1]).startswith("+50.0 (")
    assert [block.name for block in found if isinstance(block, PlotBlock)] == ["context-plans"]
    lacking = next(block for block in found if isinstance(block, Missing) and "planner" in block.what)
    assert "--setting none --setting oracle-tools --setting oracle-both" in lacking.commands[0]


def test_figure_2_is_a_table_and_a_plot(tmp_path: Path) -> None:
    figures = measure_rankings([Ranking("a", [1]), Ranking("b", [4])])
    figures["plan"] = {"recall": figures["recall"], "interval_95": figures["interval_95"]["recall"]}
    run = {"queries": 2, "dataset": "test.jsonl", "among": 59.0, "items": 5, "method": "m", "command": "camphor x"}
    told = {"methods": {"query": figures}, "gains": {}, "run": run, "items": []}
    (tmp_path / "context-tools.json").write_text(json.dumps(told))
    found = blocks(tmp_path)
    table = next(block for block in found if isinstance(block, TableBlock))
    assert list(table.rows[0][1:3]) == ["50.0 (0.0 to 100.0)", "100.0 (100.0 to 100.0)"]
    assert any(isinstance(block, TextBlock) and "camphor x" in block.text for block in found)
    plot = next(block for block in found if isinstance(block, PlotBlock))

    class Axes:
        """Takes whatever is drawn."""

        def __getattr__(self, name: str) -> Any:
            return self

        def __getitem__(self, key: Any) -> Any:
            return self

        def __call__(self, *args: Any, **named: Any) -> Any:
            return self

    plot.draw(Axes())

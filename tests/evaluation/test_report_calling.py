"""The report's section on function calling, from result files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor.types import Call
from camphor_lab.evaluation.calling import CallScore, PlanScore, ScoredSample, measure
from camphor_lab.evaluation.report_calling import function_calling
from camphor_lab.evaluation.report_files import Missing, PlotBlock, Results, TableBlock, TextBlock, papers


def run(right: int, of: int = 4) -> dict[str, Any]:
    samples = [
        ScoredSample(str(i), (Call("dial"),), PlanScore((CallScore("dial", int(i < right), 1),))) for i in range(of)
    ]
    metrics = {**measure(samples), "recall": 1.0, "prompt_tokens": 100.0}
    return {"metrics": metrics, "run": {"command": "camphor lab evaluate-functions x", "dataset": "x"}, "items": []}


def blocks(folder: Path) -> list[Any]:
    return list(function_calling(Results(folder), papers()["droidcall"]).blocks)


def test_what_no_file_holds_is_said_with_its_command(tmp_path: Path) -> None:
    found = blocks(tmp_path)
    assert all(isinstance(block, Missing) for block in found)
    commands = " ".join(command for block in found for command in block.commands)
    assert "call_formats.py" in commands
    assert commands.count("evaluate-functions") == 3


def test_tables_stand_beside_the_papers_figures(tmp_path: Path) -> None:
    for name, right in (("zero-small", 1), ("tuned-small", 4), ("retrieved-small", 3), ("data-general", 2)):
        (tmp_path / f"droidcall-{name}.json").write_text(json.dumps(run(right)))
    forms = {"json": {"prompt_tokens": 700.0, "answer_tokens": 50.0, "ratio": 1.0}}
    formats = {"command": "python x", "tokenizer": "t", "samples": 4, "forms": forms}
    (tmp_path / "call-formats.json").write_text(json.dumps(formats))
    found = blocks(tmp_path)
    tables = [block for block in found if isinstance(block, TableBlock)]
    assert list(tables[0].rows[0]) == ["json", "700.0", "50.0", "1367.9"]
    assert list(tables[1].rows[0]) == ["**small**", "25.0", "25.0", None, None, "100.0", "100.0"]
    gemma = next(row for row in tables[1].rows if row[0] == "Gemma2-2B-it, paper")
    assert list(gemma[5:]) == ["85.0", "93.9"]
    assert [row[0] for row in tables[2].rows] == ["zero-small", "tuned-small", "retrieved-small"]
    assert tables[2].rows[0][4] == "25.0 · 25.0 (4)"
    assert [row[0] for row in tables[3].rows] == ["general"]
    assert [block.name for block in found if isinstance(block, PlotBlock)] == ["functions-data"]
    assert any("few-shot" in title for title in tables[1].header)
    assert any(isinstance(block, Missing) and "--shots" in block.commands[0] for block in found)
    assert any(isinstance(block, TextBlock) and "evaluate-functions x" in block.text for block in found)

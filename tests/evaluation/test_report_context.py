"""The report's table of context retrieval, beside the paper's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from camphor_lab.evaluation.report_context import context_retrieval
from camphor_lab.evaluation.report_files import Missing, PlotBlock, Results, TableBlock, TextBlock, papers
from camphor_lab.evaluation.retrieval import Ranking, compare_rankings, measure_rankings

RANKINGS = {
    "lexical": [Ranking("a", [None]), Ranking("b", [4])],
    "semantic": [Ranking("a", [None]), Ranking("b", [1])],
    "lambdamart-rrf": [Ranking("a", [1]), Ranking("b", [2])],
}


def result() -> dict[str, Any]:
    methods = {name: {**measure_rankings(those), "ms_per_query": 1.25} for name, those in RANKINGS.items()}
    best = "lambdamart-rrf"
    ahead = {name: compare_rankings(RANKINGS[best], those) for name, those in RANKINGS.items() if name != best}
    run = {"queries": 2, "among": 30.5, "dataset": "test.jsonl", "command": "camphor lab evaluate context retrieval x"}
    intents = {name: {"queries": count, **dict.fromkeys(RANKINGS, 0.5)} for name, count in (("late", 9), ("rare", 1))}
    return {"methods": methods, "ahead": {"method": best, "of": ahead}, "by_intent": intents, "run": run, "items": []}


def blocks(folder: Path) -> list[Any]:
    return list(context_retrieval(Results(folder), papers()["context"]).blocks)


def test_without_results_the_command_is_told(tmp_path: Path) -> None:
    (block,) = blocks(tmp_path)
    assert isinstance(block, Missing)
    assert "evaluate context retrieval" in block.commands[0]


def test_our_rows_stand_beside_the_papers(tmp_path: Path) -> None:
    (tmp_path / "context-retrieval.json").write_text(json.dumps(result()))
    found = blocks(tmp_path)
    table, ahead, hardest = (block for block in found if isinstance(block, TableBlock))
    assert [row[0] for row in table.rows] == [
        "BM25", "semantic search, word vectors", "**LambdaMART with RRF**",
        "paper: BM25", "paper: Semantic Search", "paper: LambdaMART-RRF",
    ]  # fmt: skip
    assert table.rows[1][1] == "50.0 (0.0 to 100.0)"
    assert table.rows[4][1:4] == ["23.74", "25.38", "26.99"]
    assert ahead.rows[1] == ["semantic search, word vectors", "+50.0 (+0.0 to +100.0)", "2.00", "3.42"]
    assert ahead.rows[0][2:] == [None, "7.16"]
    assert [row[0] for row in hardest.rows] == ["late"]
    assert any(
        isinstance(block, TextBlock) and "camphor lab evaluate context retrieval x" in block.text for block in found
    )


def test_the_plot_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "context-retrieval-cot.json").write_text(json.dumps(result()))
    (plot,) = (block for block in blocks(tmp_path) if isinstance(block, PlotBlock))
    assert plot.name == "context-retrieval-cot"
    plot.draw(Figure())

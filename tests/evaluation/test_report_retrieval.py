from __future__ import annotations

import json
from pathlib import Path

from camphor_lab.evaluation.report_calling import tool_recall
from camphor_lab.evaluation.report_files import Missing, Results, TableBlock


def test_each_set_and_retriever_has_a_row(tmp_path: Path) -> None:
    light = {"recall": {"1": 0.5, "5": 0.875}, "ms_per_query": 0.25, "index_bytes": 13000}
    words = {"recall": {"1": 0.25, "5": 0.5}, "ms_per_query": 0.125}
    cost = {"ms_per_query": 5.0, "seconds_to_build": 2.5}
    found = {
        "sets": {"small": {"tools": 24, "queries": 8, "retrievers": {"lexical": words, "light": light}}},
        "speed": [{"tools": 100000, "static": cost, "light": cost}],
        "commands": ["python benchmarks/tool_recall.py"],
        "table_bytes": 7_400_000,
    }
    (tmp_path / "tool-recall.json").write_text(json.dumps(found), encoding="utf-8")
    recall, speed = (block for block in tool_recall(Results(tmp_path)).blocks if isinstance(block, TableBlock))
    assert recall.rows == [
        ["small", "24", "8", "words (BM25)", "25.0", "50.0", "0.12", None],
        ["small", "24", "8", "**words and word vectors**", "50.0", "87.5", "0.25", "13"],
    ]
    assert speed.rows == [["100,000", "5.00", "2.50", "5.00", "2.50"]]


def test_without_results_the_command_is_told(tmp_path: Path) -> None:
    (block,) = tool_recall(Results(tmp_path)).blocks
    assert isinstance(block, Missing)
    assert "tool_recall.py" in block.commands[0]

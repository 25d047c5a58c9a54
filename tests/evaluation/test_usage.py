"""Requests and tokens of a query: from what servers and models tell, and unknown where they do not."""

from __future__ import annotations

from typing import Any

from camphor_lab.evaluation.metrics import Score, ScoredQuery, measure
from camphor_lab.evaluation.tables import main_rows
from camphor_lab.evaluation.usage import Usage, mean_usage, usage_of


def turn(prompt: int, cached: int, written: int) -> dict[str, Any]:
    return {"agent": "x", "prompt_tokens": prompt, "cached_tokens": cached, "generated_tokens": written}


def test_a_query_counts_its_requests_and_whole_prompts() -> None:
    counted = usage_of({"turns": [turn(1000, 0, 20), turn(50, 1020, 30)]})
    assert counted == Usage(2, 2070, 1020, 50)
    assert usage_of({"turns": []}) == Usage(0, 0, 0, 0), "code answered"


def test_what_a_server_does_not_tell_is_not_known() -> None:
    assert usage_of({"turns": [turn(1000, 0, 20), turn(0, 0, 7)]}) == Usage(requests=2)
    assert usage_of({}) == usage_of({"cpu_seconds": 1.0}) == Usage()


def test_means_are_over_what_is_known() -> None:
    told = mean_usage([Usage(1, 100, 0, 10), Usage(2, 200, 50, 30), Usage(4), Usage()])
    assert told == {
        "requests": 2.33,
        "prompt_tokens": 150.0,
        "cached_tokens": 25.0,
        "completion_tokens": 20.0,
        "unknown": 2,
    }
    assert mean_usage([])["requests"] is None


def test_the_metrics_and_the_table_tell_them() -> None:
    metrics = measure([ScoredQuery("a", Score({}), usage=Usage(3, 6000, 0, 90))])
    assert metrics["usage"]["prompt_tokens"] == 6000.0
    rows = {row[0]: row[1] for row in main_rows(metrics)[1]}
    assert (rows["Requests a query"], rows["Prompt tokens a query"], rows["Completion tokens a query"]) == (
        "3.0",
        "6,000",
        "90",
    )
    unknown = {row[0]: row[1] for row in main_rows(measure([ScoredQuery("a", Score({}))]))[1]}
    assert unknown["Prompt tokens a query"] == "-"
    before = {key: value for key, value in metrics.items() if key != "usage"}
    assert "Requests a query" not in {row[0] for row in main_rows(before)[1]}, "older files are read as before"

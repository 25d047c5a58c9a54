"""The results' place: the report from whatever result files there are, and what is said where there are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.web import client_on, services_on

ITEM = {
    "id": "t1", "query": "q", "predicted": [], "gold": [], "steps": [], "response": "", "seconds": 0.5, "error": None,
    "timing": {"cpu_seconds": 0.4}, "tags": ["one"], "turn": 1,
}  # fmt: skip
MARKUP = "<img src=x onerror=alert(1)>"


def evaluation() -> dict[str, Any]:
    shares = {"tool_f1": 0.8, "delexicalized_plan_f1": 0.7, "plan_f1": 0.6, "no_call_accuracy": 0.5}
    metrics = {
        **shares, "items": 1, "interval_95": {name: [value - 0.1, value + 0.1] for name, value in shares.items()},
        "exact_plans": 0.5, "seconds": {"mean": 0.5, "median": 0.5, "p95": 0.5}, "hallucinated_tools": 0,
        "hallucinated_arguments": 0, "errors": 0, "macro": shares, "by_tag": {}, "by_turn": {},
    }  # fmt: skip
    return {"metrics": metrics, "run": {"dataset": "d.jsonl", "command": "camphor lab evaluate"}, "items": [ITEM]}


def told(tmp_path: Path, files: dict[str, Any] | None) -> Any:
    tmp_path.mkdir(exist_ok=True)
    services = services_on(tmp_path)
    if files is not None:
        services.results = tmp_path / "results"
        services.results.mkdir()
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (services.results / name).write_text(text, encoding="utf-8")
    return client_on(services)


@pytest.mark.parametrize("files", [None, {}, {"notes.txt": "no result"}])
def test_without_result_files_it_says_how_to_make_them(tmp_path: Path, files: Any) -> None:
    found = told(tmp_path, files).get("/api/results").json()
    assert found["sections"] == []
    assert found["how"][0].startswith("camphor lab evaluate")


def test_every_section_stands_there_and_what_was_not_measured_is_said(tmp_path: Path) -> None:
    sections = told(tmp_path, {"unread.json": [1, MARKUP]}).get("/api/results").json()["sections"]
    missing = [block for part in sections for block in part["blocks"] if block["kind"] == "missing"]
    assert len(sections) > 8
    assert all(each["commands"] for each in missing)
    assert len(missing) > 5


def test_the_committed_results_make_tables_and_plots_that_can_be_fetched(tmp_path: Path) -> None:
    services = services_on(tmp_path)
    services.results = Path(__file__).parents[2] / "results"
    client = client_on(services)
    found = client.get("/api/results").json()
    blocks = [block for part in found["sections"] for block in part["blocks"]]
    tables = [block for block in blocks if block["kind"] == "table"]
    assert tables
    assert all(len(row) == len(each["header"]) for each in tables for row in each["rows"])
    plot = next(block for block in blocks if block["kind"] == "plot")
    picture = client.get(f"/api/results/plots/{plot['name']}")
    assert picture.headers["content-type"] == "image/png"
    width, height = (int.from_bytes(picture.content[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (plot["width"], plot["height"])
    assert client.get("/api/results").json()["version"] == found["version"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("generated-test.json", "{", "cannot be read as JSON"),
        ("prompts.json", '{"groups": {}}', "make it again"),
        ("generated-test.json", '{"metrics": {"plan_f1": 1}, "items": []}', "make it again"),
    ],
)
def test_a_broken_result_file_is_told(tmp_path: Path, name: str, content: str, says: str) -> None:
    refused = told(tmp_path, {name: content}).get("/api/results")
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_input")
    assert says in refused.json()["detail"]


@pytest.mark.parametrize("name", ["nothing", "..%2fsecret", "a" * 200, "<b>"])
def test_a_plot_that_is_not_there_is_said(tmp_path: Path, name: str) -> None:
    client = told(tmp_path, {"unread.json": {}})
    assert client.get(f"/api/results/plots/{name}").status_code in (404, 422)
    assert told(tmp_path / "bare", None).get("/api/results/plots/strategies").status_code == 404


def test_the_page_is_served(tmp_path: Path) -> None:
    page = told(tmp_path, None).get("/results")
    assert page.status_code == 200
    assert 'aria-controls="compare"' in page.text


def test_a_page_does_not_wait_for_plots_that_are_drawn(tmp_path: Path) -> None:
    client = told(tmp_path, {"unread.json": []})
    first = client.get("/api/results").json()
    assert first["sections"]
    with client.app.state.report.lock:  # a plot is drawn now, for another page
        assert client.get("/api/results").json() == first

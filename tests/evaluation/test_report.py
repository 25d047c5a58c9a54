from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.cli import main
from camphor.errors import UsageError
from camphor_lab.evaluation.metrics import CallCounts, Score, ScoredQuery, measure
from camphor_lab.evaluation.report import html, page, sections, write_page
from camphor_lab.evaluation.report_files import Missing, Results, TableBlock, TextBlock, papers


def score(right: int, gold: int = 4, predicted: int = 4) -> Score:
    counts = CallCounts(gold=gold, predicted=predicted, tool=right, delexicalized=right, plan=right)
    return Score({"remind": counts})


def evaluation(*rights: int, dataset: str = "abc", strategy: str = "camphor", timing: Any = ()) -> dict[str, Any]:
    """What `camphor lab evaluate` writes, for queries of four calls with so many right."""
    items = [ScoredQuery(str(place), score(right), ("multi",), seconds=0.5) for place, right in enumerate(rights)]
    return {
        "metrics": measure(items),
        "run": {"command": "camphor lab evaluate x", "dataset": "x", "dataset_sha256": dataset, "strategy": strategy},
        "items": [{"id": i.id, "seconds": i.seconds, "timing": dict(timing)} for i in items],
    }


def folder(path: Path, **files: Any) -> Results:
    path.mkdir(exist_ok=True)
    for name, content in files.items():
        (path / f"{name.replace('_', '-')}.json").write_text(json.dumps(content), encoding="utf-8")
    return Results(path)


def blocks(results: Results, title: str) -> list[Any]:
    return next(list(s.blocks) for s in sections(results) if s.title.startswith(title))


def tables(results: Results, title: str) -> list[TableBlock]:
    return [block for block in blocks(results, title) if isinstance(block, TableBlock)]


def commands(results: Results, title: str) -> str:
    return "\n".join(c for block in blocks(results, title) if isinstance(block, Missing) for c in block.commands)


def test_an_empty_folder_gives_commands_and_no_figure(tmp_path: Path) -> None:
    made = sections(folder(tmp_path / "results"))
    measured = [section for section in made if section.title != "Age"]  # which tells of files that are there
    assert all(any(isinstance(block, Missing) for block in section.blocks) for section in measured)
    assert not [block for section in made for block in section.blocks if isinstance(block, TableBlock)]


def test_a_strategy_stands_beside_the_papers(tmp_path: Path) -> None:
    results = folder(tmp_path, table1_react_tiny=evaluation(1, 1, strategy="react"))
    table, claims = tables(results, "Table 1")
    react = next(row for row in table.rows if row[0] == "ReAct (`react`)")
    assert react[1:4] == ["25.0 (25.0 to 25.0)"] * 3
    assert react[-3:] == ["36.7", "19.2", "18.4"]
    static = next(row for row in table.rows if row[0] == "Static (`static`)")
    assert static[1:-3] == [None] * 10  # not measured, so not told
    assert table.header[4:8] == ["no-call accuracy", "calls made", "s/query", "CPU s/query"]
    assert react[4:8] == [None, "8 of 8", "0.50", None]
    assert table.header[8:11] == ["requests/query", "prompt tokens/query", "completion tokens/query"]
    assert react[8:11] == ["-"] * 3
    assert [row[1] for row in claims.rows] == ["by a capable model", "by a capable model", "in part", "no"]
    told = " ".join(block.text for block in blocks(results, "Table 1") if isinstance(block, TextBlock))
    assert "Measured on 2 queries of `x`. Made by: `camphor lab evaluate x`." in told
    asked = commands(results, "Table 1")
    assert "--strategy static --model tiny --out results/table1-static-tiny.json" in asked
    assert "--strategy react" not in asked


def test_older_files_tell_their_tokens_too(tmp_path: Path) -> None:
    turns = [{"prompt_tokens": 900, "cached_tokens": 100, "generated_tokens": 25}] * 2
    older = evaluation(1, 1, strategy="react", timing={"turns": turns})
    del older["metrics"]["usage"]
    table = tables(folder(tmp_path, table1_react_tiny=older), "Table 1")[0]
    row = next(row for row in table.rows if row[0] == "ReAct (`react`)")
    assert row[8:11] == ["2.0", "2,000", "50"]


def run_of(strategy: str, *rights: int, command: str = "camphor lab evaluate x", **settings: str) -> dict[str, Any]:
    """An evaluation with each query's score."""
    made = evaluation(*rights, strategy=strategy)
    made["run"] |= {"command": command, "settings": settings}
    for item, right in zip(made["items"], rights, strict=True):
        scored = {"score": score(right).to_json(), "tags": [], "turn": 1, "error": None}
        item |= {**scored, "query": "q", "gold": [], "predicted": []}
    return made


def test_a_strategy_is_told_apart_from_the_agents_or_not(tmp_path: Path) -> None:
    rights = [4] * 20
    results = folder(
        tmp_path,
        table1_camphor_m=run_of("camphor", *rights),
        table1_static_m=run_of("static", *(0 for _ in rights)),
        table1_react_m=run_of("react", *rights),
    )
    apart = tables(results, "Table 1")[1]
    assert [list(row) for row in apart.rows] == [
        ["ReAct (`react`)", "+0.0 (+0.0 to +0.0)", "cannot be told apart"],
        ["Static (`static`)", "-100.0 (-100.0 to -100.0)", "worse on these queries"],
    ]


def test_strategies_that_the_paper_has_not_have_rows_where_one_was_measured(tmp_path: Path) -> None:
    folder(tmp_path, table1_camphor_m=run_of("camphor", 1))
    names = [row[0] for row in tables(Results(tmp_path), "Table 1")[0].rows]
    assert not any("single_agent" in str(name) for name in names)
    (tmp_path / "table1-single_agent-m.json").write_text(json.dumps(run_of("single_agent", 1)), encoding="utf-8")
    results = Results(tmp_path)
    rows = {str(row[0]): row for row in tables(results, "Table 1")[0].rows}
    assert rows["one agent with all tools (`single_agent`)"][-3:] == [None] * 3
    assert rows["CAMPHOR agents with tools of their own (`agents`)"][1:] == [None] * 13
    assert "--strategy agents --model m" in commands(results, "Table 1")


def test_what_is_missing_is_measured_on_the_same_queries(tmp_path: Path) -> None:
    command = (
        "camphor lab evaluate data/y --model embedded --strategy react --limit 9 --out results/table1-react-m.json"
    )
    results = folder(tmp_path, table1_react_m=run_of("react", 1, command=command, adapter="abc"))
    assert (
        "camphor lab evaluate data/y --model embedded --strategy static --limit 9 --out results/table1-static-m.json"
        in commands(results, "Table 1")
    )
    told = " ".join(block.text for block in blocks(results, "Table 1") if isinstance(block, TextBlock))
    assert "Rows of a tuned model" in told


def test_rows_of_different_queries_are_marked(tmp_path: Path) -> None:
    one, other = evaluation(1, dataset="a", strategy="react"), evaluation(1, dataset="b", strategy="static")
    same = folder(
        tmp_path / "same", table1_react_m=one, table1_static_m={**one, "run": {**one["run"], "strategy": "static"}}
    )
    mixed = folder(tmp_path / "mixed", table1_react_m=one, table1_static_m=other)
    warnings = [
        [
            block.text
            for block in blocks(results, "Table 1")
            if isinstance(block, TextBlock) and "not of the same" in block.text
        ]
        for results in (same, mixed)
    ]
    assert [len(texts) for texts in warnings] == [0, 1]


def test_compression_tells_loss_and_costs(tmp_path: Path) -> None:
    results = folder(
        tmp_path,
        table3_definitions=evaluation(2, 2, timing={"cpu_seconds": 1.5}),
        table3_compressed=evaluation(1, 2, timing={"cpu_seconds": 0.5}),
    )
    forms, loss = tables(results, "Table 3")
    assert [row[0] for row in forms.rows] == ["definitions", "compressed", "paper: definitions", "paper: compressed"]
    assert [row[-2:] for row in forms.rows][:2] == [["1.50", None], ["0.50", None]]
    assert [row[4:7] for row in forms.rows] == [[None] * 3] * 2 + [["575", "261", None], ["23", "13", None]]
    assert list(loss.rows) == [
        ["ours, compressed", "-12.5", "-12.5", "-12.5"],
        ["paper, compressed", "-1.0", "-0.4", "-1.4"],
    ]


def test_compression_is_told_of_each_data_set_that_was_measured(tmp_path: Path) -> None:
    results = folder(
        tmp_path,
        table3_definitions=evaluation(2, 2),
        table3_handwritten_definitions=evaluation(4, 2),
        table3_handwritten_compressed=evaluation(4, 2),
    )
    test, hand, loss = tables(results, "Table 3")
    assert [row[0] for row in test.rows][:2] == ["definitions", "paper: definitions"]
    assert [row[0] for row in hand.rows][:2] == ["definitions", "compressed"]
    assert loss.rows[0] == ["ours, compressed", "+0.0", "+0.0", "+0.0"]
    told = commands(results, "Table 3")
    assert "results/table3-compressed.json" in told
    assert "results/table3-handwritten-hinted.json" in told
    assert "table3-handwritten-2" not in told


def test_compression_tells_the_tokens_of_the_demo_phone(tmp_path: Path) -> None:
    fixed = {"static_tokens": 66, "personal_context": 25, "task_completion": 15, "kv_bytes": 1_521_000, "reduction": 0}
    group = {"phones": 1, "tools": {"personal_context": 25, "task_completion": 15}}
    told = {"groups": {"demo": {**group, "forms": {"definitions": fixed, "compressed": fixed}}}, "model": "m"}
    results = folder(tmp_path, table3_compressed=evaluation(1), prompts={**told, "kv_bytes_per_token": 9})
    (forms,) = tables(results, "Table 3")
    assert forms.rows[0][4:7] == ["25", "15", "1,521"]


def test_tuning_tells_its_gain_beside_the_papers(tmp_path: Path) -> None:
    results = folder(
        tmp_path, table2_m_tuned=evaluation(4), table2_m_untuned=evaluation(1), table2_n_tuned=evaluation(2)
    )
    models, gains = tables(results, "Table 2")
    assert [row[0] for row in models.rows][:4] == ["m, untuned", "m, tuned", "n, tuned", "paper: Phi-3.5, tuned"]
    assert list(gains.rows) == [["m", "+75.0", "+75.0", "+75.0"], ["paper: Phi-3.5", "+54.9", "+34.5", "+29.1"]]
    assert "results/table2-n-untuned.json" in commands(results, "Table 2")


def test_the_first_word_tells_energy_only_where_there_is_any(tmp_path: Path) -> None:
    costs = {"seconds_median": 2.0, "seconds_most": 3.0, "cpu_seconds": 1.0, "tokens": 1200.0}
    told = {"command": "c", "machine": "m", "threads": 1, "phones": 2, "vectors": {"tools": 9, "cpu_seconds": 4.0}}
    without = folder(tmp_path / "a", first_query={**told, "forms": {"full": costs}})
    (table,) = tables(without, "Table 4")
    assert list(table.rows) == [["full", "1,200", "2.00", "3.00", "1.00"]]
    metered = folder(tmp_path / "b", first_query={**told, "forms": {"full": {**costs, "joules": 31.0}}})
    (table,) = tables(metered, "Table 4")
    assert (table.header[-1], table.rows[0][-1]) == ("joules", "31.0")
    assert "python benchmarks/prompts.py" in commands(metered, "Table 4")


def test_public_sets_tell_lines_and_harness(tmp_path: Path) -> None:
    told = {"command": "c", "model": "tiny", "harness": "One call a line.", "accuracy": 0.25, "lines": 8}
    results = folder(tmp_path, bfcl={**told, "categories": {"simple": {"accuracy": 0.5, "lines": 4}}})
    (table,) = tables(results, "Public sets")
    assert list(table.rows)[:2] == [["ours, tiny: all lines", "8", "25.0"], ["ours, tiny: simple", "4", "50.0"]]
    assert table.rows[2][0] == "published: LFM2.5-230M"
    assert any(
        "One call a line." in block.text for block in blocks(results, "Public sets") if isinstance(block, TextBlock)
    )


def test_peers_stand_side_by_side(tmp_path: Path) -> None:
    results = folder(tmp_path, peers_camphor=evaluation(4, 2), peers_smolagents=evaluation(1, 1))
    (table,) = tables(results, "Peers")
    assert [row[0] for row in table.rows] == ["camphor", "smolagents"]
    assert not results.own()


def test_the_ratios_to_a_peer_have_their_intervals(tmp_path: Path) -> None:
    ratio = {"queries": 8, "of_means": 7.21, "of_means_95": [5.5, 9.1], "median": 8.13, "median_95": [6.2, 10.1]}
    peer = dict.fromkeys(("library", "runtime", "replies", "definitions"), "words") | {"steps_at_most": 6}
    told: dict[str, Any] = {"command": "c", "machine": "2 processors", "model": "m", "queries": 8, "peer": peer}
    told |= {"camphor": {"stopped_at_limit": 0}, "lib": {"stopped_at_limit": 5}}
    told["lib_over_camphor"] = {"seconds": ratio}
    results = folder(tmp_path, peers=told, peers_camphor=evaluation(4), peers_lib=evaluation(1))
    _, ratios = tables(results, "Peers")
    assert list(ratios.rows) == [["wall time, all queries", "8", "7.2 (5.5 to 9.1)", "8.1 (6.2 to 10.1)"]]
    assert "stopped at its limit of 6 steps in 5 of 8" in blocks(results, "Peers")[-1].text


def test_own_data_sets_are_what_belongs_to_no_comparison(tmp_path: Path) -> None:
    results = folder(tmp_path, mine=evaluation(4, 2), table3_names=evaluation(1), latency_note={"a": 1})
    assert list(results.own()) == ["mine"]
    scores, tags = tables(results, "Our data sets")
    assert [row[:2] for row in scores.rows] == [["mine", "2"]]
    assert list(tags.rows) == [["multi", "75.0 · - (2)"]]


def test_the_page_escapes_and_inlines(tmp_path: Path) -> None:
    results = folder(
        tmp_path / "results", mine=evaluation(*[3] * 9), table2_m_tuned=evaluation(4), table2_m_untuned=evaluation(0)
    )
    written = write_page(results, tmp_path / "page", as_html=True)
    names = {path.name for path in written.files}
    assert {"page.md", "page.html", "page-tags.png", "page-tuning.png", "page-seconds.png"} == names
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "![Plan F1 by tag.](page-tags.png)" in text
    whole = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert whole.count("data:image/png;base64,") == 3
    assert "page-tags.png" not in whole
    assert "<table>" in whole
    assert "<script>" not in html("a <script>b</script>", tmp_path)
    assert text == page(sections(results), "page", results.folder)


def test_strategies_are_drawn_where_measured(tmp_path: Path) -> None:
    results = folder(tmp_path / "results", table1_react_tiny=evaluation(1, strategy="react"))
    written = write_page(results, tmp_path / "page")
    assert "page-strategies-tiny.png" in {path.name for path in written.files}


def test_pictures_are_the_same_each_time(tmp_path: Path) -> None:
    results = folder(tmp_path / "results", mine=evaluation(*[3] * 9))
    written = [write_page(results, tmp_path / name).files for name in ("a", "b")]
    first, second = ([path.read_bytes() for path in files if path.suffix == ".png"] for files in written)
    assert first
    assert first == second


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine\.json cannot be read as JSON"):
        sections(Results(tmp_path))


def test_the_papers_figures_are_whole() -> None:
    paper = papers()["camphor"]
    assert set(paper["table1"]["rows"]) == {"camphor", "autoact", "reflexion", "react", "static"}
    for table in (paper["table1"]["rows"].values(), paper["table2"]["rows"], paper["table3"]["rows"].values()):
        for row in table:
            assert 100 > row["tool_f1"] > row["delexicalized_plan_f1"] > row["plan_f1"] > 0
    reduction = paper["table4"]["reduction"]
    assert sorted(reduction.values()) == list(reduction.values())
    rows = paper["table3"]["rows"]  # the relative change that the paper prints under its table: -95.02%, -3.61%
    assert (
        round(100 * rows["compressed"]["task_completion"] / rows["definitions"]["task_completion"] - 100, 2) == -95.02
    )
    assert round(100 * rows["compressed"]["plan_f1"] / rows["definitions"]["plan_f1"] - 100, 2) == -3.61


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder(tmp_path / "results", mine=evaluation(4))
    assert main(["report", "--results", str(tmp_path / "results"), "--out", str(tmp_path / "r")]) == 0
    told = capsys.readouterr()
    assert str(tmp_path / "r.md") in told.out
    assert "Table 1: strategies" in told.err
    assert main(["report", "--results", str(tmp_path / "nowhere")]) == 2
    assert "There is no folder" in capsys.readouterr().err

"""`camphor lab evaluate-public`: what it refuses, and what it writes and prints."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.doubles.command import Camphor, one_line

LINE = {
    "id": "a",
    "category": "simple",
    "query": "book two nights in Oslo",
    "tools": [{"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}],
    "calls": [{"name": "book", "arguments": {"city": "Oslo"}}],
    "accept": [{"name": "book", "arguments": {"city": ["Oslo"]}}],
}


def test_bad_input_is_one_line_and_status_2(camphor: Camphor, tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps(LINE) + "\n{}\n")
    ran = camphor("evaluate-public", str(lines))
    assert (ran.status, ran.out) == (2, "")
    assert "line 2" in one_line(ran.err)
    lines.write_text(json.dumps(LINE))
    for words, said in ((["--limit", "0"], "--limit 0"), (["--out", str(tmp_path / "no" / "x.json")], "folder")):
        ran = camphor("evaluate-public", str(lines), *words)
        assert ran.status == 2
        assert said in one_line(ran.err)


def test_accuracy_is_written_and_shown_beside_published_figures(
    camphor: Camphor, script: Callable[[Sequence[str]], str], tmp_path: Path
) -> None:
    lines, out = tmp_path / "lines.jsonl", tmp_path / "bfcl.json"
    lines.write_text("\n".join(json.dumps({**LINE, "id": name}) for name in "ab"))
    model = script(["task_completion", ' [book(city="Oslo")]', "task_completion", " []"])
    ran = camphor("evaluate-public", str(lines), "--model", model, "--out", str(out))
    assert ran.status == 0, ran.err
    assert "FunctionGemma-270M" in ran.out
    report = json.loads(out.read_text())
    assert (report["accuracy"], report["problems"]) == (0.5, {"no call": 1})
    assert report["command"].startswith("camphor lab evaluate-public ")

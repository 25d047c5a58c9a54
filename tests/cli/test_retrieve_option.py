"""`camphor lab evaluate --retrieve`: what it refuses, and that the prompt and the result tell of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.doubles.command import Camphor, one_line

DEVICE = {
    "format": "camphor.device/1",
    "id": "x",
    "owner": "Ada",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "apps": {"notes": {"notes": []}, "music": {"songs": [{"title": "Kyrie"}]}, "contacts": {"people": []}},
}
ITEM = {
    "id": "a",
    "device": DEVICE,
    "query": "write a note: milk",
    "calls": [{"name": "create_notes", "arguments": {"content": "milk"}}],
}


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--retrieve", "0"], "--retrieve 0"), (["--retrieve", "5", "--retriever", "psychic"], "lexical")],
)
def test_bad_input_is_one_line_and_status_2(camphor: Camphor, words: list[str], said: str) -> None:
    ran = camphor("evaluate", "x.jsonl", *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


def test_the_result_says_how_many_tools_were_retrieved(
    camphor: Camphor, script: Callable[[Sequence[str]], str], tmp_path: Path
) -> None:
    path, out = tmp_path / "items.jsonl", tmp_path / "r.json"
    path.write_text(json.dumps(ITEM) + "\n", encoding="utf-8")
    model = script(["task_completion", '[create_notes(content="milk")]'])
    words = ["--model", model, "--retrieve", "1", "--retriever", "lexical", "--out", str(out)]
    ran = camphor("evaluate", str(path), *words, "--json")
    assert ran.status == 0, ran.err
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["metrics"]["plan_f1"] == 1.0
    assert report["run"]["settings"]["retrieve"] == 1
    assert report["run"]["settings"]["retriever"] == "lexical"
    assert report["items"][0]["timing"]["cpu_seconds"] >= 0

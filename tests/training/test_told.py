"""What people told of themselves becomes samples whose first word is the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.agents.memory.hearing import NOTHING, TELLS
from camphor.errors import DatasetError, UsageError
from camphor_lab.training.told import told_lines

FACT = {"clause": "I'm on earlies now", "effect": "change", "relation": "hours"}
LINES = [
    {"text": "Alarm for five, I'm on earlies now", "facts": [FACT, {**FACT, "clause": "now", "effect": "new"}]},
    {"text": "I could eat a horse", "facts": []},
]


def written(folder: Path, lines: list[dict[str, object]]) -> Path:
    (folder / "told-a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def test_a_line_is_a_prompt_and_a_verdict(tmp_path: Path) -> None:
    first, second = map(json.loads, told_lines(written(tmp_path, LINES)))
    texts = [[segment[0] for segment in sample["segments"] if segment[1]] for sample in (first, second)]
    assert texts[0][0] == f"{TELLS} change hours: I'm on earlies now; new hours: now"
    assert texts[1][0] == NOTHING
    assert any(segment[0] == LINES[1]["text"] and not segment[2] for segment in second["segments"])
    assert first["id"] != second["id"]


def test_what_breaks_the_form_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"told-\*"):
        list(told_lines(tmp_path))
    with pytest.raises(DatasetError, match=r"line 1.*facts"):
        list(told_lines(written(tmp_path, [{"text": "I moved", "facts": [{"clause": "I moved"}]}])))

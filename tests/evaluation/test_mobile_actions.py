"""Lines in Mobile Actions' form: what is read of them, and what is refused with its line."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import DatasetError, UsageError
from camphor.tools.tool import Role
from camphor.types import Call
from camphor_lab.datasets.mobile_actions import read_mobile_actions

EVENT = {
    "function": {
        "name": "make_entry",
        "description": "Makes an entry in the calendar.",
        "parameters": {
            "type": "OBJECT",
            "properties": {
                "title": {"type": "STRING", "description": "What it is called."},
                "when": {"type": "STRING", "description": "Date and time, as YYYY-MM-DDTHH:MM:SS."},
            },
            "required": ["title", "when"],
        },
    }
}
CALL = {"title": "Chess", "when": "2024-11-16T18:00:00"}


def line(split: str, said: str, arguments: Any, tools: Any = (EVENT,)) -> dict[str, Any]:
    calls = [{"id": "c1", "type": "function", "function": {"name": "make_entry", "arguments": arguments}}]
    return {
        "metadata": split,
        "tools": list(tools),
        "messages": [
            {"role": "developer", "content": "It is 2024-11-15T05:59:00 now. You can call functions."},
            {"role": "user", "content": said},
            {"role": "assistant", "tool_calls": calls if arguments is not None else []},
        ],
    }


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


def test_lines_to_score_are_read_with_their_clock(tmp_path: Path) -> None:
    file = write(
        tmp_path / "set.jsonl",
        line("train", "seen", CALL),
        line("eval", "Chess tomorrow at six", json.dumps(CALL)),
        line("eval", "thanks", None),
    )
    (module,) = read_mobile_actions(file)
    assert [(sample.query, sample.answers, sample.tags) for sample in module.samples] == [
        ("Chess tomorrow at six", (Call("make_entry", CALL),), ("simple",)),
        ("thanks", (), ("none",)),
    ]
    assert module.samples[0].now == datetime(2024, 11, 15, 5, 59)
    assert [(each.type, each.role) for each in module.tools[0].parameters] == [
        ("string", Role.TEXT),
        ("string", Role.TIME),
    ]


def test_lines_with_other_tools_are_another_module(tmp_path: Path) -> None:
    other = {"function": {**EVENT["function"], "description": "Another."}}
    file = write(tmp_path / "set.jsonl", line("", "a", CALL), line("", "b", CALL, [other]), line("", "c", CALL))
    assert [[sample.query for sample in module.samples] for module in read_mobile_actions(file)] == [["a", "c"], ["b"]]


@pytest.mark.parametrize("broken", [{"tools": [EVENT]}, {**line("", "a", CALL), "tools": [{"function": {}}]}])
def test_a_line_of_another_form_is_told(tmp_path: Path, broken: Any) -> None:
    file = write(tmp_path / "set.jsonl", line("", "a", CALL), broken)
    with pytest.raises(DatasetError, match=r"line 2.*as Mobile Actions has"):
        read_mobile_actions(file)


def test_nothing_to_score_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no line"):
        read_mobile_actions(write(tmp_path / "set.jsonl"))

"""How often people agree: the counts of each against the gold and against one another, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import DatasetError, UsageError
from camphor.types import Call
from camphor_lab.evaluation.agreement import agreement, read_answers
from camphor_lab.evaluation.dataset import Dataset
from tests.doubles.evaluation import Alike

DEVICE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "jo",
    "owner": "Ann",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "apps": {"reminders": {"reminders": []}, "notes": {"notes": []}},
}
AT_SIX = {"time": "2026-03-12T18:00:00", "content": "Call Jo"}
AT_SEVEN = {**AT_SIX, "time": "2026-03-12T19:00:00"}
GOLD: dict[str, list[dict[str, Any]]] = {
    "first": [{"name": "create_reminders", "arguments": AT_SIX}],
    "second": [],
    "third": [{"name": "create_notes", "arguments": {"content": {"any_of": ["milk", "Milk"]}}}],
}


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    lines = [{"id": name, "device": DEVICE, "query": name, "calls": calls} for name, calls in GOLD.items()]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return Dataset(path)


def test_each_is_scored_against_the_gold_and_against_the_other(dataset: Dataset) -> None:
    right = {
        "first": (Call("create_reminders", AT_SIX),),
        "second": (),
        "third": (Call("create_notes", {"content": "milk"}),),
    }
    late = {**right, "first": (Call("create_reminders", AT_SEVEN),)}
    found = agreement(dataset, {"a": right, "b": late}, Alike())
    assert found["items"] == 3
    assert found["agreement"]["a, gold"]["plan_f1"] == 1.0
    assert found["agreement"]["b, gold"]["plan_f1"] == 0.5
    assert found["agreement"]["b, gold"]["tool_f1"] == 1.0
    assert found["agreement"]["a, b"]["plan_f1"] == 0.5
    assert found["of"]["first"] == {"a, gold": True, "b, gold": False, "a, b": False}
    assert found["of"]["second"] == {"a, gold": True, "b, gold": True, "a, b": True}


def test_only_what_everybody_answered_counts(dataset: Dataset) -> None:
    wrong = (Call("create_notes", {"content": "eggs"}),)
    found = agreement(dataset, {"a": {"second": (), "third": wrong}, "b": {"second": (), "first": ()}}, Alike())
    assert found["items"] == 1
    assert list(found["of"]) == ["second"]
    assert {figures["exact"] for figures in found["agreement"].values()} == {1.0}


def test_answers_to_other_queries_are_told(dataset: Dataset) -> None:
    with pytest.raises(UsageError, match="no query"):
        agreement(dataset, {"a": {"another": ()}}, Alike())


@pytest.mark.parametrize("line", ["{", '{"id": "first"}', '{"id": "first", "calls": 3}', "[]"])
def test_a_bad_line_is_told_with_its_place(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "second", "calls": []}\n' + line)
    with pytest.raises(DatasetError, match=r"a\.jsonl.*2"):
        read_answers(path)

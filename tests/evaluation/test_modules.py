"""Requests to functions that a model never saw: what counts as right, and what a run tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.calling.prompts import CallForm
from camphor.errors import UsageError
from camphor.models.base import ScriptedModel
from camphor.tools.plans import plan_from_json
from camphor_lab.datasets.modules import read_modules, together
from camphor_lab.evaluation.modules import call_modules, figures, same, same_plan
from camphor_lab.training.module_samples import module_lines

ROOM = {"room": {"type": "string"}, "level": {"type": "integer"}}
AT = {"at": {"type": "string", "format": "date-time"}}
LAMP = {
    "name": "lamp_on",
    "description": "Light a lamp.",
    "parameters": {"type": "object", "properties": ROOM, "required": ["room"]},
}
BELL = {"name": "ring", "description": "Ring.", "parameters": {"type": "object", "properties": AT, "required": ["at"]}}
REQUESTS: list[dict[str, Any]] = [
    {"id": "a", "query": "Light the hall", "tags": ["simple"],
     "answers": [{"id": 0, "name": "lamp_on", "arguments": {"room": {"any_of": ["hall", "the hall"]}}}]},
    {"id": "b", "query": "no light, thanks", "answers": [], "tags": ["none"]},
    {"id": "c", "query": "kitchen at 40", "tags": ["simple"],
     "answers": [{"id": 0, "name": "lamp_on", "arguments": {"room": "kitchen", "level": 40}}]},
]  # fmt: skip
RINGS = [
    {"id": "d", "query": "ring at noon tomorrow", "now": "2026-03-12T08:00:00", "said": {"0.at": "noon tomorrow"},
     "answers": [{"id": 0, "name": "ring", "arguments": {"at": "2026-03-13T12:00:00"}}], "tags": ["simple"]},
]  # fmt: skip


def folder(tmp_path: Path) -> Path:
    for name, tools, requests in (("lamps", [LAMP], REQUESTS), ("rings", [BELL], RINGS)):
        made = tmp_path / name
        made.mkdir()
        (made / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
        (made / "requests.jsonl").write_text("".join(json.dumps(each) + "\n" for each in requests), encoding="utf-8")
    return tmp_path


def test_a_run_counts_what_is_exactly_right(tmp_path: Path) -> None:
    replies = [
        'result0 = lamp_on(room="Hall")',
        'result0 = lamp_on(room="light")',
        'result0 = lamp_on(room="kitchen")',
        'result0 = ring(at="noon tomorrow")',
    ]
    modules = read_modules(folder(tmp_path))
    model = ScriptedModel(replies)
    done = call_modules(modules, model, CallForm.COMPACT, lambda module: module.tools)
    assert [each.right for each in done] == [True, False, False, True]
    told = figures(done)
    assert (told["requests"], told["modules"], told["right"]) == (4, 2, 0.5)
    assert told["by_tag"] == {"none": {"requests": 1, "right": 0.0}, "simple": {"requests": 3, "right": 0.6667}}
    assert (told["functions_right"], told["declined_with_a_call"]) == (1.0, 0.0)
    assert done[3].to_json()["predicted"] == [{"id": 0, "name": "ring", "arguments": {"at": "2026-03-13T12:00:00"}}]


@pytest.mark.parametrize(
    ("gold", "value", "right"),
    [
        ("The hall", "the hall.", True),
        ("hall", "halls", False),
        (5, 5.0, True),
        (True, 1, False),
        ([1, "a"], [1, "A"], True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"any_of": ["x", "y"]}, "y", True),
    ],
)
def test_values_are_the_same_but_for_how_they_are_written(gold: Any, value: Any, right: bool) -> None:
    assert same(gold, value) is right


def test_calls_may_come_in_any_order_and_none_too_many() -> None:
    one, two = ({"id": at, "name": name, "arguments": {}} for at, name in enumerate("ab"))
    both, turned = plan_from_json([one, two]), plan_from_json([{**two, "id": 0}, {**one, "id": 1}])
    assert same_plan(both, turned)
    assert not same_plan(plan_from_json([one]), both)
    assert not same_plan(both, plan_from_json([one]))


@pytest.mark.parametrize(
    ("predicted", "right"),
    [(["a", "b", ("c", "#0")], True), (["b", "a", ("c", "#1")], True), (["b", "a", ("c", "#0")], False)],
)
def test_a_call_that_takes_from_another_takes_from_the_right_one(predicted: list[Any], right: bool) -> None:
    def plan(parts: list[Any]) -> Any:
        calls = [(each, {}) if isinstance(each, str) else (each[0], {"x": each[1]}) for each in parts]
        return plan_from_json([{"id": at, "name": name, "arguments": held} for at, (name, held) in enumerate(calls)])

    assert same_plan(plan(["a", "b", ("c", "#0")]), plan(predicted)) is right


def test_of_alternatives_each_finds_its_place() -> None:
    def plan(*values: Any) -> Any:
        return plan_from_json([{"id": at, "name": "f", "arguments": {"x": v}} for at, v in enumerate(values)])

    assert same_plan(plan({"any_of": ["p", "q"]}, "p"), plan("p", "q"))


def test_other_modules_functions_may_stand_beside(tmp_path: Path) -> None:
    lamps, rings = read_modules(folder(tmp_path))
    assert [tool.name for tool in together(lamps, [lamps, rings], 1)] == ["lamp_on", "ring"]
    assert together(lamps, [lamps, rings], 0) == lamps.tools
    with pytest.raises(UsageError, match="no folder with"):
        read_modules(tmp_path / "lamps" / "none")


def test_each_request_becomes_a_sample_in_its_own_words(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in module_lines(folder(tmp_path), 1)]
    texts = ["".join(text for text, *_ in line["segments"]) for line in lines]
    assert [line["id"] for line in lines] == ["a", "b", "c", "d"]
    assert 'result0 = ring(at="noon tomorrow")<|im_end|>' in texts[3]
    assert "Now: Thu 12 Mar 2026 08:00" in texts[3]
    assert all("lamp_on(room, level?: int): Light a lamp." in text for text in texts[:3])
    trained = ["".join(text for text, *marks in line["segments"] if marks[0]) for line in lines]
    assert trained[1].endswith("<|im_end|>")
    assert "lamp_on" not in trained[1]

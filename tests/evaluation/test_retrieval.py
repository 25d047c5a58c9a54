from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camphor.cli import main
from camphor.errors import UsageError
from camphor.retrieval.retrievers import Scores
from camphor.tools.tool import Tool
from camphor.trajectories.items import Item
from camphor.types import Agent
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.retrieval import gold_tools, measure_retrieval

DEVICE = {
    "format": "camphor.device/1",
    "id": "x",
    "owner": "Ada",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "apps": {"contacts": {"people": []}, "calendar": {"events": []}, "mail": {"messages": []}},
}
LOOK_UP = {"agent": "personal_context", "calls": [{"name": "get_mail_event", "arguments": {"theme": "rent"}}]}
ACT = {
    "agent": "task_completion",
    "calls": [
        {"name": "send_mail", "arguments": {"receiver": "Bo", "content": "a"}},
        {"name": "call_contacts", "arguments": {"person": "Bo"}},
        {"name": "send_mail", "arguments": {"receiver": "Cy", "content": "b"}},
    ],
}


class Alphabetical:
    """Of the device above: call_contacts, cancel_calendar_event, create_calendar_event, send_mail."""

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        order = sorted(tool.name for tool in tools)
        return np.array([-order.index(tool.name) for tool in tools], dtype=np.float32)


def dataset(folder: Path, *lines: dict[str, Any]) -> Dataset:
    path = folder / "items.jsonl"
    items = [
        {"id": str(place), "device": DEVICE, "query": "mail Bo", "calls": [], **line}
        for place, line in enumerate(lines)
    ]
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return Dataset(path)


def test_recall_is_the_mean_over_queries_of_the_share_found(tmp_path: Path) -> None:
    only_mail = {"agent": "task_completion", "calls": ACT["calls"][:1]}
    data = dataset(tmp_path, {"steps": [LOOK_UP, ACT]}, {"steps": [only_mail]}, {"steps": []})
    report = measure_retrieval(data, {"a": Alphabetical()}, ks=(1, 3, 4))
    task, context = report["agents"]["task_completion"], report["agents"]["personal_context"]
    assert (task["queries"], task["gold_tools"], task["tools"]) == (2, 1.5, 4)
    assert task["retrievers"]["a"]["recall"] == {"1": 0.25, "3": 0.25, "4": 1.0}
    assert task["retrievers"]["a"]["all_found"] == {"1": 0.0, "3": 0.0, "4": 1.0}
    assert context["retrievers"]["a"]["recall"] == {"1": 0.0, "3": 1.0, "4": 1.0}
    assert [item["ranks"]["a"] for item in report["items"]] == [[3], [4, 1], [4]]
    low, high = task["retrievers"]["a"]["interval_95"]["1"]
    assert 0 <= low <= 0.25 <= high <= 0.5


def test_a_gold_tool_that_the_device_lacks_is_never_found(tmp_path: Path) -> None:
    step = {"agent": "task_completion", "calls": [{"name": "play_music", "arguments": {"title": "x"}}]}
    report = measure_retrieval(dataset(tmp_path, {"steps": [step]}), {"a": Alphabetical()})
    assert set(report["agents"]["task_completion"]["retrievers"]["a"]["recall"].values()) == {0.0}
    assert report["items"][0]["ranks"]["a"] == [None]


def test_items_without_steps_have_their_gold_calls() -> None:
    item = Item("x", {}, "q", calls=tuple(ACT["calls"]))  # type: ignore[arg-type]
    assert gold_tools(item, Agent.TASK) == ("send_mail", "call_contacts")
    assert gold_tools(item, Agent.CONTEXT) == ()


def test_a_dataset_without_gold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no steps and no calls"):
        measure_retrieval(dataset(tmp_path, {}), {"a": Alphabetical()})


def test_the_command_writes_what_it_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = dataset(tmp_path, {"steps": [LOOK_UP, ACT]})
    out = tmp_path / "recall.json"
    assert main(["retrieval", str(data.path), "--retriever", "lexical", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "task_completion" in shown
    assert "lexical" in shown
    assert list(json.loads(out.read_text(encoding="utf-8"))["agents"]) == ["personal_context", "task_completion"]
    assert main(["retrieval", str(data.path), "--retriever", "psychic"]) == 2
    assert "choose from lexical" in capsys.readouterr().err

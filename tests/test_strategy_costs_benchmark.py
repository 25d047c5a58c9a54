"""The costs of strategies: the right calls come out of each, and docs/evaluate.md tells what was measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.strategy_costs import costs
from camphor.agents.strategies.registry import NAMES
from camphor_lab.evaluation.dataset import Dataset
from tests.doubles.strategies import PHONE, QUERY

ROOT = Path(__file__).parents[1]
LOOK = {"name": "get_contacts_information", "arguments": {"keyword": "travel buddy"}}
ACTS = [
    {"name": "send_imessage_message", "arguments": {"receiver": "555-123-4567", "content": "I'm late"}},
    {"name": "create_reminders", "arguments": {"time": "2026-03-12T18:00:00", "content": "Call Alice"}},
]
STEPS = [{"agent": "personal_context", "calls": [LOOK]}, {"agent": "task_completion", "calls": ACTS}]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    items = [
        {"id": "a", "device": PHONE, "query": QUERY, "steps": STEPS, "calls": ACTS},
        {
            "id": "b",
            "device": PHONE,
            "query": "who is Alice?",
            "steps": STEPS[:1],
            "calls": [],
            "response": "A friend.",
        },
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(f"{json.dumps(item)}\n" for item in items), encoding="utf-8")
    return Dataset(path)


def test_every_strategy_comes_to_the_gold_and_its_requests_are_counted(dataset: Dataset) -> None:
    rows = costs(dataset, lambda text: len(text.split()))
    assert list(rows) == list(NAMES)
    assert {row["exact"] for row in rows.values()} == {1.0}
    assert rows["single_agent"]["requests"] == 2.0  # look-up and actions; look-up and answer
    assert rows["agents"]["requests"] == 8.0  # four names, four turns
    assert rows["static"]["requests"] == 2.5  # look-up and actions; look-up, an empty list and the answer
    assert all(row["prompt_tokens"] > 10 * row["completion_tokens"] > 0 for row in rows.values())


def test_the_guide_tells_what_was_measured() -> None:
    page = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\d.]+) \| ([\d,]+) \| ([\d,]+) \|$", page, re.MULTILINE)
    told = {name: (requests, prompt, written) for name, requests, prompt, written in rows}
    measured = json.loads((ROOT / "results" / "strategy-costs.json").read_text(encoding="utf-8"))["strategies"]
    assert told == {
        name: (f"{row['requests']:.1f}", f"{row['prompt_tokens']:,.0f}", f"{row['completion_tokens']:,.0f}")
        for name, row in measured.items()
    }

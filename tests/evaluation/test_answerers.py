from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor.agents.prompts import Form
from camphor.agents.strategies.react import react
from camphor.device.device import Device
from camphor.models.scripted import ScriptedModel
from camphor.trajectories.items import Item
from camphor.types import Agent
from camphor_lab.evaluation.answerers import AssistantAnswerer, earlier_turns
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.runner import evaluate
from tests.doubles.evaluation import Alike

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Ann",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "apps": {
        "contacts": {"people": [{"person_id": "1", "name": "Alice Johnson", "phone_number": "555-123-4567"}]},
        "imessage": {"messages": []},
        "calendar": {"events": []},
    },
}
EVENT = {"name": "create_calendar_event", "arguments": {"time": "2026-03-13T15:00:00", "event_title": "Haircut"}}
HISTORY = [
    {
        "query": "haircut tomorrow at 3 pm",
        "steps": [{"agent": "task_completion", "calls": [EVENT]}],
        "calls": [EVENT],
        "response": "It is in your calendar.",
    }
]
WORDS = [
    "personal_context",
    ' [get_contacts_information(keyword="Alice")]',
    "task_completion",
    ' [send_imessage_message(receiver="Alice Johnson", content="I\'ll be late")]',
]


def test_the_assistant_is_scored_on_what_it_did(tmp_path: Path) -> None:
    gold = {"name": "send_imessage_message", "arguments": {"receiver": "555 123 4567", "content": "I'll be late"}}
    path = tmp_path / "items.jsonl"
    path.write_text(
        json.dumps({"id": "a", "device": PHONE, "query": "tell Alice I'll be late", "calls": [gold]}) + "\n"
    )
    report = evaluate(Dataset(path), AssistantAnswerer(ScriptedModel(WORDS)), Alike(), model="scripted")
    item = report["items"][0]
    assert item["error"] is None
    assert item["predicted"][0]["arguments"]["receiver"] == "555-123-4567"
    assert [step["agent"] for step in item["steps"]] == ["personal_context", "task_completion"]
    assert item["steps"][0]["observations"][0]["records"][0]["name"] == "Alice Johnson"
    assert item["timing"]["turns"][0]["agent"] == "high_order_reasoning"
    assert report["metrics"]["plan_f1"] == 1.0


def test_a_model_that_gives_up_is_a_recorded_failure(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps({"id": "a", "device": PHONE, "query": "tell Alice", "calls": []}) + "\n")
    report = evaluate(Dataset(path), AssistantAnswerer(ScriptedModel([])), Alike(), model="scripted")
    assert report["metrics"]["errors"] == 1


def test_earlier_turns_happen_on_the_device_before_the_query() -> None:
    item = Item("a", PHONE, "no, cancel it", history=tuple(HISTORY))
    with Device.create(None, PHONE) as device:
        turns = earlier_turns(item, device)
        assert [event["title"] for event in device.records("calendar", "events")] == ["Haircut"]
    (turn,) = turns
    assert (turn.query, turn.response) == ("haircut tomorrow at 3 pm", "It is in your calendar.")
    (step,) = turn.steps
    assert step.agent is Agent.TASK
    assert step.calls[0].arguments["time"] == "tomorrow at 3 pm", "a model would have copied the words"
    assert step.observations[0].call.arguments["time"] == "2026-03-13T15:00:00"


def test_earlier_turns_without_steps_take_the_first_wording_of_the_gold() -> None:
    choice = {"name": "create_calendar_event", "arguments": {"time": "tomorrow", "event_title": {"any_of": ["A", "B"]}}}
    item = Item("a", PHONE, "and then", history=({"query": "put A in", "calls": [choice]},))
    with Device.create(None, PHONE) as device:
        earlier_turns(item, device)
        assert [event["title"] for event in device.records("calendar", "events")] == ["A"]


def test_without_history_nothing_is_done() -> None:
    with Device.create(None, PHONE) as device:
        assert earlier_turns(Item("a", PHONE, "x"), device) == ()
        assert not device.journal()


def test_another_strategy_is_scored_alike(tmp_path: Path) -> None:
    gold = {"name": "send_imessage_message", "arguments": {"receiver": "555 123 4567", "content": "I'll be late"}}
    path = tmp_path / "items.jsonl"
    path.write_text(
        json.dumps({"id": "a", "device": PHONE, "query": "tell Alice I'll be late", "calls": [gold]}) + "\n"
    )
    words = [f"Action: {WORDS[1].strip()}", f"Action: {WORDS[3].strip()}", "Action: finish"]
    answerer = AssistantAnswerer(ScriptedModel(words), Form.FULL, strategy=react)
    report = evaluate(Dataset(path), answerer, Alike(), model="scripted", strategy="react")
    assert report["items"][0]["error"] is None
    assert report["run"]["strategy"] == "react"
    assert report["metrics"]["plan_f1"] == 1.0

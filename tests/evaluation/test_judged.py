"""Answers and unwished actions, from the results of a run to its metrics; real devices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camphor.app import Assistant, predicted_calls, run_to_end
from camphor.device.device import Device
from camphor.errors import DatasetError
from camphor.models.scripted import ScriptedModel
from camphor.tools.calls import calls_from_json
from camphor_lab.evaluation.dataset import Dataset
from camphor_lab.evaluation.results import Result
from camphor_lab.evaluation.runner import score_run
from tests.doubles.evaluation import Alike

PHONE: dict[str, Any] = {
    "format": "camphor.device/1", "id": "jo", "owner": "Ann", "now": "2026-03-12T08:45:00", "timezone": "Europe/Dublin",
    "apps": {
        "contacts": {"people": [{"name": "Jo Doe", "phone_number": "555-123-4567"}]},
        "imessage": {"messages": []},
        "calendar": {"events": [{"title": "Dentist", "start": "2026-03-13T16:00:00", "end": "2026-03-13T17:00:00"},
                                {"title": "Ferry", "start": "2026-03-15T11:00:00", "end": "2026-03-15T12:00:00"}]},
    },
}  # fmt: skip
LOOK = [{"agent": "personal_context", "calls": [{"name": "get_calendar_event", "arguments": {"theme": "dentist"}}]}]
WHEN = {"must": ["16:00"], "must_not": ["11:00"], "records": ["/apps/calendar/events/0"]}
TEXT = {"name": "send_imessage_message", "arguments": {"receiver": "555-123-4567", "content": "late"}}
LINES: list[dict[str, Any]] = [
    {"id": "right", "query": "when's my dentist", "calls": [], "answer": WHEN, "tags": ["info_only", "tell"]},
    {"id": "false", "query": "when's my dentist?", "calls": [], "answer": WHEN, "tags": ["info_only", "tell"]},
    {"id": "bare", "query": "dentist?", "calls": [], "steps": LOOK, "response": "At 16:00.", "tags": ["info_only"]},
    {"id": "act", "query": "text Jo late", "calls": [TEXT], "tags": ["single"]},
]
SAID = {"right": "Tomorrow at 4 pm.", "false": "At 11:00.", "bare": "At 15:00.", "act": ""}


def data(folder: Path, lines: list[dict[str, Any]] = LINES) -> Dataset:
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps({"device": PHONE, **line}) + "\n" for line in lines), encoding="utf-8")
    return Dataset(path)


def results(dataset: Dataset, predicted: list[Any], refused: int = 0) -> list[Result]:
    return [
        Result(item.id, item.query, calls_from_json(predicted if item.id == "act" else []), calls_from_json(item.calls),
               response=SAID[item.id], tags=item.tags, refused=refused if item.id == "act" else 0)
        for item in dataset.items
    ]  # fmt: skip


def test_answers_and_actions_are_counted(tmp_path: Path) -> None:
    dataset = data(tmp_path)
    scored = score_run(dataset, results(dataset, [TEXT, TEXT]), Alike())
    metrics = scored["metrics"]
    assert (metrics["answers"]["items"], metrics["answers_right"], metrics["false_statement_rate"]) == (2, 0.5, 0.5)
    assert metrics["unannotated"] == {"items": 1, "false": 1, "false_statement_rate": 1.0, "why": {"unfounded": 1}}
    assert (metrics["unwished_actions"], metrics["unwished_queries"], metrics["actions_right"]) == (1, 1, 0.0)
    assert metrics["answers"]["by_tag"]["tell"]["items"] == 2
    assert scored["items"][0]["score"]["answer"]["verdict"] == "right"


def test_what_the_device_refused_is_predicted_and_no_unwished_action(tmp_path: Path) -> None:
    dataset = data(tmp_path)
    stranger = {"name": "send_imessage_message", "arguments": {"receiver": "Zed", "content": "late"}}
    metrics = score_run(dataset, results(dataset, [TEXT, stranger], refused=1), Alike())["metrics"]
    assert metrics["predicted_calls"] == 2
    assert metrics["unwished_actions"] == 0
    assert metrics["actions_right"] == 0.0


def test_a_call_that_the_device_refuses_is_predicted() -> None:
    call = 'send_imessage_message(receiver="Zed", content="late")'
    with Device.create(None, PHONE) as device:
        model = ScriptedModel(["task_completion", f"[{call};]", "I can't."])
        answered = run_to_end(Assistant(device, model), "text Zed late", consent=True)
    assert not answered.proposed
    assert [each.name for each in answered.misunderstood] == ["send_imessage_message"]
    assert predicted_calls(answered) == answered.misunderstood


def test_a_call_that_the_gate_holds_back_is_not() -> None:
    call = 'send_imessage_message(receiver="Jo Doe", content="late")'
    with Device.create(None, PHONE) as device:
        model = ScriptedModel(["task_completion", f"[{call};]", "I can't."])
        answered = run_to_end(Assistant(device, model), "Don't text Jo Doe that I'm late", consent=True)
    assert not predicted_calls(answered)


def test_a_record_that_is_not_there_is_told_with_its_line(tmp_path: Path) -> None:
    wrong = {**LINES[0], "answer": {**WHEN, "records": ["/apps/calendar/events/9"]}}
    dataset = data(tmp_path, [LINES[3], wrong])
    with pytest.raises(DatasetError, match=r"items.jsonl.*2.*events/9"):
        score_run(dataset, results(dataset, [TEXT]), Alike())


@pytest.mark.parametrize(
    "answer",
    [[], {"must": "16:00"}, {"must": [""]}, {"must": [{"any_of": []}]}, {"records": ["apps"]}, {"abstain": "yes"}],
)
def test_an_answer_of_another_form_is_refused(tmp_path: Path, answer: Any) -> None:
    with pytest.raises(DatasetError):
        data(tmp_path, [{**LINES[0], "answer": answer}])


def test_calls_of_unseen_tools_are_counted_apart(tmp_path: Path) -> None:
    light = {"name": "switch_lamp", "arguments": {"room": "hall"}}
    dataset = data(tmp_path, [{**LINES[3], "calls": [TEXT, light], "tags": ["unseen_app"]}])
    metrics = score_run(dataset, results(dataset, [TEXT]), Alike())["metrics"]
    assert (metrics["tool_f1"], metrics["unseen_tools"]["tool_f1"]) == (pytest.approx(2 / 3), 0.0)
    assert metrics["unseen_tools"]["gold_calls"] == 1

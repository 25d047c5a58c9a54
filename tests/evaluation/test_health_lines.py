"""Hand-written descriptions and red flags, and the files that recorded cases and lines are read from."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from camphor.agents.health.case import SPECIALISTS
from camphor.device.device import Device
from camphor.errors import CamphorError, DatasetError
from camphor.models.base import ScriptedModel
from camphor.types import Call
from camphor_lab.evaluation.health_data import HealthDataset, HealthLine, HealthLines, RunOptions
from camphor_lab.evaluation.health_lines import (
    MOST_QUESTIONS,
    NOTHING_NEW,
    evaluate_flags,
    evaluate_specialists,
    find_specialist,
    phone,
)
from camphor_lab.evaluation.health_turns import minds

PLAN = "Knee.</reason><action>Next.</action>"
LOOK = [PLAN, '[retrieve_past_complaints(user_id="USER000001", symptoms="knee")]']
ASK = [PLAN, '[get_input_from_user(user_id="USER000001", questions="Since when?")]']
TELL = [PLAN, '[notify_user(user_id="USER000001", message="Hello.")]']
KNEE = HealthLine("a", "my knee clicks", ("orthopedist", "general physician"))
VAGUE = HealthLine("b", "i feel off", ("ask",))


def search(kind: str) -> list[str]:
    return [PLAN, f'[get_available_specialists(symptoms="knee", specialization="{kind}")]']


def found(line: HealthLine, *replies: str) -> dict[str, Any]:
    model = ScriptedModel(replies)
    with Device.create(None, phone()) as device:
        result = find_specialist(line, device, minds(model))
    assert len(model.requests) == len(replies)
    assert result.error is None
    return dict(result.timing)


def lines_of(folder: Path, *lines: HealthLine) -> HealthLines:
    path = folder / "lines.jsonl"
    path.write_text("".join(json.dumps(asdict(line)) + "\n" for line in lines))
    return HealthLines(path)


@pytest.mark.parametrize("kind", SPECIALISTS)
def test_a_specialist_of_each_kind_has_a_free_slot(kind: str) -> None:
    with Device.create(None, phone()) as device:
        call = Call("get_available_specialists", {"symptoms": "pain", "specialization": kind})
        (record,) = device.execute(call).records
        assert record["available_slot"]["date"] == "2026-03-11"


def test_whom_it_looks_for_is_noted_after_look_ups_and_questions() -> None:
    assert found(KNEE, *LOOK, *search("orthopedist")) == {"chosen": "orthopedist", "asked": [], "stopped": []}
    told = found(KNEE, *ASK, *search("dentist"))
    assert (told["chosen"], told["asked"]) == ("dentist", ["Since when?"])
    assert found(VAGUE, *ASK)["asked"] == ["Since when?"]
    assert found(KNEE, *TELL)["chosen"] is None


def test_questions_have_an_end() -> None:
    texts = [reply.replace("Since when", "When" + "?" * n) for n in range(MOST_QUESTIONS) for reply in ASK]
    told = found(KNEE, *texts)
    assert told["chosen"] is None
    assert len(told["asked"]) == MOST_QUESTIONS


def test_the_answer_to_a_question_is_nothing_new() -> None:
    model = ScriptedModel([*ASK, *search("dentist")])
    with Device.create(None, phone()) as device:
        find_specialist(KNEE, device, minds(model))
    assert NOTHING_NEW in "".join(segment.text for segment in model.requests[-1].prompt)


def test_a_red_flag_stops_before_the_model() -> None:
    assert (
        "chest_pain" in found(HealthLine("a", "crushing chest pain and i cannot breathe", ("cardiologist",)))["stopped"]
    )


def test_descriptions_are_scored_beside_always_a_general_physician(tmp_path: Path) -> None:
    lines = [
        KNEE,
        VAGUE,
        HealthLine("c", "tooth", ("dentist",)),
        HealthLine("d", "rash", ("dermatologist", "general physician")),
    ]
    replies = [*search("orthopedist"), *ASK, *ASK, *search("dentist"), *search("neurologist")]
    dataset = lines_of(tmp_path, *lines)
    report = evaluate_specialists(dataset, minds(ScriptedModel(replies)), RunOptions("x"))
    metrics = report["metrics"]
    clear = metrics["clear"]
    assert [clear[name] for name in ("accepted", "best", "at_once", "asked")] == [0.6667, 0.6667, 0.3333, 0.3333]
    assert metrics["unclear"] == {"lines": 1, "asked": 1, "interval_95": {"asked": [1, 1]}}
    assert (metrics["general"]["accepted"], metrics["general"]["best"]) == (0.6667, 0)
    assert metrics["mistaken"] == {"dermatologist": {"neurologist": 1}}
    assert metrics["by_specialist"]["dentist"] == {"lines": 1, "accepted": 1}
    assert "tooth" not in json.dumps(report["items"])


def test_red_flags_are_counted(tmp_path: Path) -> None:
    lines = [
        HealthLine("a", "crushing chest pain, i cannot breathe", red_flag=True, kind="chest_pain"),
        HealthLine("b", "could i have an appointment about my gums next week", red_flag=True, kind="stroke"),
        HealthLine("d", "all floppy and grey round the mouth, help", red_flag=True, kind="stroke"),
        HealthLine("c", "my knee clicks"),
    ]
    metrics = evaluate_flags(lines_of(tmp_path, *lines), RunOptions("x"))["metrics"]
    assert metrics["emergencies"]["kind"] == pytest.approx(1 / 3, abs=1e-3)
    assert metrics["emergencies"]["noticed"] == pytest.approx(2 / 3, abs=1e-3)
    assert (metrics["others"]["false_alarms"], metrics["others"]["asked"]) == (0, 0)
    assert (metrics["missed"], metrics["alarms"]) == (["b"], [])
    assert (metrics["by_kind"]["stroke"]["lines"], metrics["by_kind"]["stroke"]["noticed"]) == (2, 0.5)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]\n", '{"id": "a"}\n', '{"id": "a", "text": "x", "red_flag": 1}\n',
     '{"id": "a", "text": "x", "red_flag": false, "specialists": "dentist"}\n',
     '{"id": "a", "text": "x", "red_flag": false}\n' * 2],
)  # fmt: skip
def test_broken_lines_are_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "lines.jsonl").write_text(text)
    with pytest.raises(CamphorError, match=r"lines\.jsonl"):
        HealthLines(tmp_path / "lines.jsonl")


def test_broken_cases_are_told(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text('{"id": "a", "interaction_trajectory": []}\n')
    with pytest.raises(DatasetError, match="line 1"):
        HealthDataset(tmp_path)
    with pytest.raises(CamphorError, match="surgery"):
        HealthDataset(tmp_path, use_cases=["surgery"])
    with pytest.raises(CamphorError, match="cannot be read"):
        HealthDataset(tmp_path / "nowhere")

"""Whole cases on their phones: the person answers what is recorded, and a case is right when its actions are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.agents.health.case import Called, Case, PlannerTurn, Seen, UserDetails
from camphor.errors import DatasetError
from camphor.models.base import ScriptedModel
from camphor.types import Call
from camphor_lab.datasets.health.flows import UseCase
from camphor_lab.evaluation.health_data import HealthDataset, RunOptions
from camphor_lab.evaluation.health_flows import NOTHING_NEW, RecordedPatient, evaluate_flows, score_actions
from camphor_lab.evaluation.health_turns import minds
from tests.doubles.health_cases import gold_texts, perfect, write_cases

RUN = RunOptions("health-flows")
FOUND = {
    "specialist_id": "ABCD123456",
    "name": "Dr. Ann Lee (Dentist)",
    "available_slot": {"date": "2026-03-20", "time": "09:00-09:30"},
}
OFFER = "Dr. Ann Lee (Dentist) has an opening on Fri 20 Mar, 09:00-09:30. Would you like it?"


def asked(question: str, answer: str) -> tuple[PlannerTurn, Called, Seen]:
    return PlannerTurn("", "Ask."), Called(Call("get_input_from_user", {"questions": question})), Seen(answer)


def found() -> tuple[PlannerTurn, Called, Seen]:
    return PlannerTurn("", "Find."), Called(Call("get_available_specialists", {})), Seen(FOUND)


def case(*turns: PlannerTurn | Called | Seen) -> Case:
    return Case(UserDetails("U1", "Ana", "2026-03-12T08:45:00"), "My tooth", turns)


def test_what_is_recorded_is_right_in_every_use_case(tmp_path: Path) -> None:
    dataset = HealthDataset(write_cases(tmp_path / "data", [each.value for each in UseCase]))
    report = evaluate_flows(dataset, minds(perfect(dataset)), RUN)
    assert report["metrics"]["exact"] == report["metrics"]["success"] == 1
    assert list(report["metrics"]["by_use_case"]) == [each.value for each in UseCase]
    assert report["items"][0]["plans"] > 3


def test_another_doctor_is_wrong(tmp_path: Path) -> None:
    dataset = HealthDataset(write_cases(tmp_path / "data", ["general"]))
    texts = gold_texts(dataset)
    doctor = next(turn.call for turn in dataset.cases[0].case.turns if isinstance(turn, Called)
                  and turn.call.name == "confirm_appointment").arguments["specialist_id"]  # fmt: skip
    device = json.loads((tmp_path / "data" / "devices" / f"{dataset.cases[0].id}.device.json").read_text())
    other = next(s for s in device["apps"]["clinic"]["slots"] if s["specialist_id"] != doctor and not s["taken"])
    swapped = [text.replace(doctor, other["specialist_id"]) for text in texts]
    report = evaluate_flows(dataset, minds(ScriptedModel(swapped)), RUN)
    assert report["items"][0]["score"] == {"success": False, "exact": False, "tools": True}
    assert report["items"][0]["error"] is None


def test_a_model_that_falls_silent_is_a_result(tmp_path: Path) -> None:
    dataset = HealthDataset(write_cases(tmp_path / "data", ["soft_sos"]))
    report = evaluate_flows(dataset, minds(ScriptedModel([])), RUN)
    assert report["metrics"]["success"] == 0
    assert report["metrics"]["errors"] == 1


@pytest.mark.parametrize(
    ("text", "success", "exact"),
    [
        ("Ambulance needed at 53.3, 6.2", True, True),
        ("At 53.3, 6.2 an ambulance is needed", True, False),
        ("Ambulance needed at 53.3, 6.3", False, False),
        ("Ambulance needed", False, False),
    ],
)
def test_texts_have_to_hold_the_same_figures(text: str, success: bool, exact: bool) -> None:
    gold = [Call("send_message", {"phone_no": "+353", "text": "Ambulance needed at 53.3, 6.2"})]
    score = score_actions(gold, [Call("send_message", {"phone_no": "+353", "text": text})])
    assert (score["success"], score["exact"]) == (success, exact)


@pytest.mark.parametrize(
    "predicted",
    [
        [],
        [Call("book", {"id": "A"})],
        [Call("tell", {}), Call("book", {"id": "A"})],
        [Call("book", {"id": "A"}), Call("tell", {}), Call("tell", {})],
    ],
)
def test_actions_are_those_of_the_record_in_order(predicted: list[Call]) -> None:
    assert not score_actions([Call("book", {"id": "A"}), Call("tell", {})], predicted)["tools"]


def test_the_person_answers_offers_and_questions_apart() -> None:
    recorded = case(*asked("Where is it?", "Left."), *found(), *asked(OFFER, "Maybe."), *asked(OFFER, "Yes."))
    patient, played = RecordedPatient(recorded), case(*found())
    assert patient.answer(OFFER, played) == "Maybe."
    assert patient.answer("How bad is it?", played) == "Left."
    assert patient.answer("Since when?", played) == NOTHING_NEW
    assert patient.answer(OFFER, played) == "Yes."
    assert patient.answer(OFFER, played) == "Yes."
    assert RecordedPatient(case()).answer(OFFER, played) == NOTHING_NEW


def test_a_missing_phone_is_told_before_a_model_is_asked(tmp_path: Path) -> None:
    folder = write_cases(tmp_path / "data", ["soft_sos"])
    next((folder / "devices").iterdir()).unlink()
    model = ScriptedModel([])
    with pytest.raises(DatasetError, match="phone"):
        evaluate_flows(HealthDataset(folder), minds(model), RUN)
    assert not model.requests

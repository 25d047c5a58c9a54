"""Cases of every use case: in the paper's form, carried out on a phone, and refused where they do not hold."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from camphor.agents.health.case import DIETICIAN, GENERAL, case_from_json
from camphor.device.health.slots import read_hours, read_slot
from camphor_lab.datasets.health.cases import APPOINTMENTS, TRAJECTORY, Wrong, check, draw
from camphor_lab.datasets.health.diseases import read_diseases
from camphor_lab.datasets.health.flows import UseCase, draw_vitals, soft_request, vital_lines
from camphor_lab.datasets.health.people import split_of
from camphor_lab.datasets.health.scripts import ReplyKind, Voice

START = ["notify_user", "get_location", "search_ambulance", "send_message", "send_message", "notify_user"]
END = ["notify_user", "get_assigned_ambulance", "send_message", "send_message", "notify_user"]
BOOKED = [
    "retrieve_past_complaints",
    "get_available_specialists",
    "get_input_from_user",
    "confirm_appointment",
    "save_appointment_history",
    "store_symptoms",
    "notify_user",
]


def called(record: dict[str, Any]) -> list[str]:
    return [state["value"]["tool"] for state in record[TRAJECTORY] if state["from"] == "caller"]


def parameters(record: dict[str, Any], tool: str) -> list[dict[str, Any]]:
    return [
        state["value"]["parameters"]
        for state in record[TRAJECTORY]
        if state["from"] == "caller" and state["value"]["tool"] == tool
    ]


def drawn(
    use_case: UseCase, split: str = "train", number: int = 0, seed: int = 7
) -> tuple[dict[str, Any], dict[str, Any]]:
    return draw(split, use_case, number, seed, read_diseases())


def first(use_case: UseCase, fits: Callable[[dict[str, Any]], bool]) -> tuple[dict[str, Any], dict[str, Any]]:
    return next(
        (record, data) for number in range(60) for record, data in [drawn(use_case, number=number)] if fits(record)
    )


@pytest.mark.parametrize("use_case", UseCase)
@pytest.mark.parametrize("split", ["train", "test"])
def test_a_case_has_the_papers_form_and_ends(use_case: UseCase, split: str) -> None:
    record, data = drawn(use_case, split)
    case = case_from_json(record)
    assert case.closed
    assert case.to_json()[TRAJECTORY] == record[TRAJECTORY]
    assert split_of(case.user.name) == split_of(case.user.user_id) == split
    check(record, data)


def test_equal_numbers_give_equal_cases() -> None:
    assert drawn(UseCase.GENERAL, number=3) == drawn(UseCase.GENERAL, number=3)
    assert drawn(UseCase.GENERAL, number=3) != drawn(UseCase.GENERAL, number=4)


def test_an_appointment_is_booked_as_in_the_paper() -> None:
    record, _ = first(UseCase.GENERAL, lambda each: len(called(each)) == len(BOOKED))
    assert called(record) == BOOKED
    symptoms = {each["symptoms"] for tool in BOOKED for each in parameters(record, tool) if "symptoms" in each}
    assert len(symptoms) == 1
    confirmed, saved = (parameters(record, tool)[0] for tool in ("confirm_appointment", "save_appointment_history"))
    assert confirmed.items() <= saved.items()


def test_unclear_words_are_asked_about_first() -> None:
    record, _ = drawn(UseCase.COUNTER)
    assert called(record)[:3] == ["get_input_from_user"] * 3


def test_who_declines_gets_no_appointment() -> None:
    record, _ = drawn(UseCase.NEGATIVE)
    assert called(record)[-2:] == ["store_symptoms", "notify_user"]
    assert not parameters(record, "confirm_appointment")


def test_who_asks_about_food_sees_a_dietician() -> None:
    record, _ = drawn(UseCase.DIETICIAN)
    assert parameters(record, "get_available_specialists")[0]["specialization"] == DIETICIAN


def test_emergencies_run_in_a_fixed_order() -> None:
    assert called(drawn(UseCase.HARD_SOS_START)[0]) == START
    assert called(drawn(UseCase.HARD_SOS_END)[0]) == END
    assert called(drawn(UseCase.SOFT_SOS)[0]) == ["notify_user"]


def test_where_nobody_is_free_a_general_physician_is_sought() -> None:
    def missing(record: dict[str, Any]) -> bool:
        kinds = [each["specialization"] for each in parameters(record, "get_available_specialists")]
        return kinds[0] != GENERAL and kinds[-1] == GENERAL

    record, _ = first(UseCase.GENERAL, missing)
    assert "confirm_appointment" in called(record)


def test_another_time_that_is_wished_is_looked_for() -> None:
    record, _ = first(
        UseCase.GENERAL, lambda each: any("user_schedule" in p for p in parameters(each, "get_available_specialists"))
    )
    offered, again = parameters(record, "get_available_specialists")[-2:]
    assert again == {**offered, "user_schedule": again["user_schedule"]}


@pytest.mark.parametrize("reply", [ReplyKind.OTHER_TIME, ReplyKind.OTHER_DAY])
def test_a_wish_is_never_for_the_slot_that_was_offered(reply: ReplyKind) -> None:
    slot = read_slot("14:00-14:30, 12/03/2026")  # a Thursday
    voice = Voice(Random(1), "train")
    for _ in range(60):
        said = voice.say(reply, slot)
        assert said.wish
        assert said.wish.lower() in said.text.lower()
        assert "thursday" not in said.wish.lower()
        assert said.wish not in ("in the afternoon", "after 13:00", "before 15:00")
    assert read_hours("afternoon")


@pytest.mark.parametrize("use_case", APPOINTMENTS)
def test_no_agent_names_the_disease(use_case: UseCase) -> None:
    record, data = drawn(use_case, number=1)
    changed = copy.deepcopy(record)
    changed[TRAJECTORY][2]["value"]["reason"] += f" This looks like {record['disease'].lower()}."
    with pytest.raises(Wrong, match="is named"):
        check(changed, data)


def test_an_observation_that_was_changed_is_noticed() -> None:
    record, data = first(UseCase.GENERAL, lambda each: called(each) == BOOKED)
    changed = json.loads(json.dumps(record).replace('"name": "Dr. ', '"name": "Prof. '))
    with pytest.raises(Wrong, match="when it was called again"):
        check(changed, data)


def test_a_past_complaint_after_the_request_is_noticed() -> None:
    record, data = first(UseCase.GENERAL, lambda each: '"symptoms": "' in json.dumps(each[TRAJECTORY][4]))
    day = record[TRAJECTORY][4]["value"]["result"][0]["date"]
    later = "2030-01-01"
    changed, moved = (json.loads(json.dumps(each).replace(day, later)) for each in (record, data))
    with pytest.raises(Wrong, match="not before the request"):
        check(changed, moved)


def test_a_case_that_was_cut_off_is_noticed() -> None:
    record, data = drawn(UseCase.SOFT_SOS)
    with pytest.raises(Wrong, match="does not end"):
        check({**record, TRAJECTORY: record[TRAJECTORY][:-1]}, data)


def test_vitals_are_told_with_their_units() -> None:
    vitals = {"oxygen": 85, "heart_rate": 41, "sleep": {"deep": 75, "light": 238, "rem": 94, "awake": 44}}
    assert soft_request(vitals).startswith("Soft SOS triggered. Abnormal Vitals: {'oxygen': 85, 'heart_rate': 41")
    assert list(vital_lines(vitals))[:3] == ["Oxygen: 85%", "Heart Rate: 41 bpm", "Deep Sleep: 75 minutes"]
    for seed in range(30):
        assert list(vital_lines(draw_vitals(Random(seed))))

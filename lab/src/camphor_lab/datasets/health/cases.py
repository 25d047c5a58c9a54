"""One case of the health data, drawn from its number alone, and the proof that it holds on its phone.

A record is the paper's trajectory (section 6.1.1) under `interaction_trajectory`, with `id`, `use_case`, and for the
figures `disease`, which no prompt shows, `specialist` and `device`, the phone's file as it was before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from camphor.agents.health.case import Case, case_from_json
from camphor.agents.health.observed import ASK, NOTIFY, result_of
from camphor.device.device import Device
from camphor.device.health.slots import read_slot
from camphor.errors import DatasetError, UsageError
from camphor.types import Call
from camphor_lab.datasets.health.diseases import Disease
from camphor_lab.datasets.health.flows import (
    ALARMS,
    CaseRecorder,
    UseCase,
    appointment,
    draw_vitals,
    soft_request,
    soft_sos,
)
from camphor_lab.datasets.health.people import CLINIC, Crowd, Patient, document
from camphor_lab.datasets.health.scripts import ReplyKind, Script, dietary, told, unclear

TRAJECTORY = "interaction_trajectory"
_NOT_FREE = 0.05  # of cases: the right kind of specialist has no free slot
_LATEST = timedelta(days=28)  # from the request to the appointment
APPOINTMENTS = (UseCase.GENERAL, UseCase.COUNTER, UseCase.NEGATIVE, UseCase.DIETICIAN)


class Wrong(Exception):
    """A case that does not hold; says why."""


def diseases_of(use_case: UseCase, split: str, diseases: Sequence[Disease]) -> tuple[Disease, ...]:
    """Those that can be met in a use case of a split."""
    if use_case is UseCase.COUNTER:
        return tuple(each for each in diseases if each.asked_in == split and each.cleared and each.vague)
    fitting = tuple(each for each in diseases if each.complaints[split])
    return tuple(each for each in fitting if each.dietician) if use_case is UseCase.DIETICIAN else fitting


def draw(
    split: str, use_case: UseCase, number: int, seed: int, diseases: Sequence[Disease]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The record of a case, and the device file of its phone.

    Raises:
        Wrong: the case does not hold on its phone.
    """
    rng = Random(f"{seed}:{split}:{use_case}:{number}")
    crowd = Crowd(rng, split)
    patient = crowd.patient()
    choice = diseases_of(use_case, split, diseases)
    round_, place = divmod(number, len(choice))
    order = list(choice)
    Random(f"{seed}:{split}:{use_case}:{round_}").shuffle(order)
    script = _script(rng, split, use_case, order[place], round_)
    others = rng.sample([each for each in diseases if each.name != order[place].name], min(3, len(diseases) - 1))
    data = document(rng, crowd, patient, order[place], others, _without(rng, script))
    if use_case is UseCase.HARD_SOS_END:
        rng.choice(data["apps"][CLINIC]["ambulances"])["assigned"] = patient.user_id
    record = {
        "id": f"{split}-{use_case}-{number + 1:05d}",
        "use_case": use_case.value,
        **({"disease": script.disease.name, "specialist": script.specialist} if script else {}),
        TRAJECTORY: _carried_out(rng, use_case, patient, script, data),
    }
    check(record, data)
    return record, data


def _script(rng: Random, split: str, use_case: UseCase, disease: Disease, turn: int) -> Script | None:
    if use_case is UseCase.COUNTER:
        return unclear(rng, split, disease, turn)
    if use_case is UseCase.DIETICIAN:
        return dietary(rng, split, disease, turn)
    if use_case in APPOINTMENTS:
        return told(rng, split, disease, turn, ReplyKind.ACCEPT if use_case is UseCase.GENERAL else ReplyKind.DECLINE)
    return None


def _without(rng: Random, script: Script | None) -> tuple[str, ...]:
    if script is None or script.diet or rng.random() >= _NOT_FREE:
        return ()
    return (script.specialist,)


def _carried_out(
    rng: Random, use_case: UseCase, patient: Patient, script: Script | None, data: Mapping[str, Any]
) -> list[dict[str, Any]]:
    vitals = draw_vitals(rng)
    request = script.request if script else ALARMS[use_case][0] if use_case in ALARMS else soft_request(vitals)
    with Device.create(None, data) as device:
        note = CaseRecorder(device, patient, request)
        if script:
            appointment(note, script)
        elif use_case in ALARMS:
            ALARMS[use_case][1](note)
        else:
            soft_sos(note, vitals)
    return note.states


# ---- proof -----------------------------------------------------------------------------------------------------------


def check(record: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    """Carries a recorded case out again on a new phone.

    Raises:
        Wrong: another observation comes back, a date is out of place, a disease is named, or what the person was told
            is not what the phone has.
    """
    states: Sequence[Mapping[str, Any]] = record[TRAJECTORY]
    now = datetime.fromisoformat(states[0]["value"]["user_details"]["timestamp"])
    _check_words(states, str(record.get("disease") or ""))
    with Device.create(None, data) as device:
        for called, seen in pairwise(states):
            if called["from"] == "caller":
                _check_call(called["value"], seen["value"], device, now)
        _check_end(states, device)


def _check_call(called: Mapping[str, Any], seen: Mapping[str, Any], device: Device, now: datetime) -> None:
    tool, parameters = called["tool"], called["parameters"]
    if "user_id" in parameters and not parameters["user_id"]:
        raise Wrong(f"{tool} has no user")
    if tool in (ASK, NOTIFY):
        return
    observation = device.execute(Call(tool, parameters))
    again: dict[str, Any] = (
        {"error": observation.error} if observation.error else {"result": result_of(observation, device)}
    )
    if again != dict(seen):
        raise Wrong(f"{tool} gave {again} when it was called again, and {dict(seen)} before")
    if tool == "retrieve_past_complaints":
        if any(date.fromisoformat(each["date"]) >= now.date() for each in again["result"]):
            raise Wrong("a past complaint is not before the request")
    elif tool == "confirm_appointment":
        start = read_slot(parameters["appointment_time_date"]).start
        if not now < start <= now + _LATEST:
            raise Wrong(f"the appointment {start} is not within {_LATEST.days} days of {now}")


def _check_end(states: Sequence[Mapping[str, Any]], device: Device) -> None:
    called = [state["value"]["tool"] for state in states if state["from"] == "caller"]
    confirmed = [each for each in device.records(CLINIC, "appointments") if each.get("state") == "confirmed"]
    past = len(confirmed) - called.count("confirm_appointment")
    symptoms = [state["value"]["parameters"]["symptoms"] for state in states if "symptoms" in _parameters(state)]
    if past < 0 or ("confirm_appointment" in called and confirmed[-1].get("symptoms") != symptoms[-1]):
        raise Wrong("the phone does not have the appointment that was confirmed")
    if "store_symptoms" in called and device.records(CLINIC, "complaints")[-1]["symptoms"] != symptoms[-1]:
        raise Wrong("the phone does not have the symptoms that were stored")
    if states[-1]["from"] != "planner" or states[-1]["value"]["action"] != "<END>":
        raise Wrong("the case does not end")


def _parameters(state: Mapping[str, Any]) -> Mapping[str, Any]:
    parameters: Mapping[str, Any] = state["value"]["parameters"] if state["from"] == "caller" else {}
    return parameters


def _check_words(states: Sequence[Mapping[str, Any]], disease: str) -> None:
    for state in states:
        if state["from"] in ("planner", "caller") and disease:
            value = {**state["value"], **dict(_parameters(state)), "parameters": ""}
            if disease.lower() in str(value).lower():
                raise Wrong(f"{disease} is named")


# ---- reading ---------------------------------------------------------------------------------------------------------


def case_of(path: Path, number: int, record: Mapping[str, Any]) -> Case:
    """The case of a line's record. Raises DatasetError: it breaks the format."""
    try:
        return case_from_json(record)
    except UsageError as error:
        raise DatasetError(str(path), number, str(error)) from error

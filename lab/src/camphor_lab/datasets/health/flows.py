"""The flows of the assistant, carried out on a phone: what planner and caller do in each use case, and what comes back.

Every call but the questions and notices to the person is executed on the device of the case, so observations are real.
The flows are the paper's (Table 1, Appendix D); beyond its examples a patient may ask for another time, may answer
neither yes nor no, and the right specialist may have no free slot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from camphor.agents.health.observed import ASK, NOTIFY, result_of
from camphor.agents.health.specialists import GENERAL
from camphor.device.device import Device
from camphor.device.health.slots import read_slot
from camphor.types import Call
from camphor_lab.datasets.health import wording as say
from camphor_lab.datasets.health.people import Patient
from camphor_lab.datasets.health.scripts import Reply, Said, Script, schedule_of
from camphor_lab.datasets.health.vitals import vital_lines


class UseCase(StrEnum):
    """The paper's use cases (Table 1)."""

    GENERAL = "general"
    COUNTER = "counter"
    NEGATIVE = "negative"
    DIETICIAN = "dietician"
    SOFT_SOS = "soft_sos"
    HARD_SOS_START = "hard_sos_start"
    HARD_SOS_END = "hard_sos_end"


@dataclass
class Recorder:
    """Notes a case while it happens, as the paper's states (section 6.1.1)."""

    device: Device
    patient: Patient
    request: str
    states: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._note("system", {"user_details": self.patient.details})
        self._note("user", self.request)

    def plan(self, plan: say.Plan) -> None:
        self._note("planner", {"reason": plan[0], "action": plan[1]})

    def call(self, tool: str, **parameters: Any) -> Any:
        """What the device gives as the result; None for an error, which is noted."""
        self._note("caller", {"tool": tool, "parameters": parameters})
        observation = self.device.execute(Call(tool, parameters))
        if observation.error is not None:
            self._note("observation", {"error": observation.error})
            return None
        result = result_of(observation, self.device)
        self._note("observation", {"result": result})
        return result

    def ask(self, questions: str, answer: str) -> None:
        self._note("caller", {"tool": ASK, "parameters": {"user_id": self.patient.user_id, "questions": questions}})
        self._note("observation", {"result": answer})

    def notify(self, message: str) -> None:
        self._note("caller", {"tool": NOTIFY, "parameters": {"user_id": self.patient.user_id, "message": message}})
        self._note("observation", {"result": True})

    def _note(self, sender: str, value: Any) -> None:
        self.states.append({"from": sender, "value": value})


# ---- appointments ----------------------------------------------------------------------------------------------------


def appointment(note: Recorder, script: Script) -> None:
    """General, counter, negative and dietician: from the complaint to a booked slot or a noted complaint."""
    user_id, year = note.patient.user_id, note.patient.now.year
    for asked, (question, answer) in enumerate(script.questions):
        note.plan(say.ask_more(question, asked))
        note.ask(question, answer)
    symptoms = ", ".join(script.symptoms)
    note.plan(say.look_back(symptoms, script.diet))
    past = note.call("retrieve_past_complaints", user_id=user_id, symptoms=symptoms)
    note.plan(say.find(script.specialist, sorted(past, key=lambda each: str(each["date"]), reverse=True), year))
    found, kind = _find(note, symptoms, script.specialist), script.specialist
    if not found and kind != GENERAL:
        note.plan(say.find_general(kind, GENERAL))
        found, kind = _find(note, symptoms, GENERAL), GENERAL
    agreed = _offer(note, script, symptoms, kind, found) if found else None
    if agreed:
        _book(note, symptoms, agreed)
        return
    note.plan(say.DECLINED if found else say.none_free(kind))
    _store(note, symptoms)
    note.plan(say.TELL_STORED)
    note.notify(say.RECORDED if found else say.NOBODY)
    note.plan(say.DONE_STORED)


def _find(note: Recorder, symptoms: str, kind: str, **schedule: Any) -> dict[str, Any] | None:
    found: dict[str, Any] | None = note.call(
        "get_available_specialists", symptoms=symptoms, specialization=kind, **schedule
    )
    return found


def _offer(note: Recorder, script: Script, symptoms: str, kind: str, found: dict[str, Any]) -> dict[str, Any] | None:
    """The specialist with the slot that the patient took; None where the patient took none."""
    plan, question = say.offer(*_shown(note, found)), say.offered(*_shown(note, found))
    for reply in script.replies:
        said = script.voice.say(reply, read_slot(_when(found)))
        note.plan(plan)
        note.ask(question, said.text)
        if said.reply is Reply.ACCEPT:
            return found
        if said.reply is Reply.DECLINE:
            return None
        found, plan, question = _again(note, symptoms, kind, found, said)
    raise ValueError("a script ends with a patient who accepts or declines")


def _again(
    note: Recorder, symptoms: str, kind: str, found: dict[str, Any], said: Said
) -> tuple[dict[str, Any], say.Plan, str]:
    """What is offered next, with the plan and the question for it."""
    if said.reply is Reply.UNSURE:
        return found, say.ask_clearly(*_shown(note, found)), say.asked_clearly(*_shown(note, found))
    note.plan(say.find_other(kind, said.wish))
    other = _find(note, symptoms, kind, user_schedule=schedule_of(said.wish))
    if other is None:
        shown = (*_shown(note, found), said.wish)
        return found, say.offer_again(*shown), say.offered_again(*shown)
    return other, say.offer(*_shown(note, other)), say.offered(*_shown(note, other))


def _shown(note: Recorder, found: Mapping[str, Any]) -> tuple[str, str]:
    return str(found["name"]), say.shown_slot(found["available_slot"], note.patient.now.year)


def _book(note: Recorder, symptoms: str, found: Mapping[str, Any]) -> None:
    user_id, shown = note.patient.user_id, _shown(note, found)
    chosen = {"specialist_id": found["specialist_id"], "appointment_time_date": _when(found)}
    note.plan(say.confirm(*shown))
    note.call("confirm_appointment", user_id=user_id, **chosen)
    note.plan(say.SAVE)
    note.call("save_appointment_history", user_id=user_id, symptoms=symptoms, **chosen)
    note.plan(say.STORE)
    _store(note, symptoms)
    note.plan(say.TELL)
    note.notify(say.confirmed(*shown))
    note.plan(say.DONE)


def _when(found: Mapping[str, Any]) -> str:
    """The slot as calls have it: HH:MM-HH:MM, DD/MM/YYYY."""
    slot = found["available_slot"]
    return f"{slot['time']}, {date.fromisoformat(slot['date']):%d/%m/%Y}"


def _store(note: Recorder, symptoms: str) -> None:
    note.call("store_symptoms", user_id=note.patient.user_id, symptoms=symptoms, timestamp=note.patient.timestamp)


# ---- emergencies -----------------------------------------------------------------------------------------------------


def soft_sos(note: Recorder, vitals: Mapping[str, Any]) -> None:
    """The person is told of abnormal vitals."""
    note.plan(say.SOFT)
    note.notify(say.soft_message("\n".join(vital_lines(vitals))))
    note.plan(say.SOFT_DONE)


def hard_sos_start(note: Recorder) -> None:
    """Ambulance and emergency contacts are called."""
    user_id, name = note.patient.user_id, note.patient.name
    note.plan(say.START)
    note.notify(say.STARTING)
    note.plan(say.LOCATE)
    location = note.call("get_location")
    note.plan(say.SEARCH)
    ambulance = note.call("search_ambulance", location=location)
    note.plan(say.CALL_AMBULANCE)
    note.call("send_message", phone_no=ambulance["phone_no"], text=say.ambulance_needed(location, user_id, name))
    note.plan(say.CALL_CONTACTS)
    note.call("send_message", text=say.contacts_needed(location, name), to_emergency_contacts=True)
    note.plan(say.TELL_START)
    note.notify(say.on_its_way(ambulance))
    note.plan(say.START_DONE)


def hard_sos_end(note: Recorder) -> None:
    """Ambulance and emergency contacts are told that it is over."""
    user_id, name = note.patient.user_id, note.patient.name
    note.plan(say.STOP)
    note.notify(say.STOPPING)
    note.plan(say.ASSIGNED)
    ambulance = note.call("get_assigned_ambulance", user_id=user_id)
    note.plan(say.RELEASE_AMBULANCE)
    note.call("send_message", phone_no=ambulance["phone_no"], text=say.ambulance_released(user_id, name))
    note.plan(say.RELEASE_CONTACTS)
    note.call("send_message", text=say.contacts_released(name), to_emergency_contacts=True)
    note.plan(say.TELL_STOP)
    note.notify(say.STOPPED)
    note.plan(say.STOP_DONE)


ALARMS: Mapping[UseCase, tuple[str, Callable[[Recorder], None]]] = {
    UseCase.HARD_SOS_START: ("Hard SOS triggered", hard_sos_start),
    UseCase.HARD_SOS_END: ("End SOS triggered", hard_sos_end),
}

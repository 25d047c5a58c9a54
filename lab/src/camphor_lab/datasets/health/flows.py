"""The flows of the assistant, carried out on a phone: what planner and caller do in each use case, and what comes back.

Every call but the questions and notices to the person is executed on the device of the case, so observations are real.
The flows are the paper's (Table 1, Appendix D); beyond its examples a patient may ask for another time, may answer
neither yes nor no, and the right specialist may have no free slot. What they say is in `wording.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from random import Random
from typing import Any

from camphor.agents.health.case import GENERAL
from camphor.agents.health.observed import ASK, NOTIFY, result_of
from camphor.device.device import Device
from camphor.device.health.slots import read_slot
from camphor.device.when import show_day
from camphor.types import Call
from camphor_lab.datasets.files import tables_beside
from camphor_lab.datasets.health.people import Patient
from camphor_lab.datasets.health.scripts import PatientReply, ReplyKind, Script, schedule_of

# Vitals that a watch tells: label, unit, and values that are out of the usual, drawn as low or high.
_VITALS: Mapping[str, tuple[str, str, tuple[float, float], tuple[float, float]]] = {
    "oxygen": ("Oxygen", "%", (78, 90), (78, 90)),
    "heart_rate": ("Heart Rate", " bpm", (34, 44), (128, 188)),
    "systolic": ("Systolic Pressure", " mmHg", (72, 88), (172, 225)),
    "diastolic": ("Diastolic Pressure", " mmHg", (38, 50), (108, 132)),
    "temperature": ("Temperature", " C", (33.6, 35.2), (38.9, 41.2)),
    "respiratory_rate": ("Respiratory Rate", " breaths/min", (6, 9), (24, 36)),
    "glucose": ("Glucose", " mg/dL", (42, 66), (255, 420)),
}
# phases of a night's sleep: label, least and most minutes
_SLEEP = {
    "deep": ("Deep Sleep", 20, 130),
    "light": ("Light Sleep", 120, 330),
    "rem": ("REM", 30, 140),
    "awake": ("Awake", 5, 120),
}


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
class CaseRecorder:
    """Notes a case while it happens, as the paper's states (section 6.1.1)."""

    device: Device
    patient: Patient
    request: str
    states: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._note("system", {"user_details": self.patient.details})
        self._note("user", self.request)

    def plan(self, name: str, /, **slots: str) -> None:
        reason, action = tables_beside(__file__, "wording.toml")["plans"][name]
        self._note("planner", {"reason": reason.format(**slots), "action": action.format(**slots)})

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

    def ask(self, question: str, answer: str) -> None:
        self._note("caller", {"tool": ASK, "parameters": {"user_id": self.patient.user_id, "questions": question}})
        self._note("observation", {"result": answer})

    def notify(self, name: str, /, **slots: Any) -> None:
        told = {"user_id": self.patient.user_id, "message": _text(name, **slots)}
        self._note("caller", {"tool": NOTIFY, "parameters": told})
        self._note("observation", {"result": True})

    def _note(self, sender: str, value: Any) -> None:
        self.states.append({"from": sender, "value": value})


def _text(name: str, /, **slots: Any) -> str:
    return str(tables_beside(__file__, "wording.toml")["texts"][name]).format(**slots)


# ---- appointments ----------------------------------------------------------------------------------------------------


def appointment(note: CaseRecorder, script: Script) -> None:
    """General, counter, negative and dietician: from the complaint to a booked slot or a noted complaint."""
    user_id = note.patient.user_id
    for asked, (question, answer) in enumerate(script.questions):
        note.plan("ask_more" if asked else "ask", question=question)
        note.ask(question, answer)
    symptoms = ", ".join(script.symptoms)
    note.plan("look_back_diet" if script.diet else "look_back", symptoms=symptoms)
    past = note.call("retrieve_past_complaints", user_id=user_id, symptoms=symptoms)
    _plan_to_find(note, script.specialist, past)
    found, kind = _find(note, symptoms, script.specialist), script.specialist
    if not found and kind != GENERAL:
        general = _article(GENERAL)
        note.plan("find_general", missing=kind, specialist=general, Specialist=general.capitalize())
        found, kind = _find(note, symptoms, GENERAL), GENERAL
    agreed = _offer(note, script, symptoms, kind, found) if found else None
    if agreed:
        _book(note, symptoms, agreed)
        return
    note.plan("declined" if found else "none_free", specialist=kind)
    _store(note, symptoms)
    note.plan("tell_stored")
    note.notify("recorded" if found else "nobody")
    note.plan("done_stored")


def _article(specialist: str) -> str:
    """With its article: "an oncologist"."""
    return f"{'an' if specialist[0] in 'aeio' else 'a'} {specialist}"


def _plan_to_find(note: CaseRecorder, specialist: str, past: Sequence[Mapping[str, Any]]) -> None:
    kind = _article(specialist)
    if not past:
        note.plan("find", specialist=kind)
        return
    newest = max(str(each["date"]) for each in past)
    last = show_day(date.fromisoformat(newest[:10]), note.patient.now.year)
    note.plan("find_after_one" if len(past) == 1 else "find_after_several", specialist=kind, last=last)


def _find(note: CaseRecorder, symptoms: str, kind: str, **schedule: Any) -> dict[str, Any] | None:
    found: dict[str, Any] | None = note.call(
        "get_available_specialists", symptoms=symptoms, specialization=kind, **schedule
    )
    return found


def _offer(
    note: CaseRecorder, script: Script, symptoms: str, kind: str, found: dict[str, Any]
) -> dict[str, Any] | None:
    """The specialist with the slot that the patient took; None where the patient took none."""
    offer, shown = "offer", _shown(note, found)
    for reply in script.replies:
        said = script.voice.say(reply, read_slot(_when(found)))
        note.plan(offer, **shown)
        note.ask(_text(offer, **shown), said.text)
        if said.reply is ReplyKind.ACCEPT:
            return found
        if said.reply is ReplyKind.DECLINE:
            return None
        found, offer, shown = _again(note, symptoms, kind, found, said)
    raise ValueError("a script ends with a patient who accepts or declines")


def _again(
    note: CaseRecorder, symptoms: str, kind: str, found: dict[str, Any], said: PatientReply
) -> tuple[dict[str, Any], str, dict[str, str]]:
    """What is offered next, and how: the name of the wording with its slots."""
    if said.reply is ReplyKind.UNSURE:
        return found, "ask_clearly", _shown(note, found)
    note.plan("find_other", specialist=_article(kind), wish=said.wish)
    other = _find(note, symptoms, kind, user_schedule=schedule_of(said.wish))
    if other is None:
        return found, "offer_again", {**_shown(note, found), "wish": said.wish}
    return other, "offer", _shown(note, other)


def _shown(note: CaseRecorder, found: Mapping[str, Any]) -> dict[str, str]:
    """Doctor and slot as prompts show them."""
    slot = found["available_slot"]
    day = show_day(date.fromisoformat(str(slot["date"])), note.patient.now.year)
    return {"doctor": str(found["name"]), "slot": f"{day}, {slot['time']}"}


def _book(note: CaseRecorder, symptoms: str, found: Mapping[str, Any]) -> None:
    user_id, shown = note.patient.user_id, _shown(note, found)
    chosen = {"specialist_id": found["specialist_id"], "appointment_time_date": _when(found)}
    note.plan("confirm", **shown)
    note.call("confirm_appointment", user_id=user_id, **chosen)
    note.plan("save")
    note.call("save_appointment_history", user_id=user_id, symptoms=symptoms, **chosen)
    note.plan("store")
    _store(note, symptoms)
    note.plan("tell")
    note.notify("confirmed", **shown)
    note.plan("done")


def _when(found: Mapping[str, Any]) -> str:
    """The slot as calls have it: HH:MM-HH:MM, DD/MM/YYYY."""
    slot = found["available_slot"]
    return f"{slot['time']}, {date.fromisoformat(slot['date']):%d/%m/%Y}"


def _store(note: CaseRecorder, symptoms: str) -> None:
    note.call("store_symptoms", user_id=note.patient.user_id, symptoms=symptoms, timestamp=note.patient.timestamp)


# ---- emergencies -----------------------------------------------------------------------------------------------------


def draw_vitals(rng: Random) -> dict[str, Any]:
    """Vitals of a soft SOS: one to three out of the usual, often with the last night's sleep in minutes."""
    low = rng.random() < 0.5
    found: dict[str, Any] = {}
    for name in sorted(rng.sample(list(_VITALS), rng.choice((1, 2, 2, 3))), key=list(_VITALS).index):
        _, _, below, above = _VITALS[name]
        value = rng.uniform(*(below if low else above))
        found[name] = round(value, 1) if name == "temperature" else round(value)
    if rng.random() < 0.6:
        found["sleep"] = {phase: rng.randint(least, most) for phase, (_, least, most) in _SLEEP.items()}
    return found


def soft_request(vitals: Mapping[str, Any]) -> str:
    """What the monitor says, as in the paper (Appendix D.4)."""
    return f"Soft SOS triggered. Abnormal Vitals: {dict(vitals)}"


def vital_lines(vitals: Mapping[str, Any]) -> Iterator[str]:
    """How the person is told: a line each, in the order of the request."""
    for name, value in vitals.items():
        if name == "sleep":
            yield from (f"{_SLEEP[phase][0]}: {minutes} minutes" for phase, minutes in value.items())
        else:
            label, unit, _, _ = _VITALS[name]
            yield f"{label}: {value}{unit}"


def soft_sos(note: CaseRecorder, vitals: Mapping[str, Any]) -> None:
    """The person is told of abnormal vitals."""
    note.plan("soft")
    note.notify("soft", vitals="\n".join(vital_lines(vitals)))
    note.plan("soft_done")


def hard_sos_start(note: CaseRecorder) -> None:
    """Ambulance and emergency contacts are called."""
    who = {"user_id": note.patient.user_id, "name": note.patient.name}
    note.plan("start")
    note.notify("starting")
    note.plan("locate")
    location = note.call("get_location")
    place = f"{{latitude: {location['latitude']}, longitude: {location['longitude']}}}"
    note.plan("search")
    ambulance = note.call("search_ambulance", location=location)
    note.plan("call_ambulance")
    note.call("send_message", phone_no=ambulance["phone_no"], text=_text("ambulance_needed", place=place, **who))
    note.plan("call_contacts")
    note.call("send_message", text=_text("contacts_needed", place=place, **who), to_emergency_contacts=True)
    note.plan("tell_start")
    note.notify("on_its_way", **ambulance)
    note.plan("start_done")


def hard_sos_end(note: CaseRecorder) -> None:
    """Ambulance and emergency contacts are told that it is over."""
    who = {"user_id": note.patient.user_id, "name": note.patient.name}
    note.plan("stop")
    note.notify("stopping")
    note.plan("assigned")
    ambulance = note.call("get_assigned_ambulance", user_id=who["user_id"])
    note.plan("release_ambulance")
    note.call("send_message", phone_no=ambulance["phone_no"], text=_text("ambulance_released", **who))
    note.plan("release_contacts")
    note.call("send_message", text=_text("contacts_released", **who), to_emergency_contacts=True)
    note.plan("tell_stop")
    note.notify("stopped")
    note.plan("stop_done")


ALARMS: Mapping[UseCase, tuple[str, Callable[[CaseRecorder], None]]] = {
    UseCase.HARD_SOS_START: ("Hard SOS triggered", hard_sos_start),
    UseCase.HARD_SOS_END: ("End SOS triggered", hard_sos_end),
}

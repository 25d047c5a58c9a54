"""The assistant on a phone with the paper's planner and caller: red flags first, real calls, nothing done unwished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer

from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.agents.health.case import Called, Case, HealthStrategy, PlannerTurn, Seen, case_from_json
from camphor.agents.health.interview.record import written
from camphor.agents.health.loop import Bounds
from camphor.agents.health.observed import ASK
from camphor.agents.health.prompts import as_text, caller_text, planner_text
from camphor.agents.health.triage import Urgency, triage
from camphor.device.device import Device
from camphor.errors import ModelError, UsageError
from camphor.health.assistant import HealthAssistant, health_tools, is_yes, opening
from camphor.models.base import Request, ScriptedModel
from camphor_lab.datasets.health.cases import draw
from camphor_lab.datasets.health.diseases import read_diseases
from camphor_lab.datasets.health.flows import NOTIFY, UseCase

DEMO = Path(__file__).parents[3] / "src" / "camphor" / "demo"
SLOT = "09:40-10:00, 12/05/2026"


class Person:
    """Answers from a list, and whether it is an emergency always alike; keeps what they were told and asked."""

    def __init__(self, answers: Sequence[str] = (), consents: bool = False, emergency: str = "no") -> None:
        self.answers, self.consents, self.emergency = list(answers), consents, emergency
        self.asked: list[str] = []
        self.told: list[str] = []
        self.proposed: list[ConsentNeeded] = []

    def ask(self, question: str) -> str:
        self.asked.append(question)
        if question == QUESTION:
            return self.emergency
        return self.answers.pop(0) if self.answers else ""

    def consent(self, wanted: ConsentNeeded) -> Decision:
        self.proposed.append(wanted)
        return Decision(Answer.YES if self.consents else Answer.NO)


@pytest.fixture
def phone() -> Iterator[Device]:
    with Device.from_file(DEMO / "health.device.json") as device:
        yield device


def assistant(device: Device, replies: Sequence[str], person: Person) -> HealthAssistant:
    return HealthAssistant(
        device, ScriptedModel(replies), person.ask, person.told.append, person.consent, strategy=HealthStrategy.PLANNER
    )


def replies_of(case: Case, device: Device) -> list[str]:
    """What a model writes that makes just this case."""
    tools = health_tools(device)
    words = (
        planner_text(turn) if isinstance(turn, PlannerTurn) else caller_text(turn.call, tools)
        for turn in case.turns
        if not isinstance(turn, Seen)
    )
    return list(words)


def answers_of(case: Case) -> list[str]:
    return [
        str(seen.result)
        for called, seen in zip(case.turns, case.turns[1:], strict=False)
        if isinstance(called, Called) and called.call.name == ASK and isinstance(seen, Seen)
    ]


def is_written(request: Request, text: str) -> bool:
    assert request.grammar is not None
    matcher = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(request.grammar), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return bool(matcher.consume_tokens(list(text.encode())) and matcher.is_accepting())


@pytest.mark.parametrize("use_case", [UseCase.GENERAL, UseCase.COUNTER, UseCase.NEGATIVE, UseCase.DIETICIAN])
@pytest.mark.parametrize("number", [0, 1])
def test_recorded_case_comes_out_again_under_the_grammars(use_case: UseCase, number: int) -> None:
    record, data = draw("train", use_case, number, 13, read_diseases())  # no words that urgency would be asked about
    case = case_from_json(record)
    person = Person(answers_of(case), consents=True)
    with Device.create(None, data) as device:
        replies = replies_of(case, device)
        talking = replace(assistant(device, replies, person), refers=False)
        outcome = talking.run(case.request)
        assert outcome.case.turns == case.turns
        assert not outcome.findings
        model = talking.model
        assert isinstance(model, ScriptedModel)
        for request, text in zip(model.requests, replies, strict=True):
            assert is_written(request, text), text
        for request, after in zip(model.requests, model.requests[1:], strict=False):
            grown = as_text(after.prompt)
            assert grown.startswith(as_text(request.prompt))  # nothing is evaluated twice
        confirmed = any(isinstance(turn, Called) and turn.call.name == "confirm_appointment" for turn in case.turns)
        assert (outcome.booked is not None) == confirmed
        kept = [each["symptoms"] for each in device.records("clinic", "complaints")]
        assert written(outcome.quotes) in kept  # whatever the planner wrote, the person's own words are kept
        messages = [turn.call.arguments["message"] for turn in case.turns if _is_call(turn, NOTIFY)]
        assert person.told == messages


def _is_call(turn: Any, name: str) -> bool:
    return isinstance(turn, Called) and turn.call.name == name


def planned(action: str = "Go on.") -> str:
    return f"Because.</reason><action>{action}</action>"


FIND = '[get_available_specialists(symptoms="sore knee", specialization="orthopedist")]'
OFFER = '[get_input_from_user(user_id="UID", questions="{} Would you like to book this appointment?")]'
TELL = '[notify_user(user_id="UID", message="Your symptoms are recorded.")]'
END = "Told.</reason><action><END></action>"


def offered(device: Device) -> tuple[dict[str, Any], str]:
    """The slot that the phone has, and the reply that confirms it."""
    from camphor.types import Call

    (found,) = device.execute(
        Call("get_available_specialists", {"symptoms": "sore knee", "specialization": "orthopedist"})
    ).records
    slot = found["available_slot"]
    when = f"{slot['time']}, {slot['date'][8:]}/{slot['date'][5:7]}/{slot['date'][:4]}"
    user = opening(device, "x").user.user_id
    confirm = (
        f'[confirm_appointment(user_id="{user}", specialist_id="{found["specialist_id"]}", '
        f'appointment_time_date="{when}")]'
    )
    return dict(found), confirm


def booking(device: Device, question: str) -> list[str]:
    _, confirm = offered(device)
    user = opening(device, "x").user.user_id
    ask = OFFER.replace("UID", user).format(question)
    tell = TELL.replace("UID", user)
    return [planned(), FIND, planned(), ask, planned(), confirm, planned(), tell, END]


def booked(device: Device) -> int:
    return sum(each["state"] == "confirmed" for each in device.records("clinic", "appointments"))


def test_slot_that_the_question_did_not_name_is_asked_about(phone: Device) -> None:
    before = booked(phone)
    person = Person(["Yes, please"])
    outcome = assistant(phone, booking(phone, "Dr. Somebody has an opening."), person).run("my knee is sore")
    assert [wanted.description.startswith("Book ") for wanted in person.proposed] == [True]
    assert booked(phone) == before
    assert outcome.booked is None
    assert [call.name for call in outcome.refused] == ["confirm_appointment"]
    person = Person(["Yes, please"], consents=True)
    outcome = assistant(phone, booking(phone, "Dr. Somebody has an opening."), person).run("my knee is sore")
    assert booked(phone) == before + 1
    assert outcome.booked


def test_half_a_yes_is_none(phone: Device) -> None:
    from camphor.agents.health.prompts import show_slot

    found, _ = offered(phone)
    shown = show_slot(found["available_slot"]["date"], found["available_slot"]["time"], phone.now.year)
    person = Person(["yes but rather in the evening"])
    assistant(phone, booking(phone, f"{found['name']} on {shown}."), person).run("my knee is sore")
    assert len(person.proposed) == 1
    person = Person(["Yes, book it"])
    assert assistant(phone, booking(phone, f"{found['name']} on {shown}."), person).run("my knee is sore").booked
    assert not person.proposed


@pytest.mark.parametrize(
    "answer", ["Yes", "yes please", "Sure, go ahead", "OK", "Perfect, thank you", "That suits me", "I'll take it"]
)
def test_clear_yes(answer: str) -> None:
    assert is_yes(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no",
        "yes, but later",
        "what does it cost?",
        "Is that OK?",
        "not yet",
        "ok, if",
        "that is too early",
        "this is bad",
    ],
)
def test_no_clear_yes(answer: str) -> None:
    assert not is_yes(answer)


def test_red_flag_needs_no_model(phone: Device) -> None:
    person = Person()
    outcome = assistant(phone, [], person).run("I have chest pain going down my left arm and can't breathe")
    assert outcome.findings[0].flag.name == "chest_pain"
    assert "Call 112" in person.told[0] or "Call 999" in person.told[0]
    assert outcome.case.turns == ()
    assert outcome.done == ()


def test_red_flag_in_an_answer_stops_the_case(phone: Device) -> None:
    user = opening(phone, "x").user.user_id
    ask = f'[get_input_from_user(user_id="{user}", questions="What else?")]'
    person = Person(["now I have crushing chest pain, my left arm is numb and I sweat"])
    outcome = assistant(phone, [planned(), ask], person).run("my knee has been stiff for a week")
    assert outcome.findings
    assert len(person.told) >= len(outcome.findings)


SUSPICIOUS = next(
    each
    for each in (
        "he was eating an apple and now he makes no noise and waves his arms",
        "felt funny earlier, a bit tight in the chest, gone pale",
        "my leg is a bit swollen and sore",
        "there is some blood and it hurts",
    )
    if triage(each).verdict is Urgency.ASK
)
QUESTION = triage(SUSPICIOUS).question


def test_suspicion_that_is_confirmed_needs_no_model(phone: Device) -> None:
    person = Person(emergency="yes and now he can't breathe, his lips are blue")
    outcome = assistant(phone, [], person).run(SUSPICIOUS)
    assert person.asked == [QUESTION]
    assert outcome.findings
    assert outcome.case.turns == ()


def test_question_for_a_diagnosis_is_refused_in_plain_words(phone: Device) -> None:
    user = opening(phone, "x").user.user_id
    replies = [planned(), TELL.replace("UID", user), END]
    person = Person()
    assistant(phone, replies, person).run("my knee is sore, is it serious? what should I take for it?")
    assert "can't" in person.told[0]
    assert person.told[1:] == ["Your symptoms are recorded."]


def test_model_that_diagnoses_is_not_passed_on(phone: Device) -> None:
    user = opening(phone, "x").user.user_id
    bad = TELL.replace("UID", user).replace("Your symptoms", "You probably have gout. Your symptoms")
    person = Person()
    assistant(phone, [planned(), bad, END], person).run("my toe is sore")
    assert person.told == ["Your symptoms are recorded."]


def test_messages_to_others_need_a_yes(phone: Device) -> None:
    user = opening(phone, "x").user.user_id
    send = '[send_message(text="Come at once", to_emergency_contacts=True)]'
    person = Person()
    turns = [planned(), send, planned(), TELL.replace("UID", user), END]
    outcome = assistant(phone, turns, person).run("my knee is sore")
    assert person.proposed[0].description == 'Send to your emergency contacts: "Come at once"'
    assert phone.records("clinic", "messages") == []
    assert [call.name for call in outcome.refused] == ["send_message"]


def test_what_is_known_of_the_person_stands_in_the_prompt(phone: Device) -> None:
    known = opening(phone, "my knee is sore").user.known
    assert any(fact.startswith("allergies: ") for fact in known)


def test_nothing_said_and_no_clinic_are_told(phone: Device) -> None:
    with pytest.raises(UsageError, match="Nothing was said"):
        assistant(phone, [], Person()).run("  ")
    with (
        Device.from_file(DEMO / "ines-dublin.device.json") as other,
        pytest.raises(UsageError, match="no clinic app"),
    ):
        assistant(other, [], Person())


def test_silent_model_is_an_error_and_books_nothing(phone: Device) -> None:
    before = phone.export()
    with pytest.raises(ModelError):
        assistant(phone, [], Person()).run("my knee is sore")
    assert phone.export() == before


def test_every_case_of_an_appointment_fits_the_budget() -> None:
    record, data = draw("train", UseCase.GENERAL, 3, 11, read_diseases())
    with Device.create(None, data) as device:
        from camphor.agents.health.prompts import render

        text = as_text(render(case_from_json(record), health_tools(device)))
    assert len(text) / 3 < 1800  # tokens; three characters each is more than small models need


def test_model_that_ships_keeps_to_the_rules(phone: Device) -> None:
    """It was not tuned on health: what it writes must still be turns of a case, and end, and book nothing unasked."""
    from camphor.models.llama import LlamaModel

    person = Person(["no"] * 9)
    model = LlamaModel(adapter=False, context=2048, threads=1)
    try:
        bounds = Bounds(plans=2, plan_tokens=16, call_tokens=40)
        outcome = HealthAssistant(
            phone, model, person.ask, person.told.append, person.consent, bounds=bounds, strategy=HealthStrategy.PLANNER
        ).run("my knee is sore")
    finally:
        model.close()
    assert outcome.case.closed
    assert outcome.booked is None
    assert all(turn.call.name in phone.toolbox for turn in outcome.case.turns if isinstance(turn, Called))

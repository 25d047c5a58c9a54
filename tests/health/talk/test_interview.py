"""The coded interview on a phone: own words alone are kept, no sentence comes twice, and every talk ends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from camphor.agents.events import ConsentNeeded, Decision
from camphor.agents.health.case import HealthStrategy, case_from_json
from camphor.agents.health.interview.questions import MOST, read_questions
from camphor.agents.health.interview.record import read
from camphor.agents.health.interview.talk import CORRECTED, TalkEnding
from camphor.device.device import Device
from camphor.health.assistant import LONGEST, CaseOutcome, HealthAssistant
from camphor_lab.evaluation.health_lines import phone as open_phone
from camphor_lab.evaluation.health_talks import EMERGENCY, topic

DEMO = Path(__file__).parents[3] / "src" / "camphor" / "demo"


class Person:
    """Says these answers in order, then nothing, and "no" where it is asked whether it is urgent; an answer may be a
    function of the question."""

    def __init__(self, *answers: str | Callable[[str], str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.told: list[str] = []

    def ask(self, question: str) -> str:
        if topic(question) == EMERGENCY:
            return "no"
        self.asked.append(question)
        answer = self.answers.pop(0) if self.answers else ""
        return answer if isinstance(answer, str) else answer(question)

    def consent(self, wanted: ConsentNeeded) -> Decision:
        raise AssertionError(f"consent was asked for again: {wanted.description}")


@pytest.fixture
def phone() -> Iterator[Device]:
    with Device.create(None, open_phone()) as device:
        yield device


def talk(device: Device, person: Person, complaint: str) -> CaseOutcome:
    return HealthAssistant(device, None, person.ask, person.told.append, person.consent).run(complaint)


def kept(device: Device) -> list[str]:
    return [each["symptoms"] for each in device.records("clinic", "complaints")]


def test_the_record_is_the_persons_own_words_behind_what_was_asked(phone: Device) -> None:
    person = Person("two weeks or so", "6, worse on stairs", "no", "a bit", "forty", "Yes, please")
    outcome = talk(phone, person, "My knee aches and clicks on  the stairs. No fever.")
    (record,) = kept(phone)
    assert record.split("\n") == [
        "“My knee aches and clicks on the stairs. No fever.” (1)",
        "Since when? – “two weeks or so” (2)",
        "How bad is it, from 0 (not at all) to 10 (as bad as can be)? – “6, worse on stairs” (3)",
        "Was there a fall, a knock or a twist before? – “no” (4)",
        "Is it swollen, red or hot? – “a bit” (5)",
        "How old are you? – “forty” (6)",
    ]
    (booked,) = phone.records("clinic", "appointments")
    assert booked["symptoms"] == record
    assert booked["specialization"] in ("orthopedist", "rheumatologist")
    assert (outcome.end, booked["state"]) == (TalkEnding.BOOKED, "confirmed")
    assert [call.name for call in outcome.done] == ["store_symptoms", "confirm_appointment", "save_appointment_history"]
    assert case_from_json(json.loads(json.dumps(outcome.case.to_json()))) == outcome.case


def test_what_was_said_already_is_not_asked(phone: Device) -> None:
    person = Person()
    talk(phone, person, "I'm 34, allergic to nuts, take no medicines, and had a rash for three days, itchy, 4/10")
    topics = {read_questions().topic_of(each) for each in person.asked}
    assert not topics & {"age", "allergies", "medicines", "duration", "itches", "severity"}


def test_what_the_phone_knows_is_not_asked() -> None:
    person = Person(*["no"] * 9)
    with Device.from_file(DEMO / "health.device.json") as device:
        talk(device, person, "my knee is sore")
    topics = {read_questions().topic_of(each) for each in person.asked}
    assert not topics & {"age", "allergies"}


@pytest.mark.parametrize("words", ["Forget it.", "never mind, it's gone", "actually I changed my mind"])
def test_what_is_taken_back_is_not_kept(phone: Device, words: str) -> None:
    before = phone.export()
    person = Person("a week", words)
    outcome = talk(phone, person, "my ear is blocked")
    assert (outcome.end, outcome.quotes) == (TalkEnding.DROPPED, ())
    assert phone.export() == before
    assert len(person.told) == 1


@pytest.mark.parametrize("words", ["my cat is sneezing", "will it rain tomorrow?", "hello"])
def test_what_is_no_complaint_is_not_kept(phone: Device, words: str) -> None:
    before = phone.export()
    person = Person("nothing, thanks", "bye")
    assert talk(phone, person, words).end is TalkEnding.TOLD
    assert phone.export() == before
    assert len(set(person.asked)) == len(person.asked) == 2


def test_a_complaint_after_small_talk_is_heard(phone: Device) -> None:
    person = Person("my shoulder hurts when I reach up")
    outcome = talk(phone, person, "hello there")
    assert outcome.quotes[0].said == "my shoulder hurts when I reach up"
    assert outcome.quotes[0].message == 2


def test_a_question_back_gets_its_reason_and_the_question_in_other_words(phone: Device) -> None:
    person = Person("why do you ask?", "ten days")
    outcome = talk(phone, person, "my elbow aches")
    duration = read_questions().by_id["duration"]
    assert person.asked[:2] == [duration.ask, f"{duration.why} {duration.again}"]
    assert [quote.said for quote in outcome.quotes if quote.asked == duration.ask] == ["ten days"]
    assert "why do you ask?" not in kept(phone)[0]


def test_a_correction_stands_as_one(phone: Device) -> None:
    outcome = talk(phone, Person("sorry, the left one"), "my right knee aches")
    assert (CORRECTED, "sorry, the left one") in [(quote.asked, quote.said) for quote in outcome.quotes]


def test_red_flags_stop_the_interview_and_nothing_is_done(phone: Device) -> None:
    outcome = talk(phone, Person("two weeks", "9, and I have chest pain and can't breathe"), "my arm aches")
    assert "chest_pain" in [found.flag.name for found in outcome.findings]
    assert (outcome.done, outcome.end) == ((), None)


def test_another_time_is_looked_for_and_offered_in_other_words(phone: Device) -> None:
    def answer(question: str) -> str:
        return "can I come on Thursday afternoon instead?" if "Shall I book" in question else "No."

    person = Person(*[answer] * 6, "no, rather another day", "great, book it")
    outcome = talk(phone, person, "I have had an itchy rash since Sunday")
    offers = [each for each in person.asked if " on " in each and ":" in each]
    assert outcome.end is TalkEnding.BOOKED
    assert len(set(offers)) == len(offers) > 1


@pytest.mark.parametrize("words", ["yes, but later", "is it expensive?", "hm"])
def test_half_a_yes_books_nothing(phone: Device, words: str) -> None:
    def answer(question: str) -> str:
        return words if " is free on " in question else "no"

    outcome = talk(phone, Person(*[answer] * 12), "my knee aches")
    assert outcome.booked is None
    assert outcome.end is TalkEnding.DECLINED


def test_another_language_is_kept_and_goes_to_a_general_physician(phone: Device) -> None:
    person = Person("seit Montag", "5", "nein", "nein", "nein")
    outcome = talk(phone, person, "Meine Haut juckt seit ein paar Wochen an den Armen")
    assert "other languages hardly" in person.asked[0]
    assert "General Physician" in person.asked[-1]
    assert [quote.said for quote in outcome.quotes][:2] == [outcome.messages[0], "seit Montag"]


def test_what_is_too_long_is_cut_between_sentences(phone: Device) -> None:
    person = Person()
    outcome = talk(phone, person, "My knee aches. " * 60 + "I have no fever. " * 20)
    assert len(outcome.messages[0]) <= LONGEST
    assert outcome.messages[0].endswith(("aches.", "no fever."))


def test_nobody_free_is_told_and_the_words_are_kept() -> None:
    data = open_phone()
    data["apps"]["clinic"]["slots"] = []
    with Device.create(None, data) as device:
        person = Person("a year", "no", "no", "no", "no")
        assert talk(device, person, "my knee aches").end is TalkEnding.UNFREE
        assert "my knee aches" in kept(device)[0]
    assert "ring a practice" in person.told[-1]


def test_the_planner_needs_a_model(phone: Device) -> None:
    from camphor.errors import UsageError

    person = Person()
    with pytest.raises(UsageError, match="language model"):
        HealthAssistant(phone, None, person.ask, person.told.append, person.consent, strategy=HealthStrategy.PLANNER)


BEGINNINGS = ["my knee aches", "I can't sleep", "my daughter has a rash. No fever.", "itchy eyes", "voices", "hello"]
SAID = [
    "no", "yes", "I don't know", "two weeks", "7", "I'm 44", "why?", "is it serious?", "sorry, the other one", "",
    "and my back hurts as well", "no fever, no cough", "I take ramipril 5 mg", "what is the time in Rome?",
    "my dog is ill", "swollen knee, swollen knee, swollen knee", "“nobody” (1)", "next week please", "later", "ok then",
    "I said so already", "just book it", "none of your business", "maybe", "x" * 1200,
]  # fmt: skip
REPEATED = 3


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some.sampled_from(BEGINNINGS), some.lists(some.sampled_from(SAID), max_size=14))
def test_whatever_is_said_it_ends_keeps_own_words_and_repeats_nothing(begin: str, answers: Sequence[str]) -> None:
    person = Person(*answers)
    with Device.create(None, open_phone()) as device:
        outcome = talk(device, person, begin)
        records = kept(device)
    assert outcome.end is not None or outcome.findings
    assert person.told
    assert [words for words, times in Counter([*person.asked, *person.told]).items() if times > 1] == []
    assert sum(bool(read_questions().topic_of(each)) for each in person.asked) <= MOST
    labels = {"", CORRECTED, *(each.put(again=False, other=other) for each in read_questions().by_id.values()
                               for other in (False, True))}  # fmt: skip
    for record in records:
        for quote in read(record):
            assert quote.asked in labels
            assert quote.said in outcome.messages[quote.message - 1]
    assert all(len(read(record)) == record.count("\n") + 1 for record in records)

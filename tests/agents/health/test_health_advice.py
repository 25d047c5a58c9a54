"""Neither diagnosis nor treatment: asked for, or written by a model."""

from __future__ import annotations

import pytest

from camphor.agents.health.advice import REFUSALS, Topic, asked_for, is_advice, without_advice


@pytest.mark.parametrize(
    "said",
    [
        "What do I have?",
        "Is it cancer?",
        "could this be diabetes",
        "what's wrong with me?",
        "diagnose me please",
        "do you think I have pneumonia",
        "what is this rash?",
        "Is this serious?",
    ],
)
def test_question_for_a_diagnosis(said: str) -> None:
    assert asked_for(said) is Topic.DIAGNOSIS


@pytest.mark.parametrize(
    "said",
    [
        "what should I take for the pain?",
        "Can I take ibuprofen with my blood thinner?",
        "how do I treat a burn blister",
        "which antibiotic helps",
        "how many tablets can I take",
        "Should I stop taking my pills",
        "can you prescribe me something",
        "any home remedies?",
        "How can I get rid of the itch?",
        "what dose of paracetamol should I take",
    ],
)
def test_question_for_treatment(said: str) -> None:
    assert asked_for(said) is Topic.TREATMENT


@pytest.mark.parametrize(
    "said",
    [
        "my knee hurts",
        "What should I eat?",
        "Can I come in the afternoon?",
        "Could you book me a slot?",
        "I have taken ibuprofen already",
        "Can I take the earlier slot?",
        "Which doctor do I need?",
        "I have diabetes and my foot hurts",
        "Could my food be the reason?",
        "I can't stop coughing",
        "is it possible on Friday?",
    ],
)
def test_other_words_are_no_such_question(said: str) -> None:
    assert asked_for(said) is None


@pytest.mark.parametrize(
    "written",
    [
        "You probably have the flu.",
        "This sounds like gastritis.",
        "Take two ibuprofen tablets.",
        "You should take paracetamol.",
        "It is nothing serious.",
        "Take 500 mg twice a day",
        "I recommend taking rest and drinking water.",
        "This could be an infection.",
    ],
)
def test_advice_of_a_model_is_kept_from_the_person(written: str) -> None:
    assert is_advice(written)
    assert without_advice(written) == REFUSALS[Topic.DIAGNOSIS]
    assert without_advice(f"Your symptoms are recorded. {written}") == "Your symptoms are recorded."


@pytest.mark.parametrize(
    "written",
    [
        "Dr. Diego Arroyo (General Physician) has an opening on Sat 30 Nov, 11:00-11:30. Would you like to book it?",
        "Do you have fever?",
        "Is it an itchy rash or dry skin?",
        "Are you taking any tablets?",
        "Soft SOS triggered. Abnormal vitals detected.\nYour vitals:\nHeart Rate: 41 bps",
    ],
)
def test_questions_and_notices_pass_unchanged(written: str) -> None:
    assert without_advice(written) == written

"""Which specialist is looked for: code has a say where a person's words are clear to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from camphor.agents.health.case import SPECIALISTS, Called, Case, PlannerTurn, Seen, UserDetails
from camphor.agents.health.referral import may_ask, read_referral, referred
from camphor.errors import ModelMissing
from camphor.types import Call

ACTION = "Use the get_available_specialists tool to find {} for an appointment."


def case(request: str, *turns: PlannerTurn | Called | Seen) -> Case:
    return Case(UserDetails("U1", "Ana", "2026-03-12T08:45:00"), request, turns)


def plan(who: str) -> PlannerTurn:
    return PlannerTurn(f"A consultation with {who} is advisable.", ACTION.format(who))


@pytest.mark.parametrize(
    ("request_", "specialist"),
    [
        ("my molar throbs all night and cold water makes me jump", "a dentist"),
        ("since the baby I cry every day, feel nothing and can't sleep even when she sleeps", "a psychiatrist"),
        ("the print in my book swims and street lamps have rings at night", "an ophthalmologist"),
        ("varicose veins, my legs are heavy and ache by evening", "a vascular surgeon"),
        ("it burns when I pass water and I am up for it five times a night, 62 and a man", "a urologist"),
        ("blocked on one side of the nose for months and I can't smell a thing", "an ent specialist"),
    ],
)
def test_a_wrong_specialist_is_put_right_in_reason_and_action(request_: str, specialist: str) -> None:
    assert referred(plan("a nephrologist"), case(request_), SPECIALISTS)[0] == plan(specialist)
    assert referred(plan(specialist), case(request_), SPECIALISTS)[0] == plan(specialist)


def test_an_answer_counts_too() -> None:
    asked = PlannerTurn("Not clear.", "Ask the user: Where?")
    question = Called(Call("get_input_from_user", {"user_id": "U1", "questions": "Where?"}))
    told = case("something is wrong with me", asked, question, Seen("a tooth broke and the gum is swollen round it"))
    assert referred(plan("a urologist"), told, SPECIALISTS)[0] == plan("a dentist")


def test_whom_the_person_names_is_left() -> None:
    asked = case("my tooth hurts but I want to see a cardiologist")
    assert referred(plan("a cardiologist"), asked, SPECIALISTS)[0] == plan("a cardiologist")


def test_only_those_on_the_phone_are_named() -> None:
    tooth = case("my molar throbs all night and cold water makes me jump")
    assert referred(plan("a urologist"), tooth, ["urologist"])[0] == plan("a urologist")


def test_the_second_search_and_other_plans_are_left() -> None:
    tooth = case("my molar throbs all night and cold water makes me jump")
    look = Called(Call("get_available_specialists", {"symptoms": "toothache", "specialization": "dentist"}))
    searched = tooth.then(plan("a dentist"), look, Seen(None))
    assert referred(plan("a general physician"), searched, SPECIALISTS)[0] == plan("a general physician")
    several = PlannerTurn("Either.", ACTION.format("a urologist or a nephrologist"))
    assert referred(several, tooth, SPECIALISTS)[0] == several
    ask = PlannerTurn("Unclear.", "Ask the user: Did a urologist see it?")
    assert referred(ask, tooth, SPECIALISTS)[0] == ask


def test_a_plan_that_names_nobody_here_looks_for_whom_the_words_call() -> None:
    tooth = case("my molar throbs all night and cold water makes me jump")
    planned = plan("an orthodontist")
    assert referred(planned, tooth, SPECIALISTS) == (planned, ("dentist",))
    assert referred(plan("a urologist"), tooth, SPECIALISTS)[1] == ("dentist",)


def test_a_general_physician_is_asked_where_the_right_one_is_not_here() -> None:
    joints = case("my knuckles are swollen and stiff every morning for months")
    here = ["cardiologist", "endocrinologist", "general physician"]
    assert referred(plan("a rheumatologist"), joints, here) == (plan("a general physician"), ("general physician",))
    assert referred(plan("an endocrinologist"), joints, here)[0] == plan("a general physician")
    assert referred(plan("a rheumatologist"), joints, SPECIALISTS)[0] == plan("a rheumatologist")


def test_after_three_questions_one_is_looked_for() -> None:
    asked = PlannerTurn("Not clear.", "Ask the user: Where?")
    question = Called(Call("get_input_from_user", {"user_id": "U1", "questions": "Where?"}))
    turns = (asked, question, Seen("here"))
    assert may_ask(case("it hurts", *turns, *turns))
    assert not may_ask(case("it hurts", *turns, *turns, *turns))


def test_a_model_that_is_not_there_or_broken_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="train-referral"):
        read_referral(tmp_path / "none.npz")
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ModelMissing, match="reinstall camphor"):
        read_referral(broken)

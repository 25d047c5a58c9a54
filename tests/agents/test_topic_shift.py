"""Which queries of a conversation are asked without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.agents.prompts import Form
from camphor.agents.topic_shift import stands_alone
from camphor.app import Assistant
from camphor.device.device import Device
from camphor.errors import ModelError
from camphor.models.base import ScriptedModel
from camphor.types import Turn

SETS = Path(__file__).parents[2] / "data/handwritten"
DENTIST = Turn("Remind me to call the dentist at nine", (), "Reminder set for Fri 13 Mar 09:00: “Call the dentist”.")


@pytest.mark.parametrize(
    "query",
    [
        "add milk and eggs to a note",
        "who is the head of our choir?",
        "text Nora that we are running late",
        "tell my sister she forgot her umbrella",
        "what's on Friday afternoon?",
        "wake me at one o'clock on Sunday",
    ],
)
def test_what_is_about_something_else_stands_alone(query: str) -> None:
    assert stands_alone(query, (DENTIST,))


@pytest.mark.parametrize(
    "query",
    [
        "make it ten",
        "and one to buy toothpaste",
        "at half past nine please, in the evening",
        "tell her I might come later",
        "who wrote about the dental bill?",  # a word of the same matter
        "Tell that to Nora and Tom",
        "show me the other one",
        "please put thta in the calendar",
        "kindly alert me an hour prior",
        "would you please show me",
        "Nora knows",  # too short to say what it is about
    ],
)
def test_what_points_back_or_is_of_the_same_matter_does_not(query: str) -> None:
    turns = (Turn("Where is the dental practice?", (), "In Mill Lane."), DENTIST)
    assert not stands_alone(query, turns)


def test_an_answer_to_a_question_does_not() -> None:
    asked = Turn("Text Ana I'm late", (), "Ana Costa or Ana Reis: which one?")
    assert not stands_alone("the lady from the choir", (asked,))
    told = Turn("Text Kavya I'm late", (), "The name fits Kavya Sharma and Kavya Khan. Say which, please.")
    assert not stands_alone("the translator of the two", (told,))
    assert not stands_alone("my friend from Pune obviously", (told,))


def test_without_a_conversation_all_do() -> None:
    assert stands_alone("make it ten", ())


def test_of_nine_hundred_follow_ups_one_in_thirty_five_at_most_would_lose_what_it_follows() -> None:
    told = 0
    lost = []
    for path in sorted(SETS.glob("*/items.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            if "new_matter" in item.get("tags", ()):
                continue
            if turns := [Turn(each["query"], (), each.get("response", "")) for each in item.get("history", ())]:
                told += 1
                if stands_alone(item["query"], turns):
                    lost.append(item["query"])
    assert told >= 900
    assert len(lost) <= told / 35, lost


@pytest.mark.parametrize(("form", "shown"), [(Form.NAMES, False), (Form.INSTRUCTED, True), (Form.FULL, True)])
def test_a_model_that_is_told_how_to_work_sees_the_turns_before(form: Form, shown: bool) -> None:
    phone = {"format": "camphor.device/1", "id": "test", "owner": "Ann", "now": "2026-03-12T08:45:00"}
    model = ScriptedModel([])
    with Device.create(None, {**phone, "timezone": "Europe/Vienna", "apps": {"notes": {"notes": []}}}) as device:
        loop = Assistant(device, model, (DENTIST,), form=form).run("add milk and eggs to a note")
        with pytest.raises(ModelError):
            list(loop)
    prompt = "".join(segment.text for segment in model.requests[0].prompt)
    assert (DENTIST.query in prompt) is shown

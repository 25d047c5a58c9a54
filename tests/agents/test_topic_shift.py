"""Which queries of a conversation are asked without it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from camphor.agents.topic_shift import stands_alone
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


FIRST_SETS = 36


def lost_of(sets: Iterable[Path]) -> tuple[int, list[str]]:
    """How many follow-ups some sets have, and which of them would be asked without what they follow."""
    told, lost = 0, []
    for path in sets:
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            turns = [Turn(each["query"], (), each.get("response", "")) for each in item.get("history", ())]
            if turns and "new_matter" not in item.get("tags", ()):
                told += 1
                lost += [item["query"]] if stands_alone(item["query"], turns) else []
    return told, lost


def is_first(path: Path) -> bool:
    return int(path.parent.name.removeprefix("t")) <= FIRST_SETS


def test_of_five_hundred_follow_ups_one_in_fifty_at_most_would_lose_what_it_follows() -> None:
    told, lost = lost_of(filter(is_first, SETS.glob("*/items.jsonl")))
    assert told >= 500
    assert len(lost) <= told / 50, lost


def test_of_the_harder_ones_of_later_hands_one_in_twenty_five_at_most_would() -> None:
    told, lost = lost_of(path for path in SETS.glob("*/items.jsonl") if not is_first(path))
    assert told >= 300
    assert len(lost) <= told / 25, lost

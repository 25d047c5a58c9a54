"""Fields that a question names are told from the record, and only where no doubt is left."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.asked import asked_field
from camphor.types import Call, Observation

ANA = {"name": "Ana Prieto", "phone_number": "555-0142", "email": "ana@mail.example", "birthday": "1990-05-03"}
BEN = {"name": "Ben Prieto", "phone_number": "555-0199", "email": "ben@mail.example", "relationship": "Husband"}
ME = {"name": "Kim Lee", "phone_number": "555-0100", "birthday": "1988-11-30", "is_self": True}
WARD = {"title": "Ward round", "start": "2026-05-17T15:15:00", "end": "2026-05-17T16:45:00"}
PILL = {"name": "Amlodipine", "dose": "5 mg", "frequency": "daily", "start": "2025-12-29"}


def asked(query: str, answer: str, *records: dict[str, Any]) -> str:
    return asked_field(query, answer, [Observation(Call("get"), records)], 2026)


@pytest.mark.parametrize(
    ("query", "answer", "record", "told"),
    [
        ("what's Ana's number?", "Ana Prieto: ana@mail.example.", ANA, "Ana Prieto's number is 555-0142."),
        ("Do I have a number for Ana", "Yes, in an app.", ANA, "Ana Prieto's number is 555-0142."),
        (
            "what comes after the at sign for Ana lol",
            "555-0142",
            ANA,
            "Ana Prieto's e-mail address is ana@mail.example.",
        ),
        ("When was Ana born?", "In your contacts.", ANA, "Ana Prieto's birthday is Thu 3 May 1990."),
        ("what's her number", "It's Ana.", ANA, "Ana Prieto's number is 555-0142."),
        ("when is my birthday", "Tomorrow.", ME, "Your birthday is Wed 30 Nov 1988."),
        ("what time does the ward round finish", "Sun 17 May 15:15.", WARD, "Ward round ends Sun 17 May 16:45."),
        ("Since when am I on Amlodipine?", "Since 14 January.", PILL, "Amlodipine: since Mon 29 Dec 2025."),
    ],
)
def test_the_field_asked_for_is_told(query: str, answer: str, record: dict[str, Any], told: str) -> None:
    assert asked(query, answer, record) == told


@pytest.mark.parametrize(
    ("query", "answer", "record"),
    [
        ("what's Ana's number?", "It is 555 0142? No: 555-0142.", ANA),
        ("what's Ana's e-mail address?", "Ana@mail.example", ANA),
        ("when does the ward round end?", "At 16:45.", WARD),
        ("Is Ana's birthday coming up?", "Yes, on Sunday 3 May.", ANA),
    ],
)
def test_an_answer_that_has_it_stays(query: str, answer: str, record: dict[str, Any]) -> None:
    assert asked(query, answer, record) == ""


@pytest.mark.parametrize(
    ("query", "records"),
    [
        ("what's the number of the Prietos?", (ANA, BEN)),  # both are meant as much as the other
        ("what's the number of guests?", (ANA,)),
        ("Email Ana the question if the ferry is running", (ANA,)),
        ("what did Ana's email say", (ANA,)),
        ("what's Ana's number?", (WARD,)),
        ("what's Ana's number?", ()),
        ("when does the ward round start, not end?", (WARD,)),
        ("when did I phone Ana?", (ANA,)),
    ],
)
def test_where_in_doubt_nothing_is_told(query: str, records: tuple[dict[str, Any], ...]) -> None:
    assert asked(query, "I don't know.", *records) == ""


def test_of_several_the_one_that_is_named() -> None:
    assert asked("what's my husband's number?", "x", ANA, BEN) == "Ben Prieto's number is 555-0199."


def test_of_namesakes_the_one_whose_day_the_answer_tells() -> None:
    later = {**WARD, "start": "2026-05-24T15:15:00", "end": "2026-05-24T17:00:00"}
    query = "when is the ward round over"
    assert asked(query, "On Sunday 24 May.", WARD, later) == "Ward round ends Sun 24 May 17:00."
    assert asked(query, "On Sunday.", WARD, later) == ""


@pytest.mark.parametrize("odd", [{**WARD, "title": ""}, {**WARD, "title": None}, {"name": None, "email": "a@b"}, {}])
def test_a_record_without_a_name_is_not_told_of(odd: dict[str, Any]) -> None:
    assert asked("when is it over, and what's his email", "x", odd) == ""


def test_what_two_look_ups_find_is_one_record() -> None:
    assert asked("what's Ana's number?", "x", ANA, dict(ANA)) == "Ana Prieto's number is 555-0142."


def test_a_question_back_stays_a_question() -> None:
    assert asked("what's Ana's number?", "Which Ana do you mean?", ANA) == ""

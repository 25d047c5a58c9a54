"""Answers of yes or no that code decides: by an end, by who wrote last, by two readings; and what it leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.answering.answer import answer
from camphor.agents.answering.verdicts import verdict_of
from tests.doubles.answering import phone

TAKEN = {"name": "Amoxicillin", "dose": "500 mg", "frequency": "three times a day", "start": "2026-03-02"}


def message(text: str, at: str, mine: bool = False, contact: str = "Petra Lund") -> dict[str, Any]:
    return {"contact": contact, "from_me": mine, "date": at, "text": text}


@pytest.mark.parametrize(("end", "verdict"), [("2026-03-09", "No:"), ("2026-03-20", "Yes:"), ("2026-03-12", "Yes:")])
def test_a_medicine_is_still_taken_until_its_end(end: str, verdict: str) -> None:
    told = answer("am I still on the amoxicillin", phone(health__medications=[{**TAKEN, "end": end}]))
    assert told.text.startswith(verdict)
    assert "Amoxicillin" in told.text


def test_what_has_not_begun_or_has_no_end_has_no_verdict() -> None:
    for record in ({**TAKEN, "end": "2026-03-20", "start": "2026-03-15"}, TAKEN):
        told = answer("am I still on the amoxicillin", phone(health__medications=[record]))
        assert not told.text.startswith(("Yes", "No"))


ASKED = message("Could you bring the urn on Saturday?", "2026-03-11T16:00:00")


def test_nothing_was_told_where_nothing_was_written_since() -> None:
    told = answer("did I tell Petra about the urn", phone(imessage__messages=[ASKED]))
    assert told.text.startswith("No: Petra Lund wrote")


def test_what_was_written_since_is_told_and_not_judged() -> None:
    since = message("The urn comes with me", "2026-03-11T17:00:00", mine=True)
    told = answer("did I tell Petra about the urn", phone(imessage__messages=[ASKED, since]))
    assert not told.text.startswith("No")
    assert "The urn comes with me" in told.text


def test_where_nothing_was_asked_nothing_is_missing() -> None:
    greeting = message("The urn was lovely, see you on Saturday", "2026-03-11T16:00:00")
    told = answer("did I tell Petra about the urn", phone(imessage__messages=[greeting]))
    assert "see you on Saturday" in told.text
    assert not told.text.startswith("No")


def test_another_talk_is_no_answer() -> None:
    other = message("The urn comes with me", "2026-03-11T17:00:00", mine=True, contact="Oisin Brannock")
    told = answer("did I tell Petra about the urn", phone(imessage__messages=[ASKED, other]))
    assert "Petra Lund" in told.text
    assert "Yes" not in told.text


WEIGHTS = [
    {"name": "Weight", "value": "71.5 kg", "date": "2026-02-03"},
    {"name": "Weight", "value": "70.2 kg", "date": "2026-03-10"},
]


@pytest.mark.parametrize(("query", "verdict"), [("lower", "Yes:"), ("higher", "No:")])
def test_two_readings_are_compared(query: str, verdict: str) -> None:
    told = answer(f"is my weight {query} than in February", phone(health__records=WEIGHTS))
    assert told.text.startswith(verdict)
    assert "71.5" in told.text
    assert "70.2" in told.text


def test_readings_of_two_kinds_are_not_compared() -> None:
    records = [{**WEIGHTS[0], "name": "Waist", "value": "80 cm"}, WEIGHTS[1]]
    told = answer("is my weight lower than in February", phone(health__records=records))
    assert not told.text.startswith(("Yes", "No"))


@pytest.mark.parametrize(
    ("says", "verdict"), [((), None), ((0.1, 0.85, 0.05), True), ((0.9, 0.1, 0.0), False), ((0.5, 0.5, 0.0), None)]
)
def test_the_reader_has_to_be_sure(says: tuple[float, ...], verdict: bool | None) -> None:
    assert verdict_of(says) is verdict

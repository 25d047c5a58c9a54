from __future__ import annotations

from datetime import datetime

import pytest

from camphor_lab.evaluation.stated import agree, facts_of

NOW = datetime(2026, 4, 16, 9)  # a Thursday


def same(one: str, other: str) -> bool:
    """Whether every fact of one text is one of the other."""
    first, second = facts_of(one, NOW), facts_of(other, NOW)
    assert first
    return all(any(agree(fact, each) for each in second) for fact in first)


@pytest.mark.parametrize(
    "writing",
    ["16:30", "4.30 pm", "4:30pm", "at 4:30", "16h30", "half past four", "half past 4 in the afternoon",
     "2026-04-19T16:30"],
)  # fmt: skip
def test_a_time_is_known_in_every_writing(writing: str) -> None:
    assert same("16:30", f"It leaves {writing}, they say.")


@pytest.mark.parametrize("writing", ["16:31", "4:30 am", "04:30", "half past five", "1630 people", "16 or 30"])
def test_another_time_is_not(writing: str) -> None:
    assert not same("16:30", f"It leaves {writing}.")


@pytest.mark.parametrize(
    "writing",
    ["Sunday", "Sun 19 Apr", "19 April", "April 19th, 2026", "19/04/2026", "4/19/2026", "the 19th", "in 3 days",
     "on 17 and 19 April", "from 18 to 19 April"],
)  # fmt: skip
def test_a_day_is_known_in_every_writing(writing: str) -> None:
    assert same("2026-04-19", f"That is {writing}.")


@pytest.mark.parametrize("writing", ["Saturday", "19 May", "tomorrow", "the 18th", "19 April 2025", "in two days"])
def test_another_day_is_not(writing: str) -> None:
    assert not same("2026-04-19", f"That is {writing}.")


def test_days_count_from_the_clock_of_the_phone() -> None:
    assert same("2026-04-17", "tomorrow")
    assert same("2026-04-15", "yesterday")
    assert same("2026-04-02", "two weeks ago")
    assert not any(fact.kind == "day" for fact in facts_of("tomorrow"))


@pytest.mark.parametrize(
    ("number", "writing"),
    [("1384", "1,384"), ("1384", "1 384"), ("1384.5", "€1,384.50"), ("5.6", "5,6 km"), ("5.6", "5.63"),
     ("12", "twelve"), ("25", "twenty-five"), ("180000", "Rs 1,80,000"), ("175", "R175"), ("-3", "-3 degrees"),
     ("9.5", "at 9.50")],
)  # fmt: skip
def test_a_number_is_known_in_every_writing(number: str, writing: str) -> None:
    assert same(number, f"It is {writing}.")


def test_figures_of_times_days_and_phones_are_no_numbers() -> None:
    said = "On Thu 12 March at 10:45 ring +353 1 555 0133"
    assert {fact.kind for fact in facts_of(said, NOW)} == {"day", "clock", "phone"}
    assert not same("12", said)


def test_a_phone_number_is_its_digits() -> None:
    assert same("+353 1 555 0133", "(00353) 1-555-0133")
    assert same("087 555 0163", "+353 87 555 0163")
    assert not same("087-555-0163", "087-555-0164")


def test_what_claims_nothing_is_weak() -> None:
    assert all(fact.weak for fact in facts_of("one of them, just after midnight, 3/4 of it", NOW))

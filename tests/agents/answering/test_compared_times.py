"""A figure at two times: both are told, with how far apart they are, or which of them is not known."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime

import pytest

from camphor.agents.answering.answer import answer
from camphor.agents.answering.comparing import compared_times, not_compared
from camphor.device.device import Device
from tests.doubles.answering import NOW, PHONE

STEPS = {"2026-03-11": 9214, "2026-03-10": 7034, "2026-03-09": 11870, "2026-03-04": 7730}


def walked() -> Device:
    phone = deepcopy(PHONE)
    days = [{"date": day, "steps": steps, "distance_km": steps / 1000} for day, steps in STEPS.items()]
    phone["apps"]["fitness"] = {"days": days}
    return Device.create(None, phone)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("How many steps did I take yesterday compared to the day before?", "2180 steps more"),
        ("how many more steps did I do on Monday than on Tuesday", "4836 steps more"),
        ("Compare my steps on Monday and Tuesday", "11870 steps on Monday, 7034 steps Tuesday"),
        ("Did I take more steps yesterday than the day before?", "Yes: 9214 steps yesterday, 7034 steps"),
        ("compared to last week, how many steps did I do this week?", "28118 steps this week, 7730 steps last week"),
    ],
)
def test_both_times_and_the_difference_are_told(query: str, told: str) -> None:
    with walked() as phone:
        assert told in answer(query, phone).text


def test_the_time_that_nothing_is_known_of_is_named() -> None:
    with walked() as phone:
        told = answer("how many steps did I take yesterday versus today", phone).text
    assert "9214 steps yesterday" in told
    assert "nothing" in told
    assert "(today)" in told


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("steps yesterday compared to the day before", ("2026-03-11", "2026-03-10")),
        ("steps this week vs the week before", ("2026-03-09", "2026-03-02")),
        ("steps in March compared with the month before", ("2026-03-01", "2026-02-01")),
        ("steps yesterday and the day before", None),
        ("did I walk more than 9000 steps yesterday", None),
        ("is the lantern dearer than the trowel", None),
    ],
)
def test_two_times_are_read_where_they_are_compared(query: str, days: tuple[str, str] | None) -> None:
    read = compared_times(query, datetime.fromisoformat(NOW))
    questions = (read.first, read.second) if read else ()
    found = tuple(f"{each.stretch.first:%Y-%m-%d}" for each in questions if each.stretch)
    assert found == (days or ())


def test_what_is_not_compared_is_named() -> None:
    assert not_compared("is the lantern dear compared to the trowel?") == "the trowel"
    assert not_compared("is the lantern dearer than the trowel?") == ""


def test_what_words_pick_is_not_all_that_another_time_has() -> None:
    with walked() as phone:
        told = answer("how many choir rehearsals do I have this week compared to last week", phone).text
    assert "fair" not in told
    assert "1 event last week" not in told

"""The stretch of time that a question names."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.answering.question import read_question
from camphor.agents.answering.stretch import read_stretch

NOW = datetime(2026, 3, 12, 9, 0)  # a Thursday


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what's on today", "2026-03-12T00:00", "2026-03-12T23:59"),
        ("what's on this evening", "2026-03-12T17:00", "2026-03-12T23:59"),
        ("how far did I walk since Monday", "2026-03-09T00:00", "2026-03-12T23:59"),
        ("how far did I walk since Friday", "2026-03-06T00:00", "2026-03-12T23:59"),
        ("what did I do Monday through Wednesday", "2026-03-09T00:00", "2026-03-11T23:59"),
        ("what is on from Saturday to Sunday", "2026-03-14T00:00", "2026-03-15T23:59"),
        ("what is on between Saturday and Sunday", "2026-03-14T00:00", "2026-03-15T23:59"),
        ("what was on Tuesday last week", "2026-03-03T00:00", "2026-03-03T23:59"),
        ("am I free tomorrow after 17:00", "2026-03-13T17:00", "2026-03-13T23:59"),
        ("am I free on Saturday at 11", "2026-03-14T11:00", "2026-03-14T11:00"),
    ],
)
def test_the_time_is_read(text: str, first: str, last: str) -> None:
    stretch, spans, _ = read_stretch(text, NOW)
    assert stretch is not None
    assert (stretch.first, stretch.last) == (datetime.fromisoformat(first), datetime.fromisoformat(last))
    assert spans


@pytest.mark.parametrize(
    "text",
    [
        "which orders cost over 20",
        "how many of my 3 tickets are paid",
        "who liked my 500 photos",
        "did I run 10 km",
        "who sat next to Ana",
        "is the sun out",
        "what was the first song",
        "did I walk at 10,000 steps",
    ],
)
def test_bare_figures_and_unsure_words_are_no_times(text: str) -> None:
    assert read_stretch(text, NOW) == (None, [], False)


def test_a_weekday_without_a_week_may_be_of_the_past() -> None:
    assert read_stretch("what was on Friday", NOW)[2]
    assert not read_stretch("what is on next Friday", NOW)[2]
    assert not read_stretch("what is on today", NOW)[2]


def test_words_of_time_point_at_no_record() -> None:
    question = read_question("when is the regatta on Saturday", NOW)
    assert list(question.content.values()) == ["regatta"]


def test_stretches_meet_and_hold() -> None:
    stretch, _, _ = read_stretch("today", NOW)
    assert stretch is not None
    assert stretch.holds(NOW)
    assert not stretch.shifted(1).holds(NOW)
    assert stretch.meets(datetime(2026, 3, 11, 22), datetime(2026, 3, 12, 1))
    assert not stretch.meets(datetime(2026, 3, 13), datetime(2026, 3, 14))

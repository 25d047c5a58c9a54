"""The clock is told where nothing but it is asked for."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.small_talk import clock

NOW = datetime(2026, 3, 5, 8, 45)


@pytest.mark.parametrize(
    "query",
    [
        "what time is it",
        "What's the date today?",
        "what day is it",
        "whats the time pls",
        "tell me today's date and the time",
        "what's the year",
        "Tell me the time and date. Thank you",
        "Excuse me, what time is it now?",
        "Do you have the time?",
        "which day of the week is it today",
        "could you tell me the time please",
    ],
)
def test_the_clock_is_told(query: str) -> None:
    assert clock(query, NOW) == "It is Thursday 5 March 2026, 08:45."


@pytest.mark.parametrize(
    "query",
    [
        "what time is it in Tokyo",
        "what time is lunch",
        "what's the date of the concert",
        "what day is Ana's birthday",
        "time",
        "today",
        "the day",
        "what time is it over",
        "tell me the day's plan",
        "what's the time of day that I walk most",
        "give me the date with Ana",
        "do you have time",
        "I need time",
        "what time" + " today is today" * 280 + "x",  # and not in a lifetime
        "",
    ],
)
def test_what_else_is_asked_is_left_alone(query: str) -> None:
    assert clock(query, NOW) == ""

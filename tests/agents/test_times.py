"""Times of calls are made of words that were said or seen."""

from __future__ import annotations

from datetime import datetime

import pytest
from llguidance import LLMatcher, LLTokenizer

from camphor.agents.times import time_words
from camphor.tools.grammar import call_list_grammar
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent, Call, Observation, Step, Turn

NOW = datetime(2026, 3, 12, 8, 45)


def seen(**record: object) -> Turn:
    call = Call("get_calendar_event")
    return Turn("an hour before it", (Step(Agent.CONTEXT, (call,), (Observation(call, (record,)),)),))


def test_the_words_of_the_query_are_sorted_by_what_they_say() -> None:
    words = time_words([Turn("remind me tomorrow at 5 pm, or Friday, or at half ten, twenty minutes before")], NOW)
    assert "tomorrow at 5 pm" in words.moments
    assert "Friday" in words.days
    assert "half ten" in words.clocks
    assert any("twenty minutes" in length for length in words.lengths)


def test_moments_of_what_was_found_can_be_used_as_they_are_shown() -> None:
    words = time_words([seen(title="Dentist", start="2026-03-14T16:30:00", notes="bring the x-rays by noon")], NOW)
    assert "Sat 14 Mar 16:30" in words.moments
    assert "noon" in words.clocks
    assert words.lengths == ("an hour",)


def test_numbers_that_are_no_time_are_left_out() -> None:
    words = time_words([seen(name="Ana", phone_number="555-0156-4567")], NOW)
    assert not any("555" in piece for piece in (*words.moments, *words.days, *words.clocks))


def test_a_query_without_a_word_of_time_has_none() -> None:
    words = time_words([Turn("remind me to call her")], NOW)
    assert not any((words.moments, words.days, words.clocks, words.lengths, words.shifts))


def test_a_phone_full_of_text_is_searched_in_part_only() -> None:
    turn = seen(**{f"note{number}": f"meeting {number} on Friday at {number % 12}:30 " * 30 for number in range(60)})
    assert len(time_words([turn], NOW).moments) <= 60


@pytest.mark.parametrize(
    "query", ["remind me 8 tonight to lock up", "set 5pm tomorrow for Cody", "half eight tomorrow"]
)
def test_a_moment_that_is_also_a_day_with_an_hour_makes_one_grammar(query: str) -> None:
    remind = Tool("remind", "", (Parameter("time", role=Role.TIME),), Kind.ACTION, Agent.TASK)
    grammar = call_list_grammar([remind], times=time_words([Turn(query)], NOW))
    matcher = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(grammar), log_level=0)
    text = (
        f'[remind(time="{query.removeprefix("remind me ").removeprefix("set ").split(" to ")[0].split(" for ")[0]}")]'
    )
    assert matcher.consume_tokens(list(text.encode())), matcher.get_error()
    assert matcher.is_accepting()

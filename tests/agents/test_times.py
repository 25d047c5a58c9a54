"""Times of calls are made of words that were said or seen."""

from __future__ import annotations

from datetime import datetime

import pytest
from llguidance import LLMatcher, LLTokenizer

from camphor.agents.observed_facts import Known
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Setting
from camphor.agents.times import time_words
from camphor.agents.wants import Think
from camphor.device.when import parse_time
from camphor.tools.calls import render_calls
from camphor.tools.grammar import call_list_grammar
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn

NOW = datetime(2026, 3, 12, 8, 45)


def seen(**record: object) -> Turn:
    call = Call("get_calendar_event")
    return Turn("an hour before it", (Step(Agent.CONTEXT, (call,), (Observation(call, (record,)),)),))


def test_the_words_of_the_query_are_sorted_by_what_they_say() -> None:
    words = time_words(
        Known.of([Turn("remind me tomorrow at 5 pm, or Friday, or at half ten, twenty minutes before")], NOW)
    )
    assert "tomorrow at 5 pm" in words.moments
    assert "Friday" in words.days
    assert "half ten" in words.clocks
    assert any("twenty minutes" in length for length in words.lengths)


def test_moments_of_what_was_found_can_be_used_as_they_are_shown() -> None:
    words = time_words(
        Known.of([seen(title="Dentist", start="2026-03-14T16:30:00", notes="bring the x-rays by noon")], NOW)
    )
    assert "Sat 14 Mar 16:30" in words.moments
    assert "noon" in words.clocks
    assert words.lengths == ("an hour",)


def test_numbers_that_are_no_time_are_left_out() -> None:
    words = time_words(Known.of([seen(name="Ana", phone_number="555-0156-4567")], NOW))
    assert not any("555" in piece for piece in (*words.moments, *words.days, *words.clocks))


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("is there one for monday's survey?", {"for monday", "monday"}),
        ("bring Friday\u2019s forms", {"Friday"}),
        ("cancel this evening's class and tomorrow's", {"this evening", "tomorrow"}),
        ("move tmrw's and thurs' runs to sat nite", {"tmrw", "thurs", "sat", "sat nite"}),
        ("i'll do it tonite or 2moro", {"tonite", "2moro"}),
        ("bake for New Year's Eve", {"New Year's Eve", "for New Year's Eve"}),
    ],
)
def test_days_are_read_as_people_type_them_and_without_what_belongs_to_them(query: str, days: set[str]) -> None:
    assert set(time_words(Known.of([Turn(query)], NOW)).days) == days


def test_the_day_of_what_belongs_to_it_takes_an_hour() -> None:
    grammar = task_grammar(REMIND, queries=("none for Monday's survey? then at noon",))
    assert writes(grammar, 'remind(time="Monday at noon")')
    assert not writes(grammar, 'remind(time="Monday\'s at noon")')


@pytest.mark.parametrize(
    ("query", "time"),
    [
        ("I'm driving on the 4th, half ten that night nudge me", "the 4th at half ten that night"),
        ("off Saturday, tell her by six that morning", "Saturday at six that morning"),
        ("no supper next Friday, and that Saturday at noon buy flowers", "the Saturday after next Friday at noon"),
        ("dinner Friday, a reminder for six the evening before", "the evening before Friday at six"),
        ("Put down today: 14h30, the dentist", "today at 14h30"),
        ("tomorrow, I arrive 19h and not 18h30", "tomorrow at 19h"),
    ],
)
def test_an_hour_may_refer_to_a_day_that_was_said(query: str, time: str) -> None:
    grammar = task_grammar(REMIND, queries=(query,))
    assert writes(grammar, f'remind(time="{time}")')
    parse_time(time, NOW)


def test_an_hour_that_refers_to_a_day_is_no_time_alone_nor_beside_a_day_it_contradicts() -> None:
    words = time_words(Known.of([Turn("tomorrow night or on Friday, half ten that morning")], NOW))
    assert "half ten that morning" not in (*words.moments, *words.clocks)
    assert "Friday at half ten that morning" in words.moments
    assert not any("night at half ten" in moment for moment in words.moments)


def test_a_query_without_a_word_of_time_has_none() -> None:
    words = time_words(Known.of([Turn("remind me to call her")], NOW))
    assert not any((words.moments, words.days, words.clocks, words.lengths, words.shifts))


def test_a_phone_full_of_text_is_searched_in_part_only() -> None:
    turn = seen(**{f"note{number}": f"meeting {number} on Friday at {number % 12}:30 " * 30 for number in range(60)})
    assert len(time_words(Known.of([turn], NOW)).moments) <= 60


@pytest.mark.parametrize(
    "query", ["remind me 8 tonight to lock up", "set 5pm tomorrow for Cody", "half eight tomorrow"]
)
def test_a_moment_that_is_also_a_day_with_an_hour_makes_one_grammar(query: str) -> None:
    remind = Tool("remind", "", (Parameter("time", role=Role.TIME),), Kind.ACTION, Agent.TASK)
    grammar = call_list_grammar([remind], times=time_words(Known.of([Turn(query)], NOW)))
    matcher = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(grammar), log_level=0)
    text = (
        f'[remind(time="{query.removeprefix("remind me ").removeprefix("set ").split(" to ")[0].split(" for ")[0]}")]'
    )
    assert matcher.consume_tokens(list(text.encode())), matcher.get_error()
    assert matcher.is_accepting()


REMIND = Tool("remind", "", (Parameter("time", role=Role.TIME),), Kind.ACTION, Agent.TASK)
RIDE = Tool(
    "ride", "", (Parameter("to"), Parameter("time", required=False, role=Role.TIME)), Kind.ACTION, Agent.TASK, "rides"
)


def task_grammar(*tools: Tool, queries: tuple[str, ...], records: tuple[dict[str, object], ...] = ()) -> str:
    """What the orchestrator lets task completion write after these turns, of which the last looked up the records."""
    look = Call("get_notes_content", {"keyword": "x"})
    wants = orchestrate(
        queries[-1], tuple(Turn(query, response="When?") for query in queries[:-1]), Setting(Toolbox(tools), NOW)
    )
    next(wants)
    if records:
        wants.send("personal_context")
        wants.send(render_calls([look]))
        wants.send((Observation(look, records),))
    want = wants.send("task_completion")
    assert isinstance(want, Think)
    return want.grammar


def writes(grammar: str, text: str) -> bool:
    matcher = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(grammar), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return bool(matcher.consume_tokens(list(f" [{text}]".encode())) and matcher.is_accepting())


def test_where_nothing_says_when_no_tool_that_needs_a_time_is_offered() -> None:
    grammar = task_grammar(REMIND, RIDE, queries=("tell her what I have promised",))
    assert writes(grammar, "")  # it can still end: with an answer, or by asking when
    assert writes(grammar, 'ride(to="the pier")')
    assert not writes(grammar, 'ride(to="the pier", time="I have promised")')
    assert not writes(grammar, 'remind(time="I have promised")')
    alone = task_grammar(REMIND, queries=("tell her what I have promised",))
    assert alone.startswith('start: " [" ("]")\n')


def test_a_length_or_a_shift_alone_does_not_say_when() -> None:
    assert '"remind("' not in task_grammar(REMIND, queries=("remind me the day before, or half an hour before",))


@pytest.mark.parametrize(
    ("queries", "time"),
    [
        (("remind me to call her tomorrow",), "tomorrow"),
        (("remind me tomorrow to call her", "no, her mother"), "tomorrow"),
        (("remind me to call her", "Eight."), "Eight"),
        (("remind me to call her", "730"), "730"),
        (("a cab to the pier right now",), "right now"),
        (("a cab to the pier, now please",), "now"),
    ],
)
def test_a_time_may_come_from_any_turn_and_may_be_a_bare_hour_or_now(queries: tuple[str, ...], time: str) -> None:
    assert writes(task_grammar(REMIND, RIDE, queries=queries), f'remind(time="{time}"); ride(to="x", time="{time}")')


@pytest.mark.parametrize("query", ["now that I promised, note it", "text the one I met just now", "note that I may go"])
def test_other_uses_of_such_words_do_not_say_when(query: str) -> None:
    assert '"remind("' not in task_grammar(REMIND, queries=(query,))


def test_what_was_found_may_say_when() -> None:
    notes = Tool("get_notes_content", "", (Parameter("keyword"),), Kind.CONTEXT, Agent.CONTEXT, "notes")
    found: tuple[dict[str, object], ...] = ({"content": "The boat leaves on 14 March at 6"},)
    assert writes(task_grammar(notes, REMIND, queries=("remind me of it",), records=found), 'remind(time="14 March")')
    silent: tuple[dict[str, object], ...] = ({"content": "The boat is blue"},)
    assert '"remind("' not in task_grammar(notes, REMIND, queries=("remind me of it",), records=silent)

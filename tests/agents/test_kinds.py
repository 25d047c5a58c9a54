"""A look-up by a mere word for what an app keeps is asked again by time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.lookup_fallback import by_time_alone
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Setting
from camphor.agents.wants import Act, Rank, Seek, Tell, Think
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn

NOW = datetime(2026, 3, 12, 8, 45)
CALENDAR = Tool(
    "get_calendar_event",
    "Events.",
    (
        Parameter("theme", required=False, role=Role.KEYWORD),
        Parameter("time_range", required=False, role=Role.TIME_RANGE),
    ),
    Kind.CONTEXT,
    Agent.CONTEXT,
    "calendar",
)
NOTES = Tool("get_notes", "Notes.", (Parameter("keyword", role=Role.KEYWORD),), Kind.CONTEXT, Agent.CONTEXT, "notes")
AHEAD = Call("get_calendar_event", {"time_range": "2026-03-12/2026-03-26"})


def turn(arguments: dict[str, str], found: tuple[dict[str, Any], ...] = (), name: str = "get_calendar_event") -> Turn:
    call = Call(name, arguments)
    return Turn("When is my next meeting?", (Step(Agent.CONTEXT, (call,), (Observation(call, found),)),))


@pytest.mark.parametrize("theme", ["meeting", "next meeting", "my upcoming appointments", "Events"])
def test_a_word_for_the_kind_is_asked_from_today_on(theme: str) -> None:
    assert by_time_alone(turn({"theme": theme}), (CALENDAR, NOTES), NOW) == (AHEAD,)


def test_days_that_were_named_are_kept() -> None:
    asked = turn({"theme": "meetings", "time_range": "2026-03-13"})
    assert by_time_alone(asked, (CALENDAR,), NOW) == (Call("get_calendar_event", {"time_range": "2026-03-13"}),)


@pytest.mark.parametrize(
    "asked",
    [
        turn({"theme": "dentist appointment"}),  # it names one
        turn({"theme": "next"}),
        turn({"time_range": "2026-03-13"}),
        turn({"theme": "meeting"}, ({"title": "Board meeting"},)),
        turn({"keyword": "meeting"}, name="get_notes"),  # not asked by time
    ],
)
def test_all_else_is_left_as_it_was_asked(asked: Turn) -> None:
    assert by_time_alone(asked, (CALENDAR, NOTES), NOW) == ()


def test_the_loop_looks_again_before_the_agents_go_on() -> None:
    loop = orchestrate("When is my next meeting?", (), Setting(Toolbox([CALENDAR, NOTES]), NOW))
    said = iter(["personal_context", '[get_calendar_event(theme="meeting")]', "task_completion"])
    event = {"title": "Standup", "start": "2026-03-12T10:00:00"}
    done: list[tuple[Call, ...]] = []
    answer: Any = None
    while True:
        try:
            want = loop.send(answer)
        except StopIteration as stop:
            turn_made: Turn = stop.value
            break
        if isinstance(want, Think):
            answer = next(said)
        elif isinstance(want, Rank):
            answer = ()
        elif isinstance(want, Tell):
            answer = f"At {want.turn.steps[1].observations[0].records[0]['start']}."
        else:
            if isinstance(want, Act):
                done.append(want.calls)
            assert isinstance(want, Act | Seek)
            answer = tuple(Observation(call, (event,) if call == AHEAD else ()) for call in want.calls)
    assert done == [(Call("get_calendar_event", {"theme": "meeting"}),), (AHEAD,)]
    assert turn_made.response == "At 2026-03-12T10:00:00."

"""The planner of one call: what it shows, what it may write, and what becomes of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.calling.caller import PlannedCalls
from camphor.models.base import Request, ScriptedModel
from camphor.models.constraint import accepts
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent, Call
from camphor_lab.context.planner import MOST_VALUES, Planner, background_of, line_of, values_of

NOW = datetime(2026, 3, 16, 21, 5)
EVENT = {
    "title": "Guitar class",
    "start": "2026-03-17T18:00:00",
    "end": "2026-03-17T19:00:00",
    "location": "Studio 3",
    "organizer": "Ana Silva <ana@strings.example>",
    "participants": ["Ana Silva <ana@strings.example>", "Bo"],
    "notes": "",
}
DETAILS = Tool(
    "get_event_details",
    "When and where an event is.",
    (Parameter("title", role=Role.REFERENCE),),
    Kind.CONTEXT,
    Agent.CONTEXT,
    "calendar",
)
MOVE = Tool(
    "reschedule_event",
    "Move an event to another time.",
    (Parameter("title", role=Role.REFERENCE), Parameter("start", role=Role.TIME)),
    Kind.ACTION,
    Agent.TASK,
    "calendar",
)
LIST = Tool(
    "list_events",
    "What is planned.",
    (Parameter("time_range", role=Role.TIME_RANGE),),
    Kind.CONTEXT,
    Agent.CONTEXT,
    "calendar",
)
TOOLS = (DETAILS, MOVE, LIST)


def asked(answer: str, query: str = "when do I have to be there?", **options: Any) -> tuple[Request, PlannedCalls]:
    model = ScriptedModel([answer])
    planned = Planner(model, TOOLS).plan(query, NOW, **options)
    return model.requests[0], planned


def prompt_of(request: Request) -> str:
    return "".join(segment.text for segment in request.prompt)


def test_an_item_is_one_short_line() -> None:
    assert line_of("calendar", EVENT, 2026) == "calendar: Guitar class, Tue 17 Mar 18:00, Studio 3, Ana Silva, Bo"
    body = "I am writing to you about the roof, which the storm of last week has carried off"
    mail = {"sender": "Bo", "subject": "Roof", "date": "2025-12-01T08:00:00", "body": body}
    assert line_of("mail", mail, 2026) == (
        "mail: Bo, Roof, Mon 1 Dec 2025 08:00, I am writing to you about the roof, which the ..."
    )
    reminder = {"content": "Pay rent", "time": "", "done": True, "minutes": 4}
    assert line_of("reminders", reminder, 2026) == "reminders: Pay rent, done, 4 minutes"


def test_values_are_whole_and_name_something() -> None:
    assert list(dict.fromkeys(values_of(EVENT))) == [
        "Guitar class",
        "Studio 3",
        "Ana Silva",
        "ana@strings.example",
        "Bo",
    ]
    assert list(values_of({"body": "x" * 10_000_000, "at": "2026-03-17", "n": 3, "done": True})) == []
    many = background_of((("notes", {"title": f"note {n}"}) for n in range(9999)), NOW)
    assert len(many.values) == MOST_VALUES


def test_a_prompt_shows_tools_clock_and_items() -> None:
    request, planned = asked(
        'result0 = get_event_details(title="Guitar class")', tools=TOOLS[:2], items=[("calendar", EVENT)]
    )
    text = prompt_of(request)
    order = [
        "get_event_details(title)",
        "reschedule_event(",
        "Now: Mon 16 Mar 2026 21:05",
        "calendar: Guitar class",
        "when do I",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "list_events" not in text
    assert planned.plan == (Call("get_event_details", {"title": "Guitar class"}),)


def test_texts_are_copied_from_items_or_from_the_request() -> None:
    request, _ = asked(
        'result0 = list_events(time_range="today")', "move my lesson", tools=TOOLS, items=[("calendar", EVENT)]
    )
    grammar = request.grammar or ""
    for title in ("Guitar class", "Studio 3", "my lesson", "Lesson", "ana@strings.example"):
        assert accepts(grammar, f'result0 = get_event_details(title="{title}")')
    for title in ("Guitar", "Piano class", "less", "Guitar class "):
        assert not accepts(grammar, f'result0 = get_event_details(title="{title}")')
    assert accepts(grammar, 'result0 = reschedule_event(title="Guitar class", start="friday at five")')
    assert not accepts(grammar, 'result0 = drop_table(title="Guitar class")')
    assert not accepts(grammar, "# none")
    two = 'result0 = list_events(time_range="today")\nresult1 = list_events(time_range="today")'
    assert not accepts(grammar, two)


def test_without_retrieval_any_tool_can_be_called_and_none_is_shown() -> None:
    request, planned = asked('result0 = list_events(time_range="this week")', "what is on this week?")
    assert not any(tool.name in prompt_of(request) for tool in TOOLS)
    assert accepts(request.grammar or "", 'result0 = get_event_details(title="this week")')
    assert planned.plan == (Call("list_events", {"time_range": "2026-03-16/2026-03-22"}),)
    assert planned.tools == ()


@pytest.mark.parametrize(
    "answer", ["", "no idea", "result0 = fly(to=1)", 'result0 = reschedule_event(title="x", start="soon")']
)
def test_what_cannot_be_used_is_a_problem(answer: str) -> None:
    _, planned = asked(answer)
    assert planned.problem
    assert planned.plan == ()


def test_times_in_words_are_computed() -> None:
    answer = 'result0 = reschedule_event(title="Guitar class", start="half an hour before Tue 17 Mar 18:00")'
    _, planned = asked(answer, items=[("calendar", EVENT)])
    assert planned.plan[0].arguments["start"] == "2026-03-17T17:30:00"

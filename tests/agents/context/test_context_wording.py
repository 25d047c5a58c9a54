"""Gold values in the words that code computes them from."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.calling.caller import Background
from camphor.agents.calling.times import settle_times
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call
from camphor_lab.context.planner import in_words, is_copied, unsaid

NOW = datetime(2026, 3, 16, 21, 5)
EVENT = ("calendar", {"title": "Guitar class", "start": "2026-03-17T18:00:00", "end": "2026-03-17T19:00:00"})
TOOLBOX = Toolbox(
    (
        Tool(
            "move",
            "Move it.",
            (Parameter("title", role=Role.REFERENCE), Parameter("start", role=Role.TIME)),
            Kind.ACTION,
            Agent.TASK,
        ),
        Tool("find", "Find.", (Parameter("days", role=Role.TIME_RANGE),), Kind.CONTEXT, Agent.CONTEXT),
    )
)


def worded(name: str, query: str, **arguments: Any) -> dict[str, Any]:
    (call,) = in_words((Call(name, arguments),), TOOLBOX, query, [EVENT], NOW)
    (settled,) = settle_times((call,), TOOLBOX, NOW)
    assert settled.arguments == arguments, "the words mean the value"
    return dict(call.arguments)


@pytest.mark.parametrize(
    ("query", "start", "words"),
    [
        ("make it friday at half past five", "2026-03-20T17:30:00", "friday at half past five"),
        ("remind me half an hour before", "2026-03-17T17:30:00", "half an hour before Tue 17 Mar 18:00"),
        ("tell me when it begins", "2026-03-17T18:00:00", "Tue 17 Mar 18:00"),
        ("some day", "2026-05-02T08:00:00", "Sat 2 May 08:00"),
        ("", "2027-01-01T00:00:00", "Fri 1 Jan 2027 00:00"),
        ("to the second", "2026-05-02T08:00:07", "2026-05-02T08:00:07"),
    ],
)
def test_a_moment_is_in_the_words_of_the_request_or_of_an_item(query: str, start: str, words: str) -> None:
    assert worded("move", query, title="Guitar class", start=start) == {"title": "Guitar class", "start": words}


@pytest.mark.parametrize(
    ("query", "days", "words"),
    [
        ("what is left today", "2026-03-16", "today"),
        ("what is left", "2026-03-16", "today"),
        ("and saturday?", "2026-03-21", "saturday"),
        ("and then?", "2026-04-09", "Thu 9 Apr"),
        ("the first days of april", "2026-04-01/2026-04-03", "Wed 1 Apr to Fri 3 Apr"),
    ],
)
def test_days_are_in_words(query: str, days: str, words: str) -> None:
    assert worded("find", query, days=days) == {"days": words}


def test_what_is_no_time_and_what_is_no_tool_stay() -> None:
    strange = (Call("fly", {"start": "2026-03-17T18:00:00"}), Call("move", {"title": "2026-03-17", "start": 5}))
    assert in_words(strange, TOOLBOX, "fly", [EVENT], NOW) == strange


def test_copied_is_a_whole_value_or_a_run_of_words() -> None:
    known = Background((), ("Guitar class",))
    assert is_copied("Guitar class", "", known)
    assert is_copied("oat milk", "we are out of Oat  milk!", known)
    for value in ("Guitar", "at milk", "milk we", "", "class"):
        assert not is_copied(value, "we are out of oat milk", known)


def test_unsaid_are_the_texts_that_nothing_says() -> None:
    known = Background((), ("Guitar class",))
    move = Call("move", {"title": "Guitar class", "start": "2026-03-17T18:00:00"})
    assert unsaid(move, TOOLBOX, "move it", known) == ()
    assert unsaid(move, TOOLBOX, "move it", Background()) == ("title",)
    assert unsaid(move, TOOLBOX, "move the guitar class", Background()) == ()
    assert unsaid(Call("fly", {"to": "x"}), TOOLBOX, "", known) == ()

"""Times of calls, resolved against the clock and against each other."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.calling.times import settle_times, words_of_time
from camphor.device.when import WhenError
from camphor.device.when.events import clock_of
from camphor.errors import ArgumentError
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call

NOW = datetime(2026, 3, 12, 8, 45)  # a Thursday
EVENT = Tool(
    "add_event",
    "Add an event.",
    (
        Parameter("END_TIME", role=Role.TIME, required=False),
        Parameter("BEGIN_TIME", role=Role.TIME, required=False),
        Parameter("ALL_DAY", "boolean", required=False),
        Parameter("due", role=Role.DATE, required=False),
        Parameter("title", required=False),
    ),
    Kind.ACTION,
    Agent.TASK,
)
BOX = Toolbox([EVENT])


def settled(**arguments: object) -> dict[str, object]:
    (call,) = settle_times((Call("add_event", arguments),), BOX, NOW)
    return dict(call.arguments)


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ("next Friday at 3 pm", "5 pm", ("2026-03-20T15:00:00", "2026-03-20T17:00:00")),
        ("tomorrow at 10", "two hours", ("2026-03-13T10:00:00", "2026-03-13T12:00:00")),
        ("tomorrow at 9", "for 90 minutes", ("2026-03-13T09:00:00", "2026-03-13T10:30:00")),
        ("tomorrow at 9", "until half past ten", ("2026-03-13T09:00:00", "2026-03-13T10:30:00")),
        ("tomorrow at 22:00", "1 am", ("2026-03-13T22:00:00", "2026-03-14T01:00:00")),
        ("tomorrow at 9", "Saturday at 7 pm", ("2026-03-13T09:00:00", "2026-03-14T19:00:00")),
        ("tomorrow at 9", "2026-03-14T00:00:00", ("2026-03-13T09:00:00", "2026-03-14T00:00:00")),
        ("2026-04-01T08:00", "an hour", ("2026-04-01T08:00", "2026-04-01T09:00:00")),
    ],
)
def test_an_end_counts_from_its_begin(begin: str, end: str, expected: tuple[str, str]) -> None:
    found = settled(BEGIN_TIME=begin, END_TIME=end)
    assert (found["BEGIN_TIME"], found["END_TIME"]) == expected


def test_a_whole_day_begins_at_midnight_and_a_date_has_no_hour() -> None:
    assert settled(BEGIN_TIME="tomorrow", ALL_DAY=True)["BEGIN_TIME"] == "2026-03-13T00:00:00"
    assert settled(due="next Friday")["due"] == "2026-03-20"
    for words in ("until next Friday", "to the 20th", "20 March"):
        assert settled(due=words)["due"] == "2026-03-20", words


def test_all_else_stays() -> None:
    plan = (Call("add_event", {"title": "tomorrow at 5", "due": "2026-03-01"}), Call("other", {"BEGIN_TIME": "x"}))
    assert settle_times(plan, BOX, NOW) == plan


def test_words_that_say_no_time_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"add_event\(BEGIN_TIME='blue'\).*understood"):
        settled(BEGIN_TIME="blue")
    with pytest.raises(ArgumentError, match="no clock"):
        settle_times((Call("add_event", {"due": "tomorrow"}),), BOX, None)


def test_words_that_say_a_time_are_found_in_a_request() -> None:
    said = words_of_time("Alarm for the 8:12 ferry, at 10 p.m. every Monday, count 20 minutes", tuple(Role), NOW)
    assert {"8:12", "at 10 p.m.", "10 p.m"} <= set(said[Role.HOUR])
    assert "8:12 ferry" not in said[Role.HOUR]
    assert "20 minutes" in said[Role.DURATION]
    assert "every Monday" in said[Role.WEEKDAYS]
    assert "ferry" not in said[Role.WEEKDAYS]
    assert "at 10 p.m. every Monday" not in said[Role.HOUR]


def test_moments_need_a_clock() -> None:
    assert Role.TIME not in words_of_time("tomorrow at 5 pm", tuple(Role), None)
    assert "tomorrow at 5 pm" in words_of_time("see you tomorrow at 5 pm", tuple(Role), NOW)[Role.TIME]
    assert words_of_time("", tuple(Role), NOW) == {}


def test_a_day_alone_says_no_hour() -> None:
    said = words_of_time("ring on Mon Tue Sun at noon", (Role.HOUR,), NOW)[Role.HOUR]
    assert {"noon", "at noon", "Sun at noon"} <= set(said)
    assert not {"Mon", "Sun", "on Mon"} & set(said)
    with pytest.raises(WhenError, match="names a day and no hour"):
        clock_of("Monday")

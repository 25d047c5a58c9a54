"""An hour without its day, and an event that is moved to where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.agents.policies.time_completion import completed
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel
from camphor.types import Agent, Call, Step, Turn

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Hester Cole",
    "now": "2026-11-11T10:00:00",  # a Wednesday
    "timezone": "Europe/London",
    "location": {"city": "Norwich"},
    "apps": {
        "calendar": {
            "events": [
                {"title": "Roof survey", "start": "2026-11-17T08:30:00"},
                {"title": "Lamb tasting", "start": "2026-11-21T17:00:00"},
                {"title": "Lamb tasting", "start": "2026-12-05T17:00:00"},
            ]
        },
        "reminders": {"reminders": []},
    },
}
SURVEY, TASTING = (Call("get_calendar_event", {"theme": theme}) for theme in ("survey", "tasting"))
CANCEL = Call("cancel_calendar_event", {"event_title": "Roof survey"})


def create(time: str) -> Call:
    return Call("create_calendar_event", {"time": time, "event_title": "Roof survey"})


def remind(time: str) -> Call:
    return Call("create_reminders", {"time": time, "content": "Bring the ladder"})


def done(query: str, *calls: Call, look: Call = SURVEY) -> tuple[Call, ...]:
    with Device.create(None, PHONE) as device:
        turn = Turn(query, (Step(Agent.CONTEXT, (look,), (device.execute(look),)),))
        return completed(calls, turn, device.toolbox, device.now)


@pytest.mark.parametrize(
    ("query", "written", "meant"),
    [
        ("move the survey to half nine", "half nine", "Tue 17 Nov 09:30"),  # not this evening's half nine
        ("move the survey to three", "three", "Tue 17 Nov 15:00"),
        ("push the survey to Friday", "Friday", "Fri 20 Nov 08:30"),  # its hour, not the usual nine; of its week
        ("push the survey to Friday at ten", "Friday at ten", "Fri 20 Nov 10:00"),
        ("push the survey to Friday morning", "Friday morning", "Fri 20 Nov 09:00"),
        ("pull the survey to Monday", "Monday", "Mon 16 Nov 08:30"),
        ("pull the survey to this Friday", "this Friday", "Fri 13 Nov 08:30"),  # which week is said
        ("pull the survey to Friday 13 November", "Friday 13 November", "Fri 13 Nov 08:30"),
        ("the survey starts at nine and not half past eight, move it", "Tue 17 Nov 08:30", "Tue 17 Nov 09:00"),
    ],
)
def test_an_event_is_moved_from_where_it_stands(query: str, written: str, meant: str) -> None:
    assert done(query, CANCEL, create(written)) == (CANCEL, create(meant))


def test_of_two_other_times_none_is_chosen() -> None:
    stays = (CANCEL, create("Tue 17 Nov 08:30"))
    assert done("move the survey, nine or eleven suits them", *stays) == stays


def test_the_time_of_another_action_is_not_the_events() -> None:
    calls = (CANCEL, create("Tue 17 Nov 08:30"), remind("nine"))
    assert done("the survey moved, and remind me at nine to bring the ladder", *calls) == calls


def test_what_is_only_cancelled_is_not_made_again() -> None:
    assert done("scratch the survey", CANCEL, create("Tue 17 Nov 08:30")) == (CANCEL,)


@pytest.mark.parametrize(
    ("query", "written", "meant"),
    [
        ("the survey, remind me at seven that morning: ladder", "at seven", "Tue 17 Nov 07:00"),
        ("the survey, remind me that evening at six: ladder", "six", "Tue 17 Nov 18:00"),
        ("the survey, remind me at two that day: ladder", "two", "Tue 17 Nov 14:00"),
        ("the survey, and remind me at seven: ladder", "seven", "seven"),
        ("the survey and Friday's tea, at seven that morning: ladder", "seven", "seven"),  # which morning?
        ("two days before the survey, at seven that day: ladder", "seven", "seven"),
    ],
)
def test_that_day_is_the_one_found(query: str, written: str, meant: str) -> None:
    assert done(query, remind(written)) == (remind(meant),)


def test_of_two_days_found_none_is_chosen() -> None:
    assert done("the tasting, at seven that morning: lamb", remind("seven"), look=TASTING) == (remind("seven"),)


def test_the_assistant_moves_what_it_found() -> None:
    words = [
        "personal_context",
        ' [get_calendar_event(theme="survey")]',
        "task_completion",
        ' [cancel_calendar_event(event_title="Roof survey"); '
        'create_calendar_event(time="half nine", event_title="Roof survey")]',
    ]
    with Device.create(None, PHONE) as device:
        assistant = Assistant(device, ScriptedModel(words))
        answered = run_to_end(assistant, "put the survey to half nine", consent=True)
    assert "Tue 17 Nov 09:30" in answered.response

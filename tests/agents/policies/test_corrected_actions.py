"""The last action with another person or time, as a policy: what a correction asks for, and what is none."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.policies.base import Situation
from camphor.agents.policies.corrections import CORRECTIONS
from camphor.agents.prompts import Setting
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Step, Turn

REMIND = Tool(
    "create_reminders",
    "Set a reminder.",
    (Parameter("title"), Parameter("time", role=Role.TIME)),
    Kind.ACTION,
    Agent.TASK,
    "reminders",
)
SET = Call("create_reminders", {"title": "Call the dentist", "time": "at nine"})
BEFORE = Turn("Remind me to call the dentist at nine", (Step(Agent.TASK, (SET,)),), "Reminder set.")


def revised(query: str, calls: tuple[Call, ...], *history: Turn) -> object:
    setting = Setting(Toolbox((REMIND,)), datetime(2026, 3, 12, 8, 45), "Dublin", frozenset(("reminders",)))
    loop = CORRECTIONS.revise(Situation(Turn(query), history, setting), calls)
    with pytest.raises(StopIteration) as ended:
        next(loop)
    return ended.value.value


def test_another_time_changes_the_last_action() -> None:
    later = Call(SET.name, {**SET.arguments, "time": "Thu 12 Mar 10:00"})
    assert revised("actually, make it ten", (), BEFORE) == (later,)


@pytest.mark.parametrize("query", ["actually, make it ten", "what's on today?"])
def test_without_an_action_before_there_is_nothing_to_put_right(query: str) -> None:
    assert revised(query, (SET,)) == (SET,)


def test_another_wish_is_no_correction() -> None:
    assert revised("remind me to buy milk at five", (SET,), BEFORE) == (SET,)

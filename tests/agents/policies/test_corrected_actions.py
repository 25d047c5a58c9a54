"""The last action with another person or time, as a policy: what a correction asks for, and what is none."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import datetime
from importlib.resources import files

import pytest

from camphor.agents.policies.base import Situation
from camphor.agents.policies.corrections import CORRECTIONS
from camphor.agents.prompts import Setting
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn

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


LEXICON = tomllib.loads((files("camphor.agents.policies") / "corrections.toml").read_text(encoding="utf-8"))
WATER = Tool(
    "water_bed",
    "Water a bed.",
    (Parameter("bed"), Parameter("minutes", type="integer"), Parameter("how", enum=("gently", "deeply"))),
    Kind.ACTION,
    Agent.TASK,
    "garden",
)
CONTACTS = Tool(
    "get_contacts_information",
    "Find people.",
    (Parameter("keyword", role=Role.KEYWORD),),
    Kind.CONTEXT,
    Agent.CONTEXT,
    "contacts",
)
TEXT = Tool(
    "send_message",
    "Send a message.",
    (Parameter("receiver", role=Role.PHONE), Parameter("content")),
    Kind.ACTION,
    Agent.TASK,
    "messages",
)
PEOPLE = ({"name": "Nora Keane", "relationship": "Friend", "phone_number": "555-0101"},)


def again(query: str, last: Call, *calls: Call) -> tuple[Call, ...]:
    """What becomes of the calls written for a reply to a turn that did `last`; look-ups find Nora by her name alone."""
    setting = Setting(
        Toolbox((REMIND, WATER, TEXT, CONTACTS)), datetime(2026, 3, 12, 8, 45), "Dublin", frozenset(("reminders",))
    )
    before = Turn("...", (Step(Agent.TASK, (last,), (Observation(last),)),), "Done.")
    loop = CORRECTIONS.revise(Situation(Turn(query), (before,), setting), calls)
    try:
        want = next(loop)
        while True:
            asked = [str(call.arguments["keyword"]) for call in want.calls]
            found = tuple(
                Observation(call, PEOPLE if "Nora" in said or "friend" in said.lower() else ())
                for call, said in zip(want.calls, asked, strict=True)
            )
            want = loop.send(found)
    except StopIteration as ended:
        return ended.value


WATERED = Call("water_bed", {"bed": "north", "minutes": 25, "how": "gently"})
REMINDED = Call("create_reminders", {"title": "Ring the surgery", "time": "2026-03-13T07:00:00"})
TEXTED = Call("send_message", {"receiver": "555-0199", "content": "I am late"})


@pytest.mark.parametrize(
    ("query", "last", "changed"),
    [
        ("sorry, 24. more I don't have", WATERED, {"minutes": 24}),
        ("30 not 25", WATERED, {"minutes": 30}),
        ("no, deeply", WATERED, {"how": "deeply"}),
        ("na they're no open, mak it half eight", REMINDED, {"time": "Fri 13 Mar 08:30"}),
        ("wait, Saturday", REMINDED, {"time": "Sat 14 Mar 07:00"}),
        ("och no her, Nora I meant", TEXTED, {"receiver": "Nora Keane"}),
        ("no, my friend", TEXTED, {"receiver": "Nora Keane"}),
    ],
)
def test_one_value_changes_and_the_rest_stays(query: str, last: Call, changed: dict[str, object]) -> None:
    assert again(query, last) == (Call(last.name, {**last.arguments, **changed}),)


@pytest.mark.parametrize("query", [*LEXICON["examples"]["others"], "is it raining?", "thanks", "no, bed north"])
@pytest.mark.parametrize("last", [WATERED, REMINDED, TEXTED])
def test_what_is_no_correction_is_left_to_the_model(query: str, last: Call) -> None:
    assert again(query, last) == ()


def test_a_figure_that_two_parameters_could_have_changes_none() -> None:
    two = replace(WATER, parameters=(Parameter("bed", type="integer"), Parameter("minutes", type="integer")))
    setting = Setting(Toolbox((two,)), datetime(2026, 3, 12, 8, 45), "Dublin", frozenset())
    last = Call("water_bed", {"bed": 3, "minutes": 25})
    before = Turn("...", (Step(Agent.TASK, (last,), (Observation(last),)),), "Done.")
    loop = CORRECTIONS.revise(Situation(Turn("sorry, 14"), (before,), setting), ())
    with pytest.raises(StopIteration) as ended:
        next(loop)
    assert ended.value.value == ()


def test_without_a_word_that_puts_right_a_value_counts_where_the_model_does_the_same_again() -> None:
    assert again("eight", REMINDED, SET) != (SET,)
    other = Call("water_bed", {"bed": "south", "minutes": 8, "how": "deeply"})
    assert again("eight", REMINDED, other) == (other,)

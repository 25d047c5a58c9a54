"""One grammar for all strategies: what a list of calls may hold, and which limits loosen it."""

from __future__ import annotations

from datetime import datetime

import pytest

from camphor.agents.bounds import USUAL, Limits, calls_grammar
from camphor.agents.prompts import Setting
from camphor.models.constraint import accepts
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn

FIND = Tool(
    "find_songs",
    "Find songs.",
    (Parameter("keyword", role=Role.KEYWORD), Parameter("mood", required=False)),
    Kind.CONTEXT,
    Agent.CONTEXT,
)
REMIND = Tool(
    "remind",
    "Remind the person.",
    (Parameter("time", role=Role.TIME), Parameter("title", role=Role.NAME), Parameter("note")),
    Kind.ACTION,
    Agent.TASK,
)
SETTING = Setting(Toolbox((FIND, REMIND)), datetime(2026, 3, 12, 8, 45), "Dublin", frozenset())
SEEN = Observation(Call("find_songs"), ({"title": "Blue Hour", "plays": 41},))
TURNS = (Turn("remind me at 6 of Blue Hour", (Step(Agent.CONTEXT, (Call("find_songs"),), (SEEN,)),)),)


def remind(time: str = "6", title: str = "Blue Hour", note: str = "played 41 times") -> str:
    return f'[remind(time="{time}", title="{title}", note="{note}")]'


def test_an_action_holds_what_was_said_or_seen() -> None:
    assert accepts(calls_grammar([REMIND], TURNS, SETTING, USUAL), remind())


@pytest.mark.parametrize(
    ("call", "loosened"),
    [
        (remind(time="7 pm"), "allowed_times"),
        (remind(title="Red Hour"), "allowed_names"),
        (remind(note="played 42 times"), "allowed_numbers"),
        ('[find_songs(keyword="jazz")]', "allowed_words"),
    ],
)
def test_each_limit_bounds_one_kind_of_value(call: str, loosened: str) -> None:
    tools = [FIND] if "find" in call else [REMIND]
    assert not accepts(calls_grammar(tools, TURNS, SETTING, USUAL), call)
    assert accepts(calls_grammar(tools, TURNS, SETTING, USUAL.without(loosened)), call)


def test_a_figure_is_bounded_in_a_list_that_may_hold_an_action() -> None:
    call = '[find_songs(keyword="blue", mood="from 1999")]'
    assert accepts(calls_grammar([FIND], TURNS, SETTING, USUAL), call)
    assert not accepts(calls_grammar([FIND, REMIND], TURNS, SETTING, USUAL), call)


def test_the_number_of_calls_is_that_of_the_limits_unless_told() -> None:
    three = '[find_songs(keyword="blue"); find_songs(keyword="hour"); find_songs(keyword="Blue Hour")]'
    assert not accepts(calls_grammar([FIND], TURNS, SETTING, Limits(calls=2)), three)
    assert accepts(calls_grammar([FIND], TURNS, SETTING, Limits(calls=2), most=3), three)


def test_an_empty_list_and_a_prefix_are_chosen() -> None:
    grammar = calls_grammar([FIND], TURNS, SETTING, USUAL, may_be_empty=False, prefix=" ")
    assert not accepts(grammar, " []")
    assert accepts(grammar, ' [find_songs(keyword="blue")]')


def test_what_was_looked_up_in_vain_names_nothing_to_act_on() -> None:
    def after(*found: dict[str, str]) -> str:
        call = Call("find_songs", {"keyword": "Luther Vandross"})
        step = Step(Agent.CONTEXT, (call,), (Observation(call, found),))
        turns = (Turn("remind me at 6 of some luther vandross for the ride", (step,)),)
        return calls_grammar([REMIND], turns, SETTING, USUAL)

    assert not accepts(after(), remind(title="luther vandross", note="ride"))
    assert accepts(after(), remind(title="the ride", note="ride"))
    assert accepts(after({"title": "Never Too Much"}), remind(title="luther vandross", note="ride"))


def test_a_contact_or_a_date_names_no_song() -> None:
    contact = {"person_id": "5", "name": "Blue Hour", "email": "blue@example.org", "birthday": "2009-02-06"}
    places = {"relationship": "Barber, Kiln Street 4"}

    def after(record: dict[str, str]) -> str:
        call = Call("find_songs", {"keyword": "barber"})
        turns = (
            Turn("remind me at 6 of the barber", (Step(Agent.CONTEXT, (call,), (Observation(call, (record,)),)),)),
        )
        return calls_grammar([REMIND], turns, SETTING, USUAL)

    for title in ("Blue Hour", "blue@example.org", "Feb 2009"):
        assert not accepts(after(contact), remind(title=title, note="go"))
    assert accepts(after({**contact, **places}), remind(title="Kiln Street 4", note="go"))

"""What leaves unsaid what it is about: when items are looked up for it, which, and how the loop goes on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from camphor.agents.bounds import USUAL, Limits
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Setting, render
from camphor.agents.relevant import SURE, finding, look_ups, nothing_known, sure_of
from camphor.agents.wants import Act, Check, Rank, Seek, Tell, Think
from camphor.retrieval.context.relevance import Relevant
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Trajectory, Turn

CLASS = {"title": "Guitar class", "start": "2026-03-17T18:00:00"}
BEFORE = {"title": "Guitar class", "start": "2026-03-10T18:00:00"}
ANA = {"contact": "Ana Silva", "date": "2026-03-11T09:30:00"}


def reading(name: str, app: str, *parameters: Parameter) -> Tool:
    return Tool(name, "Find.", parameters, Kind.CONTEXT, Agent.CONTEXT, app)


CALENDAR = reading(
    "get_calendar_event",
    "calendar",
    Parameter("theme", role=Role.KEYWORD, required=False),
    Parameter("time_range", role=Role.TIME_RANGE, required=False),
)
CALLS = reading("get_call_history", "phone", Parameter("contact", role=Role.PERSON, required=False))
BY_STOP = reading("get_departures", "phone", Parameter("stop"))
CANCEL = Tool("cancel_event", "Cancel.", (Parameter("title", role=Role.KEYWORD),), Kind.ACTION, Agent.TASK, "calendar")
CALL = Tool("call", "Call.", (Parameter("person", role=Role.PERSON),), Kind.ACTION, Agent.TASK, "phone")
TOOLS = (CALENDAR, CALLS, BY_STOP, CANCEL)
SETTING = Setting(Toolbox((CALENDAR, CALLS, CANCEL, CALL)), datetime(2026, 3, 12, 9, 0), "Lisbon", frozenset())
LESSON = Relevant("calendar", CLASS, "Guitar class", 0.7)


def test_nothing_is_known_until_a_look_up_found_something() -> None:
    vain = Step(Agent.CONTEXT, (Call("get_calendar_event"),), (Observation(Call("get_calendar_event")),))
    clock = Step(Agent.DEVICE, (Call("get_time"),), (Observation(Call("get_time"), ({"time": "09:00"},)),))
    found = Step(Agent.CONTEXT, (Call("get_calendar_event"),), (Observation(Call("get_calendar_event"), (CLASS,)),))
    assert nothing_known(Turn("when?"))
    assert nothing_known(Turn("when?", (clock, vain)))
    assert not nothing_known(Turn("when?", (vain, found)))


def test_only_items_that_the_ranker_is_sure_of_are_looked_up_and_at_most_two() -> None:
    items = [Relevant("calendar", CLASS, str(place), share) for place, share in enumerate((0.6, SURE, SURE, 0.1))]
    assert [item.title for item in sure_of(items)] == ["0", "1"]
    assert sure_of([Relevant("calendar", CLASS, "x", SURE - 0.01)]) == ()
    assert sure_of(items, margin=0.6) == (items[0],)


def test_an_item_is_looked_up_in_its_app_by_its_name_and_by_its_day_and_never_acted_on() -> None:
    assert look_ups(LESSON, TOOLS) == (
        Call("get_calendar_event", {"theme": "Guitar class"}),
        Call("get_calendar_event", {"theme": "Guitar class", "time_range": "2026-03-17"}),
    )
    call = Relevant("phone", ANA, "Ana Silva", 0.7)
    assert look_ups(call, TOOLS) == (Call("get_call_history", {"contact": "Ana Silva"}),)


@pytest.mark.parametrize(
    "item",
    [Relevant("chess", {"title": "Blitz"}, "Blitz", 0.7), Relevant("calendar", {"title": ""}, " ", 0.7)],
    ids=["an app without look-ups", "no name"],
)
def test_what_cannot_be_looked_up_by_name_is_not(item: Relevant) -> None:
    assert look_ups(item, TOOLS) == ()


def test_a_long_name_is_cut_and_an_unreadable_day_left_out() -> None:
    item = Relevant("calendar", {"title": "long", "start": "soon"}, " ".join("abcdefghijk"), 0.7)
    assert look_ups(item, TOOLS) == (Call("get_calendar_event", {"theme": "a b c d e f g h"}),)


def test_the_look_up_is_kept_that_finds_the_item_and_little_else() -> None:
    by_name, by_day = look_ups(LESSON, TOOLS)
    both = Observation(by_name, (BEFORE, CLASS))
    assert finding(LESSON, (by_name, by_day), (both, Observation(by_day, (CLASS,)))) == by_day
    only = Observation(by_name, (CLASS,))
    assert finding(LESSON, (by_name, by_day), (only, Observation(by_day, (CLASS,)))) == by_name
    assert (
        finding(LESSON, (by_name, by_day), (Observation(by_name, (BEFORE,)), Observation(by_day, error="no"))) is None
    )


class Phone:
    """Answers what the loop wants: with the words of a model, two records, and the items that matter."""

    def __init__(self, words: list[str], items: tuple[Relevant, ...] = (LESSON,)) -> None:
        self.words, self.items = iter(words), items
        self.ranked: list[str] = []
        self.acts: list[tuple[str, ...]] = []

    def answer(self, want: object) -> Any:
        if isinstance(want, Think):
            return next(self.words)
        if isinstance(want, Rank):
            self.ranked.append(want.query)
            return self.items
        if isinstance(want, Tell):
            records = [each for step in want.turn.steps for seen in step.observations for each in seen.records]
            return str(records[0]["start"]) if records else "nothing there"
        assert isinstance(want, Act | Seek | Check)
        if isinstance(want, Act):
            self.acts.append(tuple(call.name for call in want.calls))
        return tuple(self._observe(call) for call in want.calls)

    def _observe(self, call: Call) -> Observation:
        asked = " ".join(map(str, call.arguments.values()))
        if call.name == "call" and asked != "Ana Silva":
            return Observation(call, error=f"nobody is called {asked}")
        found = [each for each in (CLASS, ANA) if asked.startswith(tuple(each.values()))]
        return Observation(call, tuple(found))


def solve(query: str, phone: Phone, limits: Limits | None = None) -> Turn:
    loop = orchestrate(query, (), SETTING, limits or Limits())
    answer: Any = None
    while True:
        try:
            answer = phone.answer(loop.send(answer))
        except StopIteration as stop:
            return stop.value


VAIN = ["personal_context", ' [get_calendar_event(theme="lesson")]', "task_completion"]


def test_a_look_up_that_found_nothing_is_followed_by_the_item_that_matters() -> None:
    phone = Phone([*VAIN, "task_completion"])
    turn = solve("when is my next lesson?", phone)
    assert [step.agent for step in turn.steps] == [Agent.CONTEXT, Agent.CONTEXT, Agent.TASK]
    assert [step.taught for step in turn.steps] == [True, False, True]
    assert turn.steps[1].calls == (Call("get_calendar_event", {"theme": "Guitar class"}),)
    assert turn.steps[1].observations[0].records == (CLASS,)
    assert turn.response == "2026-03-17T18:00:00"


def test_no_model_learns_to_look_up_what_code_has_found() -> None:
    turn = solve("when is my next lesson?", Phone([*VAIN, "task_completion"]))
    text = "".join(part.text for part in render(Trajectory(turn), SETTING) if part.trained)
    assert "Guitar class" not in text


def test_an_action_that_the_phone_does_not_understand_is_thought_over_with_the_item_in_sight() -> None:
    ana = Relevant("phone", ANA, "Ana Silva", 0.7)
    said = ["task_completion", ' [call(person="her")]', "task_completion", ' [call(person="Ana Silva")]']
    phone = Phone(said, (ana,))
    turn = solve("ring her back", phone)
    assert phone.acts == [("get_call_history",), ("call",)]
    assert turn.steps[-1].calls == (Call("call", {"person": "Ana Silva"}),)


def test_other_experts_may_come_before_the_action_then() -> None:
    more = ["personal_context", ' [get_call_history(contact="Ana Silva")]', "task_completion", " []", "Whom?"]
    turn = solve("let them know I'm running late", Phone(["task_completion", " []", *more]))
    assert [step.calls[0].name for step in turn.steps[:-1]] == ["get_calendar_event", "get_call_history"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("call Ana Silva", ["task_completion", ' [call(person="Ana Silva")]']),
        ("Guitar class?", ["personal_context", ' [get_calendar_event(theme="Guitar class")]', *VAIN[2:]]),
    ],
    ids=["an action that is understood", "a look-up that finds"],
)
def test_a_query_that_says_what_it_needs_is_never_looked_into(query: str, words: list[str]) -> None:
    phone = Phone(words)
    solve(query, phone)
    assert phone.ranked == []


def test_it_can_be_left_out() -> None:
    phone = Phone(VAIN)
    turn = solve("when is my next lesson?", phone, USUAL.without("context_recall"))
    assert phone.ranked == []
    assert len(turn.steps) == 2


@pytest.mark.parametrize(
    "items",
    [
        (),
        (Relevant("calendar", CLASS, "Guitar class", 0.1),),
        (Relevant("calendar", {"title": "Another phone's"}, "Another phone's", 0.9),),
        (Relevant("calendar", {"title": "lesson"}, "lesson", 0.9),),
    ],
    ids=["an empty phone", "unsure", "not on this phone", "looked up before"],
)
def test_the_query_goes_on_without_where_nothing_helps(items: tuple[Relevant, ...]) -> None:
    phone = Phone(VAIN, items)
    turn = solve("when is my next lesson?", phone)
    assert phone.ranked == ["when is my next lesson?"]
    assert [step.agent for step in turn.steps] == [Agent.CONTEXT, Agent.TASK]
    assert turn.response == "nothing there"


def test_one_query_is_looked_into_once() -> None:
    said = ["task_completion", ' [call(person="her")]', "task_completion", ' [call(person="him")]']
    phone = Phone(said)
    turn = solve("ring them", phone)
    assert phone.ranked == ["ring them"]
    assert turn.steps[-1].observations[0].error

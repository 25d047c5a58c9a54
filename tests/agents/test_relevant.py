"""What leaves unsaid what it is about: when items are looked up for it, which, and how the loop goes on."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from camphor.agents.bounds import USUAL, Limits
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Setting, render
from camphor.agents.relevant import (
    AGREED,
    AHEAD,
    SURE,
    WHOM,
    finding,
    look_ups,
    nothing_known,
    option_of,
    picked,
    sure_of,
    usual_action,
    which,
)
from camphor.agents.wants import Act, Check, Rank, Seek, Tell, Think, Unnamed, Want
from camphor.device.usage_events import ItemRef
from camphor.retrieval.context.relevance import Relevant
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Trajectory, Turn

CLASS = {"title": "Guitar class", "start": "2026-03-17T18:00:00"}
BEFORE = {"title": "Guitar class", "start": "2026-03-10T18:00:00"}
ANA = {"contact": "Ana Silva", "date": "2026-03-11T09:30:00"}


def relevant(app: str, record: dict[str, str], title: str, sure: float) -> Relevant:
    return Relevant(ItemRef(app, "all", 0), record, title, sure, record.get("contact", ""))


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
LESSON = relevant("calendar", CLASS, "Guitar class", 0.7)


def test_nothing_is_known_until_a_look_up_found_something() -> None:
    vain = Step(Agent.CONTEXT, (Call("get_calendar_event"),), (Observation(Call("get_calendar_event")),))
    clock = Step(Agent.DEVICE, (Call("get_time"),), (Observation(Call("get_time"), ({"time": "09:00"},)),))
    found = Step(Agent.CONTEXT, (Call("get_calendar_event"),), (Observation(Call("get_calendar_event"), (CLASS,)),))
    assert nothing_known(Turn("when?"))
    assert nothing_known(Turn("when?", (clock, vain)))
    assert not nothing_known(Turn("when?", (vain, found)))


def test_only_an_item_that_is_likely_and_far_ahead_of_others_is_looked_up() -> None:
    first, second = (relevant("calendar", CLASS, name, SURE) for name in "ab")
    assert sure_of([first]) == (first,)
    assert sure_of([first, replace(second, sure=SURE / AHEAD)]) == (first,)
    assert sure_of([first, replace(second, sure=SURE / AHEAD + 0.01)]) == ()
    assert sure_of([replace(first, sure=SURE - 0.01)]) == ()
    assert sure_of([]) == ()


def test_more_of_the_same_persons_does_not_make_it_unclear() -> None:
    call, text, other = (relevant(app, ANA, "Ana Silva", 0.9) for app in ("phone", "imessage", "mail"))
    assert sure_of([call, text, other]) == (call,)
    assert sure_of([call, replace(text, person="Bo Ek")]) == ()


def test_an_item_is_looked_up_in_its_app_by_its_name_and_by_its_day_and_never_acted_on() -> None:
    assert look_ups(LESSON, TOOLS) == (
        Call("get_calendar_event", {"theme": "Guitar class"}),
        Call("get_calendar_event", {"theme": "Guitar class", "time_range": "2026-03-17"}),
    )
    call = relevant("phone", ANA, "Ana Silva", 0.7)
    assert look_ups(call, TOOLS) == (Call("get_call_history", {"contact": "Ana Silva"}),)


@pytest.mark.parametrize(
    "item",
    [relevant("chess", {"title": "Blitz"}, "Blitz", 0.7), relevant("calendar", {"title": ""}, " ", 0.7)],
    ids=["an app without look-ups", "no name"],
)
def test_what_cannot_be_looked_up_by_name_is_not(item: Relevant) -> None:
    assert look_ups(item, TOOLS) == ()


def test_a_long_name_is_cut_and_an_unreadable_day_left_out() -> None:
    item = relevant("calendar", {"title": "long", "start": "soon"}, " ".join("abcdefghijk"), 0.7)
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
        self.query = ""
        self.ranked: list[str] = []
        self.acts: list[tuple[str, ...]] = []

    def answer(self, want: object) -> Any:
        if isinstance(want, Think):
            return next(self.words)
        if isinstance(want, Rank):
            self.ranked.append(want.query)
            return self.items
        if isinstance(want, Unnamed):
            return tuple(self._unnamed(call) for call in want.calls)
        if isinstance(want, Tell):
            records = [each for step in want.turn.steps for seen in step.observations for each in seen.records]
            return str(records[0]["start"]) if records else "nothing there"
        assert isinstance(want, Act | Seek | Check)
        if isinstance(want, Act):
            self.acts.append(tuple(call.name for call in want.calls))
        return tuple(self._observe(call) for call in want.calls)

    def _unnamed(self, call: Call) -> str:
        return next((name for name, value in call.arguments.items() if str(value) not in self.query), "")

    def _observe(self, call: Call) -> Observation:
        asked = " ".join(map(str, call.arguments.values()))
        if call.name == "call" and asked != "Ana Silva":
            return Observation(call, error=f"nobody is called {asked}")
        found = [each for each in (CLASS, ANA) if asked.startswith(tuple(each.values()))]
        return Observation(call, tuple(found))


def solve(query: str, phone: Phone, limits: Limits | None = None, meant: str = "") -> Turn:
    phone.query = query
    return driven(orchestrate(query, (), replace(SETTING, meant=meant), limits or Limits()), phone)


def driven(loop: Generator[Want, Any, Turn], phone: Phone) -> Turn:
    answer: Any = None
    while True:
        try:
            answer = phone.answer(loop.send(answer))
        except StopIteration as stop:
            turn: Turn = stop.value
            return turn


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
    ana = relevant("phone", ANA, "Ana Silva", 0.7)
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
        (relevant("calendar", CLASS, "Guitar class", 0.1),),
        (relevant("calendar", {"title": "Another phone's"}, "Another phone's", 0.9),),
        (relevant("calendar", {"title": "lesson"}, "lesson", 0.9),),
    ],
    ids=["an empty phone", "unsure", "not on this phone", "looked up before"],
)
def test_the_query_goes_on_without_where_nothing_helps(items: tuple[Relevant, ...]) -> None:
    phone = Phone(VAIN, items)
    turn = solve("when is my next lesson?", phone)
    assert phone.ranked == ["when is my next lesson?"]
    assert [step.agent for step in turn.steps] == [Agent.CONTEXT, Agent.TASK]
    assert turn.response == "nothing there"


def test_whom_nobody_named_is_whom_the_ranker_is_sure_of_whatever_the_model_writes() -> None:
    said = ["task_completion", ' [call(person="Bo Ek")]', "task_completion", ' [call(person="Bo Ek")]']
    phone = Phone(said, (relevant("phone", ANA, "Ana Silva", 0.7),))
    turn = solve("ring her", phone)
    assert phone.acts == [("get_call_history",), ("call",)]
    assert turn.steps[-1].calls == (Call("call", {"person": "Ana Silva"}),)


def test_where_it_is_not_sure_the_person_is_asked_and_nothing_is_done() -> None:
    items = tuple(
        relevant("phone", {**ANA, "contact": name}, name, sure) for name, sure in (("Ana Silva", 0.3), ("Bo Ek", 0.2))
    )
    phone = Phone(["task_completion", ' [call(person="Bo Ek")]'], items)
    turn = solve("ring her", phone)
    assert phone.acts == []
    assert turn.response == "Do you mean “Ana Silva” or “Bo Ek”?"


def test_less_is_enough_where_model_and_ranker_agree() -> None:
    items = (relevant("phone", ANA, "Ana Silva", AGREED),)
    turn = solve("ring her", Phone(["task_completion", ' [call(person="Ana Silva")]'], items))
    assert turn.steps[-1].calls == (Call("call", {"person": "Ana Silva"}),)


def test_what_has_a_code_is_asked_about_by_its_name() -> None:
    codes = Tool("book", "Book.", (Parameter("room_no", role=Role.REFERENCE),), Kind.ACTION, Agent.TASK, "rooms")
    rooms = tuple(
        relevant("rooms", {"room_no": no, "title": title}, title, 0.3)
        for no, title in (("R1", "Attic"), ("R2", "Barn"))
    )
    phone = Phone(["task_completion", ' [book(room_no="R2")]'], rooms)
    phone.query = query = "the usual one please"
    loop = orchestrate(query, (), replace(SETTING, toolbox=Toolbox((CALENDAR, codes))), Limits())
    assert driven(loop, phone).response == "Do you mean “Attic” or “Barn”?"


PLAY = Tool("play", "Play.", (Parameter("title", role=Role.NAME),), Kind.ACTION, Agent.TASK, "music")
SONGS = tuple(relevant("music", {"title": title}, title, 0.3) for title in ("Low Tide", "Owambe"))


def put_on(items: tuple[Relevant, ...], unsaid: float) -> tuple[Turn, Phone]:
    """A turn of a model that takes a word of the query for the name of a song."""
    phone = Phone(
        ["task_completion", ' [play(title="party")]', "Fine.", "Fine."], tuple(replace(e, unsaid=unsaid) for e in items)
    )
    phone.query = query = "put that party one on"
    loop = orchestrate(query, (), replace(SETTING, toolbox=Toolbox((CALENDAR, PLAY))), Limits())
    return driven(loop, phone), phone


def test_a_word_that_is_no_name_on_the_phone_is_a_guess_where_the_query_leaves_its_thing_unsaid() -> None:
    turn, phone = put_on(SONGS, unsaid=0.9)
    assert (turn.response, phone.acts) == ("Do you mean “Low Tide” or “Owambe”?", [])


def test_what_is_on_the_phone_by_that_name_is_no_guess() -> None:
    party = relevant("music", {"title": "Party"}, "Party", 0.1)
    turn, _ = put_on((SONGS[0], party), unsaid=0.9)
    assert turn.steps[-1].calls == (Call("play", {"title": "party"}),)


def test_where_the_query_names_its_thing_the_phone_need_not_know_it() -> None:
    turn, _ = put_on(SONGS, unsaid=0.1)
    assert turn.steps[-1].calls == (Call("play", {"title": "party"}),)


def test_a_guess_that_could_be_nothing_on_the_phone_is_not_done() -> None:
    turn, phone = put_on((replace(LESSON, sure=0.3),), unsaid=0.9)
    assert ("play",) not in phone.acts
    assert not turn.steps[-1].calls


def test_what_is_usually_done_to_an_item_needs_its_name_alone() -> None:
    play = Tool("play", "Play.", (Parameter("title", role=Role.NAME),), Kind.ACTION, Agent.TASK, "music")
    rate = Tool(
        "rate", "Rate.", (Parameter("title", role=Role.NAME), Parameter("stars")), Kind.ACTION, Agent.TASK, "music"
    )
    song = relevant("music", {"title": "Low Tide"}, "Low Tide", 0.9)
    assert list(usual_action(song, (play, rate, CANCEL, CALL))) == [Call("play", {"title": "Low Tide"})]


def test_whom_a_call_goes_to_must_be_surer_than_what_is_played() -> None:
    ana = relevant("phone", ANA, "Ana Silva", WHOM)
    assert list(usual_action(ana, (CALL,))) == [Call("call", {"person": "Ana Silva"})]
    assert list(usual_action(replace(ana, sure=WHOM - 0.01), (CALL,))) == []
    said = ["task_completion", ' [call(person="Bo Ek")]'] * 2
    assert solve("ring her", Phone(said, (replace(ana, sure=0.6),))).response == "Do you mean “Ana Silva”?"


def test_what_is_said_beside_it_is_done_and_nobody_is_asked() -> None:
    ana = relevant("phone", ANA, "Ana Silva", 0.3)
    said = ["task_completion", ' [call(person="Bo Ek"); call(person="Ana Silva")]']
    turn = solve("ring her and Ana Silva", Phone(said, (ana,)))
    assert [call.arguments["person"] for call in turn.steps[-1].calls] == ["Bo Ek", "Ana Silva"]


def test_whom_the_person_picked_is_meant_however_unsure_the_ranker_was() -> None:
    items = tuple(
        relevant("phone", {**ANA, "contact": name}, name, sure) for name, sure in (("Bo Ek", 0.7), ("Ana Silva", 0.2))
    )
    said = ["task_completion", ' [call(person="Bo Ek")]', "task_completion", ' [call(person="Bo Ek")]']
    turn = solve("ring her", Phone(said, items), meant="Ana Silva")
    assert turn.steps[-1].calls == (Call("call", {"person": "Ana Silva"}),)


def test_what_the_person_picked_is_looked_up_though_two_things_are_called_so() -> None:
    twice = (LESSON, replace(LESSON, ref=ItemRef("calendar", "all", 1), record=BEFORE, sure=0.2))
    turn = solve("when is it?", Phone([*VAIN, "task_completion"], twice), meant="Guitar class")
    assert turn.steps[1].calls[0].name == "get_calendar_event"
    assert not turn.steps[1].taught


OPTIONS = ["Ana Silva", "Bo Ek"]


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("the second one", "Bo Ek"), ("first", "Ana Silva"), ("Bo, please", "Bo Ek"), ("ana silva", "Ana Silva"),
        ("I mean Ana", "Ana Silva"), ("yes", ""), ("not Ana", ""), ("wait a second", ""), ("who is Ana?", ""),
        ("text Ana instead", ""), ("Ana or Bo, whichever", ""), ("what is the weather like in Porto today", ""),
    ],
)  # fmt: skip
def test_an_answer_picks_one_of_the_things_that_were_asked_about(answer: str, meant: str) -> None:
    assert picked(answer, (Turn("ring her back", response=which(OPTIONS)),)) == meant


@pytest.mark.parametrize(
    ("answer", "meant"),
    [("yes", "Low Tide"), ("that's it, yes", "Low Tide"), ("no", ""), ("I'm not sure", ""), ("that's not right", ""),
     ("ok forget it", ""), ("not Low Tide", ""), ("low tide please", "Low Tide")],
)  # fmt: skip
def test_of_one_thing_yes_is_enough_but_nothing_else_may_be_said(answer: str, meant: str) -> None:
    assert picked(answer, (Turn("put it on", response=which(["Low Tide"])),)) == meant


def test_where_the_phones_use_is_hardly_known_the_question_says_so_and_is_answered_alike() -> None:
    items = tuple(replace(relevant("phone", {**ANA, "contact": n}, n, 0.3), known=False) for n in OPTIONS)
    turn = solve("ring her", Phone(["task_completion", ' [call(person="Bo Ek")]'], items))
    assert turn.response == "I hardly know yet how this phone is used. Do you mean “Ana Silva” or “Bo Ek”?"
    assert picked("the second", (turn,)) == "Bo Ek"


def test_no_other_question_is_answered_so() -> None:
    assert picked("yes", (Turn("put it on", response="Shall I play “Low Tide”?"),)) == ""
    assert picked("yes", ()) == ""


def test_a_name_is_offered_in_one_line_that_can_be_read_at_a_glance() -> None:
    assert option_of("The “Real”\n Thing") == "The 'Real' Thing"
    assert len(option_of("so " * 100)) <= 60

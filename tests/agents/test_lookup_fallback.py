"""Words under which one app has nothing are looked up where they stand."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from camphor.agents.bounds import USUAL, Limits
from camphor.agents.lookup_fallback import best, elsewhere, keyword_of, sought_in_vain, without
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import Setting
from camphor.agents.wants import Act, Rank, Seek, Tell, Think
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn


def look_up(name: str, *others: Parameter, keyword: str = "keyword") -> Tool:
    return Tool(name, "Find.", (Parameter(keyword, role=Role.KEYWORD), *others), Kind.CONTEXT, Agent.CONTEXT, "app")


CALENDAR, MAIL, NOTES = look_up("get_calendar"), look_up("get_mail", keyword="theme"), look_up("get_notes")
BY_DAY = look_up("get_day", Parameter("day"))  # wants more than words
TOOLS = (CALENDAR, MAIL, NOTES, BY_DAY)
LETTER = {"sender": "Expo", "body": "The locksmith expo opens its doors at half past eight on Saturday"}
NOTE = {"title": "Locksmith"}


def turn(*asked: tuple[str, dict[str, str], list[dict[str, Any]]], agent: Agent = Agent.CONTEXT) -> Turn:
    observations = tuple(Observation(Call(name, arguments), tuple(found)) for name, arguments, found in asked)
    return Turn("When does the locksmith expo open?", (Step(agent, tuple(o.call for o in observations), observations),))


def answers(calls: tuple[Call, ...], held: dict[str, list[dict[str, Any]]]) -> list[Observation]:
    return [Observation(call, tuple(held.get(call.name, ()))) for call in calls]


def test_the_same_words_are_asked_of_every_other_app_that_goes_by_words_alone() -> None:
    calls = elsewhere(turn(("get_calendar", {"keyword": "locksmith"}, [])), TOOLS)
    assert calls == (Call("get_mail", {"theme": "locksmith"}), Call("get_notes", {"keyword": "locksmith"}))


def test_nothing_is_sought_where_something_was_found() -> None:
    assert elsewhere(turn(("get_calendar", {"keyword": "locksmith"}, [NOTE])), TOOLS) == ()


def test_nothing_is_sought_where_another_look_up_found_it_under_the_same_words() -> None:
    both = turn(("get_calendar", {"keyword": "Locksmith"}, []), ("get_mail", {"theme": "locksmith"}, [LETTER]))
    assert elsewhere(both, TOOLS) == ()


def test_words_that_name_nothing_are_not_sought() -> None:
    assert elsewhere(turn(("get_calendar", {"keyword": "when is it"}, [])), TOOLS) == ()


def test_only_look_ups_of_the_phones_own_records_are_mended() -> None:
    assert elsewhere(turn(("get_calendar", {"keyword": "locksmith"}, []), agent=Agent.KNOWLEDGE), TOOLS) == ()


def test_a_look_up_that_failed_is_told_to_the_model_instead() -> None:
    call = Call("get_calendar", {"keyword": "locksmith"})
    failed = Turn("?", (Step(Agent.CONTEXT, (call,), (Observation(call, error="no such app"),)),))
    assert elsewhere(failed, TOOLS) == ()


def test_the_record_that_is_called_so_goes_before_the_letter_that_mentions_it() -> None:
    vain = turn(("get_calendar", {"keyword": "locksmith"}, []))
    calls = elsewhere(vain, (*TOOLS, look_up("get_pages"), look_up("get_songs")))
    held = {"get_mail": [LETTER], "get_notes": [NOTE], "get_pages": [{"title": "Locksmith expo: doors and tickets"}]}
    assert [call.name for call in best(calls, answers(calls, held), vain)] == ["get_notes", "get_pages"]


def test_all_words_go_before_some_and_few_of_them_do_not_count() -> None:
    vain = turn(("get_calendar", {"keyword": "locksmith expo doors"}, []))
    calls = elsewhere(vain, TOOLS)
    assert [c.name for c in best(calls, answers(calls, {"get_mail": [LETTER], "get_notes": [NOTE]}), vain)] == [
        "get_mail"
    ]
    assert best(calls, answers(calls, {"get_notes": [NOTE]}), vain) == ()


def test_what_was_seen_already_is_no_find() -> None:
    vain = turn(("get_notes", {"keyword": "keys"}, [NOTE]), ("get_calendar", {"keyword": "locksmith"}, []))
    calls = elsewhere(vain, TOOLS)
    assert best(calls, answers(calls, {"get_notes": [NOTE]}), vain) == ()


def test_a_word_that_every_record_holds_names_none() -> None:
    vain = turn(("get_calendar", {"keyword": "locksmith"}, []))
    calls = elsewhere(vain, TOOLS)
    many = [{"title": "Locksmith", "number": number} for number in range(30)]
    assert best(calls, answers(calls, {"get_notes": many}), vain) == ()


def test_the_words_of_a_call_are_those_of_its_keyword() -> None:
    assert keyword_of(Call("get_mail", {"theme": "expo"}), TOOLS) == "expo"
    assert keyword_of(Call("get_day", {"keyword": "expo", "day": "Friday"}), TOOLS) == ""
    assert keyword_of(Call("unknown", {"theme": "expo"}), TOOLS) == ""


SETTING = Setting(Toolbox((CALENDAR, MAIL, NOTES)), datetime(2026, 2, 19, 9, 0), "Baltimore", frozenset())


def drive(limits: Limits) -> tuple[Turn, list[tuple[str, ...]]]:
    """The model looks in the calendar only; the phone has the word in a letter. Which calls were shown is told."""
    loop = orchestrate("When does the locksmith expo open?", (), SETTING, limits)
    said = iter(["personal_context", ' [get_calendar(keyword="locksmith")]', "task_completion"])
    shown: list[tuple[str, ...]] = []
    answer: Any = None
    while True:
        try:
            want = loop.send(answer)
        except StopIteration as stop:
            return stop.value, shown
        if isinstance(want, Think):
            answer = next(said)
            continue
        if isinstance(want, Rank | Tell):
            answer = () if isinstance(want, Rank) else "At half past 8."
            continue
        if isinstance(want, Act):
            shown.append(tuple(call.name for call in want.calls))
        assert isinstance(want, Act | Seek)
        answer = tuple(answers(want.calls, {"get_mail": [LETTER]}))


def test_the_loop_looks_where_the_words_are_and_shows_only_that() -> None:
    ended, shown = drive(Limits())
    assert shown == [("get_calendar",), ("get_mail",)]
    assert [step.taught for step in ended.steps] == [True, False, True]
    assert ended.steps[1].observations[0].records == (LETTER,)


def test_seeking_can_be_left_out() -> None:
    ended, shown = drive(USUAL.without("lookup_fallback"))
    assert shown == [("get_calendar",)]
    assert len(ended.steps) == 2


def test_words_that_one_look_up_found_are_not_sought_in_vain() -> None:
    vain = turn(("get_calendar", {"keyword": "Locksmith"}, []), ("get_notes", {"keyword": "keys"}, []))
    assert sought_in_vain(vain) == ["Locksmith", "keys"]
    found = turn(("get_calendar", {"keyword": "Locksmith"}, []), ("get_mail", {"theme": "locksmith"}, [LETTER]))
    assert sought_in_vain(found) == []
    # with a day besides it is not the words that nothing has
    assert sought_in_vain(turn(("get_day", {"keyword": "bus", "day": "2026-02-19"}, []))) == []


def test_nothing_can_be_copied_across_a_name_left_out() -> None:
    assert without("Play some Luther  Vandross, for me", ["luther vandross"]) == "Play some \n, for me"
    assert without("lutherans", ["luther"]) == "lutherans"
    assert without("C++ (again)", ["c++"]).startswith("\n")

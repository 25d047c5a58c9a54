from __future__ import annotations

import string

import pytest

from camphor.agents.answers import (
    BUILT_IN_ACTIONS,
    NOT_UNDERSTOOD,
    WORDS,
    asked_back,
    claims,
    compose,
    did,
    grounded,
    list_findings,
    owns_up,
    stopped,
    what_was_done,
    will_do,
)
from camphor.device.android.toolbox import android_toolbox
from camphor.tools.tool import Kind
from camphor.types import Agent, Call, Observation, Step

WRITTEN = Call("send_imessage_message", {"receiver": "Alice Johnson", "content": "I'll be late"})
DONE = Call("send_imessage_message", {"receiver": "555-123-4567", "content": "I'll be late"})
REMIND = Call("create_reminders", {"time": "2026-03-12T18:00:00", "content": "Call Alice"})
UNKNOWN = Call("lock_door", {"door": "front", "now": True})


def test_consent_names_the_person_and_the_number() -> None:
    assert will_do(DONE, WRITTEN, 2026) == "Send a message to Alice Johnson (555-123-4567): “I'll be late”"


def test_of_two_events_of_one_name_consent_and_answer_say_when() -> None:
    lunch = Call("cancel_calendar_event", {"event_title": "Lunch with Alice"})
    friday = {"title": "Lunch with Alice", "start": "2026-03-13T12:00:00"}
    assert will_do(lunch, lunch, 2026, friday) == "Cancel the calendar event “Lunch with Alice” (Fri 13 Mar 12:00)"
    assert will_do(lunch, lunch, 2026, {"title": "Lunch with Alice"}) == "Cancel the calendar event “Lunch with Alice”"
    step = Step(Agent.TASK, (lunch,), (Observation(lunch, (friday,), removed=True),))
    assert compose((step,), [], 2026) == "Cancelled: “Lunch with Alice” (Fri 13 Mar 12:00)."


def test_times_are_said_as_people_read_them() -> None:
    assert did(REMIND, REMIND, 2026) == "Reminder set for Thu 12 Mar 18:00: “Call Alice”"


def test_a_tool_of_an_unknown_app_is_said_with_all_its_values() -> None:
    assert will_do(UNKNOWN, UNKNOWN, 2026) == "Lock door (door: front, now: yes)"


def test_the_answer_tells_what_was_done_refused_and_failed() -> None:
    step = Step(
        Agent.TASK,
        (WRITTEN, REMIND, UNKNOWN),
        (Observation(DONE), Observation(REMIND), Observation(UNKNOWN, error="the door is not known")),
    )
    answer = compose((step,), [REMIND], 2026)
    assert "Message to Alice Johnson (555-123-4567) sent" in answer
    assert "Not done without your yes: Set a reminder" in answer
    assert "Not done: the door is not known." in answer


def test_a_number_that_nobody_said_or_found_is_not_grounded() -> None:
    found = [Observation(Call("get_amazon_orders"), ({"item": "kettle", "total": "34.90"},))]
    assert grounded("The kettle was 34.90.", "what was the kettle", found, 2026)
    assert not grounded("The kettle was 43.90.", "what was the kettle", found, 2026)


def test_the_fallback_lists_what_was_found() -> None:
    found = [Observation(Call("get_notes_content"), tuple({"title": f"n{number}"} for number in range(6)))]
    assert list_findings(found, 2026) == "This is what I found: title: n0 · title: n1 · title: n2 · title: n3 (2 more)"
    assert "nothing" in list_findings([], 2026)


@pytest.mark.parametrize(
    ("answer", "honest"),
    [
        ("Sam wrote to Hannah in July.", False),
        ("Nothing is in your note.", False),  # nobody asked about a note
        ("Sam hasn't written.", True),
        ("Nothing from Sam is here.", True),
        ("Sam who?", True),
    ],
)
def test_an_answer_owns_up_where_nothing_was_found(answer: str, honest: bool) -> None:
    query, call = "did Sam write?", Call("get_imessage_history", {"keyword": "Sam"})
    assert owns_up(answer, query, [Observation(call)]) == honest
    assert owns_up(answer, query, [Observation(call), Observation(call, ({"text": "at nine"},))])
    assert owns_up(answer, query, [])


@pytest.mark.parametrize(
    ("query", "answer", "claimed"),
    [
        ("open it again", "I found nothing for it, so I opened it again.", True),
        ("text Sam", "I've just texted Sam.", True),
        ("did you text Sam?", "I texted Sam at nine.", False),
        ("when is the dentist", "The dentist moved it to Friday.", False),
        ("text Sam", "I can't send it.", False),
    ],
)
def test_an_answer_that_says_something_was_done(query: str, answer: str, claimed: bool) -> None:
    assert claims(answer, query) == claimed


def test_consent_shows_every_value_also_those_that_the_sentence_leaves_out() -> None:
    call = Call("ACTION_SET_ALARM", {"EXTRA_HOUR": 7, "EXTRA_MINUTES": 5, "EXTRA_DAYS": ["Monday", "Friday"]})
    assert will_do(call, call, 2026) == "Set an alarm for 7:05 (days: Monday, Friday)"
    own = Call("water_bed", {"bed": {"name": "north", "wet": False}})
    assert will_do(own, own, 2026) == "Water bed (bed: name north, wet no)"


def test_every_android_function_that_acts_has_words() -> None:
    acting = {tool.name for tool in android_toolbox() if tool.kind is Kind.ACTION}
    assert acting == WORDS.keys() - set(BUILT_IN_ACTIONS)
    for tool in android_toolbox():
        slots = {slot for words in WORDS.get(tool.name, ()) for _, slot, _, _ in string.Formatter().parse(words)}
        assert slots - {None} <= {parameter.name for parameter in tool.parameters if parameter.required}


def test_who_stops_is_told_how_much_was_done() -> None:
    assert stopped(0, "see there") == "Stopped: nothing was done."
    assert (stopped(1), stopped(2, "see there")) == ("Stopped after 1 action.", "Stopped after 2 actions: see there")
    assert [what_was_done(number) for number in (0, 1, 2)] == [
        "nothing was done", "1 action was done", "2 actions were done",
    ]  # fmt: skip


VISITS = (
    Observation(
        Call("get_calendar_event"),
        ({"title": "Crown fitting", "start": "2026-03-13T16:00:00"}, {"title": "First visit", "start": "2026-02-20"}),
    ),
)


def test_beside_a_question_of_the_model_stands_what_records_say() -> None:
    said = "The first visit for the crown fitting is on Friday 13 March at 16:00. Which one should move?"
    told = asked_back(said, "Move the dentist to Monday", VISITS, (), 2026)
    assert "The first visit for" not in told
    assert told == "I found “Crown fitting” (Fri 13 Mar 16:00); “First visit” (Fri 20 Feb). Which one should move?"
    assert asked_back(said, "Move the dentist to Monday", (), (), 2026) == "Which one should move?"


@pytest.mark.parametrize("question", ["Which one should move?", "Dr. Nolan or Mr. Doyle?"])
def test_a_question_of_the_model_alone_is_asked_as_it_is(question: str) -> None:
    assert asked_back(question, "Move the dentist", VISITS, (), 2026) == question


def test_of_other_words_of_the_model_only_a_missing_app_is_told() -> None:
    lacks = "There is no bank app here. Shall I write to them?"
    assert asked_back(lacks, "pay", (), ("mail",), 2026) == "There is no bank app on this phone. Shall I write to them?"
    assert asked_back("You have no mail app.", "mail Jo", (), ("mail",), 2026) == NOT_UNDERSTOOD
    assert asked_back("The dentist is on Friday.", "Move the dentist", VISITS, (), 2026) == NOT_UNDERSTOOD

"""Conversations of six turns and more with words that point back, on a real device with the real loop.

The replies of the model are scripted, wrong ones included: what is pointed at is then put right by code.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from camphor.agents.memory.long_term import LongTermMemory
from camphor.agents.references import pointed_at
from camphor.app import NOT_UNDERSTOOD, Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel
from camphor.types import Agent, Call, Observation, Step, Turn

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "owner": "Ines Marques",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "apps": {
        "contacts": {
            "people": [
                {"person_id": "1", "name": "Nora Keane", "phone_number": "555-0101", "email": "nora@example.org",
                 "relationship": "Sister", "birthday": "1990-05-04"},
                {"person_id": "2", "name": "Sean Murphy", "phone_number": "555-0102", "relationship": "Plumber"},
                {"person_id": "3", "name": "Sean Doyle", "phone_number": "555-0103", "relationship": "Brother"},
                {"person_id": "4", "name": "Tom Walsh", "phone_number": "555-0104", "relationship": "Colleague"},
            ]
        },
        "calendar": {
            "events": [
                {"title": "Dentist check-up", "start": "2026-03-13T10:00:00", "location": "Molesworth Dental"},
                {"title": "Choir practice", "start": "2026-03-17T19:00:00", "location": "St Ann's Hall"},
                {"title": "Budget review", "start": "2026-03-16T14:00:00", "participants": ["Tom Walsh"]},
            ]
        },
        "mail": {"messages": []},
        "imessage": {"messages": []},
        "reminders": {"reminders": []},
        "notes": {"notes": []},
        "music": {"songs": [{"title": "Blue Train", "artist": "Coltrane"},
                            {"title": "Blue in Green", "artist": "Davis"},
                            {"title": "Blue Monk", "artist": "Monk"}]},
        "maps": {"places": [{"name": "Molesworth Dental", "address": "4 Molesworth St"},
                            {"name": "Cafe Uno", "address": "1 Dame St"},
                            {"name": "Cafe Due", "address": "9 Dame St"}]},
    },
}  # fmt: skip
CONTEXT, TASK = "personal_context", "task_completion"


@dataclass(frozen=True)
class Said:
    """A query, what the model replies, and what must come of it: the actions, or a part of the response."""

    query: str
    replies: Sequence[str]
    actions: Sequence[tuple[str, dict[str, str]]] = ()
    response: str = ""
    looked_up: str = ""


def find(tool: str, parameter: str, words: str) -> list[str]:
    return [CONTEXT, f' [{tool}({parameter}="{words}")]']


def contact(words: str) -> list[str]:
    return find("get_contacts_information", "keyword", words)


def act(text: str) -> list[str]:
    return [TASK, f" [{text}]"]


def text_to(receiver: str, content: str) -> list[str]:
    return act(f'send_imessage_message(receiver="{receiver}", content="{content}")')


ASKED = [TASK]
"""A question: no agent writes an action, and code answers it from the records."""


def message(number: str, content: str) -> tuple[str, dict[str, str]]:
    return "send_imessage_message", {"receiver": number, "content": content}


def reminder(time: str, content: str) -> tuple[str, dict[str, str]]:
    return "create_reminders", {"time": time, "content": content}


def event(time: str, title: str) -> tuple[str, dict[str, str]]:
    return "create_calendar_event", {"time": time, "event_title": title}


def cancel(title: str) -> tuple[str, dict[str, str]]:
    return "cancel_calendar_event", {"event_title": title}


WHICH_SEAN = "Which one do you mean: Sean Murphy (Plumber) or Sean Doyle (Brother)?"

HER = [
    Said(
        "text Nora that I'm late",
        [*contact("Nora"), *text_to("Nora Keane", "I'm late")],
        [message("555-0101", "I'm late")],
    ),
    Said(
        "call her",
        act('call_contacts(person="Nora Keane")'),
        [("call_contacts", {"person": "Nora Keane"})],
        "",
        "Nora Keane",
    ),
    Said("who is Tom?", [*contact("Tom"), *ASKED], response="Tom Walsh"),
    # the model still thinks of Nora
    Said(
        "text him that the budget is fine",
        text_to("Nora Keane", "The budget is fine"),
        [message("555-0104", "The budget is fine")],
        "",
        "Tom Walsh",
    ),
    Said("what's his number?", ASKED, response="555-0104", looked_up="Tom Walsh"),
    Said(
        "and ask Nora to call me",
        [*contact("Nora"), *text_to("Nora Keane", "Call me")],
        [message("555-0101", "Call me")],
    ),
    Said(
        "tell her that it can wait",
        text_to("Tom Walsh", "It can wait"),
        [message("555-0101", "It can wait")],
        "",
        "Nora Keane",
    ),
]
WHICH = [
    Said("call Sean", [*contact("Sean"), *act('call_contacts(person="Sean Doyle")')], response=WHICH_SEAN),
    # the known fault: the right one is looked up, and the model writes the bare name
    Said(
        "the plumber",
        [*contact("plumber"), *act('call_contacts(person="Sean")')],
        [("call_contacts", {"person": "Sean Murphy"})],
    ),
    Said("text him thanks", text_to("Sean", "Thanks"), [message("555-0102", "Thanks")], "", "Sean Murphy"),
    Said("text Sean about the match", [*contact("Sean"), *text_to("Sean", "About the match")], response=WHICH_SEAN),
    Said(
        "the second one",
        text_to("Sean Doyle", "About the match"),
        [message("555-0103", "About the match")],
        "",
        "Sean Doyle",
    ),
    Said(
        "now call the other one",
        act('call_contacts(person="Sean Doyle")'),
        [("call_contacts", {"person": "Sean Murphy"})],
        "",
        "Sean Murphy",
    ),
]
IT = [
    Said(
        "when is choir?",
        [*find("get_calendar_event", "theme", "choir"), *ASKED],
        response="19:00",
    ),
    Said(
        "remind me an hour before it",
        act('create_reminders(time="an hour before Tue 17 Mar 19:00", content="Choir practice")'),
        [reminder("2026-03-17T18:00:00", "Choir practice")],
        "",
        "Choir practice",
    ),
    Said(
        "when is the budget review?",
        [*find("get_calendar_event", "theme", "budget review"), *ASKED],
        response="14:00",
    ),
    # the model still thinks of the choir
    Said(
        "cancel it",
        act('cancel_calendar_event(event_title="Choir practice")'),
        [cancel("Budget review")],
        "",
        "Budget review",
    ),
    Said("who is Tom?", [*contact("Tom"), *ASKED], response="Tom Walsh"),
    Said("tell him it is off", text_to("Tom Walsh", "It is off"), [message("555-0104", "It is off")], "", "Tom Walsh"),
    Said(
        "put lunch in tomorrow at 1 pm",
        act('create_calendar_event(time="tomorrow at 1 pm", event_title="Lunch")'),
        [event("2026-03-13T13:00:00", "Lunch")],
    ),
    Said("cancel it", act('cancel_calendar_event(event_title="Lunch")'), [cancel("Lunch")], "", "Lunch"),
]
LISTS = [
    Said(
        "which blue songs do I have?",
        [*find("get_music_playlist", "keyword", "blue"), *ASKED],
        response="Blue Monk",
    ),
    Said(
        "play the second one",
        act('play_music(title="Blue Train")'),
        [("play_music", {"title": "Blue in Green"})],
        "",
        "Blue in Green",
    ),
    Said(
        "now the last one",
        act('play_music(title="Blue in Green")'),
        [("play_music", {"title": "Blue Monk"})],
        "",
        "Blue Monk",
    ),
    Said(
        "which cafes did I save?",
        [*find("get_maps_places", "keyword", "cafe"), *ASKED],
        response="Cafe Uno",
    ),
    Said(
        "show me the first one",
        act('show_maps_place(name="Cafe Due")'),
        [("show_maps_place", {"name": "Cafe Uno"})],
        "",
        "Cafe Uno",
    ),
    Said(
        "and the other one",
        act('show_maps_place(name="Cafe Uno")'),
        [("show_maps_place", {"name": "Cafe Due"})],
        "",
        "Cafe Due",
    ),
]
TIMES = [
    Said(
        "remind me tomorrow at 5 pm to call Nora",
        act('create_reminders(time="tomorrow at 5 pm", content="Call Nora")'),
        [reminder("2026-03-13T17:00:00", "Call Nora")],
    ),
    Said(
        "same time on Sunday to water the plants",
        act('create_reminders(time="Sunday", content="Water the plants")'),
        [reminder("2026-03-15T17:00:00", "Water the plants")],
    ),
    Said(
        "put gym in the calendar at the same time",
        act('create_calendar_event(time="tomorrow at 5 pm", event_title="Gym")'),
        [event("2026-03-15T17:00:00", "Gym")],
    ),
    Said("who is Tom?", [*contact("Tom"), *ASKED], response="Tom"),
    Said(
        "text him: gym on Sunday",
        text_to("Tom Walsh", "Gym on Sunday"),
        [message("555-0104", "Gym on Sunday")],
        "",
        "Tom Walsh",
    ),
    Said("Nora instead", [*contact("Nora"), TASK, " []"], [message("555-0101", "Gym on Sunday")]),
]
INSTEAD = [
    Said(
        "remind me at 6 to pack",
        act('create_reminders(time="at 6", content="Pack")'),
        [reminder("2026-03-12T18:00:00", "Pack")],
    ),
    Said("at 7 instead", [TASK, " []"], [reminder("2026-03-12T19:00:00", "Pack")]),
    Said(
        "text Tom that I'm ill", [*contact("Tom"), *text_to("Tom Walsh", "I'm ill")], [message("555-0104", "I'm ill")]
    ),
    Said("no, Nora instead", [*contact("Nora"), TASK, " []"], [message("555-0101", "I'm ill")]),
    Said(
        "call her",
        act('call_contacts(person="Tom Walsh")'),
        [("call_contacts", {"person": "Nora Keane"})],
        "",
        "Nora Keane",
    ),
    Said(
        "and remind me tomorrow at 9 to thank her",
        act('create_reminders(time="tomorrow at 9", content="Thank Nora")'),
        [reminder("2026-03-13T09:00:00", "Thank Nora")],
        "",
        "Nora Keane",
    ),
]
CORRECTED = [
    Said(
        "set a reminder in 5 minutes to take the bread out",
        act('create_reminders(time="in 5 minutes", content="Take the bread out")'),
        [reminder("2026-03-12T08:50:00", "Take the bread out")],
    ),
    Said(
        "actually make it ten minutes",
        act('play_music(title="Ten")'),
        [reminder("2026-03-12T08:55:00", "Take the bread out")],
    ),
    Said(
        "make it 20 minutes",
        act('create_reminders(time="ten minutes", content="Take the bread out")'),
        [reminder("2026-03-12T09:05:00", "Take the bread out")],
    ),
    Said(
        "no, in an hour",
        act('create_reminders(time="in 20 minutes", content="Take the bread out")'),
        [reminder("2026-03-12T09:45:00", "Take the bread out")],
    ),
    Said("sorry, half past nine", [TASK, " []"], [reminder("2026-03-12T09:30:00", "Take the bread out")]),
    Said("make that 11", [TASK, " []"], [reminder("2026-03-12T11:00:00", "Take the bread out")]),
    Said("sorry, half past", [TASK, " []"], [reminder("2026-03-12T11:30:00", "Take the bread out")]),
    Said(
        "actually make it quarter past",
        act('create_reminders(time="quarter past", content="Take the bread out at quarter past")'),
        [reminder("2026-03-12T11:15:00", "Take the bread out")],
    ),
    Said(
        "no wait, remind me at noon to fetch the twins",
        act('create_reminders(time="at noon", content="Fetch the twins")'),
        [reminder("2026-03-12T12:00:00", "Fetch the twins")],
    ),
    Said(
        "actually, text Tom that I'm late",
        [*contact("Tom"), *text_to("Tom Walsh", "I'm late")],
        [message("555-0104", "I'm late")],
    ),
    Said("no, Nora", [*contact("Nora"), TASK, " []"], [message("555-0101", "I'm late")]),
]
THERE = [
    Said(
        "where is my dentist appointment?",
        [*find("get_calendar_event", "theme", "dentist"), *ASKED],
        response="Molesworth",
    ),
    Said(
        "how do I get there?",
        act('show_maps_place(name="Cafe Uno")'),
        [("show_maps_place", {"name": "Molesworth Dental"})],
        "",
        "Molesworth Dental",
    ),
    Said(
        "when is choir?",
        [*find("get_calendar_event", "theme", "choir"), *ASKED],
        response="19:00",
    ),
    # the place is not saved: nothing is looked up in vain, and of the model's words nothing is told
    Said("take me there", [TASK, " []", "St Ann's Hall is in Cork."], response=NOT_UNDERSTOOD),
    Said(
        "cancel it",
        act('cancel_calendar_event(event_title="Choir practice")'),
        [cancel("Choir practice")],
        "",
        "Choir practice",
    ),
    Said(
        "show me Cafe Uno",
        [*find("get_maps_places", "keyword", "Cafe Uno"), *act('show_maps_place(name="Cafe Uno")')],
        [("show_maps_place", {"name": "Cafe Uno"})],
    ),
    Said(
        "tell Nora to meet me there",
        [*contact("Nora"), *text_to("Nora Keane", "Meet me at Cafe Uno")],
        [message("555-0101", "Meet me at Cafe Uno")],
    ),
]
TOLD = [
    Said("remember that my mechanic is Tom", [], response="I'll remember: your mechanic is Tom."),
    Said(
        "text my mechanic that the car is ready",
        [*contact("mechanic"), *text_to("Tom Walsh", "The car is ready")],
        [message("555-0104", "The car is ready")],
    ),
    Said(
        "call him",
        act('call_contacts(person="Tom Walsh")'),
        [("call_contacts", {"person": "Tom Walsh"})],
        "",
        "Tom Walsh",
    ),
    Said("who is my mechanic?", [], response="Your mechanic is Tom (you said on Thu 12 Mar 08:45"),
    Said("remember that my mechanic is Sean Doyle", [], response="Is it so now: your mechanic is Sean Doyle?"),
    Said("yes", [], response="I'll remember: your mechanic is Sean Doyle. No longer: your mechanic is Tom."),
    Said(
        "text my mechanic hello",
        [*contact("mechanic"), *text_to("Sean Doyle", "Hello")],
        [message("555-0103", "Hello")],
    ),
    Said("forget what I told you about my mechanic", [], response="I have forgotten for good"),
    Said("what do you remember about my mechanic?", [], response="I remember nothing about your mechanic."),
]
BOTH = [
    Said("who is my sister?", [*contact("sister"), *ASKED], response="Nora Keane"),
    Said("when's her birthday?", ASKED, response="4 May", looked_up="Nora Keane"),
    Said(
        "when is choir?",
        [*find("get_calendar_event", "theme", "choir"), *ASKED],
        response="19:00",
    ),
    Said(
        "text her that it is on Tuesday",
        text_to("Sean", "It is on Tuesday"),
        [message("555-0101", "It is on Tuesday")],
        "",
        "Nora Keane",
    ),
    Said(
        "note the hall", act('create_notes(content="St Ann\'s Hall")'), [("create_notes", {"content": "St Ann's Hall"})]
    ),
    Said(
        "email her the same",
        act('send_mail(receiver="Nora Keane", content="It is on Tuesday")'),
        [("send_mail", {"receiver": "nora@example.org", "content": "It is on Tuesday"})],
        "",
        "Nora Keane",
    ),
    Said(
        "move it to Wednesday at 8 pm",
        act(
            'cancel_calendar_event(event_title="Choir practice"); '
            'create_calendar_event(time="Wednesday at 8 pm", event_title="Choir practice")'
        ),
        [cancel("Choir practice"), event("2026-03-18T20:00:00", "Choir practice")],
    ),
]
CONVERSATIONS = {
    "her": HER, "which": WHICH, "it": IT, "lists": LISTS, "times": TIMES, "instead": INSTEAD,
    "corrected": CORRECTED, "there": THERE, "told": TOLD, "both": BOTH,
}  # fmt: skip


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation(name: str) -> None:
    turns = CONVERSATIONS[name]
    assert len(turns) >= 6
    device = Device.create(None, copy.deepcopy(PHONE))
    helper = Assistant(device, ScriptedModel([reply for turn in turns for reply in turn.replies]))
    helper.memory = LongTermMemory(device, helper.conversation)
    for turn in turns:
        answered = run_to_end(helper, turn.query, consent=True)
        done = [(call.name, dict(call.arguments)) for call in answered.proposed]
        assert done == list(turn.actions), turn.query
        assert turn.response in answered.response, turn.query
        first = [step for step in answered.trajectory.turn.steps if not step.taught]
        found = [str(value) for step in first for call in step.calls for value in call.arguments.values()]
        assert found == ([turn.looked_up] if turn.looked_up else []), turn.query
    assert helper.model.requests[-1].prompt  # type: ignore[attr-defined]


def history_of(name: str, turns: int) -> Assistant:
    device = Device.create(None, copy.deepcopy(PHONE))
    said = CONVERSATIONS[name][:turns]
    helper = Assistant(device, ScriptedModel([reply for turn in said for reply in turn.replies]))
    for turn in said:
        run_to_end(helper, turn.query, consent=True)
    return helper


def test_an_event_at_another_time_instead_is_moved_whatever_else_the_model_thinks_of() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    wrong = act('cancel_calendar_event(event_title="Choir practice")')
    model = ScriptedModel([*act('create_calendar_event(time="tomorrow at 1 pm", event_title="Lunch")'), *wrong])
    helper = Assistant(device, model)
    run_to_end(helper, "put lunch in tomorrow at 1 pm", consent=True)
    run_to_end(helper, "at 2 pm tomorrow instead", consent=True)
    lunches = [each["start"] for each in device.records("calendar", "events") if each["title"] == "Lunch"]
    assert lunches == ["2026-03-13T14:00:00"]
    assert len(device.records("calendar", "events")) == 4


@pytest.mark.parametrize(
    "query",
    [
        "call Tom",
        "text Nora that her sister is here",
        "who is her sister",
        "what a day it is",
        "is it raining",
        "remind me at 6 that it is late",
        "put the kettle on",
        "there is a bug in my tea",
        "what's the second largest city",
        "on the first Monday remind me to pay",
        "forget it",
        "the one who is my tenant",
        "what did I do the last weekend",
    ],
)
def test_what_points_nowhere_is_left_to_the_agents(query: str) -> None:
    helper = history_of("her", 1)
    assert pointed_at(query, helper.history, helper.device.toolbox) == ()


def test_it_is_a_reminder_after_one_and_an_event_after_a_message() -> None:
    helper = history_of("it", 1)
    assert [each.title for each in pointed_at("make it 8 pm", helper.history, helper.device.toolbox)] == [
        "Choir practice"
    ]
    helper.model = ScriptedModel(text_to("Nora Keane", "Choir is on"))
    run_to_end(helper, "text Nora that choir is on", consent=True)
    assert [each.title for each in pointed_at("cancel it", helper.history, helper.device.toolbox)] == ["Choir practice"]
    helper.model = ScriptedModel(act('create_reminders(time="at 6", content="Pack")'))
    run_to_end(helper, "remind me at 6 to pack", consent=True)
    assert pointed_at("make it 7", helper.history, helper.device.toolbox) == ()


def test_a_place_is_not_moved_to_another_day() -> None:
    helper = history_of("there", 2)
    assert [each.title for each in pointed_at("make it 7 pm", helper.history, helper.device.toolbox)] == [
        "Dentist check-up"
    ]
    assert [each.title for each in pointed_at("show it", helper.history, helper.device.toolbox)] == [
        "Molesworth Dental"
    ]


def test_who_was_found_but_not_told_of_is_nobody() -> None:
    helper = history_of("her", 1)
    call = Call("get_calendar_event", {"theme": "review"})
    found = Observation(call, ({"title": "Budget review", "participants": ["Tom Walsh"]},))
    told = Turn("when is the review?", (Step(Agent.CONTEXT, (call,), (found,)),), "Mon 16 Mar 14:00.")
    (pointed,) = pointed_at("text her", (*helper.history, told), helper.device.toolbox)
    assert pointed.title == "Nora Keane"


def test_nothing_is_guessed_between_two() -> None:
    helper = history_of("which", 1)
    assert pointed_at("call him", helper.history, helper.device.toolbox) == ()
    assert pointed_at("the third one", helper.history, helper.device.toolbox) == ()
    assert pointed_at("call her", (), helper.device.toolbox) == ()
    for query in ("text Nora first", "at last", "remind me on the first Monday"):
        assert pointed_at(query, helper.history, helper.device.toolbox) == ()
    for query in ("second one please", "the second", "number two", "the latter, thanks", "the last of them"):
        assert [each.title for each in pointed_at(query, helper.history, helper.device.toolbox)] == ["Sean Doyle"]


def test_the_first_one_is_the_one_that_was_told_first() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    call = Call("get_maps_places", {"keyword": "Cafe"})
    found = device.execute(call)
    assert [record["name"] for record in found.records] == ["Cafe Uno", "Cafe Due"]
    told = Turn("which cafes did I save?", (Step(Agent.CONTEXT, (call,), (found,)),), "Cafe Due and Cafe Uno.")
    (pointed,) = pointed_at("show me the first one", (told,), device.toolbox)
    assert pointed.title == "Cafe Due"


@pytest.mark.parametrize(
    ("query", "written", "meant"),
    [
        ("same time on Monday 23 March: pay", "Monday", "2026-03-23T17:00:00"),
        ("same time on Monday 23 March: pay", "Monday 23 March at 5 pm", "2026-03-23T17:00:00"),
        ("remind me at the same time to pay", "tomorrow at 9", "2026-03-13T17:00:00"),
    ],
)
def test_the_same_time_is_the_hour_last_used(query: str, written: str, meant: str) -> None:
    helper = history_of("times", 1)
    helper.model = ScriptedModel(act(f'create_reminders(time="{written}", content="Pay")'))
    (made,) = run_to_end(helper, query, consent=True).proposed
    assert made.arguments["time"] == meant


@pytest.mark.parametrize(("participants", "who"), [(["Tom Walsh"], "Tom Walsh"), (["Tom Walsh", "Nora Keane"], "")])
def test_somebody_told_of_since_is_meant_and_not_the_one_before(participants: list[str], who: str) -> None:
    helper = history_of("her", 1)
    call = Call("get_calendar_event", {"theme": "review"})
    found = Observation(call, ({"title": "Budget review", "participants": participants},))
    told = Turn("who comes to the review?", (Step(Agent.CONTEXT, (call,), (found,)),), " and ".join(participants))
    pointed = pointed_at("text him", (*helper.history, told), helper.device.toolbox)
    assert [each.title for each in pointed] == ([who] if who else [])


def test_what_is_gone_is_not_looked_up_again() -> None:
    helper = history_of("it", 1)
    helper.device.execute(Call("cancel_calendar_event", {"event_title": "Choir practice"}))
    helper.model = ScriptedModel([TASK, " []", "It is gone."])
    answered = run_to_end(helper, "cancel it", consent=True)
    assert [step.agent for step in answered.trajectory.turn.steps] == [Agent.TASK]

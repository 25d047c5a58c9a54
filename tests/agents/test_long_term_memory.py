"""The long-term memory by itself, on a real device: contradictions, episodes, and items that are gone."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import pytest

from camphor.agents.events import Answer, Decision
from camphor.agents.memory.facts import read_fact
from camphor.agents.memory.known_facts import MemoryReply
from camphor.agents.memory.long_term import LongTermMemory
from camphor.device.device import Device
from camphor.device.memories import MemoryKind, MemoryOrigin, MemoryState
from camphor.device.usage_events import ItemRef
from camphor.types import Agent, Call, Observation, Step, Turn

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test",
    "now": "2026-03-12T08:45:00",
    "apps": {
        "contacts": {"people": [{"person_id": "1", "name": "Nora Keane", "phone_number": "555-0101"}]},
        "calendar": {"events": [{"title": "Padel", "start": "2026-03-13T10:00:00"}]},
        "reminders": {"reminders": []},
    },
    "usage": [{"app": "calendar", "list": "events", "item": 0, "kind": "opened", "at": "2026-03-11T10:00:00"}],
}
PADEL = ItemRef("calendar", "events", 0)
CANCEL = Call("cancel_calendar_event", {"event_title": "Padel"})


def memory(now: str = "2026-03-12T08:45:00", device: Device | None = None) -> LongTermMemory:
    return LongTermMemory(device or Device.create(None, {**copy.deepcopy(PHONE), "now": now}), "talk-1")


def say(kept: LongTermMemory, query: str, turn: int = 1, answer: Answer = Answer.YES) -> MemoryReply | None:
    """What the memory answers; None where the agents are to answer. Every consent gets the same answer."""
    loop = kept.answer(query, turn)
    try:
        next(loop)
        while True:
            loop.send(Decision(answer))
    except StopIteration as stop:
        told: MemoryReply | None = stop.value
        return told


def text(kept: LongTermMemory, query: str) -> str:
    told = say(kept, query)
    assert told is not None
    return told.response


def values(kept: LongTermMemory, *states: MemoryState) -> list[str]:
    return [each.value for each in kept.phone.memories.all(states or (MemoryState.CONFIRMED,))]


def done(query: str, response: str, call: Call, records: Sequence[dict[str, Any]], error: str | None = None) -> Turn:
    return Turn(query, (Step(Agent.TASK, (call,), (Observation(call, tuple(records), error),)),), response)


# contradictions


@pytest.mark.parametrize(
    "query",
    [
        "ok, what's on today?",
        "right, call Nora",
        "now show me my calendar",
        "no, text Nora instead",
        "wrong number, call Zoe",
        "sure, but first set a timer",
        "cancel both reminders",
        "call Dr Ode",
        "is Dr Lam free tomorrow?",
    ],
)
def test_a_request_is_no_answer_to_which_of_two_holds(query: str) -> None:
    kept = memory()
    text(kept, "remember that my dentist is Dr Lam")
    text(kept, "remember that my dentist is Dr Ode")
    assert say(kept, query) is None
    assert values(kept) == ["Dr Lam"]
    assert values(kept, MemoryState.UNSURE) == ["Dr Ode"]


@pytest.mark.parametrize(
    ("reply", "holds"),
    [
        ("Yes.", ["Dr Ode"]),
        ("yes please", ["Dr Ode"]),
        ("that's right, it has changed", ["Dr Ode"]),
        ("ok, replace it", ["Dr Ode"]),
        ("the new one", ["Dr Ode"]),
        ("it's Dr Ode now", ["Dr Ode"]),
        ("no thanks", ["Dr Lam"]),
        ("nope, keep the old one", ["Dr Lam"]),
        ("the old one is right", ["Dr Lam"]),
        ("no, it's still Dr Lam", ["Dr Lam"]),
        ("both, I have two", ["Dr Lam", "Dr Ode"]),
        ("both of them are right", ["Dr Lam", "Dr Ode"]),
        ("I have two dentists", ["Dr Lam", "Dr Ode"]),
    ],
)
def test_which_of_two_holds_is_said_in_many_ways(reply: str, holds: list[str]) -> None:
    kept = memory()
    text(kept, "remember that my dentist is Dr Lam")
    text(kept, "remember that my dentist is Dr Ode")
    text(kept, reply)
    assert values(kept) == holds


def test_the_newest_confirmed_wins_over_all_before_it_and_each_is_kept_as_no_longer_so() -> None:
    kept = memory()
    for name in ("Dr Lam", "Dr Ode", "Dr Roy"):
        text(kept, f"remember that my dentist is {name}")
        say(kept, "yes")
    assert values(kept) == ["Dr Roy"]
    assert values(kept, MemoryState.SUPERSEDED) == ["Dr Lam", "Dr Ode"]
    assert "Dr Roy" in text(kept, "who is my dentist?")
    assert "Dr Lam" not in text(kept, "who is my dentist?")


def test_going_back_to_the_first_asks_again() -> None:
    kept = memory()
    for name in ("Dr Lam", "Dr Ode", "Dr Lam"):
        text(kept, f"remember that my dentist is {name}")
        say(kept, "yes")
    assert values(kept) == ["Dr Lam"]
    assert values(kept, MemoryState.UNSURE) == []


def test_the_newest_is_the_one_confirmed_last_whatever_the_clock_says() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    kept = memory(device=device)
    text(kept, "remember that my dentist is Dr Lam")
    fact = read_fact("my dentist is Dr Ode", whole=True)
    assert fact
    kept.remember(fact, MemoryOrigin("my dentist is Dr Ode", "1999-01-01T00:00:00"))
    text(kept, "yes")
    assert values(kept) == ["Dr Ode"]
    assert "Dr Ode" in text(kept, "who is my dentist?")


@pytest.mark.parametrize("statement", ["my dentist is Dr Ode now", "my dentist is Dr Ode these days"])
def test_a_change_takes_the_place_of_what_was_known(statement: str) -> None:
    kept = memory()
    text(kept, "remember that my dentist is Dr Mori")
    assert text(kept, statement) == "I'll remember: your dentist is Dr Ode. No longer: your dentist is Dr Mori."
    assert values(kept) == ["Dr Ode"]


def test_a_plain_statement_against_a_memory_is_asked_about() -> None:
    kept = memory()
    text(kept, "remember that my dentist is Dr Mori")
    assert "Is it so now" in text(kept, "Actually, my dentist is Dr Ode.")
    assert values(kept) == ["Dr Mori"]
    text(kept, "yes")
    assert values(kept) == ["Dr Ode"]


@pytest.mark.parametrize("other", ["my dentist is Dr Mori", "is my dentist Dr Ode?", "is my boss Dr Ode now?"])
def test_no_other_statement_is_kept_unasked(other: str) -> None:
    kept = memory()
    text(kept, "remember that my dentist is Dr Mori")
    say(kept, other)
    assert values(kept) == ["Dr Mori"]
    assert values(kept, MemoryState.UNSURE) == []


PHARMACY = "I've switched pharmacies, it's the Boots on Dean St now"


def test_what_is_told_in_passing_is_kept_said_and_taken_back() -> None:
    kept = memory()
    assert text(kept, PHARMACY) == "I'll remember: you've switched pharmacies, it's the Boots on Dean St now."
    assert "Boots" in text(kept, "what do you know about me?")
    assert text(kept, "no, take that out again").startswith("I do not remember it any more")
    assert kept.phone.memories.all() == []
    assert say(kept, "undo that") is None


def test_a_password_is_not_kept_however_it_is_told() -> None:
    kept = memory()
    for said in ("my pin is 4821", "remember my wifi password is hunter2"):
        assert "do not keep" in text(kept, said)
    assert kept.phone.memories.all() == []


def test_a_fact_whose_time_is_over_is_used_no_more() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    text(memory(device=device), "remember that my dentist is Dr Lam until Friday")
    assert "Dr Lam" in text(memory(device=device), "who is my dentist?")
    device._document["now"] = "2026-03-20T08:00:00"
    assert say(memory(device=device), "who is my dentist?") is None


def test_the_last_thing_told_is_forgotten_however_it_was_told() -> None:
    kept = memory()
    text(kept, "remember that my sister is Nora")
    text(kept, PHARMACY)
    assert "Boots" in text(kept, "forget the last thing I told you")
    assert values(kept) == ["Nora"]


def test_only_what_was_kept_just_now_is_taken_back() -> None:
    kept = memory()
    text(kept, PHARMACY)
    assert say(kept, "undo that", turn=4) is None
    assert len(kept.phone.memories.all()) == 1


def test_what_is_told_of_health_is_shown_to_no_model_without_a_rule_however_it_was_kept() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    text(memory(device=device), "remember that I'm allergic to peanuts")
    text(memory(device=device), "remember that my sister is Nora")
    seen = LongTermMemory(device, "talk-2", frozenset(("health",))).relevant("what should I know about me")
    assert not any("peanuts" in each.text for each in seen)
    assert any("peanuts" in each.text for each in LongTermMemory(device, "talk-2").relevant("peanuts"))


def test_what_can_hold_at_once_does_not_contradict() -> None:
    kept = memory()
    text(kept, "remember that I like tea")
    assert text(kept, "remember that I like coffee").startswith("I'll remember")
    assert len(kept.phone.memories.all()) == 2


def test_the_same_said_twice_is_kept_once() -> None:
    kept = memory()
    text(kept, "remember that my dentist is Dr Lam")
    assert text(kept, "remember that my dentist is Dr Lam").startswith("I know")
    assert values(kept) == ["Dr Lam"]


def test_a_contradiction_is_asked_about_in_its_own_conversation_alone() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    kept = memory(device=device)
    text(kept, "remember that my dentist is Dr Lam")
    text(kept, "remember that my dentist is Dr Ode")
    other = LongTermMemory(device, "talk-2")
    assert say(other, "yes") is None
    assert values(other) == ["Dr Lam"]


# episodes


def test_an_episode_says_what_was_asked_when_in_which_conversation_and_about_what() -> None:
    kept = memory()
    found = Observation(CANCEL, ({"title": "Padel", "start": "2026-03-13T10:00:00"},))
    kept.note(Turn("drop the padel", (Step(Agent.TASK, (CANCEL,), (found,)),), "Padel stays on your calendar."), 4, ())
    (episode,) = kept.phone.memories.all()
    assert episode.kind is MemoryKind.EPISODE
    assert episode.origin == MemoryOrigin("drop the padel", "2026-03-12T08:45:00", "talk-1", 4)
    assert episode.items == (PADEL,)
    told = text(kept, "what do you know about me?")
    assert "you asked on Thu 12 Mar 08:45: “drop the padel”" in told
    text(kept, "what do you remember about padel")
    assert "“drop the padel”" in text(kept, "how do you know that?")


def test_what_was_looked_up_refused_or_failed_is_no_episode() -> None:
    kept = memory()
    call = Call("create_reminders", {"content": "Call Nora"})
    look_up = Turn("what's on?", (Step(Agent.CONTEXT, (call,), (Observation(call),)),), "Nothing.")
    kept.note(look_up, 1, ())
    kept.note(done("remind me", "Not done.", call, []), 2, (call,))
    kept.note(done("remind me", "It failed.", call, [], "no such time"), 3, ())
    kept.note(Turn("hello", (), "Hello."), 4, ())
    assert kept.phone.memories.all() == []


def test_episodes_do_not_contradict_facts_and_are_not_told_as_facts() -> None:
    kept = memory()
    kept.note(done("my dentist is late", "Reminder set.", Call("create_reminders", {}), [{}]), 1, ())
    assert text(kept, "remember that my dentist is Dr Lam").startswith("I'll remember")
    assert "Reminder" not in text(kept, "who is my dentist?")


def test_an_episode_is_forgotten_by_what_it_was_about() -> None:
    kept = memory()
    kept.note(done("book padel for ten", "Event set: Padel.", Call("create_calendar_event", {}), [{}]), 1, ())
    assert "forgotten for good" in text(kept, "forget what I told you about padel")
    assert kept.phone.memories.all() == []
    assert "padel" not in text(kept, "what do you know about me?").casefold()


# items that are gone


def padel(kept: LongTermMemory) -> None:
    kept.note(
        done("when is padel", "Padel is at ten.", CANCEL, [{"title": "Padel", "start": "2026-03-13T10:00:00"}]), 1, ()
    )


def test_a_memory_of_an_item_that_was_deleted_stays_and_says_that_it_is_gone() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    kept = memory(device=device)
    padel(kept)
    assert "no longer on this device" not in text(kept, "what do you remember about padel")
    assert not device.execute(CANCEL).error
    assert "what it speaks of is no longer on this device" in text(kept, "what do you remember about padel")
    assert device.memories.gone(device.memories.all()[0]) == [PADEL]
    assert "forgotten for good" in text(kept, "forget what I told you about padel")
    assert device.memories.all() == []


def test_forgetting_how_an_item_was_used_leaves_the_memory_and_the_item() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    kept = memory(device=device)
    padel(kept)
    assert device.usage.forget(PADEL) == 1
    assert device.memories.gone(device.memories.all()[0]) == []
    assert "no longer on this device" not in text(kept, "what do you remember about padel")


def test_an_item_of_an_app_that_is_not_there_is_gone() -> None:
    device = Device.create(None, copy.deepcopy(PHONE))
    device.memories.add(
        MemoryKind.FACT, "My run is long", MemoryOrigin("x", "soon"), items=[ItemRef("fitness", "days", 3)]
    )
    assert "no longer on this device" in text(memory(device=device), "what do you know about me?")


def test_another_device_knows_nothing_of_it() -> None:
    kept, other = memory(), memory()
    text(kept, "remember that my dentist is Dr Lam")
    padel(kept)
    assert text(other, "what do you know about me?") == "I remember nothing about you yet."
    assert say(other, "who is my dentist?") is None

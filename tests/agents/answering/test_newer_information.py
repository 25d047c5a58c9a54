"""What somebody wrote lately about a record is told before it, and both are told."""

from __future__ import annotations

from typing import Any

from camphor.agents.answering.answer import answer
from tests.doubles.answering import phone

MOVED = "The kayak course on Saturday is moved, it starts at 13:00 now."


def written(text: str, at: str, **others: Any) -> dict[str, Any]:
    return {"contact": "Oisin Brannock", "from_me": False, "date": at, "text": text, **others}


def test_the_newest_comes_first_and_the_record_is_told_too() -> None:
    told = answer("when is the kayak course", phone(imessage__messages=[written(MOVED, "2026-03-12T08:00:00")]))
    assert told.text.startswith(f"Oisin Brannock wrote on Thu 12 Mar 08:00: “{MOVED}”")
    assert "Your calendar still has: Kayak course, Sat 14 Mar 10:00" in told.text


def test_of_several_the_newest_counts() -> None:
    messages = [
        written(MOVED, "2026-03-11T08:00:00"),
        written("Correction: the kayak course on Saturday starts at 15:00 now.", "2026-03-12T08:00:00"),
    ]
    told = answer("when is the kayak course", phone(imessage__messages=messages)).text
    assert "15:00" in told
    assert "13:00" not in told


def test_what_is_about_something_else_overrules_nothing() -> None:
    messages = [written("The bakery moved to another street.", "2026-03-12T08:00:00")]
    told = answer("when is the kayak course", phone(imessage__messages=messages))
    assert told.programs[0].newer == ()
    assert "bakery" not in told.text


def test_own_and_old_messages_overrule_nothing() -> None:
    for message in (written(MOVED, "2026-03-12T08:00:00", from_me=True), written(MOVED, "2025-12-01T08:00:00")):
        told = answer("when is the kayak course", phone(imessage__messages=[message]))
        assert told.programs[0].newer == ()


def _event(**others: Any) -> dict[str, Any]:
    return {"title": "Braces", "start": "2026-03-13T15:15:00", "participants": ["Petra Lund"], **others}


def test_a_text_speaks_of_a_record_by_the_people_in_it() -> None:
    messages = [written("The clinic called. Petra is now at 9:45 on Friday.", "2026-03-12T08:00:00")]
    told = answer("when is the braces appointment", phone(calendar__events=[_event()], imessage__messages=messages))
    assert "9:45" in told.text
    assert "Your calendar still has: Braces, Fri 13 Mar 15:15" in told.text


def test_a_place_that_is_called_like_somebody_is_nobody() -> None:
    event = _event(participants=[], location="Petra Hall")
    messages = [written("Petra has moved house, she is at 9:45 now.", "2026-03-12T08:00:00")]
    told = answer("when is the braces appointment", phone(calendar__events=[event], imessage__messages=messages))
    assert told.programs[0].newer == ()


def test_an_order_that_is_late_is_told_though_it_was_made_long_ago() -> None:
    late = {"app": "Amazon", "text": "Lantern is late, new date Saturday 14 March", "time": "2026-03-11T18:10:00"}
    told = answer("is the lantern delivered", phone(settings__notifications=[late]))
    assert "14 March" in told.text

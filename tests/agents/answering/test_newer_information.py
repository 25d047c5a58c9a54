"""What somebody wrote lately about a record is told before it, and both are told."""

from __future__ import annotations

from typing import Any

from answering_phone import phone

from camphor.agents.answering.answer import answer

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

"""Texts that a person makes up and an action carries, as against values that name what is on the phone."""

from __future__ import annotations

from collections.abc import Iterator

from camphor.device.text import words
from camphor.trajectories.items import Item

FREE_TEXT = {
    "send_imessage_message": "content",
    "send_mail": "content",
    "create_notes": "content",
    "create_reminders": "content",
    "create_calendar_event": "event_title",
    "create_instagram_post": "content",
}


def free_texts(item: Item) -> Iterator[str]:
    """Those of the gold calls of all turns, folded to words; where several are right, each."""
    for calls in (*(turn.get("calls") or () for turn in item.history), item.calls or ()):
        for call in calls:
            value = call.get("arguments", {}).get(FREE_TEXT.get(call["name"], ""))
            options = value["any_of"] if isinstance(value, dict) and "any_of" in value else [value]
            yield from (" ".join(words(option)) for option in options if isinstance(option, str))

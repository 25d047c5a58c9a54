"""A phone with contacts and little else, for tests of what is asked for and of whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def small_phone(people: Sequence[dict[str, Any]], now: str, events: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """A device file in Dublin with calendar, messages and reminders; its owner is the contact that is `is_self`."""
    owner = next(each["name"] for each in people if each.get("is_self"))
    return {
        "format": "camphor.device/1",
        "id": "test",
        "owner": owner,
        "now": now,
        "timezone": "Europe/Dublin",
        "location": {"city": "Dublin"},
        "screen": "",
        "activity": [],
        "web": [],
        "apps": {
            "contacts": {"people": [{"person_id": str(at), **each} for at, each in enumerate(people)]},
            "calendar": {"events": list(events)},
            "imessage": {"messages": []},
            "reminders": {"reminders": []},
        },
    }

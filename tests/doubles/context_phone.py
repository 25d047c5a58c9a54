"""A small phone for tests of context retrieval: seven lists as the dataset has them, and some weeks of use."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

NOW = datetime(2026, 3, 12, 7, 40)


def phone(**lists: Any) -> dict[str, Any]:
    """A device file's values. Args: lists: records by app, in place of the usual ones."""
    records = {
        "calendar": [
            {"title": "Cello with Oona", "start": "2026-03-05T18:00:00", "end": "2026-03-05T19:00:00"},
            {"title": "Cello with Oona", "start": "2026-03-12T18:00:00", "end": "2026-03-12T19:00:00"},
            {"title": "Budget review", "start": "2026-03-13T10:00:00", "end": "2026-03-13T11:00:00"},
        ],
        "reminders": [
            {"content": "Water the ferns", "time": "2026-03-12T20:00:00", "done": False},
            {"content": "Return the drill", "time": "2026-03-01T12:00:00", "done": True},
        ],
        "notes": [{"title": "Bowing", "content": "long bows, slow scales", "modified": "2026-03-05T18:10:00"}],
        "music": [
            {"title": "Tram Song", "artist": "The Kerbs", "genre": "indie", "played": "2026-03-11T07:50:00"},
            {"title": "Night Ferry", "artist": "Halden", "genre": "ambient", "played": "2026-03-11T23:00:00"},
        ],
        "mail": [{"subject": "Question", "sender": "piet@example.org", "date": "2026-03-11T15:00:00", "body": "When?"}],
        **lists,
    }
    names = {"calendar": "events", "reminders": "reminders", "notes": "notes", "music": "songs", "mail": "messages"}
    usage = [event("music", "songs", 0, "played", NOW - timedelta(days=day), "commute") for day in range(1, 15)]
    usage += [event("music", "songs", 1, "played", NOW - timedelta(days=day, hours=8.5), "home") for day in range(9)]
    usage += [event("notes", "notes", 0, "opened", datetime(2026, 3, 5, 18, 5), "school")]
    return {
        "format": "camphor.device/1",
        "id": "oleg",
        "now": NOW.isoformat(),
        "place": "commute",
        "apps": {app: {names.get(app, app): kept} for app, kept in records.items()},
        "usage": sorted(usage, key=lambda one: str(one["at"])),
    }


def event(app: str, name: str, item: int, kind: str, at: datetime, place: str = "") -> dict[str, Any]:
    return {"app": app, "list": name, "item": item, "kind": kind, "at": at.isoformat(), "place": place, "screen": ""}

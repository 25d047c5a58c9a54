"""A small dataset of implicit queries: two people with five items each, and three queries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from camphor.device.apps import KNOWN_APPS
from camphor_lab.datasets.context.toolbox import manifests

RECORDS: dict[str, list[dict[str, Any]]] = {
    "mail": [{"sender": "bo@example.org", "recipients": [], "subject": "Invoice", "date": "2026-03-09T10:00:00"}],
    "calendar": [
        {"title": "Guitar class", "start": "2026-03-11T18:00:00", "end": "2026-03-11T19:00:00", "location": "Studio 3"},
        {"title": "Dentist", "start": "2026-03-20T09:00:00", "end": "2026-03-20T09:30:00", "location": "High Street"},
    ],
    "google": [],
    "music": [
        {
            "title": "Blue Door",
            "artist": "Mara Lind",
            "genre": "Folk",
            "played": "2026-03-10T07:42:00",
        }
    ],
    "reminders": [],
    "notes": [{"title": "Leek soup", "content": "leeks, cream", "modified": "2026-03-01T19:00:00"}],
    "phone": [],
}
LISTS = {
    "mail": "messages", "calendar": "events", "google": "searches", "music": "songs", "reminders": "reminders",
    "notes": "notes", "phone": "calls",
}  # fmt: skip


def device(person: str) -> dict[str, Any]:
    apps: dict[str, Any] = {}
    for app, manifest in manifests().items():
        records = {LISTS[app]: RECORDS[app]}
        apps[app] = records if app in KNOWN_APPS else {**manifest, "records": records}
    since = {app: ["2026-02-01T00:00:00"] * len(RECORDS[app]) for app in RECORDS}
    return {
        "format": "camphor.device/1", "id": person, "owner": "Ines", "now": "2026-03-12T00:00:00", "timezone": None,
        "location": {"city": "Dublin", "country": "Ireland"}, "screen": "", "activity": [], "apps": apps,
        "usage": [{"app": "music", "list": "songs", "item": 0, "kind": "played", "at": "2026-03-10T07:42:00",
                   "place": "commute", "screen": ""}],
        "history": {"since": since, "dues": {}, "places": {}},
    }  # fmt: skip


def sample(number: int, person: str, query: str, gold: Sequence[tuple[str, int]], tool: str) -> dict[str, Any]:
    return {
        "id": f"q{number}", "persona": person, "device": f"devices/{person}.device.json",
        "now": "2026-03-11T17:30:00", "place": "work", "screen": "", "query": query,
        "context": [{"app": app, "list": LISTS[app], "item": item} for app, item in gold],
        "tools": [tool], "plan": [{"name": tool, "arguments": {}}], "intent": tool, "thread": "lesson",
    }  # fmt: skip


def write_folder(folder: Path) -> Path:
    """The dataset as `camphor lab data context` writes one; train and test are the same."""
    (folder / "devices").mkdir(parents=True)
    for person in ("p1", "p2"):
        (folder / "devices" / f"{person}.device.json").write_text(json.dumps(device(person)))
    (folder / "toolbox.json").write_text(json.dumps(manifests()))
    samples = [
        sample(1, "p1", "what about my lesson?", [("calendar", 0)], "get_event_details"),
        sample(2, "p1", "play that again", [("music", 0)], "play_song"),
        sample(3, "p2", "open the guitar thing and the soup", [("calendar", 0), ("notes", 0)], "open_note"),
    ]
    for split in ("train", "test"):
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    return folder

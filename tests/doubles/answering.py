"""A small phone whose every record is known, for tests of answers."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from camphor.device.device import Device

NOW = "2026-03-12T09:00:00"  # a Thursday
PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "mara-galway",
    "owner": "Mara Quill",
    "now": NOW,
    "timezone": None,
    "location": {"city": "Galway", "country": "Ireland"},
    "screen": "",
    "activity": [],
    "apps": {
        "contacts": {
            "people": [
                {"person_id": "001", "name": "Mara Quill", "phone_number": "+353 91 555 0100", "is_self": True},
                {
                    "person_id": "002",
                    "name": "Oisin Brannock",
                    "phone_number": "+353 91 555 0111",
                    "email": "oisin@brannock.example",
                    "relationship": "brother",
                    "birthday": "1990-04-02",
                },
                {"person_id": "003", "name": "Petra Lund", "phone_number": "+353 91 555 0122"},
            ]
        },
        "calendar": {
            "events": [
                {"title": "Dentist", "start": "2026-03-12T14:30:00", "end": "2026-03-12T15:15:00", "location": "Tully"},
                {"title": "Choir rehearsal", "start": "2026-03-12T19:00:00", "end": "2026-03-12T21:00:00"},
                {"title": "Kayak course", "start": "2026-03-14T10:00:00", "end": "2026-03-14T12:00:00"},
                {"title": "Ceramics fair", "start": "2026-03-06T11:00:00", "end": "2026-03-06T13:00:00"},
            ]
        },
        "reminders": {
            "reminders": [
                {"content": "Water the ferns", "time": "2026-03-13T08:00:00", "done": False},
                {"content": "Return the ladder", "time": "2026-03-10T18:00:00", "done": True},
                {"content": "Renew the passport", "time": "2026-03-20T10:00:00", "done": False},
            ]
        },
        "mail": {
            "messages": [
                {
                    "sender": "Petra Lund",
                    "recipients": ["mara@quill.example"],
                    "subject": "Kiln",
                    "date": "2026-03-11T16:20:00",
                    "body": "The kiln is booked for us until the end of the month.",
                }
            ]
        },
        "imessage": {
            "messages": [
                {
                    "contact": "Oisin Brannock",
                    "from_me": False,
                    "date": "2026-03-09T20:15:00",
                    "text": "The ladder is in my shed, take it whenever you like.",
                },
                {
                    "contact": "Oisin Brannock",
                    "from_me": True,
                    "date": "2026-03-09T20:20:00",
                    "text": "I will fetch it on Sunday.",
                },
            ]
        },
        "amazon": {
            "orders": [
                {"item": "Trowel", "total": "12.50 EUR", "date": "2026-03-02", "status": "delivered"},
                {"item": "Lantern", "total": "40.00 EUR", "date": "2026-03-08", "status": "shipped"},
                {"item": "Tarpaulin", "total": "27.50 EUR", "date": "2026-03-09", "status": "delivered"},
            ]
        },
        "voice_memos": {
            "recordings": [{"title": "Curlew at dawn", "date": "2026-03-01T06:10:00", "seconds": 95}],
        },
        "beekeeper": {
            "description": "Beehives and what they yield.",
            "records": {
                "hives": [
                    {"name": "Orchard hive", "frames": 8, "inspected": "2026-03-01", "strong": True},
                    {"name": "Meadow hive", "frames": 5, "inspected": "2026-03-04", "strong": False},
                ]
            },
            "tools": [
                {
                    "name": "get_beekeeper_hives",
                    "kind": "context",
                    "returns": "hives",
                    "description": "List hives, by keyword.",
                    "parameters": {"type": "object", "properties": {"keyword": {"type": "string"}}, "required": []},
                }
            ],
        },
    },
}


def phone(**lists: list[dict[str, Any]]) -> Device:
    """The phone, with other records in lists: `app__list=[...]`."""
    document = deepcopy(PHONE)
    for key, records in lists.items():
        app, _, name = key.partition("__")
        document["apps"].setdefault(app, {})[name] = records
    return Device.create(None, document)

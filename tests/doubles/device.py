"""A small phone that the tests of the device share."""

from __future__ import annotations

import copy
from typing import Any

from camphor.device.device import Device
from camphor.types import Call, Observation

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test-phone",
    "owner": "Ines Marques",
    "now": "2026-03-12T08:45:00",
    "timezone": "Europe/Dublin",
    "location": {"city": "Dublin", "country": "Ireland", "latitude": 53.34},
    "screen": "Mail: inbox",
    "activity": ["08:40 opened Mail"],
    "web": [
        {"query": "weather in Porto tomorrow", "result": "18 degrees"},
        {"query": "opening hours of the library in Rathmines", "result": "10:00 to 17:00"},
    ],
    "apps": {
        "contacts": {
            "people": [
                {"name": "Ines Marques", "email": "ines@example.org", "phone_number": "085-555-0100", "is_self": True},
                {"name": "Alice Johnson", "phone_number": "555-123-4567", "email": "alice@example.org",
                 "relationship": "Travel Buddy"},
                {"name": "Zoë Byrne", "phone_number": "085 555 0102", "relationship": "Sister"},
                {"name": "Tom Byrne", "email": "tom@example.org", "relationship": "Plumber"},
                {"name": "Tom Walsh", "phone_number": "085 555 0104"},
                {"name": "Old Mr Finch", "relationship": "Neighbour"},
            ]
        },
        "calendar": {
            "events": [
                {"title": "Dentist check-up", "start": "2026-03-13T10:00:00", "end": "2026-03-13T10:30:00"},
                {"title": "Dentist", "start": "2025-11-02T09:00:00"},
                {"title": "Trip to Porto", "start": "2026-03-20", "end": "2026-03-24",
                 "participants": ["Alice Johnson"]},
                {"title": "Choir", "start": "2026-03-10T19:00:00"},
                {"title": "Choir", "start": "2026-03-17T19:00:00"},
                {"title": "Lunch with Tom", "start": "2026-03-14T13:00:00+00:00"},
                {"title": "Lunch with Zoë", "start": "2026-03-15T13:00:00"},
            ]
        },
        "mail": {
            "messages": [
                {"sender": "Nora Keane <nora@example.com>", "recipients": ["ines@example.org"], "subject": "Rent",
                 "date": "2026-03-01T10:00:00", "body": "The rent is due"},
            ]
        },
        "imessage": {"messages": []},
        "reminders": {"reminders": [{"content": "Water the fern", "time": "2026-03-12", "done": False}]},
        "notes": {"notes": []},
        "music": {"songs": [{"title": "Água de Beber", "artist": "Astrud", "album": "Live", "played": "2026-01-01"}]},
        "podcasts": {"episodes": []},
        "appstore": {"history": []},
        "maps": {"places": []},
        "amazon": {"account": {"name": "Ines", "prime": True}, "orders": []},
        "instagram": {"posts": []},
        "settings": {"cellular": {"used_gb": 3.2, "limit_gb": "20 GB"}, "notifications": []},
        "spotify": {
            "description": "music streaming",
            "tools": [
                {"name": "get_spotify_playlists", "kind": "context", "returns": "playlists",
                 "description": "Playlists.",
                 "parameters": {"type": "object", "required": [], "properties": {
                     "keyword": {"type": "string"}, "mood": {"type": "string"}, "tracks": {"type": "integer"},
                     "shared": {"type": "boolean"}, "made": {"type": "string", "format": "date"},
                     "limit": {"type": "integer"}}}},
                {"name": "play_spotify_playlist", "kind": "action", "description": "Play a playlist.",
                 "parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
            ],
            "records": {"playlists": [
                {"name": "Long run", "tracks": 41, "mood": "fast", "shared": False, "made": "2026-01-05"},
                {"name": "Sunday", "tracks": "12 tracks", "mood": "slow and calm", "shared": True,
                 "made": "2026-02-01T10:00:00"},
                {"name": "Slow cooking", "tracks": 7, "mood": "cosy", "shared": False, "made": "2026-02-01"},
            ]},
        },
    },
}  # fmt: skip


def phone() -> dict[str, Any]:
    """The device file's values, to change at will."""
    return copy.deepcopy(PHONE)


def device() -> Device:
    """The phone in memory."""
    return Device.create(None, phone())


def call(device: Device, name: str, /, **arguments: Any) -> Observation:
    return device.execute(Call(name, arguments))


def titles(observation: Observation, field: str = "title") -> list[Any]:
    assert observation.error is None, observation.error
    return [record[field] for record in observation.records]

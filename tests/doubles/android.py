"""A small Android phone that these tests share."""

from __future__ import annotations

import copy
from typing import Any

from camphor.device.android.toolbox import SimulatedPhone, result_of
from camphor.device.device import Device
from camphor.types import Call

PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "test-android",
    "owner": "Ravn Dahl",
    "now": "2026-03-27T08:45:00",  # two days before summer time begins
    "timezone": "Europe/Copenhagen",
    "apps": {
        "android_scheduling": {
            "alarms": [
                {"time": "06:30", "label": "Gym", "days": ["Monday", "Friday"],
                 "ringtone": "content://media/internal/audio/media/9", "vibrate": True, "enabled": False},
            ],
            "timers": [], "events": [],
            "ringtones": [{"title": "Bell", "uri": "content://media/internal/audio/media/7"},
                          {"title": "Birds", "uri": "content://media/internal/audio/media/9"}],
            "colour": "blue",
        },
        "android_contacts": {
            "contacts": [
                {"contact_id": "1", "name": "Ravn Dahl", "phone_number": "+45 55 01 01 00", "email": "ravn@example.org",
                 "is_self": True},
                {"contact_id": "3", "name": "Mille Krogh", "phone_number": "+45 55 01 01 01",
                 "email": "mille@example.org", "address": "Havnegade 2, Aarhus", "nickname": "Mi"},
                {"contact_id": "7", "name": "Otto Friis", "phone_number": "+45 55 01 01 02"},
                {"contact_id": "8", "name": "Otto Brandt", "email": "otto.b@example.org"},
            ],
            "calls": [],
        },
        "android_common": {
            "photos": [
                {"uri": "content://media/external/images/media/20", "name": "a.jpg", "taken": "2026-03-25T10:00:00"},
                {"uri": "content://media/external/images/media/21", "name": "b.jpg", "taken": "2026-03-26T10:00:00"},
                {"uri": "content://media/external/images/media/22", "name": "c.png", "taken": "2026-03-26T09:00:00"},
            ],
            "videos": [],
            "documents": [
                {"uri": "content://com.android.providers.downloads.documents/document/4", "name": "Plan.pdf",
                 "type": "application/pdf", "modified": "2026-03-01T10:00:00"},
                {"name": "Sums.csv"},
            ],
        },
        "android_messaging": {"messages": [], "mails": []},
    },
}  # fmt: skip


def phone() -> dict[str, Any]:
    """The device file's values, to change at will."""
    return copy.deepcopy(PHONE)


class Android:
    """The phone in memory, and what calls do to it."""

    def __init__(self, values: dict[str, Any] | None = None) -> None:
        self.device = Device.create(None, values or phone())
        self.simulated = SimulatedPhone(self.device)

    def do(self, name: str, /, **arguments: Any) -> Any:
        """The result of a call that must succeed."""
        observation = self.simulated.run(Call(name, arguments))
        assert observation.error is None, observation.error
        return result_of(observation)

    def refused(self, name: str, /, **arguments: Any) -> str:
        """What the phone says to a call that must fail."""
        observation = self.simulated.run(Call(name, arguments))
        assert observation.error is not None
        assert observation.records == ()
        return observation.error

    def last(self, list_name: str) -> dict[str, Any]:
        """The newest record of a list, whichever app has it."""
        app = next(app for app in self.device.apps if self.device.records(app, list_name))
        return self.device.records(app, list_name)[-1]

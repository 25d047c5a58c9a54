"""Emergencies of a phone's owner: when one was begun, where, which ambulance was told, and when it ended.

At most one is active at a time, and the database sees to it. What each begins, changes or ends with is written together
with its messages: both are there or none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from camphor.device.health.database import HealthDatabase
from camphor.device.store import dump
from camphor.errors import ArgumentError

_TABLES = """
CREATE TABLE sos (
    id INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT NOT NULL, started TEXT NOT NULL, ended TEXT,
    location TEXT NOT NULL, ambulance TEXT NOT NULL, updates INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX sos_active ON sos (state) WHERE state='active';
"""


class SosState(StrEnum):
    ACTIVE = "active"
    ENDED = "ended"


@dataclass(frozen=True)
class Sos:
    """One emergency; times are the phone's, ISO 8601. `location` and `ambulance` as the device tells them, or empty."""

    id: int
    state: SosState
    started: str
    ended: str | None
    location: Mapping[str, Any]
    ambulance: Mapping[str, Any]
    updates: int

    @property
    def thread(self) -> str:
        """The thread of its messages in the outbox."""
        return f"sos-{self.id}"


class Emergencies:
    """The emergencies of one phone. Methods raise StoreError where the database cannot be read or written."""

    def __init__(self, database: HealthDatabase) -> None:
        self.database = database
        database.prepare("sos", (_TABLES,))

    def active(self) -> Sos | None:
        return self._one("WHERE state='active'")

    def last(self) -> Sos | None:
        """The active one, or else the latest."""
        return self._one("ORDER BY id DESC LIMIT 1")

    def of_day(self, day: str) -> list[Sos]:
        """Those that were begun on a day, YYYY-MM-DD, oldest first."""
        return self._found("WHERE substr(started, 1, 10)=? ORDER BY id", day)

    def begin(self, started: str, location: Mapping[str, Any], ambulance: Mapping[str, Any]) -> Sos:
        """A new one; call it in a transaction in which none was active."""
        number = self.database.insert(
            "INSERT INTO sos (state, started, location, ambulance) VALUES ('active', ?, ?, ?)",
            (started, dump(dict(location)), dump(dict(ambulance))),
        )
        return self._get(number)

    def change(self, sos: Sos, location: Mapping[str, Any], ambulance: Mapping[str, Any]) -> Sos:
        """Where it is now and who was told; counts as an update."""
        self.database.run(
            "UPDATE sos SET location=?, ambulance=?, updates=updates+1 WHERE id=?",
            (dump(dict(location)), dump(dict(ambulance)), sos.id),
        )
        return self._get(sos.id)

    def end(self, sos: Sos, ended: str) -> Sos:
        self.database.run("UPDATE sos SET state='ended', ended=? WHERE id=?", (ended, sos.id))
        return self._get(sos.id)

    def _get(self, number: int) -> Sos:
        found = self._one("WHERE id=?", number)
        assert found is not None
        return found

    def _one(self, clause: str, *parameters: Any) -> Sos | None:
        return next(iter(self._found(clause, *parameters)), None)

    def _found(self, clause: str, *parameters: Any) -> list[Sos]:
        rows = self.database.rows(
            f"SELECT id, state, started, ended, location, ambulance, updates FROM sos {clause}", parameters
        )
        return [
            Sos(number, SosState(state), started, ended, json.loads(location), json.loads(ambulance), updates)
            for number, state, started, ended, location, ambulance, updates in rows
        ]


Record = Mapping[str, Any]


def recipients(
    tool: str, phone_no: str | None, everybody: bool, contacts: Iterable[Record]
) -> tuple[list[dict[str, str]], list[str]]:
    """Those who get a message, each once, and a sentence on each emergency contact who cannot.

    Args:
        tool: for errors. phone_no: a number. everybody: whether all emergency contacts get it.
        contacts: the emergency contacts, `name` and `phone_number`.

    Raises:
        ArgumentError: nobody is named, or nobody can be reached.
    """
    reached = [{"phone_no": phone_no}] if phone_no else []
    skipped = []
    listed = list(contacts) if everybody else []
    for contact in listed:
        name, number = str(contact.get("name") or "somebody without a name"), str(contact.get("phone_number") or "")
        if not number.strip():
            skipped.append(f"{name} has no phone number")
        elif all(number != other["phone_no"] for other in reached):
            reached.append({"name": name, "phone_no": number})
    if reached:
        return reached, skipped
    if not everybody:
        raise ArgumentError(tool, "phone_no", phone_no, "a number, or to_emergency_contacts=true")
    lacking = "; ".join(skipped) or "there is no emergency contact"
    raise ArgumentError(tool, "to_emergency_contacts", True, f"an emergency contact with a phone number: {lacking}")

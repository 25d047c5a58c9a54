"""Whom a person keeps for their health: emergency contacts, doctors, clinics, numbers; and appointments they made."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from camphor.device.apps.clinic import Clinic
from camphor.device.device import Device
from camphor.device.health.slots import slot_of
from camphor.device.people import is_address, well_formed_number
from camphor.device.text import words
from camphor.device.when import parse_time
from camphor.errors import ToolError, UsageError
from camphor.health.cards import Card
from camphor.health.emergency.lines import calls_emergency

_LONGEST_NAME = 120


class Kept(StrEnum):
    """A list of them, and what one is called."""

    CONTACT = "emergency_contacts"
    DOCTOR = "specialists"
    CLINIC = "clinics"
    NUMBER = "emergency_numbers"

    @property
    def word(self) -> str:
        words_ = {"emergency_contacts": "emergency contact", "specialists": "doctor", "clinics": "clinic"}
        return words_.get(self.value, "emergency number")

    @property
    def many(self) -> str:
        return f"{self.word}s"

    @property
    def needs_number(self) -> bool:
        return self in (Kept.CLINIC, Kept.NUMBER)


@dataclass(frozen=True)
class Entry:
    """One of them as a person says it. `specialization`: what a doctor is for."""

    name: str
    phone_number: str = ""
    email: str = ""
    specialization: str = ""
    address: str = ""


def of_card(card: Card, kind: Kept) -> Entry:
    """One of an address book: the first number and address count; of a contact the first that takes text messages."""
    numbers = (*card.mobiles, *card.numbers) if kind is Kept.CONTACT else card.numbers
    number, email = next(iter(numbers), ""), next(iter(card.emails), "")
    return Entry(card.name, number, email, card.title, card.address)


def ready_clinic(device: Device) -> bool:
    """Gives a phone the clinic app, in which all of it is kept, where it has none; whether it had none.

    Raises:
        StoreError: the phone cannot be written.
    """
    if Clinic.name in device.apps:
        return False
    device.install(Clinic.name, {})
    return True


def add(device: Device, kind: Kept, entry: Entry) -> Mapping[str, Any]:
    """Keeps one; its record.

    Raises:
        UsageError: it has no name, nothing by which it can be reached, or there is one of that name.
        StoreError: the phone cannot be written.
    """
    record = _record(kind, entry)
    ready_clinic(device)
    with device.changing(Clinic) as clinic:
        if any(words(str(row.get("name"))) == words(record["name"]) for _, row in clinic.records.rows(kind.value)):
            raise UsageError(f"{record['name']} is kept already among the {kind.many}: remove that one first")
        return clinic.records.add(kind.value, record)


def _record(kind: Kept, entry: Entry) -> dict[str, Any]:
    name = " ".join(entry.name.split())
    if not name or len(name) > _LONGEST_NAME:
        raise UsageError(f"The {kind.word} has no name of at most {_LONGEST_NAME} characters: say who it is")
    number, email = entry.phone_number.strip(), entry.email.strip()
    if number and not well_formed_number(number):
        raise UsageError("This is no phone number: write 3 to 15 digits, such as +44 7700 900123")
    if kind is Kept.CONTACT and calls_emergency(number):
        raise UsageError(
            f"{number} is an emergency number, where no messages are read: give the number of a person who can come to "
            "you. SOS tells you to call the emergency number too"
        )
    if email and not is_address(email):
        raise UsageError("This is no e-mail address: write it as name@example.org")
    if kind.needs_number and not number:
        raise UsageError(f"The {kind.word} has no phone number: say how it is called")
    if kind is Kept.CONTACT and not number and not email:
        raise UsageError("The emergency contact has neither a phone number nor an e-mail address: say one of them")
    record: dict[str, Any] = {"name": name, "phone_number": number}
    if kind is Kept.CONTACT and email:
        record["email"] = email
    if kind is Kept.DOCTOR:
        what = " ".join(entry.specialization.split()) or "general physician"
        record = {"specialist_id": f"own-{uuid.uuid4().hex[:8]}", **record, "specialization": what}
    if kind in (Kept.DOCTOR, Kept.CLINIC) and entry.address.strip():
        record["address"] = " ".join(entry.address.split())
    return record


def remove(device: Device, kind: Kept, ordinal: int) -> Mapping[str, Any]:
    """Removes the one at that place of the list; it. Raises: UsageError: there is none. StoreError."""
    with device.changing(Clinic) as clinic:
        found = next((row for place, row in clinic.records.rows(kind.value) if place == ordinal), None)
        if found is None:
            raise UsageError("There is no such record: it may have been removed")
        clinic.records.change(kind.value, ordinal, None)
        return dict(found)


def moment_of(text: str, device: Device) -> datetime:
    """When an appointment begins, by the words of a person or ISO 8601; naive local time of the phone.

    Raises:
        UsageError: it is no moment, or a day without an hour.
    """
    said = text.strip()
    with suppress(ValueError):
        if (told := datetime.fromisoformat(said)).tzinfo is not None:
            return told.astimezone(device.zone).replace(tzinfo=None)
    try:
        # where the hour that stands in for none changes the answer, none was said
        early, late = (parse_time(said, device.now, default_hour=hour) for hour in (9, 10))
    except ToolError as error:
        raise UsageError(str(error)) from None
    if early != late:
        raise UsageError(f"{said[:40]!r} has no time of day: say one, as {early:%Y-%m-%d}T09:30")
    return early


def add_appointment(
    device: Device, name: str, begin: datetime, minutes: int = 30, specialization: str = "", about: str = ""
) -> Mapping[str, Any]:
    """Keeps an appointment that the person made themselves; its record.

    Args:
        name: with whom; begin: naive local time.

    Raises:
        UsageError: nobody is named, the length is none, or another one is not over by then. StoreError.
    """
    who = " ".join(name.split())
    if not who or len(who) > _LONGEST_NAME:
        raise UsageError("The appointment is with nobody: say who it is with")
    end = begin + timedelta(minutes=minutes)
    if not 1 <= minutes <= 24 * 60 or end.date() != begin.date():
        raise UsageError("An appointment lasts from a minute to the end of its day: say for how many minutes")
    ready_clinic(device)
    with device.changing(Clinic) as clinic:
        time = f"{begin:%H:%M}-{end:%H:%M}"
        for _, row in clinic.records.rows("appointments"):
            slot = slot_of(row)
            if slot and slot.start < end and begin < slot.end and row.get("state") != "cancelled":
                told = f"an appointment with {row.get('name')} from {slot.start:%H:%M} to {slot.end:%H:%M} that day"
                raise UsageError(f"There is {told}: choose another time, or cancel that one first")
        doctor = next(
            (row for _, row in clinic.records.rows("specialists") if words(str(row.get("name"))) == words(who)), {}
        )
        kind = " ".join(specialization.split()) or str(doctor.get("specialization") or "")
        record = {
            "specialist_id": str(doctor.get("specialist_id") or ""), "name": who, "specialization": kind,
            "date": begin.date().isoformat(), "time": time, "symptoms": " ".join(about.split()), "state": "booked",
        }  # fmt: skip
        return clinic.records.add("appointments", record)

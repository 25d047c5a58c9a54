"""Whom a person keeps for their health: emergency contacts, doctors, clinics, numbers; and appointments they made.

They may come from vCard files (`.vcf`), as address books export them; nobody in one becomes an emergency contact
without being chosen.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from camphor.device.apps.clinic import Clinic
from camphor.device.device import Device
from camphor.device.health.slots import slot_of
from camphor.device.people import is_address, well_formed_number
from camphor.device.text import words
from camphor.device.when import parse_time
from camphor.errors import MissingExtra, ToolError, UsageError
from camphor.health.emergency.lines import calls_emergency

_LONGEST_NAME = 120


class KeptList(StrEnum):
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
        return self in (KeptList.CLINIC, KeptList.NUMBER)


@dataclass(frozen=True)
class PersonEntry:
    """One of them as a person says it. `specialization`: what a doctor is for."""

    name: str
    phone_number: str = ""
    email: str = ""
    specialization: str = ""
    address: str = ""


def of_card(card: Card, kind: KeptList) -> PersonEntry:
    """One of an address book: the first number and address count; of a contact the first that takes text messages."""
    numbers = (*card.mobiles, *card.numbers) if kind is KeptList.CONTACT else card.numbers
    number, email = next(iter(numbers), ""), next(iter(card.emails), "")
    return PersonEntry(card.name, number, email, card.title, card.address)


def ready_clinic(device: Device) -> bool:
    """Gives a phone the clinic app, in which all of it is kept, where it has none; whether it had none.

    Raises:
        StoreError: the phone cannot be written.
    """
    if Clinic.name in device.apps:
        return False
    device.install(Clinic.name, {})
    return True


def add(device: Device, kind: KeptList, entry: PersonEntry) -> Mapping[str, Any]:
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


def _record(kind: KeptList, entry: PersonEntry) -> dict[str, Any]:
    name = " ".join(entry.name.split())
    if not name or len(name) > _LONGEST_NAME:
        raise UsageError(f"The {kind.word} has no name of at most {_LONGEST_NAME} characters: say who it is")
    number, email = entry.phone_number.strip(), entry.email.strip()
    if number and not well_formed_number(number):
        raise UsageError("This is no phone number: write 3 to 15 digits, such as +44 7700 900123")
    if kind is KeptList.CONTACT and calls_emergency(number):
        raise UsageError(
            f"{number} is an emergency number, where no messages are read: give the number of a person who can come to "
            "you. SOS tells you to call the emergency number too"
        )
    if email and not is_address(email):
        raise UsageError("This is no e-mail address: write it as name@example.org")
    if kind.needs_number and not number:
        raise UsageError(f"The {kind.word} has no phone number: say how it is called")
    if kind is KeptList.CONTACT and not number and not email:
        raise UsageError("The emergency contact has neither a phone number nor an e-mail address: say one of them")
    record: dict[str, Any] = {"name": name, "phone_number": number}
    if kind is KeptList.CONTACT and email:
        record["email"] = email
    if kind is KeptList.DOCTOR:
        what = " ".join(entry.specialization.split()) or "general physician"
        record = {"specialist_id": f"own-{uuid.uuid4().hex[:8]}", **record, "specialization": what}
    if kind in (KeptList.DOCTOR, KeptList.CLINIC) and entry.address.strip():
        record["address"] = " ".join(entry.address.split())
    return record


def remove(device: Device, kind: KeptList, ordinal: int) -> Mapping[str, Any]:
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


# address books


MOST = 5000
_LARGEST = 32 * 1024 * 1024
_MOBILE = {"cell", "mobile", "iphone", "text", "msg"}
_NO_VOICE = {"fax", "pager", "modem"}
_BEGIN, _END = re.compile(r"^BEGIN:VCARD[ \t]*$", re.I | re.M), re.compile(r"^END:VCARD", re.I | re.M)
# a line that goes on is folded in vCard 3 (a space begins the next) and ends with = in quoted-printable (vCard 2.1)
_QUOTED = re.compile(r"^[^:\n]*QUOTED-PRINTABLE[^:\n]*:[^\n]*=$", re.I)


@dataclass(frozen=True)
class Card:
    """One card; what is no number or address is left out.

    Args:
        numbers, emails: the preferred ones first, else in its order. mobiles: those of the numbers that take text
        messages. title: a job, such as doctor.
    """

    name: str
    numbers: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    organisation: str = ""
    title: str = ""
    address: str = ""
    mobiles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Book:
    """The cards of a file that have a name and a way to reach them; how many have none, and how many are broken."""

    cards: tuple[Card, ...]
    bare: int = 0
    broken: int = 0
    beyond: int = 0

    @property
    def left_out(self) -> str:
        """What is not in `cards`, in a sentence; "" where all is."""
        counted = (
            (self.bare, "without a name, or without a number and an e-mail address"),
            (self.broken, "that cannot be read"),
            (self.beyond, f"beyond the first {MOST:,}"),
        )
        told = ", ".join(f"{count:,} {what}" for count, what in counted if count)
        return f"Left out of the file: {told}" if told else ""


def read_cards(path: Path) -> Book:
    """The cards of a file.

    Raises:
        UsageError: there is no such file, it is none of vCards, or nobody in it has a name and a way to be reached.
        MissingExtra: vobject.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path}: it has more than {_LARGEST >> 20} MB: export it without pictures, or in parts")
        text = _decoded(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error.strerror}): name a .vcf file") from error
    parts = _BEGIN.split(text.replace("\r\n", "\n").replace("\r", "\n"))[1:]
    if not parts:
        raise UsageError(f"{path}: it has no vCards: export your contacts as vCard (.vcf)")
    found = list(_cards(parts[:MOST]))
    cards = tuple(card for card in found if card and card.name and (card.numbers or card.emails))
    broken = found.count(None)
    book = Book(cards, len(found) - broken - len(cards), broken, max(0, len(parts) - MOST))
    if not cards:
        raise UsageError(f"{path}: none of its cards has a name and a number or an e-mail address")
    return book


def _decoded(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", errors="replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")  # of phones of before vCard 3.0


def _cards(parts: list[str]) -> Iterator[Card | None]:
    """Card by card, None for a broken one: it keeps none of the others from being read."""
    try:
        import vobject
    except ImportError as error:
        raise MissingExtra("vobject, which reads vCards,", "health") from error
    logging.getLogger("vobject").setLevel(logging.CRITICAL)  # it prints lines of people that it does not know
    vobject.base.logger.setLevel(logging.CRITICAL)
    for part in parts:
        body = _joined(_END.split(part)[0])
        try:
            yield _card(vobject.readOne(f"BEGIN:VCARD{body}END:VCARD\n", ignoreUnreadable=True))
        except Exception:  # whatever breaks in a parser of what others wrote
            yield None


def _joined(body: str) -> str:
    """With each quoted-printable value on one line."""
    lines: list[str] = []
    for line in body.split("\n"):
        if lines and _QUOTED.match(lines[-1]):
            lines[-1] = lines[-1][:-1] + line
        else:
            lines.append(line)
    return "\n".join(lines)


def _card(read: Any) -> Card:
    def values(field: str) -> list[str]:
        ordered = sorted(read.contents.get(field, ()), key=lambda each: "pref" not in _types(each))
        return [_text(each.value) for each in ordered]

    def first(field: str) -> str:
        return next(filter(None, values(field)), "")

    calls = [each for each in read.contents.get("tel", ()) if not _types(each) & _NO_VOICE]
    calls.sort(key=lambda each: "pref" not in _types(each))
    numbers = [(_number(each.value), bool(_types(each) & _MOBILE)) for each in calls]
    numbers = [(number, mobile) for number, mobile in numbers if well_formed_number(number)]
    name = first("fn") or first("n") or first("org")
    return Card(
        name[:120],
        tuple(dict.fromkeys(number for number, _ in numbers)),
        tuple(dict.fromkeys(each for each in values("email") if is_address(each))),
        first("org")[:120],
        (first("title") or first("role"))[:120],
        first("adr")[:200],
        tuple(dict.fromkeys(number for number, mobile in numbers if mobile)),
    )


def _types(line: Any) -> set[str]:
    """What a line says of its value: TYPE=CELL in vCard 3 and 4, plain CELL in 2.1, PREF=1 in 4."""
    said = [*line.params.get("TYPE", ()), *line.singletonparams, *(["pref"] if "PREF" in line.params else [])]
    return {each.strip().casefold() for value in said for each in value.split(",")}


def _number(value: Any) -> str:
    """As it is written, without what a phone dials behind it; of a tel: address with its extension."""
    written, *more = re.split(r"[;,]", str(value or "").strip().removeprefix("tel:"))
    extension = next((each.partition("=")[2] for each in more if each.strip().lower().startswith("ext=")), "")
    return " ".join(written.split()) + (f" ext. {extension}" if extension else "")


def _text(value: Any) -> str:
    """A value as one line: names, organisations and addresses have parts."""
    if isinstance(value, list | tuple):
        return " ".join(filter(None, map(_text, value)))
    return " ".join(str(value or "").split()).strip(" ,;")

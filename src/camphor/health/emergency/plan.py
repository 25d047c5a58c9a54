"""Who is told of an emergency: the nearest free ambulance and the emergency contacts, each at one address.

Worked out of what the phone knows, and nothing is written. What is missing (a location, an ambulance, a number) is told
in `AlertPlan.problems`, and never keeps the others from being told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from camphor.device.apps.clinic import Clinic
from camphor.device.arithmetic import distance_km, point_of
from camphor.device.health.outbox import Channel, MessageDraft

if TYPE_CHECKING:
    from camphor.device.device import Device


AMBULANCE, CONTACT = "ambulance", "contact"
Record = Mapping[str, Any]

_FEWEST_DIGITS = 3  # emergency numbers have three


@dataclass(frozen=True)
class AlertScene:
    """What the phone knows when help is called.

    Args:
        name, user_id, phone: the person's; "" where unknown. location: as in the device file. ambulances, contacts:
        records of the clinic's lists. at: the phone's local time.
    """

    name: str
    user_id: str
    phone: str
    location: Record
    ambulances: Sequence[Record]
    contacts: Sequence[Record]
    at: datetime


@dataclass(frozen=True)
class Recipient:
    """Who is told, at which address; `key` is the same however the address is written."""

    role: str
    name: str
    channel: Channel
    address: str

    @property
    def key(self) -> str:
        return f"{self.role}:{self.channel.value}:{self.address.casefold()}"


@dataclass(frozen=True)
class AlertPlan:
    """Who is told.

    Args:
        ambulance: the record of the ambulance that is told; empty where there is none.
        problems: sentences for the person.
    """

    ambulance: Record
    recipients: tuple[Recipient, ...]
    problems: tuple[str, ...]


def scene_of(device: Device) -> AlertScene:
    """What a phone knows. Raises: StoreError."""
    own = next((each for each in device.people() if each.get("is_self")), {})
    clinic = Clinic.name in device.apps
    profile = device.fact(Clinic.name, "profile") if clinic else {}
    return AlertScene(
        device.owner or str(own.get("name") or ""),
        str(profile.get("user_id") or ""),
        number_of(own.get("phone_number")),
        device.location,
        device.records(Clinic.name, "ambulances") if clinic else (),
        device.records(Clinic.name, "emergency_contacts") if clinic else (),
        device.now,
    )


def plan(scene: AlertScene, channels: frozenset[Channel], assigned: Record | None = None) -> AlertPlan:
    """Who is to be told.

    Args:
        channels: ways for which a delivery is configured; one that has none is used where nothing else is left.
        assigned: the ambulance that was told before; it stays the one, even where another is nearer now.
    """
    problems: list[str] = []
    ambulance = assigned or _choose(scene, problems)
    recipients = [*_reach_ambulance(ambulance), *_reach_contacts(scene.contacts, channels, problems)]
    return AlertPlan(ambulance, tuple({each.key: each for each in recipients}.values()), tuple(problems))


def number_of(value: Any) -> str:
    """A phone number as it is dialled, of the first in the text; "" where it holds none."""
    for written in re.findall(r"\+?\s*\(?\d[\d\s()./-]*", str(value or "")):
        number = re.sub(r"[^\d+]", "", written.replace("(0)", "") if written.startswith("+") else written)
        if len(number.lstrip("+")) >= _FEWEST_DIGITS:
            return number
    return ""


def _choose(scene: AlertScene, problems: list[str]) -> Record:
    """The nearest free ambulance that has a number; empty where there is none."""
    callable_ = [each for each in scene.ambulances if number_of(each.get("phone_no"))]
    free = [each for each in callable_ if each.get("assigned") in (None, False, "", scene.user_id or "me")]
    if not free:
        told = "every ambulance known is on another call" if callable_ else "this phone knows the number of none"
        problems.append(f"No ambulance is told: {told}. Call the emergency number")
        return {}
    here = point_of(scene.location)
    if here is None:
        problems.append(
            "Your location is not known, so the messages cannot say where you are and the nearest ambulance cannot be"
            " found: the first one of the list is told, say to it where you are"
        )
        return free[0]
    placed = [(distance_km(here, there), each) for each in free if (there := point_of(each))]
    if not placed:
        problems.append("No ambulance says where it is, so the first one of the list is told, near or far")
        return free[0]
    return min(placed, key=lambda pair: pair[0])[1]


def _reach_ambulance(ambulance: Record) -> Iterator[Recipient]:
    number = number_of(ambulance.get("phone_no"))
    if number:
        name = str(ambulance.get("ambulance_id") or "ambulance")
        yield Recipient(AMBULANCE, name, Channel.SMS, number)


def _reach_contacts(
    contacts: Iterable[Record], channels: frozenset[Channel], problems: list[str]
) -> Iterator[Recipient]:
    none = True
    for contact in contacts:
        none = False
        name = str(contact.get("name") or "a contact without a name")
        number, email = number_of(contact.get("phone_number")), _email_of(contact.get("email"))
        if email and Channel.EMAIL in channels and (not number or Channel.SMS not in channels):
            if not number:
                problems.append(f"{name} has no phone number and is told by e-mail")
            yield Recipient(CONTACT, name, Channel.EMAIL, email)
        elif number:
            yield Recipient(CONTACT, name, Channel.SMS, number)
        else:
            problems.append(f"{name} has no phone number and cannot be told: tell them some other way")
    if none:
        problems.append("There are no emergency contacts: add some with  camphor health contacts add")


def other_way(device: Device, failed: MessageDraft, channels: Collection[Channel]) -> MessageDraft | None:
    """The same message to the same contact by another way that is set up; None where there is none.

    Raises:
        StoreError: the phone's contacts cannot be read.
    """
    if failed.role != CONTACT or Clinic.name not in device.apps:
        return None
    for contact in device.records(Clinic.name, "emergency_contacts"):
        ways = {Channel.SMS: number_of(contact.get("phone_number")), Channel.EMAIL: _email_of(contact.get("email"))}
        if contact.get("name") != failed.recipient or ways.get(failed.channel) != failed.address:
            continue
        for channel, address in ways.items():
            if address and channel is not failed.channel and channel in channels:
                return replace(failed, key=f"{failed.key}:{channel.value}", channel=channel, address=address)
    return None


def _email_of(value: Any) -> str:
    text = str(value or "").strip()
    return text if re.fullmatch(r"[^\s@]+@[^\s@]+", text) else ""


def recipient_of(draft: MessageDraft) -> Recipient:
    """Whom a message is for."""
    return Recipient(draft.role, draft.recipient, draft.channel, draft.address)

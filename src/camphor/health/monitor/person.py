"""What of the person the limits depend on, as the clinic app's profile has it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from camphor.health.monitor.thresholds import Person, told_target

if TYPE_CHECKING:
    from camphor.device.device import Device


def person_of(device: Device) -> Person:
    """The person of a phone; one of whom nothing is known where there is no clinic app."""
    profile: Mapping[str, Any] = device.fact("clinic", "profile") if "clinic" in device.apps else {}
    conditions = profile.get("conditions")
    texts = [str(each) for each in conditions] if isinstance(conditions, list | tuple) else [str(conditions or "")]
    return Person(age_of(profile.get("birthday"), device.now.date()), oxygen_88_92=told_target(texts))


def age_of(birthday: object, today: date) -> int | None:
    """Years since a birthday as profiles have it; None where it is none."""
    try:
        born = datetime.fromisoformat(str(birthday)).date()
    except ValueError:
        return None
    years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    return years if 0 <= years < 130 else None

"""What of the person the limits depend on, as the clinic app's profile has it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from camphor.health.monitor.thresholds import Person, told_target

if TYPE_CHECKING:
    from camphor.device.device import Device


UNKNOWN_AGE = (
    "No birthday is known, so the ranges are those of an adult: children have their own. "
    "Add it to the profile of the clinic app."
)


def person_of(device: Device) -> Person:
    """The person of a phone; one of whom nothing is known where there is no clinic app."""
    profile: Mapping[str, Any] = device.fact("clinic", "profile") if "clinic" in device.apps else {}
    conditions = profile.get("conditions")
    texts = [str(each) for each in conditions] if isinstance(conditions, list | tuple) else [str(conditions or "")]
    return Person(age_of(profile.get("birthday"), device.now.date()), oxygen_88_92=told_target(texts))


def age_of(birthday: object, today: date) -> float | None:
    """Years since a birthday as profiles have it, in whole months of life; None where it is none."""
    try:
        born = datetime.fromisoformat(str(birthday)).date()
    except ValueError:
        return None
    months = 12 * (today.year - born.year) + today.month - born.month - (today.day < born.day)
    return months / 12 if 0 <= months < 130 * 12 else None

"""Whom to call: the emergency number of the person's country, and the numbers that the person added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from camphor.device.apps.clinic import Clinic
from camphor.health.emergency.lines import country_of, lines_of

if TYPE_CHECKING:
    from camphor.device.device import Device

ANYWHERE = "112"
"""What a mobile phone takes for an emergency call in every country."""


@dataclass(frozen=True)
class Line:
    """A number to call, and whose it is."""

    name: str
    number: str

    @property
    def dialled(self) -> str:
        """As a `tel:` link has it."""
        return "".join(char for char in self.number if char in "+0123456789*#")


def emergency_numbers(device: Device) -> tuple[Line, ...]:
    """The country's emergency number first, then those of the person. Raises: StoreError."""
    country = country_of(device)
    known = lines_of(country).emergency if country else ""
    name = f"Emergency ({country})" if known else "Emergency (any country, from a mobile phone)"
    own = device.records(Clinic.name, "emergency_numbers") if Clinic.name in device.apps else []
    mine = (Line(str(each.get("name") or ""), str(each.get("phone_number") or "")) for each in own)
    return (Line(name, known or ANYWHERE), *(each for each in mine if each.dialled))


def emergency_number(device: Device) -> str:
    """The one number to call."""
    return emergency_numbers(device)[0].number

"""Numbers to call in a person's country: emergency, crisis, poison, and advice by phone, from lines.toml.

The country is that of the phone's profile, else of its place, else of its time zone. No network is asked. Where none is
known the general emergency numbers are shown, and that no other line is known is said. A person may add numbers.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from camphor.device.apps.clinic import Clinic

if TYPE_CHECKING:
    from camphor.device.device import Device

GENERAL = "112 (in the USA and Canada 911, in the UK 999, in Australia 000)"
"""The emergency numbers that are shown where the country is not known."""
ANYWHERE = "112"
"""What a mobile phone takes for an emergency call in every country."""


@dataclass(frozen=True)
class Helpline:
    """A line that can be called: its number, who answers, and the page that says so; "" for one of the person's."""

    number: str
    name: str
    source: str = ""

    @property
    def dialled(self) -> str:
        """As a `tel:` link has it."""
        return "".join(char for char in self.number if char in "+0123456789*#")


@dataclass(frozen=True)
class Helplines:
    """The lines of a country; None for each that is not known. `country`: its name, "" where it is not known itself."""

    country: str
    emergency: str
    crisis: Helpline | None = None
    poison: Helpline | None = None
    advice: Helpline | None = None
    source: str = ""

    def of(self, name: str) -> Helpline | None:
        """The line "crisis", "poison" or "advice"."""
        found: Helpline | None = {"crisis": self.crisis, "poison": self.poison, "advice": self.advice}[name]
        return found


def lines_of(country: str) -> Helplines:
    """The lines of a country by its ISO code or its name; the general emergency numbers for one that is not known."""
    told = _data().get(code_of(country))
    if told is None:
        return Helplines("", GENERAL)
    named = {name: Helpline(**told[name]) for name in ("crisis", "poison", "advice") if name in told}
    return Helplines(told["name"], told["emergency"], source=told["source"], **named)


def calls_emergency(number: str) -> bool:
    """Whether a number is the emergency number of some country, however it is written: nobody reads messages there."""
    dialled = "".join(filter(str.isdecimal, number))
    return dialled in {told["emergency"] for told in _data().values()}


def code_of(country: str) -> str:
    """The ISO code of a country of lines.toml, by code or name, however it is written; "" for any other."""
    wanted = _plain(country)
    if wanted.upper() in _data():
        return wanted.upper()
    return next((code for code, told in _data().items() if wanted and wanted in _names(told)), "")


def country_of(device: Device) -> str:
    """The ISO code of the country that a phone is in; "" where nothing tells it.

    What the profile of the clinic says goes before the place, and the place before the time zone.
    """
    told = (device.fact(Clinic.name, "profile").get("country"), device.location.get("country"))
    return next(filter(None, (code_of(str(each)) for each in told if each)), "") or _zones().get(device.timezone, "")


def emergency_numbers(device: Device) -> tuple[Helpline, ...]:
    """The country's emergency number first, then those of the person. Raises: StoreError."""
    country = country_of(device)
    known = lines_of(country).emergency if country else ""
    name = f"Emergency ({country})" if known else "Emergency (any country, from a mobile phone)"
    own = device.records(Clinic.name, "emergency_numbers") if Clinic.name in device.apps else []
    mine = (Helpline(str(each.get("phone_number") or ""), str(each.get("name") or "")) for each in own)
    return (Helpline(known or ANYWHERE, name), *(each for each in mine if each.dialled))


def emergency_number(device: Device) -> str:
    """The one number to call."""
    return emergency_numbers(device)[0].number


def _names(told: Mapping[str, Any]) -> set[str]:
    return {_plain(told["name"]), *told.get("names", ())}


def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


@cache
def _data() -> dict[str, Any]:
    return _read("lines.toml")


@cache
def _zones() -> dict[str, str]:
    """The country of each time zone: the tz database's own table, as dateutil's package carries the zones' names."""
    return {zone: code for code, zones in _read("zones.toml").items() for zone in zones}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("camphor") / "health" / "emergency" / name).read_text(encoding="utf-8"))

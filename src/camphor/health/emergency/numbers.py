"""Whom to call: the emergency number of the person's country, and the numbers that the person added."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from camphor.device.apps.clinic import Clinic

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
    known = _numbers().get(country, "")
    name = f"Emergency ({country})" if known else "Emergency (any country, from a mobile phone)"
    own = device.records(Clinic.name, "emergency_numbers") if Clinic.name in device.apps else []
    mine = (Line(str(each.get("name") or ""), str(each.get("phone_number") or "")) for each in own)
    return (Line(name, known or ANYWHERE), *(each for each in mine if each.dialled))


def emergency_number(device: Device) -> str:
    """The one number to call."""
    return emergency_numbers(device)[0].number


def country_of(device: Device) -> str:
    """The ISO 3166 code of where the phone is, by its location or else its time zone; "" where neither says so."""
    said = str(device.location.get("country") or "").strip()
    return _code(said) or _zones().get(device.timezone, "")


def _code(country: str) -> str:
    names = _names()
    return country.upper() if country.upper() in names.values() else names.get(country.casefold(), "")


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads((files("camphor.health.emergency") / "numbers.toml").read_text(encoding="utf-8"))


@cache
def _numbers() -> Mapping[str, str]:
    return {code: each["call"] for each in _data()["number"] for code in each["countries"].split()}


@cache
def _names() -> Mapping[str, str]:
    """Codes by the names of countries, as the time zone data have them, and as people write them."""
    return {**{name.casefold(): code for code, name in _table("iso3166.tab")}, **_data()["names"]}


@cache
def _zones() -> Mapping[str, str]:
    return {row[2]: row[0] for row in _table("zone.tab")}


def _table(name: str) -> list[tuple[str, ...]]:
    text = (files("tzdata.zoneinfo") / name).read_text(encoding="utf-8")
    return [tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#")]

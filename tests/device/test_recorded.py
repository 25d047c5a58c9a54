"""A reference is completed to the one record that it names."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.device.device import Device
from camphor.types import Call

DEVICES = [
    {"device": "Garage roller door", "room": "Garage"},
    {"device": "Shed light", "room": "Shed"},
    {"device": "Lounge air conditioner", "room": "Lounge"},
    {"device": "Lounge lamp", "room": "Lounge"},
]
TRIPS = [
    {
        "trip_id": "BS-70412",
        "rider": "Hakim S.",
        "note": "The rider drove far too fast and nearly hit a bus, said Bora",
    },
    {"trip_id": "BS-70500", "rider": "Bora K."},
    {"trip_id": "BS-70501", "rider": "Bora L."},
]


def tool(name: str, parameter: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return {"name": name, "kind": "action", "description": "Does it.", "parameters": schema}


@pytest.fixture(scope="module")
def device() -> Device:
    apps = {
        "home": {
            "records": {"devices": DEVICES},
            "tools": [tool("switch_device", "device"), tool("heat_room", "room")],
        },
        "boda": {"records": {"trips": TRIPS}, "tools": [tool("rate_trip", "trip_id")]},
    }
    data = {
        "format": "camphor.device/1",
        "id": "test",
        "now": "2026-03-12T08:45:00",
        "timezone": "Europe/Dublin",
        "location": {"city": "Dublin", "country": "Ireland"},
        "apps": apps,
    }
    return Device.create(None, data)


@pytest.mark.parametrize(
    ("name", "parameter", "said", "meant"),
    [
        ("switch_device", "device", "garage door", "Garage roller door"),
        ("switch_device", "device", "shed LIGHT", "Shed light"),
        ("switch_device", "device", "lamps", "lamps"),
        ("switch_device", "device", "lounge", "lounge"),  # two have it
        ("switch_device", "device", "conditioners", "Lounge air conditioner"),  # near enough
        ("switch_device", "device", "toaster", "toaster"),  # the app says that there is none
        ("heat_room", "room", "lounge", "Lounge"),
        ("heat_room", "room", "roller", "roller"),  # a room is no code: what stands in it does not name it
        ("rate_trip", "trip_id", "Hakim", "BS-70412"),
        ("rate_trip", "trip_id", "Bora", "Bora"),  # two riders; a letter that mentions one does not count
        ("rate_trip", "trip_id", "bs-70500", "BS-70500"),
        ("rate_trip", "trip_id", "!", "!"),
    ],
)
def test_a_reference_is_the_one_record_that_it_names(
    device: Device, name: str, parameter: str, said: str, meant: str
) -> None:
    once = device.normalise(Call(name, {parameter: said}))
    assert once.arguments == {parameter: meant}
    assert device.normalise(once) == once

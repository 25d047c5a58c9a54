"""A small phone with the clinic app that tests share."""

from __future__ import annotations

import copy
from typing import Any

from camphor.device.device import Device
from camphor.types import Call, Observation

USER = {"user_id": "JICC571413"}
ARROYO, LIND, OKORO = "AECJ317777", "AECJ317778", "BQRT204410"

CLINIC: dict[str, Any] = {
    "profile": {**USER, "rest_hours": {"from": "12:00", "to": "13:30"}, "preferred_times": ["15:00-18:00"]},
    "specialists": [
        {"specialist_id": ARROYO, "name": "Dr. Diego Arroyo", "specialization": "general physician",
         "latitude": 53.36, "longitude": -6.26},
        {"specialist_id": LIND, "name": "Dr. Eva Lind", "specialization": "general physician",
         "latitude": 53.341, "longitude": -6.261},
        {"specialist_id": OKORO, "name": "Dr. Ada Okoro", "specialization": "neurologist"},
    ],
    "slots": [
        {"specialist_id": ARROYO, "date": "2024-09-02", "time": "08:00-08:30", "taken": False},
        {"specialist_id": ARROYO, "date": "2024-09-03", "time": "11:00-11:30", "taken": False},
        {"specialist_id": ARROYO, "date": "2024-09-03", "time": "11:30-12:00", "taken": True},
        {"specialist_id": ARROYO, "date": "2024-09-05", "time": "15:00-15:30", "taken": False},
        {"specialist_id": LIND, "date": "2024-09-05", "time": "15:00-15:30", "taken": False},
        {"specialist_id": LIND, "date": "2024-09-20", "time": "16:00-16:30", "taken": False},
        {"specialist_id": OKORO, "date": "2024-09-05", "time": "15:15-15:45", "taken": False},
    ],
    "appointments": [],
    "complaints": [
        {"date": "2024-06-02", "symptoms": "mild body aches, slight fever"},
        {"date": "2024-07-15", "symptoms": "knee pain after running"},
        {"date": "2024-08-01", "symptoms": "feeling worn out and shivery"},
    ],
    "ambulances": [
        {"ambulance_id": "AMBfar", "phone_no": "+353 1 496 0001", "latitude": 51.9, "longitude": -8.47,
         "assigned": None},
        {"ambulance_id": "AMBnear", "phone_no": "+353 1 496 0002", "latitude": 53.35, "longitude": -6.25},
        {"ambulance_id": "AMBbusy", "phone_no": "+353 1 496 0003", "latitude": 53.34, "longitude": -6.26,
         "assigned": "ZZZZ000000"},
        {"ambulance_id": "AMBlost", "phone_no": "+353 1 496 0004"},
    ],
    "emergency_contacts": [
        {"name": "Tom Reed", "phone_number": "+353 85 555 0101"},
        {"name": "Leon Reed", "email": "leon@example.org"},
    ],
    "notices": [],
}  # fmt: skip

DOCUMENT: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "sakura",
    "owner": "Sakura Tominaga",
    "now": "2024-09-02T10:57:00",
    "timezone": "Europe/Dublin",
    "location": {"latitude": 53.34, "longitude": -6.26, "city": "Dublin", "country": "Ireland"},
    "apps": {"clinic": CLINIC},
}


def clinic_phone(**changes: Any) -> Device:
    """A phone in memory; `changes` replace lists or the profile of its clinic app."""
    document = copy.deepcopy(DOCUMENT)
    document["apps"]["clinic"].update(changes)
    return Device.create(None, document)


def tell(phone: Device, name: str, **arguments: Any) -> Observation:
    return phone.execute(Call(name, arguments))


def error_of(phone: Device, name: str, **arguments: Any) -> str:
    """The error of a call that cannot be carried out and changes nothing."""
    before = phone.export()
    error = tell(phone, name, **arguments).error
    assert error is not None
    assert phone.export() == before
    return error

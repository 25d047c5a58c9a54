"""A phone with the clinic app: specialists with free slots, past complaints and appointments, ambulances, contacts."""

from __future__ import annotations

import string
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from camphor.agents.health.case import DIETICIAN, GENERAL, SPECIALISTS
from camphor_lab.datasets.health.diseases import Disease
from camphor_lab.datasets.health.people import Crowd, Patient

CLINIC = "clinic"
_WEEKS_AHEAD = 3
_OPEN = (8, 19)  # hours in which slots begin
_MINUTES = (20, 30, 30, 30, 45)


def document(
    rng: Random,
    crowd: Crowd,
    patient: Patient,
    disease: Disease,
    others: Sequence[Disease],
    without: Sequence[str] = (),
) -> dict[str, Any]:
    """The device file of a patient's phone.

    Args:
        disease: whose specialist the clinic has, unless `without` names it; past complaints are often like it.
        others: diseases for complaints that have nothing to do with it.
        without: specialisations that have no free slot.
    """
    names = [name for name in SPECIALISTS if name not in (GENERAL, DIETICIAN, disease.specialist)]
    here = [GENERAL, DIETICIAN, *dict.fromkeys([disease.specialist]), *rng.sample(names, rng.randint(3, 6))]
    specialists = [_specialist(rng, crowd, patient, name) for name in dict.fromkeys(here)]
    if rng.random() < 0.4:
        specialists.append(_specialist(rng, crowd, patient, disease.specialist))
    rng.shuffle(specialists)
    slots = [
        slot for each in specialists if each["specialization"] not in without for slot in _slots(rng, patient, each)
    ]
    clinic = {
        "profile": {"user_id": patient.user_id, **patient.profile},
        "specialists": specialists,
        "slots": slots,
        "appointments": _appointments(rng, patient, specialists, others),
        "complaints": _complaints(rng, patient, disease, others),
        "ambulances": _ambulances(rng, crowd, patient),
        "emergency_contacts": [dict(contact) for contact in patient.contacts],
        "notices": [],
    }
    return {
        "format": "camphor.device/1",
        "id": patient.user_id.lower(),
        "owner": patient.name,
        "now": patient.timestamp,
        "timezone": patient.timezone,
        "location": dict(patient.location),
        "apps": {CLINIC: clinic},
    }


def titled(specialization: str) -> str:
    """As it stands behind a doctor's name: "General Physician", "ENT Specialist"."""
    return " ".join("ENT" if word == "ent" else word.capitalize() for word in specialization.split())


def _specialist(rng: Random, crowd: Crowd, patient: Patient, specialization: str) -> dict[str, Any]:
    street = rng.choice(_STREETS)
    return {
        "specialist_id": crowd.identifier(),
        "name": f"Dr. {crowd.name()}",
        "specialization": specialization,
        "address": f"{rng.randint(1, 180)} {street}, {patient.location['city']}",
        **_near(rng, patient, 0.08),
    }


_STREETS = (
    "Station Road", "Mill Lane", "Harbour Street", "Church Square", "Park Avenue", "River Walk", "Market Street",
    "Hill Road", "Garden Street", "Bridge Street", "School Lane", "Orchard Road",
)  # fmt: skip


def _near(rng: Random, patient: Patient, degrees: float) -> dict[str, float]:
    return {
        axis: round(patient.location[axis] + rng.uniform(-degrees, degrees), 4) for axis in ("latitude", "longitude")
    }


def _slots(rng: Random, patient: Patient, specialist: dict[str, Any]) -> list[dict[str, Any]]:
    """Free and taken times of the next weeks, on weekdays and some Saturdays, none of them overlapping."""
    minutes = rng.choice(_MINUTES)
    found: dict[datetime, dict[str, Any]] = {}
    for _ in range(rng.randint(4, 7)):
        day = patient.now.date() + timedelta(days=rng.randint(1, 7 * _WEEKS_AHEAD))
        if day.weekday() == 6 or (day.weekday() == 5 and rng.random() < 0.6):
            day += timedelta(days=2)
        start = datetime(day.year, day.month, day.day, rng.randrange(*_OPEN), rng.choice((0, 0, 15, 30, 30, 45)))
        if all(abs((start - other).total_seconds()) >= minutes * 60 for other in found):
            found[start] = {
                "specialist_id": specialist["specialist_id"],
                "date": day.isoformat(),
                "time": f"{start:%H:%M}-{start + timedelta(minutes=minutes):%H:%M}",
                "taken": rng.random() < 0.2,
            }
    slots = [found[start] for start in sorted(found)]
    if all(slot["taken"] for slot in slots):
        slots[0]["taken"] = False
    return slots


def _past(rng: Random, patient: Patient, most: int = 500) -> date:
    return patient.now.date() - timedelta(days=rng.randint(6, most))


def _complaints(rng: Random, patient: Patient, disease: Disease, others: Sequence[Disease]) -> list[dict[str, str]]:
    """None, one like the present one, some of other kinds, or both; always before the present one."""
    told: list[str] = []
    if rng.random() < 0.5:
        told.append(", ".join(rng.sample(disease.symptoms, min(len(disease.symptoms), rng.randint(1, 3)))))
    told += [", ".join(rng.sample(other.symptoms, 2)) for other in others[: rng.choice((0, 0, 1, 2))]]
    dated = [{"date": _past(rng, patient).isoformat(), "symptoms": symptoms} for symptoms in told]
    return sorted(dated, key=lambda complaint: complaint["date"])


def _appointments(
    rng: Random, patient: Patient, specialists: Sequence[dict[str, Any]], others: Sequence[Disease]
) -> list[dict[str, Any]]:
    found = []
    for other in others[: rng.choice((0, 0, 1, 1, 2))]:
        doctor = rng.choice(specialists)
        hour = rng.randrange(*_OPEN)
        found.append(
            {
                **{key: doctor[key] for key in ("specialist_id", "name", "specialization")},
                "date": _past(rng, patient).isoformat(),
                "time": f"{hour:02d}:00-{hour:02d}:30",
                "symptoms": ", ".join(rng.sample(other.symptoms, 2)),
                "state": "confirmed",
            }
        )
    return sorted(found, key=lambda appointment: str(appointment["date"]))


def _ambulances(rng: Random, crowd: Crowd, patient: Patient) -> list[dict[str, Any]]:
    return [
        {
            "ambulance_id": "AMB" + "".join(rng.choices(string.ascii_letters + string.digits, k=4)),
            "phone_no": crowd.number(),
            **_near(rng, patient, 0.15),
            "assigned": None,
        }
        for _ in range(rng.randint(2, 5))
    ]

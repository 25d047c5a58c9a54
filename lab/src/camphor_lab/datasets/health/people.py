"""The people of the health data, each name in one split alone: patients and doctors of many cultures; and the
phone with the clinic app: specialists with free slots, past complaints and appointments, ambulances, contacts.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from random import Random
from typing import Any

from camphor.agents.health.case import DIETICIAN, GENERAL, SPECIALISTS
from camphor_lab.datasets.bank import load as load_phones
from camphor_lab.datasets.context.personas import People, of_gender
from camphor_lab.datasets.files import tables_beside
from camphor_lab.datasets.health.diseases import SPLITS, Disease, mark

_FIRST_DAY, _DAYS = datetime(2023, 1, 9), 1180  # when people write: three years and some months
_SHARES = (70, 85)  # per cent: training up to the first, development up to the second, then the test
_REMEMBERED = 0.3  # of patients: the phone knows conditions or allergies


def split_of(text: str) -> str:
    """The split that a name or number belongs to."""
    place = mark(text) % 100
    return SPLITS[0] if place < _SHARES[0] else SPLITS[1] if place < _SHARES[1] else SPLITS[2]


@dataclass(frozen=True)
class Patient:
    """Who writes, from where and when. `now` is local time; `profile` is the clinic's."""

    user_id: str
    name: str
    now: datetime
    timezone: str
    location: Mapping[str, Any]
    profile: Mapping[str, Any]
    contacts: tuple[Mapping[str, str], ...]

    @property
    def timestamp(self) -> str:
        return self.now.isoformat(timespec="seconds")

    @property
    def known(self) -> tuple[str, ...]:
        """What the assistant remembers, as it reads it out of the profile."""
        facts = ((name, self.profile[name]) for name in ("conditions", "allergies"))
        return tuple(f"{name}: {', '.join(values)}" for name, values in facts if values)

    @property
    def details(self) -> dict[str, Any]:
        """As the paper's system state has it (section 6.1.1), with what is remembered."""
        told: dict[str, Any] = {"user_id": self.user_id, "name": self.name, "timestamp": self.timestamp}
        return {**told, "known": list(self.known)} if self.known else told


def _drawn_from() -> Mapping[str, list[str]]:
    profile: Mapping[str, list[str]] = tables_beside(__file__, "wording.toml")["profile"]
    return profile


def _cultures() -> Mapping[str, Mapping[str, list[str]]]:
    cultures: Mapping[str, Mapping[str, list[str]]] = load_phones()["personas"]
    return cultures


@lru_cache(maxsize=64)
def _names(culture: str, split: str) -> tuple[str, ...]:
    """All names of a culture that belong to a split: twenty-five at least."""
    parts = _cultures()[culture]
    names = [
        f"{first} {of_gender(last, pronoun)}"
        for pronoun, firsts in (("she", parts["f"]), ("he", parts["m"]))
        for first in firsts
        for last in parts["last"]
    ]
    return tuple(sorted({name for name in names if split_of(name) == split}))


class Crowd:
    """Makes people of one split, from one culture at a time; equal draws make equal people."""

    def __init__(self, rng: Random, split: str) -> None:
        self._rng, self._split = rng, split
        self.people = People(rng)
        self._given: set[str] = set()

    def name(self, own: bool = False) -> str:
        """A name of the split that nobody else around has; `own`: of the crowd's own culture, as most others are."""
        culture = self.people.culture if own or self._rng.random() < 0.7 else self._rng.choice(sorted(_cultures()))
        name = self._rng.choice([each for each in _names(culture, self._split) if each not in self._given])
        self._given.add(name)
        return name

    def number(self) -> str:
        """A telephone number without spaces, as messages are sent to."""
        return "".join(sign for sign in self.people.number() if sign.isdigit() or sign == "+")

    def identifier(self, letters: int = 4, digits: int = 6) -> str:
        """Four letters and six digits, as the paper's users and specialists have them."""
        while True:
            made = "".join(self._rng.choices(string.ascii_uppercase, k=letters))
            made += "".join(self._rng.choices(string.digits, k=digits))
            if split_of(made) == self._split:
                return made

    def patient(self) -> Patient:
        rng = self._rng
        name = self.name(own=True)
        now = _FIRST_DAY + timedelta(days=rng.randrange(_DAYS), minutes=rng.randrange(6 * 60, 23 * 60))
        contacts = []
        for _ in range(rng.randint(1, 3)):
            other = self.name()
            contacts.append({"name": other, "phone_number": self.number(), "email": self.people.email(other)})
        return Patient(
            user_id=self.identifier(),
            name=name,
            now=now,
            timezone=self._city()[2],
            location=self._location(),
            profile=self._profile(now),
            contacts=tuple(contacts),
        )

    def _city(self) -> list[str]:
        cities = _cultures()[self.people.culture]["cities"]
        return next(parts for line in cities if (parts := line.split("|"))[0] == self.people.city)

    def _location(self) -> dict[str, Any]:
        """Somewhere in the town, to about ten metres."""
        city, country, _, latitude, longitude, _ = self._city()
        near = [round(float(degrees) + self._rng.uniform(-0.06, 0.06), 4) for degrees in (latitude, longitude)]
        return {"latitude": near[0], "longitude": near[1], "city": city, "country": country}

    def _profile(self, now: datetime) -> dict[str, Any]:
        rng = self._rng
        age = rng.randint(18, 88)
        height = rng.randint(152, 193)
        remembered = rng.random() < _REMEMBERED
        profile: dict[str, Any] = {
            "conditions": rng.sample(_drawn_from()["conditions"], rng.choice((0, 1, 1, 2))) if remembered else [],
            "allergies": rng.sample(_drawn_from()["allergies"], rng.choice((0, 0, 1))) if remembered else [],
            "birthday": (now - timedelta(days=age * 365 + rng.randrange(365))).date().isoformat(),
            "sex": rng.choice(("female", "male")),
            "height_cm": height,
            "weight_kg": round(rng.uniform(20, 31) * (height / 100) ** 2),
            "rest_hours": {
                "from": rng.choice(("22:00", "22:30", "23:00")),
                "to": rng.choice(("06:00", "06:30", "07:00")),
            },
        }
        if rng.random() < 0.4:
            profile["preferred_times"] = rng.choice(
                ("mornings", "afternoons", "evenings", "16:00-19:00", "09:00-12:00")
            )
        return profile


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
    street = rng.choice(_drawn_from()["streets"])
    return {
        "specialist_id": crowd.identifier(),
        "name": f"Dr. {crowd.name()}",
        "specialization": specialization,
        "address": f"{rng.randint(1, 180)} {street}, {patient.location['city']}",
        **_near(rng, patient, 0.08),
    }


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

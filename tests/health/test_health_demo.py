"""The weeks of a demo phone: made up, marked as such, the same each time, and never put beside what is there."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.device.health.doses import Doses, DoseState
from camphor.device.health.slots import slot_of
from camphor.device.health.vitals import VitalsStore
from camphor.health.demo import WEEKS, furnish
from camphor.health.monitor.vitals import ASLEEP, SIMULATED_DOSES, Vital, epoch, simulated
from camphor.health.report.day import Reports
from camphor.health.report.fhir import Version, export
from camphor.health.report.trends import period
from camphor.health.scheduler.reminders import DoseReminders


def test_weeks_of_a_demo_phone_are_the_same_each_time_and_all_simulated() -> None:
    device = Device.from_file(Path(str(files("camphor") / "demo" / "health.device.json")))
    now = epoch(device.now, device.zone)
    lives = []
    for _ in range(2):
        database = HealthDatabase(None)
        assert furnish(device, database)
        assert not furnish(device, database)  # what is there stays as it is
        store, doses = VitalsStore(database), Doses(database).between(0, now)
        heart = store.minutes(Vital.HEART_RATE.value, 0, now)
        lives.append((heart.mean.tolist(), [(each.wall, each.state, each.decided) for each in doses]))
    assert lives[0] == lives[1]
    wanted = {Vital.HEART_RATE, Vital.OXYGEN, Vital.SYSTOLIC, Vital.DIASTOLIC, Vital.GLUCOSE, Vital.STEPS, *ASLEEP}
    assert wanted <= set(map(Vital, store.kinds()))
    assert all(simulated(source) for kind in store.kinds() for source in store.sources(kind, 0, now))
    assert {each.state for each in doses} == set(DoseState)
    assert any(each.missed(now) for each in doses)
    assert float(heart.at[-1]) < now  # nothing of what is still to come
    told = period(Reports(device, database), device.now.date(), 7 * WEEKS)
    assert (told.simulated, told.spells) != ((), ())
    assert told.visits is not None
    assert told.doses_simulated
    day = device.now.replace(hour=0, minute=0)
    listed = DoseReminders.of(device, Doses(database)).listed(day - timedelta(days=7), day)
    assert listed
    assert all(each["what"].endswith("(simulated)") for each in listed)
    bundle = json.loads(export(Reports(device, database), device.now.date(), 7, Version.R5))
    kept = [each["resource"] for each in bundle["entry"] if SIMULATED_DOSES in str(each["resource"].get("note"))]
    assert {each["resourceType"] for each in kept} == {"MedicationStatement"}
    assert all(each["meta"]["security"][0]["code"] == "HTEST" for each in kept)


def test_what_a_person_keeps_is_left_alone() -> None:
    device = Device.from_file(Path(str(files("camphor") / "demo" / "health.device.json")))
    database = HealthDatabase(None)
    VitalsStore(database).add("heart_rate", "watch", [1_779_000_000.0], [61.0], [0])
    assert not furnish(device, database)
    assert VitalsStore(database).kinds() == ["heart_rate"]


def visits(phone: str) -> tuple[Device, list[dict[str, Any]]]:
    device = Device.from_file(Path(str(files("camphor") / "demo" / f"{phone}.device.json")))
    assert furnish(device, HealthDatabase(None))
    return device, [dict(each) for each in device.records("clinic", "appointments")]


@pytest.mark.parametrize("phone", ["health", "ines-dublin"])
def test_every_demo_phone_has_visits_behind_and_ahead_of_its_clock(phone: str) -> None:
    device, found = visits(phone)
    slots = sorted(slot_of(each) for each in found)
    assert sum(slot.start > device.now for slot in slots) >= 3
    assert sum(slot.end < device.now for slot in slots) >= 3
    assert {each["state"] for each in found} >= {"booked", "confirmed", "cancelled"}
    assert all(slot.start.weekday() < 5 for slot in slots)
    assert all(one.end <= other.start for one, other in itertools.pairwise(slots))
    known = {each["name"] for each in device.records("clinic", "specialists")}
    assert {each["name"] for each in found} <= known


def test_visits_are_made_up_on_no_phone_of_a_person() -> None:
    data = {"format": "camphor.device/1", "id": "leah", "owner": "Leah Lima", "apps": {"contacts": {}}}
    device = Device.create(None, data)
    assert furnish(device, HealthDatabase(None))
    assert "clinic" not in device.apps

"""Weeks of a made-up person's health on a demo phone, so that every page of Health has something to show.

Readings and medicines are marked as simulated: by their source, and by where their prescription comes from. Visits are
made up only where the clock stands still, as that of a demo phone does. Nothing is put beside what a person keeps on
the phone already.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from camphor.device.apps.clinic import Clinic
from camphor.device.health.database import HealthDatabase
from camphor.device.health.doses import Doses, DoseState, Medicine
from camphor.device.health.slots import slot_of
from camphor.device.health.vitals import VitalsStore
from camphor.health.monitor.monitor import Monitor
from camphor.health.monitor.thresholds import person_of
from camphor.health.monitor.vitals import Vital, epoch
from camphor.health.monitor.watch import SOURCE, Watch, WatchScene, Wearer
from camphor.health.people import KeptList, PersonEntry, add, ready_clinic
from camphor.health.scheduler.reminders import DoseReminders
from camphor.health.scheduler.schedule import DosePlan

if TYPE_CHECKING:
    from camphor.device.device import Device

WEEKS = 3
_EVERY = {
    Vital.HEART_RATE: 300, Vital.OXYGEN: 600, Vital.RESPIRATORY_RATE: 600, Vital.TEMPERATURE: 3600, Vital.HRV: 600,
    Vital.SYSTOLIC: 14_400, Vital.DIASTOLIC: 14_400, Vital.GLUCOSE: 600, Vital.STEPS: 60,
}  # fmt: skip
"""Seconds between readings: as seldom as curves of a day bear, since each takes its time to keep; steps tell rest."""
_SCENES = {2: (WatchScene("hypoxia", time(3, 10), 45.0),), 9: (WatchScene("fever", time(18), 120.0),)}
"""What happened so many days ago."""
_AT = {"evening": time(21), "": time(8)}
_TAKEN, _SKIPPED = 0.86, 0.94
"""The share of doses that were taken; what is left of those up to the second were left out, the rest missed."""


def furnish(device: Device, database: HealthDatabase, seed: int = 1) -> bool:
    """Gives the phone some weeks of readings and doses up to its clock; one seed gives one life.

    Returns:
        False where readings or medicines are kept on it already: then nothing is changed.

    Raises:
        StoreError: the database cannot be read or written.
    """
    store, doses = VitalsStore(database), Doses(database)
    if store.span() is not None or doses.medicines(stopped=True):
        return False
    _prescribe(device, doses, seed)
    if not device.clock_goes:
        _visit(device)
    _measure(device, store, seed)
    return True


def _visit(device: Device) -> None:
    """Visits that were, and such that lie ahead, with the phone's own specialists where it has them."""
    ready_clinic(device)
    doctors: dict[str, Mapping[str, Any]] = {
        str(each.get("specialization")): each for each in device.records(Clinic.name, "specialists")
    }
    busy = [slot for each in device.records(Clinic.name, "appointments") if (slot := slot_of(each))]
    told = tomllib.loads(files(__package__).joinpath("demo.toml").read_text(encoding="utf-8"))
    for visit in told["visit"]:
        kind, day = visit["specialization"], _weekday(device.now + timedelta(days=visit["days"]), visit["days"] > 0)
        begin = datetime.combine(day, time.fromisoformat(visit["time"]))
        end = begin + timedelta(minutes=visit["minutes"])
        if any(slot.start < end and begin < slot.end for slot in busy):
            continue
        if kind not in doctors:
            doctors[kind] = add(device, KeptList.DOCTOR, PersonEntry(visit["name"], specialization=kind))
        record = {
            "specialist_id": doctors[kind]["specialist_id"], "name": doctors[kind]["name"], "specialization": kind,
            "date": day.date().isoformat(), "time": f"{begin:%H:%M}-{end:%H:%M}", "symptoms": visit["symptoms"],
            "state": visit["state"],
        }  # fmt: skip
        with device.changing(Clinic) as clinic:
            clinic.records.add("appointments", record)


def _weekday(day: datetime, ahead: bool) -> datetime:
    """The day, or where it is one of a weekend the Monday after it, or the Friday before it."""
    off = day.weekday() - 4
    return day + timedelta(days=(3 - off if ahead else -off) if off > 0 else 0)


def _measure(device: Device, store: VitalsStore, seed: int) -> None:
    now, today = epoch(device.now, device.zone), device.now.date()
    watch = Watch(Wearer(glucose=True), device.zone, seed, every=_EVERY)
    monitor = Monitor(store, device.zone, person_of(device))
    for ago in range(7 * WEEKS + 1):  # the last day first: pages show it while the others are made
        day = watch.day(today - timedelta(days=ago), _SCENES.get(ago, ()))
        with store.database.transaction(lasting=False):
            monitor.take({kind: column.between(0, now) for kind, column in day.items()}, SOURCE, now, past=True)
    store.thin(now)


def _prescribe(device: Device, doses: Doses, seed: int) -> None:
    """The medicines that the health app has, from the first of the weeks on, and what became of their doses."""
    first = datetime.combine(device.now.date() - timedelta(weeks=WEEKS), time())
    planned = []
    for each in device.records("health", "medications"):
        often = str(each.get("frequency") or "")
        if not each.get("name") or not ("daily" in often or "once a day" in often):
            continue
        at = next(moment for word, moment in _AT.items() if word in often)
        facts = {"dose": str(each.get("dose") or ""), "simulated": "yes"}
        planned.append(Medicine(str(each["name"]), DosePlan(times=(at,)).to_json(), first.isoformat(), facts))
    if not planned:
        return
    doses.add("simulated", "Simulated: made up for a demonstration", planned, first)
    reminders = DoseReminders.of(device, doses)
    reminders.plan()
    chance = np.random.default_rng(seed)
    for dose in doses.between(0, reminders.now):
        luck, late = chance.random(), float(chance.uniform(0, 2400))
        if dose.until > reminders.now:  # the last one waits for a word
            continue
        if luck < _SKIPPED:
            doses.decide(dose.id, DoseState.TAKEN if luck < _TAKEN else DoseState.SKIPPED, dose.at + late)

"""Phones with a health database for tests of the reports."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.device.health.vitals import VitalsStore
from camphor.health.monitor.monitor import Monitor
from camphor.health.monitor.vitals import Series, Vital, epoch, series
from camphor.health.report.day import Reports

DAY = date(2026, 3, 12)
NIGHT = "2026-03-12T23:30:00"
PHONE: dict[str, Any] = {
    "format": "camphor.device/1",
    "id": "leah",
    "owner": "Leah Lima",
    "now": "2026-03-12T21:00:00",
    "timezone": "Europe/Dublin",
    "apps": {
        "health": {"medications": [{"name": "Ramipril", "dose": "5 mg", "frequency": "daily", "start": "2025-01-07"}]},
        "clinic": {
            "profile": {"user_id": "LL1", "birthday": "1984-09-30", "sex": "female"},
            "specialists": [],
            "complaints": [
                {"date": "2026-03-12", "symptoms": "dull headache"},
                {"date": "2026-03-02", "symptoms": "sore throat"},
                {"date": "", "symptoms": "no day"},
            ],
            "appointments": [
                {"specialist_id": "S1", "name": "Dr. Gwen Hartnoll", "specialization": "general physician",
                 "date": "2026-03-12", "time": "10:10-10:30", "symptoms": "dull headache", "state": "confirmed"},
                {"specialist_id": "S2", "name": "Dr. Fiona Mackie", "specialization": "ent specialist",
                 "date": "2026-03-16", "time": "09:00-09:20", "symptoms": "", "state": "booked"},
                {"specialist_id": "S2", "name": "Dr. Fiona Mackie", "specialization": "ent specialist",
                 "date": "2026-03-17", "time": "09:00-09:20", "symptoms": "", "state": "cancelled"},
            ],
        },
    },
}  # fmt: skip


def phone(now: str = PHONE["now"], path: Path | None = None, **changes: Any) -> Device:
    """A phone whose clock shows that; `changes` are of its device file."""
    return Device.create(path, {**copy.deepcopy(PHONE), "now": now, **changes})


def reports(now: str = PHONE["now"], database: HealthDatabase | None = None, **changes: Any) -> Reports:
    return Reports(phone(now, **changes), database or HealthDatabase(None))


def at(moment: str, of: Reports) -> float:
    return epoch(datetime.fromisoformat(moment), of.zone)


def take(of: Reports, columns: Mapping[Vital, Series], source: str = "watch") -> None:
    """Readings as the monitor takes them in."""
    Monitor(VitalsStore(of.database), of.zone).take(columns, source, of.now, past=True)


def heart(of: Reports, day: date, begin: float = 0, end: float = 24, bpm: float = 60, every: float = 60) -> Series:
    """A heart rate that goes up and down by two, from one hour of a day to another."""
    return steady(of, Vital.HEART_RATE, day, begin, end, bpm, every, 2)


def steady(
    of: Reports, kind: Vital, day: date, begin: float, end: float, value: float, every: float = 60, sway: float = 0
) -> Series:
    midnight = epoch(datetime.combine(day, datetime.min.time()), of.zone)
    moments = np.arange(midnight + begin * 3600, midnight + end * 3600, every)
    return series(kind, moments, np.round(value + sway * np.sin(np.arange(len(moments))), 1))


def weeks_before(of: Reports, day: date, count: int, bpm: float = 60) -> None:
    """Nights of a heart rate in the days before a day, a little different from night to night."""
    for number in range(1, count + 1):
        past = day - timedelta(days=number)
        take(of, {Vital.HEART_RATE: heart(of, past, 1, 6, bpm + number % 3, 300)})

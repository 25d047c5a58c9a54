"""Columns of readings for tests of the monitor."""

from __future__ import annotations

from datetime import datetime

import numpy as np
from dateutil import tz

from camphor.device.health.database import HealthDatabase
from camphor.device.health.vitals import VitalsStore
from camphor.health.monitor.monitor import Monitor
from camphor.health.monitor.vitals import Series, Vital, epoch, series

ZONE = tz.gettz("Europe/Dublin")
NOON = epoch(datetime(2026, 3, 12, 12), ZONE)


def steady(
    kind: Vital, value: float, minutes: float = 20, begin: float = NOON, every: float = 1, noise: float = 0
) -> Series:
    """A value for some minutes; noise is the same each time."""
    at = begin + np.arange(0, minutes * 60, every)
    chance = np.random.default_rng(7)
    return series(kind, at, value + chance.uniform(-noise, noise, len(at)))


def join(*parts: Series) -> Series:
    """One column after another."""
    at, value = np.concatenate([part.at for part in parts]), np.concatenate([part.value for part in parts])
    return series(parts[0].kind, at, value)


def still(minutes: float = 60, begin: float = NOON - 1800) -> Series:
    """No steps, told each minute."""
    return steady(Vital.STEPS, 0, minutes, begin, 60)


def monitor() -> Monitor:
    """A monitor that keeps all in memory."""
    return Monitor(VitalsStore(HealthDatabase(None)), ZONE)

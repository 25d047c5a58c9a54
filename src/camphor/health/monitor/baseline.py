"""What is usual for a person: a value for each day, and the median and spread of the days before.

Median and median absolute deviation, so that some days of illness or of a wrong watch do not move what is usual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

import numpy as np

from camphor.device.health.vitals import Minutes, VitalsStore
from camphor.health.monitor.detect import STILL_STEPS
from camphor.health.monitor.thresholds import RESTING_SECONDS
from camphor.health.monitor.vitals import ASLEEP, Floats, Kind, Mask, epoch

LEAST_DAYS = 7
USUAL_DAYS = 28
NIGHT = (time(0), time(7))
"""Alavi and others 2022 take the resting heart rate of a night from midnight to 7 o'clock without steps."""
LEAST_MINUTES = 30
NIGHTLY = frozenset({Kind.HEART_RATE, Kind.HRV, Kind.RESPIRATORY_RATE, Kind.OXYGEN})
SCALE = 1.4826
"""Makes the median absolute deviation of normal values their standard deviation."""
LEAST_SPREAD: Mapping[Kind, float] = {
    Kind.HEART_RATE: 1.0, Kind.HRV: 3.0, Kind.RESPIRATORY_RATE: 0.4, Kind.OXYGEN: 0.5, Kind.TEMPERATURE: 0.1,
    Kind.SYSTOLIC: 4.0, Kind.DIASTOLIC: 3.0, Kind.GLUCOSE: 6.0, Kind.WEIGHT: 0.3, Kind.STEPS: 800.0,
}  # fmt: skip
"""So even is nobody and no sensor: our own limits, about the resolution of each sensor."""


@dataclass(frozen=True)
class Baseline:
    """What is usual: median and spread (like a standard deviation) over some days."""

    kind: Kind
    median: float
    spread: float
    days: int

    def z(self, value: float) -> float:
        """How far a value is from the usual, in spreads."""
        return (value - self.median) / self.spread


Days = Mapping[date, float]


def baseline(kind: Kind, values: Sequence[float]) -> Baseline | None:
    """What is usual by the values of some days; None of fewer than `LEAST_DAYS`."""
    known = np.asarray([each for each in values if np.isfinite(each)])
    if len(known) < LEAST_DAYS:
        return None
    median = float(np.median(known))
    spread = SCALE * float(np.median(np.abs(known - median)))
    return Baseline(kind, median, max(spread, LEAST_SPREAD.get(kind, 1e-9)), len(known))


def usual(kind: Kind, days: Days, before: date, count: int = USUAL_DAYS) -> Baseline | None:
    """What was usual in the days before a day."""
    first = before - timedelta(days=count)
    return baseline(kind, [value for day, value in days.items() if first <= day < before])


def daily(store: VitalsStore, kind: Kind, first: date, last: date, zone: tzinfo | None) -> dict[date, float]:
    """The value of each day that has one: at rest at night, or the day's mean, or its sum.

    Args:
        first, last: both included. `Kind.SLEEP_LIGHT` stands for all sleep, told on the day of waking.
    """
    found = {}
    day = first
    while day <= last:
        value = _asleep(store, day, zone) if kind in ASLEEP else of_day(store, kind, day, zone)
        if value is not None:
            found[day] = value
        day += timedelta(days=1)
    return found


def of_day(store: VitalsStore, kind: Kind, day: date, zone: tzinfo | None) -> float | None:
    """The value of one day; None where too little was measured."""
    begin, end = span(day, zone)
    if kind in (Kind.STEPS, Kind.EXERCISE):
        return _most_of(store, kind, begin, end)
    if kind in NIGHTLY:
        return _at_night(store, kind, day, zone)
    minutes = store.minutes(kind, begin, end)
    return float(minutes.mean.mean()) if len(minutes.at) else None


def span(day: date, zone: tzinfo | None) -> tuple[float, float]:
    """Begin and end of a local day, epoch seconds; 23 to 25 hours."""
    midnight = datetime.combine(day, time())
    return epoch(midnight, zone), epoch(midnight + timedelta(days=1), zone)


def _most_of(store: VitalsStore, kind: Kind, begin: float, end: float) -> float | None:
    # a phone and a watch count the same steps: the one that counted most is believed
    sums = []
    for source in store.sources(kind, begin, end):
        minutes = store.minutes(kind, begin, end, source)
        if len(minutes.at):
            sums.append(float((minutes.mean * minutes.count).sum()))
    return max(sums) if sums else None


def _at_night(store: VitalsStore, kind: Kind, day: date, zone: tzinfo | None) -> float | None:
    begin, end = (epoch(datetime.combine(day, each), zone) for each in NIGHT)
    minutes = store.minutes(kind, begin, end)
    still = _still(minutes.at, store.minutes(Kind.STEPS, begin - RESTING_SECONDS, end))
    least = LEAST_MINUTES if kind is Kind.HEART_RATE else 3
    return float(minutes.mean[still].mean()) if still.sum() >= least else None


def _still(at: Floats, steps: Minutes) -> Mask:
    total = np.append(0.0, np.cumsum(steps.mean * steps.count))
    before = total[np.searchsorted(steps.at, at, "right")] - total[np.searchsorted(steps.at, at - RESTING_SECONDS)]
    still: Mask = before <= STILL_STEPS
    return still


def _asleep(store: VitalsStore, day: date, zone: tzinfo | None) -> float | None:
    """Minutes asleep from 18 o'clock the day before to 18 o'clock."""
    evening = datetime.combine(day, time(18))
    begin, end = epoch(evening - timedelta(days=1), zone), epoch(evening, zone)
    sources = {source for kind in ASLEEP for source in store.sources(kind, begin, end)}
    sums = [sum(_sum(store.minutes(kind, begin, end, source)) for kind in ASLEEP) for source in sources]
    return max(sums) if sums and max(sums) > 0 else None


def _sum(minutes: Minutes) -> float:
    return float((minutes.mean * minutes.count).sum())

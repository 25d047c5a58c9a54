"""What is usual for a person: a value for each day, and the median and spread of the days before.

Median and median absolute deviation, so that some days of illness or of a wrong watch do not move what is usual. What
changes over days and weeks is told in the report, never as an alarm: a value of two days running that is far off the
usual, a week's average beyond a limit, and a steady rise or fall over weeks (Sen's slope where Mann and Kendall's test
finds one).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from math import erfc, sqrt

import numpy as np

from camphor.device.health.vitals import Minutes, VitalsStore
from camphor.health.monitor.detect import STILL_STEPS
from camphor.health.monitor.thresholds import RESTING_SECONDS
from camphor.health.monitor.vitals import ASLEEP, MEASURES, Floats, Mask, Vital, epoch

LEAST_DAYS = 7
USUAL_DAYS = 28
NIGHT = (time(0), time(7))
"""Alavi and others 2022 take the resting heart rate of a night from midnight to 7 o'clock without steps."""
LEAST_MINUTES = 30
NIGHTLY = frozenset({Vital.HEART_RATE, Vital.HRV, Vital.RESPIRATORY_RATE, Vital.OXYGEN})
SCALE = 1.4826
"""Makes the median absolute deviation of normal values their standard deviation."""
LEAST_SPREAD: Mapping[Vital, float] = {
    Vital.HEART_RATE: 1.0, Vital.HRV: 3.0, Vital.RESPIRATORY_RATE: 0.4, Vital.OXYGEN: 0.5, Vital.TEMPERATURE: 0.1,
    Vital.SYSTOLIC: 4.0, Vital.DIASTOLIC: 3.0, Vital.GLUCOSE: 6.0, Vital.WEIGHT: 0.3, Vital.STEPS: 800.0,
}  # fmt: skip
"""So even is nobody and no sensor: our own limits, about the resolution of each sensor."""


@dataclass(frozen=True)
class Baseline:
    """What is usual: median and spread (like a standard deviation) over some days."""

    kind: Vital
    median: float
    spread: float
    days: int

    def z(self, value: float) -> float:
        """How far a value is from the usual, in spreads."""
        return (value - self.median) / self.spread


Days = Mapping[date, float]


def baseline(kind: Vital, values: Sequence[float]) -> Baseline | None:
    """What is usual by the values of some days; None of fewer than `LEAST_DAYS`."""
    known = np.asarray([each for each in values if np.isfinite(each)])
    if len(known) < LEAST_DAYS:
        return None
    median = float(np.median(known))
    spread = SCALE * float(np.median(np.abs(known - median)))
    return Baseline(kind, median, max(spread, LEAST_SPREAD.get(kind, 1e-9)), len(known))


def usual(kind: Vital, days: Days, before: date, count: int = USUAL_DAYS) -> Baseline | None:
    """What was usual in the days before a day."""
    first = before - timedelta(days=count)
    return baseline(kind, [value for day, value in days.items() if first <= day < before])


def daily(store: VitalsStore, kind: Vital, first: date, last: date, zone: tzinfo | None) -> dict[date, float]:
    """The value of each day that has one: at rest at night, or the day's mean, or its sum.

    Args:
        first, last: both included. `Vital.SLEEP_LIGHT` stands for all sleep, told on the day of waking.
    """
    found = {}
    day = first
    while day <= last:
        value = _asleep(store, day, zone) if kind in ASLEEP else of_day(store, kind, day, zone)
        if value is not None:
            found[day] = value
        day += timedelta(days=1)
    return found


def of_day(store: VitalsStore, kind: Vital, day: date, zone: tzinfo | None) -> float | None:
    """The value of one day; None where too little was measured."""
    begin, end = span(day, zone)
    if kind in (Vital.STEPS, Vital.EXERCISE):
        return _most_of(store, kind, begin, end)
    if kind in NIGHTLY:
        return _at_night(store, kind, day, zone)
    minutes = store.minutes(kind, begin, end)
    return float(minutes.mean.mean()) if len(minutes.at) else None


def span(day: date, zone: tzinfo | None) -> tuple[float, float]:
    """Begin and end of a local day, epoch seconds; 23 to 25 hours."""
    midnight = datetime.combine(day, time())
    return epoch(midnight, zone), epoch(midnight + timedelta(days=1), zone)


def _most_of(store: VitalsStore, kind: Vital, begin: float, end: float) -> float | None:
    # a phone and a watch count the same steps: the one that counted most is believed
    sums = []
    for source in store.sources(kind, begin, end):
        minutes = store.minutes(kind, begin, end, source)
        if len(minutes.at):
            sums.append(float((minutes.mean * minutes.count).sum()))
    return max(sums) if sums else None


def _at_night(store: VitalsStore, kind: Vital, day: date, zone: tzinfo | None) -> float | None:
    begin, end = (epoch(datetime.combine(day, each), zone) for each in NIGHT)
    minutes = store.minutes(kind, begin, end)
    still = _still(minutes.at, store.minutes(Vital.STEPS, begin - RESTING_SECONDS, end))
    least = LEAST_MINUTES if kind is Vital.HEART_RATE else 3
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


# changes over days and weeks


NIGHTSIGNAL = "Alavi and others 2022 (NightSignal): 4 bpm above the usual in two nights running"
MODIFIED_Z = "Iglewicz, Hoaglin 1993: modified z-score above 3.5"
NICE = "NICE NG136: average at home of 135/85 mmHg or more"
AASM = "AASM and Sleep Research Society 2015: adults should sleep seven hours or more"
MANN_KENDALL = "Mann 1945, Kendall 1975; slope by Sen 1968"
FAR = 3.5
HEART_RISE = 4.0
NIGHTS = 2
WEEK = 7
LEAST_OF_WEEK = 4
TREND_DAYS = 56
LEAST_OF_TREND = 21
SIGNIFICANT = 0.01
AVERAGES: Mapping[Vital, tuple[float, bool, str]] = {
    Vital.SYSTOLIC: (135.0, True, NICE),
    Vital.DIASTOLIC: (85.0, True, NICE),
    Vital.SLEEP_LIGHT: (420.0, False, AASM),
}
"""Limits of a week's average: the value, whether above is the matter, the source."""
TOLD_SLOPE: Mapping[Vital, float] = {
    Vital.HEART_RATE: 5.0, Vital.HRV: 10.0, Vital.RESPIRATORY_RATE: 1.5, Vital.OXYGEN: 1.5, Vital.SYSTOLIC: 8.0,
    Vital.DIASTOLIC: 6.0, Vital.GLUCOSE: 15.0, Vital.WEIGHT: 2.0, Vital.STEPS: 2500.0, Vital.SLEEP_LIGHT: 45.0,
}  # fmt: skip
"""Smaller changes over the whole time are not worth a word: our own limits."""
_UNUSUAL: Mapping[Vital, bool | None] = {
    Vital.HRV: False, Vital.RESPIRATORY_RATE: True, Vital.OXYGEN: False, Vital.TEMPERATURE: True,
}  # fmt: skip
"""Kinds compared with the usual by spreads, and whether above is the matter."""


@dataclass(frozen=True)
class Trend:
    """A change over days. value: now; usual: before, or the limit; since: its first day."""

    kind: Vital
    name: str
    value: float
    usual: float
    since: date
    says: str
    source: str


def trends(days: Mapping[Vital, Days], today: date) -> list[Trend]:
    """What the values of days up to `today` show; `days` has sleep as a whole under `Vital.SLEEP_LIGHT`."""
    found = []
    for kind, values in days.items():
        known = {day: value for day, value in values.items() if day <= today}
        for each in (_two_days(kind, known, today), _week(kind, known, today), _slope(kind, known, today)):
            if each is not None:
                found.append(each)
    return found


def _two_days(kind: Vital, days: Days, today: date) -> Trend | None:
    first = today - timedelta(days=NIGHTS - 1)
    late = [days[day] for day in (first, today) if day in days]
    before = usual(kind, days, first)
    if len(late) < NIGHTS or before is None:
        return None
    if kind is Vital.HEART_RATE:
        off = all(each >= before.median + HEART_RISE for each in late)
        above: bool | None = True
    else:
        above = _UNUSUAL.get(kind)
        off = above is not None and all((before.z(each) if above else -before.z(each)) > FAR for each in late)
    if not off:
        return None
    value = float(np.mean(late))
    name, way = _named(kind), "above" if above else "below"
    at = " at night" if kind in (Vital.HEART_RATE, Vital.HRV, Vital.RESPIRATORY_RATE, Vital.OXYGEN) else ""
    says = (
        f"Your {name}{at} has been {_value(kind, value)} for two days, {way} your usual {_value(kind, before.median)}"
    )
    source = NIGHTSIGNAL if kind is Vital.HEART_RATE else MODIFIED_Z
    return Trend(kind, "unusual", value, before.median, first, says, source)


def _week(kind: Vital, days: Days, today: date) -> Trend | None:
    if kind not in AVERAGES:
        return None
    limit, above, source = AVERAGES[kind]
    first = today - timedelta(days=WEEK - 1)
    values = [value for day, value in days.items() if first <= day <= today]
    if len(values) < LEAST_OF_WEEK:
        return None
    mean = float(np.mean(values))
    if mean < limit if above else mean >= limit:
        return None
    way = "or more is high for an average at home" if above else "or more is advised"
    says = f"Your {_named(kind)} was {_value(kind, mean)} on average over a week; {_value(kind, limit)} {way}"
    return Trend(kind, "average", mean, limit, first, says, source)


def _slope(kind: Vital, days: Days, today: date) -> Trend | None:
    first = today - timedelta(days=TREND_DAYS - 1)
    rows = sorted((day, value) for day, value in days.items() if first <= day <= today)
    if kind not in TOLD_SLOPE or len(rows) < LEAST_OF_TREND:
        return None
    at = np.asarray([(day - first).days for day, _ in rows], np.float64)
    value = np.asarray([each for _, each in rows])
    slope, chance = sen(at, value)
    change = slope * float(at[-1] - at[0])
    if chance >= SIGNIFICANT or abs(change) < TOLD_SLOPE[kind]:
        return None
    weeks = max(1, round((at[-1] - at[0]) / 7))
    way = "risen" if change > 0 else "fallen"
    says = f"Your {_named(kind)} has {way} by about {_value(kind, abs(change), True)} over {weeks} weeks"
    middle = float(np.median(value))
    return Trend(kind, "slope", middle + change / 2, middle - change / 2, rows[0][0], says, MANN_KENDALL)


def sen(at: Floats, value: Floats) -> tuple[float, float]:
    """The median slope of all pairs, and the chance (two-sided) that there is no trend; ties are allowed for.

    Raises:
        ValueError: fewer than three values.
    """
    if len(at) < 3:
        raise ValueError("a trend takes three values at least")
    early, late = np.triu_indices(len(at), 1)
    rise = value[late] - value[early]
    score = float(np.sign(rise).sum())
    count = len(at)
    _, ties = np.unique(value, return_counts=True)
    spread = (count * (count - 1) * (2 * count + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    chance = erfc(abs(score - np.sign(score)) / sqrt(2 * spread)) if spread > 0 else 1.0
    return float(np.median(rise / (at[late] - at[early]))), float(chance)


def _named(kind: Vital) -> str:
    return "sleep" if kind is Vital.SLEEP_LIGHT else MEASURES[kind].name


def _value(kind: Vital, value: float, difference: bool = False) -> str:
    if kind is Vital.SLEEP_LIGHT:
        return f"{int(value // 60)} h {round(value % 60):02d} min"
    return MEASURES[kind].told(value, difference=difference)


def kinds_of_trends() -> Sequence[Vital]:
    """The kinds that have trends."""
    return tuple({*TOLD_SLOPE, *_UNUSUAL, *AVERAGES})

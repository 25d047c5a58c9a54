"""Whether a reading can be true: impossible, suspicious or plausible; and what is missing.

A dangerous value is not an impossible one. Values that no living wearer has, or that no such sensor can tell, are
impossible and left out of every judgement about the person; they are told as a fault of the watch. Values that hardly
anybody has are suspicious: they still count as a danger, with a word of doubt, unless a single one stands out among its
neighbours. The limits and their sources are in `docs/vitals.md`.
What is wrong with the watch rather than with the person is told apart (`faults`), never as an alarm.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from camphor.health.monitor.vitals import MEASURES, Floats, Mask, Series, Vital

Codes = npt.NDArray[np.uint8]


class Quality(IntEnum):
    PLAUSIBLE = 0
    SUSPICIOUS = 1
    IMPOSSIBLE = 2
    MISSING = 3


@dataclass(frozen=True)
class SensorLimit:
    value: float
    source: str


@dataclass(frozen=True)
class SensorLimits:
    """Below `least` or above `most` a value is impossible; below `low` or above `high` it is suspicious."""

    least: SensorLimit
    low: SensorLimit
    high: SensorLimit
    most: SensorLimit


def _read() -> dict[Vital, SensorLimits]:
    told = tomllib.loads(files(__package__).joinpath("plausible.toml").read_text(encoding="utf-8"))
    sources = told["sources"]
    return {
        Vital(kind): SensorLimits(*(SensorLimit(value, sources[source]) for value, source in four))
        for kind, four in told["limits"].items()
    }


LIMITS: Mapping[Vital, SensorLimits] = _read()
LONE: Mapping[Vital, float] = {
    Vital.HEART_RATE: 30, Vital.OXYGEN: 6, Vital.TEMPERATURE: 1.5, Vital.RESPIRATORY_RATE: 12, Vital.GLUCOSE: 60,
}  # fmt: skip
"""How far one reading may stand off from both its neighbours on one side, within `LONE_SECONDS`: our own limits."""
LONE_SECONDS = 120.0
STUCK_SECONDS = 1800.0
STUCK_READINGS = 300
EARLIEST = 946_684_800.0  # 2000: no wearable that tells the time is older
AHEAD = 120.0  # seconds that a watch's clock may run ahead of the phone's


@dataclass(frozen=True)
class JudgedSeries:
    """A column with what was made of each reading.

    Attributes:
        quality: (n,) of `Quality`; usable: (n,) what may be judged as the person's; stuck: (n,) one value again and
        again; lone: (n,) a single reading far off its neighbours; timeless: (n,) at a time that cannot be.
    """

    series: Series
    quality: Codes
    usable: Mask
    stuck: Mask
    lone: Mask
    timeless: Mask

    def count(self, quality: Quality) -> int:
        return int((self.quality == quality).sum())

    @property
    def kind(self) -> Vital:
        return self.series.kind


def judge(column: Series, now: float | None = None) -> JudgedSeries:
    """What can be true of a column of readings.

    Args:
        now: the phone's clock, epoch seconds: a reading from the future is impossible; None does not look.
    """
    limits, value = LIMITS[column.kind], column.value
    quality = np.zeros(len(value), np.uint8)
    with np.errstate(invalid="ignore"):
        quality[(value < limits.low.value) | (value > limits.high.value)] = Quality.SUSPICIOUS
        quality[(value < limits.least.value) | (value > limits.most.value)] = Quality.IMPOSSIBLE
    quality[np.isnan(value)] = Quality.MISSING
    timeless = _timeless(column.at, now)
    quality[timeless & (quality != Quality.MISSING)] = Quality.IMPOSSIBLE
    able = quality <= Quality.SUSPICIOUS
    lone = _lone(column, able)
    stuck = _stuck(column, able)
    quality[(lone | stuck) & able] = Quality.SUSPICIOUS
    return JudgedSeries(column, quality, able & ~lone, stuck, lone, timeless)


def judge_pressure(upper: JudgedSeries, lower: JudgedSeries) -> tuple[JudgedSeries, JudgedSeries]:
    """Both pressures of a cuff: where the lower is not below the upper at one moment, both are impossible."""
    _, first, second = np.intersect1d(upper.series.at, lower.series.at, assume_unique=True, return_indices=True)
    with np.errstate(invalid="ignore"):
        wrong = lower.series.value[second] >= upper.series.value[first]
    if not wrong.any():
        return upper, lower
    return _spoiled(upper, first[wrong]), _spoiled(lower, second[wrong])


def _spoiled(judged: JudgedSeries, rows: npt.NDArray[np.intp]) -> JudgedSeries:
    quality, usable = judged.quality.copy(), judged.usable.copy()
    rows = rows[quality[rows] != Quality.MISSING]
    quality[rows], usable[rows] = Quality.IMPOSSIBLE, False
    return JudgedSeries(judged.series, quality, usable, judged.stuck, judged.lone, judged.timeless)


def _timeless(at: Floats, now: float | None) -> Mask:
    wrong: Mask = at < EARLIEST
    return wrong if now is None else wrong | (at > now + AHEAD)


def _lone(column: Series, able: Mask) -> Mask:
    """Single readings that stand out from the one before and the one after, both near in time, to the same side."""
    found = np.zeros(len(able), np.bool_)
    step = LONE.get(column.kind)
    rows = np.flatnonzero(able)
    if step is None or len(rows) < 3:
        return found
    value, at = column.value[rows], column.at[rows]
    rise = np.diff(value)
    near = np.diff(at) <= LONE_SECONDS
    out = (np.abs(rise[:-1]) > step) & (np.abs(rise[1:]) > step) & (np.sign(rise[:-1]) == -np.sign(rise[1:]))
    found[rows[1:-1][out & near[:-1] & near[1:]]] = True
    return found


def _stuck(column: Series, able: Mask) -> Mask:
    """Readings of a heart rate that is the same to the digit for half an hour: the watch repeats itself."""
    found = np.zeros(len(able), np.bool_)
    if column.kind is not Vital.HEART_RATE:
        return found
    rows = np.flatnonzero(able)
    if len(rows) < STUCK_READINGS:
        return found
    value, at = column.value[rows], column.at[rows]
    begins = np.flatnonzero(np.append(True, np.diff(value) != 0))
    ends = np.append(begins[1:], len(rows))
    long = (at[ends - 1] - at[begins] >= STUCK_SECONDS) & (ends - begins >= STUCK_READINGS)
    for begin, end in zip(begins[long], ends[long], strict=True):
        found[rows[begin:end]] = True
    return found


# what is wrong with the watch


SHARE = 0.2
LEAST = 3
OFF_SECONDS = 1800.0
LONG = 600.0
WORN = (Vital.HEART_RATE,)
"""Kinds that a worn watch reads all the time: a long silence of them means that it is off or empty."""


@dataclass(frozen=True)
class Fault:
    """A fault of a sensor.

    Attributes:
        count: how many readings it touched; begin, end: epoch seconds of the first and last of them.
        what: the sentence without its begin, or the whole of it where no readings are counted.
    """

    kind: Vital
    name: str
    count: int
    begin: float
    end: float
    what: str

    @property
    def says(self) -> str:
        """The fault in a sentence."""
        if not self.count:
            return self.what
        return f"{self.count:,} reading{'' if self.count == 1 else 's'} of your {MEASURES[self.kind].name} {self.what}"


def faults(columns: Mapping[Vital, JudgedSeries], now: float | None = None) -> list[Fault]:
    """Impossible values, wrong times, missing values, a value that repeats itself, silence."""
    found = []
    for kind, column in columns.items():
        found += _of(kind, column)
        silent = _silence(column, now) if kind in WORN and now is not None else None
        if silent is not None:
            found.append(silent)
    return sorted(found, key=lambda each: (each.begin, each.name))


def merged(found: Iterable[Fault]) -> list[Fault]:
    """Faults of several stretches of time as one of each sort."""
    kept: dict[tuple[Vital, str], Fault] = {}
    for each in found:
        key = (each.kind, each.name)
        if key in kept:
            before = kept[key]
            begin, end = min(before.begin, each.begin), max(before.end, each.end)
            each = replace(before, count=before.count + each.count, begin=begin, end=end)
        kept[key] = each
    return list(kept.values())


def _of(kind: Vital, column: JudgedSeries) -> list[Fault]:
    total, found = len(column.series), []
    wrong = (column.quality == Quality.IMPOSSIBLE) & ~column.timeless
    if wrong.any():
        what = f"cannot be true{_examples(column)} and count for nothing{_advice(wrong, total)}"
        found.append(_fault(column, "impossible", wrong, what))
    if column.timeless.any():
        what = "had a time that cannot be: set the clock of the watch"
        found.append(_fault(column, "time", column.timeless, what))
    missing = column.quality == Quality.MISSING
    if missing.sum() >= LEAST and (missing.sum() >= SHARE * total or _longest(column.series.at, missing) >= LONG):
        found.append(_fault(column, "missing", missing, f"had no value{_advice(missing, total)}"))
    if column.stuck.any():
        value = MEASURES[kind].told(float(column.series.value[column.stuck][0]))
        what = f"were {value} over and over for half an hour or more: the watch may be stuck"
        found.append(_fault(column, "stuck", column.stuck, what))
    return found


def _fault(column: JudgedSeries, name: str, rows: Mask, what: str) -> Fault:
    at = column.series.at[rows]
    return Fault(column.kind, name, len(at), float(at[0]), float(at[-1]), what)


def _examples(column: JudgedSeries) -> str:
    limits, value = LIMITS[column.kind], column.series.value
    with np.errstate(invalid="ignore"):
        out = value[(value < limits.least.value) | (value > limits.most.value)]
    if not len(out):
        return ""
    measure = MEASURES[column.kind]
    shown = list(dict.fromkeys(measure.number(each) for each in out[:100].tolist()))
    unit = f" {measure.unit}" if measure.scale != 1 else ""  # another one than the sensor's must be named
    return f" ({', '.join(shown[:3])}{', ...' if len(shown) > 3 else ''}{unit})"


def _advice(rows: Mask, total: int) -> str:
    return "; see how the watch sits on your wrist" if rows.sum() >= max(LEAST, SHARE * total) else ""


def _longest(at: Floats, rows: Mask) -> float:
    """Seconds of the longest stretch of readings that all are chosen."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], rows, [False])).astype(np.int8)))
    return float((at[edges[1::2] - 1] - at[edges[::2]]).max(initial=0.0))


def _silence(column: JudgedSeries, now: float) -> Fault | None:
    at = column.series.at[column.usable]
    if not len(at) or now - at[-1] < OFF_SECONDS:
        return None
    minutes = round((now - float(at[-1])) / 60)
    says = f"There has been no {MEASURES[column.kind].name} for {minutes} minutes: the watch may be off or empty"
    return Fault(column.kind, "silent", 0, float(at[-1]), now, says)

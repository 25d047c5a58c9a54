"""Whether a reading can be true: impossible, suspicious or plausible; and what is missing.

A dangerous value is not an impossible one. Values that no living wearer has, or that no such sensor can tell, are
impossible and left out of every judgement about the person; they are told as a fault of the watch. Values that hardly
anybody has are suspicious: they still count as a danger, with a word of doubt, unless a single one stands out among its
neighbours. The limits and their sources are in `docs/vitals.md`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from camphor.health.monitor.vitals import Floats, Kind, Mask, Series

Codes = npt.NDArray[np.uint8]


class Quality(IntEnum):
    PLAUSIBLE = 0
    SUSPICIOUS = 1
    IMPOSSIBLE = 2
    MISSING = 3


@dataclass(frozen=True)
class Limit:
    value: float
    source: str


@dataclass(frozen=True)
class Limits:
    """Below `least` or above `most` a value is impossible; below `low` or above `high` it is suspicious."""

    least: Limit
    low: Limit
    high: Limit
    most: Limit


def _read() -> dict[Kind, Limits]:
    told = tomllib.loads(files(__package__).joinpath("plausible.toml").read_text(encoding="utf-8"))
    sources = told["sources"]
    return {
        Kind(kind): Limits(*(Limit(value, sources[source]) for value, source in four))
        for kind, four in told["limits"].items()
    }


LIMITS: Mapping[Kind, Limits] = _read()
LONE: Mapping[Kind, float] = {
    Kind.HEART_RATE: 30, Kind.OXYGEN: 6, Kind.TEMPERATURE: 1.5, Kind.RESPIRATORY_RATE: 12, Kind.GLUCOSE: 60,
}  # fmt: skip
"""How far one reading may stand off from both its neighbours on one side, within `LONE_SECONDS`: our own limits."""
LONE_SECONDS = 120.0
STUCK_SECONDS = 1800.0
STUCK_READINGS = 300
EARLIEST = 946_684_800.0  # 2000: no wearable that tells the time is older
AHEAD = 120.0  # seconds that a watch's clock may run ahead of the phone's


@dataclass(frozen=True)
class Judged:
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
    def kind(self) -> Kind:
        return self.series.kind


def judge(column: Series, now: float | None = None) -> Judged:
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
    return Judged(column, quality, able & ~lone, stuck, lone, timeless)


def judge_pressure(upper: Judged, lower: Judged) -> tuple[Judged, Judged]:
    """Both pressures of a cuff: where the lower is not below the upper at one moment, both are impossible."""
    _, first, second = np.intersect1d(upper.series.at, lower.series.at, assume_unique=True, return_indices=True)
    with np.errstate(invalid="ignore"):
        wrong = lower.series.value[second] >= upper.series.value[first]
    if not wrong.any():
        return upper, lower
    return _spoiled(upper, first[wrong]), _spoiled(lower, second[wrong])


def _spoiled(judged: Judged, rows: npt.NDArray[np.intp]) -> Judged:
    quality, usable = judged.quality.copy(), judged.usable.copy()
    rows = rows[quality[rows] != Quality.MISSING]
    quality[rows], usable[rows] = Quality.IMPOSSIBLE, False
    return Judged(judged.series, quality, usable, judged.stuck, judged.lone, judged.timeless)


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
    if column.kind is not Kind.HEART_RATE:
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

"""What is wrong with the watch rather than with the person: told apart, never as an alarm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from camphor.health.monitor.plausible import LIMITS, Judged, Quality
from camphor.health.monitor.vitals import MEASURES, Floats, Kind, Mask

SHARE = 0.2
LEAST = 3
OFF_SECONDS = 1800.0
LONG = 600.0
WORN = (Kind.HEART_RATE,)
"""Kinds that a worn watch reads all the time: a long silence of them means that it is off or empty."""


@dataclass(frozen=True)
class Fault:
    """A fault of a sensor.

    Attributes:
        count: how many readings it touched; begin, end: epoch seconds of the first and last of them.
        what: the sentence without its begin, or the whole of it where no readings are counted.
    """

    kind: Kind
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


def faults(columns: Mapping[Kind, Judged], now: float | None = None) -> list[Fault]:
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
    kept: dict[tuple[Kind, str], Fault] = {}
    for each in found:
        key = (each.kind, each.name)
        if key in kept:
            before = kept[key]
            begin, end = min(before.begin, each.begin), max(before.end, each.end)
            each = replace(before, count=before.count + each.count, begin=begin, end=end)
        kept[key] = each
    return list(kept.values())


def _of(kind: Kind, column: Judged) -> list[Fault]:
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


def _fault(column: Judged, name: str, rows: Mask, what: str) -> Fault:
    at = column.series.at[rows]
    return Fault(column.kind, name, len(at), float(at[0]), float(at[-1]), what)


def _examples(column: Judged) -> str:
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


def _silence(column: Judged, now: float) -> Fault | None:
    at = column.series.at[column.usable]
    if not len(at) or now - at[-1] < OFF_SECONDS:
        return None
    minutes = round((now - float(at[-1])) / 60)
    says = f"There has been no {MEASURES[column.kind].name} for {minutes} minutes: the watch may be off or empty"
    return Fault(column.kind, "silent", 0, float(at[-1]), now, says)

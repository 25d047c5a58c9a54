"""What is wrong with the watch rather than with the person: told apart, never as an alarm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
    """A fault of a sensor. count: how many readings it touched; begin, end: epoch seconds of the first and last."""

    kind: Kind
    name: str
    count: int
    begin: float
    end: float
    says: str


def faults(columns: Mapping[Kind, Judged], now: float | None = None) -> list[Fault]:
    """Impossible values, wrong times, missing values, a value that repeats itself, silence."""
    found = []
    for kind, column in columns.items():
        found += _of(kind, column)
        silent = _silence(column, now) if kind in WORN and now is not None else None
        if silent is not None:
            found.append(silent)
    return sorted(found, key=lambda each: (each.begin, each.name))


def _of(kind: Kind, column: Judged) -> list[Fault]:
    name, total, found = MEASURES[kind].name, len(column.series), []
    wrong = column.quality == Quality.IMPOSSIBLE
    odd = _examples(column)
    if int(wrong.sum()) - column.timeless > 0:
        says = f"{_count(int(wrong.sum()), 'reading')} of your {name} cannot be true{odd} and count for nothing"
        found.append(_fault(column, kind, "impossible", wrong, says + _advice(wrong, total)))
    if column.timeless:
        says = (
            f"{_count(column.timeless, 'reading')} of your {name} had a time that cannot be: set the clock of the watch"
        )
        found.append(_fault(column, kind, "time", wrong, says, column.timeless))
    missing = column.quality == Quality.MISSING
    if missing.sum() >= LEAST and (missing.sum() >= SHARE * total or _longest(column.series.at, missing) >= LONG):
        says = f"{_count(int(missing.sum()), 'reading')} of your {name} of {total:,} had no value"
        found.append(_fault(column, kind, "missing", missing, says + _advice(missing, total)))
    if column.stuck.any():
        value = MEASURES[kind].told(float(column.series.value[column.stuck][0]))
        says = f"Your {name} was told as {value} over and over for half an hour or more: the watch may be stuck"
        found.append(_fault(column, kind, "stuck", column.stuck, says))
    return found


def _fault(column: Judged, kind: Kind, name: str, rows: Mask, says: str, count: int = 0) -> Fault:
    at = column.series.at[rows]
    begin, end = (float(at[0]), float(at[-1])) if len(at) else (0.0, 0.0)
    return Fault(kind, name, count or len(at), begin, end, says)


def _examples(column: Judged) -> str:
    limits, value = LIMITS[column.kind], column.series.value
    with np.errstate(invalid="ignore"):
        out = value[(value < limits.least.value) | (value > limits.most.value)]
    if not len(out):
        return ""
    shown = list(dict.fromkeys(f"{each:,g}" for each in out.tolist()))
    return f" ({', '.join(shown[:3])}{', ...' if len(shown) > 3 else ''})"


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


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"

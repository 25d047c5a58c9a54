"""Vital signs: their kinds and units, and a column of readings. Times in columns are epoch seconds (UTC)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class Vital(StrEnum):
    HEART_RATE = "heart_rate"
    OXYGEN = "oxygen"
    SYSTOLIC = "systolic"
    DIASTOLIC = "diastolic"
    TEMPERATURE = "temperature"
    RESPIRATORY_RATE = "respiratory_rate"
    HRV = "hrv"
    GLUCOSE = "glucose"
    WEIGHT = "weight"
    STEPS = "steps"
    EXERCISE = "exercise"
    SLEEP_AWAKE = "sleep_awake"
    SLEEP_LIGHT = "sleep_light"
    SLEEP_DEEP = "sleep_deep"
    SLEEP_REM = "sleep_rem"


ASLEEP = (Vital.SLEEP_LIGHT, Vital.SLEEP_DEEP, Vital.SLEEP_REM)
SLEEP = (Vital.SLEEP_AWAKE, *ASLEEP)
COUNTED = frozenset({Vital.STEPS, Vital.EXERCISE, *SLEEP})
"""Kinds whose readings add up over a day: each is about the time that begins at its moment."""


@dataclass(frozen=True)
class Measure:
    """How a kind is named in a sentence and written: its unit, its decimals.

    scale, shift: what turns a value of the kind's own unit, in which all is kept, into the one that is shown.
    """

    name: str
    unit: str
    decimals: int = 0
    scale: float = 1.0
    shift: float = 0.0

    def shown(self, value: float, difference: bool = False) -> float:
        """The value, or the difference of two, in the unit that is shown."""
        return value * self.scale + (0.0 if difference else self.shift)

    def number(self, value: float, more: int = 0, difference: bool = False) -> str:
        """The value as a person reads it, without its unit; more: further decimals."""
        return f"{self.shown(value, difference):,.{self.decimals + more}f}"

    def told(self, value: float, more: int = 0, difference: bool = False) -> str:
        """The value with its unit, as a person reads it."""
        return f"{self.number(value, more, difference)}{'' if self.unit in ('%', '') else ' '}{self.unit}"


OWN: Mapping[Vital, Measure] = {
    Vital.HEART_RATE: Measure("heart rate", "bpm"),
    Vital.OXYGEN: Measure("blood oxygen", "%"),
    Vital.SYSTOLIC: Measure("upper blood pressure", "mmHg"),
    Vital.DIASTOLIC: Measure("lower blood pressure", "mmHg"),
    Vital.TEMPERATURE: Measure("body temperature", "°C", 1),
    Vital.RESPIRATORY_RATE: Measure("breathing rate", "breaths a minute"),
    Vital.HRV: Measure("heart rate variability", "ms"),
    Vital.GLUCOSE: Measure("glucose", "mg/dL"),
    Vital.WEIGHT: Measure("weight", "kg", 1),
    Vital.STEPS: Measure("steps", ""),
    Vital.EXERCISE: Measure("exercise", "min"),
    Vital.SLEEP_AWAKE: Measure("time awake in bed", "min"),
    Vital.SLEEP_LIGHT: Measure("light sleep", "min"),
    Vital.SLEEP_DEEP: Measure("deep sleep", "min"),
    Vital.SLEEP_REM: Measure("dream sleep", "min"),
}


MG_PER_MMOL = 18.016  # glucose, molar mass 180.16
KG_PER_POUND = 0.45359237
KG_PER_STONE = 14 * KG_PER_POUND
OTHERS: Mapping[tuple[Vital, str], Measure] = {
    (Vital.GLUCOSE, "mmol/L"): Measure("glucose", "mmol/L", 1, 1 / MG_PER_MMOL),
    (Vital.TEMPERATURE, "°F"): Measure("body temperature", "°F", 1, 1.8, 32.0),
    (Vital.WEIGHT, "lb"): Measure("weight", "lb", 1, 1 / KG_PER_POUND),
    (Vital.WEIGHT, "st"): Measure("weight", "st", 2, 1 / KG_PER_STONE),
}
"""Other units that people use."""

CHOICES: Mapping[Vital, tuple[str, ...]] = {
    kind: (OWN[kind].unit, *(unit for each, unit in OTHERS if each is kind)) for kind, _ in OTHERS
}
"""The kinds whose unit a person can choose, and the units."""


def unit_named(kind: Vital, text: str) -> str | None:
    """The unit of a kind that a person means by `mmol`, `F` or `MG/DL`; None where it is none of those to choose."""
    plain = text.strip().casefold().lstrip("°º")
    plain = {"pounds": "lb", "pound": "lb", "lbs": "lb", "stone": "st", "stones": "st"}.get(plain, plain)
    found = [unit for unit in CHOICES.get(kind, ()) if plain and unit.casefold().lstrip("°").startswith(plain)]
    return found[0] if len(found) == 1 else None


_SHOWN: ContextVar[Mapping[Vital, Measure]] = ContextVar("measures", default=OWN)


class _Measures(Mapping[Vital, Measure]):
    """How each kind is told to the person who is spoken to."""

    def __getitem__(self, kind: Vital) -> Measure:
        return _SHOWN.get()[kind]

    def __iter__(self) -> Iterator[Vital]:
        return iter(OWN)

    def __len__(self) -> int:
        return len(OWN)


MEASURES: Mapping[Vital, Measure] = _Measures()


@contextmanager
def shown_in(units: Mapping[str, str]) -> Iterator[None]:
    """Inside, `MEASURES` tells these kinds in these units, as `OTHERS` has them; unknown ones change nothing."""
    chosen = {kind: each for (kind, unit), each in OTHERS.items() if units.get(kind.value) == unit}
    before = _SHOWN.set({**OWN, **chosen})
    try:
        yield
    finally:
        _SHOWN.reset(before)


def simulated(source: str) -> bool:
    """Whether readings of a source are made up, by a watch that nobody wears."""
    return source.startswith("simulated")


SIMULATED = "Simulated readings: made up for a demonstration, not measured on anybody."
SIMULATED_DOSES = "Simulated doses: made up for a demonstration, taken by nobody."


@dataclass(frozen=True)
class Series:
    """Readings of one kind in the order of time.

    Attributes:
        at: (n,) epoch seconds, never falling; value: (n,) in the kind's unit, NaN where missing.
    """

    kind: Vital
    at: Floats
    value: Floats
    source: str = ""

    def __len__(self) -> int:
        return len(self.at)

    def between(self, begin: float, end: float) -> Series:
        """The readings from `begin` on and before `end`."""
        first, last = np.searchsorted(self.at, (begin, end))
        return Series(self.kind, self.at[first:last], self.value[first:last], self.source)


Vitals = Mapping[Vital, Series]


def series(kind: Vital, at: npt.ArrayLike, value: npt.ArrayLike, source: str = "") -> Series:
    """A column of readings, put into the order of time; of several at one moment the last one given counts.

    Readings without a time that is a number are left out.

    Raises:
        ValueError: there are more times than values, or fewer.
    """
    times, values = np.asarray(at, np.float64), np.asarray(value, np.float64)
    if times.shape != values.shape or times.ndim != 1:
        raise ValueError(f"{len(times)} times for {len(values)} values")
    known = np.isfinite(times)
    if not known.all():
        times, values = times[known], values[known]
    if len(times) > 1:
        rising = np.diff(times)
        if (rising < 0).any():
            order = np.argsort(times, kind="stable")
            times, values = times[order], values[order]
            rising = np.diff(times)
        if (rising == 0).any():
            last = np.append(rising > 0, True)
            times, values = times[last], values[last]
    return Series(kind, times, values, source)


def epoch(moment: datetime, zone: tzinfo | None) -> float:
    """Epoch seconds of a moment; a naive one is local time of `zone`, the machine's for None."""
    if moment.tzinfo is None and zone is not None:
        moment = moment.replace(tzinfo=zone)
    return moment.timestamp()


def local(seconds: float, zone: tzinfo | None) -> datetime:
    """The naive local time of epoch seconds."""
    return datetime.fromtimestamp(seconds, UTC).astimezone(zone).replace(tzinfo=None)

"""What files of other programs held, as columns, and the units in which they have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo

from camphor.health.monitor.times import unfold
from camphor.health.monitor.vitals import KG_PER_POUND, KG_PER_STONE, MG_PER_MMOL, OTHERS, Series, Vital, series

MOST_REASONS = 8


@dataclass
class Imported:
    """What a file held.

    Attributes:
        columns: readings by kind and source; skipped: how many entries were left out, by reason;
        broken: why the file could not be read to its end, empty where it could.
        units: the unit in which the file has a kind, where it tells one: so the person is used to see it.
        local: all its times are local ones without a zone.
    """

    columns: dict[tuple[Vital, str], tuple[list[float], list[float]]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    broken: str = ""
    units: dict[Vital, str] = field(default_factory=dict)
    local: bool = False

    def add(self, kind: Vital, source: str, at: float, value: float) -> None:
        column = self.columns.get((kind, source))
        if column is None:
            column = self.columns.setdefault((kind, source), ([], []))
        column[0].append(at)
        column[1].append(value)

    def skip(self, reason: str, count: int = 1) -> None:
        if reason not in self.skipped and len(self.skipped) >= MOST_REASONS:
            reason = "other reasons"
        self.skipped[reason] += count

    def settle(self, zone: tzinfo | None) -> None:
        """Puts the hour that clocks are set back at its places, and counts values that another one takes the place of.

        Args:
            zone: of the file's local times.
        """
        for (kind, source), (at, value) in self.columns.items():
            if self.local:
                at = unfold(at, zone)
                self.columns[kind, source] = (at, value)
            lost = len(set(zip(at, value, strict=True))) - len(set(at))
            if lost:
                self.skip(f"{kind.value} at a moment that has another value too: the last one counts", lost)

    def join(self, other: Imported) -> None:
        """Takes in what another file held."""
        for key, (at, value) in other.columns.items():
            own = self.columns.setdefault(key, ([], []))
            own[0].extend(at)
            own[1].extend(value)
        self.skipped.update(other.skipped)
        self.units |= other.units
        self.broken = self.broken or other.broken

    def shown(self) -> dict[str, str]:
        """The units in which the person is used to see kinds, by kind, as `VitalsStore.show_in` keeps them."""
        plain = {(kind, _plain(unit)): unit for kind, unit in OTHERS}
        return {kind.value: plain.get((kind, _plain(unit)), "") for kind, unit in self.units.items()}

    @property
    def readings(self) -> int:
        return sum(len(at) for at, _ in self.columns.values())

    def sources(self) -> dict[str, dict[Vital, Series]]:
        """The readings as columns, for each source."""
        found: dict[str, dict[Vital, Series]] = {}
        for (kind, source), (at, value) in self.columns.items():
            found.setdefault(source, {})[kind] = series(kind, at, value, source)
        return found


UNITS: dict[Vital, dict[str, Callable[[float], float]]] = {
    Vital.TEMPERATURE: {"degf": lambda value: (value - 32) / 1.8, "degc": float, "k": lambda value: value - 273.15},
    Vital.SYSTOLIC: {"mmhg": float, "kpa": lambda value: value * 7.50062, "cmhg": lambda value: value * 10},
    Vital.GLUCOSE: {"mg/dl": float, "mmol/l": lambda value: value * MG_PER_MMOL},
    Vital.WEIGHT: {
        "kg": float,
        "g": lambda value: value / 1000,
        "lb": lambda value: value * KG_PER_POUND,
        "st": lambda value: value * KG_PER_STONE,
    },
    Vital.HRV: {"ms": float, "s": lambda value: value * 1000},
    Vital.HEART_RATE: {"bpm": float, "hz": lambda value: value * 60},
    Vital.RESPIRATORY_RATE: {"bpm": float, "hz": lambda value: value * 60},
    Vital.OXYGEN: {"%": float, "fraction": lambda value: value * 100},
    Vital.STEPS: {"count": float},
    Vital.EXERCISE: {"min": float, "s": lambda value: value / 60, "h": lambda value: value * 60},
}
UNITS[Vital.DIASTOLIC] = UNITS[Vital.SYSTOLIC]
for _kind in (Vital.SLEEP_AWAKE, Vital.SLEEP_LIGHT, Vital.SLEEP_DEEP, Vital.SLEEP_REM):
    UNITS[_kind] = UNITS[Vital.EXERCISE]
_SAME = {
    "°c": "degc", "c": "degc", "celsius": "degc", "ºc": "degc", "°f": "degf", "f": "degf", "fahrenheit": "degf",
    "ºf": "degf", "percent": "%",
    "count/min": "bpm", "/min": "bpm", "beats/min": "bpm", "breaths/min": "bpm", "1/min": "bpm", "rpm": "bpm",
    "brpm": "bpm", "beats per minute": "bpm", "breaths per minute": "bpm", "count/s": "hz",
    "mmol": "mmol/l", "msec": "ms", "milliseconds": "ms", "seconds": "s", "sec": "s", "steps": "count",
    "minutes": "min", "mins": "min", "hr": "h", "hours": "h", "mm hg": "mmhg", "lbs": "lb", "pounds": "lb",
    "pound": "lb", "stone": "st", "stones": "st", "kgs": "kg", "kilograms": "kg", "grams": "g", "kelvin": "k",
}  # fmt: skip


def conversion(kind: Vital, unit: str) -> Callable[[float], float] | None:
    """What turns values of a unit into the kind's own; None for a unit that is none of it."""
    return UNITS[kind].get(_plain(unit))


def _plain(unit: str) -> str:
    plain = unit.strip().casefold()
    if plain.startswith("mmol<") and plain.endswith(">/l"):  # Apple writes the molar mass into the unit
        plain = "mmol/l"
    return _SAME.get(plain, plain)


def is_unit(text: str) -> bool:
    """Whether a text is a unit of some kind."""
    return any(conversion(kind, text) is not None for kind in UNITS)

"""Vitals of a soft SOS: what the monitor reports, and how the person is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

# Vitals that a watch tells: label, unit, and values that are out of the usual, drawn as low or high.
_VITALS: Mapping[str, tuple[str, str, tuple[float, float], tuple[float, float]]] = {
    "oxygen": ("Oxygen", "%", (78, 90), (78, 90)),
    "heart_rate": ("Heart Rate", " bpm", (34, 44), (128, 188)),
    "systolic": ("Systolic Pressure", " mmHg", (72, 88), (172, 225)),
    "diastolic": ("Diastolic Pressure", " mmHg", (38, 50), (108, 132)),
    "temperature": ("Temperature", " C", (33.6, 35.2), (38.9, 41.2)),
    "respiratory_rate": ("Respiratory Rate", " breaths/min", (6, 9), (24, 36)),
    "glucose": ("Glucose", " mg/dL", (42, 66), (255, 420)),
}
_SLEEP = {"deep": (20, 130), "light": (120, 330), "rem": (30, 140), "awake": (5, 120)}


def draw_vitals(rng: Random) -> dict[str, Any]:
    """Vitals of a soft SOS: one to three out of the usual, often with the last night's sleep in minutes."""
    low = rng.random() < 0.5
    found: dict[str, Any] = {}
    for name in sorted(rng.sample(list(_VITALS), rng.choice((1, 2, 2, 3))), key=list(_VITALS).index):
        _, _, below, above = _VITALS[name]
        value = rng.uniform(*(below if low else above))
        found[name] = round(value, 1) if name == "temperature" else round(value)
    if rng.random() < 0.6:
        found["sleep"] = {phase: rng.randint(*span) for phase, span in _SLEEP.items()}
    return found


def soft_request(vitals: Mapping[str, Any]) -> str:
    """What the monitor says, as in the paper (Appendix D.4)."""
    return f"Soft SOS triggered. Abnormal Vitals: {dict(vitals)}"


def vital_lines(vitals: Mapping[str, Any]) -> Iterator[str]:
    """A line each, in the order of the request."""
    for name, value in vitals.items():
        if name == "sleep":
            yield from (f"{_phase(phase)}: {minutes} minutes" for phase, minutes in value.items())
        else:
            label, unit, _, _ = _VITALS[name]
            yield f"{label}: {value}{unit}"


def _phase(phase: str) -> str:
    return {"deep": "Deep Sleep", "light": "Light Sleep", "rem": "REM", "awake": "Awake"}[phase]

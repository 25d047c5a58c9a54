"""The directions of one medicine as a value: how much, how often, when, how long, what not to exceed, or to stop.

A text is tokens (lexing.py), phrases of a grammar (phrases.py), and then those put together (reading.py, courses.py).
Nothing is guessed: a word or figure that nothing explains, phrases that do not fit together and everything that has two
readings is a doubt of the fields that it may touch. The parts of a dose are those of the NHS Dose Syntax (dm+d).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

HOURS = {"hour": 1.0, "day": 24.0, "night": 24.0, "week": 168.0, "month": 720.0, "minute": 1 / 60}
DAYS = {"day": 1, "night": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
MASSES = ("mg", "mcg", "g", "unit", "mmol", "meq")
IN_MG = {"mcg": 0.001, "mg": 1.0, "g": 1000.0}
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
OTHER_DAYS = ("other",)
"""The days of the week that are not named."""
MEALS = ("before food", "with food", "after food", "empty stomach")
"""What `at` may hold beside times of day."""
DOSE = ("amount", "unit", "by_time", "steps")
WHEN = ("times", "at", "days", "steps")
LIMITS = ("as_needed", "max", "gap_hours")
LENGTH = ("for_days", "ongoing", "steps")
ALL = (*dict.fromkeys((*DOSE, *WHEN, *LIMITS, *LENGTH)), "stop", "site")
"""The fields of directions that a doubt can touch."""
_SHOWN = {
    "dose": ("amount", "unit", "by_time", "steps"),
    "when": ("times", "at", "days", "as_needed", "stop"),
    "most": ("max", "gap_hours"),
    "duration": ("for_days", "ongoing"),
    "route": ("site",),
}
SHOWN_IN = {each: field_ for field_, fields in _SHOWN.items() for each in fields}
"""In which field of a medicine, as a person sees it, one of these is shown."""


NO_DOSE = "no dose was read"
"""Why a text is in doubt that says no amount; of a text that says only when, it is none."""


@dataclass(frozen=True)
class Amount:
    """How much at a time, from `low` to `high` of a unit; `strength` of each where it was said beside the count."""

    low: float
    high: float
    unit: str = ""
    strength: str = ""
    upto: bool = False


@dataclass(frozen=True)
class Often:
    """How often: `low` to `high` times a period, or, with `every`, once in so many periods; or once and no more."""

    low: float = 1
    high: float = 1
    period: str = "day"
    every: bool = False
    once: bool = False
    upto: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Most:
    """What is not to be exceeded in so many hours; the unit is "dose" where doses are counted."""

    amount: float
    unit: str
    hours: float


@dataclass(frozen=True)
class Doubt:
    """What is not certain: why, the fields that it touches, and what they may be.

    `confirms`: what was read stands, and is only to be confirmed, since something beside it was not explained.
    """

    why: str
    fields: tuple[str, ...]
    candidates: tuple[str, ...] = ()
    confirms: bool = False


@dataclass(frozen=True)
class DoseStep:
    """A part of a course in which the dose changes, or the days of the week of one dose; None for what is not said."""

    amount: Amount | None
    often: Often | None
    days: int | None = None
    at: tuple[str, ...] = ()
    weekdays: tuple[str, ...] = ()


@dataclass(frozen=True)
class Directions:
    """What the directions of one medicine say; None, "" or empty for what is not said.

    `at`: times of day ("morning", "noon", "afternoon", "evening", "bedtime", "08:00") and meals ("before food", "with
    food", "after food", "empty stomach"). `by_time`: amounts that differ by time of day. `weekdays`: "mon" to "sun".
    `steps`: where the dose changes over time; amount, often and days are then None. `head`: the words before the
    directions, which name the medicine. `strength` and `form` are the product's. `read`: the words for each field.
    """

    text: str
    stop: bool = False
    amount: Amount | None = None
    by_time: tuple[tuple[str, float], ...] = ()
    often: Often | None = None
    at: tuple[str, ...] = ()
    weekdays: tuple[str, ...] = ()
    as_needed: bool = False
    most: Most | None = None
    gap_hours: float | None = None
    days: int | None = None
    ongoing: bool = False
    steps: tuple[DoseStep, ...] = ()
    site: str = ""
    by_mouth: bool = False
    strength: str = ""
    form: str = ""
    head: str = ""
    directed: bool = False
    read: dict[str, str] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()

    def doubtful(self, name: str) -> bool:
        """Whether a field, of `ALL`, is in doubt."""
        return any(name in each.fields for each in self.doubts)

    @property
    def says_when(self) -> bool:
        return bool(self.often or self.at or self.weekdays or self.as_needed or self.steps)

    @property
    def says_something(self) -> bool:
        told = (self.stop, self.amount, self.by_time, self.says_when, self.most, self.gap_hours, self.days)
        return any(told) or self.ongoing or bool(self.site)

    def to_json(self) -> dict[str, Any]:
        """The fields in the form of data/directions-development."""
        amount = None if self.stop else self.amount
        unit = amount.unit if amount else self.read.get("unit") if self.by_time else None
        return {
            "stop": self.stop,
            "amount": _span(amount.low, amount.high) if amount else None,
            "unit": unit or None,
            "times": _times(self.often),
            "at": list(self.at),
            "by_time": [list(each) for each in self.by_time] or None,
            "days": [] if any(each.weekdays for each in self.steps) else list(self.weekdays),
            "as_needed": self.as_needed,
            "max": {"amount": self.most.amount, "unit": self.most.unit or None, "hours": self.most.hours}
            if self.most
            else None,
            "gap_hours": self.gap_hours,
            "for_days": self.days,
            "ongoing": self.ongoing,
            "steps": [_step(each) for each in self.steps] or None,
            "site": self.site or None,
        }


def _span(low: float, high: float) -> float | list[float]:
    return low if low == high else [low, high]


def _times(often: Often | None) -> dict[str, Any] | None:
    if often is None:
        return None
    if often.once:
        return {"once": True}
    if often.every:
        return {"every": _span(often.low, often.high), "of": often.period}
    return {"per": often.period, "n": _span(often.low, often.high)}


def _step(step: DoseStep) -> dict[str, Any]:
    amount = step.amount
    return {
        "amount": _span(amount.low, amount.high) if amount else None,
        "unit": (amount.unit or None) if amount else None,
        "times": {"per": "week", "n": len(step.weekdays)} if step.weekdays else _times(step.often),
        "for_days": step.days,
    }


def amount_text(amount: Amount) -> str:
    """An amount as it is shown: "1 tablet", "1 to 2 puffs", "0.5 tablets", "500 mg"."""
    low, high = f"{amount.low:.9g}", f"{amount.high:.9g}"
    number = low if low == high else f"{low} to {high}"
    unit = amount.unit
    if unit and amount.high != 1 and unit not in ("mg", "mcg", "g", "ml", "mmol", "meq"):
        unit = {"patch": "patches", "suppository": "suppositories", "pessary": "pessaries"}.get(unit, f"{unit}s")
    return f"{number} {unit}".strip()


def weekday_numbers(said: Directions) -> list[int]:
    """The weekdays as numbers, Monday 0."""
    return [WEEK.index(each) for each in said.weekdays]


def mass_of(strength: str) -> tuple[float, str] | None:
    """A strength that is one mass, as number and unit; None where it is not: "250 mg/5 ml"."""
    parts = re.fullmatch(r"([\d.]+) (mg|mcg|g)", strength)
    return (float(parts[1]), parts[2]) if parts else None

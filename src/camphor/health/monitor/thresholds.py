"""What is abnormal: limits, and how long they must be kept beyond, each with its source (see `docs/vitals.md`).

They tell when to look after somebody, never what is wrong: nothing here is a diagnosis.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import IntEnum
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from camphor.health.monitor.vitals import Vital

if TYPE_CHECKING:
    from camphor.device.device import Device

NEWS2_SCALE_2 = "NEWS2, SpO2 scale 2 for a target of 88 to 92%"
AGE_RATE = "Fox, Naughton, Haskell 1971: greatest heart rate about 220 less the age"
OWN = "our own limit"
UNKNOWN_AGE = (
    "No birthday is known, so the ranges are those of an adult: children have their own. "
    "Add it to the profile of the clinic app."
)

MINUTE = 60.0
HOUR = 3600.0
USUALLY_SLOW = 50.0
BELOW_USUAL = 10.0
RESTING_SECONDS = 600.0
"""As long somebody must have been still (Apple Watch tells of a fast heart after ten minutes without movement)."""


class Level(IntEnum):
    NOTICE = 1
    """Shown in the report; nobody is disturbed."""
    WARNING = 2
    """A soft SOS: see to it today."""
    URGENT = 3
    """A soft SOS that asks whether help is needed now."""


@dataclass(frozen=True)
class RangeRule:
    """An abnormal range of a kind.

    Args:
        limit: the value counts from here on; above: upwards, else downwards.
        clear: what is on the good side of this ends it; between the two it stays as it was.
        hold: seconds that it must last; stale: seconds without a reading that end it.
        at_rest: counts only when the person has been still. says: what is told of it.
    """

    name: str
    kind: Vital
    above: bool
    limit: float
    clear: float
    level: Level
    hold: float
    stale: float
    source: str
    says: str
    at_rest: bool = False

    @property
    def family(self) -> str:
        """Rules of one family are about the same trouble."""
        return f"{self.kind}:{'high' if self.above else 'low'}"


@dataclass(frozen=True)
class Person:
    """What the limits depend on.

    Args:
        age: in years, with the months as a fraction; None where unknown, and the limits are then those of an adult.
        usual_heart: the usual resting heart rate, None where unknown.
        oxygen_88_92: a clinician has set the target of blood oxygen to 88 to 92%.
    """

    age: float | None = None
    usual_heart: float | None = None
    oxygen_88_92: bool = False

    @property
    def child(self) -> AgeBand | None:
        """The age band of a child; None for an adult and where the age is not known."""
        if self.age is None:
            return None
        months = self.age * 12 + 1e-6
        return next((each for each in BANDS if each.first <= months < each.below), None)


@dataclass(frozen=True)
class AgeBand:
    """Children of an age: from `first` months of life on and before `below`, with the rules that count for them."""

    name: str
    first: int
    below: int
    rules: tuple[RangeRule, ...]


_TARGET = re.compile(r"\b88\s*(?:%|percent)?\s*(?:-|–|to|and)\s*92\b")


def told_target(conditions: Iterable[str]) -> bool:
    """Whether the person's conditions name an oxygen target of 88 to 92%; a lung disease alone does not set it."""
    return any(_TARGET.search(each.casefold()) for each in conditions)


def person_of(device: Device) -> Person:
    """The person of a phone; one of whom nothing is known where there is no clinic app."""
    profile: Mapping[str, Any] = device.fact("clinic", "profile") if "clinic" in device.apps else {}
    conditions = profile.get("conditions")
    texts = [str(each) for each in conditions] if isinstance(conditions, list | tuple) else [str(conditions or "")]
    return Person(age_of(profile.get("birthday"), device.now.date()), oxygen_88_92=told_target(texts))


def age_of(birthday: object, today: date) -> float | None:
    """Years since a birthday as profiles have it, in whole months of life; None where it is none."""
    try:
        born = datetime.fromisoformat(str(birthday)).date()
    except ValueError:
        return None
    months = 12 * (today.year - born.year) + today.month - born.month - (today.day < born.day)
    return months / 12 if 0 <= months < 130 * 12 else None


STALE: Mapping[Vital, float] = {
    Vital.HEART_RATE: 15 * MINUTE,
    Vital.OXYGEN: 2 * HOUR,
    Vital.RESPIRATORY_RATE: HOUR,
    Vital.TEMPERATURE: 8 * HOUR,
    Vital.SYSTOLIC: 24 * HOUR,
    Vital.DIASTOLIC: 24 * HOUR,
    Vital.GLUCOSE: 2 * HOUR,
}
"""Seconds after which a reading says nothing of now: our own limits, by how often each is measured."""


def _read() -> tuple[tuple[RangeRule, ...], tuple[AgeBand, ...]]:
    """The rules for adults, and the bands of children with theirs, as `thresholds.toml` has them."""
    told = tomllib.loads(files(__package__).joinpath("thresholds.toml").read_text(encoding="utf-8"))
    sources = told["source"]
    every = {each["name"]: _rule(each, each["source"].format(**sources)) for each in told["rule"]}
    for_children = {each["name"] for each in told["rule"] if each.get("children")}
    adults = tuple(rule for name, rule in every.items() if name not in for_children)
    bands = []
    for band in told["band"]:
        limits = band["limits"]
        own = {name: told["child_source"][name].format(**sources) for name in limits}
        rules = [
            _moved(rule, limits[name], own[name]) if name in limits else rule
            for name, rule in every.items()
            if name in limits or (name not in for_children and name not in band["without"])
        ]
        bands.append(AgeBand(band["name"], band["from"], band["below"], tuple(rules)))
    return adults, tuple(bands)


def _rule(told: Mapping[str, Any], source: str) -> RangeRule:
    limit, clear, kind = float(told["limit"]), float(told["clear"]), Vital(told["kind"])
    return RangeRule(
        told["name"],
        kind,
        limit > clear,
        limit,
        clear,
        Level[told["level"].upper()],
        told["minutes"] * MINUTE,
        STALE[kind],
        source,
        told["says"],
        told.get("at_rest", False),
    )


def _moved(rule: RangeRule, limit: float, source: str) -> RangeRule:
    """The rule with another limit, and over at the same distance from it."""
    return replace(rule, limit=float(limit), clear=round(limit + rule.clear - rule.limit, 1), source=source)


RULES, BANDS = _read()
"""For an adult of whom nothing is known; and for children by age."""


def rules_for(person: Person) -> tuple[RangeRule, ...]:
    """The rules for one person: a child's are those of the age."""
    band, found = person.child, []
    for rule in band.rules if band else RULES:
        if rule.kind is Vital.OXYGEN and person.oxygen_88_92:
            limit = 83.5 if rule.level is Level.URGENT else 85.5
            rule = replace(rule, limit=limit, clear=limit + 1.5, source=NEWS2_SCALE_2)
        elif rule.name == "slow_heart" and person.usual_heart is not None and person.usual_heart < USUALLY_SLOW:
            limit = min(rule.limit, person.usual_heart - BELOW_USUAL)
            rule = replace(rule, limit=limit, clear=limit + 4, source=f"{OWN}: ten below what is usual for you")
        found.append(rule)
    if band is None and person.age is not None and person.age < 120:
        most = 220.0 - int(person.age)
        says = "Your heart has been beating faster than is usual at your age even under strain"
        told = {"name": "strained_heart", "kind": Vital.HEART_RATE, "limit": most + 10, "clear": most, "says": says}
        found.append(_rule({**told, "level": "warning", "minutes": 5}, AGE_RATE))
    return tuple(found)

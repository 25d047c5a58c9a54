"""What is abnormal: limits, and how long they must be kept beyond, each with its source (see `docs/vitals.md`).

They tell when to look after somebody, never what is wrong: nothing here is a diagnosis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from camphor.health.monitor.vitals import Kind

NEWS2 = "NEWS2, Royal College of Physicians 2017"
NEWS2_SCALE_2 = "NEWS2, SpO2 scale 2 for a target of 88 to 92%"
OXIMETRY = "NHS England 2022, oximetry at home"
AHA = "American Heart Association 2017, above 180/120 twice in five minutes"
GLUCOSE_LOW = "ADA Standards of Care, levels 1 and 2; ATTD consensus 2017 for the time"
GLUCOSE_HIGH = "ATTD consensus 2017, level 2"
HEAT_STROKE = "Bouchama, Knochel 2002: heat stroke above 40 °C"
AGE_RATE = "Fox, Naughton, Haskell 1971: greatest heart rate about 220 less the age"
OWN = "our own limit"

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
class Rule:
    """An abnormal range of a kind.

    Args:
        limit: the value counts from here on; above: upwards, else downwards.
        clear: what is on the good side of this ends it; between the two it stays as it was.
        hold: seconds that it must last; stale: seconds without a reading that end it.
        at_rest: counts only when the person has been still. says: what is told of it.
    """

    name: str
    kind: Kind
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
        age: in years, None where unknown; usual_heart: the usual resting heart rate, None where unknown.
        oxygen_88_92: a clinician has set the target of blood oxygen to 88 to 92%.
    """

    age: int | None = None
    usual_heart: float | None = None
    oxygen_88_92: bool = False


_TARGET = re.compile(r"\b88\s*(?:%|percent)?\s*(?:-|–|to|and)\s*92\b")


def told_target(conditions: Iterable[str]) -> bool:
    """Whether the person's conditions name an oxygen target of 88 to 92%; a lung disease alone does not set it."""
    return any(_TARGET.search(each.casefold()) for each in conditions)


def _rule(
    name: str,
    kind: Kind,
    limit: float,
    clear: float,
    level: Level,
    hold: float,
    source: str,
    says: str,
    at_rest: bool = False,
) -> Rule:
    return Rule(name, kind, limit > clear, limit, clear, level, hold, STALE[kind], source, says, at_rest)


STALE: Mapping[Kind, float] = {
    Kind.HEART_RATE: 15 * MINUTE,
    Kind.OXYGEN: 2 * HOUR,
    Kind.RESPIRATORY_RATE: HOUR,
    Kind.TEMPERATURE: 8 * HOUR,
    Kind.SYSTOLIC: 24 * HOUR,
    Kind.DIASTOLIC: 24 * HOUR,
    Kind.GLUCOSE: 2 * HOUR,
}
"""Seconds after which a reading says nothing of now: our own limits, by how often each is measured."""
_HR, _O2, _RR, _T = Kind.HEART_RATE, Kind.OXYGEN, Kind.RESPIRATORY_RATE, Kind.TEMPERATURE
_SYS, _DIA, _GLU = Kind.SYSTOLIC, Kind.DIASTOLIC, Kind.GLUCOSE
_URGENT, _WARNING = Level.URGENT, Level.WARNING
_FAST_HEART = "Your heart has been beating fast while you were still"
_LOW_OXYGEN = "Your blood oxygen has been low"
_FAST_BREATH = "You have been breathing fast while you were still"
_HIGH_PRESSURE = "Your blood pressure has been very high"
_LOW_PRESSURE = "Your blood pressure has been low"
_LOW_SUGAR = "Your glucose has been low"

RULES: tuple[Rule, ...] = (
    _rule("fast_heart_urgent", _HR, 131, 121, _URGENT, 5 * MINUTE, NEWS2, _FAST_HEART, at_rest=True),
    _rule("fast_heart", _HR, 111, 105, _WARNING, 10 * MINUTE, NEWS2, _FAST_HEART, at_rest=True),
    _rule("slow_heart", _HR, 40, 44, _URGENT, 10 * MINUTE, NEWS2, "Your heart has been beating slowly"),
    _rule("low_oxygen_urgent", _O2, 92.4, 93.4, _URGENT, 2 * MINUTE, f"{OXIMETRY}; {NEWS2}", _LOW_OXYGEN),
    _rule("low_oxygen", _O2, 93.4, 94.4, _WARNING, 5 * MINUTE, f"{OXIMETRY}; {NEWS2}", _LOW_OXYGEN),
    _rule("fast_breathing_urgent", _RR, 25, 22, _URGENT, 5 * MINUTE, NEWS2, _FAST_BREATH, at_rest=True),
    _rule("fast_breathing", _RR, 21, 20, _WARNING, 15 * MINUTE, NEWS2, _FAST_BREATH, at_rest=True),
    _rule("slow_breathing", _RR, 8, 10, _URGENT, 5 * MINUTE, NEWS2, "You have been breathing slowly"),
    _rule("heat", _T, 40.1, 39.5, _URGENT, 5 * MINUTE, HEAT_STROKE, "Your temperature has been very high"),
    _rule("fever", _T, 39.1, 38.5, _WARNING, 5 * MINUTE, NEWS2, "Your temperature has been high"),
    _rule("cold", _T, 35.0, 35.5, _URGENT, 5 * MINUTE, NEWS2, "Your temperature has been low"),
    _rule("very_high_upper", _SYS, 181, 170, _URGENT, 5 * MINUTE, f"{AHA}; {NEWS2} from 220", _HIGH_PRESSURE),
    _rule("very_high_lower", _DIA, 121, 110, _URGENT, 5 * MINUTE, AHA, _HIGH_PRESSURE),
    _rule("low_upper_urgent", _SYS, 90, 95, _URGENT, 5 * MINUTE, NEWS2, _LOW_PRESSURE),
    _rule("low_upper", _SYS, 100, 105, _WARNING, 15 * MINUTE, NEWS2, _LOW_PRESSURE),
    _rule("low_glucose_urgent", _GLU, 53.9, 70, _URGENT, 15 * MINUTE, GLUCOSE_LOW, _LOW_SUGAR),
    _rule("low_glucose", _GLU, 69.9, 75, _WARNING, 15 * MINUTE, GLUCOSE_LOW, _LOW_SUGAR),
    _rule("high_glucose", _GLU, 250.1, 240, _WARNING, 15 * MINUTE, GLUCOSE_HIGH, "Your glucose has been high"),
)
"""For an adult of whom nothing is known. Whole numbers of the sources stand between two where values have decimals."""


def rules_for(person: Person) -> tuple[Rule, ...]:
    """The rules for one person."""
    found = []
    for rule in RULES:
        if rule.kind is Kind.OXYGEN and person.oxygen_88_92:
            limit = 83.5 if rule.level is Level.URGENT else 85.5
            rule = replace(rule, limit=limit, clear=limit + 1.5, source=NEWS2_SCALE_2)
        elif rule.name == "slow_heart" and person.usual_heart is not None and person.usual_heart < USUALLY_SLOW:
            limit = min(rule.limit, person.usual_heart - BELOW_USUAL)
            rule = replace(rule, limit=limit, clear=limit + 4, source=f"{OWN}: ten below what is usual for you")
        found.append(rule)
    if person.age is not None and 0 < person.age < 120:
        most = 220.0 - person.age
        says = "Your heart has been beating faster than is usual at your age even under strain"
        found.append(_rule("strained_heart", _HR, most + 10, most, _WARNING, 5 * MINUTE, AGE_RATE, says))
    return tuple(found)

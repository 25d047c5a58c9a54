"""Children have ranges of their own: what is healthy at their age alarms nobody, and what is not is told."""

from __future__ import annotations

from datetime import date

import pytest

from camphor.health.monitor.detect import detect, judged
from camphor.health.monitor.thresholds import BANDS, RULES, Level, Person, age_of, rules_for
from camphor.health.monitor.vitals import Series, Vital
from tests.doubles.vitals import steady

HEALTHY = {
    # age in years: median heart rate and breathing rate of Fleming and others 2011
    0.1: (143, 43), 0.4: (140, 41), 0.8: (134, 39), 1.2: (123, 35), 1.8: (116, 31), 2.5: (110, 28), 3.5: (104, 25),
    5.0: (98, 23), 7.0: (91, 21), 10.0: (84, 19), 13.0: (78, 18), 15.5: (73, 16),
}  # fmt: skip


def found(age: float | None, *parts: Series) -> list[str]:
    columns = judged({part.kind: part for part in parts})
    return [each.rule.name for each in detect(columns, rules_for(Person(age)))]


def test_a_healthy_toddler_raises_no_alarm_and_an_adult_with_the_same_pulse_does() -> None:
    pulse = steady(Vital.HEART_RATE, 125, 40)
    assert found(1.5, pulse) == []
    assert found(2.9, pulse) == []
    assert found(40, pulse) == found(None, pulse) == ["fast_heart"]


@pytest.mark.parametrize("age", HEALTHY)
def test_the_median_child_raises_no_alarm_at_any_age(age: float) -> None:
    heart, breathing = HEALTHY[age]
    assert found(age, steady(Vital.HEART_RATE, heart, 60), steady(Vital.RESPIRATORY_RATE, breathing, 60)) == []
    assert found(age, steady(Vital.TEMPERATURE, 36.8, 60, every=60)) == []
    upper = 75 if age < 1 else 90 + 2 * age
    assert found(age, steady(Vital.SYSTOLIC, min(upper, 115), 60, every=300)) == []


@pytest.mark.parametrize(
    ("age", "kind", "value", "name"),
    [
        (1.5, Vital.HEART_RATE, 160, "fast_heart"),
        (1.5, Vital.HEART_RATE, 180, "fast_heart_urgent"),
        (1.5, Vital.HEART_RATE, 55, "slow_heart"),
        (4.0, Vital.RESPIRATORY_RATE, 45, "fast_breathing_urgent"),
        (0.1, Vital.RESPIRATORY_RATE, 10, "slow_breathing"),
        (0.1, Vital.TEMPERATURE, 38.6, "infant_fever"),
        (0.3, Vital.TEMPERATURE, 39.0, "fever"),
        (4.0, Vital.TEMPERATURE, 35.8, "cold"),
        (2.0, Vital.SYSTOLIC, 68, "low_upper_urgent"),
        (9.0, Vital.SYSTOLIC, 145, "high_upper"),
        (2.0, Vital.OXYGEN, 91, "low_oxygen_urgent"),
    ],
)
def test_a_child_that_is_not_well_is_told(age: float, kind: Vital, value: float, name: str) -> None:
    every = 300 if kind is Vital.SYSTOLIC else 15
    assert found(age, steady(kind, value, 40, every=every)) == [name]


def test_the_fever_of_a_baby_of_five_weeks_is_urgent() -> None:
    (rule,) = [each for each in rules_for(Person(5 / 52)) if each.name == "infant_fever"]
    assert rule.level is Level.URGENT
    assert rule.limit <= 38.6


def test_bands_follow_each_other_without_a_gap_and_grown_ups_have_the_rules_of_adults() -> None:
    assert BANDS[0].first == 0
    assert [each.below for each in BANDS[:-1]] == [each.first for each in BANDS[1:]]
    assert Person(15.99).child is BANDS[-1]
    assert Person(16).child is None
    assert [each.name for each in rules_for(Person(16))] == [*(each.name for each in RULES), "strained_heart"]


@pytest.mark.parametrize("name", ["fast_heart", "fast_heart_urgent", "fast_breathing_urgent"])
def test_limits_of_heart_and_breathing_only_fall_as_a_child_grows(name: str) -> None:
    limits = [next(rule.limit for rule in band.rules if rule.name == name) for band in BANDS]
    assert limits == sorted(limits, reverse=True)


def test_age_is_told_in_whole_months() -> None:
    assert age_of("2026-02-10", date(2026, 5, 9)) == 2 / 12
    assert age_of("2026-02-10", date(2026, 5, 10)) == 3 / 12
    assert age_of("1984-09-30", date(2026, 9, 30)) == 42
    assert age_of("2030-01-01", date(2026, 1, 1)) is None
    assert age_of("soon", date(2026, 1, 1)) is None

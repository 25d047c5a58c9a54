"""Impossible, suspicious and missing readings, told apart from dangerous ones."""

from __future__ import annotations

import numpy as np
import pytest

from camphor.health.monitor.detect import judged
from camphor.health.monitor.plausible import LIMITS, Quality, faults, judge, judge_pressure
from camphor.health.monitor.thresholds import RULES
from camphor.health.monitor.vitals import Vital, series
from tests.doubles.vitals import NOON, join, steady


@pytest.mark.parametrize("kind", list(Vital))
def test_limits_are_in_order_and_name_their_sources(kind: Vital) -> None:
    limits = LIMITS[kind]
    assert limits.least.value <= limits.low.value < limits.high.value <= limits.most.value
    assert all(each.source for each in (limits.least, limits.low, limits.high, limits.most))


def test_no_dangerous_value_is_impossible() -> None:
    for rule in RULES:
        limits = LIMITS[rule.kind]
        assert limits.least.value < rule.limit < limits.most.value
        assert limits.low.value < rule.limit < limits.high.value


@pytest.mark.parametrize(
    ("kind", "value", "quality"),
    [
        (Vital.HEART_RATE, 0, Quality.IMPOSSIBLE),
        (Vital.HEART_RATE, 22, Quality.SUSPICIOUS),
        (Vital.HEART_RATE, 38, Quality.PLAUSIBLE),
        (Vital.HEART_RATE, 185, Quality.PLAUSIBLE),
        (Vital.HEART_RATE, 235, Quality.SUSPICIOUS),
        (Vital.HEART_RATE, 65_535, Quality.IMPOSSIBLE),
        (Vital.HEART_RATE, -60, Quality.IMPOSSIBLE),
        (Vital.HEART_RATE, np.inf, Quality.IMPOSSIBLE),
        (Vital.HEART_RATE, np.nan, Quality.MISSING),
        (Vital.OXYGEN, 100.5, Quality.IMPOSSIBLE),
        (Vital.OXYGEN, 62, Quality.SUSPICIOUS),
        (Vital.OXYGEN, 0.97, Quality.IMPOSSIBLE),
        (Vital.TEMPERATURE, 97.7, Quality.IMPOSSIBLE),
        (Vital.TEMPERATURE, 30.5, Quality.SUSPICIOUS),
        (Vital.TEMPERATURE, 40.2, Quality.PLAUSIBLE),
        (Vital.GLUCOSE, 47, Quality.PLAUSIBLE),
        (Vital.STEPS, -3, Quality.IMPOSSIBLE),
    ],
)
def test_what_a_single_value_can_be(kind: Vital, value: float, quality: Quality) -> None:
    found = judge(series(kind, [NOON], [value]))
    assert found.quality.tolist() == [quality]
    assert found.usable.tolist() == [quality <= Quality.SUSPICIOUS]


def test_a_reading_from_the_future_or_from_long_ago_counts_for_nothing() -> None:
    found = judge(series(Vital.HEART_RATE, [1e6, NOON, NOON + 100, NOON + 7200], [60, 61, 62, 63]), now=NOON)
    assert found.usable.tolist() == [False, True, True, False]
    assert found.timeless.sum() == 2
    assert "set the clock of the watch" in faults({Vital.HEART_RATE: found})[0].says


def test_one_reading_far_off_its_neighbours_counts_for_nothing_but_a_new_level_does() -> None:
    spike = join(steady(Vital.HEART_RATE, 70, 1), series(Vital.HEART_RATE, [NOON + 30.5], [150]))
    found = judge(spike)
    assert found.lone.sum() == 1
    assert not found.usable[found.lone].any()
    fast = join(steady(Vital.HEART_RATE, 70, 1), steady(Vital.HEART_RATE, 160, 1, NOON + 60))
    assert judge(fast).usable.all()


def test_a_heart_rate_that_never_changes_is_told_as_a_stuck_watch() -> None:
    found = judge(steady(Vital.HEART_RATE, 72, 40))
    assert found.stuck.all()
    assert "over and over" in faults({Vital.HEART_RATE: found})[0].says
    assert not judge(steady(Vital.HEART_RATE, 72, 40, noise=0.4)).stuck.any()


def test_a_lower_pressure_above_the_upper_makes_both_impossible() -> None:
    at = [NOON, NOON + 600]
    upper, lower = judge_pressure(
        judge(series(Vital.SYSTOLIC, at, [80, 120])), judge(series(Vital.DIASTOLIC, at, [120, 80]))
    )
    assert upper.quality.tolist() == lower.quality.tolist() == [Quality.IMPOSSIBLE, Quality.PLAUSIBLE]
    assert lower.usable.tolist() == [False, True]


def test_faults_say_what_was_read_and_what_to_do() -> None:
    values = np.where(np.arange(600) % 3 == 0, 0, 70).astype(float)
    found = faults(judged({Vital.HEART_RATE: series(Vital.HEART_RATE, NOON + np.arange(600), values)}))
    assert [each.name for each in found] == ["impossible"]
    assert found[0].says == (
        "200 readings of your heart rate cannot be true (0) and count for nothing; see how the watch sits on your wrist"
    )


def test_missing_readings_and_a_silent_watch_are_told_as_that() -> None:
    values = np.full(1200, np.nan)
    values[:100] = 64
    column = judge(series(Vital.HEART_RATE, NOON + np.arange(1200), values))
    found = faults({Vital.HEART_RATE: column}, now=NOON + 4000)
    assert {each.name for each in found} == {"missing", "silent"}
    assert not faults({Vital.HEART_RATE: judge(steady(Vital.HEART_RATE, 64, 5, noise=1))}, now=NOON + 400)


def test_no_readings_at_all_are_nothing() -> None:
    assert judge(series(Vital.HEART_RATE, [], [])).count(Quality.PLAUSIBLE) == 0
    assert faults({Vital.HEART_RATE: judge(series(Vital.HEART_RATE, [], []))}, now=NOON) == []

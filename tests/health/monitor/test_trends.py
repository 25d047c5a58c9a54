"""What is usual, and what changes over days and weeks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from camphor.health.monitor.baseline import LEAST_DAYS, baseline, of_day, sen, trends, usual
from camphor.health.monitor.vitals import Vital, series
from camphor.health.monitor.watch import EVERY, Watch, Wearer
from tests.doubles.vitals import NOON, ZONE, monitor

TODAY = date(2026, 3, 12)


def days(values: list[float]) -> dict[date, float]:
    """The last of the values is today's."""
    return {TODAY - timedelta(days=number): value for number, value in enumerate(reversed(values))}


def names(kind: Vital, values: list[float]) -> list[str]:
    return [each.name for each in trends({kind: days(values)}, TODAY)]


def test_what_is_usual_is_not_moved_by_some_odd_days() -> None:
    found = baseline(Vital.HEART_RATE, [58, 60, 61, 59, 60, 62, 60, 150, 20])
    assert found is not None
    assert (found.median, found.days) == (60, 9)
    assert found.spread < 3
    assert baseline(Vital.HEART_RATE, [60] * (LEAST_DAYS - 1)) is None
    assert baseline(Vital.HEART_RATE, [60] * LEAST_DAYS).spread == 1  # type: ignore[union-attr]


def test_days_after_and_long_before_do_not_count_as_usual() -> None:
    values = {TODAY + timedelta(days=number): 90.0 for number in range(10)}
    values |= {TODAY - timedelta(days=number): 60.0 for number in range(1, 9)}
    values |= {TODAY - timedelta(days=number): 10.0 for number in range(40, 90)}
    found = usual(Vital.HEART_RATE, values, TODAY)
    assert found is not None
    assert (found.median, found.days) == (60, 8)


def test_a_resting_heart_rate_four_above_the_usual_for_two_nights_is_told() -> None:
    quiet = [60.0, 61, 59, 60, 60, 61, 60, 59, 60, 60]
    (trend,) = trends({Vital.HEART_RATE: days([*quiet, 64, 65])}, TODAY)
    assert trend.says == "Your heart rate at night has been 64 bpm for two days, above your usual 60 bpm"
    assert "NightSignal" in trend.source
    assert names(Vital.HEART_RATE, [*quiet, 60, 66]) == []
    assert names(Vital.HEART_RATE, [*quiet[:3], 66, 66]) == []


def test_breathing_and_variability_far_off_the_usual_are_told() -> None:
    assert names(Vital.RESPIRATORY_RATE, [14.0, 14.2, 13.9, 14.1, 14, 14, 14.1, 17, 17.2]) == ["unusual"]
    assert names(Vital.HRV, [50.0, 52, 47, 51, 49, 50, 53, 22, 21]) == ["unusual"]
    assert names(Vital.HRV, [50.0, 52, 47, 51, 49, 50, 53, 88, 90]) == []


def test_averages_of_a_week_are_held_against_published_limits() -> None:
    assert names(Vital.SYSTOLIC, [138.0] * 5) == ["average"]
    assert names(Vital.SYSTOLIC, [134.0] * 5) == []
    assert names(Vital.SYSTOLIC, [150.0] * 3) == []
    (sleep,) = trends({Vital.SLEEP_LIGHT: days([350.0] * 7)}, TODAY)
    assert sleep.says == "Your sleep was 5 h 50 min on average over a week; 7 h 00 min or more is advised"
    assert names(Vital.SLEEP_LIGHT, [431.0] * 7) == []


def test_a_steady_rise_over_weeks_is_found_and_noise_is_not() -> None:
    chance = np.random.default_rng(3)
    noise = chance.normal(0, 1.5, 50)
    (rise,) = trends({Vital.SYSTOLIC: days((118 + 0.25 * np.arange(50) + noise).tolist())}, TODAY)
    assert rise.name == "slope"
    assert 9 < rise.value - rise.usual < 15
    assert "risen by about" in rise.says
    false = sum(bool(names(Vital.SYSTOLIC, (118 + chance.normal(0, 5, 50)).tolist())) for _ in range(100))
    assert false <= 3


def test_the_slope_of_a_line_is_its_own_and_of_ties_nothing() -> None:
    slope, chance = sen(np.arange(30.0), 2 * np.arange(30.0))
    assert slope == pytest.approx(2)
    assert chance < 1e-6
    assert sen(np.arange(30.0), np.full(30, 5.0)) == (0.0, 1.0)
    with pytest.raises(ValueError, match="three"):
        sen(np.arange(2.0), np.arange(2.0))


def test_steps_of_a_phone_and_a_watch_are_not_added_up() -> None:
    phone = monitor()
    for source, count in (("phone", 4000), ("watch", 5000)):
        phone.take({Vital.STEPS: series(Vital.STEPS, [NOON, NOON + 60], [count, 500])}, source, NOON + 60)
    assert of_day(phone.store, Vital.STEPS, TODAY, ZONE) == 5500


def test_an_illness_on_a_simulated_watch_shows_in_the_nights() -> None:
    phone, first = monitor(), TODAY - timedelta(days=11)
    well = Wearer(workout=False)
    every = {**EVERY, Vital.HEART_RATE: 60}
    ill = replace(well, resting=72, temperature=37.6)
    for number in range(12):
        worn = Watch(ill if number >= 10 else well, ZONE, 4, every=every)
        columns = worn.day(first + timedelta(days=number))
        phone.take(columns, "watch", NOON + 86_400 * (number - 10), past=True)
    found = {each.kind: each for each in phone.check(TODAY, TODAY).trends}
    assert found[Vital.HEART_RATE].name == "unusual"
    assert found[Vital.TEMPERATURE].value > found[Vital.TEMPERATURE].usual + 0.7
    assert phone.check(TODAY - timedelta(days=3), TODAY - timedelta(days=3)).trends == ()

"""The simulated watch: days like a healthy person's, and scripted scenes."""

from __future__ import annotations

from datetime import date, time

import numpy as np
import pytest

from camphor.health.monitor.detect import detect, judged
from camphor.health.monitor.plausible import Quality
from camphor.health.monitor.thresholds import RULES
from camphor.health.monitor.vitals import ASLEEP, Vital
from camphor.health.monitor.watch import FAULTS, Watch, WatchScene, Wearer, chunks
from tests.doubles.vitals import ZONE

DAY = date(2026, 3, 12)


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_healthy_day_is_plausible_and_alarms_nobody(seed: int) -> None:
    columns = judged(Watch(Wearer(glucose=True), ZONE, seed).day(DAY))
    assert set(columns) == set(Vital) - {Vital.EXERCISE, Vital.WEIGHT}
    assert all(column.count(Quality.PLAUSIBLE) == len(column.series) for column in columns.values())
    assert detect(columns, RULES) == []


def test_the_curves_are_those_of_a_day() -> None:
    found = Watch(Wearer(), ZONE, 2).day(DAY)
    heart = found[Vital.HEART_RATE].value
    assert len(heart) == 86_400
    assert heart[3 * 3600 : 5 * 3600].mean() < 60 < heart[10 * 3600 : 18 * 3600].mean() < 95
    assert heart.max() > 140
    warm = found[Vital.TEMPERATURE]
    assert 0.2 < warm.value[190:220].mean() - warm.value[48:72].mean() < 0.9
    assert 6_000 < found[Vital.STEPS].value.sum() < 30_000
    asleep = sum(found[kind].value.sum() for kind in ASLEEP)
    assert 6 * 60 < asleep < 9 * 60
    assert Vital.GLUCOSE not in found


def test_one_seed_is_one_day() -> None:
    one, same, other = (Watch(Wearer(), ZONE, seed).day(DAY)[Vital.HEART_RATE].value for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_days_of_a_changed_clock_have_no_gap() -> None:
    spring = Watch(Wearer(), ZONE, 1).day(date(2026, 3, 29))[Vital.HEART_RATE]
    assert np.diff(spring.at).max() == 1


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_the_watch_change_its_readings(name: str) -> None:
    whole = Watch(Wearer(), ZONE, 1).day(DAY)[Vital.HEART_RATE]
    found = Watch(Wearer(), ZONE, 1, [WatchScene(name, time(12), 60)]).day(DAY)[Vital.HEART_RATE]
    assert len(found) != len(whole) or not np.array_equal(found.value, whole.value, equal_nan=True)


def test_readings_come_in_pieces_and_all_of_them() -> None:
    watch = Watch(Wearer(), ZONE, 1)
    parts = [part[Vital.HEART_RATE] for _, part in chunks(watch.day(DAY), 600)]
    assert sum(len(part) for part in parts) == 86_400
    assert list(chunks({}, 60)) == []


def test_an_unknown_scene_is_refused() -> None:
    with pytest.raises(ValueError, match="no scene 'earthquake': one of tachycardia"):
        Watch(scenes=[WatchScene("earthquake", time(12))]).day(DAY)

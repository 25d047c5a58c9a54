"""Readings on disk: each for some days, minutes for years."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.device.health.database import HealthDatabase
from camphor.device.health.vitals import AlarmRow, VitalsStore

HOUR = 3600.0
BEGIN = 1_773_273_600.0


def store(path: Path | None = None) -> VitalsStore:
    return VitalsStore(HealthDatabase(path))


def add(vitals: VitalsStore, at: object, value: object, source: str = "watch", quality: int = 0) -> int:
    times = np.asarray(at, np.float64)
    return vitals.add("heart_rate", source, times, value, np.full(len(times), quality))  # type: ignore[arg-type]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20_000), st.integers(30, 220)), min_size=1, max_size=60), st.integers(0, 60))
def test_readings_come_back_in_order_however_they_were_given(pairs: list[tuple[int, int]], split: int) -> None:
    vitals, last = store(), dict(pairs)
    at, value = [BEGIN + each for each, _ in pairs], [float(each) for _, each in pairs]
    new = sum(add(vitals, at[part], value[part]) for part in (slice(0, split), slice(split, None)))
    found = vitals.readings("heart_rate", 0, 1e12)
    assert new == len(last)
    assert found.at.tolist() == sorted(BEGIN + each for each in last)
    assert found.value.tolist() == [float(last[int(each - BEGIN)]) for each in found.at.tolist()]


def test_what_is_read_twice_changes_nothing() -> None:
    vitals, at, value = store(), BEGIN + np.arange(5000), 60 + np.arange(5000) % 20
    assert add(vitals, at, value) == 5000
    minutes = vitals.minutes("heart_rate", 0, 1e12)
    assert add(vitals, at, value) == 0
    again = vitals.minutes("heart_rate", 0, 1e12)
    assert minutes.mean.tolist() == again.mean.tolist()
    assert again.count.sum() == 5000


def test_minutes_are_made_of_usable_readings_alone() -> None:
    vitals = store()
    vitals.add("heart_rate", "watch", BEGIN + np.arange(4), [60, 80, 0, np.nan], [0, 1, 2, 3])
    found = vitals.minutes("heart_rate", BEGIN, BEGIN + 60)
    assert (found.mean.tolist(), found.least.tolist(), found.most.tolist(), found.count.tolist()) == (
        [70],
        [60],
        [80],
        [2],
    )
    assert vitals.readings("heart_rate", BEGIN, BEGIN + 60).quality.tolist() == [0, 1, 2]


def test_old_readings_are_thinned_to_minutes_which_later_ones_add_to() -> None:
    vitals = store()
    add(vitals, BEGIN + np.arange(0, HOUR, 10), np.full(360, 70))
    assert vitals.thin(BEGIN + 3 * 86_400, days=2) == 1
    assert len(vitals.readings("heart_rate", 0, 1e12).at) == 0
    assert len(vitals.minutes("heart_rate", 0, 1e12).at) == 60
    add(vitals, [BEGIN + 30.0], [90.0])
    found = vitals.minutes("heart_rate", 0, 1e12)
    assert len(found.at) == 60
    assert found.mean.tolist()[:2] == [90, 70]


def test_sources_are_told_apart_and_read_together() -> None:
    vitals = store()
    add(vitals, [BEGIN], [60], "watch")
    add(vitals, [BEGIN + 1], [62], "ring")
    assert vitals.sources("heart_rate", BEGIN, BEGIN + 9) == ["ring", "watch"]
    assert vitals.readings("heart_rate", BEGIN, BEGIN + 9).value.tolist() == [60, 62]
    assert vitals.readings("heart_rate", BEGIN, BEGIN + 9, "ring").value.tolist() == [62]
    assert vitals.kinds() == ["heart_rate"]
    assert vitals.latest(BEGIN + 60)["heart_rate"][0] == BEGIN


def test_times_and_spans() -> None:
    vitals = store()
    assert vitals.span() is None
    assert vitals.latest(1e12) == {}
    add(vitals, [BEGIN + 1800, BEGIN + 9000], [60, 61])
    assert vitals.span() == (BEGIN, BEGIN + 3 * HOUR)
    assert vitals.readings("heart_rate", BEGIN + 1800, BEGIN + 9000).value.tolist() == [60]


def test_readings_and_alarms_outlast_a_restart_and_are_forgotten_for_good(tmp_path: Path) -> None:
    path = tmp_path / "phone.camphor.health"
    with HealthDatabase(path) as database:
        vitals = VitalsStore(database)
        add(vitals, [BEGIN], [61])
        number = vitals.save_alarm(AlarmRow(BEGIN, BEGIN + 60, None, 3, {"signs": []}))
        assert vitals.save_alarm(AlarmRow(BEGIN, BEGIN + 90, BEGIN + 90, 3, {"signs": ["x"]}, number)) == number
    with HealthDatabase(path) as database:
        vitals = VitalsStore(database)
        assert vitals.readings("heart_rate", 0, 1e12).value.tolist() == [61]
        (alarm,) = vitals.alarms(BEGIN, BEGIN + 1)
        assert (alarm.id, alarm.ended, alarm.body) == (number, BEGIN + 90, {"signs": ["x"]})
        assert vitals.alarms(BEGIN + 91, 1e12) == []
        vitals.forget()
        assert vitals.kinds() == []
        assert vitals.alarms(0, 1e12) == []


def test_an_interrupted_addition_leaves_nothing(tmp_path: Path) -> None:
    database = HealthDatabase(tmp_path / "phone.camphor.health")
    vitals = VitalsStore(database)
    add(vitals, [BEGIN], [60])

    def cut_off() -> None:
        with database.transaction():
            add(vitals, [BEGIN + 1, BEGIN + 9 * HOUR], [61, 62])
            raise RuntimeError("power")

    with pytest.raises(RuntimeError, match="power"):
        cut_off()
    assert vitals.readings("heart_rate", 0, 1e12).value.tolist() == [60]
    database.close()

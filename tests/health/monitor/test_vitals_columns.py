"""Columns of readings: order, doubles, local time; the page on vitals tells the limits that the code has."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.health.monitor.plausible import LIMITS
from camphor.health.monitor.thresholds import BANDS, RULES
from camphor.health.monitor.vitals import MEASURES, Vital, epoch, local, series
from tests.doubles.vitals import ZONE

ROOT = Path(__file__).parents[3]


@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 300)), max_size=40))
def test_a_column_is_in_the_order_of_time_with_one_reading_a_moment(pairs: list[tuple[float, float]]) -> None:
    column = series(Vital.HEART_RATE, [at for at, _ in pairs], [value for _, value in pairs])
    assert (np.diff(column.at) > 0).all()
    assert set(column.at.tolist()) == {at for at, _ in pairs}
    last = dict(pairs)
    assert column.value.tolist() == [last[at] for at in column.at.tolist()]


def test_readings_without_a_time_are_left_out_and_counts_must_agree() -> None:
    assert series(Vital.HEART_RATE, [np.nan, 2.0, np.inf], [60, 61, 62]).value.tolist() == [61]
    with pytest.raises(ValueError, match="2 times for 1 values"):
        series(Vital.HEART_RATE, [1, 2], [60])


def test_local_times_are_those_of_the_zone_also_when_the_clock_is_put_forward() -> None:
    winter, summer = datetime(2026, 3, 29, 0, 30), datetime(2026, 3, 29, 2, 30)
    assert epoch(summer, ZONE) - epoch(winter, ZONE) == 3600  # from 01:00 the clock goes to 02:00
    for moment in (winter, summer, datetime(2026, 7, 1, 12)):
        assert local(epoch(moment, ZONE), ZONE) == moment
    assert epoch(datetime(2026, 1, 1, tzinfo=UTC), tz.gettz("Asia/Tokyo")) == 1_767_225_600


def test_a_value_is_told_with_its_unit() -> None:
    assert MEASURES[Vital.TEMPERATURE].told(36.66) == "36.7 °C"
    assert MEASURES[Vital.OXYGEN].told(97) == "97%"
    assert MEASURES[Vital.STEPS].told(12_345) == "12,345"
    assert set(MEASURES) == set(Vital)


def test_every_rule_stands_in_the_page_with_its_limit_time_level_and_source() -> None:
    rows = (ROOT / "docs" / "vitals.md").read_text(encoding="utf-8").splitlines()
    for rule in RULES:
        (row,) = [each for each in rows if each.startswith(f"| `{rule.name}` |")]
        assert f"| {rule.limit:g} {MEASURES[rule.kind].unit} or {'more' if rule.above else 'less'} |" in row
        assert f"| {rule.clear:g} | {rule.hold / 60:g} minutes |" in row
        assert f"| {rule.level.name.lower()} | {rule.source} |" in row


def test_the_limits_of_children_stand_in_the_page_by_age() -> None:
    rows = (ROOT / "docs" / "vitals.md").read_text(encoding="utf-8").splitlines()
    adults = {rule.name: rule for rule in RULES}
    names = [each.strip(" `") for each in next(row for row in rows if row.startswith("| age | ")).split("|")[2:-1]]
    for band in BANDS:
        (row,) = [each for each in rows if each.startswith(f"| {band.name} |")]
        told = {rule.name: f"{rule.limit:g}" for rule in band.rules}
        assert [each.strip() for each in row.split("|")[2:-1]] == [told.get(name, "") for name in names], band.name
        own = {rule.name for rule in band.rules if rule.limit != getattr(adults.get(rule.name), "limit", None)}
        assert own <= set(names)
        assert all(any(rule.source in each for each in rows) for rule in band.rules)


def test_every_limit_of_what_can_be_true_stands_in_the_page() -> None:
    rows = (ROOT / "docs" / "vitals.md").read_text(encoding="utf-8").splitlines()
    for kind, limits in LIMITS.items():
        four = (limits.least, limits.low, limits.high, limits.most)
        start = f"| {MEASURES[kind].name}, {MEASURES[kind].unit or 'count'} | "
        (row,) = [each for each in rows if each.startswith(start)]
        assert row.startswith(start + " | ".join(f"{each.value:g}" for each in four))
        assert all(each.source in row for each in four)


def test_a_day_at_one_reading_a_second_was_checked_in_under_a_second() -> None:
    result = json.loads((ROOT / "results" / "health-monitor.json").read_text(encoding="utf-8"))
    day = result["a day of a watch"]
    assert day["heart_rate_readings"] > 80_000
    assert {"low_oxygen_urgent", "fast_heart_urgent"} <= set(day["episodes"])
    assert day["faults"] > 0
    assert day["check"]["max_s"] < 1
    assert result["every kind each second"]["check"]["p50_cpu_s"] < 1
    assert result["command"].startswith("python benchmarks/health_monitor.py")

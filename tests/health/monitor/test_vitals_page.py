"""The page on vitals tells the limits and sources that the code has, and the benchmark its aim."""

from __future__ import annotations

import json
from pathlib import Path

from camphor.health.monitor.plausible import LIMITS
from camphor.health.monitor.thresholds import BANDS, RULES
from camphor.health.monitor.vitals import MEASURES

ROOT = Path(__file__).parents[3]


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

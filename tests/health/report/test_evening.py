"""The report of each evening: told once, also after a restart, and made up for the next day."""

from __future__ import annotations

from datetime import date, time

from camphor.device.health.database import HealthDatabase
from camphor.errors import StoreError
from camphor.health.monitor.vitals import Vital
from camphor.health.report.day import DayReport, Reports
from camphor.service.care import Evening
from tests.doubles.reports import DAY, heart, phone, reports, take


def evening(now: str, base: HealthDatabase, at: time = time(20, 30)) -> tuple[Evening, list[str]]:
    told: list[str] = []
    return Evening(reports(now, base), told.append, at), told


def test_it_is_told_once_in_the_evening_and_kept() -> None:
    base = HealthDatabase(None)
    of = reports("2026-03-12T20:29:00", base)
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 20)})
    early, told = evening("2026-03-12T20:29:00", base)
    assert early() is None
    assert told == []
    due, told = evening("2026-03-12T20:30:00", base)
    assert due() is not None
    assert due() is None
    assert len(told) == 1
    assert told[0].startswith("Your health report of Thursday 12 March 2026. vitals: nothing beyond the ranges")
    restarted, told = evening("2026-03-12T21:00:00", base)
    assert restarted() is None
    assert told == []
    kept = of.days.get(DAY)
    assert kept is not None
    assert not kept.over


def test_an_evening_that_was_slept_through_is_made_up_for() -> None:
    base = HealthDatabase(None)
    of = reports("2026-03-12T20:00:00", base)
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 20)})
    morning, told = evening("2026-03-13T07:00:00", base)
    assert morning() is not None
    assert "Thursday 12 March" in told[0]
    kept = of.days.get(DAY)
    assert kept is not None
    assert kept.over


def test_a_day_without_anything_to_tell_is_not_told() -> None:
    told: list[str] = []
    quiet = Evening(Reports(phone(apps={}), HealthDatabase(None)), told.append, time(20, 30))
    assert quiet() is None
    assert told == []


class Broken(Reports):
    def of(self, day: date, again: bool = False) -> DayReport:
        raise StoreError("the disk is full")


def test_a_report_that_cannot_be_made_is_said_once_and_stops_nothing() -> None:
    told: list[str] = []
    broken = Evening(Broken(phone(), HealthDatabase(None)), told.append, time(20, 30))
    assert broken() is None
    assert broken() is None
    assert told == ["The report of Thursday 12 March 2026 could not be made: the disk is full"]

"""What is kept of days, in a real database."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from camphor.device.health.database import HealthDatabase
from camphor.device.health.days import KeptDay, KeptDays

DAY, NEXT = date(2026, 3, 12), date(2026, 3, 13)


def test_a_day_is_found_again_by_its_date(tmp_path: Path) -> None:
    path = tmp_path / "health"
    with HealthDatabase(path) as base:
        KeptDays(base).keep(KeptDay(DAY, 100.0, True, "a", {"steps": [1, 2]}), {"steps": 3.0, "hrv": 40.5})
        KeptDays(base).keep(KeptDay(NEXT, 200.0, False, "b", {}), {"steps": 4.0})
    with HealthDatabase(path) as base:
        days = KeptDays(base)
        assert days.get(DAY) == KeptDay(DAY, 100.0, True, "a", {"steps": [1, 2]})
        assert days.get(date(2026, 3, 14)) is None
        assert list(days.heads(DAY, NEXT)) == [DAY, NEXT]
        assert days.heads(NEXT, NEXT)[NEXT].over is False
        assert days.values(DAY, NEXT) == {"hrv": {DAY: 40.5}, "steps": {DAY: 3.0, NEXT: 4.0}}
        assert days.values(NEXT, NEXT) == {"steps": {NEXT: 4.0}}


def test_a_day_takes_the_place_of_what_was_kept_of_it() -> None:
    days = KeptDays(HealthDatabase(None))
    days.keep(KeptDay(DAY, 100.0, False, "a", {}), {"steps": 3.0, "hrv": 40.5})
    days.keep(KeptDay(DAY, 200.0, True, "b", {}), {"steps": 5.0})
    assert days.values(DAY, DAY) == {"steps": {DAY: 5.0}}
    kept = days.get(DAY)
    assert kept is not None
    assert kept.over


def test_a_figure_that_is_no_number_is_never_kept() -> None:
    days = KeptDays(HealthDatabase(None))
    with pytest.raises(ValueError, match="JSON"):
        days.keep(KeptDay(DAY, 1.0, True, "a", {"steps": float("nan")}), {})
    assert days.get(DAY) is None


def test_what_is_forgotten_is_gone() -> None:
    days = KeptDays(HealthDatabase(None))
    for day in (DAY, NEXT):
        days.keep(KeptDay(day, 1.0, True, "a", {}), {"steps": 1.0})
        days.note_told(day, 1.0)
    days.forget(DAY)
    assert list(days.heads(DAY, NEXT)) == [NEXT]
    assert days.values(DAY, NEXT) == {"steps": {NEXT: 1.0}}
    assert days.told(DAY)
    days.forget()
    assert days.heads(DAY, NEXT) == {}
    assert not days.told(NEXT)

"""When doses are due on the wall clock, the nights when the clocks change among them."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import Any

import pytest
from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.errors import UsageError
from camphor.health.scheduler.schedule import DayTimes, DosePlan, Due, dues, epoch, gap

DUBLIN = tz.gettz("Europe/Dublin")
START = datetime(2026, 3, 12, 8, 45)


def planned(plan: DosePlan, start: datetime = START, days: int = 40, zone: Any = DUBLIN) -> list[Due]:
    return dues(plan, start, start, start + timedelta(days=days), zone)


def walls(plan: DosePlan, **more: Any) -> list[str]:
    return [f"{due.wall:%d %H:%M}" for due in planned(plan, **more)]


def test_a_course_of_days_has_all_its_doses_wherever_in_the_day_it_begins() -> None:
    plan = DosePlan((time(8), time(20)), days=3)
    assert walls(plan) == ["12 20:00", "13 08:00", "13 20:00", "14 08:00", "14 20:00", "15 08:00"]
    assert len(planned(plan, start=datetime(2026, 3, 12, 8))) == 6


def test_days_weekdays_hours_and_single_doses() -> None:
    assert walls(DosePlan((time(8),), every_days=2), days=6) == ["13 08:00", "15 08:00", "17 08:00"]
    assert walls(DosePlan((time(8),), weekdays=(0,)), days=15) == ["16 08:00", "23 08:00"]
    assert walls(DosePlan(every_hours=36), days=4) == ["12 08:45", "13 20:45", "15 08:45"]
    assert walls(DosePlan(once=True)) == ["12 08:45"]
    assert walls(DosePlan(as_needed=True)) == []
    assert [due.amount for due in planned(DosePlan((time(9), time(13)), ("2 tablets", "1 tablet")), days=1)] == [
        "2 tablets",
        "1 tablet",
    ]


def test_a_time_that_the_spring_night_skips_comes_an_hour_later_and_only_once() -> None:
    found = planned(DosePlan((time(1, 30),)), start=datetime(2026, 3, 28, 12), days=3)
    assert [due.wall for due in found] == [datetime(2026, 3, day, 1, 30) for day in (29, 30, 31)]
    moments = [datetime.fromtimestamp(due.at, UTC) for due in found]
    assert [f"{each:%d %H:%M}" for each in moments] == ["29 01:30", "30 00:30", "31 00:30"]


def test_a_time_that_comes_twice_in_the_autumn_night_is_due_once() -> None:
    found = planned(DosePlan((time(1, 30), time(13, 30))), start=datetime(2026, 10, 24, 14), days=2)
    assert [f"{due.wall:%d %H:%M}" for due in found] == ["25 01:30", "25 13:30", "26 01:30", "26 13:30"]
    assert datetime.fromtimestamp(found[0].at, UTC).hour == 0  # the first of the two
    assert found[1].at - found[0].at == 13 * 3600


def test_elapsed_hours_stay_elapsed_over_a_change() -> None:
    found = planned(DosePlan(every_hours=5), start=datetime(2026, 3, 28, 20), days=1)
    assert {after.at - before.at for before, after in pairwise(found)} == {5 * 3600.0}
    assert f"{found[1].wall:%H:%M} {found[2].wall:%H:%M}" == "02:00 07:00"


def test_a_dose_counts_until_half_way_to_the_next_and_at_most_six_hours() -> None:
    often = planned(DosePlan((time(8), time(12), time(20))), days=1)
    assert [(due.until - due.at) / 3600 for due in often] == [4, 6, 2]
    assert (planned(DosePlan((time(8),)), days=2)[0].until - planned(DosePlan((time(8),)), days=2)[0].at) == 6 * 3600


@given(
    st.integers(1, 6), st.integers(1, 4), st.integers(1, 20), st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1))
)
def test_pieces_of_time_hold_the_same_doses_as_the_whole(many: int, every: int, days: int, start: datetime) -> None:
    start = start.replace(second=0, microsecond=0)
    plan = DosePlan(DayTimes().spread(many), every_days=every, days=days)
    end = start + timedelta(days=25)
    whole = dues(plan, start, start, end, DUBLIN)
    middle = start + timedelta(days=7, hours=5)
    assert dues(plan, start, start, middle, DUBLIN) + dues(plan, start, middle, end, DUBLIN) == whole
    assert len({due.wall for due in whole}) == len(whole)
    assert all(due.at < due.until for due in whole)
    assert [due.at for due in whole] == sorted(due.at for due in whole)


def test_a_plan_is_kept_whole_as_json() -> None:
    for plan in (
        DosePlan((time(8), time(20)), ("1", "2"), days=7),
        DosePlan(as_needed=True, most_a_day=4, least_hours=6.0),
        DosePlan((time(8),), weekdays=(0, 3)),
        DosePlan(once=True),
    ):
        assert DosePlan.from_json(plan.to_json()) == plan


def test_spread_and_gap() -> None:
    assert [f"{each:%H:%M}" for each in DayTimes().spread(4)] == ["08:00", "12:30", "17:30", "22:00"]
    assert len(DayTimes().spread(24)) == 24
    assert gap(DosePlan((time(8), time(20)))) == timedelta(hours=12)
    assert gap(DosePlan((time(8),), every_days=2)) == timedelta(days=2)
    with pytest.raises(UsageError, match="25 doses a day"):
        DayTimes().spread(25)
    with pytest.raises(UsageError, match="lasts between"):
        DosePlan((time(8),), days=0)


def test_the_second_of_two_equal_hours_is_later() -> None:
    twice = datetime(2026, 10, 25, 1, 30)
    assert epoch(twice.replace(fold=1), DUBLIN) - epoch(twice, DUBLIN) == 3600

"""Appointment times: read, written, and which one suits."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from camphor.device.arithmetic import distance_km, point_of
from camphor.device.health.slots import Hours, Slot, VisitWishes, best_slot, read_hours, read_slot, slot_of, wishes_of

MONDAY = datetime(2026, 5, 18)


def slot(day: int, first: str) -> Slot:
    start = MONDAY + timedelta(days=day, hours=int(first[:2]), minutes=int(first[3:]))
    return Slot(start, start + timedelta(minutes=30))


@given(some.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31, 23, 0)), some.integers(1, 59))
def test_what_is_written_is_read_back(start: datetime, minutes: int) -> None:
    start = start.replace(second=0, microsecond=0, minute=0)
    one = Slot(start, start + timedelta(minutes=minutes))
    assert read_slot(str(one)) == one
    assert slot_of({"date": one.date, "time": one.time}) == one
    assert read_slot(f"{one.time} {start:%d/%m/%y}") == one


@given(some.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):  # and nothing else
        read_slot(text)
    read_hours(text)
    slot_of({"date": text, "time": text})


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("16:00-19:00", Hours(datetime(1, 1, 1, 16).time(), datetime(1, 1, 1, 19).time())),
        ("mornings", Hours(datetime(1, 1, 1, 6).time(), datetime(1, 1, 1, 12).time())),
        ("Monday, Friday 8:00 to 10:00", Hours(datetime(1, 1, 1, 8).time(), datetime(1, 1, 1, 10).time(), (0, 4))),
        ("whenever", None),
    ],
)
def test_hours_are_read(text: str, hours: Hours | None) -> None:
    assert read_hours(text) == hours


def test_the_first_slot_outside_the_hours_of_rest_is_best() -> None:
    profile = {"rest_hours": {"from": "12:00", "to": "13:30"}}
    slots = [slot(2, "09:00"), slot(1, "13:15"), slot(1, "12:00")]
    assert best_slot(slots, wishes_of(profile)) == slot(2, "09:00")
    assert best_slot(slots[1:], wishes_of(profile)) == slot(1, "12:00")  # better than none
    assert best_slot([], wishes_of(profile)) is None


def test_rest_may_go_over_midnight() -> None:
    profile = {"rest_hours": {"from": "21:00", "to": "08:00"}}
    assert best_slot([slot(0, "07:45"), slot(3, "08:00")], wishes_of(profile)) == slot(3, "08:00")


def test_a_preferred_time_may_cost_a_week_and_no_more() -> None:
    profile = {"preferred_times": ["evenings", "nonsense"]}
    assert best_slot([slot(0, "10:00"), slot(7, "10:00"), slot(7, "17:00")], wishes_of(profile)) == slot(0, "10:00")
    assert best_slot([slot(0, "10:00"), slot(6, "17:00")], wishes_of(profile)) == slot(6, "17:00")


def test_what_is_asked_for_holds() -> None:
    wishes = wishes_of({"preferred_times": "mornings"}, {"date": "2026-05-20", "time_range": "14:00-16:00"})
    assert wishes.day == date(2026, 5, 20)
    assert best_slot([slot(2, "09:00"), slot(2, "15:00"), slot(3, "15:00")], wishes) == slot(2, "15:00")
    assert best_slot([slot(3, "15:00")], wishes) is None
    assert best_slot([slot(0, "09:00")], VisitWishes()) == slot(0, "09:00")
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        wishes_of({}, {"date": "tomorrow"})


def test_distances_are_those_of_the_great_circle() -> None:
    paris, london = (48.8566, 2.3522), (51.5074, -0.1278)
    assert distance_km(paris, london) == pytest.approx(343.6, abs=0.5)
    assert distance_km((0, 179.5), (0, -179.5)) == pytest.approx(111.2, abs=0.1)
    assert distance_km(paris, paris) == 0
    assert point_of({"latitude": 91, "longitude": 0}) is None
    assert point_of({"latitude": "51", "longitude": 0}) is None
    assert point_of({"latitude": float("nan"), "longitude": 0}) is None

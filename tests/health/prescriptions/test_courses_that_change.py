"""A dose that changes over time: the right amount on the right day, from the words to the reminders."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from camphor.errors import UsageError
from camphor.health.prescriptions.directions import read_directions
from camphor.health.prescriptions.plans import plan_of, unplannable
from camphor.health.scheduler.schedule import DayTimes, Plan, dues, gap

START = datetime(2026, 11, 18)


def doses(text: str, start: datetime = START, days: int = 60) -> list[tuple[str, str]]:
    """Days of November and December, and amounts."""
    said = read_directions(text)
    assert not said.doubts, said.doubts
    plan = Plan.from_json(plan_of(said, DayTimes()).to_json())
    last = start + timedelta(days=days)
    return [(f"{each.wall:%d %b %H}", each.amount) for each in dues(plan, start, start, last, UTC)]


def test_each_part_follows_the_one_before() -> None:
    told = doses("8 tablets daily for 7 days, then 4 tablets daily for 7 days")
    assert told[:7] == [(f"{day} Nov 08", "8 tablets") for day in range(18, 25)]
    assert [amount for _, amount in told[7:]] == ["4 tablets"] * 7
    assert (told[7][0], told[-1][0]) == ("25 Nov 08", "01 Dec 08")


def test_the_last_part_may_go_on_and_how_often_may_change() -> None:
    told = doses("2 tablets twice a day for 3 days, then 1 tablet once a day", days=9)
    assert [amount for _, amount in told] == ["2 tablets"] * 6 + ["1 tablet"] * 6


def test_a_course_that_begins_in_the_evening_has_all_its_doses() -> None:
    told = doses("2 tablets twice a day for 3 days, then 1 tablet once a day for 2 days", START + timedelta(hours=13))
    assert [amount for _, amount in told] == ["2 tablets"] * 6 + ["1 tablet"] * 2
    assert told[0][0] == "18 Nov 20"


def test_a_day_in_the_middle_is_planned_alone() -> None:
    plan = plan_of(read_directions("8 tablets daily for 7 days, then 4 tablets daily for 7 days"), DayTimes())
    day = START + timedelta(days=8)
    assert [each.amount for each in dues(plan, START, day, day + timedelta(days=1), UTC)] == ["4 tablets"]
    assert (plan.length, gap(plan)) == (14, timedelta(days=1))


@pytest.mark.parametrize(
    "text", ["2 tablets on day one, then", "2 tablets daily, then 1 tablet daily", "2 tablets on Mondays, 1 on Fridays"]
)
def test_what_does_not_say_each_part_is_not_planned(text: str) -> None:
    said = read_directions(text)
    assert said.doubts or unplannable(said)


def test_a_plan_of_parts_says_nothing_beside_them() -> None:
    part = plan_of(read_directions("1 tablet daily for 7 days"), DayTimes())
    with pytest.raises(UsageError):
        Plan(times=part.times, parts=(part,))
    with pytest.raises(UsageError):
        Plan(parts=(plan_of(read_directions("1 tablet daily"), DayTimes()), part))

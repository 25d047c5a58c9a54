"""Weeks and months: averages of what was measured, against what is usual for the person."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from camphor.device.health.doses import DoseState, Medicine
from camphor.health.monitor.vitals import Vital
from camphor.health.report.charts import course_chart
from camphor.health.report.plots import plot
from camphor.health.report.trend_words import sentences, trend_text
from camphor.health.report.trends import average, course, months, period, weeks
from camphor.health.scheduler.reminders import DoseReminders
from tests.doubles.reports import DAY, at, heart, reports, steady, take, weeks_before


def nights(last: date, *values: float | None) -> dict[date, float]:
    """A value for each of the days up to `last`; None for a day without one."""
    days = [last - timedelta(days=number) for number in range(len(values))][::-1]
    return {day: value for day, value in zip(days, values, strict=True) if value is not None}


def test_weeks_go_from_monday_and_months_from_the_first() -> None:
    assert list(weeks(date(2026, 3, 5), date(2026, 3, 16))) == [
        (date(2026, 3, 5), date(2026, 3, 8)),
        (date(2026, 3, 9), date(2026, 3, 15)),
        (date(2026, 3, 16), date(2026, 3, 16)),
    ]
    assert list(months(date(2025, 12, 20), date(2026, 2, 3))) == [
        (date(2025, 12, 20), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 1, 31)),
        (date(2026, 2, 1), date(2026, 2, 3)),
    ]


def test_a_day_without_a_value_is_in_no_average() -> None:
    found = average(nights(DAY, 60, None, None, 66), DAY - timedelta(days=6), DAY)
    assert (found.mean, found.least, found.most, found.days) == (63, 60, 66, 2)
    none = average({}, DAY, DAY)
    assert (none.mean, none.days) == (None, 0)


@pytest.mark.parametrize(
    ("last_week", "off", "words"),
    [
        (60.4, None, "60 bpm on average over the last 7 days; your usual is 60 bpm"),
        (66.0, 6.0, "6.0 bpm above your usual 60 bpm"),
        (55.0, -5.0, "5.0 bpm below your usual 60 bpm"),
    ],
)
def test_a_week_is_told_against_the_four_before_it(last_week: float, off: float | None, words: str) -> None:
    values = nights(DAY, *([59.0, 60.0, 61.0, 60.0] * 7), *([last_week] * 7))
    found = course(Vital.HEART_RATE, values, DAY - timedelta(days=27), DAY)
    assert found.off == (None if off is None else pytest.approx(off))
    assert words in " ".join(sentences(found, 28)).replace("60.4", "60").replace("66.0", "66")


def test_what_is_not_known_is_said() -> None:
    few = course(Vital.HEART_RATE, nights(DAY, 60, 62), DAY - timedelta(days=27), DAY)
    assert list(sentences(few, 28)) == [
        "61 bpm on average over the last 7 days; what is usual for you is not known yet",
        "measured on 2 of 28 days",
    ]
    old = course(Vital.HEART_RATE, nights(DAY - timedelta(days=10), 60, 61), DAY - timedelta(days=27), DAY)
    assert next(iter(sentences(old, 28))) == "not measured in the last 7 days"


def test_a_line_over_days_is_broken_where_days_are_missing() -> None:
    of = reports()
    for number in (0, 1, 2, 6, 7, 8):
        take(of, {Vital.HEART_RATE: heart(of, DAY - timedelta(days=number), 1, 6, 60 + number, 300)})
    report = period(of, DAY, 14)
    shapes = plot(course_chart(report, [report.courses[0]])).shapes
    lines = [each for each in shapes if (each.what, each.role) == ("line", "line")]
    assert [len(each.points) for each in lines] == [3, 3]
    assert len([each for each in shapes if each.what == "dot"]) == 6


def test_the_steps_of_a_day_that_is_not_over_are_in_no_average() -> None:
    of = reports("2026-03-12T09:00:00")
    for number in range(4):
        take(of, {Vital.STEPS: steady(of, Vital.STEPS, DAY - timedelta(days=number), 7, 9, 50)})
    (steps,) = period(of, DAY, 7).courses
    assert DAY not in steps.days
    assert steps.week.days == 3
    over = reports("2026-03-13T09:00:00", of.database)
    assert DAY in period(over, DAY, 7).courses[0].days


def test_a_month_of_everything() -> None:
    of = reports()
    weeks_before(of, DAY, 50)
    take(of, {Vital.HEART_RATE: heart(of, DAY, 1, 6, 75, 300)})
    take(of, {Vital.OXYGEN: steady(of, Vital.OXYGEN, DAY - timedelta(days=2), 3, 3.5, 86)})
    plan = {"times": ["08:00"]}
    of.doses.add("typed", "", [Medicine("Ramipril", plan, "2026-03-02T00:00:00")], of.device.now)
    DoseReminders.of(of.device, of.doses).plan()
    for dose in of.doses.between(at("2026-03-02T00:00", of), at("2026-03-11T00:00", of)):
        of.doses.decide(dose.id, DoseState.TAKEN, dose.at)
    report = period(of, DAY, 28)
    assert report.spells is not None
    assert [(day, spell.kind) for day, spell in report.spells] == [(DAY - timedelta(days=2), Vital.OXYGEN)]
    assert sum(each.counts.get("taken", 0) for each in report.doses) == 9
    assert sum(each.counts.get("missed", 0) for each in report.doses) == 2
    told = trend_text(report)
    for expected in ("13 February to 12 March 2026", "Days with vitals: 28 of 28", "Doses taken: 9 of 11 (82%)",
                     "10 March, 03:00: Your blood oxygen has been low", "2 March 2026: sore throat",
                     "By week", "no diagnosis"):  # fmt: skip
        assert expected in told
    assert "no day" not in told


def test_a_longer_time_lists_what_was_told() -> None:
    of = reports()
    weeks_before(of, DAY, 3)
    report = period(of, DAY, 365)
    assert report.spells is None
    assert len(report.columns) == 13
    assert "No soft SOS was raised." in trend_text(report)


def test_a_time_of_which_nothing_is_known() -> None:
    of = reports(apps={})
    report = period(of, DAY, 30)
    assert report.empty
    assert "Nothing is known of this time" in trend_text(report)

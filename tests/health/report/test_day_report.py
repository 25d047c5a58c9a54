"""What a day's report gathers, what of it is kept, and when it is worked out again."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from camphor.device.health.database import HealthDatabase
from camphor.device.health.days import KeptDays
from camphor.device.health.doses import DoseState, Medicine
from camphor.device.health.emergencies import Emergencies
from camphor.device.talks import Talks, talks_file
from camphor.errors import UsageError
from camphor.health.monitor.monitor import Monitor
from camphor.health.monitor.thresholds import person_of
from camphor.health.monitor.vitals import Vital, series
from camphor.health.report.day import Reports
from camphor.health.report.measured import MeasuredDay
from camphor.health.report.words import text, tiles
from camphor.health.scheduler.reminders import DoseReminders
from tests.doubles.reports import DAY, NIGHT, at, heart, phone, reports, steady, take, weeks_before

ROOT = Path(__file__).parents[3]
FULL = "2026-03-13T08:00:00"


def test_figures_are_those_of_the_readings() -> None:
    of = reports(NIGHT)
    column = heart(of, DAY, 0, 23)
    take(of, {Vital.HEART_RATE: column, Vital.STEPS: steady(of, Vital.STEPS, DAY, 9, 10, 50)})
    measured = of.of(DAY).measured
    figure = measured.figures[Vital.HEART_RATE]
    assert figure.value == pytest.approx(column.value.mean(), abs=1e-3)
    assert (figure.least, figure.most) == (pytest.approx(column.value.min()), pytest.approx(column.value.max()))
    assert figure.minutes == 23 * 60
    assert len(figure.points) == 23 * 6
    assert measured.figures[Vital.STEPS].value == 3000
    assert measured.steps == ((at("2026-03-12T09:00", of), 3000.0),)


def test_what_was_not_measured_is_told_and_is_no_number() -> None:
    of = reports()
    night, late = heart(of, DAY, 0, 12), heart(of, DAY, 14, 20)
    take(of, {Vital.HEART_RATE: night})
    take(of, {Vital.HEART_RATE: late})
    report = of.of(DAY)
    figure = report.measured.figures[Vital.HEART_RATE]
    assert [(f"{report.wall(begin):%H:%M}", f"{report.wall(end):%H:%M}") for begin, end in figure.gaps] == [
        ("12:00", "14:00"), ("20:00", "21:00"),
    ]  # fmt: skip
    assert figure.least > 50
    assert not [each for each in figure.points if "12:00" <= f"{report.wall(each.at):%H:%M}" < "14:00"]
    assert "Not measured from 12:00 to 14:00, 20:00 to 21:00" in text(report)


def test_a_kind_that_is_measured_now_and_then_has_no_silences() -> None:
    of = reports()
    moments = [at(f"2026-03-12T{hour:02d}:00", of) for hour in (8, 14, 20)]
    take(of, {Vital.SYSTOLIC: series(Vital.SYSTOLIC, moments, [118, 124, 121]),
              Vital.DIASTOLIC: series(Vital.DIASTOLIC, moments, [76, 81, 79])})  # fmt: skip
    figure = of.of(DAY).measured.figures[Vital.SYSTOLIC]
    assert (figure.often, figure.gaps) == (False, ())
    assert [each.mean for each in figure.points] == [118, 124, 121]
    assert "Blood pressure: 121/79 mmHg on average, measured 3 times" in text(of.of(DAY))


def test_what_was_measured_before_and_not_today_is_named() -> None:
    of = reports()
    weeks_before(of, DAY, 3)
    take(of, {Vital.OXYGEN: steady(of, Vital.OXYGEN, DAY, 8, 9, 97)})
    assert of.of(DAY).measured.absent == (Vital.HEART_RATE,)
    assert "Not measured on this day: heart rate." in text(of.of(DAY))


def test_a_day_of_which_nothing_is_known() -> None:
    of = reports(apps={"clinic": {"specialists": []}})
    report = of.of(DAY)
    assert report.empty
    assert "Nothing is known of this day" in text(report)
    assert of.days.get(DAY) is None
    bare = Reports(phone(apps={}), HealthDatabase(None))
    assert bare.of(DAY).empty
    assert "none in the next" not in text(bare.of(DAY))
    with pytest.raises(UsageError, match="still to come"):
        of.of(DAY + timedelta(days=1))


def test_usual_is_of_the_days_before_and_asks_for_a_week_of_them() -> None:
    of = reports()
    weeks_before(of, DAY, 6)
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 20, 80)})
    assert of.of(DAY).measured.figures[Vital.HEART_RATE].usual is None
    more = reports()
    weeks_before(more, DAY, 20)
    take(more, {Vital.HEART_RATE: heart(more, DAY, 0, 20, 80)})
    figure = more.of(DAY).measured.figures[Vital.HEART_RATE]
    assert figure.usual == pytest.approx(61, abs=0.6)
    assert figure.own == pytest.approx(80, abs=0.5)


def test_an_abnormal_spell_is_told_with_its_source_and_when_the_person_was_told() -> None:
    of = reports()
    low = steady(of, Vital.OXYGEN, DAY, 3, 3.5, 86)
    take(of, {Vital.OXYGEN: low})
    monitor = Monitor(of.vitals, of.zone, person_of(of.device))
    for minute in range(0, 40, 2):
        monitor.look(at("2026-03-12T03:00", of) + minute * 60)
    report = of.of(DAY)
    assert [spell.kind for spell in report.measured.spells] == [Vital.OXYGEN]
    told = text(report)
    assert "03:00  Your blood oxygen has been low: 86% for 29 minutes; you were told at 03:02" in told
    assert "NHS England 2022" in told
    assert "no diagnosis" in told
    assert tiles(report)[0].tone == "fault"


def test_measured_outlasts_its_json() -> None:
    of = reports(NIGHT)
    weeks_before(of, DAY, 10)
    night = {kind: series(kind, [at(f"2026-03-12T0{hour}:00", of)], [55.0]) for hour, kind in
             enumerate((Vital.SLEEP_LIGHT, Vital.SLEEP_DEEP, Vital.SLEEP_REM, Vital.SLEEP_AWAKE), 1)}  # fmt: skip
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 20), Vital.OXYGEN: steady(of, Vital.OXYGEN, DAY, 3, 4, 86), **night})
    measured = of.measured(DAY)
    assert measured.asleep == pytest.approx(165, abs=0.1)
    assert len(measured.spells) == 1
    assert MeasuredDay.from_json(measured.to_json()) == measured


# keeping


def test_a_day_is_kept_as_it_was_worked_out_and_outlasts_its_single_readings() -> None:
    of = reports(FULL)
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 24, every=5)})
    first = of.measured(DAY)
    kept = of.days.get(DAY)
    assert kept is not None
    assert kept.over
    of.vitals.thin(of.now + 30 * 86_400)
    assert not len(of.vitals.readings("heart_rate", 0, of.now).at)
    assert of.measured(DAY) == first
    assert of.measured(DAY, again=True).figures[Vital.HEART_RATE].minutes == 24 * 60


def test_a_day_that_was_not_over_is_worked_out_again() -> None:
    base = HealthDatabase(None)
    evening = reports("2026-03-12T21:00:00", base)
    take(evening, {Vital.HEART_RATE: heart(evening, DAY, 0, 21)})
    assert evening.of(DAY).until is not None
    later = reports(FULL, base)
    take(later, {Vital.HEART_RATE: heart(later, DAY, 21, 24)})
    report = later.of(DAY)
    assert report.until is None
    assert report.measured.figures[Vital.HEART_RATE].minutes == 24 * 60


def test_readings_that_come_in_late_are_in_the_report() -> None:
    of = reports(FULL)
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 12)})
    assert of.measured(DAY).figures[Vital.HEART_RATE].minutes == 12 * 60
    take(of, {Vital.HEART_RATE: heart(of, DAY, 12, 24)})
    assert of.measured(DAY).figures[Vital.HEART_RATE].minutes == 24 * 60
    take(of, {Vital.OXYGEN: steady(of, Vital.OXYGEN, DAY, 1, 2, 97)})
    assert Vital.OXYGEN in of.measured(DAY).figures


def test_figures_of_readings_that_were_deleted_are_not_kept() -> None:
    of = reports(FULL)
    take(of, {Vital.HEART_RATE: heart(of, DAY, 0, 24)})
    assert of.values(DAY, DAY)
    of.measured(DAY)
    of.vitals.forget()
    assert of.measured(DAY).empty
    assert of.values(DAY, DAY) == {}
    assert of.days.get(DAY) is None


def test_a_program_killed_in_the_middle_of_a_day_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "leah.camphor"
    phone(FULL, path).close()
    killed = f"""
import os, signal
from tests.doubles.reports import DAY, heart, take
from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.health.monitor.vitals import Vital
from camphor.health.report.day import Reports
device = Device.open({str(path)!r})
base = HealthDatabase.of(device.path)
of = Reports(device, base)
take(of, {{Vital.HEART_RATE: heart(of, DAY)}})
with base.transaction():
    of.measured(DAY)
    assert of.days.get(DAY) is not None
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", killed], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == -9, done.stderr
    device = phone(FULL)
    with HealthDatabase(path.with_name(f"{path.name}.health")) as base:
        of = Reports(device, base)
        assert of.days.get(DAY) is None
        assert of.days.values(DAY, DAY) == {}
        assert of.of(DAY).measured.figures[Vital.HEART_RATE].minutes == 24 * 60
        assert of.days.get(DAY) is not None


def test_a_kept_day_of_another_shape_is_worked_out_again() -> None:
    of = reports(FULL)
    take(of, {Vital.HEART_RATE: heart(of, DAY)})
    of.measured(DAY)
    kept = of.days.get(DAY)
    assert kept is not None
    of.days.keep(replace(kept, body={"figures": "of another time"}), {})
    assert of.measured(DAY).figures[Vital.HEART_RATE].minutes == 24 * 60


def test_days_that_are_over_are_finished_while_their_readings_are_there() -> None:
    of = reports("2026-03-15T09:00:00")
    for number in range(3):
        take(of, {Vital.HEART_RATE: heart(of, DAY + timedelta(days=number), every=300)})
    of.values(DAY, DAY + timedelta(days=2))
    of.finish()
    kept = [of.days.get(DAY + timedelta(days=number)) for number in range(3)]
    assert all(each is not None and each.over and each.body for each in kept)


def test_values_of_a_year_are_worked_out_once() -> None:
    of = reports(FULL)
    first = DAY - timedelta(days=364)
    moments = np.arange(at(f"{first}T00:30", of), at(f"{DAY}T23:00", of), 1800.0)
    take(of, {Vital.TEMPERATURE: series(Vital.TEMPERATURE, moments, np.full(len(moments), 36.6))})
    seen: list[int] = []
    values = of.values(first, DAY, lambda number, total: seen.append(total))
    assert len(values[Vital.TEMPERATURE]) == 365
    assert seen == [365] * 365
    seen.clear()
    assert of.values(first, DAY, lambda number, total: seen.append(total)) == values
    assert seen == []
    assert len(KeptDays(of.database).heads(date.min, DAY)) == 365


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25)])
def test_a_day_on_which_the_clock_changes_is_as_long_as_it_was(day: str, hours: int) -> None:
    chosen = date.fromisoformat(day)
    of = reports(f"{chosen + timedelta(days=1)}T08:00:00")
    take(of, {Vital.HEART_RATE: heart(of, chosen, 0, hours), Vital.STEPS: steady(of, Vital.STEPS, chosen, 0, hours, 1)})
    measured = of.of(chosen).measured
    assert measured.figures[Vital.HEART_RATE].minutes == hours * 60
    assert len(measured.steps) == hours
    assert measured.figures[Vital.HEART_RATE].gaps == ()


# what else the report gathers


def test_doses_are_told_also_where_no_reminders_ran() -> None:
    of = reports()
    plan = {"times": ["08:00", "13:00", "20:00", "22:00"]}
    of.doses.add(
        "typed", "", [Medicine("Amoxicillin", plan, "2026-03-12T00:00:00", {"strength": "500 mg"})], of.device.now
    )
    DoseReminders.of(of.device, of.doses).plan()
    first, second, *_ = of.doses.between(at("2026-03-12T00:00", of), at("2026-03-13T00:00", of))
    of.doses.decide(first.id, DoseState.TAKEN, at("2026-03-12T08:12", of))
    of.doses.decide(second.id, DoseState.SKIPPED, at("2026-03-12T13:00", of))
    report = of.of(DAY)
    assert [each.state for each in report.doses] == ["taken", "skipped", "waiting", "to come"]
    assert "08:00  Amoxicillin 500 mg  taken at 08:12" in text(report)
    later = reports("2026-03-13T12:00:00", of.database)
    assert [each.state for each in later.of(DAY).doses] == ["taken", "skipped", "missed", "missed"]
    assert "1 of 4 doses taken" in text(later.of(DAY))


def test_appointments_and_complaints_of_the_day_and_what_comes() -> None:
    report = reports().of(DAY)
    assert report.complaints == ("dull headache",)
    assert [each.name for each in report.visits] == ["Dr. Gwen Hartnoll"]
    assert [f"{each.begin:%d %H:%M}" for each in report.coming] == ["16 09:00"]
    assert not report.empty


def test_what_is_deleted_on_the_phone_is_in_no_report() -> None:
    of = reports(apps={"clinic": {"complaints": [{"date": DAY.isoformat(), "symptoms": "a secret"}]}})
    assert of.of(DAY).complaints
    dump = "".join(str(row) for row in of.database.rows("SELECT * FROM days_kept"))
    assert "secret" not in dump


def test_conversations_of_the_day_are_told_with_what_was_done(tmp_path: Path) -> None:
    path = tmp_path / "leah.camphor"
    with phone("system", path) as device, HealthDatabase.of(device.path) as base:
        talks = Talks(talks_file(path))
        talk = talks.begin()
        for query in ("I have a headache", "book it"):
            talks.add(talk.id, "asked", {"query": query})
        talks.begin()  # nothing was said in it
        talks.close()
        of = Reports(device, base)
        (session,) = of.of(of.today).sessions
    assert (session.title, session.questions, session.actions) == ("I have a headache", 2, 0)


def test_an_emergency_of_the_day_is_told_first() -> None:
    of = reports()
    emergencies = Emergencies(of.database)
    begun = emergencies.begin("2026-03-12T14:05:00", {}, {})
    emergencies.end(begun, "2026-03-12T14:40:00")
    emergencies.begin("2026-03-11T10:00:00", {}, {})
    report = of.of(DAY)
    assert len(report.emergencies) == 1
    assert tiles(report)[0].text == "SOS begun at 14:05"
    assert "An SOS was begun at 14:05 and ended at 14:40" in text(report)

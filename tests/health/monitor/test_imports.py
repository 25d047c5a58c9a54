"""Vitals of other programs: Apple Health, FIT, CSV; and files that are broken, odd or something else."""

from __future__ import annotations

import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor.health.monitor.imported import Imported
from camphor.health.monitor.imports import read
from camphor.health.monitor.vitals import Vital, epoch
from tests.doubles.fit_files import activity, fit_file, garbage_after_header, monitoring, settings_file
from tests.doubles.vitals import ZONE

DOCTYPE = """<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
<!ATTLIST HealthData locale CDATA #REQUIRED>
<!ELEMENT HeartRateVariabilityMetadataList (x>)*> broken as on some phones
]>
"""
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n{DOCTYPE}<HealthData locale="en_IE">\n'
SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
AT = "2026-03-12 08:00:00 +0000"


def record(
    kind: str, value: object, unit: str = "count/min", at: str = AT, end: str = AT, source: str = "Watch"
) -> str:
    return (
        f'<Record type="{kind}" sourceName="{source}" unit="{unit}" startDate="{at}" endDate="{end}" value="{value}">'
        '<MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="0"/></Record>\n'
    )


def quantity(name: str, value: object, unit: str = "count/min") -> str:
    return record(f"HKQuantityTypeIdentifier{name}", value, unit)


def export(folder: Path, *records: str, end: str = "</HealthData>\n") -> Path:
    path = folder / "export.xml"
    path.write_text(HEAD + "".join(records) + end, encoding="utf-8")
    return path


def table(folder: Path, text: str, coding: str = "utf-8") -> Path:
    path = folder / "vitals.csv"
    path.write_bytes(text.encode(coding))
    return path


def values(found: Imported, kind: Vital) -> list[float]:
    return [round(each, 3) for columns in found.sources().values() if kind in columns for each in columns[kind].value]


# Apple Health


def test_an_apple_export_is_read_with_its_units_sources_and_time_zones(tmp_path: Path) -> None:
    path = export(
        tmp_path,
        quantity("HeartRate", 61),
        record("HKQuantityTypeIdentifierHeartRate", 63, at="2026-03-12 10:00:00 +0200", source="Anna’s Ring &amp; co"),
        quantity("OxygenSaturation", 0.97, "%"),
        quantity("BodyTemperature", 98.6, "degF"),
        quantity("BloodGlucose", 5.5, "mmol&lt;180.1558800000541&gt;/L"),
        quantity("BloodPressureSystolic", 121, "mmHg"),
        quantity("HeartRateVariabilitySDNN", 48.2, "ms"),
        quantity("AppleSleepingWristTemperature", 34.1, "degC"),
        quantity("BodyMass", 71, "kg"),
    )
    found = read(path, ZONE)
    assert found.broken == ""
    assert set(found.sources()) == {"Watch", "Anna’s Ring & co"}
    eight = epoch(datetime(2026, 3, 12, 8), ZONE)
    assert {float(each[Vital.HEART_RATE].at[0]) for each in found.sources().values()} == {eight}
    assert values(found, Vital.OXYGEN) == [97]
    assert values(found, Vital.TEMPERATURE) == [37]
    assert values(found, Vital.GLUCOSE) == [99.088]
    assert values(found, Vital.HRV) == [48.2]
    assert values(found, Vital.WEIGHT) == [71]
    assert found.readings == 8


def test_sleep_stages_are_minutes_and_workouts_are_exercise(tmp_path: Path) -> None:
    stages = [
        record(SLEEP, f"HKCategoryValueSleepAnalysis{name}", "", "2026-03-12 01:00:00 +0000", end)
        for name, end in (
            ("AsleepDeep", "2026-03-12 01:30:00 +0000"), ("AsleepREM", "2026-03-12 01:12:00 +0000"),
            ("InBed", "2026-03-12 08:00:00 +0000"), ("AsleepCore", "2026-03-11 08:00:00 +0000"),
        )
    ]  # fmt: skip
    workout = f'<Workout sourceName="Watch" startDate="{AT}" endDate="2026-03-12 08:31:10 +0000"/>'
    found = read(export(tmp_path, *stages, workout), ZONE)
    assert values(found, Vital.SLEEP_DEEP) == [30]
    assert values(found, Vital.SLEEP_REM) == [12]
    assert values(found, Vital.SLEEP_LIGHT) == []
    assert len(values(found, Vital.EXERCISE)) == 31
    assert found.skipped == {"sleep that ends before it begins": 1}


def test_a_cut_off_export_gives_what_stands_before_and_says_so(tmp_path: Path) -> None:
    path = export(tmp_path, *[quantity("HeartRate", 60 + number % 9) for number in range(50)], end="")
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) - 30], encoding="utf-8")
    found = read(path, ZONE)
    assert found.readings == 50
    lines = text.count("\n")
    assert found.broken == f"the file is damaged or cut off at line {lines}: what stands before it was read"


def test_what_cannot_be_read_in_an_export_is_counted_by_its_reason(tmp_path: Path) -> None:
    path = export(
        tmp_path,
        quantity("HeartRate", 61),
        quantity("HeartRate", "fast"),
        quantity("HeartRate", "nan"),
        quantity("BodyTemperature", 37, "furlong"),
        record("HKQuantityTypeIdentifierHeartRate", 61, at="yesterday"),
    )
    found = read(path, ZONE)
    assert found.readings == 1
    assert found.skipped == {
        "heart_rate without a number": 2,
        "temperature in an unknown unit (furlong)": 1,
        "a time that cannot be read": 1,
    }


@pytest.mark.parametrize("name", ["apple_health_export/export.xml", "apple_health_export/Exportieren.xml"])
def test_the_zip_of_a_phone_is_read_whatever_its_language(tmp_path: Path, name: str) -> None:
    inside = export(tmp_path, quantity("HeartRate", 61))
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(inside, name)
        archive.writestr(
            "apple_health_export/export_cda.xml", "<ClinicalDocument>" + "x" * 9000 + "</ClinicalDocument>"
        )
    assert values(read(path, ZONE), Vital.HEART_RATE) == [61]


def test_a_zip_that_is_cut_off_or_holds_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("holiday.xml", "<trips/>")
    with pytest.raises(UsageError, match="holds no export that is read here"):
        read(path, ZONE)
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(UsageError, match="is damaged"):
        read(path, ZONE)


def test_entities_are_never_grown(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    bomb = '<!DOCTYPE HealthData [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
    path.write_text(f"{bomb}<HealthData>{quantity('HeartRate', 61)}<Me x='&b;'/></HealthData>", encoding="utf-8")
    found = read(path, ZONE)
    assert found.readings == 1
    assert "damaged" in found.broken


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<gpx><trk/></gpx>", "no Apple Health export: its first element is gpx"),
        ("<!DOCTYPE html><html></html>", "first element is html"),
        ("<", "no Apple Health export"),
        (HEAD + "</HealthData>", "it has no heart rate"),
    ],
)
def test_other_xml_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "export.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=words):
        read(path, ZONE)


# FIT


def test_an_activity_gives_heart_rate_and_exercise(tmp_path: Path) -> None:
    found = read(activity(tmp_path / "run.fit", [120, 125, 131, 255]), ZONE)  # 255: the watch had no value
    assert values(found, Vital.HEART_RATE) == [120, 125, 131]
    assert values(found, Vital.EXERCISE) == [1]


def test_monitoring_gives_oxygen_breathing_sleep_and_times_of_two_bytes(tmp_path: Path) -> None:
    found = read(monitoring(tmp_path / "day.fit"), ZONE)
    assert values(found, Vital.OXYGEN) == [96]
    assert values(found, Vital.HEART_RATE) == [58, 61]
    heart = next(iter(found.sources().values()))[Vital.HEART_RATE]
    assert heart.at[1] - heart.at[0] == 60
    assert values(found, Vital.SLEEP_DEEP) == [45]


def test_a_cut_off_fit_file_gives_what_stands_before(tmp_path: Path) -> None:
    path = activity(tmp_path / "run.fit", [100 + number for number in range(40)])
    path.write_bytes(path.read_bytes()[:-60])
    found = read(path, ZONE)
    assert 20 < len(values(found, Vital.HEART_RATE)) < 40
    assert "cut off" in found.broken


def test_fit_files_without_vitals_and_files_only_named_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a FIT file with a settings and no vital signs"):
        read(settings_file(tmp_path / "settings.fit"), ZONE)
    wrong = tmp_path / "wrong.fit"
    wrong.write_text("time,heart rate\n", encoding="utf-8")
    with pytest.raises(UsageError, match="is no FIT file, though it is named so"):
        read(wrong, ZONE)
    with pytest.raises(UsageError, match="nothing was taken in: the file is damaged"):
        read(garbage_after_header(tmp_path / "noise.fit"), ZONE)
    (tmp_path / "head.fit").write_bytes(fit_file([])[:14])
    with pytest.raises(UsageError, match="nothing was taken in"):
        read(tmp_path / "head.fit", ZONE)


# tables

LONG = "time,kind,value,unit\n2026-03-12T08:00,heart_rate,61,bpm\n2026-03-12T08:01,temperature,98.6,°F\n"


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (LONG, Vital.TEMPERATURE, [37]),
        ("timestamp;Heart Rate (bpm);SpO2 [%]\n2026-03-12 08:00;61;97\n", Vital.OXYGEN, [97]),
        ("date\ttime\tpulse\n12.03.2026\t08:00\t61\n13.03.2026\t08:00\t62\n", Vital.HEART_RATE, [61, 62]),
        ("Time|temp (°C)\n2026-03-12T08:00|36,6\n2026-03-12T09:00|37\n", Vital.TEMPERATURE, [36.6, 37]),
        ("sep=;\ntime;glucose (mmol/L)\n2026-03-12T08:00;5,5\n", Vital.GLUCOSE, [99.088]),
        ("time;temperature_c\n2026-03-12T08:00;36,65\n", Vital.TEMPERATURE, [36.65]),
        ("time,systolic (kPa)\n2026-03-12T08:00,16\n", Vital.SYSTOLIC, [120.01]),
        ('time,steps\n1773302400,"1,234"\n1773302460000,7\n', Vital.STEPS, [1234, 7]),
        ("time,hrv (s)\n2026-03-12T08:00:00+01:00,0.045\n", Vital.HRV, [45]),
        ("time,spo2\n2026-03-12T08:00,0.96\n2026-03-12T08:01,97%\n", Vital.OXYGEN, [96, 97]),
        ("time,bpm\n3/13/2026 8:05 PM,61\n", Vital.HEART_RATE, [61]),
        ("time,bpm\n2026-03-12T08:00,\n2026-03-12T08:01,--\n2026-03-12T08:02,60\n", Vital.HEART_RATE, [60]),
    ],
)
def test_tables_of_many_forms(tmp_path: Path, text: str, kind: Vital, expected: list[float]) -> None:
    found = read(table(tmp_path, text), ZONE)
    assert values(found, kind) == expected
    assert not found.skipped


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16", "cp1252"])
def test_tables_in_other_character_sets(tmp_path: Path, coding: str) -> None:
    assert values(read(table(tmp_path, LONG, coding), ZONE), Vital.TEMPERATURE) == [37]


def test_dates_that_can_be_read_two_ways_are_asked_for_never_guessed(tmp_path: Path) -> None:
    path = table(tmp_path, "date,pulse\n03/04/2026,61\n05/06/2026,62\n")
    with pytest.raises(UsageError, match=r"03/04/2026 may be day and month .* add --day-first or --month-first"):
        read(path, ZONE)
    april = float(next(iter(read(path, ZONE, day_first=True).sources().values()))[Vital.HEART_RATE].at[0])
    march = float(next(iter(read(path, ZONE, day_first=False).sources().values()))[Vital.HEART_RATE].at[0])
    assert april == epoch(datetime(2026, 4, 3), ZONE)
    assert march == epoch(datetime(2026, 3, 4), ZONE)


def test_broken_rows_are_counted_and_the_others_kept(tmp_path: Path) -> None:
    text = (
        "time,bpm,spo2\n2026-03-12T08:00,61,97\nnever,62,97\n2026-13-45T08:00,63,97\n\n2026-03-12T08:02,error,96\n9\n"
    )
    found = read(table(tmp_path, text), ZONE)
    assert values(found, Vital.HEART_RATE) == [61]
    assert values(found, Vital.OXYGEN) == [97, 96]
    assert found.skipped == {
        "a time that cannot be read": 2,
        "heart_rate that is no number": 1,
        "a row with too few cells": 1,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("heart rate,spo2\n61,97\n", "no column is a time"),
        ("time,mood\n2026-03-12,good\n", "no column is a vital sign, of: time, mood"),
        ("time,temperature\n2026-03-12,36.6\n", r"the unit of temperature is not told: write temperature \(°C\) or"),
        ("time,glucose\n2026-03-12,99\n", "the unit of glucose is not told"),
        ("time,heart rate (furlongs)\n2026-03-12,61\n", "heart_rate is in 'furlongs', which is not known"),
        ("time,bpm\n", "nothing was taken in: it has no heart rate"),
        ("time,bpm\nx,1\ny,2\n", "nothing was taken in: 2 x a time that cannot be read"),
    ],
)
def test_tables_that_make_no_sense_are_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read(table(tmp_path, text), ZONE)


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        read(tmp_path / "none.csv", ZONE)
    empty = tmp_path / "empty.csv"
    empty.touch()
    with pytest.raises(UsageError, match="is empty"):
        read(empty, ZONE)
    for name, body in (
        ("cat.png", b"\x89PNG\r\n\x1a\n\x00\x00"),
        ("core", b"\x7fELF\x00\x00\x01"),
        ("a.pdf", b"%PDF-1.7"),
    ):
        path = tmp_path / name
        path.write_bytes(body)
        with pytest.raises(UsageError, match="no kind of file that is read here"):
            read(path, ZONE)

"""Files as they come in other places: languages, clocks, the night that clocks are set back, and what is not read."""

from __future__ import annotations

import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from camphor.device.health.database import HealthDatabase
from camphor.device.health.vitals import VitalsStore
from camphor.health.monitor.imported import Imported
from camphor.health.monitor.imports import read
from camphor.health.monitor.monitor import Monitor
from camphor.health.monitor.tables import number
from camphor.health.monitor.times import moment
from camphor.health.monitor.vitals import MEASURES, Vital, shown_in, unit_named
from tests.doubles import export_files as exports
from tests.doubles.vitals import ZONE

DUBLIN = ZoneInfo("Europe/Dublin")
NOW = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
LIBRE = (
    "Device,Serial Number,Device Timestamp,Record Type,Historic Glucose mg/dL,Scan Glucose mg/dL,Strip Glucose mg/dL\n"
)


def values(found: Imported, kind: Vital) -> list[tuple[str, float]]:
    """UTC times and values of a kind, in order."""
    return sorted(
        (f"{datetime.fromtimestamp(at, UTC):%d %H:%M}", round(value, 1))
        for columns in found.sources().values()
        if kind in columns
        for at, value in zip(columns[kind].at.tolist(), columns[kind].value.tolist(), strict=True)
    )


@pytest.mark.parametrize("newest_first", [False, True])
def test_the_hour_that_stands_twice_keeps_all_its_readings_at_their_times(tmp_path: Path, newest_first: bool) -> None:
    begin = datetime(2025, 10, 25, 23, tzinfo=UTC)
    moments = [begin + timedelta(minutes=15 * number) for number in range(16)]
    rows = [f"Reader,1,{at.astimezone(DUBLIN):%d-%m-%Y %H:%M},0,{100 + n},,\n" for n, at in enumerate(moments)]
    path = exports.text(tmp_path, "a.csv", LIBRE + "".join(rows[::-1] if newest_first else rows))
    expected = [(f"{at:%d %H:%M}", 100.0 + number) for number, at in enumerate(moments)]
    found = read(path, DUBLIN)
    assert values(found, Vital.GLUCOSE) == expected
    assert found.skipped == {}


def test_times_in_no_order_are_not_taken_for_two_hours(tmp_path: Path) -> None:
    text = "time,heart rate\n" + "".join(f"2025-10-26 01:{minute},6{minute % 10}\n" for minute in (30, 11, 45, 12, 50))
    assert [at for at, _ in values(read(exports.text(tmp_path, "a.csv", text), DUBLIN), Vital.HEART_RATE)] == [
        "26 00:11", "26 00:12", "26 00:30", "26 00:45", "26 00:50",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("Index;Zeitstempel (JJJJ-MM-TTThh:mm:ss);Ereignistyp;Glukosewert (mmol/l)", "1;2026-03-01T00:05:00;EGV;{}"),
        ("Index,Horodatage (AAAA-MM-JJThh:mm:ss),Type d'événement,Taux de glucose (mmol/L)",
         '1,2026-03-01T00:05:00,VGE,"{}"'),
    ],
)  # fmt: skip
def test_dexcom_is_read_in_german_and_french(tmp_path: Path, head: str, row: str) -> None:
    for told, value in (("5,8", 104.5), ("Niedrig", 39.0), ("Élevé", 401.0)):
        found = read(exports.text(tmp_path, "CLARITY.csv", f"{head}\n{row.format(told)}\n"), ZONE)
        assert [each for _, each in values(found, Vital.GLUCOSE)] == [value]
        assert found.shown()["glucose"] == "mmol/L"


def test_a_kind_of_event_that_is_not_known_is_told(tmp_path: Path) -> None:
    head = "Timestamp (YYYY-MM-DDThh:mm:ss),Event Type,Glucose Value (mg/dL)\n"
    rows = "2026-03-01T00:05:00,EGV,105\n2026-03-01T00:10:00,Estimate,110\n,Alert,250\n"
    assert dict(read(exports.text(tmp_path, "a.csv", head + rows), ZONE).skipped) == {
        "a value of the sort 'Estimate', which is not known": 1
    }


def test_a_meter_and_a_sensor_of_one_moment_are_both_kept(tmp_path: Path) -> None:
    rows = (
        "Libre 3,1,13-03-2026 07:00,0,128,,\nLibre 3,1,13-03-2026 07:00,1,,140,\nLibre 3,1,13-03-2026 07:00,2,,,131\n"
    )
    found = read(exports.text(tmp_path, "a.csv", LIBRE + rows), ZONE)
    assert [value for _, value in values(found, Vital.GLUCOSE)] == [128, 131, 140]


def test_two_values_of_one_moment_are_told(tmp_path: Path) -> None:
    rows = "time,heart rate\n2026-03-13 07:00,61\n2026-03-13 07:00,64\n2026-03-13 07:00,64\n"
    found = read(exports.text(tmp_path, "a.csv", rows), ZONE)
    assert values(found, Vital.HEART_RATE) == [("13 07:00", 64.0)]
    assert sum(found.skipped.values()) == 1


def test_the_date_above_a_table_tells_the_order_of_day_and_month(tmp_path: Path) -> None:
    for title, day in (("03-13-2026 09:00 AM UTC", "02 00:01"), ("13-03-2026 09:00 UTC", "03 00:01")):
        text = f"Glucose Data,Generated on,{title}\n{LIBRE}Reader,1,03-02-2026 12:01 AM,0,105,,\n"
        assert values(read(exports.text(tmp_path, "a.csv", text), ZONE), Vital.GLUCOSE) == [(day, 105.0)]


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-12 08:05 PM", "2026/03/12 8:05:00 PM", "Mar 12, 2026 8:05\N{NARROW NO-BREAK SPACE}PM",
        "12 March 2026, 20:05",
        "12. März 2026 20:05", "12 mars 2026 20h05", "12.03.2026, 20:05", "12.03.26 20:05 Uhr", "2026-03-12T20:05",
    ],
)  # fmt: skip
def test_clocks_and_dates_of_many_places(text: str) -> None:
    assert moment(text, day_first=True) == datetime(2026, 3, 12, 20, 5)


@pytest.mark.parametrize("text", ["2026-03-12 13:05 PM", "12 Quux 2026", "2026-03-12 25:00", "12/03/2026 at noon"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each part has words of its own
        moment(text, day_first=True)


@pytest.mark.parametrize(("text", "value"), [("8.123", 8123), ("5,123", 5.123), ("1.234,5", 1234.5), ("61,5", 61.5)])
def test_numbers_with_a_decimal_comma(text: str, value: float) -> None:
    assert number(text, decimal_comma=True) == value


def test_german_and_french_tables_are_read(tmp_path: Path) -> None:
    for head in ("Datum;Uhrzeit;Systolisch (mmHg);Puls", "Date;Heure;Systolique;Pouls"):
        found = read(exports.text(tmp_path, "a.csv", f"{head}\n13.03.2026;08:02;128;66\n"), ZONE)
        assert values(found, Vital.SYSTOLIC) == [("13 08:02", 128.0)]
        assert values(found, Vital.HEART_RATE) == [("13 08:02", 66.0)]


@pytest.mark.parametrize(
    ("name", "head", "value", "unit", "told"),
    [
        ("a.csv", "date,weight (lb)", "165.2", "lb", "165.2 lb"),
        ("a.csv", "Datum;Gewicht (kg)", "74,9", "", "74.9 kg"),
        ("a.csv", "date,weight (stone)", "11.8", "st", "11.80 st"),
        ("weight.csv", 'Date,"Weight (lb)","Fat mass (lb)",Comments', "165.2", "lb", "165.2 lb"),
        ("weight.csv", "timestamp,weight grams,data source", "74900", "", "74.9 kg"),
    ],
)
def test_weight_stays_in_the_unit_of_the_file(
    tmp_path: Path, name: str, head: str, value: str, unit: str, told: str
) -> None:
    row = f"2026-03-12;{value}" if ";" in head else f"2026-03-12 07:10:11,{value},,"
    found = read(exports.text(tmp_path, name, f"{head}\n{row}\n"), ZONE)
    assert found.shown()["weight"] == unit
    with shown_in(found.shown()):
        assert [MEASURES[Vital.WEIGHT].told(column[Vital.WEIGHT].value[0]) for column in found.sources().values()] == [
            told
        ]


def test_units_are_chosen_by_the_words_that_people_have_for_them() -> None:
    words = {"lb": "lb", "Pounds": "lb", "stone": "st", "KG": "kg", "mg": None}
    assert {each: unit_named(Vital.WEIGHT, each) for each in words} == words


def test_columns_and_files_that_are_not_read_are_told(tmp_path: Path) -> None:
    table = exports.text(tmp_path, "a.csv", "time,heart rate,waist (cm),notes\n2026-03-13 08:00,61,80,well\n")
    assert dict(read(table, ZONE).skipped) == {"waist (cm), which is no vital sign here": 1}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("data/moods.csv", "date,mood\n2026-03-13,3\n")
        archive.writestr("data/bp.csv", "Date,Heart rate,Systolic,Diastolic,Comments\n2026-03-13 08:00:00,61,121,79,\n")
    found = read(tmp_path / "a.zip", ZONE)
    assert dict(found.skipped) == {"files of a kind that is not read here (moods.csv)": 1}


def test_what_another_program_told_is_no_double_after_readings_are_thinned_out(tmp_path: Path) -> None:
    phone = Monitor(VitalsStore(HealthDatabase(None)), ZONE)
    rows = "2026-03-12T08:00:05Z,61\n2026-03-12T08:00:35Z,64\n2026-03-12T08:05:05Z,62\n"
    table = exports.text(tmp_path, "a.csv", f"time,heart rate\n{rows}")
    oura = exports.text(tmp_path, "b.csv", "timestamp,bpm,source\n" + rows.replace("\n", ",awake\n"))
    for path, new in ((table, 3), (oura, 0), (table, 0)):
        taken = [phone.take(columns, name, NOW, past=True).new for name, columns in read(path, ZONE).sources().items()]
        phone.store.thin(NOW)
        assert sum(taken) == new


def test_what_cannot_be_true_is_not_new_each_time(tmp_path: Path) -> None:
    phone = Monitor(VitalsStore(HealthDatabase(None)), ZONE)
    found = read(exports.text(tmp_path, "a.csv", "time,heart rate\n2026-03-12 08:00,61\n2026-03-12 09:00,0\n"), ZONE)
    for new in (1, 0):
        assert [phone.take(each, name, NOW, past=True).new for name, each in found.sources().items()] == [new]
        phone.store.thin(NOW)


def test_tables_of_health_connect_that_are_not_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "health_connect_export.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE weight_record_table (row_id INTEGER PRIMARY KEY, time INTEGER, weight REAL)")
        base.execute("CREATE TABLE height_record_table (row_id INTEGER PRIMARY KEY, time INTEGER, height REAL)")
        base.execute("CREATE TABLE hydration_record_table (row_id INTEGER PRIMARY KEY, time INTEGER, volume REAL)")
        base.execute("INSERT INTO weight_record_table VALUES (1, 1773302400000, 75200)")
        base.execute("INSERT INTO height_record_table VALUES (1, 1773302400000, 1.7)")
        base.commit()
    found = read(path, ZONE)
    assert values(found, Vital.WEIGHT) == [("12 08:00", 75.2)]
    assert dict(found.skipped) == {"height, which is not read here": 1}

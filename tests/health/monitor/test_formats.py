"""Exports of LibreView, Dexcom, Oura, Fitbit, Withings, Health Connect as they are; and tables that break off."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from camphor.device.health.database import HealthDatabase
from camphor.device.health.vitals import VitalsStore
from camphor.errors import UsageError
from camphor.health.monitor import tables
from camphor.health.monitor.imported import Imported
from camphor.health.monitor.imports import read
from camphor.health.monitor.monitor import Monitor
from camphor.health.monitor.vitals import MEASURES, Vital, shown_in
from tests.doubles import export_files as exports
from tests.doubles.vitals import ZONE

NOW = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
HEAD = "time,heart rate,oxygen,note\n"
ROWS = "".join(f'2026-03-12T08:{minute:02d}:00,61,97,"calm, in bed"\n' for minute in range(20))
LIBRE = "Device,Serial Number,Device Timestamp,Record Type,Historic Glucose mmol/L\n" + "".join(
    f"Reader,1,2026-03-12 08:{minute:02d},0,5.5\n" for minute in range(20)
)


def told(found: Imported) -> dict[Vital, list[tuple[str, float]]]:
    """Of each kind the UTC times and values, in their order."""
    rows: dict[Vital, list[tuple[str, float]]] = {}
    for columns in found.sources().values():
        for kind, column in columns.items():
            rows.setdefault(kind, []).extend(
                (f"{datetime.fromtimestamp(at, UTC):%d %H:%M}", round(value, 2))
                for at, value in zip(column.at.tolist(), column.value.tolist(), strict=True)
            )
    return {kind: sorted(each) for kind, each in rows.items()}


def libre(folder: Path) -> Path:
    return exports.text(folder, "NadiaOkafor_glucose_15-6-2026.csv", exports.LIBRE_MMOL)


def dexcom(folder: Path) -> Path:
    return exports.text(folder, "CLARITY_Export.csv", exports.DEXCOM)


ALL = [libre, dexcom, exports.oura, exports.fitbit, exports.withings, exports.health_connect]


def test_libreview_is_read_in_its_unit_and_what_is_below_the_sensor_counts_as_low(tmp_path: Path) -> None:
    found = read(libre(tmp_path), ZONE)
    reader = "LibreView, FreeStyle LibreLink"
    assert list(found.sources()) == [reader, f"{reader}, scan", f"{reader}, test strip"]
    glucose = told(found)[Vital.GLUCOSE]
    assert [value for _, value in glucose] == [97.29, 100.89, 39, 109.9]
    assert found.units == {Vital.GLUCOSE: "mmol/l"}
    assert found.skipped == {}


@pytest.mark.parametrize(("content", "values"), [(exports.LIBRE_GERMAN, [95, 104]), (exports.LIBRE_SPANISH, [110])])
def test_libreview_is_read_in_other_languages(tmp_path: Path, content: str, values: list[float]) -> None:
    found = read(exports.text(tmp_path, "glucose.csv", content), ZONE)
    assert [value for _, value in told(found)[Vital.GLUCOSE]] == values
    assert found.units == {Vital.GLUCOSE: "mg/dl"}


def test_american_dates_of_libreview_are_not_taken_for_british_ones(tmp_path: Path) -> None:
    american = exports.LIBRE_MMOL.replace("15-06-2026 0", "06-15-2026 0")
    assert told(read(exports.text(tmp_path, "us.csv", american), ZONE)) == told(read(libre(tmp_path), ZONE))
    doubtful = exports.LIBRE_MMOL.replace("15-06-2026", "05-06-2026")
    with pytest.raises(UsageError, match="may be day and month or month and day"):
        read(exports.text(tmp_path, "doubtful.csv", doubtful), ZONE)


def test_dexcom_gives_readings_and_calibrations_and_no_alert_settings(tmp_path: Path) -> None:
    found = read(dexcom(tmp_path), ZONE)
    assert [value for _, value in told(found)[Vital.GLUCOSE]] == [112, 39, 401, 118]
    assert found.skipped == {}


def test_oura_gives_the_day_and_the_night(tmp_path: Path) -> None:
    found = told(read(exports.oura(tmp_path), ZONE))
    assert found[Vital.HEART_RATE] == [("01 22:05", 58), ("01 22:10", 57), ("02 08:00", 61), ("02 08:05", 64)]
    assert found[Vital.SLEEP_DEEP] == [("01 22:15", 5), ("01 22:20", 5)]
    assert found[Vital.SLEEP_REM] == [("01 22:25", 5), ("01 22:30", 5)]
    assert found[Vital.HRV] == [("01 22:00", 44)]
    assert [value for _, value in found[Vital.OXYGEN]] == [97.25]
    assert [value for _, value in found[Vital.STEPS]] == [8123]


def test_oura_as_json_of_its_interface_is_the_same(tmp_path: Path) -> None:
    night = exports.text(tmp_path, "sleep.json", json.dumps({"data": [exports.OURA_NIGHT], "next_token": None}))
    found = told(read(night, ZONE))
    assert found[Vital.HEART_RATE] == [("01 22:05", 58), ("01 22:10", 57)]
    assert found[Vital.RESPIRATORY_RATE] == [("01 22:00", 13.5)]


def test_fitbit_takes_heart_and_steps_as_utc_and_sleep_as_local_time(tmp_path: Path) -> None:
    found = told(read(exports.fitbit(tmp_path), ZONE))
    assert found[Vital.HEART_RATE] == [("02 08:00", 66), ("02 08:00", 67)]
    assert found[Vital.STEPS] == [("02 08:01", 12), ("02 08:02", 0)]
    assert found[Vital.SLEEP_LIGHT] == [("01 22:16", 20)]
    assert found[Vital.SLEEP_DEEP] == [("01 22:36", 30)]
    assert found[Vital.OXYGEN] == [("02 02:00", 96.4)]
    assert [value for _, value in found[Vital.HRV]] == [41.5]


def test_withings_gives_cuff_watch_and_sleep(tmp_path: Path) -> None:
    found = told(read(exports.withings(tmp_path), ZONE))
    assert found[Vital.SYSTOLIC] == [("02 06:30", 128)]
    assert found[Vital.DIASTOLIC] == [("02 06:30", 82)]
    assert found[Vital.HEART_RATE] == [("02 06:00", 71), ("02 06:01", 72), ("02 06:30", 64)]
    assert found[Vital.SLEEP_LIGHT] == [("02 00:00", 10)]
    assert found[Vital.SLEEP_DEEP] == [("02 00:10", 20)]
    assert found[Vital.STEPS] == [("02 08:00", 88)]


def test_health_connect_names_the_app_that_measured(tmp_path: Path) -> None:
    found = read(exports.health_connect(tmp_path), ZONE)
    assert set(found.sources()) == {"Health Connect, Samsung Health", "Health Connect, Fit"}
    values = told(found)
    assert values[Vital.HEART_RATE] == [("02 06:00", 61), ("02 06:01", 63)]
    assert values[Vital.GLUCOSE] == [("02 06:00", 99.09)]
    assert values[Vital.STEPS] == [("02 06:00", 640), ("02 06:00", 700)]
    assert values[Vital.SLEEP_DEEP] == [("02 06:00", 30)]
    assert read(tmp_path / "health_connect_export.db", ZONE).readings == found.readings


@pytest.mark.parametrize("export", ALL, ids=lambda each: each.__name__)
def test_an_import_is_repeatable_without_doubles_under_any_name(export: Callable[[Path], Path], tmp_path: Path) -> None:
    path = export(tmp_path)
    phone = Monitor(VitalsStore(HealthDatabase(None)), ZONE)

    def take(path: Path) -> int:
        sources = read(path, ZONE).sources()
        return sum(phone.take(columns, name, NOW, past=True).new for name, columns in sources.items())

    first = read(path, ZONE).readings
    assert take(path) == first
    assert take(path) == 0
    if path.suffix != ".json":
        assert take(path.rename(tmp_path / f"another{path.suffix}")) == 0
    phone.store.thin(NOW)
    assert take(tmp_path / f"another{path.suffix}") == 0
    kept = sum(int(phone.store.minutes(kind, 0, NOW).count.sum()) for kind in phone.store.kinds())
    assert kept == first


def test_the_same_readings_in_two_exports_are_kept_once(tmp_path: Path) -> None:
    phone = Monitor(VitalsStore(HealthDatabase(None)), ZONE)
    table = exports.text(tmp_path, "a.csv", "time,heart rate\n2026-06-02T08:00:00Z,61\n2026-06-02T08:05:00Z,65\n")
    for path, new in ((exports.oura(tmp_path), 15), (table, 1)):
        taken = [phone.take(columns, name, NOW, past=True).new for name, columns in read(path, ZONE).sources().items()]
        assert sum(taken) == new


def test_glucose_is_told_in_the_unit_of_the_file_and_kept_in_its_own(tmp_path: Path) -> None:
    store = VitalsStore(HealthDatabase(None))
    store.show_in(read(libre(tmp_path), ZONE).shown())
    with shown_in(store.units()):
        assert MEASURES[Vital.GLUCOSE].told(97.29) == "5.4 mmol/L"
        assert MEASURES[Vital.TEMPERATURE].told(37) == "37.0 °C"
    assert MEASURES[Vital.GLUCOSE].told(97.29) == "97 mg/dL"
    with shown_in({"temperature": "°F", "glucose": "furlong"}):
        assert MEASURES[Vital.TEMPERATURE].told(37) == "98.6 °F"
        assert MEASURES[Vital.TEMPERATURE].told(1, difference=True) == "1.8 °F"
        assert MEASURES[Vital.GLUCOSE].unit == "mg/dL"


def test_archives_of_other_things_are_refused_and_paths_in_them_are_not_followed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no export that is read here"):
        read(exports.zipped(tmp_path, "photos.zip", {"a.jpg": b"x", "notes.csv": "a,b\n1,2\n"}), ZONE)
    outside = exports.zipped(tmp_path, "evil.zip", {"../../evil.csv": exports.DEXCOM})
    assert read(outside, ZONE).readings == 4
    assert not list(tmp_path.parent.rglob("evil.csv"))
    whole = exports.oura(tmp_path).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UsageError, match="is damaged"):
        read(tmp_path / "cut.zip", ZONE)


def test_a_database_of_something_else_and_json_that_is_none_are_refused(tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    database.write_bytes(b"SQLite format 3\x00" + b"\xff" * 200)
    with pytest.raises(UsageError, match="damaged or no database"):
        read(database, ZONE)
    with pytest.raises(UsageError, match="cannot be read as JSON"):
        read(exports.text(tmp_path, "heart_rate-1.json", "[{"), ZONE)
    with pytest.raises(UsageError, match="no JSON that is read here"):
        read(exports.text(tmp_path, "other.json", '[{"a": 1}]'), ZONE)
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(UsageError):
        read(tmp_path / "empty.zip", ZONE)


@pytest.mark.parametrize(
    ("text", "readings", "lost"),
    [
        (HEAD + ROWS, 40, ""),
        (HEAD + ROWS.rstrip(), 40, ""),
        (HEAD + ROWS + "2026-03-12T08:20:00,6", 40, "1 row was not read"),
        (HEAD + ROWS + '2026-03-12T08:20:00,61,97,"cal', 40, "1 row was not read"),
        (
            HEAD + ROWS + '2026-03-12T08:20:00,61,97,"calm\n' + "2026-03-12T08:30:00,61,97,\n" * 19,
            40,
            "20 rows were not read",
        ),
        (HEAD + ROWS + '2026-03-12T08:20:00,61,97,"a note\nof two lines"\n', 42, ""),
        (LIBRE + "Reader,1,2026-03-12 09", 20, "1 row was not read"),
    ],
)
def test_a_table_that_breaks_off_is_read_to_there_and_says_how_many_rows_were_not(
    tmp_path: Path, text: str, readings: int, lost: str
) -> None:
    path = tmp_path / "vitals.csv"
    path.write_text(text, encoding="utf-8")
    found = read(path, ZONE)
    assert found.readings == readings
    assert lost in found.broken
    assert bool(lost) == bool(found.broken)


def test_a_table_that_is_too_large_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_BYTES", 1 << 20)
    path = tmp_path / "years.csv"
    path.write_text(HEAD + ROWS * 2000, encoding="utf-8")
    with pytest.raises(UsageError, match="has 1 MB, and tables are read up to 1 MB: take in a shorter time, or split"):
        read(path, ZONE)

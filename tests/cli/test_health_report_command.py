"""`camphor health report` and `camphor health export` as a person meets them, on the demo phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doubles.command import Camphor, one_line

TABLE = """time,heart rate,spo2,steps
2026-05-17 03:00,55,97,0
2026-05-17 03:01,56,96,0
2026-05-17 03:02,55,97,0
2026-05-17 09:00,71,98,80
"""


@pytest.fixture
def measured(camphor: Camphor, tmp_path: Path) -> Camphor:
    table = tmp_path / "vitals.csv"
    table.write_text(TABLE, encoding="utf-8")
    assert camphor("health", "import", str(table)).status == 0
    return camphor


def test_a_day_as_text_page_pdf_and_json(measured: Camphor, tmp_path: Path) -> None:
    shown = measured("health", "report", "yesterday")
    assert shown.status == 0
    assert "Nadia Okafor, Sunday 17 May 2026" in shown.out
    assert "Heart rate: 59 bpm on average; 55 (03:00) to 71 (09:00)" in shown.out
    assert "no diagnosis" in shown.out
    page, paper = tmp_path / "day.html", tmp_path / "day.pdf"
    written = measured("health", "report", "2026-05-17", "--html", str(page), "--pdf", str(paper))
    assert written.out == f"Written: {page}\nWritten: {paper}\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert paper.read_bytes().startswith(b"%PDF")
    told = json.loads(measured("health", "report", "2026-05-17", "--json").out)
    assert told["measured"]["figures"]["steps"]["value"] == 80
    assert told["until"] is None
    kept = json.loads(measured("health", "report", "--list", "--json").out)
    assert {"day": "2026-05-17", "until": None} in kept


def test_weeks_in_plain_words(measured: Camphor, tmp_path: Path) -> None:
    shown = measured("health", "report", "--days", "14")
    assert "5 May to 18 May 2026" in shown.out
    assert "Days with vitals: 1 of 14" in shown.out
    page = tmp_path / "weeks.html"
    assert measured("health", "report", "--days", "14", "--html", str(page)).status == 0
    assert "Health report of 14 days" in page.read_text(encoding="utf-8")
    told = json.loads(measured("health", "report", "--days", "14", "--json").out)
    assert told["values"]["steps"] == {"2026-05-17": 80.0}


def test_an_export_for_a_doctor(measured: Camphor, tmp_path: Path) -> None:
    for version in ("r5", "r4"):
        file = tmp_path / f"{version}.json"
        done = measured("health", "export", "--fhir", version, "--days", "3", str(file))
        assert done.status == 0
        assert f"FHIR {version.upper()}" in done.out
        assert json.loads(file.read_text(encoding="utf-8"))["resourceType"] == "Bundle"


def test_what_cannot_be_done_is_said_in_a_line(camphor: Camphor, tmp_path: Path) -> None:
    for words, told in (
        (("report", "2030-01-01"), "still to come"),
        (("report", "someday"), "is no day"),
        (("report", "--html", str(tmp_path / "no" / "where.html")), "folder that exists"),
        (("export", "--fhir", "r3", str(tmp_path / "x.json")), "is no version"),
    ):
        done = camphor("health", *words)
        assert done.status == 2
        assert told in one_line(done.err)
    assert "Nothing is known of this day" in camphor("health", "report").out
    assert "No day's figures are kept yet" in camphor("health", "report", "--list").out


def test_the_report_of_an_evening_that_was_missed_is_told_by_reminders_once(measured: Camphor) -> None:
    first = measured("health", "remind", "--once")
    assert "Your health report of Sunday 17 May 2026" in first.out
    assert measured("health", "remind", "--once").out == "Nothing is due now\n"

"""Vitals, the simulated watch and reports through the interface."""

from __future__ import annotations

import asyncio
import io
from datetime import datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from camphor.errors import UsageError
from camphor.web.feed import Feed
from camphor.web.services import Services
from camphor.web.watches import Simulation
from tests.doubles.web import BARE, NADIA, health_client, services_on

CSV = "time,heart_rate,oxygen\n2026-05-17T10:00:00,71,97\n2026-05-17T10:01:00,73,98\n2026-05-17T10:02:00,900,98\n"
LATE = datetime(2026, 5, 17, 23, 20)


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return services_on(tmp_path)


@pytest.fixture
def client(services: Services) -> TestClient:
    return health_client(services)


def run(services: Services, *scenes: str, keep: bool) -> Simulation:
    watch = Simulation(services.phone("nadia-bristol"), LATE, 300, keep, pace=0.0)
    for scene in scenes:
        watch.scene(scene, 20)
    watch.start()
    watch.join(120)
    return watch


def test_a_table_is_taken_in_once_and_shown_as_curves(client: TestClient) -> None:
    for new in (3, 0):
        file = {"file": ("../../pressure <b>.csv", io.BytesIO(CSV.encode()))}
        told = client.post("/api/health/import", files=file, data={"phone": "nadia-bristol"})
        assert told.status_code == 201, told.text
        assert told.json()["new"] >= new
    found = client.get(f"{NADIA}/vitals", params={"day": "2026-05-17"}).json()
    heart = next(each for each in found["curves"] if each["kind"] == "heart_rate")
    assert heart["points"] == [[600.0, 72.0, 71.0, 73.0]]  # the impossible one counts for nothing
    assert found["days"] == ["2026-05-17", "2026-05-17"]
    checked = client.get(f"{NADIA}/vitals/check", params={"day": "2026-05-17"}).json()
    assert any("cannot be true" in each for each in checked["watch"])


GLUCOSE = "time,glucose (mg/dL)\n2026-05-17T10:00:00,90\n2026-05-17T10:05:00,180\n2026-05-17T10:10:00,126\n"


def test_a_unit_that_was_chosen_is_that_of_curves_limits_and_reports_whatever_the_next_file_has(
    client: TestClient,
) -> None:
    units = f"{NADIA}/vitals/units"
    assert client.put(f"{units}/glucose", json={"unit": "mmol"}).status_code == 204
    file = {"file": ("glucose.csv", io.BytesIO(GLUCOSE.encode()))}
    assert client.post("/api/health/import", files=file, data={"phone": "nadia-bristol"}).status_code == 201
    told = client.get(f"{NADIA}/vitals", params={"day": "2026-05-17"}).json()
    assert [each["unit"] for each in told["units"]] == ["mmol/L", "°C", "kg"]
    [curve] = told["curves"]
    assert (curve["unit"], curve["points"][0][1]) == ("mmol/L", 5.0)
    assert any(limit["value"] == 13.88 for limit in curve["limits"])
    report = client.get(f"{NADIA}/reports/2026-05-17").json()
    [plot] = [plot for block in report["blocks"] for plot in block["plots"]]
    assert (plot["name"], plot["simulated"]) == ("Glucose, mmol/L", False)
    chart = plot["chart"]
    assert chart["unit"] == "mmol/L"
    assert all(4 < value < 11 for each in chart["series"][0]["values"] for value in each[1:4])  # not 100 and more
    assert {"value": 13.88, "above": True, "urgent": False} in chart["limits"]
    for kind, unit in (("glucose", "°F"), ("steps", "km"), ("nothing", "mmol/L"), ("glucose", "")):
        assert client.put(f"{units}/{kind}", json={"unit": unit}).status_code == 422


def test_a_file_that_is_none_of_them_is_refused_by_the_name_it_has(client: TestClient) -> None:
    file = {"file": ("readings.fit", io.BytesIO(b"no such thing"))}
    told = client.post("/api/health/import", files=file, data={"phone": "ines-dublin"})
    assert told.status_code in (415, 422)
    assert "readings.fit" in told.json()["detail"]
    assert "/tmp" not in told.json()["detail"]
    assert client.post("/api/health/import", files=file, data={"phone": "nobody"}).status_code == 404


def test_a_day_without_readings_is_empty_and_a_wrong_one_refused(client: TestClient) -> None:
    told = client.get(f"{BARE}/vitals").json()
    assert (told["curves"], told["alarms"], told["days"]) == ([], [], [])
    assert client.get(f"{BARE}/vitals", params={"day": "yesterday"}).status_code == 422


def test_an_emergency_of_the_simulated_watch_is_told_and_kept_where_the_person_wants_it(
    client: TestClient, services: Services
) -> None:
    watch = run(services, "hypoxia", keep=True)
    events = watch.feed.after()
    sos = next(event.data for event in events if event.kind == "sos")
    assert "blood oxygen" in sos["text"]
    assert "camphor" not in sos["text"]
    assert (events[0].kind, events[-1].kind) == ("scene", "stopped")
    shown = next(event.data for event in events if event.kind == "readings")
    assert shown["values"]["oxygen"]
    assert shown["scenes"] == ["hypoxia"]
    told = client.get(f"{NADIA}/vitals", params={"day": "2026-05-17"}).json()
    assert [each["told"] for each in told["alarms"]] == [True]
    report = client.get(f"{NADIA}/reports/2026-05-17").json()
    plots = [plot for block in report["blocks"] for plot in block["plots"]]
    assert any(plot["chart"]["series"][0]["values"] for plot in plots)
    assert all(plot["simulated"] for plot in plots)


def test_a_fault_of_the_watch_is_no_alarm_and_nothing_is_kept(client: TestClient, services: Services) -> None:
    watch = run(services, "zeros", keep=False)
    kinds = [event.kind for event in watch.feed.after()]
    assert "fault" in kinds
    assert "sos" not in kinds
    assert client.get(f"{NADIA}/vitals", params={"day": "2026-05-17"}).json()["curves"] == []


def test_a_watch_is_put_on_and_taken_off(client: TestClient) -> None:
    assert client.post(f"{NADIA}/watch/scenes", json={"name": "fever"}).status_code == 409
    assert client.get(f"{NADIA}/watch/stream").status_code == 409
    begun = client.post(f"{NADIA}/watch/start", json={"at": "09:30", "speed": 60}).json()
    assert (begun["running"], begun["keep"], begun["at"][:10]) == (True, False, "2026-05-17")
    assert client.post(f"{NADIA}/watch/scenes", json={"name": "fever"}).json()["scenes"] == ["fever"]
    assert client.post(f"{NADIA}/watch/scenes", json={"name": "boredom"}).status_code == 422
    assert client.post(f"{NADIA}/watch/well").json()["scenes"] == []
    assert client.post(f"{NADIA}/watch/stop").json()["running"] is False
    assert client.post(f"{NADIA}/watch/start", json={"speed": 7}).status_code == 422
    assert client.post(f"{NADIA}/watch/start", json={"day": "2026-05-19"}).status_code == 422


def test_a_watch_of_no_speed_is_refused(services: Services) -> None:
    with pytest.raises(UsageError, match="times the speed"):
        Simulation(services.phone("ines-dublin"), LATE, 2, keep=False)


def test_a_feed_goes_on_after_the_last_event_that_was_seen() -> None:
    feed = Feed(most=3)
    for number in range(5):
        feed.add("step", value=number)
    assert [event.number for event in feed.after()] == [3, 4, 5]

    async def follow() -> list[int]:
        seen = []
        async for event in feed.stream(4):
            seen.append(event.number)
            if len(seen) == 1:
                feed.add("step")
            else:
                return seen
        return seen

    assert asyncio.run(follow()) == [5, 6]


# reports


def test_reports_are_listed_shown_and_given_out_as_files(client: TestClient) -> None:
    client.post(f"{NADIA}/complaints", json={"symptoms": "<script>alert(1)</script>"})
    days = client.get(f"{NADIA}/reports").json()
    assert (days[0]["day"], len(days)) == ("2026-05-18", 14)
    report = client.get(f"{NADIA}/reports/2026-05-18").json()
    assert any(line["text"] == "<script>alert(1)</script>" for block in report["blocks"] for line in block["lines"])
    page = client.get(f"{NADIA}/reports/2026-05-18/page")
    assert "attachment" in page.headers["content-disposition"]
    assert "<script>" not in page.text
    assert client.get(f"{NADIA}/reports/2026-05-18/pdf").content.startswith(b"%PDF-")
    assert client.get(f"{NADIA}/reports/2030-01-01").status_code == 422
    assert client.get(f"{NADIA}/reports/soon").status_code == 422


def test_weeks_are_shown_with_their_curves_and_given_out_as_files(client: TestClient) -> None:
    table = [
        "time,steps",
        *(f"2026-05-{day:02}T10:{minute:02}:00,{100 + day}" for day in range(1, 19) for minute in (0, 5)),
    ]
    file = {"file": ("weeks.csv", "\n".join(table), "text/csv")}
    assert client.post("/api/health/import", files=file, data={"phone": "nadia-bristol"}).status_code == 201
    report = client.get(f"{NADIA}/reports/2026-05-18", params={"days": 28}).json()
    assert "28 days" in report["subtitle"]
    [vitals] = [block for block in report["blocks"] if block["title"] == "Vitals"]
    [steps] = [plot["chart"] for plot in vitals["plots"]]
    assert (steps["name"], steps["last"], steps["gap"]) == ("steps", 28, 1)
    assert steps["series"][0]["values"][-1][0] == 26  # the last day is not over
    assert steps["series"][0]["values"][-1][5] == "17 May"
    assert any(block["title"].startswith("By week") and block["rows"] for block in report["blocks"])
    page = client.get(f"{NADIA}/reports/2026-05-18/page", params={"days": 28})
    assert "28-days-to-2026-05-18.html" in page.headers["content-disposition"]
    assert client.get(f"{NADIA}/reports/2026-05-18/pdf", params={"days": 28}).content.startswith(b"%PDF-")
    for day, days in (("2026-05-19", 7), ("0001-01-02", 7), ("9999-12-31", 1), ("2026-05-18", 0), ("2026-05-18", 367)):
        assert client.get(f"{NADIA}/reports/{day}", params={"days": days}).status_code == 422
    assert (
        client.get(f"{NADIA}/reports/1970-01-10", params={"days": 366}).json()["blocks"][0]["title"]
        == "Nothing to tell"
    )


def test_a_reading_is_typed_on_the_page_and_one_that_is_urgent_says_so(client: TestClient) -> None:
    readings = f"{NADIA}/vitals/readings"
    told = client.post(readings, json={"text": "Weight 12 st 13 lb", "at": "2026-05-18T08:30"})
    assert told.status_code == 201, told.text
    assert (told.json()["says"], told.json()["alarms"]) == (["Noted at 08:30 on 18 May 2026: weight 12 st 13 lb"], [])
    shown = client.get(f"{NADIA}/vitals", params={"day": "2026-05-18"}).json()
    assert [(each["kind"], each["unit"]) for each in shown["curves"]] == [("weight", "st")]
    [alarm] = client.post(readings, json={"text": "Blood pressure 195/124 mmHg pulse 80"}).json()["alarms"]
    assert "call your emergency number" in alarm
    assert client.post(readings, json={"text": "Blood pressure 142/910 mmHg"}).status_code == 422

"""From end to end: what is kept through the web app or read from a file rings at a place that the person set up."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from dateutil import tz
from fastapi.testclient import TestClient

from camphor.device.device import Device
from camphor.web.application import create_app
from camphor.web.security import Entrance
from tests.doubles.pictures import page
from tests.doubles.service import SURE, loop_on, morning, phone_in, ringing
from tests.doubles.web import KEY, services_on

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # sockets of apprise
PATIENCE = 90.0
LEAH = "/api/phones/leah"


def until(true: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := true():
            return found
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come to be")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder with a phone."""
    phone_in(tmp_path)
    return tmp_path


@pytest.fixture
def client(home: Path) -> Iterator[TestClient]:
    """The web app on it, with the loop that it runs where there is no service."""
    services = services_on(home / "devices", ())
    services.folder = home / "web"
    services.loop = loop_on(home, home / "devices" / "leah.camphor", kind="web", stand_by=True)
    app = create_app(services, hosts=("testserver",), secret="of the tests", entrance=Entrance(KEY))
    with TestClient(app, headers={"x-camphor-key": KEY}) as held:
        yield held


@pytest.fixture
def service(home: Path) -> Iterator[subprocess.Popen[str]]:
    """`camphor service run` as a process of its own."""
    environment = {**os.environ, "CAMPHOR_HOME": str(home)}
    command = [sys.executable, "-m", "camphor", "service", "run"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert "Looking after your phones" in running.stdout.readline()
        yield running
        running.send_signal(signal.SIGINT)
        running.wait(PATIENCE)


def keep(client: TestClient, lines: list[dict[str, Any]]) -> Any:
    """Keeps them from seven on."""
    start = datetime.now(tz.gettz(morning())).replace(hour=7, minute=0, second=0, microsecond=0, tzinfo=None)
    kept = client.post(f"{LEAH}/prescriptions", json={"lines": lines, "start": start.isoformat()})
    assert kept.status_code == 201, kept.text
    return kept.json()


def low_oxygen(path: Path, minutes: int = 40) -> Path:
    """A file of another program: blood oxygen that is far too low until now."""
    now = datetime.now(tz.gettz(morning())).replace(tzinfo=None)
    rows = [f"{now - timedelta(minutes=minute):%Y-%m-%d %H:%M:%S},83" for minute in range(minutes, 0, -1)]
    path.write_text("\n".join(["time,oxygen saturation (%)", *rows, ""]))
    return path


def typed(_: TestClient) -> list[dict[str, Any]]:
    return [{"text": SURE}]


def pictured(client: TestClient) -> list[dict[str, Any]]:
    made = io.BytesIO()
    page([SURE], 28, 900).save(made, "png")
    made.seek(0)
    read = client.post("/api/health/prescriptions", files={"file": ("photo.png", made)})
    assert read.status_code == 200, read.text
    lines: list[dict[str, Any]] = read.json()["lines"]
    return lines


@pytest.mark.parametrize("read", [typed, pictured])
def test_a_prescription_that_is_kept_in_the_web_app_rings(
    client: TestClient, home: Path, read: Callable[[TestClient], list[dict[str, Any]]]
) -> None:
    with ringing(home) as server:
        kept = keep(client, read(client))
        assert kept["medicines"] == ["Metformin"]
        assert kept["rings"].startswith("The web app looks after")
        until(lambda: server.posts, "a reminder")
        path, text = server.posts[0]
        assert path == "/ring"
        assert text.startswith("Metformin 850 mg, 1 tablet")
        assert "due 08:00" in text
        told = client.get("/api/alerts").json()
        assert [each["what"].split(",")[0] for each in told["due"]] == ["Metformin 850 mg"]
        assert [each["kind"] for each in told["notices"]] == ["dose"]
        dose = told["due"][0]["dose"]
        assert client.post(f"{LEAH}/doses/{dose}/taken", json={}).status_code == 200
        assert client.get("/api/alerts").json()["due"] == []


def test_readings_of_a_file_raise_a_soft_sos(client: TestClient, home: Path, tmp_path: Path) -> None:
    with ringing(home) as server:
        file = low_oxygen(tmp_path / "oxygen.csv")
        with file.open("rb") as held:
            taken = client.post("/api/health/import", files={"file": held}, data={"phone": "leah"})
        assert taken.status_code == 201, taken.text
        assert taken.json()["new"] == 40
        until(lambda: server.posts, "a soft SOS")
        assert server.posts[0][1].startswith("Urgent, ")
        assert "83%" in server.posts[0][1].replace(" %", "%")
        told = client.get("/api/alerts").json()["notices"]
        assert [(each["kind"], each["urgent"]) for each in told] == [("vitals", True)]


def cuff(path: Path, *minutes: float, value: str = "204,126") -> Path:
    """A file of a cuff: measurements so many minutes ago."""
    now = datetime.now(tz.gettz(morning())).replace(tzinfo=None)
    rows = [f"{now - timedelta(minutes=ago):%Y-%m-%d %H:%M:%S},{value}" for ago in minutes]
    path.write_text("\n".join(["time,systolic (mmHg),diastolic (mmHg)", *rows, ""]))
    return path


def test_one_bad_reading_of_a_cuff_asks_for_another_and_that_one_raises_a_soft_sos(
    client: TestClient, home: Path, tmp_path: Path
) -> None:
    def take(file: Path) -> None:
        with file.open("rb") as held:
            taken = client.post("/api/health/import", files={"file": held}, data={"phone": "leah"})
        assert taken.status_code == 201, taken.text

    with ringing(home) as server:
        take(cuff(tmp_path / "first.csv", 6))
        until(lambda: server.posts, "the word to measure again")
        text = server.posts[0][1]
        assert "upper blood pressure 204 mmHg, lower blood pressure 126 mmHg" in text
        assert "Sit still for 5 minutes and measure again" in text
        assert "call your emergency number" in text
        take(cuff(tmp_path / "second.csv", 0.2))
        until(lambda: len(server.posts) > 1, "a soft SOS")
        assert server.posts[1][1].startswith("Urgent, ")
        # until somebody says so it is shown on every page, however late that is opened
        (shown,) = client.get(f"/api/alerts?after={time.time()}").json()["readings"]
        assert shown["text"].startswith("Urgent, ")
        assert client.post(f"{LEAH}/notices/{shown['id']}/seen", json={}).status_code == 204
        assert client.get("/api/alerts").json()["readings"] == []


def test_a_good_second_reading_ends_the_word_to_measure_again(client: TestClient, home: Path, tmp_path: Path) -> None:
    loop = client.app.state.services.loop  # type: ignore[attr-defined]
    for file in (cuff(tmp_path / "first.csv", 6), cuff(tmp_path / "second.csv", 0.2, value="128,82")):
        with file.open("rb") as held:
            client.post("/api/health/import", files={"file": held}, data={"phone": "leah"})
        loop.look()
        told = client.get("/api/alerts").json()["readings"]
        assert [each["title"] for each in told] == ["Measure again"][: 1 if "first" in file.name else 0]


def test_the_service_rings_for_what_commands_keep_and_nothing_rings_twice(
    home: Path, service: subprocess.Popen[str], client: TestClient, tmp_path: Path
) -> None:
    environment = {**os.environ, "CAMPHOR_HOME": str(home)}

    def camphor(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "camphor", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)

    until(lambda: client.get("/api/service").json()["runs"] == "service", "the heartbeat of the service")
    with ringing(home) as server:
        start = f"{datetime.now(tz.gettz(morning())):%Y-%m-%d}T07:00"
        kept = camphor("health", "prescription", "--text", SURE, "--from", start, "--add", "-d", "leah")
        assert kept.returncode == 0, kept.stderr
        assert "You are reminded: the service looks after" in kept.stdout
        taken = camphor("health", "import", str(low_oxygen(tmp_path / "oxygen.csv")), "-d", "leah")
        assert taken.returncode == 0, taken.stderr
        assert "Urgent, " in taken.stdout
        until(lambda: len(server.posts) >= 2, "a reminder and a soft SOS")
        assert camphor("health", "remind", "--once", "-d", "leah").returncode == 0
        client.app.state.services.loop.look()  # type: ignore[attr-defined]
        time.sleep(1)
        assert len(server.posts) == 2
        status = camphor("service", "status", "--json")
        state = json.loads(status.stdout)
        assert state["runs"]["process"] == service.pid
        assert state["phones"][0]["waiting"]
        assert camphor("service", "run").returncode == 1
        assert client.get("/api/service").json()["runs"] == "service"


def test_where_the_service_is_killed_the_web_app_goes_on(
    home: Path, service: subprocess.Popen[str], client: TestClient
) -> None:
    until(lambda: (home / "service.json").exists(), "a heartbeat")
    service.kill()
    service.wait()
    with ringing(home) as server:
        keep(client, typed(client))
        until(lambda: server.posts, "a reminder")
        until(lambda: client.get("/api/service").json()["runs"] == "web", "the heartbeat of the web app")


def test_a_still_clock_is_said_where_a_prescription_is_kept(tmp_path: Path) -> None:
    phone_in(tmp_path, now="2026-03-12T08:45:00")
    services = services_on(tmp_path / "devices", ())
    app = create_app(services, hosts=("testserver",), secret="of the tests", entrance=Entrance(KEY))
    client = TestClient(app, headers={"x-camphor-key": KEY})
    kept = client.post(f"{LEAH}/prescriptions", json={"lines": typed(client)}).json()
    assert kept["rings"].startswith("The clock of this phone stands still")
    with closing(Device.open(tmp_path / "devices" / "leah.camphor")) as device:
        assert not device.clock_goes

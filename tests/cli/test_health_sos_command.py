"""`camphor health sos` and `camphor health outbox` as a person meets them."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.doubles.command import Camphor, one_line
from tests.doubles.emergency import Server, serving

PHONE = {
    "format": "camphor.device/1",
    "id": "leah",
    "owner": "Leah Lima",
    "now": "2026-03-12T08:45:00",
    "location": {"latitude": 53.34, "longitude": -6.26},
    "apps": {
        "clinic": {
            "ambulances": [{"ambulance_id": "AMB1", "phone_no": "+35315550902", "latitude": 53.3, "longitude": -6.2}],
            "emergency_contacts": [{"name": "Rui Lima", "phone_number": "+353855550101"}, {"name": "Old Mr Finch"}],
        }
    },
}


@contextmanager
def service(camphor: Camphor, *statuses: int) -> Iterator[Server]:
    """A service that the data folder's settings name; it gives these statuses, then 200, however slow the machine."""
    with serving(*statuses) as server:
        path = camphor.home / "delivery.toml"
        path.write_text(f'[sms]\nurl = "{server.url}?cto=60&rto=60"\n')
        path.chmod(0o600)
        yield server


@pytest.fixture
def leah(camphor: Camphor, tmp_path: Path) -> Camphor:
    """A data folder with the phone `leah`."""
    file = tmp_path / "leah.device.json"
    file.write_text(json.dumps(PHONE))
    assert camphor("device", "import", str(file)).status == 0
    return camphor


def told(camphor: Camphor) -> list[tuple[str, str]]:
    done = camphor("health", "outbox", "-d", "leah", "--json")
    assert done.status == 0, done.err
    return [(each["to"], each["state"]) for each in json.loads(done.out)]


def test_by_default_nobody_is_told_and_that_is_said(leah: Camphor) -> None:
    done = leah("health", "sos", "start", "-d", "leah")
    assert done.status == 1
    assert one_line(done.err) == "camphor: NOBODY was told: not reached: AMB1, Rui Lima. Call 112 yourself, now"
    assert "Call 112 too" in done.out
    assert "NOT SENT: no delivery was set up" in done.out
    assert "set it up with  camphor health sos setup" in done.out
    assert "Old Mr Finch has no phone number" in done.out
    assert told(leah) == [("AMB1", "kept"), ("Rui Lima", "kept")]


def test_a_dry_run_sends_and_keeps_nothing(leah: Camphor) -> None:
    with service(leah) as server:
        done = leah("health", "sos", "start", "--dry-run", "-d", "leah")
        assert done.status == 0, done.err
        assert "Would be sent to AMB1, +35315550902 (sms): Ambulance needed for Leah Lima" in done.out
        assert "Would be sent to Rui Lima" in done.out
        assert server.posts == []
    assert not list(leah.home.rglob("*.health"))


def test_from_start_to_end_each_is_told_once(leah: Camphor) -> None:
    with service(leah) as server:
        assert leah("health", "sos", "start", "-d", "leah").status == 0
        again = leah("health", "sos", "start", "-d", "leah")
        assert again.status == 0
        assert "no second one is begun" in again.out
        assert leah("health", "sos", "update", "at", "the", "door", "-d", "leah").status == 0
        assert leah("health", "sos", "end", "-d", "leah").status == 0
        paths = [path for path, _ in server.posts]
        assert sorted(paths) == ["/+35315550902"] * 3 + ["/+353855550101"] * 3
        assert sum("at the door" in text for _, text in server.posts) == 2
    assert {state for _, state in told(leah)} == {"sent"}
    status = leah("health", "sos", "status", "-d", "leah")
    assert "SOS 1 is ended" in status.out


def test_an_end_without_a_start(leah: Camphor) -> None:
    done = leah("health", "sos", "end", "-d", "leah")
    assert done.status == 1
    assert "No SOS is active" in one_line(done.err)


def test_a_service_that_fails_for_a_while(leah: Camphor) -> None:
    with service(leah, 503, 503, 503) as server:
        done = leah("health", "sos", "start", "-d", "leah")
        assert done.status == 0, done.err
        assert "Trying again for 60 seconds" in done.out
        assert len(server.posts) == 5
    assert {state for _, state in told(leah)} == {"sent"}


def test_what_a_service_refuses_waits_and_is_sent_later(leah: Camphor) -> None:
    with service(leah, 503, 503) as server:
        done = leah("health", "sos", "start", "--wait", "0", "-d", "leah")
        assert done.status == 1
        assert "NOBODY was told: not reached: AMB1, Rui Lima" in one_line(done.err)
        assert leah("health", "outbox", "send", "-d", "leah").status == 0
        assert len(server.posts) == 4


def test_killed_in_the_hand_over_nothing_is_sent_again_by_itself(leah: Camphor) -> None:
    with service(leah, 0, 0) as server:
        command = leah.command("health", "sos", "start", "-d", "leah")
        running = subprocess.Popen(command, env=leah.environment, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(server.posts) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        server.released.set()
        again = leah("health", "sos", "start", "-d", "leah")
        assert again.status == 1
        assert "NOT KNOWN whether it was sent" in again.out
        assert len(server.posts) == 2
        assert told(leah) == [("AMB1", "unclear"), ("Rui Lima", "unclear")]
        assert leah("health", "outbox", "settle", "1", "--sent", "-d", "leah").status == 0
        assert leah("health", "outbox", "settle", "2", "--send-again", "-d", "leah").status == 0
        assert [path for path, _ in server.posts[2:]] == ["/+353855550101"]
    assert told(leah) == [("AMB1", "sent"), ("Rui Lima", "sent")]


def test_broken_settings_keep_nobody_from_pressing(leah: Camphor) -> None:
    leah.home.joinpath("delivery.toml").write_text("[sms")
    done = leah("health", "sos", "start", "--wait", "0", "-d", "leah")
    assert done.status == 1
    assert "not TOML" in done.out
    with service(leah) as server:  # mended
        assert leah("health", "outbox", "send", "-d", "leah").status == 0
        assert len(server.posts) == 2


def test_a_health_file_that_cannot_be_used_keeps_nobody_from_pressing(leah: Camphor) -> None:
    (leah.home / "devices" / "leah.camphor.health").write_bytes(b"this is no database at all, " * 100)
    with service(leah) as server:
        done = leah("health", "sos", "start", "-d", "leah")
        assert done.status == 0, done.err
        assert "kept in memory alone" in done.out
        assert len(server.posts) == 2


def test_the_outbox_warns_of_settings_that_others_can_read(leah: Camphor) -> None:
    with service(leah):
        (leah.home / "delivery.toml").chmod(0o644)
        done = leah("health", "outbox", "-d", "leah")
    assert done.status == 0, done.err
    assert "Delivered by sms" in done.out
    assert "chmod 600" in done.out


def test_json_tells_everything(leah: Camphor) -> None:
    done = leah("health", "sos", "start", "--json", "-d", "leah")
    value = json.loads(done.out)
    assert value["sos"]["state"] == "active"
    assert value["sos"]["ambulance"]["ambulance_id"] == "AMB1"
    assert [each["state"] for each in value["messages"]] == ["kept", "kept"]
    assert value["problems"] == ["Old Mr Finch has no phone number and cannot be told: tell them some other way"]


def test_who_is_not_reached_is_named_beside_who_is(leah: Camphor) -> None:
    with service(leah, 503):
        done = leah("health", "sos", "start", "--wait", "0", "-d", "leah")
    assert done.status == 1
    assert "Not certainly told: " in one_line(done.err)
    assert ("AMB1" in done.err) != ("Rui Lima" in done.err)


def test_it_is_set_up_with_a_test_message(leah: Camphor) -> None:
    lacking = leah("health", "sos", "setup", "-d", "leah")
    assert lacking.status == 1
    assert "SOS is NOT set up" in lacking.out
    assert "Nothing sends messages yet" in lacking.out
    with serving(503) as server:
        url = f"{server.url}?cto=60&rto=60"
        refused = leah("health", "sos", "setup", "--sms", "-", "--test-to", "+353 85 555 0199", "-d", "leah", stdin=url)
        assert refused.status == 1
        assert "did not go out" in one_line(refused.err)
        assert "No test message has gone out yet" in leah("health", "sos", "setup", "-d", "leah").out
        ready = leah("health", "sos", "setup", "--test-to", "+353 85 555 0199", "-d", "leah")
        assert ready.status == 0, ready.err
        assert "In an emergency these are told: AMB1, Rui Lima" in ready.out
        assert [path for path, _ in server.posts] == ["/+353855550199"] * 2
        assert "This is a test" in server.posts[1][1]
    assert leah("health", "sos", "setup", "-d", "leah").status == 0


def test_a_phone_without_a_clinic_is_helped(camphor: Camphor, tmp_path: Path) -> None:
    file = tmp_path / "ana.device.json"
    file.write_text(json.dumps({"format": "camphor.device/1", "id": "ana", "owner": "Ana", "timezone": "Europe/London",
                                "apps": {"contacts": {}}}))  # fmt: skip
    assert camphor("device", "import", str(file)).status == 0
    alone = camphor("health", "sos", "start", "-d", "ana")
    assert alone.status == 1
    assert "NOBODY was told" in one_line(alone.err)
    assert "Call 999 yourself" in alone.err
    assert "add some with  camphor health contacts add" in alone.out
    assert camphor("health", "contacts", "add", "Tom Reed", "+44 7700 900123", "-d", "ana").status == 0
    with service(camphor) as server:
        again = camphor("health", "sos", "update", "at the door", "-d", "ana")
        assert again.status == 0, again.out + again.err
        assert [path for path, _ in server.posts] == ["/+447700900123"]


def test_a_phone_whose_file_cannot_be_opened_calls_for_help_all_the_same(leah: Camphor) -> None:
    (store,) = leah.home.rglob("leah.camphor")
    with service(leah) as server, closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        done = leah("health", "sos", "start", "-d", "leah")
        assert done.status == 0, done.err
        assert len(server.posts) == 2
        assert "cannot be opened. The messages are kept in memory alone" in done.out


def test_a_phone_whose_file_is_damaged_says_what_to_do(leah: Camphor) -> None:
    (store,) = leah.home.rglob("leah.camphor")
    with store.open("r+b") as file:
        file.truncate(200)
    done = leah("health", "sos", "start", "-d", "leah")
    assert done.status == 1
    assert "NOBODY was told" in one_line(done.err)
    assert "112" in done.err
    assert "yourself, now" in done.err


def test_a_url_that_fails_takes_no_tested_one_away(leah: Camphor) -> None:
    with service(leah) as server:
        assert leah("health", "sos", "setup", "--sms", server.url, "--test-to", "+353 85 555 0101").status == 0
        for url, said in (
            ("json://127.0.0.1:1/{to}", "the one tested"),
            ("nothing://there/{to}", "apprise does not understand"),
            ("json://127.0.0.1:1/x", "The url has no {to}"),
        ):
            failed = leah("health", "sos", "setup", "--sms", url, "--test-to", "+353 85 555 0101")
            assert failed.status in (1, 2)
            assert said in one_line(failed.err)
        assert "In an emergency these are told" in leah("health", "sos", "setup", "-d", "leah").out


def test_a_command_that_is_advised_names_the_phone_and_works_when_it_is_copied(leah: Camphor) -> None:
    assert leah("device", "new", "bare", "--owner", "Leah").status == 0
    advised = re.findall(r"(camphor health \S+(?: \S+)*)", leah("health", "sos", "start", "-d", "bare").out)
    assert "camphor health contacts add -d bare" in advised
    [advice] = re.findall(r"camphor health (.+)", leah("health", "contacts", "list", "-d", "bare").out)
    words = advice.replace("NAME PHONE", "Rui +353855550101").split()
    assert leah("health", *words).out == "Added: Rui, +353855550101\n"
    assert [each["name"] for each in json.loads(leah("health", "contacts", "list", "-d", "bare", "--json").out)] == [
        "Rui"
    ]
    assert "camphor health sos setup --help -d leah" in one_line(leah("health", "sos", "setup", "-d", "leah").err)
    assert " -d " not in leah("health", "sos", "setup").err

"""The loop and the care of one phone: once whoever looks, again as wished, through kills and clocks that jump."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from dateutil import tz

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.device.health.doses import Doses, DoseState, Medicine
from camphor.device.health.notices import DOSE, Notices
from camphor.health.emergency.settings import FILE
from camphor.service import state
from camphor.service.loop import ROUND
from tests.doubles.service import loop_on, morning, phone_in, ringing

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # sockets of apprise
TWICE = {"times": ["08:00", "20:00"]}


def local() -> datetime:
    return datetime.now(tz.gettz(morning())).replace(tzinfo=None)


def take(store: Path) -> None:
    """A medicine of which a dose has been due since eight."""
    start = local().replace(hour=7, minute=0).isoformat()
    with HealthDatabase.of(store) as base:
        Doses(base).add("typed", "Metformin", [Medicine("Metformin", TWICE, start, {"dose": "1 tablet"})], local())


@contextmanager
def doses_of(store: Path) -> Iterator[Doses]:
    with HealthDatabase.of(store) as base:
        yield Doses(base)


def again(store: Path, seconds: float = 0.0) -> None:
    """The next reminder is due."""
    with HealthDatabase.of(store) as base:
        base.run("UPDATE doses_doses SET next=at WHERE next<?", (time.time() + 3600 + seconds,))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    made = phone_in(tmp_path)
    take(made)
    return made


def test_two_loops_ring_once(tmp_path: Path, store: Path) -> None:
    with ringing(tmp_path) as server:
        one, other = loop_on(tmp_path, store), loop_on(tmp_path, store, kind="web")
        for _ in range(3):
            one.look()
            other.look()
        assert len(server.posts) == 1


def test_it_nags_until_something_is_said(tmp_path: Path, store: Path) -> None:
    with ringing(tmp_path) as server:
        loop = loop_on(tmp_path, store)
        for count in (1, 2, 3):
            assert loop.look() <= ROUND
            assert len(server.posts) == count
            again(store)
        with doses_of(store) as doses:
            doses.decide(1, DoseState.TAKEN, time.time())
        loop.look()
        assert len(server.posts) == 3
        with HealthDatabase.of(store) as base:
            assert Notices(base, time.time).open(DOSE) == []


def test_it_rings_once_where_that_is_wished(tmp_path: Path, store: Path) -> None:
    with ringing(tmp_path, nag=False) as server:
        loop = loop_on(tmp_path, store)
        for _ in range(3):
            loop.look()
            again(store)
        assert len(server.posts) == 1


def test_what_a_place_does_not_take_is_tried_again_and_not_after_it_was_decided(tmp_path: Path, store: Path) -> None:
    with ringing(tmp_path, 503, 503) as server:
        loop = loop_on(tmp_path, store)
        assert loop.look() < 5
        assert len(server.posts) == 1
        with doses_of(store) as doses:
            doses.decide(1, DoseState.TAKEN, time.time())
        with HealthDatabase.of(store) as base:
            base.run("UPDATE outbox SET due=0")
        loop.look()
        assert len(server.posts) == 1


def test_a_ring_that_was_cut_off_is_made_up_for(tmp_path: Path, store: Path) -> None:
    with ringing(tmp_path) as server:
        loop_on(tmp_path, store).look()
        with HealthDatabase.of(store) as base:
            base.run("UPDATE outbox SET state='sending', sender='999999:gone', changed=0")
        loop_on(tmp_path, store).look()
        assert len(server.posts) == 2


def test_without_any_place_a_notice_is_kept_for_the_pages(tmp_path: Path, store: Path) -> None:
    loop_on(tmp_path, store).look()
    with HealthDatabase.of(store) as base:
        notices = Notices(base, time.time)
        (notice,) = notices.after(0)
        assert (notice.kind, notice.title) == ("dose", "Time for: Metformin")
        assert not notices.reached(notice)
        notices.show(notice.id)
        assert notices.reached(notice)


def test_broken_settings_and_a_broken_phone_keep_no_other_from_being_told(tmp_path: Path, store: Path) -> None:
    (tmp_path / FILE).write_text("[sms")
    broken = store.with_name("broken.camphor")
    broken.write_bytes(b"no store at all, " * 100)
    broken.with_name("broken.camphor.health").touch()
    told: list[str] = []
    loop = loop_on(tmp_path, broken, store)
    loop.told = told.append
    loop.look()
    loop.look()
    with HealthDatabase.of(store) as base:
        assert len(Notices(base, time.time).after(0)) == 1
    assert len(told) == 2
    assert told[0].startswith("broken: ")
    assert "not TOML" in told[1]
    found = state.heartbeat_of(tmp_path)
    assert found is not None
    assert len(found.problems) == 2


def test_a_phone_with_no_health_is_left_alone(tmp_path: Path) -> None:
    store = phone_in(tmp_path)
    loop_on(tmp_path, store).look()
    assert not store.with_name("leah.camphor.health").exists()


def test_a_changed_clock_is_told_and_sleep_is_not(tmp_path: Path, store: Path) -> None:
    passed, wall = [0.0], [time.time()]
    loop = loop_on(tmp_path, store)
    loop.clock, loop.steady = lambda: wall[0], lambda: passed[0]
    for seconds, clock in ((0, 0), (8 * 3600, 8 * 3600), (20, 7220), (20, 20)):
        passed[0] += seconds
        wall[0] += clock
        loop.look()
    with HealthDatabase.of(store) as base:
        told = [each.text for each in Notices(base, time.time).after(0) if each.kind == "clock"]
    assert told == ["The clock was set forward by 2 hours: check that it is right now"]


def beat(folder: Path, **changes: Any) -> None:
    now = time.time()
    held = {"kind": "service", "process": os.getppid(), "began": now, "last": now, **changes}
    state.beat(folder, state.Heartbeat(**held))


@pytest.mark.parametrize(
    ("changes", "looks"),
    [
        ({}, False),
        ({"last": time.time() - 3600}, True),
        ({"last": time.time() + 3600}, True),
        ({"process": 999_999_999}, True),
    ],
)
def test_the_web_app_looks_where_no_service_does(
    tmp_path: Path, store: Path, changes: dict[str, Any], looks: bool
) -> None:
    beat(tmp_path, **changes)
    loop_on(tmp_path, store, kind="web", stand_by=True).look()
    with HealthDatabase.of(store) as base:
        assert bool(Notices(base, time.time).after(0)) is looks


@pytest.mark.parametrize("content", ["", "[]", '{"kind": "service"}', "\x00"])
def test_a_heartbeat_that_cannot_be_read_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / state.FILE).write_text(content)
    assert state.heartbeat_of(tmp_path) is None


def test_it_runs_in_a_thread_is_woken_and_ends(tmp_path: Path) -> None:
    store = phone_in(tmp_path)
    loop = loop_on(tmp_path, store)
    loop.start()
    with ringing(tmp_path) as server:
        take(store)
        loop.wake()
        _until(lambda: bool(server.posts))
    assert json.loads((tmp_path / state.FILE).read_text())["process"] == os.getpid()
    loop.stop()
    assert not (tmp_path / state.FILE).exists()


def test_the_report_of_the_day_is_told_once(tmp_path: Path, store: Path) -> None:
    before = (local() - timedelta(minutes=5)).time().replace(second=0, microsecond=0)
    with ringing(tmp_path, report=before, nag=False) as server:
        loop = loop_on(tmp_path, store)
        loop.look()
        loop.look()
        loop_on(tmp_path, store).look()
        assert sum("Your health report of" in text for _, text in server.posts) == 1


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_device_says_whether_its_clock_goes(store: Path) -> None:
    with Device.open(store) as device:
        assert device.clock_goes


def test_a_phone_that_cannot_be_read_is_told_of_at_the_places_once(tmp_path: Path, store: Path) -> None:
    with ringing(tmp_path) as server:
        store.write_bytes(b"no phone at all")
        loop = loop_on(tmp_path, store)
        loop.look()
        loop.look()
        (text,) = [text for _, text in server.posts]
        assert "leah: " in text


def test_two_services_are_one(tmp_path: Path) -> None:
    held = "import sys; from pathlib import Path; from camphor.service.state import hold; " + (
        "print(hold(Path(sys.argv[1])), flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", held, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "True\n"
        assert not state.hold(tmp_path)
        first.kill()
        first.wait()
    assert state.hold(tmp_path)

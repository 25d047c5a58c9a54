"""Actions are journalled, never done twice, and survive crashes, full disks and other programs."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.device.journal import State
from camphor.errors import DeviceBusy, DeviceFileError, StoreError, UsageError
from camphor.types import Call
from tests.doubles.device import phone

NOTE = Call("create_notes", {"content": "Milk"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Device.create(tmp_path / "a.db", phone()).close()
    return tmp_path / "a.db"


def test_a_key_acts_once_across_openings(path: Path) -> None:
    with Device.open(path) as made:
        first = made.execute(NOTE, key="k1")
    with Device.open(path) as made:
        assert made.execute(NOTE, key="k1") == first
        made.execute(NOTE, key="k2")
        made.execute(NOTE)
        assert len(made.records("notes", "notes")) == 3
        assert [(entry.key, entry.state) for entry in made.journal()] == [
            ("k1", State.DONE), ("k2", State.DONE), (None, State.DONE),
        ]  # fmt: skip
        assert all(entry.begun and entry.ended for entry in made.journal())


def test_a_cancelled_event_is_told_again_by_its_key(path: Path) -> None:
    cancel = Call("cancel_calendar_event", {"event_title": "trip to porto"})
    with Device.open(path) as made:
        first = made.execute(cancel, key="k")
        assert first.call.arguments == {"event_title": "Trip to Porto"}
        assert first.removed
        assert not made.execute(NOTE).removed
        assert made.execute(cancel, key="k") == first


def test_what_was_done_under_keys_is_told(path: Path) -> None:
    with Device.open(path) as made:
        for key in ("talk/1/1", "talk/1/2", "talk/10/1", "talk/2/1", "tal", None):
            made.execute(NOTE, key=key)
        assert made.execute(Call("cancel_calendar_event", {"event_title": "no such event"}), key="talk/1/3").error
        assert [entry.key for entry in made.done("talk/1/")] == ["talk/1/1", "talk/1/2"]
        assert made.done("nobody/1/") == []


def test_a_key_of_another_tools_call_is_a_mistake(path: Path) -> None:
    with Device.open(path) as made:
        made.execute(NOTE, key="k")
        with pytest.raises(ValueError, match="create_notes"):
            made.execute(Call("play_music", {"title": "x"}), key="k")


CRASH = """
import os, sys
from camphor.device.device import Device
from camphor.types import Call
device = Device.open(sys.argv[1])
device._journal.begin(Call("create_notes", {"content": "Milk"}), "k")
os._exit(9)
"""


def test_an_action_cut_off_is_told_and_not_repeated(path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", CRASH, str(path)], check=False).returncode == 9
    with Device.open(path) as made:
        [entry] = made.interrupted
        assert (entry.key, entry.call, entry.state) == ("k", NOTE, State.BEGUN)
        told = made.execute(NOTE, key="k")
        assert told.error is not None
        assert "end is not recorded" in told.error
        assert made.records("notes", "notes") == []
        made.settle(entry.id, done=False)
        assert made.interrupted == ()
        assert made.execute(NOTE, key="k").error is None
        assert len(made.records("notes", "notes")) == 1
        with pytest.raises(UsageError):
            made.settle(entry.id, done=True)
    with Device.open(path) as made:
        assert made.interrupted == ()


def test_an_action_of_a_living_process_is_not_told_as_cut_off(path: Path) -> None:
    with Device.open(path) as made, Device.open(path) as other:
        made._journal.begin(NOTE, "k")
        assert other._journal.cut_off() == []


def test_another_programs_lock_is_waited_for_and_then_told(path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with Device.open(path, busy_seconds=0.05) as made:
        with pytest.raises(DeviceBusy, match="another program is using this device"):
            made.execute(NOTE, key="k")
        assert made.execute(Call("get_notes_content", {"keyword": "milk"})).error is None
        holder.execute("ROLLBACK")
        holder.close()
        assert made.execute(NOTE, key="k").error is None


def test_two_processes_see_each_others_records(path: Path) -> None:
    with Device.open(path) as one, Device.open(path) as two:
        one.execute(NOTE)
        assert two.execute(Call("get_notes_content", {"keyword": "milk"})).records == (
            {"content": "Milk", "modified": "2026-03-12T08:45:00"},
        )
        two.execute(NOTE)
        assert len(one.records("notes", "notes")) == 2


def test_a_full_disk_loses_nothing(path: Path) -> None:
    long = Call("create_notes", {"content": "milk " * 20_000})
    with Device.open(path) as made:
        before = made.export()
        pages = made._store.value("PRAGMA page_count")
        made._store.run(f"PRAGMA max_page_count={pages + 2}")
        with pytest.raises(StoreError, match="disk is full"):
            made.execute(long, key="k")
        assert made.export() == before
        made._store.run("PRAGMA max_page_count=100000")
        assert made.execute(long, key="k").error is None
        assert len(made.records("notes", "notes")) == 1
    with Device.open(path) as made:
        assert made.interrupted == ()
        assert len(made.records("notes", "notes")) == 1


def test_an_interruption_undoes_the_action(path: Path) -> None:
    with Device.open(path) as made:
        entry = made._journal.begin(NOTE, "k")
        with pytest.raises(KeyboardInterrupt):
            _stopped_in_the_middle(made)
        made._note_failure(entry, NOTE, KeyboardInterrupt())
        assert made.records("notes", "notes") == []
        assert made.execute(NOTE, key="k").error is None


def test_what_is_no_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hello " * 400)
    sqlite3.connect(tmp_path / "empty.db").close()
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE x (y)")
    other.close()
    for name in ("text.db", "empty.db", "other.db"):
        with pytest.raises(DeviceFileError, match="must be imported"):
            Device.open(tmp_path / name)


def test_an_existing_file_is_never_overwritten(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(UsageError, match="there is a file already"):
        Device.create(path, phone())
    assert path.read_bytes() == before


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        Device.create(tmp_path / "none" / "a.db", phone())


def _stopped_in_the_middle(made: Device) -> None:
    with made._store.transaction():
        made._do(made.toolbox.get(NOTE.name), NOTE.arguments)
        raise KeyboardInterrupt

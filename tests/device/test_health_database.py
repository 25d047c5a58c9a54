"""The health database: its tables, its transactions, and what happens when something goes wrong."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from camphor.device.health.database import HealthDatabase, forget_health, health_file
from camphor.errors import CamphorError, DeviceBusy, DeviceFileError, StoreError

FIRST = """
CREATE TABLE pulse_seen (id INTEGER PRIMARY KEY, note TEXT DEFAULT 'a;b');
CREATE INDEX pulse_by ON pulse_seen (note);
"""
SECOND = "ALTER TABLE pulse_seen ADD COLUMN value REAL;"

_CUT_OFF = """
import os, signal, sys
from pathlib import Path
from camphor.device.health.database import HealthDatabase
base = HealthDatabase.of(Path(sys.argv[1]))
base.run("INSERT INTO pulse_seen (note) VALUES ('kept')")
with base.transaction():
    base.run("INSERT INTO pulse_seen (note) VALUES ('half done')")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "nadia.camphor"


def notes(base: HealthDatabase) -> list[str]:
    return [note for (note,) in base.rows("SELECT note FROM pulse_seen ORDER BY id")]


def test_it_lies_beside_the_store_and_is_its_owners(store: Path) -> None:
    with HealthDatabase.of(store) as base:
        base.prepare("pulse", (FIRST,))
        assert base.path == health_file(store) == store.with_name("nadia.camphor.health")
        assert base.path is not None
        assert base.path.stat().st_mode & 0o077 == 0
    assert health_file(None) is None
    with HealthDatabase(None) as base:
        base.prepare("pulse", (FIRST,))
        assert base.insert("INSERT INTO pulse_seen (note) VALUES ('x')") == 1


def test_tables_are_brought_up_to_date_a_step_at_a_time(store: Path) -> None:
    with HealthDatabase.of(store) as base:
        base.prepare("pulse", (FIRST,))
        base.run("INSERT INTO pulse_seen DEFAULT VALUES")
    with HealthDatabase.of(store) as base:
        base.prepare("pulse", (FIRST, SECOND))
        base.prepare("pulse", (FIRST, SECOND))
        assert base.version("pulse") == 2
        assert base.rows("SELECT note, value FROM pulse_seen") == [("a;b", None)]
        base.prepare("doses", ("CREATE TABLE doses_due (at TEXT);",))
        assert base.version("doses") == 1
        with pytest.raises(StoreError, match="update camphor"):
            base.prepare("pulse", (FIRST,))


def test_a_step_that_fails_changes_nothing(store: Path) -> None:
    with HealthDatabase.of(store) as base:
        base.prepare("pulse", (FIRST,))
        with pytest.raises(StoreError):
            base.prepare("pulse", (FIRST, f"{SECOND} CREATE TABLE pulse_seen (a TEXT);"))
        assert base.version("pulse") == 1
        with pytest.raises(StoreError, match="no such column"):
            base.rows("SELECT value FROM pulse_seen")
        with pytest.raises(ValueError, match="middle of a statement"):
            base.prepare("pulse", (FIRST, "CREATE TABLE pulse_more (a TEXT)"))


def test_a_transaction_is_whole_or_nothing(store: Path) -> None:
    def cut_off(base: HealthDatabase, lasting: bool) -> None:
        with base.transaction(lasting=lasting):
            base.run("INSERT INTO pulse_seen (note) VALUES ('lost')")
            with base.transaction():
                base.run("INSERT INTO pulse_seen (note) VALUES ('lost too')")
            raise RuntimeError

    with HealthDatabase.of(store) as base:
        base.prepare("pulse", (FIRST,))
        for lasting in (True, False):
            with pytest.raises(RuntimeError):
                cut_off(base, lasting)
        with base.transaction(lasting=False):
            base.run_many("INSERT INTO pulse_seen (note) VALUES (?)", ((each,) for each in "abc"))
        assert notes(base) == ["a", "b", "c"]
        assert base.run("DELETE FROM pulse_seen WHERE note > 'a'") == 2
        assert base.value("PRAGMA synchronous") == 2


def test_a_process_that_is_killed_leaves_whole_transactions(store: Path) -> None:
    with HealthDatabase.of(store) as base:
        base.prepare("pulse", (FIRST,))
    done = subprocess.run([sys.executable, "-c", _CUT_OFF, str(store)], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    with HealthDatabase.of(store) as base:
        assert notes(base) == ["kept"]


def test_several_open_a_new_file_at_once(store: Path) -> None:
    wrong: list[CamphorError] = []

    def use() -> None:
        try:
            with HealthDatabase.of(store) as base:
                base.prepare("pulse", (FIRST, SECOND))
                for _ in range(10):
                    base.run("INSERT INTO pulse_seen (note) VALUES ('x')")
        except CamphorError as error:
            wrong.append(error)

    threads = [threading.Thread(target=use) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    with HealthDatabase.of(store) as base:
        assert len(notes(base)) == 60


def test_a_full_disk_is_said_and_changes_nothing(store: Path) -> None:
    with HealthDatabase.of(store) as base:
        base.prepare("pulse", (FIRST,))
        base.run(f"PRAGMA max_page_count={base.value('PRAGMA page_count')}")
        with pytest.raises(StoreError, match="the disk is full, nothing was changed"), base.transaction():
            base.run_many("INSERT INTO pulse_seen (note) VALUES (?)", (("x" * 1000,) for _ in range(1000)))
        assert notes(base) == []


def test_another_program_that_holds_it_is_said(store: Path) -> None:
    with HealthDatabase.of(store) as base, HealthDatabase.of(store, busy_seconds=0.05) as other:
        base.prepare("pulse", (FIRST,))
        with base.transaction(), pytest.raises(DeviceBusy, match="another program"), other.transaction():
            pass
        assert notes(other) == []


def test_a_file_of_another_kind_is_left_alone(store: Path) -> None:
    path = store.with_name("nadia.camphor.health")
    path.write_text("not a database at all, but long enough to look like one" * 40)
    with pytest.raises(DeviceFileError, match="a health database"):
        HealthDatabase.of(store)
    path.unlink()
    foreign = sqlite3.connect(path)
    foreign.execute("PRAGMA application_id=42")
    foreign.execute("CREATE TABLE theirs (a TEXT)")
    foreign.close()
    with pytest.raises(StoreError, match="another kind"):
        HealthDatabase.of(store)
    with pytest.raises(StoreError, match="cannot be written"):
        HealthDatabase.of(store / "missing" / "x.camphor")


def test_a_forgotten_one_is_gone_from_the_disk(store: Path) -> None:
    with HealthDatabase.of(store) as base:
        base.prepare("pulse", (FIRST,))
        base.run("INSERT INTO pulse_seen (note) VALUES ('seventy')")
        kept = os.open(store.with_name("nadia.camphor.health"), os.O_RDONLY)
    forget_health(store)
    forget_health(store)
    with os.fdopen(kept, "rb") as file:
        assert not file.read().strip(b"\0")
    assert list(store.parent.iterdir()) == []

"""Apps of a person's own functions on a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.journal import EntryState
from camphor.errors import UsageError
from camphor.tools.modules import read_folder
from camphor.tools.tool import Kind
from camphor.types import Call

MODULE = '''
from __future__ import annotations
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

READS = ("find_trips",)

class Seat(Enum):
    AISLE = "aisle"

@dataclass
class Leg:
    city: str
    nights: int = 1

def find_trips(city: str | None) -> list[Leg]:
    """Find trips."""
    return [Leg(city or "anywhere", 3)]

async def book_trip(legs: list[Leg], starts: datetime, seat: Seat = Seat.AISLE) -> str:
    """Book a trip."""
    print("booking")
    return f"{legs[0].city} for {legs[0].nights}, {starts:%d.%m.}, {seat.name}"

def fail() -> None:
    """Fail."""
    raise RuntimeError("no\\nseats")
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "trips"
    path.mkdir()
    (path / "trips.py").write_text(MODULE, encoding="utf-8")
    return path


def phone(path: Path | None = None) -> Device:
    data: dict[str, Any] = {"format": "camphor.device/1", "id": "p", "now": "2026-03-12T08:45:00", "apps": {}}
    return Device.create(path, data)


def test_functions_are_run_and_actions_journalled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with phone() as device:
        device.install_functions("trips", str(folder), read_folder(folder))
        assert [tool.kind for tool in device.toolbox.of(device.toolbox.get("fail").agent)] == [Kind.ACTION] * 2
        assert device.execute(Call("find_trips")).records == ({"city": "anywhere", "nights": 3},)
        assert device.journal() == []
        done = device.execute(Call("book_trip", {"legs": [{"city": "Rome"}], "starts": "tomorrow at 9"}))
        assert done.error is None
        assert done.records[0]["result"] == "Rome for 1, 13.03., AISLE"
        failed = device.execute(Call("fail"))
        assert failed.error == "fail failed: RuntimeError: no seats"
        assert [entry.state for entry in device.journal()] == [EntryState.DONE, EntryState.FAILED]
        assert capsys.readouterr().out == ""


def test_a_device_alone_runs_nothing(folder: Path, tmp_path: Path) -> None:
    with phone(tmp_path / "p.camphor") as device:
        device.install_functions("trips", str(folder), read_folder(folder))
        exported = device.export()
    with Device.open(tmp_path / "p.camphor") as device, Device.create(None, exported) as copy:
        for each in (device, copy):
            error = each.execute(Call("find_trips")).error
            assert error is not None
            assert "are not trusted on this machine: run  camphor device install DEVICE" in error
        device.bind("trips", (), "trips.py, line 3: is not Python")
        assert "cannot be loaded: trips.py, line 3" in str(device.execute(Call("find_trips")).error)


def test_an_app_is_brought_up_to_date_and_does_not_take_anothers_name(folder: Path) -> None:
    with phone() as device:
        device.install_functions("trips", str(folder), read_folder(folder))
        (folder / "trips.py").write_text('def walk() -> None:\n    """Walk."""\n', encoding="utf-8")
        device.install_functions("trips", str(folder), read_folder(folder))
        assert [tool.name for tool in device.toolbox if tool.app == "trips"] == ["walk"]
        assert device.execute(Call("walk")).error is None
        with pytest.raises(UsageError, match="built-in app"):
            device.install_functions("calendar", str(folder), read_folder(folder))
        device.install("other", {"tools": []})
        with pytest.raises(UsageError, match="installed on this device already"):
            device.install_functions("other", str(folder), read_folder(folder))

"""A data folder with a phone whose clock goes, in a place where it is morning; and a service that rings.

Whatever the clock of the machine says, it is between eight and nine there, so that a dose of eight is due.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from camphor.device.device import Device
from camphor.health.emergency.settings import FILE, ReminderWishes, set_place, set_wishes
from camphor.service.loop import Loop
from camphor.service.state import Desktop
from tests.doubles.emergency import Server, serving

LEAH: dict[str, Any] = {"format": "camphor.device/1", "id": "leah", "owner": "Leah Lima", "apps": {"contacts": {}}}
SURE = "Metformin 850 mg 1 tab bd with meals for 30 days"


def morning() -> str:
    """A time zone in which it is eight now."""
    ahead = (8 - datetime.now(UTC).hour + 11) % 24 - 11
    return f"Etc/GMT{-ahead:+d}"


class NoDesktop(Desktop):
    """A machine without one."""

    def problem(self) -> str:
        return "there is no desktop here"


def phone_in(folder: Path, **more: Any) -> Path:
    """The store of a phone in a data folder."""
    path = folder / "devices" / "leah.camphor"
    path.parent.mkdir(parents=True, exist_ok=True)
    Device.create(path, {**LEAH, "timezone": morning(), **more}).close()
    return path


def loop_on(folder: Path, *stores: Path, kind: str = "service", stand_by: bool = False) -> Loop:
    known = {path.stem: path for path in stores}
    return Loop(lambda: known, folder, folder / FILE, kind=kind, stand_by=stand_by, desktop=NoDesktop())


@contextmanager
def ringing(folder: Path, *statuses: int, **wishes: Any) -> Iterator[Server]:
    """A place where the person of the data folder is reminded."""
    with serving(*statuses) as server:
        set_place(folder / FILE, "watch", server.url.replace("{to}", "ring") + "?cto=60&rto=60")
        set_wishes(folder / FILE, ReminderWishes(**{"report": None, **wishes}))
        yield server

"""Who looks after the phones of this machine: a file in the data folder that says so at each look.

Nothing rests on it but what is said of it: two programs that both look tell nothing twice, since each thing is claimed
in the phone's own database. So a heartbeat that is wrong keeps nobody from being told.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from camphor.device.journal import runs

FILE = "service.json"
LOCK = "service.lock"
FRESH = 90.0
"""Seconds after which a program that has not looked counts as silent."""
SERVICE, WEB, COMMAND = "service", "web", "command"


@dataclass(frozen=True)
class Heartbeat:
    """The last look. `began`, `last`: epoch seconds; `next`: when something is due, None where nothing is known."""

    kind: str
    process: int
    began: float
    last: float
    phones: tuple[str, ...] = ()
    next: float | None = None
    problems: tuple[str, ...] = ()
    desktop: str = ""

    def alive(self, now: float) -> bool:
        """Whether that program still looks. A clock that was set back makes nobody silent."""
        return abs(now - self.last) < FRESH and runs(self.process)


def beat(folder: Path, heartbeat: Heartbeat) -> None:
    """Writes it, whole; a folder that cannot be written stops no reminder."""
    beside = folder / f".{FILE}.{os.getpid()}.new"
    try:
        beside.write_text(json.dumps(asdict(heartbeat)), encoding="utf-8")
        beside.chmod(0o600)
        beside.replace(folder / FILE)
    except OSError:
        beside.unlink(missing_ok=True)


def heartbeat_of(folder: Path) -> Heartbeat | None:
    """The last one that was written; None where there is none that can be read."""
    try:
        data = json.loads((folder / FILE).read_text(encoding="utf-8"))
        data["phones"], data["problems"] = tuple(data["phones"]), tuple(data["problems"])
        return Heartbeat(**data)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def other(folder: Path) -> Heartbeat | None:
    """The service of another process, where it still looks."""
    found = heartbeat_of(folder)
    here = found is None or found.process == os.getpid()
    return None if here or found is None or not found.alive(time.time()) else found


_held: list[IO[str]] = []


def hold(folder: Path) -> bool:
    """Makes this program the one service until it ends, however it ends; False where another one is.

    Two that are started in one moment both find no heartbeat. Without such locks (Windows) the heartbeat has to do.
    """
    try:
        import fcntl

        lock = (folder / LOCK).open("a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return False
        _held.append(lock)
    except (ImportError, OSError):  # a folder that cannot be written stops no reminder
        pass
    return True


def stop(folder: Path) -> None:
    """This program looks no more."""
    found = heartbeat_of(folder)
    if found is not None and found.process == os.getpid():
        (folder / FILE).unlink(missing_ok=True)

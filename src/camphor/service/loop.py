"""The loop of the service: looks after every phone of the data folder, again and again.

It looks each `ROUND` seconds, and sooner where something is due: timers are late after sleep and after a change of the
clock. `camphor service run` runs it, and so does the web app as long as no service does.
"""

from __future__ import annotations

import os
import plistlib
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.errors import CamphorError, StoreError, UsageError
from camphor.service.care import Care, Usual
from camphor.service.state import COMMAND, SERVICE, Desktop, Heartbeat, Places, beat, has_health, other, stop

ROUND = 15.0
"""Seconds between two looks."""
_SOONEST = 0.2
_DESKTOP_AGAIN = 300.0
_JUMP = 90.0
_CRY_AGAIN = 3600.0
"""Seconds for which the places of the person are told of no further fault."""

Phones = Callable[[], Mapping[str, Path]]
"""The phones that are kept: the store file of each, by name."""


def steady() -> float:
    """Seconds that pass while the machine sleeps, too, and that no change of the clock touches."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(boot) if boot is not None else time.monotonic()


@dataclass
class Loop:
    """Looks after phones until it is stopped.

    Args:
        phones: asked at each look. folder: the data folder, with the settings and the heartbeat. settings: its file.
        kind: what runs it, for the heartbeat. stand_by: leaves the looking to a service of another process, if one is
        there. told: hears of what went wrong, once each time that it changes. clock: epoch seconds; steady: seconds
        that pass, whatever the clock says.
    """

    phones: Phones
    folder: Path
    settings: Path
    kind: str = SERVICE
    stand_by: bool = False
    told: Callable[[str], None] = lambda text: None
    desktop: Desktop | None = None
    clock: Callable[[], float] = time.time
    steady: Callable[[], float] = steady

    def __post_init__(self) -> None:
        self.desktop = self.desktop or Desktop()
        self._began, self._usual = self.clock(), Usual()
        self._wake, self._stopped = threading.Event(), False
        self._looking = threading.Lock()
        self._thread: threading.Thread | None = None
        self._shows: tuple[float, str] | None = None
        self._problems: tuple[str, ...] = ()
        self._cried: float | None = None
        self._seen: tuple[float, float] | None = None

    # running

    def run(self) -> None:
        """Looks until `stop`."""
        try:
            while not self._stopped:
                self._wake.clear()
                self._wake.wait(self.look())
        finally:
            stop(self.folder)

    def start(self) -> None:
        """Runs in a thread of its own."""
        self._thread = threading.Thread(target=self.run, daemon=True, name="service")
        self._thread.start()

    def wake(self) -> None:
        """Looks now: something was changed."""
        self._wake.set()

    def stop(self) -> None:
        """Ends `run`; returns when nothing more is written."""
        self._stopped = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join(30)

    def pause(self, phone: str = "") -> None:
        """Waits for the end of a look that is under way: a phone is about to be closed or replaced."""
        with self._looking:
            pass

    # looking

    def look(self) -> float:
        """Looks after all phones once; seconds until the next look."""
        if self.stand_by and other(self.folder):
            self._seen = None
            return ROUND
        with self._looking:
            places, jump = self.places(), self._jump()
            problems, waits = [], []
            phones = {name: path for name, path in self.phones().items() if has_health(path)}
            for name, path in phones.items():
                try:
                    waits.append(self._after(path, places, jump))
                except CamphorError as error:
                    problems.append(f"{name}: {error}")
                except Exception as error:  # one phone's fault must not keep the others from being told
                    problems.append(f"{name}: something broke ({type(error).__name__})")
            if places.problem:
                problems.append(places.problem)
            self._tell(tuple(problems), places)
            soonest = min((each for each in waits if each is not None), default=None)
            self._beat(tuple(phones), soonest)
        return ROUND if soonest is None else min(ROUND, max(_SOONEST, soonest))

    def places(self) -> Places:
        """Where the person is reached, as it is set up now."""
        assert self.desktop is not None
        now = time.monotonic()
        if self._shows is None or (self._shows[1] and now - self._shows[0] > _DESKTOP_AGAIN):
            self._shows = (now, self.desktop.problem())
        return Places.read(self.settings, self.desktop, not self._shows[1])

    def _after(self, path: Path, places: Places, jump: str) -> float | None:
        with Device.open(path) as device, HealthDatabase.of(path) as database:
            care = Care(device, database, places, self.clock, self._usual)
            if jump and device.clock_goes:
                care.clock_changed(jump)
            care.all()
            return care.next()

    def _jump(self) -> str:
        """What is to be said of a clock that was changed since the last look. Sleep changes no clock."""
        now, passed = self.clock(), self.steady()
        before, self._seen = self._seen, (now, passed)
        jump = (now - before[0]) - (passed - before[1]) if before else 0.0
        if abs(jump) < _JUMP:
            return ""
        way = "forward" if jump > 0 else "back"
        return f"The clock was set {way} by {_span(abs(jump))}: check that it is right now"

    def _tell(self, problems: tuple[str, ...], places: Places) -> None:
        """Says what is new; also where the person is reached, since of such a phone no notice can be kept."""
        new = [each for each in problems if each not in self._problems]
        for each in new:
            self.told(each)
        self._problems = problems
        passed = self.steady()
        if new and self.kind != COMMAND and (self._cried is None or passed - self._cried > _CRY_AGAIN):
            self._cried = passed
            for name in places.names:
                with suppress(Exception):  # a place of which the library breaks
                    places.show(name, "camphor cannot look after a phone", "\n".join(new))

    def _beat(self, phones: tuple[str, ...], soonest: float | None) -> None:
        if self.kind == COMMAND:  # it comes and goes, and looks after one phone
            return
        now = self.clock()
        due = None if soonest is None else now + soonest
        shows = self._shows[1] if self._shows else ""
        beat(self.folder, Heartbeat(self.kind, os.getpid(), self._began, now, phones, due, self._problems, shows))


def _span(seconds: float) -> str:
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{round(seconds / 3600)} hours" if seconds < 172800 else f"{round(seconds / 86400)} days"


# What starts the service with the person's session: a systemd user unit on Linux, a launch agent on macOS.

LABEL = "camphor"
_UNIT = "camphor.service"
_AGENT = "org.camphor.service.plist"


@dataclass(frozen=True)
class ServiceUnit:
    """A file that a system reads, and what the person does with it."""

    path: Path
    content: bytes
    start: tuple[str, ...]
    stop: tuple[str, ...]
    note: str = ""

    @property
    def installed(self) -> bool:
        return self.path.is_file()

    def install(self) -> None:
        """Writes it, whole. Raises: StoreError: its folder cannot be written."""
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(self.content)
            beside.replace(self.path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise StoreError(f"{self.path}: it cannot be written ({error.strerror}): check its permissions") from error

    def uninstall(self) -> bool:
        """Deletes it; whether it was there. Raises: StoreError: it cannot be deleted."""
        try:
            self.path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreError(f"{self.path}: it cannot be deleted ({error.strerror})") from error
        return True


def unit_for(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> ServiceUnit:
    """The unit of this system. Raises: UsageError: it has none that camphor knows."""
    command = [sys.executable, "-m", "camphor", "service", "run"]
    # where the data folder lies: the system starts the service without the settings of a shell
    kept = {
        name: str(Path(folder).expanduser().absolute())
        for name in ("CAMPHOR_HOME", "XDG_DATA_HOME")
        if (folder := environment.get(name))
    }
    if platform == "darwin":
        return _agent(command, kept)
    if platform.startswith("linux"):
        return _systemd(command, kept, environment)
    raise UsageError(
        "There is no systemd and no launchd here: let your system run  camphor service run  when you log in"
    )


def _systemd(command: Sequence[str], kept: Mapping[str, str], environment: Mapping[str, str]) -> ServiceUnit:
    folder = Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    lines = [
        "[Unit]",
        "Description=camphor: reminders of doses, readings, and messages of an emergency",
        "",
        "[Service]",
        f"ExecStart={' '.join(_quoted(each).replace('$', '$$') for each in command)}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in kept.items()),
        "Restart=always",
        "RestartSec=5",
        "UMask=0077",
        "Nice=5",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ]
    return ServiceUnit(
        folder / _UNIT,
        "\n".join(lines).encode(),
        ("systemctl --user daemon-reload", f"systemctl --user enable --now {_UNIT}"),
        (f"systemctl --user disable --now {_UNIT}",),
        "To keep it running while you are logged out:  loginctl enable-linger",
    )


def _quoted(word: str) -> str:
    """A word of a systemd unit."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain}"'


def _agent(command: Sequence[str], kept: Mapping[str, str]) -> ServiceUnit:
    path = Path.home() / "Library" / "LaunchAgents" / _AGENT
    agent = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(kept),
        "RunAtLoad": True,
        "KeepAlive": True,
        "ProcessType": "Background",
        "Umask": 0o077,
    }
    return ServiceUnit(
        path,
        plistlib.dumps(agent),
        (f"launchctl bootstrap gui/$(id -u) '{path}'",),
        (f"launchctl bootout gui/$(id -u)/{LABEL}",),
    )

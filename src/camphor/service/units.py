"""What starts the service with the person's session: a systemd user unit on Linux, a launch agent on macOS."""

from __future__ import annotations

import os
import plistlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from camphor.errors import StoreError, UsageError

LABEL = "camphor"
_UNIT = "camphor.service"
_AGENT = "org.camphor.service.plist"


@dataclass(frozen=True)
class Unit:
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


def unit_for(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Unit:
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


def _systemd(command: Sequence[str], kept: Mapping[str, str], environment: Mapping[str, str]) -> Unit:
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
    return Unit(
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


def _agent(command: Sequence[str], kept: Mapping[str, str]) -> Unit:
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
    return Unit(
        path,
        plistlib.dumps(agent),
        (f"launchctl bootstrap gui/$(id -u) '{path}'",),
        (f"launchctl bootout gui/$(id -u)/{LABEL}",),
    )

"""MCP servers whose tools a person put on a device: what starts each, and what of it was trusted.

A device file has only what an app of a server brings (`manifests`); which command is run, or which address is spoken
to, stands in a file of this machine that the person alone may read: a device file may come from anybody.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.errors import UsageError

SECONDS = 60.0
"""How long one call may take, where the person says nothing else."""


@dataclass(frozen=True)
class TrustedTool:
    """A tool as the person added it.

    Args:
        name: the server's own name of it. digest: of its definition then. reads: the person said that it only reads.
    """

    name: str
    digest: str
    reads: bool = False


@dataclass(frozen=True)
class McpServer:
    """One server, and those of its tools that may be called.

    Args:
        name: of the app on the device. command: what starts it, in `folder`; empty for one that has an address.
        url: that address. environment: variables it gets; None for a value that is taken from ours when it starts.
        headers: sent with each request. seconds: how long one call may take.
        tools: by the name of the tool on the device.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    folder: str = ""
    environment: Mapping[str, str | None] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = SECONDS
    tools: Mapping[str, TrustedTool] = field(default_factory=dict)

    def __repr__(self) -> str:  # values of headers and of the environment are secrets
        return f"McpServer({self.name!r}, {len(self.tools)} tools)"

    def to_json(self) -> dict[str, Any]:
        return {
            "command": list(self.command),
            "url": self.url,
            "folder": self.folder,
            "environment": dict(self.environment),
            "headers": dict(self.headers),
            "seconds": self.seconds,
            "tools": {name: vars(tool) for name, tool in self.tools.items()},
        }

    @classmethod
    def from_json(cls, name: str, data: Mapping[str, Any]) -> McpServer:
        """What `to_json` wrote. Raises KeyError, TypeError, ValueError, AttributeError: it is something else."""
        tools = {key: TrustedTool(**value) for key, value in data["tools"].items()}
        rest = {key: data[key] for key in ("url", "folder", "environment", "headers", "seconds")}
        return cls(name, tuple(data["command"]), **rest, tools=tools)


class KeptServers:
    """The file that remembers them, by the store of a device and the name of the app; only its owner may read it."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def of(self, store: Path) -> dict[str, McpServer]:
        """Those of the device of that store. Raises UsageError: the file is broken."""
        kept = self._read().get(_key(store), {})
        try:
            return {name: McpServer.from_json(name, data) for name, data in kept.items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UsageError(f"{self._file}: expected MCP servers as camphor wrote them: mend or remove it") from None

    def remember(self, store: Path, server: McpServer) -> None:
        kept = self._read()
        kept.setdefault(_key(store), {})[server.name] = server.to_json()
        self._write(kept)

    def forget(self, store: Path, name: str | None = None) -> None:
        """One of them, or all of that device."""
        kept = self._read()
        here = kept.pop(_key(store), None)
        if here is None:
            return
        left = {key: value for key, value in here.items() if name is not None and key != name}
        self._write({**kept, _key(store): left} if left else kept)

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise UsageError(f"{self._file}: expected a JSON object of devices: mend or remove it")
        return found

    def _write(self, kept: Mapping[str, Any]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        beside = self._file.with_name(f"{self._file.name}.{os.getpid()}.new")
        try:
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
                json.dump(kept, out, ensure_ascii=False, indent=1, sort_keys=True)
            beside.replace(self._file)
        finally:
            beside.unlink(missing_ok=True)


def _key(store: Path) -> str:
    return str(store.resolve())

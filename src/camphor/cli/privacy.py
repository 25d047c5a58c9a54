"""`camphor doctor --privacy`: all that camphor keeps on this machine, who may read it, and what may connect where."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from camphor.cli.home import cache_folder, config_folder, data_folder
from camphor.cli.settings import EMBEDDED, setting
from camphor.cli.text import print_table, say
from camphor.errors import UsageError

# By the first part of a path below the data folder, else by the ending: what a file holds, in words.
_PLACES = {
    "devices": "a device: records, memories, journal, rules",
    "web": "conversations and keys of the web app",
    "mcp": "the key of this machine's MCP server",
    "files": "pictures and documents from the phone",
    "cache": "made again when needed",
}
_FILES = {
    "mcp.json": "MCP servers, with their secrets",
    "phones.json": "phones that devices act on",
    "functions.json": "functions that you trust",
    "delivery.toml": "how messages leave in an emergency, with passwords",
    "config.toml": "settings",
}
_ENDINGS = {".items": "index of a device: its words again", "-wal": "log of a device", "-shm": "log of a device"}
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def privacy() -> dict[str, Any]:
    """Everything that is kept and may connect, as JSON values."""
    folders = list(dict.fromkeys((data_folder(), config_folder(), cache_folder())))
    kept = [each for folder in folders for each in _kept(folder, folder == cache_folder())]
    return {
        "folders": [str(folder) for folder in folders],
        "kept": kept,
        "encrypted": False,
        "open_to_others": [each["path"] for each in kept if each["others"]],
        "connections": list(_connections()),
        "telemetry": "none: no part of camphor reports anything to anybody",
    }


def _kept(folder: Path, cache: bool) -> Iterator[dict[str, Any]]:
    closed = folder.is_dir() and not folder.stat().st_mode & OTHERS
    for here, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(here, name)
            try:
                about = path.lstat()
            except OSError:
                continue
            others = bool(about.st_mode & OTHERS) and not closed
            yield {
                "path": str(path),
                "what": _PLACES["cache"] if cache else _what(path, folder),
                "bytes": about.st_size,
                "mode": f"{stat.S_IMODE(about.st_mode):04o}",
                "others": others,
            }


def _what(path: Path, folder: Path) -> str:
    for ending, told in _ENDINGS.items():
        if path.name.endswith(ending):
            return told
    first = path.relative_to(folder).parts[0]
    return _FILES.get(path.name) or _PLACES.get(first, "camphor's own")


def _connections() -> Iterator[dict[str, str]]:
    """What may open a connection, and to where; nothing is contacted, and no password or key is told."""
    model = str(setting("model"))
    if model != EMBEDDED:
        from camphor.models.destination import destination_of

        destination = destination_of(model)
        where = destination.told if destination else "nowhere: it runs on this machine"
        yield {"what": f"the model that you chose ({model})", "to": where}
    yield from _servers(data_folder() / "mcp.json")
    yield from _deliveries(data_folder() / "delivery.toml")
    for name in sorted(_read(data_folder() / "phones.json")):
        yield {"what": f"the phone of the device {name}", "to": "the adb server of this machine, or this phone itself"}
    yield {"what": "camphor serve, while it runs", "to": "nowhere: it is asked, on the loopback interface"}


def _servers(file: Path) -> Iterator[dict[str, str]]:
    for servers in _read(file).values():
        for name, server in servers.items() if isinstance(servers, dict) else ():
            command = " ".join(server.get("command") or [])[:60]
            yield {
                "what": f"the MCP server {name}, when one of its tools is called",
                "to": server.get("url") or command,
            }


def _deliveries(file: Path) -> Iterator[dict[str, str]]:
    from camphor.health.emergency.settings import read_settings

    found = read_settings(file)
    for channel in found.ways:
        yield {"what": f"messages in an emergency ({channel.value})", "to": _service(found.ways[channel].url)}
    for name, url in found.places.items():
        yield {"what": f"reminders to {name}", "to": _service(url)}


def _service(url: str) -> str:
    """The kind of service that a URL names, without host, user or password."""
    return f"the service {url.partition('://')[0]}, as you set it up"


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise UsageError(f"{file}: it cannot be read: mend or remove it") from None
    return found if isinstance(found, dict) else {}


def show(found: dict[str, Any]) -> None:
    """The same for a person."""
    rows = [[each["what"], each["path"], f"{each['bytes']:,}", each["mode"]] for each in found["kept"]]
    print_table(["what", "where", "bytes", "mode"], rows, "kept on this machine")
    if not rows:
        say("Nothing is kept yet.")
    say("Nothing of it is encrypted by camphor: who has your account or your disk can read it.")
    for path in found["open_to_others"]:
        say(f"! {path}: other accounts of this machine may read it: chmod 600")
    say("What may connect, and to where:")
    for each in found["connections"]:
        say(f"  {each['what']}: {each['to']}")
    say(f"Telemetry: {found['telemetry']}.")
    say("To take all of a device along: camphor device export NAME --out FILE. To erase it: camphor device remove NAME")

"""`camphor device connect`: a real Android phone over adb becomes a device of the data folder."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.home import data_folder, keep, write_whole
from camphor.cli.text import clean, print_json
from camphor.errors import ToolError, UsageError

if TYPE_CHECKING:
    from camphor.device.android.adb import AdbPhone, Seen
    from camphor.device.device import Device

_PORT = 5037
_ADVICE = {
    "unauthorized": "unlock it and allow debugging by this computer",
    "offline": "plug it in again",
    "no permissions": "this machine does not let you use it: see Android's page on setting up udev",
}


def connect(
    serial: Annotated[
        str | None, typer.Argument(help="The phone's serial number; not needed where one phone is plugged in.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call it here; its model unless given.")] = None,
    owner: Annotated[str, typer.Option(help="Whose phone it is.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Connect it anew, or read its contacts again.")] = False,
    contacts: Annotated[bool, typer.Option("--contacts/--no-contacts", help="Whether to read its contacts.")] = True,
    server: Annotated[str, typer.Option(help="The adb server, as HOST:PORT.", metavar="HOST:PORT")] = "",
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Connect an Android phone that is plugged in, or that  adb connect  reached.

    Switch on USB debugging in the phone's developer options first. What is connected is a device like any other:
    camphor call "wake me at 7" --device NAME  asks you, and then sends the intent to the phone. The phone's contacts
    are read once, so that names can be understood; they stay in the data folder.
    """
    from camphor.device.android.adb import AdbPhone, AdbShell, connected

    host, port = _address(server)
    seen = _choose(connected(host, port), serial)
    phone = AdbPhone(AdbShell(seen.serial, host, port))
    facts = phone.facts()
    people: list[dict[str, str]] = []
    problem = ""
    try:
        people = phone.contacts() if contacts else []
    except ToolError as error:
        problem = str(error)
    called = name or re.sub(r"[^\w.-]+", "-", facts["model"]).strip("-.") or seen.serial
    path = keep(_device(called, owner, facts, people), called, replace=replace)
    links = _links()
    links[path.stem] = {"serial": seen.serial, "host": host, "port": port}
    write_whole(_file(), json.dumps(links, indent=1) + "\n")
    _tell(called, facts, len(people), problem, json_)


def attach(device: Device, name: str) -> Device:
    """The device; one that was connected under this name now acts on its phone."""
    link = _links().get(name)
    if link:
        device.connect(lambda: _phone(link))
    return device


def _phone(link: dict[str, Any]) -> AdbPhone:
    from camphor.device.android.adb import AdbPhone, AdbShell

    return AdbPhone(AdbShell(str(link["serial"]), str(link["host"]), int(link["port"])))


def _choose(seen: list[Seen], serial: str | None) -> Seen:
    known = ", ".join(f"{each.serial} ({each.state})" for each in seen)
    if not seen:
        raise UsageError(
            "No phone is plugged in: switch on USB debugging on it, plug it in, and look with  adb devices"
        )
    fitting = [each for each in seen if serial in (None, each.serial)]
    if not fitting:
        raise UsageError(f"There is no phone {str(serial)[:80]}: adb knows {known}")
    ready = [each for each in fitting if each.state == "device"]
    if not ready:
        advice = _ADVICE.get(fitting[0].state, "look with  adb devices")
        raise UsageError(f"{fitting[0].serial} cannot be used yet ({fitting[0].state}): {advice}")
    if len(ready) > 1:
        raise UsageError(f"Several phones are plugged in: say which, of {known}")
    return ready[0]


def _device(name: str, owner: str, facts: dict[str, str], people: list[dict[str, str]]) -> dict[str, Any]:
    from camphor.device.apps import KNOWN_APPS

    android = [each for each in KNOWN_APPS if each.startswith("android_")]
    apps: dict[str, dict[str, list[Any]]] = {each: {key: [] for key in KNOWN_APPS[each].lists} for each in android}
    apps["android_contacts"]["contacts"] = people
    data: dict[str, Any] = {"format": "camphor.device/1", "id": name, "owner": owner or name, "now": "system"}
    if facts["timezone"]:
        data["timezone"] = facts["timezone"]
    return {**data, "apps": apps}


def _tell(name: str, facts: dict[str, str], people: int, problem: str, json_: bool) -> None:
    if json_:
        print_json({"name": name, **facts, "contacts": people, "problem": problem})
        return
    typer.echo(clean(f"Connected {name}: {facts['maker']} {facts['model']}, Android {facts['android']}"))
    if problem:
        typer.echo(clean(f"Its contacts were not read: {problem}"), err=True)
    else:
        typer.echo(f"{people} contacts read")
    typer.echo(f'camphor call "set an alarm for 7" --device {name}')


def _address(server: str) -> tuple[str, int]:
    spec = server or os.environ.get("ANDROID_ADB_SERVER_ADDRESS", "127.0.0.1")
    host, _, port = spec.rpartition(":") if ":" in spec else (spec, "", "")
    port = port or os.environ.get("ANDROID_ADB_SERVER_PORT", str(_PORT))
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise UsageError(f"{spec[:80]!r} is no address of an adb server: write HOST:PORT, such as 127.0.0.1:{_PORT}")
    return host or "127.0.0.1", int(port)


def _file() -> Any:
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "phones.json"


def _links() -> dict[str, Any]:
    try:
        found = json.loads((data_folder() / "phones.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{data_folder() / 'phones.json'} cannot be read: {error}: remove it and connect anew"
        ) from None
    return found if isinstance(found, dict) else {}

"""`camphor device connect`, a real Android phone over adb becomes a device of the data folder; and `camphor device
install`, a folder of Python functions becomes an app of a phone."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from functools import partial
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from camphor.cli.home import Link, is_phone_file, keep, linked_phone, open_device, remember_functions, remember_link
from camphor.cli.options import KeptDeviceArgument, OwnerOption, PrintJsonOption
from camphor.cli.text import clean, is_attended, print_json, tell_left_out
from camphor.errors import ToolError, UsageError
from camphor.tools.tool import Kind

if TYPE_CHECKING:
    from camphor.device.android.adb import AttachedPhone, Contacted

_PORT = 5037
_MOST_HISTORY = 5000
"""Calls and texts that are taken over, the latest."""
T = TypeVar("T")
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
    owner: OwnerOption = "",
    replace: Annotated[bool, typer.Option("--replace", help="Connect it anew, or read its contacts again.")] = False,
    contacts: Annotated[bool, typer.Option("--contacts/--no-contacts", help="Whether to read its contacts.")] = True,
    history: Annotated[
        bool, typer.Option("--history", help="Read with whom calls and texts were, and when (never what they say).")
    ] = False,
    server: Annotated[str, typer.Option(help="The adb server, as HOST:PORT.", metavar="HOST:PORT")] = "",
    here: Annotated[bool, typer.Option("--here", help="The phone that this runs on, in Termux.")] = False,
    companion: Annotated[
        bool, typer.Option("--companion", help="Ask camphor's app on it for what you choose there; needs its token.")
    ] = False,
    json_: PrintJsonOption = False,
) -> None:
    """Connect an Android phone that is plugged in, or that  adb connect  reached, or with --here the one this runs on.

    Switch on USB debugging in the phone's developer options first; --here needs Termux with Termux:API instead. What is
    connected is a device like any other:  camphor call "wake me at 7" --device NAME  asks you, and then sends the
    intent to the phone. The phone's contacts are read once, so that names can be understood; they stay in the data
    folder. With --history it also learns who called and was called, so that "ring her back" is understood; again with
    --replace, as the phone knows then. With --companion what you choose on the phone comes back, from an app there that
    shows a token; it is asked for, or taken from the environment variable CAMPHOR_PHONE_TOKEN.
    """
    from camphor.device.android.adb import CALLS, TEXTS, connected
    from camphor.device.android.companion import CompanionPhone
    from camphor.device.android.termux import HOW_TO_GET, in_termux

    if history and not contacts:
        raise UsageError("--history is of contacts: leave --no-contacts out")
    if here and (serial or server):
        raise UsageError("--here is the phone that this runs on: leave its serial number and --server out")
    if here and companion:
        raise UsageError("--companion is for a phone at a cable, --here for the one that this runs on: leave one out")
    if here and not in_termux():
        raise UsageError(f"--here needs Termux with Termux:API: {HOW_TO_GET}")
    link: Link = {"here": True}
    if not here:
        host, port = _address(server)
        link = {"serial": _choose(connected(host, port), serial).serial, "host": host, "port": port}
    if companion:
        link |= {"companion": True, "token": _token()}
    phone = linked_phone(link)
    if isinstance(phone, CompanionPhone):
        phone.check()
    facts = phone.facts()
    people, problem = _asked(phone.contacts) if contacts else ([], "")
    before: list[Contacted] = []
    for uri in (CALLS, TEXTS) if history and people else ():
        found, unread = _asked(partial(phone.history, uri))
        before += found
        problem = "; ".join(filter(None, (problem, unread)))
    usage = _usage(before, people, facts["timezone"])
    called = name or re.sub(r"[^\w.-]+", "-", facts["model"]).strip("-.") or str(link.get("serial", "phone"))
    path = keep({**_device(called, owner, facts, people), "usage": usage}, called, replace=replace)
    remember_link(path.stem, link)
    _tell(called, facts, len(people), len(usage) if history else None, problem, json_)


def _token() -> str:
    """The token of the phone's app as it was typed; "" where the environment has it, which is then not kept."""
    from camphor.device.android.companion import TOKEN_VARIABLE, plain_token

    if os.environ.get(TOKEN_VARIABLE):
        return ""
    if not is_attended():
        raise UsageError(
            f"--companion needs the token that the phone's app shows: set {TOKEN_VARIABLE} to it, or run this in a"
            " terminal, which asks for it"
        )
    try:
        # no other way of asking switches the echo off before the question is seen
        return plain_token(getpass("The token that the phone's app shows: ", stream=sys.stderr))
    except EOFError:
        raise typer.Abort from None


def _asked(what: Callable[[], list[T]]) -> tuple[list[T], str]:
    """What the phone has, and the problem where it does not tell."""
    try:
        return what(), ""
    except ToolError as error:
        return [], str(error)


def _usage(before: list[Contacted], people: list[dict[str, str]], zone: str) -> list[dict[str, Any]]:
    """Calls and texts as uses of the contacts with whom they were, oldest first; of numbers of nobody's nothing."""
    from dateutil import tz

    from camphor.device.people import same_number

    local, of_number = tz.gettz(zone or None), {}
    for number in {each.number for each in before}:
        mine = [place for place, each in enumerate(people) if same_number(number, each.get("phone_number", ""))]
        of_number[number] = mine[0] if len(mine) == 1 else None
    return [
        {
            "app": "android_contacts", "list": "contacts", "item": of_number[each.number], "kind": each.kind,
            "at": datetime.fromtimestamp(each.at, local).replace(tzinfo=None, microsecond=0).isoformat(),
            "place": "", "screen": "",
        }
        for each in sorted(before, key=lambda each: each.at)
        if of_number[each.number] is not None
    ][-_MOST_HISTORY:]  # fmt: skip


def _choose(seen: list[AttachedPhone], serial: str | None) -> AttachedPhone:
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


def _tell(name: str, facts: dict[str, str], people: int, history: int | None, problem: str, json_: bool) -> None:
    if json_:
        print_json({"name": name, **facts, "contacts": people, "history": history or 0, "problem": problem})
        return
    typer.echo(clean(f"Connected {name}: {facts['maker']} {facts['model']}, Android {facts['android']}"))
    if problem:
        typer.echo(clean(f"Not all was read: {problem}"), err=True)
    typer.echo(f"{people} contacts read" + ("" if history is None else f", {history:,} calls and texts with them"))
    typer.echo(f'camphor call "set an alarm for 7" --device {name}')


def _address(server: str) -> tuple[str, int]:
    spec = server or os.environ.get("ANDROID_ADB_SERVER_ADDRESS", "127.0.0.1")
    host, _, port = spec.rpartition(":") if ":" in spec else (spec, "", "")
    port = port or os.environ.get("ANDROID_ADB_SERVER_PORT", str(_PORT))
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise UsageError(f"{spec[:80]!r} is no address of an adb server: write HOST:PORT, such as 127.0.0.1:{_PORT}")
    return host or "127.0.0.1", int(port)


def install(
    device: KeptDeviceArgument,
    folder: Annotated[Path, typer.Argument(help="A folder of Python files; the app is called as the folder.")],
) -> None:
    """Give a phone an app of your own Python functions, or bring it up to date.

    \b
    camphor tools extract ~/trips            # what it would bring
    camphor device install ines-dublin ~/trips
    camphor ask "Book a trip to Rome"

    The files are RUN now and whenever the phone is opened on this machine: install only what you trust. They are
    remembered as they are now, for this phone alone: when one is changed, none runs until you install them again.
    Functions that are not in their module's READS act, and you are asked before each runs.
    """
    from camphor.tools.modules import hashes, read_folder, read_sources

    if is_phone_file(device):
        raise UsageError(
            f"{device} is a file that is never written to: take it in with  camphor device import {device}"
        )
    where, sources = folder.resolve(), read_sources(folder)
    left_out: list[str] = []
    tools = read_folder(folder, sources, left_out)
    tell_left_out(left_out)
    with closing(open_device(device)) as phone:
        phone.install_functions(where.name, str(where), tools)
        assert phone.path is not None
        remember_functions(phone.path, str(where), hashes(sources))
    acting = sum(tool.kind is Kind.ACTION for tool in tools)
    typer.echo(clean(f"Installed {where.name} on {device}: {len(tools)} tools, {acting} of them act"))

"""`camphor device`: the phones in the data folder, and files of phones."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli import device_connect, device_share
from camphor.cli.home import (
    DEMO,
    data_folder,
    device_to_change,
    keep,
    kept_devices,
    open_device,
    read_device,
    write_whole,
)
from camphor.cli.home import remove as remove_kept
from camphor.cli.options import (
    AnyDeviceArgument,
    EntryArgument,
    KeptDeviceArgument,
    OutOption,
    OwnerOption,
    PrintJsonOption,
)
from camphor.cli.text import ask, is_attended, print_json, print_table, say
from camphor.errors import CamphorError, DeviceFileError, Refused, UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.device.journal import JournalEntry

app = typer.Typer(help="Make, look at, take in and give out phones.", no_args_is_help=True)

ReplaceOption = Annotated[bool, typer.Option("--replace", help="Write over a device of that name.")]
_CLOCK_OPTIONS = {
    "/now": ("--now", "a day or a time in ISO 8601, such as 2026-03-12T08:45:00, or system"),
    "/timezone": ("--timezone", "the name of a time zone, such as Europe/Dublin"),
}
"""By the place in a device file: the option that says it, and what it takes."""
BASIC_APPS = "contacts,calendar,mail,imessage,reminders,notes"


app.command("install")(device_connect.install)


@app.command("list")
def list_(json_: PrintJsonOption = False) -> None:
    """The devices in the data folder. The demo phone is there from its first use on."""
    rows = []
    for name in sorted({DEMO, *kept_devices()}):
        try:
            with closing(open_device(name)) as device:
                records = sum(sum(each.values()) for each in _counts(device).values())
                rows.append({"name": name, "owner": device.owner, "apps": len(device.apps), "records": records})
        except CamphorError as error:  # one broken store must not hide the others
            rows.append({"name": name, "error": str(error)})
    if json_:
        print_json({"folder": str(data_folder()), "devices": rows})
        return
    title = str(data_folder() / "devices")
    print_table(["device", "owner", "apps", "records"], [_row(row) for row in rows], title)


def _row(row: dict[str, Any]) -> list[str]:
    if "error" in row:
        return [row["name"], f"cannot be opened: {row['error']}", "", ""]
    return [row["name"], row["owner"], str(row["apps"]), str(row["records"])]


@app.command("show")
def show(
    device: AnyDeviceArgument = DEMO,
    app_name: Annotated[str | None, typer.Argument(metavar="[APP]", help="Show this app's records.")] = None,
    journal: Annotated[bool, typer.Option("--journal", help="Show what was done on the device, oldest first.")] = False,
    json_: PrintJsonOption = False,
) -> None:
    """Show a phone: whose it is, its clock and place, its apps; or one app's records; or what was done on it."""
    with closing(open_device(device)) as phone:
        if journal:
            entries = phone.journal()
            print_json([_entry(entry) for entry in entries]) if json_ else _journal(phone.id, entries)
        elif app_name is not None:
            lists = _lists(phone, app_name)
            print_json(lists) if json_ else _app(lists)
        elif json_:
            print_json(_summary(phone))
        else:
            _phone(phone)


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(help="What to call it here.")],
    owner: OwnerOption = "",
    now: Annotated[
        str, typer.Option(help="Where its clock stands, ISO 8601; this machine's clock unless given.")
    ] = "system",
    timezone: Annotated[str | None, typer.Option(help="Such as Europe/Dublin.")] = None,
    city: Annotated[str | None, typer.Option(help="Where it is.")] = None,
    apps: Annotated[
        str, typer.Option(help="Apps to install, with commas between; `all` for every built-in one.")
    ] = BASIC_APPS,
    replace: ReplaceOption = False,
) -> None:
    """Make an empty phone."""
    from camphor.device.apps import BUILT_IN_APPS, KNOWN_APPS

    wanted = list(BUILT_IN_APPS) if apps == "all" else [each.strip() for each in apps.split(",") if each.strip()]
    unknown = [each for each in wanted if each not in KNOWN_APPS]
    if unknown:
        raise UsageError(f"There is no built-in app {unknown[0]!r}: choose from {', '.join(KNOWN_APPS)}")
    data: dict[str, Any] = {"format": "camphor.device/1", "id": name, "owner": owner or name, "now": now}
    if timezone:
        data["timezone"] = timezone
    if city:
        data["location"] = {"city": city}
    data["apps"] = {each: {key: [] for key in KNOWN_APPS[each].lists} for each in wanted}
    if owner and "contacts" in data["apps"]:
        data["apps"]["contacts"]["people"] = [{"person_id": "001", "name": owner, "is_self": True}]
    try:
        path = keep(data, name, replace=replace)
    except DeviceFileError as error:
        if error.pointer not in _CLOCK_OPTIONS:
            raise
        option, expected = _CLOCK_OPTIONS[error.pointer]
        raise UsageError(f"{option} {str(data[option[2:]])[:80]!r}: expected {expected}") from None
    say(f"Made {name} ({len(wanted)} apps): {path}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A .device.json file, or a store file.")],
    name: Annotated[str | None, typer.Option(help="What to call it here; the file's id unless given.")] = None,
    replace: ReplaceOption = False,
) -> None:
    """Take a phone into the data folder; then  --device NAME  works on it and keeps changes."""
    data = read_device(file)
    chosen = name or str(data["id"])
    path = keep(data, chosen, replace=replace)
    say(f"Imported {chosen}: {path}")
    if data.get("usage"):
        with closing(open_device(str(path))) as phone:
            skipped = phone.usage.skipped
        if skipped:
            told = "they are about no item of this phone, or say no kind or time that is known"
            say(f"{skipped:,} of {len(data['usage']):,} events under `usage` were skipped: {told}")


@app.command("export")
def export(
    device: AnyDeviceArgument = DEMO,
    out: OutOption = None,
) -> None:
    """Give a phone out as a .device.json file, with everything that was done on it."""
    with closing(open_device(device)) as phone:
        text = json.dumps(phone.export(), ensure_ascii=False, indent=1) + "\n"
    if out is None:
        sys.stdout.write(text)
        return
    write_whole(out, text)
    say(f"Exported {device}: {out}")


@app.command("remove")
def remove(
    name: Annotated[str, typer.Argument(help="A device of yours by name.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a phone of yours for good, with its memories, its health and its conversations. You are asked before.

    The demo phone is there again, as it was at first, when it is next used.
    """
    if name in kept_devices() and not yes:
        if not is_attended():
            raise Refused(f"Nothing was removed: run this in a terminal, or add --yes to delete {name} for good")
        if ask(f"Delete {name} for good, with all that was done on it? yes or no: ").strip().casefold() != "yes":
            raise Refused("Nothing was removed")
    remove_kept(name)
    say(f"Removed {name}")


@app.command("settle")
def settle(
    device: KeptDeviceArgument,
    entry: EntryArgument,
    done: Annotated[bool, typer.Option("--done/--not-done", help="What became of it.")],
) -> None:
    """Say what became of an action that a crash cut off; camphor itself never repeats one."""
    with closing(open_device(device)) as phone:
        phone.settle(entry, done)
    say(f"Noted that action {entry} was {'done' if done else 'not done'}")


@app.command("undo")
def undo(
    entry: EntryArgument,
    device: Annotated[
        str | None, typer.Option("--device", "-d", help="A device of yours by name, or a store file.")
    ] = None,
) -> None:
    """Take an action back: a reminder, note or event that was made, or an event that was cancelled.

    What reached somebody else, such as a message or a call, cannot be taken back, nor what was changed since.

    \b
    camphor device show --journal
    camphor device undo 3
    """
    from camphor.tools.calls import render_calls

    with device_to_change(device) as phone:
        undone = phone.undo(entry)
    say(f"Undone: {render_calls((undone.call,))[1:-1]}")


app.command("connect")(device_connect.connect)
app.command("share")(device_share.share)


def _entry(entry: JournalEntry) -> dict[str, Any]:
    error = entry.observation.error if entry.observation else None
    told = {"id": entry.id, "state": entry.state.value, "begun": entry.begun, "ended": entry.ended}
    can = {"undoable": entry.reversible and not entry.undone, "undone": entry.undone}
    return {**told, "call": entry.call.to_json(), "error": error, **can}


def _journal(device: str, entries: list[JournalEntry]) -> None:
    from camphor.tools.calls import render_calls

    if not entries:
        say(f"Nothing was done on {device} yet.")
    for entry in entries:
        error = f"  ({entry.observation.error})" if entry.observation and entry.observation.error else ""
        when = entry.begun[:19].replace("T", " ")
        state = "undone" if entry.undone else entry.state.value
        say(f"{entry.id:>4}  {when}  {state:<6}  {render_calls((entry.call,))[1:-1]}{error}")


def _counts(device: Device) -> dict[str, dict[str, int]]:
    """How many records each list of each app has."""
    lists = {name: _lists(device, name) for name in device.apps}
    return {
        name: {key: len(value) for key, value in found.items() if isinstance(value, list)}
        for name, found in lists.items()
    }


def _lists(device: Device, app_name: str) -> dict[str, Any]:
    """The app as it stands in the device file.

    Raises:
        UsageError: the app is not installed.
    """
    if app_name not in device.apps:
        raise UsageError(f"{device.id} has no app {app_name[:80]!r}: it has {', '.join(device.apps)}")
    found: dict[str, Any] = device.export()["apps"][app_name]
    if "tools" in found:  # an app with a manifest keeps its lists one level down
        return dict(found.get("records", {}))
    return found


def _summary(device: Device) -> dict[str, Any]:
    return {
        "id": device.id,
        "owner": device.owner,
        "now": device.now.isoformat(),
        "timezone": device.timezone,
        "location": dict(device.location),
        "apps": _counts(device),
        "tools": len(device.toolbox),
    }


def _phone(device: Device) -> None:
    where = device.location.get("formatted_address") or device.location.get("city") or "no place known"
    say(f"{device.owner} · {device.now:%A %d %B %Y, %H:%M} · {where}")
    counts = _counts(device).items()
    shown = [[name, ", ".join(f"{size} {key}" for key, size in lists.items())] for name, lists in counts]
    print_table(["app", "records"], shown)


def _app(lists: dict[str, Any]) -> None:
    for key, value in lists.items():
        if not isinstance(value, list):
            _lines([{key: value}])
            continue
        say(f"{key} ({len(value)})")
        _lines(value)


def _lines(records: list[Any]) -> None:
    from camphor.agents.display import show_record

    for record in records:
        say("  " + (show_record(record, 0) if isinstance(record, dict) else str(record)))

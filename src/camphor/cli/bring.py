"""`camphor bring`: a person's own records, from the files in which they have them, onto a device of theirs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.home import DEMO, device_to_change, kept_devices
from camphor.cli.options import JsonOption
from camphor.cli.text import bars, fold, print_json, print_table, say
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.device.importers import Importer, Unread
    from camphor.device.sources import Bringing, Progress

_WIDTH = 100
_HOW = "Make a device of yours first:  camphor device new NAME --owner 'YOUR NAME' --timezone AREA/CITY"


def bring(
    sources: Annotated[
        list[Path] | None, typer.Argument(metavar="[SOURCE]...", help="Files or folders. None: tells what was brought.")
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", "-d", help="A device of yours by name; needed where you have several.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--as", help="What the source is, where that is not recognised.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Tell what would come in, and write nothing.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Read all sources again that were brought in before.")] = False,
    forget: Annotated[
        Path | None, typer.Option(help="Forget this source. What it brought stays unless --records is given.")
    ] = None,
    records: Annotated[bool, typer.Option("--records", help="With --forget: take away what it brought.")] = False,
    json_: JsonOption = False,
) -> None:
    """Bring your calendar, contacts, mail, notes, messages and histories onto a device, from files that you have.

    The same source can be brought again at any time: what is new comes in, what changed is changed, nothing is doubled.
    Nothing leaves this machine.

    camphor bring calendar.ics contacts.vcf ~/Mail/archive.mbox ~/Notes
    """
    with device_to_change(device or _own_device()) as phone:
        if forget is not None:
            _forget(phone, forget, records)
            return
        wanted = _wanted(phone, sources or [], kind, again)
        if not wanted:
            _tell_sources(phone, json_)
            return
        told = [_one(phone, importer, path, preview, quiet=json_) for importer, path in wanted]
        if json_:
            print_json({"device": phone.id, "preview": preview, "sources": told})


def _own_device() -> str:
    """The one device that is the person's own. Raises: UsageError, there is none or more than one."""
    own = [name for name in kept_devices() if not name.startswith("demo") and name != DEMO]
    if len(own) == 1:
        return own[0]
    raise UsageError(f"Name the device with --device: you have {', '.join(own)}" if own else _HOW)


def _wanted(phone: Device, paths: list[Path], kind: str | None, again: bool) -> list[tuple[Importer, Path]]:
    from camphor.device.importers import importer_named, importer_of

    if again:
        if paths or kind:
            raise UsageError("--again reads the sources that are known: name none")
        return [(importer_named(each.importer), Path(each.place)) for each in phone.sources.all()]
    return [(importer_named(kind) if kind else importer_of(path), path) for path in paths]


def _one(phone: Device, importer: Importer, path: Path, preview: bool, quiet: bool) -> dict[str, Any]:
    from camphor.device.importers import Situation, Unread

    if not path.exists():
        raise UsageError(f"{path}: there is nothing there")
    unread = Unread()
    situation = Situation(phone.now, phone.zone, phone.owner)
    at = phone.now.isoformat(timespec="seconds")
    with _bar(f"{importer.name} {path.name}") as progress:
        done = phone.sources.bring(
            importer.name, str(path.resolve()), importer.read(path, situation, unread), at,
            mirrors=importer.mirrors, preview=preview, progress=progress,
        )  # fmt: skip
    if not quiet:
        _tell(importer, path, done, unread, preview)
    return {
        "source": str(path),
        "as": importer.name,
        "lists": {f"{app}.{name}": vars(change) for (app, name), change in done.lists.items()},
        "kept": done.kept,
        "unread": {"count": unread.count, "told": unread.told},
    }


@contextmanager
def _bar(title: str) -> Iterator[Progress]:
    with bars(elapsed=True) as shown:
        task = shown.add_task(fold(title, 40), total=None)
        yield lambda read: shown.update(task, completed=read)


def _tell(importer: Importer, path: Path, done: Bringing, unread: Unread, preview: bool) -> None:
    say(f"{path}: {importer.told}" + (" (a preview: nothing is written)" if preview else ""))
    for (app, name), change in done.lists.items():
        counts = [f"{count:,} {word}" for word, count in vars(change).items() if count]
        say(f"  {app} {name}: {', '.join(counts)}")
        for record in done.examples.get((app, name), []) if preview else ():
            say("    " + fold("; ".join(str(value) for value in record.values() if value), _WIDTH))
    if not done.lists:
        say("  nothing was found in it")
    if done.kept:
        say(f"  {done.kept:,} records that it lacks now stay, as they were most of it: is it whole?")
    if unread.count:
        say(f"  {unread.count:,} could not be read: {'; '.join(unread.told[:5])}", sys.stderr)


def _tell_sources(phone: Device, json_: bool) -> None:
    known = phone.sources.all()
    if json_:
        print_json({"device": phone.id, "sources": [vars(each) for each in known]})
        return
    if not known:
        from camphor.device.importers import importers

        say(f"Nothing was brought onto {phone.id} yet. What can be:")
        for each in importers():
            say(f"  {each.name:10} {each.told}")
        return
    rows = [[each.importer, each.place, f"{each.records:,}", each.read_at] for each in known]
    print_table(["kind", "source", "records", "read"], rows, phone.id)


def _forget(phone: Device, path: Path, records: bool) -> None:
    place = str(path.resolve())
    found = next((each for each in phone.sources.all() if each.place in (place, str(path))), None)
    count = phone.sources.forget(found.importer if found else "", found.place if found else place, records)
    say(f"{path} is forgotten; " + (f"{count:,} records are gone" if records else f"{count:,} records stay"))

"""`camphor device install`: a folder of Python functions as an app of a phone, and which files are trusted on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.home import data_folder, is_phone_file, kept_devices, open_device, store_path, write_whole
from camphor.cli.text import clean
from camphor.errors import DefinitionError, UsageError
from camphor.tools.tool import Kind

if TYPE_CHECKING:
    from camphor.device.device import Device


def install(
    device: Annotated[str, typer.Argument(help="A device of yours by name, or a store file.")],
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
    tools = read_folder(folder, sources)
    with closing(open_device(device)) as phone:
        phone.install_functions(where.name, str(where), tools)
        assert phone.path is not None
        _remember(phone.path, str(where), hashes(sources))
    acting = sum(tool.kind is Kind.ACTION for tool in tools)
    typer.echo(clean(f"Installed {where.name} on {device}: {len(tools)} tools, {acting} of them act"))


def bind_functions(device: Device) -> Device:
    """The device with the functions of its apps, as far as this person has installed those very files on it.

    What a device file says is no trust: it may come from anybody, and name any folder. A folder that cannot be loaded
    leaves the phone usable: its tools say why when they are called.
    """
    from camphor.tools.modules import changed, hashes, read_folder, read_sources

    folders, store = device.function_folders, device.path
    if not folders or store is None:
        return device
    known = _installed().get(str(store.resolve()), {})
    for app, folder in folders.items():
        if folder not in known:
            continue
        try:
            sources = read_sources(Path(folder))
            if other := changed(known[folder], hashes(sources)):
                device.bind(app, (), _changed(other, store, folder))
            else:
                device.bind(app, read_folder(folder, sources))
        except DefinitionError as error:
            device.bind(app, (), str(error))
    return device


def _changed(files: Sequence[str], store: Path, folder: str) -> str:
    """What to say of files that are not those that were installed."""
    kept = store.stem in kept_devices() and store_path(store.stem).resolve() == store.resolve()
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    command = f"camphor device install {quote(store.stem if kept else str(store))} {quote(folder)}"
    return f"{files[0]}{more} changed after it was installed: look at what is there, then run  {command}"


def forget_functions(store: Path) -> None:
    """Nothing is installed any more on the phone of that store: another one takes its name, or none."""
    installed = _installed()
    if installed.pop(str(store.resolve()), None) is not None:
        _write(installed)


Installed = dict[str, dict[str, dict[str, str]]]
"""By the store of a phone and the folder of an app: the SHA-256 of each Python file when it was installed."""


def _list() -> Path:
    return data_folder() / "functions.json"


def _installed() -> Installed:
    try:
        found = json.loads(_list().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise UsageError(f"{_list()}: expected a JSON object of phones: mend or remove it") from None
    return found if isinstance(found, dict) else {}  # before there were hashes it was a list of folders


def _remember(store: Path, folder: str, files: dict[str, str]) -> None:
    installed = _installed()
    installed.setdefault(str(store.resolve()), {})[folder] = files
    _write(installed)


def _write(installed: Installed) -> None:
    _list().parent.mkdir(parents=True, exist_ok=True)
    write_whole(_list(), json.dumps(installed, ensure_ascii=False, indent=1, sort_keys=True) + "\n")

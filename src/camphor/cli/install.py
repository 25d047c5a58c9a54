"""`camphor device install`: a folder of Python functions as an app of a phone, and which folders are trusted."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.errors import DefinitionError, UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("install")(install)


def install(
    device: Annotated[str, typer.Argument(help="A device of yours by name, or a store file.")],
    folder: Annotated[Path, typer.Argument(help="A folder of Python files; the app is called as the folder.")],
) -> None:
    """Give a phone an app of your own Python functions, or bring it up to date.

    \b
    camphor tools extract ~/trips            # what it would bring
    camphor device install ines-dublin ~/trips
    camphor ask "Book a trip to Rome"

    The files are RUN now and whenever the phone is opened on this machine: install only what you trust. Functions that
    are not in their module's READS act, and you are asked before each runs.
    """
    from camphor.cli.home import is_phone_file, open_device
    from camphor.cli.text import clean
    from camphor.tools.modules import read_folder
    from camphor.tools.tool import Kind

    if is_phone_file(device):
        raise UsageError(
            f"{device} is a file that is never written to: take it in with  camphor device import {device}"
        )
    tools, where = read_folder(folder), folder.resolve()
    with closing(open_device(device)) as phone:
        phone.install_functions(where.name, str(where), tools)
    _trust(str(where))
    acting = sum(tool.kind is Kind.ACTION for tool in tools)
    typer.echo(clean(f"Installed {where.name} on {device}: {len(tools)} tools, {acting} of them act"))


def bind_functions(device: Device) -> Device:
    """The device with the functions of its apps, as far as this person has installed their folders on this machine.

    A folder that cannot be loaded leaves the phone usable: its tools say why when they are called.
    """
    from camphor.tools.modules import read_folder

    folders = device.function_folders
    trusted = _trusted() if folders else set()
    for app, folder in folders.items():
        if folder in trusted:
            try:
                device.bind(app, read_folder(folder))
            except DefinitionError as error:
                device.bind(app, (), str(error))
    return device


def _list() -> Path:
    from camphor.cli.home import data_folder

    return data_folder() / "functions.json"


def _trusted() -> set[str]:
    try:
        found = json.loads(_list().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return set()
    except ValueError:
        raise UsageError(f"{_list()}: expected a JSON list of folders: mend or remove it") from None
    return {each for each in found if isinstance(each, str)} if isinstance(found, list) else set()


def _trust(folder: str) -> None:
    from camphor.cli.home import write_whole

    _list().parent.mkdir(parents=True, exist_ok=True)
    write_whole(_list(), json.dumps(sorted({*_trusted(), folder}), ensure_ascii=False, indent=1) + "\n")

"""Which phone a command of the health assistant means."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from contextvars import ContextVar
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from camphor.cli.home import device_to_change, keep, open_device, read_device, store_path
from camphor.cli.text import clean
from camphor.errors import CamphorError, StoreError, UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device

HEALTH_DEMO = "nadia-bristol"

HealthDeviceOption = Annotated[
    str | None,
    typer.Option(
        "--device",
        "-d",
        help="A device of yours by name, a store file, or a .device.json file (never changed). "
        "The demo phone with the clinic app unless given.",
    ),
]

_NAMED: ContextVar[str | None] = ContextVar("named", default=None)
"""The phone that the person named."""
_HINT = re.compile(r"\bcamphor health \S+(?: \S+)*")


@contextmanager
def health_phone(
    spec: str | None, *, clinic: bool = True, change: bool = False, anyway: bool = False
) -> Iterator[Device]:
    """The phone that a command of the health assistant means; closed at the end.

    None is the demo phone with the clinic app, which is copied into the data folder when it is first used.

    Args:
        clinic: whether it must have the clinic app. change: whether what it keeps is to be changed. anyway: gives a
            copy in memory of one that cannot be opened.

    Raises:
        UsageError: there is no such device, it lacks the clinic app, or it is a device file, of which no change would
            be kept. StoreError: it cannot be read, or is in use.
    """
    from camphor.device.device import Device

    _NAMED.set(spec)
    if spec is None or (spec == HEALTH_DEMO and not Path(spec).exists()):
        if not store_path(HEALTH_DEMO).exists():
            with as_file(files("camphor") / "demo" / "health.device.json") as source:
                keep(read_device(source), HEALTH_DEMO, replace=False, quiet=True)
        spec = str(store_path(HEALTH_DEMO))
    opened = device_to_change(spec) if change else closing(open_device(spec))
    with ExitStack() as held:
        try:
            phone = held.enter_context(opened)
        except StoreError:
            if not anyway:
                raise
            phone = held.enter_context(closing(Device.as_it_was(_path_of(spec))))
        if clinic and "clinic" not in phone.apps:
            advice = f"with your first doctor or contact, as  camphor health doctors add NAME PHONE --device {phone.id}"
            raise UsageError(f"{phone.id} has no clinic app: it gets one {advice}")
        yield phone


def _path_of(spec: str) -> Path:
    """The store of a phone that is named."""
    return Path(spec) if Path(spec).is_file() else store_path(spec)


# what is said


class HealthGroup(TyperGroup):
    """Commands whose faults name, in what they advise to run, the phone that the person named."""

    def invoke(self, context: Any) -> Any:
        try:
            return super().invoke(context)
        except CamphorError as error:
            error.args = (hinted(str(error)),)
            raise


def say(text: str, stream: TextIO | None = None) -> None:
    """Tell the person something; a command in it is one that works when it is copied."""
    stream = stream or sys.stdout
    stream.write(clean(hinted(text)) + "\n")
    stream.flush()


def hinted(text: str) -> str:
    """The text with the phone that the person named in each command; two blanks, or its line, end a command."""
    spec = _NAMED.get()
    return text if spec is None else _HINT.sub(lambda found: _with_phone(found[0], spec), text)


def _with_phone(command: str, spec: str) -> str:
    if " -d " in command or " --device " in command:
        return command
    bare = command.rstrip(".,;:)")
    return f"{bare} -d {shlex.quote(spec)}{command[len(bare) :]}"

"""Which phone a command of the health assistant means."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from camphor.cli.home import demo_store, device_to_change, open_device, store_path
from camphor.cli.text import print_json, print_table
from camphor.cli.text import say as tell
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
def health_phone(spec: str | None, *, change: bool = False, anyway: bool = False) -> Iterator[Device]:
    """The phone that a command of the health assistant means; closed at the end.

    None is the demo phone with the clinic app, which is copied into the data folder when it is first used.

    Args:
        change: whether what it keeps is to be changed. anyway: gives a copy in memory of one that cannot be opened.

    Raises:
        UsageError: there is no such device, or it is a device file, of which no change would be kept.
        StoreError: it cannot be read, or is in use.
    """
    from camphor.device.device import Device

    _NAMED.set(spec)
    if spec is None or (spec == HEALTH_DEMO and not Path(spec).exists()):
        spec = str(demo_store(HEALTH_DEMO, "health.device.json"))
    opened = device_to_change(spec) if change else closing(open_device(spec))
    with ExitStack() as held:
        try:
            phone = held.enter_context(opened)
        except StoreError:
            if not anyway:
                raise
            path = Path(spec) if Path(spec).is_file() else store_path(spec)
            phone = held.enter_context(closing(Device.as_it_was(path)))
        yield phone


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
    tell(hinted(text), stream)


def show_numbered(rows: Sequence[tuple[int, Mapping[str, Any]]], fields: Sequence[str], json_: bool) -> None:
    """Records and their numbers as a table, or as JSON."""
    if json_:
        print_json([{"number": number, **{field: row.get(field) for field in fields}} for number, row in rows])
        return
    cells = [[str(number), *(str(row.get(field) or "") for field in fields)] for number, row in rows]
    print_table(["", *(field.replace("_", " ") for field in fields)], cells)


def check_number(number: int, count: int) -> None:
    """Raises UsageError: a list of so many has no such number."""
    if not 1 <= number <= count:
        raise UsageError(
            f"There is no number {number}: {f'they go from 1 to {count}' if count else 'the list is empty'}"
        )


def hinted(text: str) -> str:
    """The text with the phone that the person named in each command; two blanks, or its line, end a command."""
    spec = _NAMED.get()
    return text if spec is None else _HINT.sub(lambda found: _with_phone(found[0], spec), text)


def _with_phone(command: str, spec: str) -> str:
    if " -d " in command or " --device " in command:
        return command
    bare = command.rstrip(".,;:)")
    return f"{bare} -d {shlex.quote(spec)}{command[len(bare) :]}"

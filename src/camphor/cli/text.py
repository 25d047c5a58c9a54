"""What a terminal shows and asks: text, tables, questions, and the bar of long work."""

from __future__ import annotations

import json
import os
import select
import sys
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress


# Text on its way to a terminal: what comes from mails, messages and models must not steer it.

_HARMLESS = frozenset("\n\t")
_JOINERS = frozenset("\u200c\u200d")  # inside words of some scripts, and inside emoji


def clean(text: str) -> str:
    """The text with control, direction-changing and unpaired surrogate characters made visible as U+FFFD."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _steers(character) else character for character in text)


def _steers(character: str) -> bool:
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Cs")
        and character not in _HARMLESS
        and character not in _JOINERS
    )


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) > 0x7F else f"\\u{ord(character):04x}"


def fold(text: str, width: int) -> str:
    """One line of at most `width` characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def say(text: str, stream: TextIO | None = None) -> None:
    """A line on standard output, or on another stream."""
    stream = stream or sys.stdout
    stream.write(clean(text) + "\n")
    stream.flush()


def print_json(value: Any, *, one_line: bool = False) -> None:
    """One JSON value on standard output, for scripts; what steers a terminal is escaped, so no value is changed."""
    text = json.dumps(value, ensure_ascii=False, indent=None if one_line else 1, default=str)
    sys.stdout.write("".join(_escape(character) if _steers(character) else character for character in text) + "\n")
    sys.stdout.flush()


def print_table(header: list[str], rows: list[list[str]], title: str | None = None) -> None:
    """A table on standard output; cells are shown as they are, never read as markup."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for name in header:
        table.add_column(name)
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    Console().print(table)


def is_attended() -> bool:
    """Whether a person sees questions and can answer them."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def agrees(question: str) -> bool:
    """Whether the person says yes. Raises: as `ask`."""
    return ask(question).strip().casefold() in ("y", "yes")


def ask(prompt: str) -> str:
    """Show `prompt` on standard error and return the line typed after it.

    What was typed before the question appeared is thrown away: it was meant for something else, and must not agree.

    Raises:
        EOFError: the input has ended (Ctrl-D). KeyboardInterrupt: Ctrl-C.
    """
    _discard_typed()
    return _read(prompt)


def _discard_typed() -> None:
    if not sys.stdin.isatty():
        return
    if os.name == "posix":
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    else:
        import msvcrt

        while msvcrt.kbhit():  # type: ignore[attr-defined,unused-ignore]
            msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]


def _read(prompt: str) -> str:
    """A line.

    `input()` is not used: a Ctrl-C that comes between its prompt and its read is noticed only after the next line, and
    a question about an action must never be left standing like that.
    """
    sys.stderr.write(clean(prompt))
    sys.stderr.flush()
    if os.name == "posix":
        while not select.select([sys.stdin], [], [], 0.2)[0]:
            pass  # Python looks for signals between the rounds
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def ask_with_editing(prompt: str) -> str:
    """The same with arrow keys and earlier lines, where the system has them."""
    try:
        import readline  # noqa: F401  changes what input() does
    except ImportError:
        return _read(prompt)
    return input(clean(prompt)) if sys.stdout.isatty() else _read(prompt)


# The bar of long work, on standard error: shown where a person sees it, and gone when the work is done.


def bars(note: str = "", *, elapsed: bool = False) -> Progress:
    """A context manager whose tasks are lines of a description, a bar, how many of how many, and the time left.

    Away from a terminal nothing is shown, so that an error stays one line there.

    Args:
        note: text after the counts, with a task's fields as `{task.fields[name]}`. elapsed: the time since the start in
            place of the time left, for work whose pace tells little.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        *([TextColumn(note)] if note else []),
        TimeElapsedColumn() if elapsed else TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


_MOST_TOLD = 10


def tell_left_out(left_out: Sequence[str]) -> None:
    """Says on standard error what of a file is no tool, and why."""
    for line in left_out[:_MOST_TOLD]:
        print(clean(f"Left out: {line}"), file=sys.stderr)
    if len(left_out) > _MOST_TOLD:
        print(f"Left out: {len(left_out) - _MOST_TOLD} more", file=sys.stderr)

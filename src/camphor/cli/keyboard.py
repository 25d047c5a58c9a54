"""Lines that a person types."""

from __future__ import annotations

import os
import select
import sys

from camphor.cli.text import clean


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

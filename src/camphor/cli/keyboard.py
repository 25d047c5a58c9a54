"""Lines that a person types."""

from __future__ import annotations

import os
import select
import sys

from camphor.cli.text import clean


def ask(prompt: str) -> str:
    """Show `prompt` on standard error and return the line typed after it.

    `input()` is not used: a Ctrl-C that comes between its prompt and its read is noticed only after the next line, and
    a question about an action must never be left standing like that.

    Raises:
        EOFError: the input has ended (Ctrl-D). KeyboardInterrupt: Ctrl-C.
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
        return ask(prompt)
    return input(clean(prompt)) if sys.stdout.isatty() else ask(prompt)

"""Intents and look-ups as command lines of a phone's own shell, with every value quoted.

The syntax is that of Android's activity manager, `am start` (developer.android.com, "Android Debug Bridge", section
"Call activity manager", and the help text of `am`), and of `content query`. A value never leaves its quotes: what a
person or a record wrote cannot become a second command or another option.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from camphor.device.android.intent import Extra, Intent, Long, Uri
from camphor.errors import ToolError

LONGEST = 32_000
"""Bytes of a command line: adb counts them in four hexadecimal digits, and sends what it has in one piece."""

_ROW = re.compile(r"^Row: \d+ ", re.MULTILINE)


def am_start(intent: Intent) -> str:
    """The command line that starts an intent and waits until it has been delivered.

    Raises:
        ToolError: a value that no command line can hold, one that is too long, or extras that `am` has no option for.
    """
    words = ["am", "start", "-W", "-a", intent.action]
    for option, value in (("-d", intent.data), ("-t", intent.type), ("-p", intent.package)):
        words += [option, value] if value else []
    for category in intent.categories:
        words += ["-c", category]
    for name, extra in intent.extras.items():
        words += _extra(name, extra)
    return quoted(words)


def content_query(uri: str, columns: Sequence[str], order: str = "") -> str:
    """The command line that asks a content provider for some columns of all its rows."""
    words = ["content", "query", "--uri", uri, "--projection", ":".join(columns)]
    return quoted([*words, "--sort", order] if order else words)


def read_rows(output: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows that `content query` printed; a column without a value is left out.

    A value may hold line breaks and commas: columns are found by their names, in the order in which they were asked.
    """
    pattern = re.compile(", ".join(f"{re.escape(name)}=(.*?)" for name in columns) + r"\s*", re.DOTALL)
    rows = []
    for text in _ROW.split(output)[1:]:
        found = pattern.fullmatch(text)
        if found:
            rows.append({name: value for name, value in zip(columns, found.groups(), strict=True) if value != "NULL"})
    return rows


def quoted(words: Iterable[str]) -> str:
    """Words as one command line of a POSIX shell.

    Raises:
        ToolError: a word holds the character 0 or half a character, or the line is longer than adb can carry.
    """
    line = " ".join(shlex.quote(word) for word in words)
    try:
        size = len(line.encode())
    except UnicodeEncodeError:
        raise ToolError("a value holds half a character: it cannot be sent to a phone") from None
    if "\0" in line:
        raise ToolError("a value holds the character 0: it cannot be sent to a phone")
    if size > LONGEST:
        raise ToolError(f"the values take {size:,} bytes: adb carries {LONGEST:,} in one command; shorten them")
    return line


def _extra(name: str, value: Extra) -> list[str]:
    if isinstance(value, tuple):
        return _several(name, value)
    if isinstance(value, bool):
        return ["--ez", name, "true" if value else "false"]
    if isinstance(value, int):
        return ["--el" if isinstance(value, Long) else "--ei", name, str(int(value))]
    if isinstance(value, float):
        return ["--ef", name, repr(value)]
    return ["--eu" if isinstance(value, Uri) else "--es", name, value]


def _several(name: str, values: tuple[str, ...] | tuple[int, ...]) -> list[str]:
    if all(isinstance(value, int) for value in values):
        return ["--eial", name, ",".join(str(int(value)) for value in values)]
    texts = [str(value) for value in values]
    if any(isinstance(value, Uri) for value in values):
        if len(values) > 1:
            raise ToolError(f"am can attach one file to a message, not {len(values)}: send the others apart")
        return ["--eu", name, texts[0]]
    # the activity manager cuts at commas that no backslash precedes
    if any(text.endswith("\\") for text in texts[:-1]):
        raise ToolError("am cannot part a text that ends in a backslash from the next one: leave the backslash out")
    return ["--esa", name, ",".join(text.replace(",", "\\,") for text in texts)]

"""Reads a command line of `am start` back as the intent that Android would make of it.

Options and their meaning are those of Android's documentation ("Android Debug Bridge", section "Specification for
intent arguments"); an option that it does not have, a value that is missing or of another type is an error. Texts of an
array are parted at commas that no backslash precedes, as the activity manager does.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import Any

from camphor.device.android.intent import Intent, Long, Uri

_COMMA = re.compile(r"(?<!\\),")


def _boolean(text: str) -> bool:
    return {"true": True, "false": False}[text]


def _texts(text: str) -> tuple[str, ...]:
    return tuple(each.replace("\\,", ",") for each in _COMMA.split(text))


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(","))


EXTRAS: dict[str, Callable[[str], Any]] = {
    "--es": str, "-e": str, "--ez": _boolean, "--ei": int, "--el": Long, "--ef": float, "--eu": Uri,
    "--esa": _texts, "--eia": _integers, "--eial": _integers,
}  # fmt: skip
FLAGS = ("--grant-read-uri-permission",)
PARTS = {"-a": "action", "-d": "data", "-t": "type", "-p": "package"}


def read_am(line: str) -> Intent:
    """The intent of a command line, as a POSIX shell would part it into words.

    Raises:
        ValueError, KeyError, StopIteration: Android would not take it.
    """
    words = iter(shlex.split(line))
    if (next(words), next(words), next(words)) != ("am", "start", "-W"):
        raise ValueError(line)
    return _intent(words)


def _intent(words: Iterator[str]) -> Intent:
    parts: dict[str, str] = {}
    extras: dict[str, Any] = {}
    categories: list[str] = []
    for option in words:
        if option in EXTRAS:
            name = next(words)
            extras[name] = EXTRAS[option](next(words))
        elif option in FLAGS:
            continue  # what Android grants to whoever takes the intent
        elif option == "-c":
            categories.append(next(words))
        else:
            parts[PARTS[option]] = next(words)
    return Intent(**parts, extras=extras, categories=tuple(categories))

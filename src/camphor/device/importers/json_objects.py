"""The objects of a JSON list, one at a time: an export of ten years may be larger than memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

_CHUNK = 1 << 16  # characters read at once
_LONGEST_OBJECT = 1 << 20  # characters
_LONGEST_HEAD = 1 << 16  # characters before the list begins
_LONGEST_TAIL = 4096  # characters after it ends
_MARGIN = 16  # characters: what is cut off at the end of what was read is told of at most this far before it

LIST = re.compile(r"\s*\[")
"""How a file begins that is a list."""
FEATURES = re.compile(r"\s*\{.*?\"features\"\s*:\s*\[", re.DOTALL)
"""How a GeoJSON file begins, up to the list of its features."""

_BETWEEN = re.compile(r"[\s,]*")
_NEXT = re.compile(r"\}\s*,?\s*(?=\{)")
# What may follow the list where it stands in an object: members that are text, as `"type": "FeatureCollection"`.
_TAIL = re.compile(r"(?:\s*,\s*\"[^\"\\]*\"\s*:\s*\"[^\"\\]*\")*[\s\]}]*")
_DECODER = json.JSONDecoder(strict=False)


class NoList(ValueError):
    """A file in which no list of objects begins."""


class _Window:
    """The part of a file's text that is held: never much more than twice the longest object."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._ended = file, False
        self.text, self.at = "", 0

    def more(self, most: int = _LONGEST_OBJECT) -> bool:
        """Reads on, as much again as is held, so that what is read twice stays in proportion; False: nothing came."""
        held = len(self.text) - self.at
        if self._ended or held > most:
            return False
        part = self._file.read(max(_CHUNK, held))
        self._ended = not part
        self.text, self.at = self.text[self.at :] + part, 0
        return bool(part)

    def opens(self, opening: re.Pattern[str]) -> bool:
        """Whether the text begins so; moves behind it."""
        while not (found := opening.match(self.text)):
            if not self.more(_LONGEST_HEAD):
                return False
        self.at = found.end()
        return True

    def skip(self) -> bool:
        """Moves to what comes next; False where nothing does."""
        while True:
            found = _BETWEEN.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text):
                return True
            if not self.more():
                return False

    def ends(self) -> bool:
        """Whether the list ends here: a bracket ends it only where no more objects come after it."""
        if self.text[self.at] != "]":
            return False
        while len(self.text) - self.at < _LONGEST_TAIL and self.more():
            pass
        return self._ended and _TAIL.fullmatch(self.text, self.at + 1) is not None

    def seek(self) -> bool:
        """Moves to where another object seems to begin, past one that is broken; False where none does."""
        self.at += 1
        while not (found := _NEXT.search(self.text, self.at)):
            self.at = max(self.at, len(self.text) - _MARGIN)
            if not self.more():
                return False
        self.at = found.end()
        return True


def objects(file: TextIO, opening: re.Pattern[str] = LIST) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """The objects with their numbers, from 1; None for what is broken, and at last where the list is cut off.

    Raises:
        NoList: no list begins in the file.
    """
    window = _Window(file)
    if not window.opens(opening):
        raise NoList
    number = 0
    while window.skip():
        if window.ends():
            return
        number += 1
        while (found := _decoded(window)) is _CUT and window.more():
            pass
        if isinstance(found, dict):
            yield number, found
            continue
        yield number, None
        if found is not _OTHER and not window.seek():
            return
    yield number + 1, None


_CUT, _BROKEN, _OTHER = "cut off where the held text ends", "broken", "no object"


def _decoded(window: _Window) -> dict[str, Any] | str:
    """The object that begins here, or why there is none; moves behind what could be read."""
    try:
        value, end = _DECODER.raw_decode(window.text, window.at)
    except json.JSONDecodeError as error:
        near_end = error.pos >= len(window.text) - _MARGIN
        return _CUT if near_end or error.msg.startswith("Unterminated") else _BROKEN
    except (ValueError, RecursionError):  # a number of thousands of digits; lists in lists in lists
        return _BROKEN
    if not isinstance(value, dict):
        if end == len(window.text) and window.more():  # a number may go on
            return _decoded(window)
        window.at = end
        return _OTHER
    window.at = end
    return value

"""Reads a JSON file that may be larger than memory, piece by piece: only one value at a time is held."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

_CHUNK = 1 << 18  # bytes
_MOST_VALUE = 1 << 22  # characters of a value that is held: a message with everything is a few thousand
_LONGEST_NUMBER = 40  # digits; Python refuses far longer ones
_TOKEN = 16  # characters that a token may need to be told: "-Infinity", half of a pair of \uD83D\uDE00
_SPACE = re.compile(r"[ \t\n\r]*")
_IN_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_STRUCTURE = re.compile(r'["\[\]{}]')
_BACKSLASH = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|.)", re.DOTALL)


class Broken(Exception):
    """What stands at a place is no JSON. `passed`: it was left behind, and reading can go on after it."""

    def __init__(self, passed: bool = False) -> None:
        super().__init__()
        self.passed = passed


class JsonStream:
    """A JSON file, read from front to end.

    A byte that is no UTF-8 becomes half a character, by which whoever uses a value can tell that it is damaged.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._text, self._at, self._over = "", 0, False
        self._json = json.JSONDecoder(strict=False, parse_int=_number)
        self._fill()
        self._text = self._text.removeprefix("\ufeff")

    def peek(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def take(self, expected: str) -> None:
        """Goes past a character. Raises: Broken, another stands there."""
        if not expected or self.peek() != expected:
            raise Broken
        self._at += 1

    def members(self) -> Iterator[str]:
        """The names of an object's members. Whoever asks for the next one has read, or skipped, the value before.
        Raises: Broken."""
        self.take("{")
        if self.peek() != "}":
            while True:
                name = self.value()
                if not isinstance(name, str):
                    raise Broken
                self.take(":")
                yield name
                if self.peek() != ",":
                    break
                self.take(",")
        self.take("}")

    def items(self) -> Iterator[None]:
        """Stops before each item of an array, which is to be read or skipped before the next. Raises: Broken."""
        self.take("[")
        if self.peek() != "]":
            while True:
                yield None
                if self.peek() != ",":
                    break
                self.take(",")
        self.take("]")

    def value(self) -> Any:
        """The value that comes next. Raises: Broken."""
        self.peek()
        while True:
            try:
                found, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _TOKEN
                if cut and self._fill(more=True):
                    continue
                return self._mended()
            except RecursionError:
                return self._mended()
            # A number may go on after what was read so far: "1" and "1." are the beginning of "1.5".
            if self._text[end - 1] not in '"]}' and len(self._text) - end < len("e+1") and self._fill(more=True):
                continue
            self._at = end
            return found

    def skip(self) -> None:
        """Goes past a value of any size. Raises: Broken, the file ends in it, or nothing is there."""
        self._pass()

    def _mended(self) -> Any:
        """The value, where all that is wrong with it are control characters written as "\\x0B", as Telegram does
        and JSON does not. Raises: Broken; where its brackets close, it is passed."""
        held = self._pass(_MOST_VALUE)
        try:
            return json.loads(_BACKSLASH.sub(_as_json, held), strict=False, parse_int=_number)
        except (ValueError, RecursionError):
            raise Broken(passed=True) from None

    def _pass(self, most: int = 0) -> str:
        """Goes past a value. Returns it, "" where it is longer than told, or a word. Raises: Broken."""
        if self.peek() not in ('"', "[", "{"):
            self._pass_word()
            return ""
        held: list[str] = []
        size, depth, quoted = 0, 0, False
        while True:
            begin = self._at
            depth, quoted = self._step(depth, quoted)
            size += self._at - begin
            if size <= most:
                held.append(self._text[begin : self._at])
            if not depth and not quoted:
                return "".join(held) if size <= most else ""
            if self._at in (begin, len(self._text)) and not self._fill():
                raise Broken

    def _step(self, depth: int, quoted: bool) -> tuple[int, bool]:
        """Goes to the next bracket or quotation mark, or as far as the text was read."""
        if quoted:
            found = _IN_STRING.match(self._text, self._at)
            self._at = found.end() if found else self._at
            ends = self._text.startswith('"', self._at)
            self._at += ends
            return depth, not ends
        found = _STRUCTURE.search(self._text, self._at)
        self._at = found.end() if found else len(self._text)
        mark = found[0] if found else ""
        return depth + (mark in ("[", "{")) - (mark in ("]", "}")), mark == '"'

    def _pass_word(self) -> None:
        """Goes past a number or a word, or what stands in its place, up to what ends it. Raises: Broken."""
        begun = False
        while (next_one := self.peek()) and next_one not in ',]}:"[{':
            self._at += 1
            begun = True
        if not begun:
            raise Broken

    def _fill(self, more: bool = False) -> bool:
        """Reads on. Returns whether there was anything; `more`: as much again as is held, up to the most."""
        held = len(self._text) - self._at
        if more and held > _MOST_VALUE:
            return False
        new = ""
        while not new and not self._over:
            data = self._file.read(max(_CHUNK, held) if more else _CHUNK)
            self._over = not data
            new = self._decode(data, not data)
        if new:
            self._text, self._at = self._text[self._at :] + new, 0
        return bool(new)


def _as_json(found: re.Match[str]) -> str:
    return f"\\u00{found[1]}" if found[1] else found[0]


def _number(text: str) -> int:
    return int(text) if len(text) <= _LONGEST_NUMBER else 0

"""Calls as text, `[a(x="1", n=2); b()]`, and as JSON. Nothing is ever evaluated.

Writing has one form: double quotes, `; ` between calls, `, ` between arguments, Python's True, False and None, and the
escapes \\" \\\\ \\n \\r \\t and \\uXXXX for other control characters, so that a call list never holds a line break.
Reading also takes what models write: single quotes, a comma between calls, a separator too many, JSON's true, false
and null, a list without its brackets.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NoReturn

from camphor.errors import ArgumentError, CallSyntaxError
from camphor.tools.tool import NAME
from camphor.types import Call

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPACE = re.compile(r"\s*")
_UNQUOTED = {quote: re.compile(rf"[^{quote}\\]+") for quote in "\"'"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0"}
_WRITTEN = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
CONSTANTS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
_HEX = {"x": 2, "u": 4, "U": 8}
_MOST_DIGITS = 400  # no number that means anything is longer, and int() of a huge one is quadratic
_DEEPEST = 32  # nesting of lists and objects; keeps hostile text from exhausting the stack


def parse_calls(text: str) -> tuple[Call, ...]:
    """The calls written in a text.

    Raises:
        CallSyntaxError: the text is not a call list; says what was expected at which character, counted from 1.
    """
    return CallReader(text).calls()


def render_calls(calls: Iterable[Call]) -> str:
    """The calls as text, the one form that the grammar accepts; `parse_calls` reads it back equal.

    Raises:
        ArgumentError: a value that is not JSON, such as NaN.
    """
    return f"[{'; '.join(render_call(call) for call in calls)}]"


def render_call(call: Call) -> str:
    """One call as text: `a(x="1", n=2)`."""
    parts = []
    for name, value in call.arguments.items():
        try:
            parts.append(f"{name}={render_value(value)}")
        except ValueError as error:
            raise ArgumentError(call.name, name, value, str(error)) from None
    return f"{call.name}({', '.join(parts)})"


def render_value(value: Any, write: Callable[[Any], str] | None = None) -> str:
    """A JSON value as it stands in a call.

    Args:
        write: writes what is inside a list or an object; this function itself unless given.

    Raises:
        ValueError: not a JSON value; the message says what would be.
    """
    if isinstance(value, str):
        return f'"{escape(value)}"'
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a finite number")
        return _plain(repr(float(value)))
    write = write or render_value
    if isinstance(value, Mapping):
        return "{" + ", ".join(f'"{escape(str(key))}": {write(item)}' for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return "[" + ", ".join(map(write, value)) + "]"
    raise ValueError("a string, number, boolean, list or object")


def _plain(digits: str) -> str:
    """A number in plain digits instead of `1e-05`, unless that takes more than some twenty zeros."""
    _, marked, exponent = digits.partition("e")
    if not marked or abs(int(exponent)) > 20:
        return digits
    plain = format(Decimal(digits), "f")
    return plain if "." in plain else plain + ".0"


def escape(text: str) -> str:
    """A string's characters as they stand between the double quotes."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(_WRITTEN.get(char) or (f"\\u{ord(char):04x}" if _hidden(char) else char) for char in text)


def _hidden(char: str) -> bool:
    # control characters, lone surrogates, and the separators that some readers take for line breaks
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")


def calls_to_json(calls: Iterable[Call]) -> list[dict[str, Any]]:
    """The calls as JSON values: `[{"name": ..., "arguments": {...}}]`."""
    return [call.to_json() for call in calls]


def calls_from_json(data: Any) -> tuple[Call, ...]:
    """Calls from JSON text or from its values: a list of, or one, `{"name", "arguments"}`.

    Also reads what servers send: `{"function": {"name", "arguments": "JSON text"}}`.

    Raises:
        CallSyntaxError: not of that form; says which item.
    """
    data = _json(data, "the call list")
    items = [data] if isinstance(data, Mapping) else data
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise CallSyntaxError("expected a JSON list of calls, each with name and arguments")
    return tuple(_call_from_json(item, place) for place, item in enumerate(items, 1))


def _call_from_json(item: Any, place: int) -> Call:
    if isinstance(item, Mapping) and isinstance(item.get("function"), Mapping):
        item = item["function"]
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
        raise CallSyntaxError(f"call {place}: expected an object with a name and arguments")
    arguments = _json(item.get("arguments") or {}, f"call {place}: the arguments")
    if not isinstance(arguments, Mapping) or not all(isinstance(name, str) for name in arguments):
        raise CallSyntaxError(f"call {place}: expected the arguments of {item['name']} as an object")
    return Call(item["name"], dict(arguments))


def _json(data: Any, what: str) -> Any:
    if not isinstance(data, str):
        return data
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CallSyntaxError(f"{what}: not JSON: {error}") from None


class CallReader:
    """A recursive-descent reader of one text; `call_formats` reads other forms of calls with it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def calls(self) -> tuple[Call, ...]:
        bracketed = self._take("[")
        calls: list[Call] = []
        while True:
            separated = False
            while self._take(";") or self._take(","):
                separated = True
            if self._take("]") if bracketed else self._done():
                break
            if calls and not separated:
                self._fail("';' or ']'" if bracketed else "';' or the end")
            calls.append(self._call())
        if not self._done():
            self._fail("the end")
        return tuple(calls)

    def _call(self) -> Call:
        name = self._name("a tool name or ']'")
        self._need("(", f"'(' after {name}")
        arguments: dict[str, Any] = {}
        for _ in self._members(")"):
            start = self.at
            parameter = self._name("a parameter name or ')'")
            self._need("=", f"'=' after {parameter}")
            if parameter in arguments:
                self.at = start
                self._fail(f"{parameter} only once")
            arguments[parameter] = self._value()
        return Call(name, arguments)

    def _members(self, end: str) -> Iterator[None]:
        """Stops before each of the members that commas part, up to the closing bracket, which it takes."""
        first = True
        while not self._take(end):
            if not first:
                self._need(",", f"',' or '{end}'")
                if self._take(end):
                    return
            first = False
            yield

    def _value(self, depth: int = 0) -> Any:
        self._skip()
        char = self.text[self.at : self.at + 1]
        if char in ("'", '"') and char:
            return self._string(char)
        if depth >= _DEEPEST:
            self._fail(f"values nested at most {_DEEPEST} deep")
        if self._take("["):
            return [self._value(depth + 1) for _ in self._members("]")]
        if self._take("{"):
            return self._object(depth)
        number = _NUMBER.match(self.text, self.at)
        if number:
            return self._number(number[0])
        return self._word(depth)

    def _word(self, depth: int) -> Any:
        """A value that is a word."""
        word = NAME.match(self.text, self.at)
        if word and word[0] in CONSTANTS:
            self.at = word.end()
            return CONSTANTS[word[0]]
        self._fail("a value: text in quotes, a number, True, False, a list or an object")

    def _number(self, digits: str) -> int | float:
        if len(digits) > _MOST_DIGITS:
            self._fail(f"a number of at most {_MOST_DIGITS} digits")
        if digits.lstrip("+-").isdigit():
            self.at += len(digits)
            return int(digits)
        number = float(digits)
        if not math.isfinite(number):
            self._fail("a finite number")
        self.at += len(digits)
        return number

    def _object(self, depth: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        for _ in self._members("}"):
            self._skip()
            quote = self.text[self.at : self.at + 1]
            if quote not in _UNQUOTED:
                self._fail("a key in quotes or '}'")
            key = self._string(quote)
            self._need(":", "':'")
            items[key] = self._value(depth + 1)
        return items

    def _string(self, quote: str) -> str:
        start = self.at
        self.at += 1
        parts: list[str] = []
        while self.at < len(self.text):
            plain = _UNQUOTED[quote].match(self.text, self.at)
            if plain:
                parts.append(plain[0])
                self.at = plain.end()
            elif self.text[self.at] == quote:
                self.at += 1
                return "".join(parts)
            else:
                parts.append(self._escaped())
        self._fail(f"{quote} to close the text that begins at character {start + 1}")

    def _escaped(self) -> str:
        code = self.text[self.at + 1 : self.at + 2]
        if code in _HEX:
            digits = self.text[self.at + 2 : self.at + 2 + _HEX[code]]
            if not re.fullmatch(rf"[0-9a-fA-F]{{{_HEX[code]}}}", digits) or int(digits, 16) > 0x10FFFF:
                self._fail(f"{_HEX[code]} hexadecimal digits of a character after \\{code}")
            self.at += 2 + _HEX[code]
            return chr(int(digits, 16))
        self.at += 1 + len(code)
        # a backslash before any other character stands for that character, as with quotes
        return _ESCAPES.get(code, code)

    def _name(self, expected: str) -> str:
        self._skip()
        found = NAME.match(self.text, self.at)
        if not found:
            self._fail(expected)
        self.at = found.end()
        return found[0]

    def _skip(self) -> None:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at

    def _take(self, char: str) -> bool:
        self._skip()
        found = self.text.startswith(char, self.at)
        self.at += found
        return found

    def _need(self, char: str, expected: str) -> None:
        if not self._take(char):
            self._fail(expected)

    def _done(self) -> bool:
        self._skip()
        return self.at == len(self.text)

    def _fail(self, expected: str) -> NoReturn:
        found = repr(self.text[self.at : self.at + 20]) if self.at < len(self.text) else "the end"
        raise CallSyntaxError(f"{self._place()}: expected {expected}, found {found}")

    def _place(self) -> str:
        """Where it stands, for people."""
        return f"character {self.at + 1} of the call list"

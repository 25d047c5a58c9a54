"""The lines of which calendar files and vCards are made: folded, escaped, and in whatever encoding their program used.

Lines are read here and not by the libraries for these formats: icalendar needs a whole file in memory and keeps the
time zones of one file for the next; vobject takes exponential time over a line such as "A;B,,,,,,,,,,,,,,,,,,,,,,,,,".
"""

from __future__ import annotations

import binascii
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TextIO

LONGEST_TEXT = 100_000
"""Characters of one field of a record."""
MOST_FILES = 100_000
"""Files of one folder that are read."""
_LONGEST_LINE = 4 * LONGEST_TEXT + 4096  # bytes of an unfolded line: text in UTF-8, and what stands before it
_MOST_PARAMETERS = 100

# A name, then parameters whose quotes are closed, then a colon, but not that of an address that is not in quotes
# (TZID=tzone://Microsoft/Utc). Each character fits one place only, so that no line takes long.
_NAME = re.compile(r"(?:(?P<group>[\w-]+)\.)?(?P<name>[A-Za-z0-9_-]+)[ \t]*(?=[;:])", re.ASCII)
_PARAMETERS = re.compile(r'(?P<parameters>[^":]*+(?:(?:"[^"]*+"|:(?=//))[^":]*+)*+):')
_PARAMETER = re.compile(r';((?:[^";]++|"[^"]*+"|")*+)')
_FRAME = re.compile(r"(?:BEGIN|END):", re.IGNORECASE)
_ESCAPED = re.compile(r'\\([\\,;:nN"])')
_CARET = re.compile(r"\^([n^'])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Only those that phones write: Python knows codecs that are no character sets (zip, punycode, unicode_escape).
_CHARSETS = re.compile(
    r"utf-?(8|16)|(us-?)?ascii|iso-?8859-?\d{1,2}|latin-?\d|(windows|cp)-?\d{3,4}|koi8-?[ru]|shift[_-]?jis|s-?jis"
    r"|euc-?(jp|kr|cn)|gb-?(2312|k|18030)|big5(-?hkscs)?|iso-?2022-?(jp|kr)|tis-?620",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Line:
    """One line, unfolded.

    Args:
        number: of its first part in the file, from 1. name: in capitals; "" where it is no line of such a file.
        head: its parameters as they are written. raw: its value, each byte a character. group: "item1" of "item1.TEL".
    """

    number: int
    name: str
    head: str
    raw: str
    group: str = ""

    @cached_property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """By names in capitals; what has no name is a TYPE, as in vCard 2.1."""
        found: dict[str, tuple[str, ...]] = {}
        for written in _PARAMETER.findall(self.head)[:_MOST_PARAMETERS]:
            name, equals, value = written.partition("=")
            if not equals:
                name, value = "TYPE", name
            name = name.strip().upper()
            found[name] = (*found.get(name, ()), *_values(_decoded(value)))
        return found

    def parameter(self, name: str) -> str:
        return ",".join(self.parameters.get(name, ())).strip()

    @property
    def types(self) -> frozenset[str]:
        """What its TYPE says, in small letters."""
        said = ",".join(self.parameters.get("TYPE", ()))
        return frozenset(each.strip().lower() for each in said.split(",")) - {""}

    @property
    def value(self) -> str:
        """Decoded, but not unescaped."""
        return self._decode(self.raw)

    @property
    def text(self) -> str:
        """Decoded, unescaped, without what stands around it, and cut at `LONGEST_TEXT`."""
        return _text(self.value)

    @property
    def parts(self) -> list[str]:
        """What semicolons divide, each decoded and unescaped."""
        if self._encoding == "QUOTED-PRINTABLE":  # an encoded semicolon divides nothing
            return [_text(self._decode(part)) for part in _divided(self.raw)]
        return [_text(part) for part in _divided(self.value)]

    @property
    def _encoding(self) -> str:
        said = {self.parameter("ENCODING").lower(), *self.types}
        if said & {"b", "base64"}:
            return "BASE64"
        return "QUOTED-PRINTABLE" if "quoted-printable" in said else ""

    def _decode(self, raw: str) -> str:
        if self._encoding == "QUOTED-PRINTABLE":
            raw = binascii.a2b_qp(raw.encode("latin-1", "replace")).decode("latin-1")
        elif self._encoding == "BASE64":
            try:
                raw = binascii.a2b_base64(raw.encode("latin-1", "replace")).decode("latin-1")
            except binascii.Error:
                return ""
        return _decoded(raw, self.parameter("CHARSET"))


def lines(path: Path, wanted: frozenset[str]) -> Iterator[Line]:
    """The lines of a file whose names are wanted, unfolded, and those that are none, one at a time."""
    with path.open("rb") as file:
        wide = _wide(file.read(4))
    with path.open(encoding=wide or "latin-1", errors="replace") as text:
        for number, written in _unfolded(text):
            line = written.encode().decode("latin-1") if wide else written
            if number == 1:
                line = line.removeprefix("ï»¿")  # the mark of UTF-8, its bytes read one by one
            if not line.strip():
                continue
            read = _line(number, line, wanted)
            if read:
                yield read


def files(path: Path, ends: frozenset[str]) -> Iterator[Path]:
    """The file itself, or those of a folder that end so, in order; not what is hidden, and no links."""
    if not path.is_dir():
        yield path
        return
    left = MOST_FILES
    for here, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            found = Path(here, name)
            if _is_one(found, ends):
                yield found
                left -= 1
                if not left:
                    return


def holds(path: Path, ends: frozenset[str]) -> bool:
    """Whether a folder, or a folder in it, has a file that ends so. Looks at few."""
    for depth in ("*", "*/*"):
        for _, found in zip(range(2000), path.glob(depth), strict=False):
            if _is_one(found, ends):
                return True
    return False


def _is_one(path: Path, ends: frozenset[str]) -> bool:
    return path.suffix.lower() in ends and path.name[0] != "." and not path.is_symlink() and path.is_file()


def starts_with(head: bytes, words: str, anywhere: bool) -> bool:
    """Whether the beginning of a file has the words, at its very beginning unless `anywhere`; in any encoding."""
    plain = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").upper()
    return words.encode() in plain if anywhere else plain.startswith(words.encode())


def _wide(head: bytes) -> str:
    """The encoding of a file in UTF-16; "" for others, whose lines are decoded when they are whole."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if len(head) == 4 and head[0] and head[2] and not head[1] and not head[3]:
        return "utf-16-le"
    return "utf-16-be" if len(head) == 4 and head[1] and head[3] and not head[0] and not head[2] else ""


def _written(file: TextIO) -> Iterator[str]:
    """Lines as they stand in the file, without their ends; the rest of a very long one is passed over."""
    while line := file.readline(_LONGEST_LINE):
        piece = line
        while piece and not piece.endswith("\n"):
            piece = file.readline(_LONGEST_LINE)
        yield line.removesuffix("\n")


def _unfolded(file: TextIO) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, each with those that go on with it: indented, or after "=" in quoted-printable."""
    begun, parts, size, quoted = 1, [""], 0, False
    for number, line in enumerate(_written(file), 1):
        soft = quoted and parts[-1].endswith("=") and not _FRAME.match(line)
        if soft:
            parts[-1] = parts[-1][:-1]
        if soft or (line[:1] in (" ", "\t") and number > 1):
            more = line if soft else line[1:]
            if size + len(more) <= _LONGEST_LINE:
                parts.append(more)
                size += len(more)
            elif soft:
                parts.append("=")  # goes on being passed over
            continue
        yield begun, "".join(parts)
        begun, parts, size, quoted = number, [line], len(line), _is_quoted(line)
    yield begun, "".join(parts)


def _is_quoted(line: str) -> bool:
    return "QUOTED-PRINTABLE" in line.partition(":")[0].upper()


def _line(number: int, line: str, wanted: frozenset[str]) -> Line | None:
    """The line, one without a name where it is none; None where it is not wanted."""
    named = _NAME.match(line)
    if not named:
        return Line(number, "", "", line)
    name = named["name"].upper()
    if name not in wanted:
        return None
    rest = line[named.end() :]
    divided = _PARAMETERS.match(rest)
    # where a quote is never closed the first colon ends the parameters
    head, value = (divided["parameters"], rest[divided.end() :]) if divided else rest.partition(":")[::2]
    return Line(number, name, head, value, (named["group"] or "").lower())


def _values(written: str) -> tuple[str, ...]:
    """The values of a parameter, without quotes; a comma inside them divides nothing."""
    if '"' not in written:
        found = written.split(",")
    else:
        found = [whole or plain for whole, plain in re.findall(r'"([^"]*)"|([^",]+)', written)]
    return tuple(_CARET.sub(lambda each: {"n": "\n", "'": '"'}.get(each[1], each[1]), value) for value in found)


def _divided(text: str) -> list[str]:
    """What semicolons divide that are not escaped."""
    parts = [""]
    for piece in re.findall(r"(?:[^;\\]++|\\.|\\$)++|;", text, re.DOTALL):
        if piece == ";":
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _text(value: str) -> str:
    unescaped = _ESCAPED.sub(lambda each: "\n" if each[1] in "nN" else each[1], value)
    return unescaped.replace("\r\n", "\n").replace("\r", "\n").strip()[:LONGEST_TEXT].rstrip()


def _decoded(raw: str, charset: str = "") -> str:
    """Bytes, each a character, in the character set that is named, or else in UTF-8, or else in that of old Windows."""
    data = raw.encode("latin-1", "replace")
    for each in (charset, "utf-8"):
        if each == "utf-8" or _CHARSETS.fullmatch(each):
            try:
                return _CONTROLS.sub("", data.decode(each))
            except (LookupError, UnicodeError):
                continue
    return _CONTROLS.sub("", data.decode("cp1252", "replace"))

"""Bytes of mails as text: charsets that are told wrongly or not at all, encoded words, addresses, times."""

from __future__ import annotations

import binascii
import codecs
import re
import string
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

_LONGEST_VALUE = 16_000  # characters of a header's value: some 300 addresses
_LONGEST_NAME = 200  # characters of a person's or a file's name
_YEARS = range(1971, 2100)  # 1970 is what a clock says that was never set
_OUTSIDE_BASE64 = bytes(set(range(256)) - set((string.ascii_letters + string.digits + "+/").encode()))
# What is told is less than what is meant: programs write the larger set under the smaller one's name.
_MEANT = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
}  # fmt: skip
# Codecs of Python that no mail is written in; punycode takes quadratic time.
_NO_CHARSETS = frozenset(("idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"))
_CHARSET_NAME = re.compile(r"[A-Za-z0-9._:+-]{1,40}")
# Text of these is not told from UTF-8 by its bytes: they are plain ASCII, or may happen to be UTF-8.
_NOT_GUESSED = re.compile(r"utf|iso2022|hz|gb|big5|cp9[345]|euc|johab|shift")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,75})\?([bBqQ])\?([^?]*+)\?=")
# One of several addresses: commas count for nothing in quotes, in angle brackets and in encoded words.
_PERSON = re.compile(
    r'(?:"(?:[^"\\]|\\.?)*+"?|<[^<>]*+|=\?[^?\s]{1,75}\?[bBqQ]\?[^?]*+\?=|[^,;])++',
    re.DOTALL,
)
_COMMENT = re.compile(r"\(([^()]*+)\)")
_GROUP = re.compile(r'\A[^":<>@]*+:')


@lru_cache(maxsize=256)
def _codec(charset: str) -> str:
    """The codec of a charset's name; empty for none that is known."""
    name = charset.strip().lower().removeprefix("x-").removesuffix("-i").removesuffix("-e")
    if not _CHARSET_NAME.fullmatch(name):
        return ""
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return ""
    return "" if found in _NO_CHARSETS else _MEANT.get(found, found)


def decoded(data: bytes, charset: str = "") -> str:
    """Bytes as text. What is UTF-8 is seldom anything else: a charset of single bytes counts only where it is not."""
    codec = _codec(charset) or "cp1252"
    order = (codec, "utf-8") if _NOT_GUESSED.match(codec) else ("utf-8", codec)
    for each in order:
        try:
            return data.decode(each)
        except (UnicodeError, LookupError):
            continue
    if codec != "utf-8":
        return _damaged(data, codec)
    text = data.decode("utf-8", "replace")
    beyond = sum(character > "\x7f" for character in text)
    return text if text.count("\ufffd") * 2 < beyond else _damaged(data, "cp1252")


def _damaged(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec, "replace")
    except (UnicodeError, LookupError):  # a codec that cannot pass over anything, or none of text
        return data.decode("cp1252", "replace")


def seen(text: str) -> str:
    """A text without control characters, characters of no width and halves of characters."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)


def line(text: str, longest: int = _LONGEST_VALUE) -> str:
    """A text on one line."""
    return " ".join(seen(" ".join(text[:_LONGEST_VALUE].split())).split())[:longest].rstrip()


def from_base64(data: bytes) -> bytes:
    """The bytes, as far as they go: what is no base64 is passed over, a cut-off end is left out."""
    kept = data.partition(b"=")[0].translate(None, _OUTSIDE_BASE64)
    kept = kept[: len(kept) - (len(kept) % 4 == 1)]
    return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))


def unworded(text: str) -> str:
    """A header's value with its encoded words (RFC 2047) read. Words of one charset are read as one: some programs cut
    between the bytes of a letter."""
    if "=?" not in text:
        return text
    pieces: list[str] = []
    waiting, of, end = b"", "", 0
    for word in _ENCODED_WORD.finditer(text):
        between, charset = text[end : word.start()], word[1].partition("*")[0].lower()
        if between.strip() or not end:
            pieces += [decoded(waiting, of), between]
            waiting = b""
        elif charset != of:
            pieces.append(decoded(waiting, of))
            waiting = b""
        raw = word[3].encode("utf-8", "replace")
        waiting += from_base64(raw) if word[2] in "bB" else binascii.a2b_qp(raw, header=True)
        of, end = charset, word.end()
    return "".join((*pieces, decoded(waiting, of), text[end:]))


def people(value: str, most: int) -> list[str]:
    """The people of an address header, each once, as "Name <address>", or what of both there is."""
    found: dict[str, None] = {}
    for part in _parts(line(value)):
        found[_told(part)] = None
        if len(found) > most:
            break
    return [each for each in found if each][:most]


def _parts(value: str) -> Iterator[str]:
    """What stands between commas; a name with a comma that ought to be in quotes is put together again."""
    before = ""
    for match in _PERSON.finditer(value):
        part = match[0].strip()
        if "@" in part or "<" in part:
            yield before + part
            before = ""
        else:
            before = "" if part.endswith(":") or not part else f"{before}{part}, "
    if before:
        yield before.rstrip(", ")


def _told(person: str) -> str:
    person = _GROUP.sub("", person)
    name, bracket, rest = person.rpartition("<")
    if bracket:
        address = rest.partition(">")[0]
    else:
        comment = _COMMENT.search(person)
        name = comment[1] if comment else ""
        address = next((word for word in _COMMENT.sub(" ", person).split() if "@" in word), "")
        name = name if address else person
    address = "".join(seen(unworded(address)).split()).removeprefix("mailto:").strip("<>'\"")[:_LONGEST_NAME]
    name = _name(name)
    if "@" not in address:
        return name or address
    return f"{name} <{address}>" if name and name.lower() != address.lower() else address


def _name(name: str) -> str:
    name = name.strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    return line(unworded(name)).replace("<", "").replace(">", "").strip("'\" ")[:_LONGEST_NAME]


def file_name(name: str) -> str:
    """The name of an attached file, without the folders that some programs write and others believe."""
    return line(unworded(name)).replace("\\", "/").rpartition("/")[2][:_LONGEST_NAME]


def moment(value: str) -> datetime | None:
    """The time of a Date header; without a zone where it tells none."""
    value = line(value, 100)
    try:
        found = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return None
    if found.year not in _YEARS:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None and value.endswith("-0000") else found

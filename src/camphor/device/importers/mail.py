"""Mails: mbox files (Thunderbird's, Gmail Takeout's), Maildir folders, files with the ending .eml.

A mail has the same record wherever it stands in its source; where a source has it more than once, the first counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, beginning, without_empty
from camphor.device.importers.mail_body import own_text
from camphor.device.importers.mail_charsets import line, moment, people, seen, unworded
from camphor.device.importers.mail_folders import left_out, maildir_name, of_labels
from camphor.device.importers.mail_parts import LARGEST, Headers, content, headers
from camphor.errors import UsageError

_RECIPIENTS = 50
_SUBJECT = 1000  # characters
_KEY = 300  # characters of a message's id
_CHUNK, _LARGEST_CHUNK = 1 << 20, 4 << 20
_AHEAD = 2048  # bytes in which a "From " line and the name of the header below it end
_SEEN_FILES = 200  # files by which a folder is recognised
_SEEN_FOLDERS = 1000
_DEEPEST = 8  # folders below each other

_OF_A_MAIL = ("from", "to", "subject", "date", "message-id", "received")
_MESSAGE_ID = re.compile(r"<\s*([^<>]*[^<>\s])\s*>")
_BOM = b"\xef\xbb\xbf"
_DELETED = 0x0008  # of X-Mozilla-Status: gone from the folder, and still in the file until it is compacted

# A line of the text may begin with "From " too. Which begins a mail is told by the time in it, or by an address alone,
# and by the header below.
_FROM_LINE = re.compile(rb"From [^\n]{0,1000}\n(?=[!-9;-~]{1,100}[ \t]*:|>?From |\Z)")
_TIMED = re.compile(rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? .{0,40}?\d:\d\d")
_ADDRESS_ALONE = re.compile(rb"From (?:\S*[@-]\S*)?\s*\Z")
# Flags stand at the end of a Maildir file's name; where a disk does not take a colon, programs write another sign.
_TRASHED = re.compile(r"[:;!]2,[A-Za-z]*T[A-Za-z]*\Z")
_POSTED = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>[A-Z][a-z]{2}) +(?P<day>\d\d?) (?P<time>\d\d?:\d\d(?::\d\d)?)"
    r"(?P<zone> [+-]\d{4})?(?: [A-Z]{3,4})? (?P<year>\d{4})(?P<late_zone> [+-]\d{4})?"
)


@dataclass
class _Reading:
    """What all mails of one source share."""

    situation: Situation
    unread: Unread
    keys: set[int] = field(default_factory=set)

    def mail(self, data: bytes, where: str, folder: str, from_line: str = "") -> Iterator[Brought]:
        """The record of a mail, unless it is none, was deleted, is unwanted or was there before."""
        told, start = headers(data)
        where, folder = seen(where), seen(folder)  # names of files may be no UTF-8
        if not any(name in told for name in _OF_A_MAIL):
            self.unread.add(where, "no headers of a mail")
            return
        labels = line(unworded(told.get("x-gmail-labels", "")))
        if left_out(labels, ",") or _is_gone(told):
            return
        subject = line(unworded(told.get("subject", "")), _SUBJECT)
        key = _key(told, subject, data, start)
        if self._was_there(key):
            return
        text, attachments = content(data, told, start, escaped=bool(from_line))
        record = {
            "sender": next(iter(people(told.get("from") or told.get("sender", ""), 1)), ""),
            "recipients": people(f"{told.get('to', '')}, {told.get('cc', '')}", _RECIPIENTS),
            "subject": subject,
            "date": self._date(told, from_line),
            "body": own_text(text, subject, "in-reply-to" in told or "references" in told),
            "folder": of_labels(labels) or folder,
            "attachments": attachments,
        }
        yield Brought("mail", "messages", key, without_empty(record))

    def _was_there(self, key: str) -> bool:
        short = int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=8).digest())
        if short in self.keys:
            return True
        self.keys.add(short)
        return False

    def _date(self, told: Headers, from_line: str) -> str:
        """When it was sent, else when it came."""
        received = told.get("received", "").rpartition(";")[2]
        found = moment(told.get("date", "")) or _posted(from_line) or moment(received)
        return self.situation.local(found) if found else ""


def _is_gone(told: Headers) -> bool:
    """Whether a mail was deleted and only its file not yet cleaned, or is a note of a mail server to itself."""
    status = told.get("x-mozilla-status", "").strip()
    if re.fullmatch(r"[0-9a-fA-F]{1,8}", status) and int(status, 16) & _DELETED:
        return True
    return "x-imap" in told or "D" in told.get("x-status", "")


def _key(told: Headers, subject: str, data: bytes, start: int) -> str:
    """A mail's id; for one without, a hash in which its size is that of the text, as programs add headers."""
    told_id = line(told.get("message-id", ""))
    found = _MESSAGE_ID.search(told_id)
    key = found[1] if found else told_id
    if key and len(key) <= _KEY:
        return key
    size = len(data[start:].rstrip())
    parts = (key, line(told.get("date", "")), line(told.get("from", "")), subject, str(size))
    return "hash:" + blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _posted(from_line: str) -> datetime | None:
    """The time of a "From " line: in UTC as it should be, in local time where Thunderbird wrote it."""
    found = _POSTED.search(from_line)
    if found is None:
        return None
    zone = found["zone"] or found["late_zone"] or ("" if from_line.startswith("From - ") else " +0000")
    return moment(f"{found['day']} {found['month']} {found['year']} {found['time']}{zone}")


def _mbox_file(path: Path) -> Path:
    """The mbox file: the one in it for a folder that Apple's Mail exports."""
    return path / "mbox" if path.suffix.lower() == ".mbox" and (path / "mbox").is_file() else path


def _looks_mbox(path: Path) -> bool:
    file = _mbox_file(path)
    if not file.is_file():
        return False
    start = beginning(file).removeprefix(_BOM).lstrip(b"\r\n")
    return path.suffix.lower() == ".mbox" or _FROM_LINE.match(start) is not None


def _read_mbox(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    file = _mbox_file(path)
    if not file.is_file():
        raise UsageError(f"{path}: no mbox file: choose the file that holds the mails, such as Inbox or All mail.mbox")
    folders = [each.stem for each in reversed(path.parents) if each.suffix == ".sbd"]
    folder = "/".join((*folders, path.stem if path.suffix.lower() == ".mbox" else path.name))
    _refuse_left_out(path, folder)
    reading, count, other = _Reading(situation, unread), 0, False
    with file.open("rb") as opened:
        for from_line, data in _split(opened):
            if from_line:
                count += 1
                yield from reading.mail(data, f"mail {count}", folder, from_line.decode("ascii", "replace"))
            elif data.strip():
                other = True
                unread.add("the beginning", "no mail")
    if other and not count:
        raise UsageError(f"{path}: no mbox file: no line in it begins a mail (From, an address, a time)")


def _refuse_left_out(path: Path, folder: str) -> None:
    if left_out(folder, "/"):
        raise UsageError(f"{path}: deleted and unwanted mail is not brought in: choose another, or rename it")


def _split(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """The "From " line and the bytes of each mail, of large ones the beginning; first, without one, what is above."""
    buffer = b"\n\n" + file.read(_CHUNK).removeprefix(_BOM)
    line_, start, seek, cut = b"", 2, 0, b""
    ended = False
    while not ended:
        chunk = file.read(min(max(_CHUNK, len(buffer)), _LARGEST_CHUNK))
        ended = not chunk
        buffer += chunk
        limit = len(buffer) - (0 if ended else _AHEAD)
        while (at := buffer.find(b"\nFrom ", seek, max(limit, 0))) >= 0:
            seek = at + 1
            found = _begins_mail(buffer, seek, at == 1 and not line_)
            if found:
                yield line_, cut or buffer[start : min(seek, start + LARGEST)]
                line_, start, cut = found, seek + len(found), b""
                seek = start - 1
        seek = max(seek, limit - len(b"\nFrom "))
        if not cut and len(buffer) - start > LARGEST + _AHEAD:
            cut = buffer[start : start + LARGEST]
        # Two bytes more, by which a blank line is known.
        gone = max(0, min(seek, len(buffer)) - 2 if cut else start - 2)
        buffer, start, seek = buffer[gone:], start - gone, seek - gone
    yield line_, cut or buffer[start : start + LARGEST]


def _begins_mail(buffer: bytes, at: int, first: bool) -> bytes:
    """The "From " line there, if it begins a mail."""
    found = _FROM_LINE.match(buffer, at)
    if found is None:
        return b""
    blank_above = buffer.endswith((b"\n\n", b"\n\r\n"), 0, at)
    begins = first or _TIMED.search(found[0]) or (blank_above and _ADDRESS_ALONE.match(found[0]))
    return found[0] if begins else b""


def _folders(path: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """Folders from a path on, in order: their place below it, and the names of their files. Links are not followed."""
    for here, folders, names in os.walk(path):
        place, inner = Path(here).relative_to(path), {"cur", "new", "tmp"} if _is_maildir(Path(here)) else set()
        kept = sorted(each for each in folders if each not in inner and not Path(here, each).is_symlink())
        folders[:] = kept if len(place.parts) < _DEEPEST else []
        yield "" if place == Path() else place.as_posix(), Path(here), sorted(names)


def _is_maildir(folder: Path) -> bool:
    return (folder / "cur").is_dir() and (folder / "new").is_dir()


def _looks_maildir(path: Path) -> bool:
    return path.is_dir() and any(_is_maildir(here) for _, here, _ in islice(_folders(path), _SEEN_FOLDERS))


def _read_maildir(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    _refuse_left_out(path, path.name.lstrip("."))
    reading, any_there = _Reading(situation, unread), False
    for place, here, _ in _folders(path):
        if not _is_maildir(here):
            continue
        any_there = True
        folder = maildir_name(place)
        if left_out(folder, "/"):
            continue
        for name in ("cur", "new"):
            for file in sorted(os.listdir(here / name)):
                if not file.startswith(".") and not _TRASHED.search(file):
                    yield from _mail_file(reading, path, here / name / file, folder)
    if not any_there:
        raise UsageError(f"{path}: no Maildir: choose the folder that has, or whose folders have, cur and new in it")


def _mail_file(reading: _Reading, root: Path, file: Path, folder: str) -> Iterator[Brought]:
    """The mail of a file of its own."""
    where = str(file.relative_to(root)) if file != root else file.name
    try:
        if file.is_symlink() or not file.is_file():
            return
        with file.open("rb") as opened:
            data = opened.read(LARGEST)
    except OSError as error:
        reading.unread.add(seen(where), error.strerror or "cannot be read")
        return
    yield from reading.mail(data.removeprefix(_BOM).lstrip(b"\r\n"), where, folder)


def _is_eml(name: str) -> bool:
    return name.lower().endswith(".eml") and not name.startswith(".")


def _eml_files(path: Path) -> Iterator[tuple[str, Path]]:
    """The files below a folder that are no notes of a program to itself, with their folder's place."""
    for place, here, names in _folders(path):
        if not any(part.startswith(".") for part in place.split("/")):
            yield from ((place, here / name) for name in names if not name.startswith("."))


def _looks_eml(path: Path) -> bool:
    """Whether it is such a file, or a folder of which at least half the files are: among notes may be a mail or two."""
    if path.is_file():
        return _is_eml(path.name)
    names = [file.name for _, file in islice(_eml_files(path), _SEEN_FILES)]
    return 2 * sum(map(_is_eml, names)) >= max(1, len(names))


def _read_eml(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    reading = _Reading(situation, unread)
    if path.is_file():
        yield from _mail_file(reading, path, path, "")
        return
    _refuse_left_out(path, path.name)
    any_there = False
    for place, file in _eml_files(path):
        if _is_eml(file.name):
            any_there = True
            if not left_out(place, "/"):
                yield from _mail_file(reading, path, file, place)
    if not any_there:
        raise UsageError(f"{path}: no file with the ending .eml: choose the folder in which the mails were saved")


MBOX = SimpleImporter(
    "mbox", "a file of mails (mbox: Thunderbird's, Gmail Takeout's)", _looks_mbox, _read_mbox, mirrors=False
)
MAILDIR = SimpleImporter("maildir", "a mail folder with cur and new (Maildir)", _looks_maildir, _read_maildir)
EML = SimpleImporter("eml", "saved mails (.eml)", _looks_eml, _read_eml, mirrors=False)

"""Chats that WhatsApp exported: "WhatsApp Chat with NAME.txt" of Android, "_chat.txt" of iPhones, or a .zip with it."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, beginning
from camphor.device.importers.chat_parts import (
    MOST_NAMES,
    MOST_TEXT,
    Keys,
    Line,
    TooLarge,
    lines,
    message,
    named,
    owners,
    related,
    stamp,
)
from camphor.device.importers.whatsapp_lines import HEAD, Message, Order, messages
from camphor.device.importers.whatsapp_words import LRM, content, is_notice, is_sender, without_marks
from camphor.device.text import words
from camphor.errors import UsageError

_MOST_FILES = 1_000
_HOW = "export it in WhatsApp anew (the chat's menu, Export chat)"
_GROUP = "WhatsApp group"  # one whose name no file tells
# What comes after "WhatsApp" in the languages of phones, before the name.
_TITLE = re.compile(
    r"whatsapp.*?(?:[ _](?:with|mit|avec|con|com|met|med|cu|z|ze|s|dengan|с|з|με|ile)[ _]|[ _]?[-–—][ _])(?P<name>.+)$",
    re.IGNORECASE,
)
_COPY = re.compile(r"[ _]?\(\d{1,3}\)$")  # how browsers and phones name a second file of the same name
# What may be wrong with an archive: zipfile raises whatever its parts do.
_FAULTS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError)
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # those of phones; others may ask for any memory
_SENDER = re.compile(r"(?P<name>[^\n:][^\n]{0,200}?)\s?:(?:[ \u00a0]|$)", re.MULTILINE)


_Opened = Callable[[], AbstractContextManager[BinaryIO]]


@dataclass(frozen=True)
class _Export:
    """One exported chat. `name`: whom or which group it is with, as far as the names of files tell."""

    name: str
    opened: _Opened


@dataclass
class _Survey:
    """What only the whole of a file tells.

    Args:
        senders: who wrote. title: the chat's name, where the first line of an iPhone's export tells it.
    """

    order: Order = field(default_factory=Order)
    senders: dict[str, None] = field(default_factory=dict)
    title: str = ""
    begun: bool = False


@dataclass(frozen=True)
class _Chat:
    """Whom a chat is with, and under which names its owner wrote. `group`: the group's name, "" for one person."""

    contact: str
    group: str
    owners: frozenset[str]


# Which files


def _looks(path: Path) -> bool:
    if path.is_dir():
        return any(_is_export(each) and _begins(beginning(each)) for each in path.iterdir())
    if path.suffix.lower() == ".zip":
        return beginning(path, 4) == b"PK\x03\x04" and bool(_entries(path))
    start = beginning(path)
    telling = _names_export(path.name) or LRM.encode() in start or b"WhatsApp" in start
    return path.suffix.lower() == ".txt" and telling and _begins(start)


def _begins(start: bytes) -> bool:
    """Whether the first line of some bytes that says anything begins as a message does."""
    text = start.decode("utf-8", "replace").removeprefix("\ufeff")
    return bool(HEAD.match(next((line for line in text.splitlines() if line.strip()), "")))


def _names_export(name: str) -> bool:
    stem, _, ending = name.rpartition(".")
    return ending.lower() == "txt" and (stem.lower().startswith("_chat") or "whatsapp" in stem.lower())


def _is_export(path: Path) -> bool:
    return _names_export(path.name) and path.is_file() and not path.is_symlink()


def _exports(path: Path) -> list[_Export]:
    """The chats in a file, an archive or a folder. Raises: UsageError, the archive holds none."""
    if path.is_dir():
        found = sorted(each for each in path.iterdir() if _is_export(each))
        return [_of_file(each) for each in found[:_MOST_FILES]]
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file: {_HOW}")
    with path.open("rb"):
        pass  # raises what keeps it from being read
    if path.suffix.lower() != ".zip":
        return [_of_file(path)]
    entries = _entries(path)
    if not entries:
        raise UsageError(f"{path}: no chat that WhatsApp exported can be read in this archive: {_HOW}")
    return [_Export(_name_of(_stem(each), path.stem), partial(_entry, path, each)) for each in entries[:_MOST_FILES]]


def _of_file(path: Path) -> _Export:
    return _Export(_name_of(path.stem, path.absolute().parent.name), cast(_Opened, partial(path.open, "rb")))


def _entries(path: Path) -> list[zipfile.ZipInfo]:
    """The chats in an archive; none where it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            named_so = [each for each in archive.infolist() if _names_export(each.filename.rpartition("/")[2])]
    except _FAULTS:
        return []
    return [each for each in named_so if each.compress_type in _PACKINGS and not each.flag_bits & 1]


def _stem(entry: zipfile.ZipInfo) -> str:
    return entry.filename.rpartition("/")[2].rpartition(".")[0]


@contextmanager
def _entry(path: Path, entry: zipfile.ZipInfo) -> Iterator[BinaryIO]:
    with zipfile.ZipFile(path) as archive, archive.open(entry) as file:
        yield cast(BinaryIO, file)


def _name_of(*stems: str) -> str:
    """Whom a chat is with, by the name of its file or else of what that lies in; "" where none tells."""
    for stem in stems:
        if found := _TITLE.search(_COPY.sub("", stem)):
            return named(found["name"] if " " in stem else found["name"].replace("_", " "))
    return ""


def _lines(export: _Export, ended: Callable[[str], None]) -> Iterator[Line]:
    """The lines of a chat, as far as they can be read; `ended` is told why the rest cannot."""
    try:
        with export.opened() as file:
            yield from lines(file)
    except TooLarge:
        ended(f"more than {MOST_TEXT >> 20} MiB of text")
    except OSError as error:
        ended(error.strerror or "cannot be read")
    except _FAULTS:
        ended("the archive is damaged")


# What they say


def _read(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    found = _exports(path)
    begun = 0
    for number, export in enumerate(found, 1):
        where = f"file {number}, " if len(found) > 1 else ""
        survey = _survey(export)
        begun += survey.begun
        if survey.begun:
            yield from _messages(export, survey, situation, unread, where)
        elif len(found) > 1:
            unread.add(f"{where}line 1", "no line begins with a date and a time")
    if not begun:
        raise UsageError(f"{path}: no line begins with a date and a time, as in a chat from WhatsApp: {_HOW}")


def _survey(export: _Export) -> _Survey:
    survey = _Survey()
    for each in messages(_lines(export, lambda why: None)):
        sender, text = _parts(each)
        survey.order.add(each)
        if not survey.begun and sender and is_notice(text):
            survey.title = sender
        elif sender and sender not in survey.senders and len(survey.senders) < MOST_NAMES and content(text):
            survey.senders.setdefault(sender)
        survey.begun = True
    return survey


def _messages(export: _Export, survey: _Survey, situation: Situation, unread: Unread, where: str) -> Iterator[Brought]:
    chat = _chat_of(export.name or survey.title, list(survey.senders), situation.owner)
    day_first = survey.order.day_first(situation.zone)
    keys = Keys()
    first = True
    for each in messages(_lines(export, lambda why: unread.add(f"{where}the end", why))):
        sender, text = _parts(each)
        begins, first = first, False
        told = content(text) if sender and not (begins and is_notice(text)) else None
        if told is None:
            continue
        if not each.whole:
            unread.add(f"{where}line {each.line}", "not UTF-8 text, or too long a line")
            continue
        try:
            date = stamp(situation, each.moment(day_first))
        except ValueError:
            unread.add(f"{where}line {each.line}", "there is no such date or time")
            continue
        said, files = told
        mine = sender in chat.owners if chat.owners else None
        record = message(
            chat.contact,
            said,
            date,
            from_me=mine,
            group=chat.group,
            # Where nobody knows which of the two is the owner, it would be lost who wrote.
            sender=sender if chat.group or mine is None else "",
            attachments=files,
        )
        yield Brought("imessage", "messages", keys.of(export.name, date, sender, said), record)


def _parts(each: Message) -> tuple[str, str]:
    """Who wrote a message, and what; nobody where the line is the program's own."""
    text = each.full_text
    found = _SENDER.match(text)
    name = named(without_marks(found["name"])) if found else ""
    if not found or not is_sender(name):
        return "", ""
    return name.lstrip("~").strip(), text[found.end() :]  # "~" stands before who is no contact


def _chat_of(title: str, senders: list[str], owner: str) -> _Chat:
    """Whom a chat is with: the name of the file tells it, or else who wrote."""
    mine = owners(senders, owner, title)
    others = [each for each in senders if each not in mine]
    group = len(others) > (1 if mine else 2) or bool(
        title and len(others) == (1 if mine else 2) and not related(title, others)
    )
    if group:
        return _Chat(title or _GROUP, title or _GROUP, mine)
    same = next((each for each in others if words(each) == words(title)), "")
    return _Chat(same or title or ", ".join(others) or ", ".join(senders), "", mine)


WHATSAPP = SimpleImporter(
    "whatsapp", "a chat that WhatsApp exported (.txt, or the .zip with it)", _looks, _read, mirrors=False
)

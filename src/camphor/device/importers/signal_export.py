"""What the tool signal-export makes of Signal Desktop's messages: a folder a chat, with data.json and chat.md.

data.json, a message a line, is read where it is there: chat.md has the same in a form that can be told apart less well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, beginning, without_empty
from camphor.device.importers.chat_parts import (
    LONGEST,
    MOST_ATTACHMENTS,
    MOST_NAMES,
    MOST_TEXT,
    Keys,
    Line,
    TooLarge,
    clean,
    lines,
    message,
    named,
    stamp,
)
from camphor.errors import UsageError

_HOW = "give the folder that signal-export wrote (sigexport FOLDER)"
_DATA, _TEXT = "data.json", "chat.md"
_MOST_CHATS = 20_000
_ME, _NOBODY = "Me", "No-Sender"
_OWN_NOTES = "notetoself"
_HEAD = re.compile(
    r"\[(?P<date>\d{4}-\d\d-\d\d,? \d\d:\d\d(?::\d\d)?)\] (?P<sender>[^\n:]{1,300}): ?(?P<body>.*)", re.DOTALL
)
_DELETED = "(This message was deleted)"
# The program's own words for calls, which older versions write as if somebody had said them.
_CALL = re.compile(r"(?:Incoming|Outgoing|Missed) (?:\w+ )?call(?: \([\w ,]{1,60}\))?")
_QUOTE = re.compile(r"\A[ ]*\n(?:\n> [^\n]*)+\n\n")
_REACTIONS = re.compile(r"\n\(- [^\n]* -\)")
_STICKER = re.compile(r"\n\(\( (?P<sticker>[^\n]*) \)\)|\[(?P<label>[^\]\n]{0,40})\]\(\.\./exported_stickers/[^)\n]*\)")
_LINK = re.compile(r"!?\[(?P<name>[^\]\n]{1,300})\]\((?:\./)?media/[^)\n]{1,600}\)")
_STAMPED = re.compile(r"^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?_\d\d_")  # what the tool puts before a file's name


@dataclass
class _Said:
    """A message as the export has it. `line`: where it begins, from 1."""

    line: int
    date: datetime
    sender: str
    text: str
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Chat:
    """A chat's folder. `number`: which one of the export, from 1; its name is a person's and not told."""

    number: int
    folder: Path
    file: Path

    @property
    def name(self) -> str:
        return self.folder.name


Told = Callable[[int, str], None]


def _looks(path: Path) -> bool:
    return any(_is_export(chat.file) for chat in _chats(path))


def _is_export(file: Path) -> bool:
    start = beginning(file, 65_536).decode("utf-8", "replace").lstrip().split("\n", 1)[0]
    if file.suffix == ".md":
        return bool(_HEAD.match(start))
    # A long message's line may go on after what was read of it.
    return start.startswith('{"date"') and '"sender"' in start and '"body"' in start


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _chats(path: Path) -> Iterator[_Chat]:
    """The chats in a folder of an export, or the one whose folder or file it is."""
    if path.is_file():
        if path.name in (_DATA, _TEXT):
            yield _Chat(1, path.absolute().parent, path)
        return
    if not path.is_dir():
        return
    number = 0
    for folder in (path.absolute(), *sorted(filter(_is_folder, path.iterdir()))):
        files = (folder / name for name in (_DATA, _TEXT))
        file = next((each for each in files if each.is_file() and not each.is_symlink() and each.stat().st_size), None)
        if file and number < _MOST_CHATS:
            number += 1
            yield _Chat(number, folder, file)


def _read(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    known = False
    if not path.exists():
        raise UsageError(f"{path}: there is nothing there")
    for chat in _chats(path):
        if not _is_export(chat.file):
            continue
        known = True
        yield from _messages(chat, situation, unread)
    if not known:
        raise UsageError(f"{path}: no chat that signal-export wrote is in it: {_HOW}")


def _messages(chat: _Chat, situation: Situation, unread: Unread) -> Iterator[Brought]:
    contact, group = _people(chat)
    keys = Keys()

    def told(line: int, why: str) -> None:
        unread.add(f"chat {chat.number}, line {line}", why)

    for said in _said(chat.file, told):
        try:
            date = stamp(situation, said.date)
        except ValueError:
            told(said.line, "there is no such date")
            continue
        key = keys.of(chat.name, date, said.sender, said.text)
        date = "" if said.date.year < 1971 else date  # the tool knew none
        if _plain(chat.name) == _OWN_NOTES:
            note = {"content": said.text, "modified": date, "folder": "Note to Self", "attachments": said.files}
            yield Brought("notes", "notes", key, without_empty(note))
            continue
        sender = said.sender if group and said.sender not in (_ME, _NOBODY) else ""
        mine = said.sender == _ME
        record = message(
            contact,
            said.text,
            date,
            from_me=mine,
            group=contact if group else "",
            sender=sender,
            attachments=said.files,
        )
        yield Brought("imessage", "messages", key, record)


def _people(chat: _Chat) -> tuple[str, bool]:
    """Whom a chat is with, and whether it is a group: in one, others write than who gave the folder its name."""
    senders: dict[str, None] = {}
    for said in _said(chat.file, lambda line, why: None):
        if said.sender not in (_ME, _NOBODY) and len(senders) < MOST_NAMES:
            senders.setdefault(said.sender)
    same = [each for each in senders if _plain(each) == _plain(chat.name)]
    others = len(senders) > len(same)
    if others or (chat.folder / "meta.json").is_file():
        return named(chat.name), True
    return same[0] if same else named(chat.name), False


def _plain(name: str) -> str:
    """A name as the tool makes a folder's of it, in lower case."""
    return "".join(filter(str.isalnum, name)).lower()


def _said(file: Path, told: Told) -> Iterator[_Said]:
    """What people wrote in a chat; `told` hears what cannot be read."""
    number = 0
    with file.open("rb") as opened:
        read = _of_text if file.suffix == ".md" else _of_data

        def counted() -> Iterator[Line]:
            nonlocal number
            for line in lines(opened):
                number = line.number
                yield line

        try:
            for said in read(counted(), told):
                if (said.text or said.files) and not _CALL.fullmatch(said.text):
                    yield said
        except TooLarge:
            told(number, f"more than {MOST_TEXT >> 20} MiB of text")


# data.json


def _of_data(found: Iterator[Line], told: Told) -> Iterator[_Said]:
    for line in found:
        if not line.text.strip():
            continue
        try:
            fields = json.loads(line.text) if line.whole else None
        except (ValueError, RecursionError):
            fields = None
        date = _moment(fields.get("date")) if isinstance(fields, dict) else None
        if not isinstance(fields, dict) or date is None:
            told(line.number, "no message as signal-export writes it")
        elif not fields.get("deleted") and not fields.get("call"):
            text = clean(fields["body"]) if isinstance(fields.get("body"), str) else ""
            files = [*_sticker(fields.get("sticker")), *_attachments(fields.get("attachments"))]
            yield _Said(line.number, date, named(fields.get("sender")) or _NOBODY, text, files)


def _moment(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value.replace(", ", " ")) if isinstance(value, str) else None
    except ValueError:
        return None


def _attachments(value: Any) -> Iterator[str]:
    for each in value[:MOST_ATTACHMENTS] if isinstance(value, list) else ():
        name = each.get("name") if isinstance(each, dict) else each[0] if isinstance(each, list) and each else None
        yield _file_name(named(name)) or "file"


def _sticker(value: Any) -> Iterator[str]:
    label = named(value.get("emoji")) if isinstance(value, dict) else named(value)
    if value:
        yield f"sticker {label}".strip()


def _file_name(name: str) -> str:
    return _STAMPED.sub("", name)


# chat.md


def _of_text(found: Iterator[Line], told: Told) -> Iterator[_Said]:
    begun: tuple[int, datetime, str] | None = None
    body: list[str] = []
    size, whole = 0, True

    def ended() -> Iterator[_Said]:
        if begun and whole:
            yield _of_body(*begun, "\n".join(body))
        elif begun:
            told(begun[0], "not UTF-8 text, or too long a line")

    for line in found:
        head = _HEAD.match(line.text)
        if head and (date := _moment(head["date"])):
            yield from ended()
            begun = (line.number, date, named(head["sender"]))
            body, size, whole = [head["body"]], 0, line.whole
        elif begun is None:
            told(line.number, "no message as signal-export writes it")
        elif size <= LONGEST:
            size += len(line.text) + 1
            body.append(line.text)
            whole = whole and line.whole
    yield from ended()


def _of_body(line: int, date: datetime, sender: str, body: str) -> _Said:
    """A message of chat.md, whose quotation, reactions and files stand among its words."""
    files: list[str] = []
    text = _REACTIONS.sub("", _QUOTE.sub("", body[: 2 * LONGEST]))

    def taken(found: re.Match[str]) -> str:
        told = found.groupdict()
        files.append(
            _file_name(named(told["name"]))
            if told.get("name")
            else f"sticker {named(told.get('sticker') or told.get('label') or '')}".strip()
        )
        return ""

    text = _LINK.sub(taken, _STICKER.sub(taken, text))
    return _Said(line, date, sender, "" if text.strip() == _DELETED else clean(text), files)


SIGNAL = SimpleImporter("signal", "a folder that signal-export wrote of Signal's chats", _looks, _read, mirrors=False)

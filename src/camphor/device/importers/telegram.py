"""What Telegram Desktop exports as JSON: result.json with one chat, or with all of an account."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, beginning, without_empty
from camphor.device.importers.chat_parts import MOST_NAMES, clean, is_unicode, message, named, owners, stamp
from camphor.device.importers.json_stream import Broken, JsonStream
from camphor.device.text import Record
from camphor.errors import UsageError

_FILE = "result.json"
_HOW = "export it in Telegram Desktop anew (Settings, Advanced, Export Telegram data, Machine-readable JSON)"
_SAVED = "saved_messages"
_ONE_PERSON = ("personal_chat", "bot_chat")
_TWO_SIDED = (*_ONE_PERSON, _SAVED, "replies", "verification_codes")
_CHAT = re.compile(
    rb'"type":\s*"(?:personal_chat|bot_chat|saved_messages|replies|verification_codes|private_group'
    rb'|(?:private|public)_(?:supergroup|channel))"'
)
_ALL = re.compile(rb'"(?:personal_information|chats|contacts|frequent_contacts|profile_pictures|stories|sessions)":')
_SIZE = 65_536  # bytes in which an export shows what it is
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_PARTS = 10_000
_MOST_ANSWERS = 100


@dataclass(frozen=True)
class _Chat:
    """A chat. `number`: which one of the file, from 1. `name`: the other person's or the group's."""

    number: int
    id: str
    kind: str
    name: str

    @property
    def is_group(self) -> bool:
        return self.kind not in _TWO_SIDED

    @property
    def key(self) -> str:
        """Its number alone may be that of a person and of a group; its kind may change from private to public."""
        return f"{'group' if self.kind == 'private_group' else 'channel' if self.is_group else 'user'}{self.id}"


@dataclass(frozen=True)
class _Me:
    """The account's own number."""

    id: str


@dataclass(frozen=True)
class _Fault:
    """What could not be read, and where."""

    where: str
    why: str


@dataclass(frozen=True)
class _Sent:
    """A message. `number`: which one of its chat, from 1."""

    chat: _Chat
    number: int
    fields: Mapping[str, Any]

    @property
    def where(self) -> str:
        return f"chat {self.chat.number}, message {self.number}"

    @property
    def sender_id(self) -> str:
        return _id(self.fields.get("from_id"))


def _looks(path: Path) -> bool:
    file = _file(path)
    if file.suffix.lower() != ".json":
        return False
    start = beginning(file, _SIZE)
    if not start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return False
    single = _CHAT.search(start) and b'"messages"' in start and b'"id"' in start
    return bool(single or (_ALL.search(start) and b"elegram" in start))


def _file(path: Path) -> Path:
    return path / _FILE if path.is_dir() else path


def _read(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    file = _file(path)
    if not file.is_file():
        raise UsageError(f"{path}: there is no {_FILE}: {_HOW}")
    me = _own_id(file, situation)
    chats = False
    for each in _parts(file):
        if isinstance(each, _Sent):
            chats = True
            brought = _brought(each, me, situation, unread)
            if brought:
                yield brought
        elif isinstance(each, _Chat):
            chats = True
        elif isinstance(each, _Fault):
            unread.add(each.where, each.why)
    if not chats:
        raise UsageError(f"{path}: no chat that Telegram exported is in it: {_HOW}")


class _Reader:
    """Takes an export apart."""

    def __init__(self, stream: JsonStream) -> None:
        self._stream = stream
        self.chats = 0

    def chat(self, top: bool = True) -> Iterator[_Me | _Chat | _Sent | _Fault]:
        """What is in an object that is a chat or, at the top, an export of all. Raises: Broken."""
        head: dict[str, Any] = {}
        for name in self._stream.members():
            if name in ("name", "type", "id"):
                head[name] = self._value()
            elif name == "messages":
                yield from self._messages(head)
            elif top and name in ("chats", "left_chats"):
                yield from self._list()
            elif top and name == "personal_information":
                about = self._value()
                yield _Me(_id(about.get("user_id")) if isinstance(about, dict) else "")
            else:
                self._stream.skip()

    def _list(self) -> Iterator[_Me | _Chat | _Sent | _Fault]:
        if self._stream.peek() != "{":
            self._stream.skip()
            return
        for name in self._stream.members():
            if name == "list" and self._stream.peek() == "[":
                for _ in self._stream.items():
                    if self._stream.peek() == "{":
                        yield from self.chat(top=False)
                    else:
                        self._stream.skip()
            else:
                self._stream.skip()

    def _messages(self, head: Mapping[str, Any]) -> Iterator[_Chat | _Sent | _Fault]:
        self.chats += 1
        kind, ident = head.get("type"), _id(head.get("id"))
        if self._stream.peek() != "[" or not isinstance(kind, str) or not ident:
            yield _Fault(f"chat {self.chats}", "its messages do not come after its number and type")
            self._stream.skip()
            return
        chat = _Chat(self.chats, ident, kind, named(head.get("name")))
        yield chat
        for number, _ in enumerate(self._stream.items(), 1):
            try:
                fields = self._stream.value()
            except Broken as broken:
                if not broken.passed:
                    raise
                fields = None
            if isinstance(fields, dict):
                yield _Sent(chat, number, fields)
            else:
                yield _Fault(f"chat {chat.number}, message {number}", "no message as Telegram writes it")

    def _value(self) -> Any:
        """The value that comes next, None for a broken one. Raises: Broken, nothing after it can be read."""
        try:
            return self._stream.value()
        except Broken as broken:
            if not broken.passed:
                raise
            return None


def _parts(file: Path) -> Iterator[_Me | _Chat | _Sent | _Fault]:
    with file.open("rb") as opened:
        reader = _Reader(JsonStream(opened))
        try:
            yield from reader.chat()
        except Broken:
            yield _Fault(f"chat {reader.chats}", "the file ends in it, or is no JSON from there on")


def _own_id(file: Path, situation: Situation) -> str:
    """The account's own number; "" where nothing tells it.

    Exports of one chat do not say it, nor those without the account's data. There, whoever writes to a person and is
    not that person is oneself; and in groups it is who has the owner's name.
    """
    names: dict[str, str] = {}
    for each in _parts(file):
        if isinstance(each, _Me) and each.id:
            return each.id
        if isinstance(each, _Chat) and each.kind == _SAVED:
            return each.id
        if not isinstance(each, _Sent) or not each.sender_id:
            continue
        if each.chat.kind in _ONE_PERSON:
            if each.sender_id != each.chat.id:
                return each.sender_id
        elif len(names) < MOST_NAMES:
            names.setdefault(each.sender_id, named(each.fields.get("from")))
    mine = owners(names.values(), situation.owner)
    found = [ident for ident, name in names.items() if name in mine]
    return found[0] if len(found) == 1 else ""


def _brought(sent: _Sent, me: str, situation: Situation, unread: Unread) -> Brought | None:
    fields = sent.fields
    if fields.get("type") != "message":  # service messages, and what the exporter does not know
        return None
    ident = _id(fields.get("id"))
    if not ident:
        unread.add(sent.where, "no number")
        return None
    try:
        date = _date(fields, situation)
    except ValueError:
        unread.add(sent.where, "no date")
        return None
    said = _said(fields)
    if not is_unicode(said):
        unread.add(sent.where, "not UTF-8 text")
        return None
    text, files = clean(said), _files(fields)
    if not text and not files:
        return None
    app, name, record = "imessage", "messages", _message(sent, me, text, date, files)
    if sent.chat.kind == _SAVED:
        app, name, record = "notes", "notes", _note(fields, text, date, files)
    return Brought(app, name, f"{sent.chat.key}/{ident}", record)


def _message(sent: _Sent, me: str, text: str, date: str, files: list[str]) -> Record:
    chat = sent.chat
    contact = chat.name or chat.kind.replace("_", " ")
    group = contact if chat.is_group else ""
    mine = sent.sender_id == me if me and sent.sender_id else None
    sender = named(sent.fields.get("from")) if group or mine is None else ""
    forwarded = _forwarded(sent.fields)
    return message(
        contact, text, date, from_me=mine, group=group, sender=sender, attachments=files, forwarded_from=forwarded
    )


def _note(fields: Mapping[str, Any], text: str, date: str, files: list[str]) -> Record:
    """What one kept for oneself."""
    title, _, more = text.partition("\n")
    note = {"title": title[:80] if more else "", "content": text, "modified": date, "folder": "Saved messages"}
    return without_empty({**note, "attachments": files, "forwarded_from": _forwarded(fields)})


def _forwarded(fields: Mapping[str, Any]) -> str:
    """Whose message it was; the exporter writes null for an account that is gone."""
    return named(fields["forwarded_from"]) or "unknown" if "forwarded_from" in fields else ""


def _id(value: object) -> str:
    """A number as a text, however the exporter's version wrote it: 123, "123" or "user123"."""
    if isinstance(value, str):
        return value[:100].removeprefix("user")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _date(fields: Mapping[str, Any], situation: Situation) -> str:
    """When it was sent. Raises: ValueError, nothing tells."""
    seconds = _id(fields.get("date_unixtime"))
    if seconds.isascii() and seconds.isdigit() and len(seconds) < 12:
        return stamp(situation, _EPOCH + timedelta(seconds=int(seconds)))
    written = fields.get("date")
    if not isinstance(written, str):
        raise ValueError
    return stamp(situation, datetime.fromisoformat(written))  # the exporting machine's time, as old versions have it


def _said(fields: Mapping[str, Any]) -> str:
    """All that a message says: its text, and a poll, a place or a card of a person in words."""
    said = [_text(fields.get("text")), *_poll(fields.get("poll"))]
    said += [named(fields.get(name)) for name in ("place_name", "address", "game_title")]
    place = fields.get("location_information")
    if isinstance(place, dict) and "latitude" in place:
        said.append(", ".join(str(place.get(name))[:20] for name in ("latitude", "longitude")))
    card = fields.get("contact_information")
    if isinstance(card, dict):
        said.append(" ".join(filter(None, (named(card.get(n)) for n in ("first_name", "last_name", "phone_number")))))
    return "\n".join(filter(None, said))


def _text(value: object) -> str:
    """A text that is one, or a list of plain and of formatted parts; of a link, where it leads too."""
    if isinstance(value, str):
        return value
    return "".join(map(_part, value[:_MOST_PARTS])) if isinstance(value, list) else ""


def _part(value: object) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return ""
    text, link = value["text"], value.get("href")
    return f"{text} ({link})" if isinstance(link, str) and link and link != text else text


def _poll(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield _text(value.get("question"))
        answers = value.get("answers")
        for each in answers[:_MOST_ANSWERS] if isinstance(answers, list) else ():
            yield f"- {_part(each)}"


def _files(fields: Mapping[str, Any]) -> list[str]:
    """What came with a message: a file by its name, or by what it is where the export has no name."""
    found = []
    if fields.get("photo"):
        found.append(_file_name(fields["photo"]) or "photo")
    if fields.get("file"):
        kind = named(fields.get("media_type")).replace("_", " ") or "file"
        name = named(fields.get("file_name")) or _file_name(fields["file"])
        found.append(f"sticker {named(fields.get('sticker_emoji'))}".strip() if kind == "sticker" else name or kind)
    return found


def _file_name(path: object) -> str:
    """The name of a file; "" where the export says why it has none: "(File not included. Change ...)"."""
    written = named(path)
    return "" if "(File " in written else written.rpartition("/")[2]


TELEGRAM = SimpleImporter(
    "telegram", "chats that Telegram Desktop exported as JSON (result.json)", _looks, _read, mirrors=False
)

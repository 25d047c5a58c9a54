"""What browsers and Messages remember, in the files that they keep: Firefox, Chrome and its kin, a Mac's chat.db."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, beginning, without_empty
from camphor.device.importers.history_addresses import LONGEST, page_address
from camphor.device.importers.history_files import Fault, columns_of, has_tables, opened, salvaged, told
from camphor.errors import UsageError

_LONGEST = 100_000  # characters of a message
_LONGEST_NAME = 1000  # characters of a title, a folder or a person's name
_LARGEST_BODY = 1 << 20  # bytes of a message's typedstream that are looked at
_LARGEST_BOOKMARKS = 32 << 20  # bytes of a file of bookmarks, which is read whole
_MOST_FOLDERS = 100_000
_MOST_MEMBERS = 20  # of a group without a name, which is called after them
_DEEPEST = 64  # folders in folders

_UNIX = datetime(1970, 1, 1, tzinfo=UTC)
_WINDOWS = datetime(1601, 1, 1, tzinfo=UTC)
_APPLE = datetime(2001, 1, 1, tzinfo=UTC)
_NANOSECONDS = 10**11  # as seconds a larger number is beyond the year 5000


def _text(value: object, most: int = _LONGEST_NAME) -> str:
    """A text as it can be kept anywhere: no NUL, no half of a character."""
    if not isinstance(value, str):
        return ""
    text = value[:most].replace("\0", "")
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.strip()


def _count(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and 0 < value < 10**9 else None


def _when(value: object, epoch: datetime, situation: Situation) -> str | None:
    """A moment in microseconds since an epoch as records have it; None for what is none."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,18}", value):
        value = int(value)
    if not isinstance(value, int | float) or not 0 < value < 10**17:
        return None
    moment = epoch + timedelta(microseconds=int(value))
    return situation.local(moment) if 1980 < moment.year < 2200 else None


def _file(path: Path, name: str) -> Path:
    """The file of that name in a folder; or what is no folder."""
    if not path.is_dir():
        return path
    if not (path / name).is_file():
        raise UsageError(f"{path}: there is no {name} in it: give the folder in which it lies, or the file")
    return path / name


def _with_addresses(db: sqlite3.Connection) -> None:
    """Gives SQL the function `page` of an address as a blob: a text in a wrong encoding would end the query."""
    encoding = str(db.execute("PRAGMA encoding").fetchone()[0])
    db.create_function("page", 1, lambda raw: _page(raw, encoding), deterministic=True)


def _page(raw: object, encoding: str) -> str | None:
    return page_address(_text(raw.decode(encoding, "replace"), LONGEST + 1)) if isinstance(raw, bytes) else None


def _visited(
    db: sqlite3.Connection, table: str, last: str, epoch: datetime, situation: Situation, unread: Unread
) -> Iterator[Brought]:
    """The pages of a history: addresses that differ only in what was cut off are one."""
    columns = columns_of(db, table, "url")
    last, visits = (each if each in columns else "0" for each in (last, "visit_count"))
    title = f"substr(title, 1, {_LONGEST_NAME})" if "title" in columns else "NULL"
    shown = "coalesce(hidden, 0) = 0 AND" if "hidden" in columns else ""  # parts of pages, and what led on to others
    _with_addresses(db)
    rows = db.execute(
        "SELECT address, max(last), total(visits), title, count(*) FROM"
        f" (SELECT page(CAST(url AS BLOB)) AS address, {last} AS last, {visits} AS visits, {title} AS title"
        f" FROM {table} WHERE {shown} (coalesce({last}, 0) > 0 OR coalesce({visits}, 0) > 0)"
        " LIMIT -1)"  # or SQLite makes one query of the two, and asks for each address twice
        " GROUP BY address ORDER BY 2, 1"
    )
    for address, visited, count, called, many in rows:
        if address:
            at = _when(visited, epoch, situation)
            record = {"title": _text(called), "url": address, "visited": at, "visits": _count(count)}
            yield Brought("safari", "pages", address, without_empty(record))
        elif address == "":
            for _ in range(many):
                unread.add(table, f"an address of more than {LONGEST} characters")


def _bookmark(title: str, address: str, folder: str, added: str | None) -> Brought:
    record = {"title": title, "url": address, "folder": folder, "added": added}
    return Brought("safari", "pages", f"bookmark {address}", without_empty(record))


_FIREFOX_ROOTS = {
    "menu________": "Bookmarks Menu",
    "toolbar_____": "Bookmarks Toolbar",
    "unfiled_____": "Other Bookmarks",
    "mobile______": "Mobile Bookmarks",
}
_FOLDERS = f"SELECT id, parent, substr(title, 1, {_LONGEST_NAME}), %s FROM moz_bookmarks WHERE type=2"
_BOOKMARKS = f"""
SELECT page(CAST(p.url AS BLOB)) AS address, min(b.id), substr(b.title, 1, {_LONGEST_NAME}), b.parent, %s
FROM moz_bookmarks b JOIN moz_places p ON p.id = b.fk
WHERE b.type = 1 AND b.parent NOT IN (SELECT id FROM moz_bookmarks WHERE parent = ?)
GROUP BY address ORDER BY 2
"""
_Folders = dict[Any, tuple[Any, str, Any]]


def _read_firefox(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    file = _file(path, "places.sqlite")
    return told(file, _places(file, situation, unread))


def _places(file: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    with opened(file) as db:
        columns_of(db, "moz_places", "id", "url")
        yield from salvaged(
            unread,
            ("moz_places", _visited(db, "moz_places", "last_visit_date", _UNIX, situation, unread)),
            ("moz_bookmarks", _marked(db, situation)),
        )


def _marked(db: sqlite3.Connection, situation: Situation) -> Iterator[Brought]:
    """Bookmarks, the first of each address. Tags, which are kept as if they were folders, are left out."""
    columns = columns_of(db, "moz_bookmarks", "id", "type", "fk", "parent", "title")
    coded = db.execute(f"{_FOLDERS % ('guid' if 'guid' in columns else 'NULL')} LIMIT {_MOST_FOLDERS}")
    folders = {each: (parent, _FIREFOX_ROOTS.get(code, _text(title)), code) for each, parent, title, code in coded}
    tags = next((each for each, folder in folders.items() if _is_tags(folder, folders)), -1)
    _with_addresses(db)
    added = "b.dateAdded" if "dateAdded" in columns else "NULL"
    for address, _, title, parent, at in db.execute(_BOOKMARKS % added, (tags,)):
        if address:
            yield _bookmark(_text(title), address, _path(parent, folders), _when(at, _UNIX, situation))


def _is_tags(folder: tuple[Any, str, Any], folders: _Folders) -> bool:
    """By its code; before Firefox 4 by its name, right below the root."""
    parent, title, code = folder
    above = folders.get(parent)
    return code == "tags________" or (not code and title.lower() == "tags" and above is not None and above[0] == 0)


def _path(folder: Any, folders: _Folders) -> str:
    names: list[str] = []
    while folder in folders and len(names) < _DEEPEST:
        folder, name, _ = folders[folder]
        names.append(name)
    return "/".join(name for name in reversed(names) if name)[:_LONGEST_NAME]


def _is_bookmarks(path: Path) -> bool:
    start = beginning(path).lstrip()
    return start.startswith(b"{") and b'"roots"' in start and b'"children"' in start


def _read_chrome(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    files = [path]
    if path.is_dir():
        files = [path / name for name in ("History", "Bookmarks", "AccountBookmarks") if (path / name).is_file()]
    if not files:
        raise UsageError(f"{path}: there is no History in it: give the profile's folder, which chrome://version tells")
    seen: set[str] = set()
    return told(path, salvaged(unread, *((each.name, _chrome(each, situation, unread, seen)) for each in files)))


def _chrome(file: Path, situation: Situation, unread: Unread, seen: set[str]) -> Iterator[Brought]:
    if "Bookmarks" in file.name or _is_bookmarks(file):
        yield from _bookmarks(file, situation, unread, seen)
        return
    with opened(file) as db:
        yield from _visited(db, "urls", "last_visit_time", _WINDOWS, situation, unread)


def _bookmarks(file: Path, situation: Situation, unread: Unread, seen: set[str]) -> Iterator[Brought]:
    """Bookmarks of a file, the first of each address."""
    # Vivaldi keeps what was deleted below a root of its own; some roots are settings
    roots = [(each, "", 0) for name, each in _roots(file).items() if isinstance(each, dict) and name != "trash"]
    left: list[tuple[Any, str, int]] = roots[::-1]
    while left:
        node, folder, depth = left.pop()
        fields = node if isinstance(node, dict) else {}
        children, url = fields.get("children"), fields.get("url")
        if isinstance(children, list) and depth < _DEEPEST:
            within = f"{folder}/{_text(fields.get('name'))}".strip("/")[:_LONGEST_NAME]
            left += [(each, within, depth + 1) for each in reversed(children)]
        elif isinstance(url, str):
            address = page_address(_text(url, LONGEST + 1))
            if address and address not in seen:
                seen.add(address)
                added = _when(fields.get("date_added"), _WINDOWS, situation)
                yield _bookmark(_text(fields.get("name")), address, folder, added)
        else:
            unread.add(file.name, "an entry that is neither a bookmark nor a folder")


def _roots(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise Fault("it is no file: give the profile's folder, which chrome://version tells")
    with file.open("rb") as opened_file:
        raw = opened_file.read(_LARGEST_BOOKMARKS + 1)
    if len(raw) > _LARGEST_BOOKMARKS:
        raise Fault(f"it is larger than {_LARGEST_BOOKMARKS >> 20} MiB: give a file of bookmarks")
    try:
        held = json.loads(raw)
    except (ValueError, RecursionError):
        held = None
    roots = held.get("roots") if isinstance(held, dict) else None
    if not isinstance(roots, dict):
        raise Fault("it is no file of bookmarks: give the profile's folder, which chrome://version tells")
    return roots


_GROUP = 43  # the style of a chat of several
_STRING = re.compile(rb"NS(?:Mutable)?String\x01.{0,40}?\x84\x01\+", re.DOTALL)
_MESSAGES = f"""
SELECT m.ROWID, m.guid, substr(%(m.text)s, 1, {_LONGEST}),
    CASE WHEN coalesce(%(m.text)s, '') = '' THEN substr(%(m.attributedBody)s, 1, {_LARGEST_BODY}) END,
    m.date, %(m.is_from_me)s, h.id, c.ROWID, %(c.display_name)s, %(c.style)s, %(c.room_name)s, %(c.chat_identifier)s,
    %(a.many)s
FROM message m
LEFT JOIN handle h ON h.ROWID = m.handle_id
LEFT JOIN (SELECT message_id, min(chat_id) AS chat_id FROM chat_message_join GROUP BY message_id) j
    ON j.message_id = m.ROWID
LEFT JOIN chat c ON c.ROWID = j.chat_id
%(attached)s
WHERE coalesce(%(m.associated_message_type)s, 0) = 0 %(kept)s
ORDER BY m.ROWID
"""
_ATTACHED = """LEFT JOIN
(SELECT message_id, count(*) AS many FROM message_attachment_join GROUP BY message_id) a ON a.message_id = m.ROWID
"""
# what the person deleted, which stays for some weeks
_KEPT = "AND m.ROWID NOT IN (SELECT message_id FROM chat_recoverable_message_join WHERE message_id NOT NULL)"


def _read_imessage(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    file = _file(path, "chat.db")
    return told(file, salvaged(unread, (file.name, _messages(file, situation, unread))))


def _messages(file: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    with opened(file) as db:
        members = lru_cache(4096)(lambda chat: _members(db, chat))
        for row, guid, text, body, date, mine, handle, chat, name, style, room, other, many in db.execute(_query(db)):
            said, attachments = _said(text) or _said(_string_in(body)), _count(many)
            if not said and not attachments:
                continue  # who joined or left, what was unsent
            if not _text(guid):
                unread.add(f"message {row}", "it has no guid")
                continue
            with_whom = _text(name) or _text(handle) or _text(other)
            group = ""
            if style == _GROUP or _text(room):
                with_whom = group = _text(name) or members(chat) or _text(other)
            record = {
                "contact": with_whom,
                "group": group,
                "sender": _text(handle) if group and mine != 1 else "",
                "from_me": mine == 1,
                "date": _apple(date, situation),
                "text": said,
                "attachments": attachments,
            }
            yield Brought("imessage", "messages", _text(guid), without_empty(record))


def _query(db: sqlite3.Connection) -> str:
    """What is asked, with NULL for the columns that this version of Messages lacks."""
    columns_of(db, "handle", "id")
    columns_of(db, "chat_message_join", "chat_id", "message_id")
    there = {f"m.{each}" for each in columns_of(db, "message", "guid", "date", "handle_id")}
    there |= {f"c.{each}" for each in columns_of(db, "chat")}
    attached = _there(db, "message_attachment_join")
    names = (each for each in re.findall(r"%\(([mc]\.\w+)\)s", _MESSAGES))
    return _MESSAGES % {
        **{name: name if name in there else "NULL" for name in names},
        "a.many": "a.many" if attached else "NULL",
        "attached": _ATTACHED if attached else "",
        "kept": _KEPT if _there(db, "chat_recoverable_message_join") else "",
    }


def _there(db: sqlite3.Connection, table: str) -> bool:
    try:
        return bool(columns_of(db, table, "message_id"))
    except Fault:
        return False


def _members(db: sqlite3.Connection, chat: object) -> str:
    """Who is in a group, in an order that does not change."""
    try:
        columns_of(db, "chat_handle_join", "chat_id", "handle_id")
    except Fault:
        return ""
    rows = db.execute(
        "SELECT DISTINCT h.id FROM chat_handle_join j JOIN handle h ON h.ROWID = j.handle_id WHERE j.chat_id = ?"
        f" ORDER BY 1 LIMIT {_MOST_MEMBERS}",
        (chat,),
    )
    return ", ".join(filter(None, (_text(row[0]) for row in rows)))[:_LONGEST_NAME]


def _said(text: object) -> str:
    """A text without the signs that stand for attachments."""
    return _text(text, _LONGEST).replace("\ufffc", "").strip(" \n\t\ufffd")


def _string_in(blob: object) -> str:
    """The text of an attributed string as NSArchiver writes it: the first string in it, behind its length.

    The length is a byte, or behind 0x81 two bytes and behind 0x82 four, the low one first.
    """
    found = _STRING.search(blob) if isinstance(blob, bytes) else None
    if not found:
        return ""
    rest = found.string[found.end() : found.end() + 5 + 4 * _LONGEST]
    wide = {0x81: 2, 0x82: 4}.get(rest[0], 0) if rest else 0
    if not rest or (not wide and rest[0] > 0x7F):
        return ""
    length = int.from_bytes(rest[1 : 1 + wide] if wide else rest[:1], "little")
    return rest[1 + wide : 1 + wide + length].decode("utf-8", "replace")


def _apple(value: object, situation: Situation) -> str | None:
    """A moment since 2001, in nanoseconds as macOS keeps it since 10.13, or in seconds as before."""
    if not isinstance(value, int | float):
        return None
    return _when(value // 1000 if value > _NANOSECONDS else value * 1_000_000, _APPLE, situation)


def _looks_like_firefox(path: Path) -> bool:
    return _named(path, "places.sqlite") or has_tables(path, "moz_places")


def _looks_like_chrome(path: Path) -> bool:
    histories, bookmarks = (path, path / "History"), (path, path / "Bookmarks")
    return any(has_tables(each, "urls", "visits") for each in histories) or any(map(_is_bookmarks, bookmarks))


def _looks_like_imessage(path: Path) -> bool:
    return _named(path, "chat.db") or has_tables(path, "message", "handle", "chat")


def _named(path: Path, name: str) -> bool:
    """Whether it, or a file in it, is called so: one that may not be read yet is then told of, not passed over."""
    return (path / name).is_file() or (path.name == name and path.is_file())


FIREFOX = SimpleImporter(
    "firefox",
    "Firefox's history and bookmarks (places.sqlite or a profile's folder)",
    _looks_like_firefox,
    _read_firefox,
    mirrors=False,
)
CHROME = SimpleImporter(
    "chrome",
    "history and bookmarks of Chrome, Chromium, Edge or Brave (History, Bookmarks or a profile's folder)",
    _looks_like_chrome,
    _read_chrome,
    mirrors=False,
)
IMESSAGE = SimpleImporter(
    "imessage",
    "messages of a Mac (chat.db)",
    _looks_like_imessage,
    _read_imessage,
    mirrors=False,
)

"""History, bookmarks and messages from files as Firefox, Chrome and Messages keep them: in use, damaged, encrypted."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers import SimpleImporter, Situation, Unread, history_files
from camphor.device.importers.history import CHROME, FIREFOX, IMESSAGE
from camphor.errors import UsageError
from tests.doubles.plans import UNHURRIED

OSLO = Situation(datetime(2026, 5, 6, 9), tz.gettz("Europe/Oslo"))
WINTER, SUMMER = datetime(2026, 1, 2, 12, 0, 0, 123456, UTC), datetime(2026, 5, 1, 12, tzinfo=UTC)

FIREFOX_TABLES = """
CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, rev_host LONGVARCHAR,
    visit_count INTEGER DEFAULT 0, hidden INTEGER DEFAULT 0 NOT NULL, typed INTEGER DEFAULT 0 NOT NULL,
    frecency INTEGER DEFAULT -1 NOT NULL, last_visit_date INTEGER, guid TEXT, foreign_count INTEGER DEFAULT 0 NOT NULL,
    url_hash INTEGER DEFAULT 0 NOT NULL, description TEXT, preview_image_url TEXT, site_name TEXT, origin_id INTEGER);
CREATE INDEX moz_places_url_hashindex ON moz_places (url_hash);
CREATE UNIQUE INDEX moz_places_guid_uniqueindex ON moz_places (guid);
CREATE INDEX moz_places_lastvisitdateindex ON moz_places (last_visit_date);
CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, visit_date INTEGER,
    visit_type INTEGER, session INTEGER, source INTEGER DEFAULT 0 NOT NULL, triggeringPlaceId INTEGER);
CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER DEFAULT NULL, parent INTEGER,
    position INTEGER, title LONGVARCHAR, keyword_id INTEGER, folder_type TEXT, dateAdded INTEGER,
    lastModified INTEGER, guid TEXT, syncStatus INTEGER NOT NULL DEFAULT 0,
    syncChangeCounter INTEGER NOT NULL DEFAULT 1);
CREATE INDEX moz_bookmarks_itemindex ON moz_bookmarks (fk, type);
INSERT INTO moz_bookmarks (id, type, parent, title, guid) VALUES
    (1, 2, 0, '', 'root________'), (2, 2, 1, 'menu', 'menu________'), (3, 2, 1, 'toolbar', 'toolbar_____'),
    (4, 2, 1, 'tags', 'tags________'), (5, 2, 1, 'unfiled', 'unfiled_____'), (6, 2, 1, 'mobile', 'mobile______');
"""
CHROME_TABLES = """
CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR,
    visit_count INTEGER DEFAULT 0 NOT NULL, typed_count INTEGER DEFAULT 0 NOT NULL, last_visit_time INTEGER NOT NULL,
    hidden INTEGER DEFAULT 0 NOT NULL);
CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL, visit_time INTEGER NOT NULL,
    from_visit INTEGER, transition INTEGER DEFAULT 0 NOT NULL, segment_id INTEGER,
    visit_duration INTEGER DEFAULT 0 NOT NULL);
CREATE INDEX urls_url_index ON urls (url);
"""
MESSAGE_TABLES = """
CREATE TABLE handle (ROWID INTEGER PRIMARY KEY AUTOINCREMENT UNIQUE, id TEXT NOT NULL, country TEXT,
    service TEXT NOT NULL, uncanonicalized_id TEXT, person_centric_id TEXT, UNIQUE (id, service));
CREATE TABLE chat (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, style INTEGER, state INTEGER,
    account_id TEXT, properties BLOB, chat_identifier TEXT, service_name TEXT, room_name TEXT, account_login TEXT,
    is_archived INTEGER DEFAULT 0, last_addressed_handle TEXT, display_name TEXT, group_id TEXT);
CREATE TABLE message (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, text TEXT,
    replace INTEGER DEFAULT 0, service_center TEXT, handle_id INTEGER DEFAULT 0, subject TEXT, country TEXT,
    attributedBody BLOB, version INTEGER DEFAULT 0, type INTEGER DEFAULT 0, service TEXT, account TEXT,
    error INTEGER DEFAULT 0, date INTEGER, date_read INTEGER, is_from_me INTEGER DEFAULT 0,
    cache_has_attachments INTEGER DEFAULT 0, cache_roomnames TEXT, item_type INTEGER DEFAULT 0, group_title TEXT,
    associated_message_guid TEXT, associated_message_type INTEGER DEFAULT 0, balloon_bundle_id TEXT,
    payload_data BLOB);
CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, filename TEXT);
CREATE TABLE chat_handle_join (chat_id INTEGER REFERENCES chat (ROWID) ON DELETE CASCADE,
    handle_id INTEGER REFERENCES handle (ROWID) ON DELETE CASCADE, UNIQUE (chat_id, handle_id));
CREATE TABLE chat_message_join (chat_id INTEGER REFERENCES chat (ROWID) ON DELETE CASCADE,
    message_id INTEGER REFERENCES message (ROWID) ON DELETE CASCADE, message_date INTEGER DEFAULT 0,
    PRIMARY KEY (chat_id, message_id));
CREATE TABLE message_attachment_join (message_id INTEGER REFERENCES message (ROWID) ON DELETE CASCADE,
    attachment_id INTEGER REFERENCES attachment (ROWID) ON DELETE CASCADE, UNIQUE (message_id, attachment_id));
CREATE TABLE chat_recoverable_message_join (chat_id INTEGER REFERENCES chat (ROWID) ON DELETE CASCADE,
    message_id INTEGER REFERENCES message (ROWID) ON DELETE CASCADE, delete_date INTEGER,
    PRIMARY KEY (chat_id, message_id));
"""


def since(year: int, moment: datetime) -> int:
    return (moment - datetime(year, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def unix(moment: datetime) -> int:
    return since(1970, moment)


def windows(moment: datetime) -> int:
    return since(1601, moment)


def apple(moment: datetime) -> int:
    return 1000 * since(2001, moment)


def add(db: sqlite3.Connection, table: str, **fields: Any) -> None:
    marks = ", ".join("?" * len(fields))
    db.execute(f"INSERT INTO {table} ({', '.join(fields)}) VALUES ({marks})", tuple(fields.values()))


@contextmanager
def database(path: Path, tables: str) -> Iterator[sqlite3.Connection]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous=OFF")
        db.executescript(tables)
        yield db
        db.commit()


def read(importer: SimpleImporter, path: Path) -> tuple[dict[str, dict[str, object]], Unread]:
    unread = Unread()
    found = list(importer.read(path, OSLO, unread))
    assert len({each.key for each in found}) == len(found)
    return {each.key: dict(each.record) for each in found}, unread


def size(number: int) -> bytes:
    """A number as NSArchiver writes it."""
    if number < 128:
        return bytes([number])
    return b"\x81" + number.to_bytes(2, "little") if number < 1 << 15 else b"\x82" + number.to_bytes(4, "little")


def archived(text: str, mutable: bool = False) -> bytes:
    """A message's attributedBody, to the byte as macOS writes it (read back with pytypedstream)."""
    root, string, one = (b"\x95", b"\x98", b"\x9b") if mutable else (b"\x94", b"\x96", b"\x99")
    names = b"\x84\x84\x84\x12NSAttributedString\x00\x84\x84\x08NSObject\x00\x85\x92\x84\x84\x84\x08NSString\x01\x94"
    if mutable:
        names = (
            b"\x84\x84\x84\x19NSMutableAttributedString\x00\x84\x84\x12NSAttributedString\x00\x84\x84\x08NSObject\x00"
            b"\x85\x92\x84\x84\x84\x0fNSMutableString\x01\x84\x84\x08NSString\x01\x95"
        )
    raw = text.encode()
    return (
        b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@" + names + b"\x84\x01+" + size(len(raw)) + raw
        + b"\x86\x84\x02iI\x01" + size(len(text.encode("utf-16-le")) // 2) + b"\x92\x84\x84\x84\x0cNSDictionary\x00"
        + root + b"\x84\x01i\x01\x92\x84" + string + string + b"\x1d__kIMMessagePartAttributeName\x86\x92\x84\x84\x84"
        + b"\x08NSNumber\x00\x84\x84\x07NSValue\x00" + root + b"\x84\x01*\x84" + one + one + b"\x00\x86\x86\x86"
    )  # fmt: skip


def places(path: Path) -> Path:
    with database(path, FIREFOX_TABLES) as db:
        rows = [
            (1, "https://example.org/bread", "Brød og kaker", 3, 0, unix(WINTER)),
            (2, "https://example.org/reset?token=a1&lang=no", "Reset", 1, 0, unix(WINTER)),
            (3, "https://example.org/reset?lang=no&token=b2", "Reset now", 2, 0, unix(SUMMER)),
            (4, "https://frame.example/", None, 9, 1, unix(SUMMER)),
            (5, "about:config", "Advanced", 4, 0, unix(SUMMER)),
            (6, "https://never.example/", "Never seen", 0, 0, None),
            (7, "place:type=6&sort=14", "Recent", 0, 0, None),
            (8, None, None, 1, 0, unix(SUMMER)),
        ]
        for place in rows:
            fields = ("id", "url", "title", "visit_count", "hidden", "last_visit_date")
            add(db, "moz_places", **dict(zip(fields, place, strict=True)))
        add(db, "moz_bookmarks", id=10, type=2, parent=3, title="Recipes/sweet", guid="aaaaaaaaaaaa")
        add(db, "moz_bookmarks", id=11, type=2, parent=4, title="bread", guid="bbbbbbbbbbbb")
        add(db, "moz_bookmarks", id=12, type=3, parent=10, title="", guid="cccccccccccc")
        for number, (place, parent, title) in enumerate(
            [(1, 11, None), (1, 10, "Bread"), (1, 5, "Again"), (6, 5, "N")]
        ):
            add(db, "moz_bookmarks", id=20 + number, type=1, fk=place, parent=parent, title=title,
                dateAdded=unix(WINTER), guid=f"guid{number:08}")  # fmt: skip
        add(db, "moz_bookmarks", id=30, type=1, fk=7, parent=2, title="Recent", guid="dddddddddddd")
    return path


BREAD = {"title": "Brød og kaker", "url": "https://example.org/bread", "visited": "2026-01-02T13:00:00", "visits": 3}
PLACES = {
    "https://example.org/bread": BREAD,
    "https://example.org/reset?lang=no": {
        "title": "Reset now", "url": "https://example.org/reset?lang=no", "visited": "2026-05-01T14:00:00", "visits": 3,
    },
    "bookmark https://example.org/bread": {
        "title": "Bread", "url": "https://example.org/bread", "folder": "Bookmarks Toolbar/Recipes/sweet",
        "added": "2026-01-02T13:00:00",
    },
    "bookmark https://never.example/": {
        "title": "N", "url": "https://never.example/", "folder": "Other Bookmarks", "added": "2026-01-02T13:00:00",
    },
}  # fmt: skip


def chrome_history(path: Path) -> Path:
    with database(path, CHROME_TABLES) as db:
        add(db, "urls", url="https://example.org/bread", title="Brød og kaker", visit_count=3,
            last_visit_time=windows(WINTER))  # fmt: skip
        add(db, "urls", url="chrome://settings/", title="Settings", visit_count=3, last_visit_time=windows(SUMMER))
        add(db, "urls", url="https://hop.example/", visit_count=1, last_visit_time=windows(SUMMER), hidden=1)
        add(db, "urls", url="https://example.org/never", last_visit_time=0)
    return path


def marked(name: str, url: str) -> dict[str, str]:
    return {"date_added": str(windows(WINTER)), "date_last_used": "0", "guid": "0b5b9a1c-7f0e-4b7a-9d52-6a1f2a3b4c5d",
            "id": "7", "name": name, "type": "url", "url": url}  # fmt: skip


def folder(name: str, *children: object) -> dict[str, object]:
    return {"children": list(children), "date_added": "1", "date_modified": "0", "id": "1", "name": name,
            "type": "folder"}  # fmt: skip


def chrome_bookmarks(path: Path, *more: object) -> Path:
    roots = {
        "bookmark_bar": folder("Bokmerkelinje", folder("Oppskrifter", marked("Brød", "https://example.org/bread"))),
        "other": folder("Andre", marked("Again", "https://example.org/bread"), marked("JS", "javascript:x()"), *more),
        "synced": folder("Mobil", marked("パン", "https://ann:pw@example.jp/?token=1")),
        "trash": folder("Trash", marked("Gone", "https://gone.example/")),
        "sync_transaction_version": "1",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    held = {"checksum": "0" * 32, "roots": roots, "sync_metadata": "xyz", "version": 1}
    path.write_bytes(json.dumps(held, indent=3, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return path


MARKED = {
    "bookmark https://example.org/bread": {
        "title": "Brød", "url": "https://example.org/bread", "folder": "Bokmerkelinje/Oppskrifter",
        "added": "2026-01-02T13:00:00",
    },
    "bookmark https://example.jp/": {
        "title": "パン", "url": "https://example.jp/", "folder": "Mobil", "added": "2026-01-02T13:00:00",
    },
}  # fmt: skip


def said(db: sqlite3.Connection, row: int, text: str | None, chat: int | None, **more: Any) -> None:
    add(db, "message", **{"ROWID": row, "guid": f"GUID-{row}", "text": text, "date": apple(WINTER), **more})
    if chat:
        add(db, "chat_message_join", chat_id=chat, message_id=row)


@contextmanager
def messages(path: Path) -> Iterator[sqlite3.Connection]:
    """A chat.db with Ann alone (1), a group with a name (2) and one without (3)."""
    with database(path, MESSAGE_TABLES) as db:
        for row, name in enumerate(["+4790000001", "bo@example.org", "+4790000003"], 1):
            add(db, "handle", ROWID=row, id=name, service="iMessage")
        add(db, "chat", ROWID=1, guid="iMessage;-;+4790000001", style=45, chat_identifier="+4790000001")
        add(db, "chat", ROWID=2, guid="iMessage;+;chat1", style=43, chat_identifier="chat1", room_name="chat1",
            display_name="Turgjengen 🏔")  # fmt: skip
        add(db, "chat", ROWID=3, guid="iMessage;+;chat2", style=43, chat_identifier="chat2", room_name="chat2",
            display_name="")  # fmt: skip
        for chat, handle in [(1, 1), (2, 1), (2, 2), (3, 3), (3, 2)]:
            add(db, "chat_handle_join", chat_id=chat, handle_id=handle)
        yield db


def test_firefox_gives_a_page_an_address_and_bookmarks_with_folders(tmp_path: Path) -> None:
    places(tmp_path / "ab12.default-release" / "places.sqlite")
    for path in (tmp_path / "ab12.default-release", tmp_path / "ab12.default-release" / "places.sqlite"):
        assert FIREFOX.recognises(path)
        found, unread = read(FIREFOX, path)
        assert found == PLACES
        assert unread.count == 0


def test_reading_again_after_a_visit_changes_that_page_alone(tmp_path: Path) -> None:
    path = places(tmp_path / "places.sqlite")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE moz_places SET visit_count=4, last_visit_date=? WHERE id=1", (unix(SUMMER),))
        db.execute("DELETE FROM moz_places WHERE id=2")
    found, _ = read(FIREFOX, path)
    assert list(found) == list(PLACES)
    assert found["https://example.org/bread"] == BREAD | {"visited": "2026-05-01T14:00:00", "visits": 4}
    assert found["https://example.org/reset?lang=no"]["visits"] == 2


def test_a_firefox_of_before_has_fewer_columns_and_tags_by_name(tmp_path: Path) -> None:
    path = tmp_path / "places.sqlite"
    tables = """
        CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, visit_count INTEGER);
        CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER, parent INTEGER, title TEXT);
        INSERT INTO moz_bookmarks VALUES (1, 2, NULL, 0, ''), (2, 2, NULL, 1, 'Lesezeichen-Menü'),
            (3, 2, NULL, 1, 'Tags'), (4, 2, NULL, 3, 'brot'), (5, 1, 1, 4, NULL), (6, 1, 1, 2, 'Brot');
        INSERT INTO moz_places VALUES (1, 'http://example.de/brot', 'Brot', 2);
    """
    with database(path, tables):
        pass
    assert read(FIREFOX, path)[0] == {
        "http://example.de/brot": {"title": "Brot", "url": "http://example.de/brot", "visits": 2},
        "bookmark http://example.de/brot": {
            "title": "Brot", "url": "http://example.de/brot", "folder": "Lesezeichen-Menü",
        },
    }  # fmt: skip


def test_folders_that_hold_each_other_end(tmp_path: Path) -> None:
    path = places(tmp_path / "places.sqlite")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE moz_bookmarks SET parent=10 WHERE id IN (3, 10)")
    found, _ = read(FIREFOX, path)
    assert str(found["bookmark https://example.org/bread"]["folder"]).startswith("Recipes/sweet/Recipes/sweet")


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_texts_are_read_in_any_encoding_and_odd_values_are_left_out(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "places.sqlite"
    with database(path, f"PRAGMA encoding='{encoding}';" + FIREFOX_TABLES) as db:
        values = [
            ("https://example.org/å", "Blåbær", 1, unix(SUMMER)),
            ("https://example.org/odd", b"\xff\x00", "many", "yesterday"),
            ("https://example.org/future", "x" * 5000, 2**62, 2**62),
            (b"https://example.org/blob", "Blob", 1, -5),
            ("https://example.org/" + "x" * 5000, "Long", 1, 1),
        ]
        for url, title, visits, at in values:
            add(db, "moz_places", url=url, title=title, visit_count=visits, last_visit_date=at)
        if encoding == "UTF-8":
            db.execute("INSERT INTO moz_places (url, title, visit_count) VALUES"
                       " (CAST(x'68747470733a2f2f612e62632fff' AS TEXT), CAST(x'61ff62' AS TEXT), 1)")  # fmt: skip
    found, unread = read(FIREFOX, path)
    assert found["https://example.org/å"]["title"] == "Blåbær"
    assert found["https://example.org/odd"] == {"url": "https://example.org/odd"}
    assert len(str(found["https://example.org/future"]["title"])) == 1000
    assert "visited" not in found["https://example.org/future"]
    assert unread.told == ["moz_places: an address of more than 4096 characters"]
    assert encoding != "UTF-8" or found["https://a.bc/\ufffd"]["title"] == "a\ufffdb"


def test_chrome_gives_history_and_bookmarks_of_a_profile_or_of_one_file(tmp_path: Path) -> None:
    history, bookmarks = chrome_history(tmp_path / "Default/History"), chrome_bookmarks(tmp_path / "Default/Bookmarks")
    pages = {"https://example.org/bread": BREAD}
    for path, wanted in [(tmp_path / "Default", pages | MARKED), (history, pages), (bookmarks, MARKED)]:
        assert CHROME.recognises(path)
        found, unread = read(CHROME, path)
        assert found == wanted
        assert unread.count == 0
    assert not CHROME.recognises(tmp_path)


def test_bookmarks_of_an_account_are_read_too_and_entries_that_are_none_told(tmp_path: Path) -> None:
    chrome_bookmarks(tmp_path / "Bookmarks", 7, {"type": "url"}, marked("\ud800", "https://half.example/\ud800"))
    (tmp_path / "AccountBookmarks").write_text(
        json.dumps({"roots": {"bookmark_bar": folder("Bar", marked("Acc", "https://account.example/"))}})
    )
    found, unread = read(CHROME, tmp_path)
    assert found["bookmark https://account.example/"]["folder"] == "Bar"
    assert found["bookmark https://half.example/\ufffd"]["title"] == "\ufffd"
    assert unread.told == ["Bookmarks: an entry that is neither a bookmark nor a folder"] * 2


def test_one_part_that_is_broken_does_not_hide_the_other(tmp_path: Path) -> None:
    chrome_history(tmp_path / "History")
    (tmp_path / "Bookmarks").write_text('{"roots": {"children": [')
    found, unread = read(CHROME, tmp_path)
    assert found == {"https://example.org/bread": BREAD}
    assert unread.told == [
        "Bookmarks: it is no file of bookmarks: give the profile's folder, which chrome://version tells"
    ]
    (tmp_path / "History").write_bytes(b"x" * 5000)
    chrome_bookmarks(tmp_path / "Bookmarks")
    found, unread = read(CHROME, tmp_path)
    assert found == MARKED
    assert unread.told[0].startswith("History: it is no SQLite database, or an encrypted one")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"roots": 3}', "[" * 100_000, "1" * 5000, "\ud800"])
def test_what_is_no_file_of_bookmarks_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "Bookmarks").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError, match="no file of bookmarks"):
        read(CHROME, tmp_path / "Bookmarks")


def test_messages_have_who_when_and_what(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with messages(path) as db:
        said(db, 1, "Hei på deg", 1, handle_id=1)
        said(db, 2, "God sommer", 1, handle_id=0, is_from_me=1, date=apple(SUMMER))
        said(db, 3, "Lørdag?", 2, handle_id=2)
        said(db, 4, "Ja", 2, is_from_me=1)
        said(db, 5, "Kaffe", 3, handle_id=3)
        said(db, 6, "Uten samtale", None, handle_id=2)
        said(db, 7, "Gammel", 1, handle_id=1, date=apple(WINTER) // 10**9)
        said(db, 8, "Udatert", 1, handle_id=1, date=0)
    assert IMESSAGE.recognises(path)
    assert IMESSAGE.recognises(tmp_path)
    found, unread = read(IMESSAGE, tmp_path)
    winter, group = "2026-01-02T13:00:00", "Turgjengen 🏔"
    them = "+4790000003, bo@example.org"
    assert found == {
        "GUID-1": {"contact": "+4790000001", "from_me": False, "date": winter, "text": "Hei på deg"},
        "GUID-2": {"contact": "+4790000001", "from_me": True, "date": "2026-05-01T14:00:00", "text": "God sommer"},
        "GUID-3": {"contact": group, "group": group, "sender": "bo@example.org", "from_me": False, "date": winter,
                   "text": "Lørdag?"},
        "GUID-4": {"contact": group, "group": group, "from_me": True, "date": winter, "text": "Ja"},
        "GUID-5": {"contact": them, "group": them, "sender": "+4790000003", "from_me": False, "date": winter,
                   "text": "Kaffe"},
        "GUID-6": {"contact": "bo@example.org", "from_me": False, "date": winter, "text": "Uten samtale"},
        "GUID-7": {"contact": "+4790000001", "from_me": False, "date": winter, "text": "Gammel"},
        "GUID-8": {"contact": "+4790000001", "from_me": False, "text": "Udatert"},
    }  # fmt: skip
    assert unread.count == 0


TEXTS = ["Hei på deg", "x" * 127, "x" * 128, "日本語🎉\nlinje", "NSString\x01\x84\x01+", "ø" * 30_000]


@pytest.mark.parametrize("mutable", [False, True])
def test_a_text_that_is_only_in_the_attributed_body_is_found(tmp_path: Path, mutable: bool) -> None:
    with messages(tmp_path / "chat.db") as db:
        for row, text in enumerate(TEXTS, 1):
            said(db, row, None, 1, handle_id=1, attributedBody=archived(text, mutable))
        said(db, 90, "as text", 1, handle_id=1, attributedBody=archived("not this", mutable))
    found, _ = read(IMESSAGE, tmp_path)
    assert [each["text"] for each in found.values()] == [*TEXTS, "as text"]


def test_attachments_are_counted_and_reactions_what_was_deleted_and_what_says_nothing_left_out(tmp_path: Path) -> None:
    with messages(tmp_path / "chat.db") as db:
        for row in (1, 2, 3):
            add(db, "attachment", ROWID=row, guid=f"A{row}", filename="~/Library/Messages/Attachments/x.heic")
        said(db, 1, "\ufffc\ufffcSe her", 1, handle_id=1)
        said(db, 2, None, 1, handle_id=1, attributedBody=archived("\ufffc"))
        for message, attachment in [(1, 1), (1, 2), (2, 3)]:
            add(db, "message_attachment_join", message_id=message, attachment_id=attachment)
        said(
            db, 3, "Likte «Se her»", 1, handle_id=1, associated_message_type=2001, associated_message_guid="p:0/GUID-1"
        )
        said(db, 4, None, 2, item_type=2, group_title="Turgjengen")
        said(db, 5, "Angret", None, handle_id=1)
        add(db, "chat_recoverable_message_join", chat_id=1, message_id=5, delete_date=1)
    found, unread = read(IMESSAGE, tmp_path)
    assert {key: (each.get("text"), each.get("attachments")) for key, each in found.items()} == {
        "GUID-1": ("Se her", 2),
        "GUID-2": (None, 1),
    }
    assert unread.count == 0


def test_an_old_phone_has_fewer_columns_and_no_guid_is_told_by_its_row(tmp_path: Path) -> None:
    path = tmp_path / "3d0d7e5fb2ce288813306e4d4636395e047a3d28"
    tables = """
        CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT); CREATE TABLE chat (ROWID INTEGER PRIMARY KEY);
        CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER);
        CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, date INTEGER, handle_id INTEGER, text TEXT);
        INSERT INTO handle VALUES (1, '+4790000001'); INSERT INTO chat VALUES (1), (2);
        INSERT INTO chat_message_join VALUES (2, 1), (1, 1);
        INSERT INTO message VALUES (1, 'G', 400000000, 1, 'Hei'), (2, NULL, 1, 1, 'Hei');
    """
    with database(path, tables):
        pass
    assert IMESSAGE.recognises(path)
    found, unread = read(IMESSAGE, path)
    assert found == {"G": {"contact": "+4790000001", "from_me": False, "date": "2013-09-04T17:06:40", "text": "Hei"}}
    assert unread.told == ["message 2: it has no guid"]


@given(st.binary(max_size=200), st.integers(0, 400))
@UNHURRIED
def test_a_damaged_attributed_body_is_no_text_or_another(tmp_path_factory: Any, tail: bytes, end: int) -> None:
    folder_ = tmp_path_factory.mktemp("messages")
    with messages(folder_ / "chat.db") as db:
        said(db, 1, None, 1, attributedBody=archived("Hei " * 40)[:end] + tail)
    found, _ = read(IMESSAGE, folder_)
    assert len(found) <= 1


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which copies are made."""
    made = tmp_path / "copies"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


def untouched(folder_: Path) -> dict[str, tuple[bytes, int]]:
    return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in sorted(folder_.iterdir())}


def test_rows_that_are_only_in_the_log_are_read_and_nothing_is_written(tmp_path: Path, copies: Path) -> None:
    path = places(tmp_path / "profile" / "places.sqlite")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA wal_autocheckpoint=0")
        add(db, "moz_places", url="https://new.example/", title="New", visit_count=1, last_visit_date=unix(SUMMER))
        db.commit()
        before = untouched(path.parent)
        assert b"new.example" not in before["places.sqlite"][0]
        found, _ = read(FIREFOX, path)
        assert found["https://new.example/"]["title"] == "New"
        assert len(found) == len(PLACES) + 1
        assert untouched(path.parent) == before
    assert not list(copies.iterdir())


def test_a_database_whose_tables_are_only_in_the_log_is_read_by_its_name(tmp_path: Path, copies: Path) -> None:
    path = tmp_path / "m" / "chat.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.executescript(MESSAGE_TABLES)
        said(db, 1, "Hei", None)
        db.commit()
        link = tmp_path / "link.db"
        link.symlink_to(path)
        assert IMESSAGE.recognises(path)
        assert list(read(IMESSAGE, path)[0]) == ["GUID-1"]
        assert list(read(IMESSAGE, link)[0]) == ["GUID-1"]
    assert not list(copies.iterdir())


HOLDS = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA locking_mode=EXCLUSIVE")
db.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_file_that_its_program_keeps_locked_is_read(tmp_path: Path, copies: Path) -> None:
    path = chrome_history(tmp_path / "Default" / "History")
    with subprocess.Popen([sys.executable, "-c", HOLDS, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline().strip() == b"held"
        try:
            assert CHROME.recognises(path.parent)
            assert read(CHROME, path.parent)[0] == {"https://example.org/bread": BREAD}
        finally:
            holder.communicate()
    assert not list(copies.iterdir())


def test_a_change_that_was_cut_off_is_undone_in_the_copy_alone(tmp_path: Path, copies: Path) -> None:
    path = chrome_history(tmp_path / "History")
    cut = tmp_path / "cut"
    cut.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size=1")
        db.execute("BEGIN")
        db.execute("UPDATE urls SET title='half done'")
        for number in range(500):
            add(db, "urls", url=f"https://half.example/{number}", title="x" * 500, last_visit_time=1)
        for name in ("History", "History-journal"):
            (cut / name).write_bytes((tmp_path / name).read_bytes())
        db.execute("ROLLBACK")
    before = untouched(cut)
    assert b"half.example" in before["History"][0]
    assert read(CHROME, cut)[0] == {"https://example.org/bread": BREAD}
    assert untouched(cut) == before
    assert not list(copies.iterdir())


def test_the_copy_goes_when_reading_stops_or_fails(tmp_path: Path, copies: Path) -> None:
    path = places(tmp_path / "places.sqlite")
    tmp_path.joinpath("places.sqlite-wal").touch()
    records = FIREFOX.read(path, OSLO, Unread())
    next(records)
    assert not [each for each in copies.rglob("*") if each.is_file()], "it has no name while it is read"
    records.close()
    assert not list(copies.iterdir())
    path.write_bytes(path.read_bytes()[:100] + random.Random(1).randbytes(4000))
    with pytest.raises(UsageError):
        read(FIREFOX, path)
    assert not list(copies.iterdir())


def test_a_copy_is_for_its_owner_alone_and_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = places(tmp_path / "places.sqlite")
    path.chmod(0o644)
    log = tmp_path / "places.sqlite-wal"
    log.write_bytes(b"log")
    old = os.umask(0)
    try:
        history_files._copy(path, tmp_path / "copy")
    finally:
        os.umask(old)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("copy", "copy-wal")] == [0o600, 0o600]
    sizes = iter(range(100))
    monkeypatch.setattr(history_files, "_state", lambda _: next(sizes))
    monkeypatch.setattr(history_files, "_PAUSE", 0)
    with pytest.raises(history_files.Fault, match="writing to it all the time"):
        history_files._copy(path, tmp_path / "copy")


def test_an_encrypted_file_a_missing_table_and_a_view_are_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "places.sqlite"
    path.write_bytes(random.Random(7).randbytes(8192))  # SQLCipher's look like this
    assert FIREFOX.recognises(path)
    with pytest.raises(UsageError, match=r"places\.sqlite: it is no SQLite database, or an encrypted one"):
        read(FIREFOX, path)
    path.write_bytes(b"")
    with pytest.raises(UsageError, match="it has no table moz_places: give the file"):
        read(FIREFOX, path)
    endless = "CREATE VIEW moz_places AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id FROM n) SELECT * FROM n"
    path.unlink()
    with database(path, endless):
        pass
    with pytest.raises(UsageError, match="it has no table moz_places"):
        read(FIREFOX, path)
    chrome_history(tmp_path / "other.db")
    for importer, table in ((FIREFOX, "moz_places"), (IMESSAGE, "handle")):
        assert not importer.recognises(tmp_path / "other.db")
        with pytest.raises(UsageError, match=f"it has no table {table}"):
            read(importer, tmp_path / "other.db")


def test_a_table_without_a_needed_column_is_told(tmp_path: Path) -> None:
    with database(tmp_path / "History", "CREATE TABLE urls (id INTEGER); CREATE TABLE visits (id INTEGER)"):
        pass
    with pytest.raises(UsageError, match="its table urls has no column url"):
        read(CHROME, tmp_path / "History")


@pytest.mark.parametrize("importer", [FIREFOX, CHROME, IMESSAGE])
def test_an_empty_folder_and_what_is_not_there_are_told(tmp_path: Path, importer: SimpleImporter) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        assert not importer.recognises(path)
        with pytest.raises(UsageError):
            read(importer, path)
    assert not importer.mirrors


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told_with_what_to_do(tmp_path: Path) -> None:
    with messages(tmp_path / "chat.db"):
        pass
    (tmp_path / "chat.db").chmod(0)
    assert IMESSAGE.recognises(tmp_path)
    with pytest.raises(UsageError, match="Full Disk Access"):
        read(IMESSAGE, tmp_path)


def test_what_stands_before_the_damage_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with messages(path) as db:
        for row in range(1, 2001):
            said(db, row, f"Melding {row} " + "x" * 200, None, handle_id=1)
    content = bytearray(path.read_bytes())
    half = content.index(b"Melding 1900 ") // 4096 * 4096
    content[half : half + 4096] = b"\xee" * 4096
    path.write_bytes(content)
    found, unread = read(IMESSAGE, path)
    assert 1500 < len(found) < 1900
    assert unread.told == ["chat.db: it is damaged: give a copy from a backup"]


GOOD: dict[str, tuple[SimpleImporter, Any]] = {
    "places.sqlite": (FIREFOX, places),
    "History": (CHROME, chrome_history),
    "Bookmarks": (CHROME, chrome_bookmarks),
    "chat.db": (IMESSAGE, lambda path: _told(path)),
}


def _told(path: Path) -> None:
    with messages(path) as db:
        for row in range(1, 60):
            said(db, row, f"Melding {row}" if row % 2 else None, row % 4, handle_id=1, attributedBody=archived("Hei"))


def _sound(importer: SimpleImporter, path: Path) -> None:
    importer.recognises(path)
    with suppress(UsageError):
        for each in importer.read(path, OSLO, Unread()):
            json.dumps(each.record, ensure_ascii=False).encode()


@UNHURRIED
@given(st.sampled_from(sorted(GOOD)), st.binary(max_size=300), st.booleans())
def test_any_bytes_are_read_or_told(tmp_path_factory: Any, name: str, content: bytes, begun: bool) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes((b"SQLite format 3\0" if begun else b"") + content)
    path.with_name(name + "-wal").write_bytes(content)
    _sound(GOOD[name][0], path)


@UNHURRIED
@given(st.sampled_from(sorted(GOOD)), st.randoms(use_true_random=False), st.integers(0, 40), st.booleans())
def test_any_damage_is_read_or_told(
    tmp_path_factory: Any, name: str, chance: random.Random, hits: int, cut: bool
) -> None:
    path = tmp_path_factory.mktemp("damaged") / name
    GOOD[name][1](path)
    content = bytearray(path.read_bytes())
    for _ in range(hits):
        start = chance.randrange(len(content))
        content[start : start + chance.choice((1, 2, 100))] = chance.randbytes(chance.choice((1, 2, 100)))
    path.write_bytes(content[: chance.randrange(len(content))] if cut else content)
    _sound(GOOD[name][0], path)

"""Conversations on one phone, as they happened: a file of their own beside the phone's store.

Each is a list of numbered events, written before anybody is shown them, so that a page that was closed, a connection
that broke or a server that was killed loses none. What is deleted is written over with zeros.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from camphor.device.database import Database, erase_database
from camphor.errors import StoreError

SUFFIX = ".talks"
VERSION = 2
LONGEST_TITLE = 80  # characters
_APPLICATION_ID = 0x63616D74  # "camt"
_ABOUT = "about TEXT NOT NULL DEFAULT ''"  # since version 2
_TABLES = (
    "CREATE TABLE IF NOT EXISTS talks (id TEXT PRIMARY KEY, title TEXT NOT NULL, begun TEXT NOT NULL,"
    f" {_ABOUT}) STRICT",
    """
CREATE TABLE IF NOT EXISTS events (
    talk TEXT NOT NULL REFERENCES talks (id) ON DELETE CASCADE,
    number INTEGER NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (talk, number)
) STRICT, WITHOUT ROWID
""",
)


@dataclass(frozen=True)
class Happened:
    """One event: its number in the conversation, from 1, when it was written, its kind and what it holds."""

    number: int
    at: str
    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Talk:
    """A conversation, without its events; `title` is the beginning of what was asked first."""

    id: str
    title: str
    begun: str
    events: int


def talks_file(store: Path | None) -> Path | None:
    """Where the conversations on a phone are kept: beside its store; nowhere for a phone in memory."""
    return store.with_name(f"{store.name}{SUFFIX}") if store else None


def forget_talks(store: Path) -> None:
    """Erase the conversations on a phone. Raises StoreError: they cannot be deleted."""
    path = store.with_name(f"{store.name}{SUFFIX}")
    try:
        erase_database(path)
    except OSError as error:
        raise StoreError(f"{path}: it cannot be deleted ({error.strerror}): delete it and try again") from error


class Talks(Database):
    """The conversations on a phone. Safe to use from several threads; several processes may hold one file.

    Raises:
        StoreError: the file cannot be read or written, by any method too.
    """

    expected = "conversations of a phone"

    def __init__(self, path: Path | None) -> None:
        if path:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # nobody else's to read
        super().__init__(path, "conversations in memory")
        self._make_lasting()
        with self.transaction():
            for table in _TABLES:
                self.run(table)
            if not any(row[1] == "about" for row in self.rows("PRAGMA table_info(talks)")):
                self.run(f"ALTER TABLE talks ADD COLUMN {_ABOUT}")
            self.run(f"PRAGMA application_id={_APPLICATION_ID}")
            self.run(f"PRAGMA user_version={VERSION}")

    def begin(self, about: str = "") -> Talk:
        """A new conversation, without a word yet; `about`: what it is for, where it is no chat."""
        talk = Talk(uuid.uuid4().hex, "", _now(), 0)
        row = talk.id, talk.title, talk.begun, about
        self.run("INSERT INTO talks (id, title, begun, about) VALUES (?, ?, ?, ?)", row)
        return talk

    def all(self, about: str = "") -> list[Talk]:
        """All conversations for that, the newest first."""
        rows = self.rows(f"{_TALKS} WHERE about=? GROUP BY id ORDER BY begun DESC, talks.rowid DESC", (about,))
        return [Talk(*row) for row in rows]

    def get(self, talk: str) -> Talk | None:
        """The chat of that id; None where there is none."""
        rows = self.rows(f"{_TALKS} WHERE id=? AND about='' GROUP BY id", (talk,))
        return Talk(*rows[0]) if rows else None

    def add(self, talk: str, kind: str, data: Mapping[str, Any]) -> Happened:
        """Write down what happened. Raises KeyError: there is no such conversation (any more)."""
        at, text = _now(), json.dumps(data, default=str)
        with self.transaction():
            if not self.rows("SELECT 1 FROM talks WHERE id=?", (talk,)):
                raise KeyError(talk)
            number = (self.value("SELECT max(number) FROM events WHERE talk=?", (talk,)) or 0) + 1
            self.run("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (talk, number, at, kind, text))
            if kind == "asked":
                title = str(data.get("query", ""))[:LONGEST_TITLE]
                self.run("UPDATE talks SET title=? WHERE id=? AND title=''", (title, talk))
        return Happened(number, at, kind, json.loads(text))

    def events(self, talk: str, after: int = 0) -> list[Happened]:
        """What happened in a conversation after the event of that number, in order."""
        rows = self.rows(
            "SELECT number, at, kind, data FROM events WHERE talk=? AND number>? ORDER BY number", (talk, after)
        )
        return [Happened(number, at, kind, json.loads(data)) for number, at, kind, data in rows]

    def find(self, talk: str, kind: str, name: str, value: str) -> int | None:
        """The number of the first event of a kind that holds that value under that name; None where there is none."""
        number: int | None = self.value(
            "SELECT min(number) FROM events WHERE talk=? AND kind=? AND json_extract(data, ?)=?",
            (talk, kind, f'$."{name}"', value),
        )
        return number

    def delete(self, talk: str) -> bool:
        """Forget a conversation; False where there is none."""
        with self._lock:
            gone = self.run("DELETE FROM talks WHERE id=?", (talk,)) > 0
            self.rows("PRAGMA wal_checkpoint(TRUNCATE)")  # what is gone is in no log either
        return gone


_TALKS = "SELECT id, title, begun, coalesce(max(number), 0) FROM talks LEFT JOIN events ON events.talk = talks.id"


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="milliseconds")

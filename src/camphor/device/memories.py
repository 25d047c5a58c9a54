"""What the assistant remembers of its person: facts, preferences and episodes, each with where it came from.

They lie beside the records in the device's store, so that each device has its own and none is in an exported device
file. Only what the person said is ever added. What is forgotten is deleted: the table is written anew without it,
SQLite writes zeros over the old pages (`secure_delete`), and the log of changes is emptied, so that its words are in
no file of the device any more. Freed blocks of the disk, backups and copies of the file are beyond reach. A forgotten
memory leaves its number and the time.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from camphor.device.store import Store, dump
from camphor.device.usage_events import ItemRef

MOST_EPISODES = 2000  # older ones go: what was done stays in the journal
_LAST_WRITTEN = 8  # records of a list among which the one that was just written is sought

_SCHEMA = """
CREATE TABLE IF NOT EXISTS memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, state TEXT NOT NULL, text TEXT NOT NULL,
    subject TEXT NOT NULL, attribute TEXT NOT NULL, value TEXT NOT NULL, single INTEGER NOT NULL,
    quote TEXT NOT NULL, conversation TEXT NOT NULL, turn INTEGER NOT NULL, at TEXT NOT NULL,
    items TEXT NOT NULL, uses INTEGER NOT NULL DEFAULT 0, used TEXT NOT NULL DEFAULT '',
    relation TEXT NOT NULL DEFAULT '', until TEXT NOT NULL DEFAULT ''
)
"""
_LATER = ("relation", "until")
"""Columns that phones of earlier versions lack until something is kept on them."""
_SETTINGS = "CREATE TABLE IF NOT EXISTS memory_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
_COLUMNS = 17
_GIVEN = "kind, state, text, subject, attribute, value, single, quote, conversation, turn, at, items, relation, until"


class MemoryKind(StrEnum):
    FACT = "fact"
    PREFERENCE = "preference"
    EPISODE = "episode"
    """What was done in a turn of a conversation."""


_EPISODE = MemoryKind.EPISODE


class MemoryState(StrEnum):
    CONFIRMED = "confirmed"
    UNSURE = "unsure"
    """It contradicts another one, and the person has not said yet which holds."""
    SUPERSEDED = "superseded"
    """It holds no longer: a newer one does, or the person said that it has ended."""
    FORGOTTEN = "forgotten"
    """Its words are deleted; only that there was one is left."""


@dataclass(frozen=True)
class MemoryOrigin:
    """Where a memory came from: the person's own words, in which turn of which conversation, and when.

    `at` is the device's clock, ISO 8601; `conversation` is "" for what was not said in one.
    """

    quote: str
    at: str
    conversation: str = ""
    turn: int = 0


@dataclass(frozen=True)
class Memory:
    """One thing remembered.

    `subject` ("me", or a folded name) and `attribute` ("dentist") say what it is about; `single`: one value at a time
    can hold. `items` are the records that it speaks of. `uses` counts how often it served, last at `used`. `relation`
    is of what kind it is ("travel", "health"), "" where nobody said; `until`: the last day on which it holds, ISO 8601.
    """

    id: int
    kind: MemoryKind
    state: MemoryState
    text: str
    subject: str
    attribute: str
    value: str
    single: bool
    origin: MemoryOrigin
    items: tuple[ItemRef, ...] = ()
    uses: int = 0
    used: str = ""
    relation: str = ""
    until: str = ""

    def holds_on(self, day: date) -> bool:
        """Whether its time is not over."""
        return not self.until or self.until >= day.isoformat()

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind.value,
            "state": self.state.value,
            "text": self.text,
            "subject": self.subject,
            "attribute": self.attribute,
            "value": self.value,
            "origin": {
                "quote": self.origin.quote,
                "conversation": self.origin.conversation,
                "turn": self.origin.turn,
                "at": self.origin.at,
            },
            "items": [{"app": item.app, "list": item.list, "item": item.ordinal} for item in self.items],
            "uses": self.uses,
            "used": self.used,
            "relation": self.relation,
            "until": self.until,
        }


class Memories:
    """The memories of one device. Their tables are made when the first one is kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # for this connection: whatever is deleted or moved is written over with zeros
        store.rows("PRAGMA secure_delete=ON")

    # keeping

    def add(
        self,
        kind: MemoryKind,
        text: str,
        origin: MemoryOrigin,
        *,
        subject: str = "",
        attribute: str = "",
        value: str = "",
        single: bool = False,
        state: MemoryState = MemoryState.CONFIRMED,
        items: Sequence[ItemRef] = (),
        relation: str = "",
        until: str = "",
    ) -> Memory:
        """Keep one; it lasts from here on. Raises: StoreError."""
        told = origin.quote, origin.conversation, origin.turn, origin.at
        about = kind, state, text, subject, attribute, value, int(single)
        row = *about, *told, dump([_packed(ref) for ref in items]), relation, until
        with self._store.transaction():
            self._store.run(_SCHEMA)
            there = {str(column[1]) for column in self._store.rows("PRAGMA table_info(memories)")}
            for column in (each for each in _LATER if each not in there):
                self._store.run(f"ALTER TABLE memories ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
            number = self._store.insert(f"INSERT INTO memories ({_GIVEN}) VALUES ({', '.join('?' * len(row))})", row)
            if kind is MemoryKind.EPISODE:
                self._thin()
        return Memory(
            number, kind, state, text, subject, attribute, value, single, origin, tuple(items),
            relation=relation, until=until,
        )  # fmt: skip

    def _thin(self) -> None:
        self._store.run(
            "DELETE FROM memories WHERE kind=?1 AND id <= (SELECT id FROM memories WHERE kind=?1"
            " ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            (MemoryKind.EPISODE, MOST_EPISODES),
        )

    def confirm(self, number: int, instead_of: Iterable[int] = ()) -> None:
        """From now on this one holds, and those are superseded by it. Raises: StoreError."""
        with self._store.transaction():
            for other in instead_of:
                self._set_state(other, MemoryState.SUPERSEDED)
            self._set_state(number, MemoryState.CONFIRMED)

    def end(self, number: int) -> None:
        """From now on it holds no longer. Raises: StoreError."""
        with self._store.transaction():
            self._set_state(number, MemoryState.SUPERSEDED)

    def _set_state(self, number: int, state: MemoryState) -> None:
        self._store.run("UPDATE memories SET state=? WHERE id=? AND state<>?", (state, number, MemoryState.FORGOTTEN))

    def use(self, numbers: Iterable[int], at: datetime) -> None:
        """Note that these served. Raises: StoreError."""
        when = at.isoformat(timespec="seconds")
        self._store.run_many(
            "UPDATE memories SET uses = uses + 1, used = ? WHERE id = ?", ((when, number) for number in numbers)
        )

    # reading

    def all(self, states: Collection[MemoryState] = (MemoryState.CONFIRMED,), *, episodes: bool = True) -> list[Memory]:
        """Those in one of the states, oldest first, with the episodes or without. Raises: StoreError."""
        found = self._select("ORDER BY id") if episodes else self._select("WHERE kind<>? ORDER BY id", _EPISODE)
        return [memory for memory in found if memory.state in states]

    def get(self, number: int) -> Memory | None:
        """The memory of that number, in whatever state; None if there never was one. Raises: StoreError."""
        return next(iter(self._select("WHERE id=?", number)), None)

    def _select(self, clause: str, *parameters: Any) -> list[Memory]:
        if not self._there("memories"):
            return []
        return [_memory(row) for row in self._store.rows(f"SELECT * FROM memories {clause}", parameters)]

    def _there(self, table: str) -> bool:
        return bool(self._store.value("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", (table,)))

    # forgetting

    def forget(self, numbers: Iterable[int], at: datetime) -> bool:
        """Delete what these say, for good.

        Returns:
            Whether the log of changes could be emptied too; it cannot while another process reads the device, and is
            then written over by later changes.

        Raises:
            StoreError: nothing was forgotten.
        """
        gone, when = frozenset(numbers), at.isoformat(timespec="seconds")
        if self._there("memories"):
            # a page that was ever full may hold old copies of rows: all pages are given up, which zeroes them
            with self._store.transaction():
                rows = self._store.rows("SELECT * FROM memories ORDER BY id")
                self._store.run("DROP TABLE memories")
                self._store.run(_SCHEMA)
                left = (_blank(row[0], row[1], when) if row[0] in gone else _whole(row) for row in rows)
                self._store.run_many(f"INSERT INTO memories VALUES ({', '.join('?' * _COLUMNS)})", left)
        # (busy, pages in the log, pages moved); (0, -1, -1) where there is no log
        busy: int = self._store.value("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    # the items that memories speak of

    def ref_of(self, record: Mapping[str, Any], app: str = "") -> ItemRef | None:
        """Where a record stands: one of that app, or one of any app that was written just now. Raises: StoreError."""
        found, row = "SELECT l.app, l.name, r.ordinal FROM lists l JOIN records r ON r.list = l.id", dump(record)
        if app:
            rows = self._store.rows(f"{found} WHERE l.app = ? AND r.body = ?", (app, row))
        else:
            newest = f"{found} AND r.ordinal >= l.next - ? WHERE r.body = ? ORDER BY r.ordinal DESC"
            rows = self._store.rows(newest, (_LAST_WRITTEN, row))
        return ItemRef(*rows[0]) if rows else None

    def gone(self, memory: Memory) -> list[ItemRef]:
        """The items that it speaks of and that are not on the device any more. Raises: StoreError."""
        return [ref for ref in memory.items if not self._exists(ref)]

    def _exists(self, ref: ItemRef) -> bool:
        info = self._store.list_info(ref.app, ref.list)
        return info is not None and bool(self._store.records_at(info.id, [ref.ordinal]))

    # episodes are noted unless the person said otherwise

    @property
    def paused(self) -> bool:
        """Whether no episodes are noted; what the person asks to be remembered is kept all the same."""
        if not self._there("memory_settings"):
            return False
        return bool(self._store.value("SELECT value FROM memory_settings WHERE name='paused'") == "yes")

    def pause(self, paused: bool) -> None:
        """Raises: StoreError."""
        with self._store.transaction():
            self._store.run(_SETTINGS)
            self._store.run("INSERT OR REPLACE INTO memory_settings VALUES ('paused', ?)", ("yes" if paused else "no",))


def _blank(number: int, kind: str, when: str) -> tuple[Any, ...]:
    """The row of a forgotten memory: its number, its kind, and when it was forgotten."""
    return number, kind, MemoryState.FORGOTTEN, "", "", "", "", 0, "", "", 0, when, "[]", 0, "", "", ""


def _whole(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row with the columns that its table may lack, which stand last."""
    return (*row, *[""] * (_COLUMNS - len(row)))


def _packed(ref: ItemRef) -> list[Any]:
    return [ref.app, ref.list, ref.ordinal]


def _memory(row: tuple[Any, ...]) -> Memory:
    number, kind, state, text, subject, attribute, value, single, *told, items, uses, used, relation, until = _whole(
        row
    )
    quote, conversation, turn, at = told
    return Memory(
        number,
        MemoryKind(kind),
        MemoryState(state),
        text,
        subject,
        attribute,
        value,
        bool(single),
        MemoryOrigin(quote, at, conversation, turn),
        tuple(ItemRef(*each) for each in json.loads(items)),
        uses,
        used,
        relation,
        until,
    )

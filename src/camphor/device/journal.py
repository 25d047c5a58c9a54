"""The journal of actions: one entry before an action is done, completed together with its effect.

An entry is begun in a transaction of its own; the action's records and the entry's end are then written in one. So an
entry that was begun and has no end was cut off, and is told, never repeated blindly.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from camphor.device.records import ACTIONS, RecordChange, Records
from camphor.device.store import Store, dump
from camphor.device.text import fold, keyword
from camphor.device.usage_events import ItemRef
from camphor.errors import CannotUndo, UsageError
from camphor.tools.tool import PERSON_ROLES, Role, Tool
from camphor.types import Call, Observation


class EntryState(StrEnum):
    BEGUN = "begun"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class JournalEntry:
    """One action: when it was begun and ended (machine's time, ISO 8601 with offset), and what came of it.

    `reversible`: it is one that `Device.undo` takes back; `undone`: when it was.
    """

    id: int
    key: str | None
    call: Call
    state: EntryState
    begun: str
    ended: str | None
    process: int
    observation: Observation | None
    reversible: bool = False
    undone: str | None = None


class Journal:
    """The journal of one device."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, call: Call, key: str | None) -> int:
        """Notes that the action is about to be done; a failed one of that key begins anew. Gives the entry's id."""
        with self._store.transaction():
            if key is not None:
                self._store.run("DELETE FROM journal WHERE key=? AND state=?", (key, EntryState.FAILED))
            return self._store.insert(
                "INSERT INTO journal (key, call, state, begun, process) VALUES (?, ?, ?, ?, ?)",
                (key, dump(call.to_json()), EntryState.BEGUN, _now(), os.getpid()),
            )

    def end(self, entry: int, state: EntryState, observation: Observation | None) -> None:
        """Notes what came of it: inside the transaction that holds its effect."""
        told = observation.to_json() if observation else {}
        outcome = dump({name: told[name] for name in told if name != "call"}) if told else None  # the call is there
        self._store.run("UPDATE journal SET state=?, ended=?, outcome=? WHERE id=?", (state, _now(), outcome, entry))

    def of_key(self, key: str) -> JournalEntry | None:
        """The entry of that key, if there is one."""
        found = self._store.rows(f"{_ENTRIES} WHERE key=?", (key,))
        return _entry(found[0]) if found else None

    def entry(self, number: int) -> JournalEntry:
        """The entry of that number. Raises UsageError: there is none."""
        found = self._store.rows(f"{_ENTRIES} WHERE id=?", (number,))
        if not found:
            raise UsageError(f"There is no action {number}: the journal tells the numbers of all")
        return _entry(found[0])

    def entries(self) -> list[JournalEntry]:
        """All entries, oldest first."""
        return [_entry(row) for row in self._store.rows(f"{_ENTRIES} ORDER BY id")]

    def done(self, beginning: str) -> list[JournalEntry]:
        """The entries that were done and whose key begins so, oldest first."""
        last = beginning + chr(0x10FFFF)
        return [
            _entry(row)
            for row in self._store.rows(
                f"{_ENTRIES} WHERE key BETWEEN ? AND ? AND state=? ORDER BY id", (beginning, last, EntryState.DONE)
            )
        ]

    @property
    def size(self) -> int:
        return int(self._store.value("SELECT count(*) FROM journal"))

    def latest(self, most: int, before: int | None = None) -> list[JournalEntry]:
        """The last entries, the newest first; of those before that number."""
        rows = self._store.rows(f"{_ENTRIES} WHERE id < ifnull(?, id + 1) ORDER BY id DESC LIMIT ?", (before, most))
        return [_entry(row) for row in rows]

    def cut_off(self) -> list[JournalEntry]:
        """Entries begun and never ended whose process is gone."""
        rows = self._store.rows(f"{_ENTRIES} WHERE state=? ORDER BY id", (EntryState.BEGUN,))
        return [entry for entry in map(_entry, rows) if not runs(entry.process)]


def told_before(entry: JournalEntry, call: Call) -> Observation:
    """What is told of a call whose key has an entry already. Raises ValueError: the key is another tool's."""
    if entry.call.name != call.name:
        raise ValueError(f"key {entry.key!r} belongs to a call of {entry.call.name}, not of {call.name}")
    if entry.observation is not None:
        return entry.observation
    told = f"{call.name} was begun at {entry.begun} and its end is not recorded: see whether it was done"
    return Observation(entry.call, error=told)


_ENTRIES = (
    "SELECT id, key, call, state, begun, ended, process, outcome, changes IS NOT NULL, undone"
    " FROM journal LEFT JOIN journal_changes ON entry = id"
)


def _entry(row: tuple[Any, ...]) -> JournalEntry:
    written = json.loads(row[2])
    call = Call(written["name"], written["arguments"])
    outcome: Mapping[str, Any] | None = json.loads(row[7]) if row[7] else None
    observation = Observation.from_json({"call": written, **outcome}) if outcome else None
    return JournalEntry(
        row[0], row[1], call, EntryState(row[3]), row[4], row[5], row[6], observation, bool(row[8]), row[9]
    )


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


def runs(process: int) -> bool:
    """Whether there is a process of that number, whoever's it is."""
    if os.name != "posix":
        # there os.kill would end the process; an entry of a living one is then told as cut off, which loses nothing
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


# What an executed action did: so that it can be taken back, and what it tells about the use of items.
#
# Taken back, its records are as they were before, once, and only while nothing else has changed them.
#
# Only an action whose whole effect is in the records of this phone can be undone: a reminder, a note or an event that
# was made, an event that was cancelled. A message that was sent, a call or a post has reached somebody; a song was
# played. What is kept about the use of a record that was removed is deleted with it and does not come back.


def keep(store: Store, entry: int, changes: Sequence[RecordChange]) -> None:
    """Notes what an action did, so that it can be undone: in the transaction that does it."""
    store.run(
        "INSERT INTO journal_changes (entry, changes) VALUES (?, ?)",
        (entry, dump([(change.ref, change.before, change.after) for change in changes])),
    )


def undo(store: Store, records: Records, entry: int) -> None:
    """Takes an action back, whole or not at all; the journal's entry then says when.

    Raises:
        UsageError: the journal has no entry of that number. CannotUndo: it is no action that can be undone, it was
        undone before, or a record that it wrote has changed since. StoreError: it cannot be written.
    """
    with store.transaction():
        if store.value("SELECT 1 FROM journal WHERE id=?", (entry,)) is None:
            raise UsageError(f"There is no action {entry}: the journal tells the numbers of all")
        rows = store.rows("SELECT changes, undone FROM journal_changes WHERE entry=?", (entry,))
        if not rows:
            raise CannotUndo(
                f"Action {entry} cannot be undone: only what was written in this phone alone can be, such as a "
                "reminder, a note or an event"
            )
        changes, undone = rows[0]
        if undone:
            raise CannotUndo(f"Action {entry} was undone before, on {undone[:16].replace('T', ' at ')}")
        for ref, before, after in reversed(json.loads(changes)):
            _take_back(store, records, entry, RecordChange(ItemRef(*ref), before, after))
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        store.run("UPDATE journal_changes SET undone=? WHERE entry=?", (now, entry))


def _take_back(store: Store, records: Records, entry: int, change: RecordChange) -> None:
    app, name, ordinal = change.ref
    info = store.list_info(app, name)
    there = store.records_at(info.id, [ordinal]) if info else []
    if info is None or (there[0][1] if there else None) != change.after:
        what = "is gone" if not there else "has changed since"
        raise CannotUndo(f"Action {entry} cannot be undone: what it wrote in {app} {what}")
    if change.after is None and change.before is not None:
        records.put_back(app, name, ordinal, change.before)
    else:
        records.change(app, name, ordinal, change.before)


_PEOPLE = (("contacts", "people"), ("android_contacts", "contacts"))
_RECORD = (Role.REFERENCE, Role.NAME)


def uses_of(
    records: Records, tool: Tool, arguments: Mapping[str, Any], written: Sequence[RecordChange]
) -> Iterator[tuple[ItemRef, str]]:
    """The items that an action concerned, each with what became of it: those it wrote, then those it named.

    A value names an item where one field of exactly one record has it: a person's among the contacts or, where they
    are not there, any other among the records of the tool's app. Of several nothing is known.
    """
    left = {change.ref: "used" if change.before else "created" for change in written if change.after is not None}
    known = set(left)
    yield from ((ref, kind) for ref, kind in left.items() if ref.list != ACTIONS)
    own = [(tool.app, info.name) for info in records.lists(tool.app) if info.name != ACTIONS]
    for name, value in arguments.items():
        parameter = tool.parameter(name)
        if parameter is None or parameter.role not in (*PERSON_ROLES, *_RECORD):
            continue
        for text in filter(None, map(str, value if isinstance(value, list) else [value])):
            among = [*_PEOPLE, *own] if parameter.role in PERSON_ROLES else own
            ref = _only(records, among, text)
            if ref and ref not in known:
                known.add(ref)
                yield ref, "used"


def _only(records: Records, among: Sequence[tuple[str, str]], text: str) -> ItemRef | None:
    wanted = fold(text)
    for app, name in among:
        found = [
            ordinal
            for ordinal, record in records.rows(app, name, keyword(text))
            if any(isinstance(value, str | int) and fold(str(value)) == wanted for value in record.values())
        ]
        if found:
            return ItemRef(app, name, found[0]) if len(found) == 1 else None
    return None

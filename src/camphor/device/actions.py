"""What an executed action did: so that it can be taken back, and what it tells about the use of items.

Taken back, its records are as they were before, once, and only while nothing else has changed them.

Only an action whose whole effect is in the records of this phone can be undone: a reminder, a note or an event that was
made, an event that was cancelled. A message that was sent, a call or a post has reached somebody; a song was played.
What is kept about the use of a record that was removed is deleted with it and does not come back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from camphor.device.conditions import keyword
from camphor.device.manifests import ACTIONS
from camphor.device.records import Change, Records
from camphor.device.store import Store, dump
from camphor.device.text import fold
from camphor.device.usage_events import ItemRef
from camphor.errors import CannotUndo, UsageError
from camphor.tools.tool import Role, Tool


def keep(store: Store, entry: int, changes: Sequence[Change]) -> None:
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
            _take_back(store, records, entry, Change(ItemRef(*ref), before, after))
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        store.run("UPDATE journal_changes SET undone=? WHERE entry=?", (now, entry))


def _take_back(store: Store, records: Records, entry: int, change: Change) -> None:
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
_PERSON = (Role.PERSON, Role.PHONE, Role.EMAIL)
_RECORD = (Role.REFERENCE, Role.NAME)


def uses_of(
    records: Records, tool: Tool, arguments: Mapping[str, Any], written: Sequence[Change]
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
        if parameter is None or parameter.role not in (*_PERSON, *_RECORD):
            continue
        for text in filter(None, map(str, value if isinstance(value, list) else [value])):
            among = [*_PEOPLE, *own] if parameter.role in _PERSON else own
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

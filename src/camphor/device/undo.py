"""Actions taken back: their records put as they were before, once, and only while nothing else has changed them.

Only an action whose whole effect is in the records of this phone can be undone: a reminder, a note or an event that was
made, an event that was cancelled. A message that was sent, a call or a post has reached somebody; a song was played.
What is kept about the use of a record that was removed is deleted with it and does not come back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from camphor.device.records import Change, Records
from camphor.device.store import Store, dump
from camphor.device.usage_events import ItemRef
from camphor.errors import CannotUndo, UsageError


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

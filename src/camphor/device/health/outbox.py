"""Messages on their way out of the phone: written before they are handed to a delivery service, marked afterwards.

A message is known by its key and written once. Before a hand-over it is claimed in a transaction of its own, and so no
two programs hand over the same one. A program that ends between the claim and the mark leaves a message of which nobody
here can know whether the service took it: it becomes UNCLEAR and is told, never sent again by itself.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from camphor.device.health.database import HealthDatabase
from camphor.device.journal import runs
from camphor.errors import UsageError

LEASE = 120.0
"""Seconds that one hand-over may take at most; its program then counts as gone even where its number is in use."""
FARTHEST = 3600.0
"""Seconds to the next try at most: one that is due later than this was noted before the clock was set back."""

_TABLES = """
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, thread TEXT NOT NULL, role TEXT NOT NULL,
    recipient TEXT NOT NULL, channel TEXT NOT NULL, address TEXT NOT NULL, text TEXT NOT NULL, state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, written REAL NOT NULL, due REAL NOT NULL, changed REAL NOT NULL,
    problem TEXT NOT NULL DEFAULT '', sender TEXT NOT NULL DEFAULT '', over INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_open ON outbox (due) WHERE state IN ('waiting', 'sending');
CREATE INDEX outbox_threads ON outbox (thread);
"""


class Channel(StrEnum):
    """SMS and EMAIL reach others in an emergency; NOTICE reaches the phone's own person, at a place of theirs."""

    SMS = "sms"
    EMAIL = "email"
    NOTICE = "notice"


TO_OTHERS = (Channel.SMS, Channel.EMAIL)


class MessageState(StrEnum):
    """What became of a message.

    KEPT: no delivery is configured, it stays on the device. WAITING: to be handed over. SENDING: being handed over.
    SENT: the service took it. UNCLEAR: it may have been sent or not. GIVEN_UP: tried too often or too late. WITHDRAWN:
    not needed any more before it went out.
    """

    KEPT = "kept"
    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    UNCLEAR = "unclear"
    GIVEN_UP = "given up"
    WITHDRAWN = "withdrawn"


OPEN = (MessageState.WAITING, MessageState.SENDING)


@dataclass(frozen=True)
class MessageDraft:
    """A message to be written.

    Args:
        key: written once under it, whatever happens. thread: what it belongs to; messages of one thread to one address
        go out in the order written. role: who the recipient is there. recipient: the name to show.
    """

    key: str
    thread: str
    role: str
    recipient: str
    channel: Channel
    address: str
    text: str


@dataclass(frozen=True)
class Message:
    """A message in the outbox; `written`, `due` and `changed` are epoch seconds, `problem` why the last try failed."""

    id: int
    draft: MessageDraft
    state: MessageState
    attempts: int
    written: float
    due: float
    changed: float
    problem: str


class Outbox:
    """The messages of one phone. Threads and processes may share it.

    Args:
        clock: epoch seconds.
    """

    def __init__(self, database: HealthDatabase, clock: Callable[[], float]) -> None:
        self.database, self._clock = database, clock
        database.prepare("outbox", (_TABLES,))

    def write(self, drafts: Iterable[MessageDraft], state: MessageState = MessageState.WAITING) -> tuple[Message, ...]:
        """Keeps the messages, all or none; one whose key is there already stays as it is. Raises: StoreError."""
        now = self._clock()
        with self.database.transaction():
            keys = [self._write(draft, state, now) for draft in drafts]
            return tuple(message for key in keys for message in self._select("WHERE key=?", key))

    def _write(self, draft: MessageDraft, state: MessageState, now: float) -> str:
        self.database.run(
            "INSERT INTO outbox (key, thread, role, recipient, channel, address, text, state, written, due, changed)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
            (draft.key, draft.thread, draft.role, draft.recipient, draft.channel.value, draft.address, draft.text,
             state.value, now, now, now),
        )  # fmt: skip
        return draft.key

    def write_beside(self, number: int, draft: MessageDraft) -> bool:
        """Keeps the text of a message for another address too, unless it was written there or its thread is over.

        Returns:
            Whether it was written. Raises: StoreError.
        """
        with self.database.transaction():
            if self.database.value("SELECT over FROM outbox WHERE id=?", (number,)):
                return False
            there = self.database.value(
                "SELECT count(*) FROM outbox WHERE thread=? AND channel=? AND address=? AND text=?",
                (draft.thread, draft.channel.value, draft.address, draft.text),
            )
            return not there and bool(self.write([draft]))

    # reading

    def messages(self, thread: str | None = None) -> tuple[Message, ...]:
        """All to others, or those of a thread, in the order written. Raises: StoreError."""
        if thread is None:
            return self._select("WHERE channel<>'notice' ORDER BY id")
        return self._select("WHERE thread=? ORDER BY id", thread)

    def get(self, number: int) -> Message:
        """Raises: UsageError: there is no message of that number. StoreError."""
        found = self._select("WHERE id=?", number)
        if not found:
            raise UsageError(f"There is no message {number}: see  camphor health outbox")
        return found[0]

    def due(self, channels: Collection[Channel] = TO_OTHERS) -> tuple[Message, ...]:
        """What may be handed over now: of each thread and address the first that is open. Raises: StoreError."""
        now = self._clock()
        return tuple(each for each in self._first(channels) if each.due <= now or each.due > now + FARTHEST)

    def seconds_to_next(self, channels: Collection[Channel] = TO_OTHERS) -> float | None:
        """How long until a message is due, 0 where one is; None where none waits. Raises: StoreError."""
        now = self._clock()
        times = [max(0.0, each.due - now) if each.due <= now + FARTHEST else 0.0 for each in self._first(channels)]
        return min(times, default=None)

    def _first(self, channels: Collection[Channel]) -> tuple[Message, ...]:
        found = self._select(
            "AS m WHERE state='waiting' AND NOT EXISTS (SELECT 1 FROM outbox AS e WHERE e.state IN ('waiting',"
            " 'sending') AND e.thread=m.thread AND e.channel=m.channel AND e.address=m.address AND e.id < m.id)"
            " ORDER BY id"
        )
        return tuple(each for each in found if each.draft.channel in channels)

    def _select(self, clause: str, *parameters: Any) -> tuple[Message, ...]:
        rows = self.database.rows(f"SELECT {_COLUMNS} FROM outbox {clause}", parameters)
        return tuple(_message(row) for row in rows)

    # sending

    def claim(self, number: int) -> Message | None:
        """Takes a waiting message to hand it over, down to the disk; None where another was faster.

        Raises:
            StoreError: it was not claimed, and must not be handed over.
        """
        taken = self.database.run(
            "UPDATE outbox SET state='sending', attempts=attempts+1, changed=?, sender=?"
            " WHERE id=? AND state='waiting'",
            (self._clock(), _sender(), number),
        )
        return self.get(number) if taken else None

    def mark(self, number: int, state: MessageState, problem: str = "", due: float | None = None) -> None:
        """Notes what came of a hand-over of this program; nothing where a person settled it meanwhile.

        One that is to wait for another try is WITHDRAWN where its thread was.

        Raises:
            StoreError: it could not be noted: the message then becomes UNCLEAR.
        """
        now = self._clock()
        self.database.run(
            "UPDATE outbox SET state=iif(over AND ?='waiting', 'withdrawn', ?), problem=?, due=?, changed=?"
            " WHERE id=? AND sender=? AND state IN ('sending', 'unclear')",
            (state.value, state.value, problem, now if due is None else due, now, number, _sender()),
        )

    def cut_off(self) -> tuple[Message, ...]:
        """Marks as UNCLEAR what a program was handing over when it ended; gives those.

        A notice to the person waits again: told twice is better than never.

        Raises: StoreError.
        """
        now = self._clock()
        with self.database.transaction():
            rows = self.database.rows("SELECT id, sender, changed, channel FROM outbox WHERE state='sending'")
            lost = [(row[0], row[3]) for row in rows if row[2] + LEASE < now or not _lives(row[1])]
            for number, _ in (each for each in lost if each[1] == Channel.NOTICE):
                self.database.run(
                    "UPDATE outbox SET state=iif(over, 'withdrawn', 'waiting'), due=?, changed=? WHERE id=?",
                    (now, now, number),
                )
            gone = [number for number, channel in lost if channel != Channel.NOTICE]
            for number in gone:
                told = "camphor was ended while it was handed over: nobody can tell whether it was sent"
                self.database.run(
                    "UPDATE outbox SET state='unclear', problem=?, changed=? WHERE id=?", (told, now, number)
                )
            return tuple(self.get(number) for number in gone)

    def give_up(self, older: float) -> int:
        """Tries no more what waits for longer than that many seconds; how many. Raises: StoreError."""
        now = self._clock()
        return self.database.run(
            "UPDATE outbox SET state='given up', changed=?, problem=iif(problem='', 'too old', problem || '; too old')"
            " WHERE state='waiting' AND written<?",
            (now, now - older),
        )

    def withdraw(self, thread: str) -> int:
        """Takes back the messages of a thread that wait, and tries none of it again; how many. Raises: StoreError."""
        with self.database.transaction():
            self.database.run("UPDATE outbox SET over=1 WHERE thread=?", (thread,))
            return self.database.run(
                "UPDATE outbox SET state='withdrawn', changed=? WHERE thread=? AND state='waiting'",
                (self._clock(), thread),
            )

    def supersede(self, newer: MessageDraft) -> int:
        """Takes back what was kept or given up of the same thread for the same reader; how many. Raises: StoreError.

        Args:
            newer: it says it all to them, maybe at another address.
        """
        return self.database.run(
            "UPDATE outbox SET state='withdrawn', problem='a newer message takes its place', changed=?"
            " WHERE thread=? AND role=? AND recipient=? AND key<>? AND state IN ('kept', 'given up')",
            (self._clock(), newer.thread, newer.role, newer.recipient, newer.key),
        )

    def settle(self, number: int, sent: bool) -> Message:
        """What a person says of a message that is UNCLEAR or GIVEN_UP: it was sent, or it is to be sent again.

        Raises:
            UsageError: there is no such message, or it is none of these, or its thread is over. StoreError.
        """
        now = self._clock()
        with self.database.transaction():
            message = self.get(number)
            if message.state not in (MessageState.UNCLEAR, MessageState.GIVEN_UP):
                raise UsageError(f"Message {number} is {message.state.value}: only an unclear or given up one is open")
            if sent:
                self.database.run("UPDATE outbox SET state='sent', problem='', changed=? WHERE id=?", (now, number))
            elif not self.database.run(
                "UPDATE outbox SET state='waiting', attempts=0, problem='', due=?, written=?, changed=?"
                " WHERE id=? AND NOT over",
                (now, now, now, number),
            ):
                raise UsageError(f"Message {number} is not sent again: what it is about is over")
            return self.get(number)


# The number of a process may be given to another one, which then has another token. Made here and not at the first
# message: two threads could then each make one, and what the first of them handed over would be nobody's.
_TOKEN = uuid.uuid4().hex[:12]


def _sender() -> str:
    return f"{os.getpid()}:{_TOKEN}"


def _lives(sender: str) -> bool:
    process, _, token = sender.partition(":")
    return token == _TOKEN if int(process) == os.getpid() else runs(int(process))


_COLUMNS = "id, key, thread, role, recipient, channel, address, text, state, attempts, written, due, changed, problem"


def _message(row: tuple[Any, ...]) -> Message:
    number, key, thread, role, recipient, channel, address, text, state, *rest = row
    draft = MessageDraft(key, thread, role, recipient, Channel(channel), address, text)
    return Message(number, draft, MessageState(state), *rest)

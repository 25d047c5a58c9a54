"""What the person is to be told: a dose that is due, readings that are abnormal, the day's report.

A notice is written once under its key, in one transaction with the messages that bring it to the places where the
person is reached (`outbox`, channel `NOTICE`). So several programs that look after one phone tell it once, and one that
is killed in between loses nothing. Pages in a browser read the notices themselves, and say when one was shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from camphor.device.health.database import HealthDatabase
from camphor.device.health.outbox import Channel, Message, MessageDraft, MessageState, Outbox

DOSE, VITALS, REPORT, SOS, CLOCK, TEST = "dose", "vitals", "report", "sos", "clock", "test"
_STEPS = (
    """
    CREATE TABLE notices (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, thread TEXT NOT NULL,
        urgent INTEGER NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, at REAL NOT NULL, over REAL, shown REAL
    );
    CREATE INDEX notices_open ON notices (thread) WHERE over IS NULL;
    """,
)
_COLUMNS = "id, key, kind, thread, urgent, title, text, at, over, shown"


@dataclass(frozen=True)
class Notice:
    """`thread`: what it is about, such as one dose; `at`, `over` (no longer true), `shown` (by a browser): seconds."""

    key: str
    kind: str
    thread: str
    title: str
    text: str
    urgent: bool = False
    id: int = 0
    at: float = 0.0
    over: float | None = None
    shown: float | None = None


class Notices:
    """The notices of one phone. Methods raise StoreError where the database cannot be read or written.

    Args:
        clock: epoch seconds, the outbox's.
    """

    def __init__(self, database: HealthDatabase, clock: Callable[[], float]) -> None:
        self._database, self._clock = database, clock
        self.outbox = Outbox(database, clock)
        database.prepare("notices", _STEPS)

    def tell(self, notice: Notice, places: Iterable[str] = ()) -> Notice | None:
        """Keeps a notice and writes what brings it to these places; None where its key was told before.

        What waits of its thread is taken back: the newer one says it all.
        """
        with self._database.transaction():
            made = self._database.run(
                "INSERT INTO notices (key, kind, thread, urgent, title, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (notice.key, notice.kind, notice.thread, notice.urgent, notice.title, notice.text, self._clock()),
            )
            if not made:
                return None
            self.outbox.withdraw(notice.thread)
            self.outbox.write(
                MessageDraft(f"{notice.key}:{place}", notice.thread, notice.kind, notice.title, Channel.NOTICE, place,
                      notice.text)
                for place in places
            )  # fmt: skip
            return self._found("WHERE key=?", notice.key)[0]

    def end(self, thread: str) -> None:
        """It is no longer so: what has not gone out does not."""
        with self._database.transaction():
            self._database.run("UPDATE notices SET over=? WHERE thread=? AND over IS NULL", (self._clock(), thread))
            self.outbox.withdraw(thread)

    def show(self, number: int) -> None:
        """A browser has shown it."""
        self._database.run("UPDATE notices SET shown=? WHERE id=? AND shown IS NULL", (self._clock(), number))

    def get(self, number: int) -> Notice | None:
        return next(iter(self._found("WHERE id=?", number)), None)

    def open(self, kind: str) -> list[Notice]:
        """Those of a kind that are still so, oldest first."""
        return self._found("WHERE kind=? AND over IS NULL ORDER BY id", kind)

    def after(self, number: int, most: int = 50) -> list[Notice]:
        """The last ones behind a number, oldest first."""
        return self._found("WHERE id>? ORDER BY id DESC LIMIT ?", number, most)[::-1]

    def since(self, moment: float, most: int = 50) -> list[Notice]:
        """The last ones after a moment that are still so, oldest first."""
        return self._found("WHERE at>? AND over IS NULL ORDER BY id DESC LIMIT ?", moment, most)[::-1]

    def last(self) -> int:
        """The number of the last one; 0 where there is none."""
        return int(self._database.value("SELECT max(id) FROM notices") or 0)

    def reached(self, notice: Notice) -> bool:
        """Whether some place took it, or a browser showed it."""
        if notice.shown is not None or self._found("WHERE id=? AND shown IS NOT NULL", notice.id):
            return True
        return any(each.state is MessageState.SENT for each in self.messages(notice))

    def messages(self, notice: Notice) -> list[Message]:
        """What brings it to each place."""
        return [each for each in self.outbox.messages(notice.thread) if each.draft.key.startswith(f"{notice.key}:")]

    def _found(self, clause: str, *parameters: Any) -> list[Notice]:
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM notices {clause}", parameters)
        return [
            Notice(key, kind, thread, title, text, bool(urgent), number, at, over, shown)
            for number, key, kind, thread, urgent, title, text, at, over, shown in rows
        ]

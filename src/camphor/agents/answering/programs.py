"""An answer program: one operation over records that exist and fields that they have. No fact can be written in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from camphor.agents.answering.question import Operation, ParsedQuestion
from camphor.agents.answering.stretch import Stretch
from camphor.agents.answering.tables import Row, Table


@dataclass(frozen=True)
class Pick:
    """A record that a program points at, and the list that it is in."""

    table: Table
    row: Row

    @property
    def pointer(self) -> str:
        return f"{self.table.key}/{self.row.ordinal}"

    @property
    def when(self) -> datetime | None:
        return self.table.when(self.row.record)

    def value(self, name: str) -> object:
        return self.row.record.get(name)


@dataclass(frozen=True)
class Program:
    """What is done with which fields of which records.

    Attributes:
        picks: of `Operation.NONE` the record that is nearest, where one is shown as that.
        scope: lists that were searched, for an answer that says that nothing is there.
        stretch: the time that bounds the records.
        newer: what somebody wrote later about the same, which may overrule them.
        verdict: yes or no, where a condition was computed.
        words: how the person called what was looked for.
    """

    operation: Operation
    picks: tuple[Pick, ...] = ()
    fields: tuple[str, ...] = ()
    scope: tuple[Table, ...] = ()
    stretch: Stretch | None = None
    newer: tuple[Pick, ...] = ()
    verdict: bool | None = None
    words: tuple[str, ...] = ()
    question: ParsedQuestion | None = field(default=None, repr=False)
    amounts: tuple[float, ...] = ()
    """Amounts that were read in the texts of the records, one each, where those are reckoned with."""
    lacking: str = ""
    """The kind of value that was asked for and that no record about it holds; then the record is named, not told."""
    left_out: int = 0
    """How many records there are beside these, which are the first of them."""
    uncounted: bool = False
    """Whether a number was asked for, and which records count is in doubt."""

    def __str__(self) -> str:
        """`list(calendar.events/3, calendar.events/4; start, title)`."""
        inside = ", ".join(each.pointer for each in self.picks)
        asked = f"; {', '.join(self.fields)}" if self.fields else ""
        return f"{self.operation.value}({inside}{asked})"


def tables_of_picks(picks: Sequence[Pick]) -> list[Table]:
    """The lists of some records, each once, in order."""
    seen: dict[str, Table] = {}
    for each in picks:
        seen.setdefault(each.table.key, each.table)
    return list(seen.values())

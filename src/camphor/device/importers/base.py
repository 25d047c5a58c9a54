"""What an importer is: it knows a kind of file that people have, and makes records of what stands in it.

Nothing here writes to a device: `camphor.device.sources` does, so that every importer is incremental, can be previewed
and makes no doubles, whatever it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Protocol

from camphor.device.text import Record
from camphor.errors import UsageError

MOST_PROBLEMS = 50
"""How many of the things that could not be read are told of; the others are counted."""


@dataclass(frozen=True)
class Brought:
    """A record that a source has.

    Args:
        app, list: where it belongs on the device, as in the contract. key: tells it from all others of its source, and
        is the same when it is read again: a UID, a message's id, a path, a time with a name.
    """

    app: str
    list: str
    key: str
    record: Record


@dataclass
class Unread:
    """What of a source could not be read: how much, and of the first ones where and why."""

    count: int = 0
    told: list[str] = field(default_factory=list)

    def add(self, where: str, why: str) -> None:
        """Notes one. `where` is a place (a line, a file's name), never what stands there."""
        self.count += 1
        if len(self.told) < MOST_PROBLEMS:
            self.told.append(f"{where}: {why}")


@dataclass(frozen=True)
class Situation:
    """Whose records are read, and when.

    Args:
        now: the device's clock, naive local time. zone: its time zone; None for the machine's. owner: the person's
        name, by which some exports tell what they wrote themselves.
    """

    now: datetime
    zone: tzinfo | None = None
    owner: str = ""

    def local(self, moment: datetime) -> str:
        """A moment as records have it: ISO 8601 to the second, the device's local time, without a zone."""
        aware = moment.astimezone(self.zone) if moment.tzinfo else moment
        return aware.replace(tzinfo=None, microsecond=0).isoformat()


class Importer(Protocol):
    """Reads one kind of source."""

    @property
    def name(self) -> str:
        """What it is called in commands: "ics"."""
        ...

    @property
    def told(self) -> str:
        """What it reads, for people: "calendar files (.ics)"."""
        ...

    @property
    def mirrors(self) -> bool:
        """Whether a source is the whole truth, so that what is no longer in it goes from the device too: a calendar is,
        the history of a browser, which forgets, is not."""
        ...

    def recognises(self, path: Path) -> bool:
        """Whether a file or folder looks like one that it reads. Reads little; never fails."""
        ...

    def read(self, path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
        """The records of a source, as they are read: a source may be larger than memory.

        Raises:
            UsageError: the source as a whole cannot be read; says why and what to do.
        """
        ...


@dataclass(frozen=True)
class SimpleImporter:
    """An importer made of functions."""

    name: str
    told: str
    looks: Callable[[Path], bool]
    reads: Callable[[Path, Situation, Unread], Iterator[Brought]]
    mirrors: bool = True

    def recognises(self, path: Path) -> bool:
        try:
            return self.looks(path)
        except (OSError, ValueError):
            return False

    def read(self, path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
        try:
            yield from self.reads(path, situation, unread)
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror or 'it is damaged'}") from None


def beginning(path: Path, size: int = 4096) -> bytes:
    """The first bytes of a file; nothing of what is no file."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(size)


def without_empty(record: Mapping[str, object]) -> Record:
    """The record without fields that say nothing."""
    return {name: value for name, value in record.items() if value not in (None, "", [], {})}

"""The file beside a store that holds what was worked out of its records: the index that context is found with.

It repeats what records say, so it goes as soon as a record is removed or says less: zeros are written over it and it is
deleted, and whoever needs it makes it again. Copies that the disk, backups or other programs keep are beyond reach.
"""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from camphor.device import dates

PARTIAL = ".partial"
"""How the names of files end that are still being written (`models.function_tokens.write_whole`)."""
_AT_ONCE = 1 << 20
_LEAST_FREE = 65_536
"""Bytes: the files that SQLite keeps beside an open database need as much."""


def index_file(store: Path | None) -> Path | None:
    """Where the index of a phone is kept: beside its store; nowhere for a phone in memory."""
    return store.with_name(f"{store.name}.items") if store else None


def erase(path: Path) -> None:
    """Write zeros over a file and delete it; one that is not there is no fault. Raises OSError: it cannot be done."""
    # and what a process that was killed while it wrote the file, or that still writes it, has of it
    for each in (path, *path.parent.glob(f"{glob.escape(path.stem[:16])}*{PARTIAL}")):
        with suppress(FileNotFoundError), replacing(each):
            each.unlink()


def erase_database(path: Path) -> None:
    """Erase an SQLite file with its logs. Raises OSError: it cannot be done."""
    for end in ("-wal", "-shm", "-journal", ""):
        erase(path.with_name(path.name + end))


@contextmanager
def replacing(path: Path) -> Iterator[None]:
    """A file that is deleted or replaced inside is then written over with zeros, down to the disk.

    Raises:
        OSError: it cannot be written; it may be none at all.
    """
    try:
        old = path.open("r+b", buffering=0)
    except FileNotFoundError:
        yield
        return
    with old:
        yield
        left = os.fstat(old.fileno()).st_size
        while left > 0:
            left -= old.write(bytes(min(left, _AT_ONCE)))
        os.fsync(old.fileno())


def says_less(record: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the record says something that the other does not; when something was is nothing said.

    So a song that is played again leaves the index, which then knows one time too old until it is brought up to date.
    """
    return bool({each for each in _texts(record) if dates.moment(each) is None} - set(_texts(other)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value


def full(where: str) -> bool:
    """Whether nothing more can be written beside a file: SQLite then only speaks of an error of the disk."""
    try:
        return shutil.disk_usage(Path(where).parent).free < _LEAST_FREE
    except OSError:
        return False

"""Exports in a zip file: Apple Health's, or files of known formats (`formats.toml`), wherever in it they stand."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path, PurePosixPath

from camphor.errors import UsageError
from camphor.health.monitor import apple, formats
from camphor.health.monitor.imports import Imported

MOST_BYTES = 8 << 30
"""So much an archive may hold of files that are read, unpacked: years of a watch are below one GiB."""
_NAMED = 4
_DATABASE = b"SQLite format 3\x00"


def read(path: Path, zone: tzinfo | None, day_first: bool | None) -> Imported:
    """The vitals of all files in an archive. Raises UsageError: it is damaged, too large, or nothing in it is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = apple.read_zip(archive, path, zone)
            if found is not None:
                return found
            return _members(archive, path, zone, day_first)
    except apple.DAMAGED as error:
        raise UsageError(f"{path} is damaged ({error}): export it again") from error


def _members(archive: zipfile.ZipFile, path: Path, zone: tzinfo | None, day_first: bool | None) -> Imported:
    among = [each for each in archive.infolist() if not each.is_dir() and formats.known_name(each.filename)]
    if sum(each.file_size for each in among) > MOST_BYTES:
        raise UsageError(f"{path} holds more than {MOST_BYTES >> 30} GiB: take the files in one by one")
    found, read, unknown = Imported(), 0, []
    with tempfile.TemporaryDirectory(prefix="camphor-") as folder:
        for each in among:
            # the name alone: what an archive says of folders is never followed
            unpacked = Path(folder) / PurePosixPath(each.filename.replace("\\", "/")).name
            with archive.open(each) as source, unpacked.open("wb") as out:
                shutil.copyfileobj(source, out)
            parts = list(_file(unpacked, zone, day_first, path))
            for part in parts:
                found.join(part)
                read += 1
            if not parts:
                unknown.append(unpacked.name)
            unpacked.unlink()
    if not read:
        raise UsageError(f"{path} holds no export that is read here: export it anew, and name the zip file as it is")
    if unknown:
        named = ", ".join(sorted(unknown)[:_NAMED]) + (", ..." if len(unknown) > _NAMED else "")
        found.skipped[f"files of a kind that is not read here ({named})"] = len(unknown)
    return found


def _file(unpacked: Path, zone: tzinfo | None, day_first: bool | None, path: Path) -> Iterator[Imported]:
    """What one file of the archive holds; nothing where no format fits."""
    with unpacked.open("rb") as file:
        database = file.read(len(_DATABASE)) == _DATABASE
    try:
        if database:
            yield formats.read_database(unpacked)
        elif unpacked.suffix.casefold() == ".json":
            yield from formats.records_of(unpacked, zone)
        elif unpacked.suffix.casefold() == ".csv":
            yield from formats.table_of(unpacked, zone, day_first)
    except UsageError as error:
        raise UsageError(str(error).replace(str(unpacked), f"{path}, {unpacked.name}")) from error

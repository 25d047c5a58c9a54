"""Vitals from the files of other programs: Apple Health's export, FIT files, tables, and what `formats.toml` names.

What cannot be read is counted by its reason and never guessed; what was read before a file breaks off is kept, with a
word that it broke off.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import tzinfo
from pathlib import Path, PurePosixPath

from camphor.errors import UsageError
from camphor.health.monitor import apple, fit, formats
from camphor.health.monitor.imported import Imported

MOST_BYTES = 8 << 30
"""So much an archive may hold of files that are read, unpacked: years of a watch are below one GiB."""
_NAMED = 4
_DATABASE = b"SQLite format 3\x00"


KNOWN = (
    "an Apple Health export, a .fit file, a .csv table, or an export of LibreView, Dexcom Clarity, Oura, Fitbit, "
    "Withings or Health Connect"
)


def read(path: Path, zone: tzinfo | None, day_first: bool | None = None) -> Imported:
    """The vitals of a file: an export of a program (alone or as zip), a `.fit` file, or a table as CSV.

    The kind is told by what the file holds; by its name only where the export of a program is told by that.

    Args:
        zone: of times that name none; day_first: whether 03/04 is the third of April, where a table leaves that open.

    Raises:
        UsageError: there is no such file, it is of another kind, or nothing in it is a vital sign.
        MissingExtra: reading FIT files needs a package that is not installed.
    """
    if not path.is_file():
        raise UsageError(f"There is no file {path}: name {KNOWN}")
    found = _reader(path)(path, zone, day_first)
    if not found.readings:
        reasons = "; ".join(f"{count:,} x {reason}" for reason, count in found.skipped.most_common(3))
        why = found.broken or reasons or "it has no heart rate, oxygen, pressure, temperature, weight, sleep or steps"
        raise UsageError(f"{path}: nothing was taken in: {why}")
    return found


Reader = Callable[[Path, "tzinfo | None", "bool | None"], Imported]


def _reader(path: Path) -> Reader:
    with path.open("rb") as file:
        head = file.read(4096)
    if not head:
        raise UsageError(f"{path} is empty: export it again")
    if head[:4] == b"PK\x03\x04":
        return read_archive
    if head[8:12] == b".FIT":
        return lambda path, zone, _: fit.read(path)
    if head[:16] == b"SQLite format 3\x00":
        return lambda path, zone, _: formats.read_database(path)
    text = head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").replace(b"\x00", b"")
    if text[:1] == b"<":
        return lambda path, zone, _: apple.read_xml(path, zone)
    if text[:1] in (b"[", b"{"):
        return lambda path, zone, _: formats.read_records(path, zone)
    if path.suffix.casefold() == ".fit":
        raise UsageError(f"{path} is no FIT file, though it is named so: export it from the watch again")
    if path.suffix.casefold() in (".pdf", ".jpg", ".jpeg", ".png", ".xlsx", ".gz") or (
        b"\x00" in head and head[:2] not in (b"\xff\xfe", b"\xfe\xff")
    ):
        raise UsageError(f"{path} is no kind of file that is read here: {KNOWN}")
    return formats.read_table


# archives


def read_archive(path: Path, zone: tzinfo | None, day_first: bool | None) -> Imported:
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

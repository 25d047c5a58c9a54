"""The files of a download: a file alone, those of a folder, or those of a .zip, which is never unpacked."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO

from camphor.device.importers.base import beginning
from camphor.device.text import without_unseen
from camphor.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_DEEPEST = 6  # folders below the one that is named
_MOST_FILES = 200_000  # of a folder
_LARGEST = 8 << 30  # bytes of a file, unpacked
_LARGEST_DIRECTORY = 128 << 20  # bytes of a .zip's list of files: some 100 for each
_LONGEST_NAME = 80
_BEGINNING = 4096
_FAULTS = (zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, EOFError, ValueError)
"""What reading a damaged or encrypted .zip may raise, but for OSError."""


@dataclass(frozen=True)
class PackedFile:
    """A file of a download.

    Args:
        path: where it lies in the download, its parts joined by "/". opened: opens it; raises OSError, and so does
        reading it, whatever is wrong with it.
    """

    path: str
    opened: Callable[[], IO[bytes]]

    @property
    def name(self) -> str:
        """Its own name, for people."""
        return without_unseen(self.path.rpartition("/")[2])[-_LONGEST_NAME:]

    def beginning(self) -> bytes:
        """Its first bytes; none where it cannot be read."""
        with suppress(OSError), self.opened() as file:
            return file.read(_BEGINNING)
        return b""

    def text(self) -> TextIO:
        """Opens it as UTF-8; what is not is replaced."""
        return io.TextIOWrapper(self.opened(), encoding="utf-8-sig", errors="replace")


def is_zip(path: Path) -> bool:
    """Whether a file is a .zip by how it begins."""
    return beginning(path, 4) == b"PK\x03\x04"


def packed_files(path: Path) -> Iterator[PackedFile]:
    """The files of a folder or .zip, or the file itself. Links and what is hidden are left out.

    Raises:
        UsageError: it is a damaged .zip, or one of far too many files.
    """
    if path.is_dir():
        yield from _of_folder(path)
    elif is_zip(path):
        yield from _of_zip(path)
    else:
        yield PackedFile(path.name, lambda: path.open("rb"))


def _of_folder(folder: Path) -> Iterator[PackedFile]:
    left = _MOST_FILES
    for here, folders, names in os.walk(folder):
        below = Path(here).relative_to(folder)
        deep = len(below.parts) >= _DEEPEST
        folders[:] = [] if deep else sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names)[:left]:
            file = Path(here, name)
            if not name.startswith(".") and file.is_file() and not file.is_symlink():
                yield PackedFile((Path(folder.name) / below / name).as_posix(), lambda file=file: file.open("rb"))  # type: ignore[misc]
        left -= len(names)
        if left <= 0:
            return


def _of_zip(path: Path) -> Iterator[PackedFile]:
    if _directory_size(path) > _LARGEST_DIRECTORY:
        raise UsageError(f"{path}: it holds far too many files to be a download: unpack it and give the folder")
    try:
        packed = zipfile.ZipFile(path)
    except _FAULTS:
        raise UsageError(f"{path}: it is a damaged .zip: download it again") from None
    with closing(packed):
        for info in packed.infolist():
            if not info.is_dir():
                yield PackedFile(info.filename, lambda info=info: _unpacked(packed, info))  # type: ignore[misc]


def _unpacked(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # no download is packed otherwise
        raise OSError(0, "packed in a way that is not known")
    try:
        return io.BufferedReader(_Unpacking(packed.open(info)), 1 << 16)
    except _FAULTS as error:
        raise _told(error) from None


class _Unpacking(io.RawIOBase):
    """A file of a .zip as it is unpacked, whatever size its header says: all that goes wrong is an OSError."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._left = file, _LARGEST

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        try:
            part = self._file.read(len(view))
        except _FAULTS as error:
            raise _told(error) from None
        self._left -= len(part)
        if self._left < 0:
            raise OSError(0, "larger than can be read")
        view[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._file.close()
        super().close()


def _told(error: Exception) -> OSError:
    encrypted = isinstance(error, RuntimeError) and "password" in str(error)
    return OSError(0, "encrypted" if encrypted else "damaged")


def _directory_size(path: Path) -> int:
    """How large the list of files at a .zip's end says it is; zipfile reads as much at once."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - (1 << 16) - 100))
        end = file.read()
    at, far = end.rfind(b"PK\x05\x06"), end.rfind(b"PK\x06\x06")
    sizes = [end[at + 12 : at + 16]] if at >= 0 else []
    if far >= 0:  # the record of a .zip that is larger than 4 GiB
        sizes.append(end[far + 40 : far + 48])
    return max((int.from_bytes(size, "little") for size in sizes if size != b"\xff" * 4), default=0)

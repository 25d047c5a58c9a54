"""What was found out once on this machine and need not be found out again, in files that may be lost at any time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

KEPT = 64
"""Facts in a file; the oldest are dropped."""
FILES = "files.json"


class Facts:
    """A JSON object in a file: one that is missing, damaged or cannot be written counts as empty.

    Args:
        path: its folder is made when first written to; None to remember nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def get(self, key: str) -> Any:
        """A JSON value of any form, as the file may hold anything; None where nothing is known."""
        return self._read().get(key)

    def put(self, key: str, value: Any) -> None:
        known = self._read()
        known.pop(key, None)
        self._write({**known, key: value})

    def forget(self, key: str) -> None:
        known = self._read()
        if known.pop(key, None) is not None:
            self._write(known)

    def _read(self) -> dict[str, Any]:
        if self._path is None:
            return {}
        try:
            read = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return read if isinstance(read, dict) else {}

    def _write(self, known: dict[str, Any]) -> None:
        if self._path is None:
            return
        with contextlib.suppress(OSError):  # what is not kept is found out again
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, json.dumps(dict(list(known.items())[-KEPT:]), indent=1).encode())


class CheckedFiles:
    """SHA-256 of large files, computed once for as long as a file stays the same.

    Whether it did is told by its size, its place on the disk and its times. Writing to a file always sets the time of
    its last change, which, unlike the time of modification, no program can set back; Windows has none, and there only
    `afresh` finds a change that hides itself.

    Args:
        folder: where it is remembered; None to compute every time.
    """

    def __init__(self, folder: Path | None) -> None:
        self._facts = Facts(folder and folder / FILES)

    def sha256(self, path: Path, afresh: bool = False) -> str:
        """In hexadecimal; OSError where the file cannot be read.

        Args:
            afresh: compute it whatever is remembered (0.1 s for 150 MB on a recent processor, else 0.4 s).
        """
        stamp = file_stamp(path)
        known = self._facts.get(str(path))
        if not afresh and isinstance(known, dict) and known.get("stamp") == stamp and "sha256" in known:
            return str(known["sha256"])
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if not afresh:
            self._facts.put(str(path), {"stamp": stamp, "sha256": found})
        elif known is not None and (not isinstance(known, dict) or known.get("sha256") != found):
            self._facts.forget(str(path))  # the next start must see it too
        return found


def file_stamp(path: Path) -> list[int]:
    """What changes when a file does; OSError where it is not there."""
    told = path.stat()
    return [told.st_size, told.st_mtime_ns, told.st_ctime_ns, told.st_ino, told.st_dev]


def write_whole(path: Path, data: bytes) -> None:
    """Write a file of a cache so that it is either the old one or the whole new one."""
    number, name = tempfile.mkstemp(".partial", path.stem[:16], path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)

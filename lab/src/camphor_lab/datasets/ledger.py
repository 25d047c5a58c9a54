"""What a run with a language model keeps: lines that are only ever appended to, under settings that stay the same.

A run can be stopped anywhere and goes on from there: a last line that a crash cut off is taken out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from camphor.errors import UsageError
from camphor_lab.datasets.files import write_text


class RunFolder:
    """The folder of a run.

    Args:
        folder: made where it is missing. settings: what decides the outcome, as JSON values. name: of their file.

    Raises:
        UsageError: the folder holds a run of other settings. ValueError: or files of another kind. OSError.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], name: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        path, text = folder / name, json.dumps(settings, sort_keys=True)
        if not path.exists():
            write_text(path, text + "\n")
            return
        begun, wanted = json.loads(path.read_text(encoding="utf-8")), json.loads(text)
        if begun != wanted:
            other = sorted(key for key in {*begun, *wanted} if begun.get(key) != wanted.get(key))
            raise UsageError(f"{folder} was begun with other {' and '.join(other)} ({name}): choose another folder")

    def lines(self, name: str) -> Iterator[tuple[int, Any]]:
        """The begin and the value of each whole line of a file; none where it is not there."""
        path, begin = self.folder / name, 0
        if not path.exists():
            return
        with path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                if line.strip():
                    yield begin, json.loads(line)
                begin += len(line)
        if begin < path.stat().st_size:
            os.truncate(path, begin)

    def line_at(self, name: str, begin: int) -> Any:
        with (self.folder / name).open("rb") as file:
            file.seek(begin)
            return json.loads(file.readline())

    def append(self, name: str, line: str) -> int:
        """A line and its end; on the disk when this returns. Where it begins."""
        with (self.folder / name).open("ab") as file:
            begin = file.seek(0, os.SEEK_END)
            file.write((line + "\n").encode("utf-8", errors="replace"))
            file.flush()
            os.fsync(file.fileno())
        return begin

"""Recorded cases: JSON lines, a trajectory each, beside whatever else a record says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from camphor.agents.health.case import Case, case_from_json
from camphor.errors import DatasetError, UsageError


def read_records(path: Path) -> Iterator[tuple[int, Any]]:
    """The number and the value of each line that is not empty.

    Raises:
        DatasetError: a line is no JSON; names it. UsageError: the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({error}): name a JSON lines file or its folder") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                record = json.loads(line)
            except ValueError as error:
                raise DatasetError(str(path), number, f"no JSON: {error}") from error
            yield number, record


def case_of(path: Path, number: int, record: Mapping[str, Any]) -> Case:
    """The case of a line's record. Raises DatasetError: it breaks the format."""
    try:
        return case_from_json(record)
    except UsageError as error:
        raise DatasetError(str(path), number, str(error)) from error

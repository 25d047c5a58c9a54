"""What an evaluation runs on: checked dataset items, their devices, and a fingerprint of both."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from camphor.device.device import Device
from camphor.device.format import read
from camphor.errors import DatasetError, UsageError
from camphor.tools.tool import Toolbox
from camphor.trajectories.items import Item, read_items


class Dataset:
    """Queries that can be scored, and the devices they are asked on.

    Args:
        paths: JSONL files in the contract's format (section 3), whose queries are run one file after the other; a
            folder stands for those in it, in the order of their names.
        limit: how many queries to take, from the first; None for all.

    Raises:
        DatasetError: a line breaks the format, names a device that cannot be read, has no gold calls, or repeats an id.
        UsageError: there are no queries.
    """

    def __init__(self, *paths: Path, limit: int | None = None) -> None:
        check_limit(limit)
        self.path = paths[0]
        self.files = tuple(_files(paths))
        lines = [(item, path, place) for path in self.files for place, item in enumerate(read_items(path))]
        if not lines:
            raise UsageError(f"{self.path} holds no queries: give a JSONL file with one query a line")
        self._from: dict[str, Path] = {}
        for item, path, place in lines:
            self._check(item, path, place)
        self.items: Sequence[Item] = [item for item, _, _ in lines][:limit]
        self.fingerprint = self._fingerprint([item for item, _, _ in lines])
        self._toolboxes: dict[str, Toolbox] = {}
        self._documents: dict[str, Mapping[str, Any]] = {}

    @property
    def name(self) -> str:
        """The files' names."""
        return ", ".join(path.name for path in self.files)

    def _check(self, item: Item, path: Path, place: int) -> None:
        if item.calls is None:
            raise DatasetError(str(path), _line(path, place), "'calls' is missing: without gold it cannot be scored")
        if item.id in self._from:
            raise DatasetError(str(path), _line(path, place), f"the id {item.id!r} is used before: make it unique")
        if isinstance(item.device, str) and not (path.parent / item.device).is_file():
            raise DatasetError(str(path), _line(path, place), f"there is no device file {item.device}")
        self._from[item.id] = path

    def error(self, item: Item, problem: str) -> DatasetError:
        """A fault of an item, with the place of its line."""
        path = self._from[item.id]
        place = next(at for at, other in enumerate(read_items(path)) if other.id == item.id)
        return DatasetError(str(path), _line(path, place), problem)

    def _fingerprint(self, items: Sequence[Item]) -> str:
        """SHA-256 over the dataset files and the device files they name."""
        named = {self._from[item.id].parent / item.device for item in items if isinstance(item.device, str)}
        return fingerprint([*self.files, *sorted(named)])

    def device(self, item: Item) -> Device:
        """A fresh copy of the item's device, in memory. Raises: DeviceFileError, the device breaks its format."""
        if isinstance(item.device, str):
            return Device.from_file(self._from[item.id].parent / item.device)
        return Device.create(None, item.device, f"{self._from[item.id]}, item {item.id}")

    def key(self, item: Item) -> str:
        """The same for items of one device."""
        return str(self._from[item.id].parent / item.device) if isinstance(item.device, str) else f"item {item.id}"

    def toolbox(self, item: Item) -> Toolbox:
        """The tools of the item's device, read once for each device file. Raises: as `device`."""
        key = self.key(item)
        if key not in self._toolboxes:
            with self.device(item) as device:
                self._toolboxes[key] = device.toolbox
        return self._toolboxes[key]

    def document(self, item: Item) -> Mapping[str, Any]:
        """The values of the item's device file, as they stand there. Raises: as `device`."""
        if not isinstance(item.device, str):
            return item.device
        key = self.key(item)
        if key not in self._documents:
            self._documents[key] = read(Path(key))
        return self._documents[key]


def fingerprint(paths: Sequence[Path]) -> str:
    """SHA-256 over files."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def check_limit(limit: int | None) -> None:
    """Raises: UsageError, fewer than one is asked for."""
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: expected 1 or more")


T = TypeVar("T")


def evenly(whole: Sequence[T], limit: int | None) -> Sequence[T]:
    """So many, at equal distances; all for None. Raises: as `check_limit`."""
    check_limit(limit)
    if limit is None or limit >= len(whole):
        return whole
    return [whole[place * len(whole) // limit] for place in range(limit)]


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.glob("*.jsonl")) if path.is_dir() else (path,)


def _line(path: Path, place: int) -> int:
    """The line number, from 1, of the item at a place: blank lines hold none."""
    with path.open(encoding="utf-8") as file:
        return [number for number, text in enumerate(file, start=1) if text.strip()][place]

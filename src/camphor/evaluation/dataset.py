"""What an evaluation runs on: checked dataset items, their devices, and a fingerprint of both."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from camphor.datasets.items import Item, read_items
from camphor.device.device import Device
from camphor.errors import DatasetError, UsageError
from camphor.tools.toolbox import Toolbox


class Dataset:
    """Queries that can be scored, and the devices they are asked on.

    Args:
        path: a JSONL file in the contract's format (section 3).
        limit: how many queries to take, from the first; None for all.

    Raises:
        DatasetError: a line breaks the format, names a device that cannot be read, has no gold calls, or repeats an id.
        UsageError: there are no queries.
    """

    def __init__(self, path: Path, limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise UsageError(f"--limit {limit}: expected 1 or more")
        self.path = path
        items = list(read_items(path))
        if not items:
            raise UsageError(f"{path} holds no queries: give a JSONL file with one query a line")
        self._check(items)
        self.items: Sequence[Item] = items[:limit]
        self.fingerprint = self._fingerprint(items)
        self._toolboxes: dict[str, Toolbox] = {}

    def _check(self, items: Sequence[Item]) -> None:
        seen: set[str] = set()
        for place, item in enumerate(items):
            if item.calls is None:
                raise DatasetError(
                    str(self.path), self._line(place), "'calls' is missing: without gold it cannot be scored"
                )
            if item.id in seen:
                raise DatasetError(
                    str(self.path), self._line(place), f"the id {item.id!r} is used before: make it unique"
                )
            if isinstance(item.device, str) and not (self.path.parent / item.device).is_file():
                raise DatasetError(str(self.path), self._line(place), f"there is no device file {item.device}")
            seen.add(item.id)

    def _line(self, place: int) -> int:
        """The line number, from 1, of the item at a place: blank lines hold none."""
        with self.path.open(encoding="utf-8") as file:
            return [number for number, text in enumerate(file, start=1) if text.strip()][place]

    def _fingerprint(self, items: Sequence[Item]) -> str:
        """SHA-256 over the dataset file and the device files it names."""
        files = sorted({item.device for item in items if isinstance(item.device, str)})
        whole = hashlib.sha256()
        for path in (self.path, *(self.path.parent / name for name in files)):
            whole.update(hashlib.sha256(path.read_bytes()).digest())
        return whole.hexdigest()

    def device(self, item: Item) -> Device:
        """A fresh copy of the item's device, in memory. Raises: DeviceFileError, the device breaks its format."""
        if isinstance(item.device, str):
            return Device.from_file(self.path.parent / item.device)
        return Device.create(None, item.device, f"{self.path}, item {item.id}")

    def toolbox(self, item: Item) -> Toolbox:
        """The tools of the item's device, read once for each device file. Raises: as `device`."""
        key = item.device if isinstance(item.device, str) else f"item {item.id}"
        if key not in self._toolboxes:
            with self.device(item) as device:
                self._toolboxes[key] = device.toolbox
        return self._toolboxes[key]

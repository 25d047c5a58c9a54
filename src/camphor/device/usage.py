"""A first form, in memory: signatures as agreed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from camphor.device.store import Store
from camphor.device.usage_cells import Cells
from camphor.device.usage_events import ItemRef, UsageEvent
from camphor.device.usage_signals import Signals

__all__ = ["ItemRef", "Signals", "Usage", "UsageEvent"]


class Usage:
    """The use of one device's items; for now kept in memory only."""

    def __init__(self, store: Store, clock: Callable[[], datetime] | None = None) -> None:
        self._cells: dict[ItemRef, Cells] = {}
        self._places: list[str] = []
        self._signals = Signals()

    def record(self, event: UsageEvent) -> bool:
        """Counts the event; whether it was kept."""
        if event.place and event.place not in self._places:
            self._places.append(event.place)
        use = self._cells.setdefault(event.ref, Cells())
        use.add(event, self._places.index(event.place) if event.place else None, None)
        self._signals.put(event.ref, use, self._places, ())
        return True

    def signals(self) -> Signals:
        return self._signals

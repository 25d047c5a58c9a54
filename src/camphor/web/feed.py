"""Numbered events in memory that any number of pages may follow, each from where it was cut off."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import StreamingResponse


@dataclass(frozen=True)
class Event:
    """What happened: its number from 1 on, its kind, and what the kind holds."""

    number: int
    kind: str
    data: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"number": self.number, "kind": self.kind, **self.data}


class Feed:
    """Events of one thing that goes on. Written by any thread; followed in the server's loop.

    Args:
        most: how many are kept; of older ones nothing is left.
    """

    def __init__(self, most: int = 2000) -> None:
        self._kept: deque[Event] = deque(maxlen=most)
        self._lock, self._count = threading.Lock(), 0
        self._watchers: set[Callable[[], None]] = set()

    def add(self, kind: str, **data: Any) -> Event:
        with self._lock:
            self._count += 1
            event = Event(self._count, kind, data)
            self._kept.append(event)
            watchers = tuple(self._watchers)
        for tell in watchers:
            try:
                tell()
            except RuntimeError:  # the loop of a watcher that is gone
                self._watchers.discard(tell)
        return event

    def after(self, number: int = 0) -> list[Event]:
        """The kept events after that number."""
        with self._lock:
            return [event for event in self._kept if event.number > number]

    async def stream(self, after: int = 0) -> AsyncIterator[Event]:
        """Events after that number, and then each as it happens, for as long as somebody listens."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(news.set)

        self._watchers.add(tell)
        try:
            while True:
                news.clear()
                for event in self.after(after):
                    yield event
                    after = event.number
                await news.wait()
        finally:
            self._watchers.discard(tell)

    def response(self, after: int, last_event_id: str = "") -> StreamingResponse:
        """The events as server-sent events of the name `step`."""
        since = int(last_event_id) if last_event_id.isdigit() else after

        async def lines() -> AsyncIterator[str]:
            yield "retry: 1000\n\n"
            async for event in self.stream(since):
                yield f"id: {event.number}\nevent: step\ndata: {json.dumps(event.to_json())}\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream", headers={"cache-control": "no-store"})

"""Numbered events that any number of pages may follow, each from where it was cut off."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import StreamingResponse

from camphor.device.talks import Happened, Talks


@dataclass(frozen=True)
class Event:
    """What happened: its number from 1 on, its kind, and what the kind holds."""

    number: int
    kind: str
    data: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"number": self.number, "kind": self.kind, **self.data}


class Feed:
    """Events of one thing that goes on, in memory. Written by any thread; followed in the server's loop.

    Args:
        most: how many are kept; of older ones nothing is left.
    """

    def __init__(self, most: int = 2000) -> None:
        self._kept: deque[Event] = deque(maxlen=most)
        self._lock, self._count = threading.Lock(), 0
        self._followers: set[Callable[[], None]] = set()

    def add(self, kind: str, **data: Any) -> Event:
        event = self._keep(kind, data)
        for tell in tuple(self._followers):
            try:
                tell()
            except RuntimeError:  # the loop of one that is gone
                self._followers.discard(tell)
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

        self._followers.add(tell)
        try:
            while True:
                news.clear()
                for event in await asyncio.to_thread(self.after, after):
                    yield event
                    after = event.number
                await news.wait()
        finally:
            self._followers.discard(tell)

    def response(self, after: int, last_event_id: str = "", ends: Collection[str] = ()) -> StreamingResponse:
        """The events as server-sent events of the name `step`, or `end` for kinds with which something ends."""
        since = int(last_event_id) if last_event_id.isdigit() else after

        async def lines() -> AsyncIterator[str]:
            yield "retry: 1000\n\n"
            async for event in self.stream(since):
                name = "end" if event.kind in ends else "step"
                yield f"id: {event.number}\nevent: {name}\ndata: {json.dumps(event.to_json())}\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream", headers={"cache-control": "no-store"})

    def _keep(self, kind: str, data: Mapping[str, Any]) -> Event:
        with self._lock:
            self._count += 1
            event = Event(self._count, kind, data)
            self._kept.append(event)
        return event


class KeptFeed(Feed):
    """Events of a talk that is kept beside its phone: they outlive the server.

    Args:
        talks: the conversations on the phone; talk: the id of one of them. hidden: kinds that nobody is told.
    """

    def __init__(self, talks: Talks, talk: str, hidden: Collection[str] = ()) -> None:
        super().__init__(most=0)
        self._talks, self._talk, self._hidden = talks, talk, hidden

    def after(self, number: int = 0) -> list[Event]:
        return [_event(each) for each in self._talks.events(self._talk, number) if each.kind not in self._hidden]

    def _keep(self, kind: str, data: Mapping[str, Any]) -> Event:
        return _event(self._talks.add(self._talk, kind, data))


def _event(happened: Happened) -> Event:
    return Event(happened.number, happened.kind, {"at": happened.at, **happened.data})


class Background:
    """What a thread of its own does until it is over, or somebody says stop."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end."""
        if self._thread:
            self._thread.join(timeout)

    def _begin(self, work: Callable[..., None], name: str, *arguments: Any) -> None:
        self._thread = threading.Thread(target=work, args=arguments, daemon=True, name=name)
        self._thread.start()

"""Numbered events that any number of pages may follow, each from where it was cut off."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

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


class Numbered(Protocol):
    @property
    def number(self) -> int: ...


_Numbered = TypeVar("_Numbered", bound=Numbered)


class Followers:
    """Those who listen for events of one thing: each in the server's loop, told by any thread."""

    def __init__(self) -> None:
        self._all: set[Callable[[], None]] = set()

    def tell(self) -> None:
        """There are new ones."""
        for tell in tuple(self._all):
            try:
                tell()
            except RuntimeError:  # the loop of one that is gone
                self._all.discard(tell)

    async def stream(self, after: int, events: Callable[[int], Sequence[_Numbered]]) -> AsyncIterator[_Numbered]:
        """The events after that number, and then each as it happens, for as long as somebody listens."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(news.set)

        self._all.add(tell)
        try:
            while True:
                news.clear()
                for event in await asyncio.to_thread(events, after):
                    yield event
                    after = event.number
                await news.wait()
        finally:
            self._all.discard(tell)


class Feed:
    """Events of one thing that goes on, in memory. Written by any thread; followed in the server's loop.

    Args:
        most: how many are kept; of older ones nothing is left.
    """

    def __init__(self, most: int = 2000) -> None:
        self._kept: deque[Event] = deque(maxlen=most)
        self._lock, self._count = threading.Lock(), 0
        self._followers = Followers()

    def add(self, kind: str, **data: Any) -> Event:
        event = self._keep(kind, data)
        self._followers.tell()
        return event

    def after(self, number: int = 0) -> list[Event]:
        """The kept events after that number."""
        with self._lock:
            return [event for event in self._kept if event.number > number]

    def stream(self, after: int = 0) -> AsyncIterator[Event]:
        """Events after that number, and then each as it happens, for as long as somebody listens."""
        return self._followers.stream(after, self.after)

    def response(self, after: int, last_event_id: str = "") -> StreamingResponse:
        """The events as server-sent events of the name `step`."""
        since = int(last_event_id) if last_event_id.isdigit() else after

        async def lines() -> AsyncIterator[str]:
            yield "retry: 1000\n\n"
            async for event in self.stream(since):
                yield f"id: {event.number}\nevent: step\ndata: {json.dumps(event.to_json())}\n\n"

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
        talks: the conversations on the phone; talk: the id of one of them.
    """

    def __init__(self, talks: Talks, talk: str) -> None:
        super().__init__(most=0)
        self._talks, self._talk = talks, talk

    def after(self, number: int = 0) -> list[Event]:
        return [_event(each) for each in self._talks.events(self._talk, number)]

    def _keep(self, kind: str, data: Mapping[str, Any]) -> Event:
        return _event(self._talks.add(self._talk, kind, data))


def _event(happened: Happened) -> Event:
    return Event(happened.number, happened.kind, {"at": happened.at, **happened.data})

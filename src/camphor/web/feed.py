"""Numbered events that any number of pages may follow, each from where it was cut off, and their JSON."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, StreamingResponse

from camphor.agents.events import (
    AgentChosen,
    Answered,
    CallsProposed,
    ConsentNeeded,
    Event,
    Noted,
    Observed,
    Recalled,
    Writing,
)
from camphor.device.talks import Happened, Talks
from camphor.tools.tool import Parameter, Toolbox
from camphor.types import Observation


@dataclass(frozen=True)
class NumberedEvent:
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
        self._kept: deque[NumberedEvent] = deque(maxlen=most)
        self._lock, self._count = threading.Lock(), 0
        self._followers: set[Callable[[], None]] = set()
        self._passing: NumberedEvent | None = None

    def add(self, kind: str, **data: Any) -> NumberedEvent:
        self._passing = None
        event = self._keep(kind, data)
        self._tell()
        return event

    def mention(self, kind: str, **data: Any) -> None:
        """Tell whoever listens now of something that passes, such as half an answer: it has no number and is not kept,
        and the next takes its place."""
        self._passing = NumberedEvent(0, kind, data)
        self._tell()

    def _tell(self) -> None:
        for tell in tuple(self._followers):
            try:
                tell()
            except RuntimeError:  # the loop of one that is gone
                self._followers.discard(tell)

    def after(self, number: int = 0) -> list[NumberedEvent]:
        """The kept events after that number."""
        with self._lock:
            return [event for event in self._kept if event.number > number]

    async def stream(self, after: int = 0) -> AsyncIterator[NumberedEvent]:
        """Events after that number, and then each as it happens, for as long as somebody listens."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(news.set)

        self._followers.add(tell)
        mentioned = None
        try:
            while True:
                news.clear()
                for event in await asyncio.to_thread(self.after, after):
                    yield event
                    after = event.number
                if (passing := self._passing) is not None and passing is not mentioned:
                    yield passing
                    mentioned = passing
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
                place = f"id: {event.number}\n" if event.number else ""
                yield f"{place}event: {name}\ndata: {json.dumps(event.to_json())}\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream", headers={"cache-control": "no-store"})

    def _keep(self, kind: str, data: Mapping[str, Any]) -> NumberedEvent:
        with self._lock:
            self._count += 1
            event = NumberedEvent(self._count, kind, data)
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

    def after(self, number: int = 0) -> list[NumberedEvent]:
        return [_event(each) for each in self._talks.events(self._talk, number) if each.kind not in self._hidden]

    def _keep(self, kind: str, data: Mapping[str, Any]) -> NumberedEvent:
        return _event(self._talks.add(self._talk, kind, data))


def _event(happened: Happened) -> NumberedEvent:
    return NumberedEvent(happened.number, happened.kind, {"at": happened.at, **happened.data})


class BackgroundRun:
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


# Events of the assistant as the JSON that pages, the event stream and the kept conversation all share.


class Json(JSONResponse):
    """JSON in ASCII: a record may hold half a character (a lone surrogate), which UTF-8 cannot say."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


MOST_SHOWN = 25
"""Records of one look-up that are shown; how many there were is told."""


def of_event(event: Event, toolbox: Toolbox) -> tuple[str, dict[str, Any]]:
    """The kind of an event and what it holds."""
    if isinstance(event, AgentChosen):
        return "agent", {"agent": event.agent.value}
    if isinstance(event, CallsProposed):
        return "calls", {"agent": event.agent.value, "calls": [call.to_json() for call in event.calls]}
    if isinstance(event, Observed):
        seen = [of_observation(each) for each in event.step.observations]
        return "observed", {"agent": event.step.agent.value, "observations": seen}
    if isinstance(event, Recalled | Noted):
        return "recalled", {"text": event.told}
    if isinstance(event, Writing):
        return "writing", {"text": event.text}
    if isinstance(event, ConsentNeeded):
        fields = toolbox.get(event.call.name).parameters if event.call.name in toolbox else ()
        return "consent", {
            "call": event.call.to_json(),
            "description": event.description,
            "doubt": event.doubt,
            "evidence": [
                {"parameter": each.parameter, "value": each.value, "source": each.source, "doubt": each.doubt}
                for each in event.evidence
            ],
            "fields": [of_parameter(each, event.call.arguments) for each in fields],
        }
    return "answered", of_answer(event)


def of_answer(answered: Answered) -> dict[str, Any]:
    """What a query came to."""
    cost = answered.cost
    return {
        "response": answered.response,
        "refused": len(answered.refused),
        "timing": {
            "model_seconds": round(cost.seconds, 3),
            "prompt_tokens": cost.prompt_tokens,
            "cached_tokens": cost.cached_tokens,
            "generated_tokens": cost.generated_tokens,
        },
    }


def of_observation(seen: Observation) -> dict[str, Any]:
    """What the phone said to one call; of many records the first."""
    records = [dict(each) for each in seen.records[:MOST_SHOWN]]
    return {"call": seen.call.to_json(), "records": records, "found": len(seen.records), "error": seen.error}


def of_parameter(parameter: Parameter, values: Mapping[str, Any]) -> dict[str, Any]:
    """A field of a consent card: its name, what it is for, its value, and whether it must be filled."""
    value = values.get(parameter.name)
    return {
        "name": parameter.name,
        "description": parameter.description,
        "value": value,
        "required": parameter.required,
        "choices": list(parameter.enum or ()),
        "is_text": isinstance(value, str) or value is None,
    }

"""One query answered two ways, one after the other, with nothing done: models and prompt forms side by side."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass
from typing import Any

from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision
from camphor.agents.prompts import TOLD, Form
from camphor.agents.strategies.registry import CAMPHOR, choose
from camphor.app import Assistant, clean_query
from camphor.device.device import Device
from camphor.errors import CamphorError, UsageError
from camphor.web.feed import Feed
from camphor.web.problems import Conflict, NotFound
from camphor.web.services import Services
from camphor.web.wire import of_event

FORMS = {
    Form.NAMES: "known apps by name, short definitions of the others' tools",
    Form.COMPRESSED: "each definition as one function token",
    Form.HINTED: "function tokens, and short definitions of a few tools of unknown apps",
    Form.DEFINITIONS: "full definitions of the tools",
    Form.INSTRUCTED: "instructions of every agent, and definitions",
    Form.FULL: "instructions, definitions and worked examples",
}
"""The forms of a prompt, and what they say of the tools (CAMPHOR, Table 4)."""


@dataclass(frozen=True)
class Way:
    """How a query is answered: by which model, and with which form of prompts; None for the model's usual one."""

    model: str
    form: Form | None = None


class Comparison:
    """One that runs, or ran. Its feed tells each step of each side, and at the end `done`.

    Args:
        phone: its name; device: it itself. services: what opens the models. ways: the two, in the order of the page.

    Raises:
        UsageError: the query is empty or too long, or a model is none that the server knows.
    """

    def __init__(self, phone: str, device: Device, services: Services, query: str, ways: tuple[Way, ...]) -> None:
        self.id, self.phone, self.query, self.ways, self.feed = (
            uuid.uuid4().hex,
            phone,
            clean_query(query),
            ways,
            Feed(),
        )
        for way in ways:
            if way.model not in services.models:
                known = ", ".join(services.models)
                raise UsageError(
                    f"The server was not started with a model {way.model[:80]!r}: choose {known}, or start it with "
                    "--also-model"
                )
        self.device, self._services, self._stop = device, services, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"compare-{self.id[:8]}")
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """At the next step it ends."""
        self._stop.set()

    def join(self, timeout: float | None = None) -> None:
        self._thread.join(timeout)

    def _run(self) -> None:
        for side, way in enumerate(self.ways):
            if self._stop.is_set():
                break
            try:
                self._side(side, way)
            except CamphorError as error:
                self.feed.add("failed", side=side, text=str(error))
            except Exception as error:  # whatever breaks on one side, the other is answered
                self.feed.add("failed", side=side, text=f"Something broke ({type(error).__name__})")
        self.feed.add("done", stopped=self._stop.is_set())

    def _side(self, side: int, way: Way) -> None:
        self.feed.add("opening", side=side, model=way.model)
        started = time.perf_counter()
        own = way.model == self._services.model_name
        model, usual = self._services.model() if own else self._services.models[way.model]()
        try:
            seconds = time.perf_counter() - started
            strategy, form = choose(CAMPHOR, way.form, tuned=usual not in TOLD, usual=usual)
            self.feed.add("began", side=side, form=form.value, seconds=round(seconds, 3))
            assistant = Assistant(self.device, model, form=form, strategy=strategy)
            self._answer(side, assistant)
        finally:
            if not own:
                model.close()

    def _answer(self, side: int, assistant: Assistant) -> None:
        started, no = time.perf_counter(), Decision(Answer.NO)
        loop = assistant.run(self.query)
        try:
            event = next(loop)
            while not isinstance(event, Answered):
                if self._stop.is_set():
                    self.feed.add("stopped", side=side)
                    return
                kind, data = of_event(event, self.device.toolbox)
                self.feed.add(kind, side=side, **data)
                event = loop.send(no) if isinstance(event, ConsentNeeded) else next(loop)
        finally:
            loop.close()
        self.feed.add("answered", side=side, **_cost(event, time.perf_counter() - started))


class Comparisons:
    """The last comparison on each phone; one runs at a time, so that the seconds of one are not another's."""

    def __init__(self) -> None:
        self._lock, self._last = threading.Lock(), dict[str, Comparison]()

    def begin(self, phone: str, services: Services, query: str, ways: tuple[Way, ...]) -> Comparison:
        """Raises Conflict: one runs. Otherwise as `Comparison`, and `Services.phone`."""
        device = services.phone(phone)
        with self._lock:
            if any(each.running for each in self._last.values()):
                raise Conflict("Another comparison is running: wait for it, or stop it")
            held = self._last[phone] = Comparison(phone, device, services, query, ways)
            return held

    def last(self, phone: str, device: Device) -> Comparison | None:
        """Of this very phone: not of one that had its name before."""
        held = self._last.get(phone)
        return held if held and held.device is device else None

    def get(self, phone: str, comparison: str) -> Comparison:
        """Raises NotFound: it is not the phone's last one."""
        held = self._last.get(phone)
        if held is None or held.id != comparison:
            raise NotFound("There is no such comparison: the last one alone is kept, until the server ends")
        return held


def _cost(answered: Answered, seconds: float) -> dict[str, Any]:
    steps = [
        {
            "agent": each.agent.value,
            "seconds": round(each.seconds, 3),
            "prompt_tokens": each.prompt_tokens,
            "cached_tokens": each.cached_tokens,
            "generated_tokens": each.generated_tokens,
        }
        for each in answered.timings
    ]
    return {
        "response": answered.response,
        "calls": [call.to_json() for call in answered.proposed],
        "seconds": round(seconds, 3),
        "turns": steps,
    }

"""Compare: one query on two models, or with two forms of prompts, side by side. No action is done."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision
from camphor.agents.prompts import TOLD, Form
from camphor.agents.strategies.registry import CAMPHOR, choose
from camphor.app import Assistant, clean_query
from camphor.device.device import Device
from camphor.errors import CamphorError, UsageError
from camphor.web.feed import BackgroundRun, Feed, of_event
from camphor.web.health import of_server
from camphor.web.problems import Conflict, NotFound
from camphor.web.services import Phone, Services, services_of

router = APIRouter(prefix="/api", tags=["compare"])
Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
_AT = "/phones/{phone}/comparisons"


class PromptForm(BaseModel):
    name: Form
    about: str


class Choices(BaseModel):
    """What can be compared."""

    models: list[str] = Field(description="The server's own model first, then those that it was told of at its start")
    forms: list[PromptForm]


class OneWay(BaseModel):
    model: str = Field(max_length=1000, description="One of the models of the server")
    form: Form | None = Field(None, description="The form of its prompts; the model's usual one unless given")


class NewComparison(BaseModel):
    query: str = Field(max_length=200_000, description="What the person wants, in their words")
    ways: Annotated[list[OneWay], Field(min_length=2, max_length=2)]


class ComparisonState(BaseModel):
    id: str
    query: str
    ways: list[OneWay]
    running: bool
    happened: list[dict[str, Any]] = Field(
        description="Events: number, kind, and, but for `done`, the side, 0 or 1; the kinds of a conversation, and "
        "opening, began (the model is open), stopped and failed"
    )


@router.get("/comparisons/choices")
def choices(request: Request) -> Choices:
    """The models and the forms of prompts that there are."""
    models = services_of(request).models
    return Choices(models=list(models), forms=[PromptForm(name=form, about=about) for form, about in FORMS.items()])


@router.post(_AT, status_code=201)
def begin(request: Request, phone: Phone, wanted: NewComparison) -> ComparisonState:
    """Answer a query both ways, one after the other. Every action is declined, and nothing is remembered."""
    ways = tuple(ModelAndForm(each.model, each.form) for each in wanted.ways)
    return _state(_all(request).begin(phone, services_of(request), wanted.query, ways))


@router.get(_AT)
def last(request: Request, phone: Phone) -> ComparisonState | None:
    """The last comparison on a phone since the server was started; null where there is none."""
    held = _all(request).last(phone, services_of(request).phone(phone))
    return _state(held) if held else None


@router.post(_AT + "/{comparison}/stop", status_code=202)
def stop(request: Request, phone: Phone, comparison: Id) -> ComparisonState:
    """End it after the step that is under way."""
    held = _all(request).get(phone, comparison)
    held.stop()
    return _state(held)


@router.get(_AT + "/{comparison}/stream", response_class=StreamingResponse)
async def stream(
    request: Request,
    phone: Phone,
    comparison: Id,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> StreamingResponse:
    """Its events as they happen (server-sent events of the name `step`), after a number or after `Last-Event-ID`."""
    return _all(request).get(phone, comparison).feed.response(after, last_event_id)


def _all(request: Request) -> Comparisons:
    return of_server(request, "comparisons", Comparisons)


def _state(held: SideBySide) -> ComparisonState:
    return ComparisonState(
        id=held.id,
        query=held.query,
        ways=[OneWay(model=way.model, form=way.form) for way in held.ways],
        running=held.running,
        happened=[event.to_json() for event in held.feed.after()],
    )


# the comparison itself

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
class ModelAndForm:
    """How a query is answered: by which model, and with which form of prompts; None for the model's usual one."""

    model: str
    form: Form | None = None


class SideBySide(BackgroundRun):
    """One that runs, or ran. Its feed tells each step of each side, and at the end `done`.

    Args:
        phone: its name; device: it itself. services: what opens the models. ways: the two, in the order of the page.

    Raises:
        UsageError: the query is empty or too long, or a model is none that the server knows.
    """

    def __init__(
        self, phone: str, device: Device, services: Services, query: str, ways: tuple[ModelAndForm, ...]
    ) -> None:
        self.id, self.phone, self.query = uuid.uuid4().hex, phone, clean_query(query)
        self.ways, self.feed = ways, Feed()
        for way in ways:
            if way.model not in services.models:
                known = ", ".join(services.models)
                raise UsageError(
                    f"The server was not started with a model {way.model[:80]!r}: choose {known}, or start it with "
                    "--also-model"
                )
        super().__init__()
        self.device, self._services = device, services
        self._begin(self._run, f"compare-{self.id[:8]}")

    def stop(self) -> None:
        """At the next step it ends."""
        self._stop.set()

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

    def _side(self, side: int, way: ModelAndForm) -> None:
        self.feed.add("opening", side=side, model=way.model)
        started = time.perf_counter()
        own = way.model == self._services.model_name
        model, usual = self._services.model() if own else self._services.models[way.model]()
        try:
            seconds = time.perf_counter() - started
            strategy, form = choose(CAMPHOR, way.form, tuned=usual not in TOLD, usual=usual)
            self.feed.add("began", side=side, form=form.value, seconds=round(seconds, 3))
            shared = self._services.shared(self.device, way.model)
            assistant = Assistant(shared.device, model, form=form, strategy=strategy, whole=shared.whole)
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
        self._lock, self._last = threading.Lock(), dict[str, SideBySide]()

    def begin(self, phone: str, services: Services, query: str, ways: tuple[ModelAndForm, ...]) -> SideBySide:
        """Raises Conflict: one runs. Otherwise as `SideBySide`, and `Services.phone`."""
        device = services.phone(phone)
        with self._lock:
            if any(each.running for each in self._last.values()):
                raise Conflict("Another comparison is running: wait for it, or stop it")
            held = self._last[phone] = SideBySide(phone, device, services, query, ways)
            return held

    def last(self, phone: str, device: Device) -> SideBySide | None:
        """Of this very phone: not of one that had its name before."""
        held = self._last.get(phone)
        return held if held and held.device is device else None

    def get(self, phone: str, comparison: str) -> SideBySide:
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

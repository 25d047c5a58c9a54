"""Compare: one query on two models, or with two forms of prompts, side by side. No action is done."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from camphor.agents.prompts import Form
from camphor.web.comparisons import FORMS, Comparison, Comparisons, Way
from camphor.web.health import of_server
from camphor.web.routes.session import services_of

router = APIRouter(prefix="/api", tags=["compare"])
Phone = Annotated[str, Path(max_length=64, description="The name of a kept phone")]
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


class State(BaseModel):
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
def begin(request: Request, phone: Phone, wanted: NewComparison) -> State:
    """Answer a query both ways, one after the other. Every action is declined, and nothing is remembered."""
    ways = tuple(Way(each.model, each.form) for each in wanted.ways)
    return _state(_all(request).begin(phone, services_of(request), wanted.query, ways))


@router.get(_AT)
def last(request: Request, phone: Phone) -> State | None:
    """The last comparison on a phone since the server was started; null where there is none."""
    held = _all(request).last(phone, services_of(request).phone(phone))
    return _state(held) if held else None


@router.post(_AT + "/{comparison}/stop", status_code=202)
def stop(request: Request, phone: Phone, comparison: Id) -> State:
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


def _state(held: Comparison) -> State:
    return State(
        id=held.id,
        query=held.query,
        ways=[OneWay(model=way.model, form=way.form) for way in held.ways],
        running=held.running,
        happened=[event.to_json() for event in held.feed.after()],
    )

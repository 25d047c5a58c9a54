"""Conversations: ask, see every step as it happens, agree or not, stop."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from camphor.agents.events import Answer
from camphor.web.conversations import ENDS, Conversation, Conversations
from camphor.web.services import Phone

router = APIRouter(prefix="/api/phones/{phone}/conversations", tags=["chat"])
Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


class ConversationSummary(BaseModel):
    id: str
    title: str
    begun: str
    events: int


class Detail(ConversationSummary):
    running: bool = Field(description="Whether a query is being answered now")
    happened: list[dict[str, Any]] = Field(description="Events: number, kind, at, and what the kind holds")


class NewQuery(BaseModel):
    query: str = Field(max_length=200_000, description="What the person wants, in their words")
    key: str = Field("", max_length=64, description="A query sent twice with one key is answered once")


class QueryBegan(BaseModel):
    number: int = Field(description="The event with which the answer begins")


class ConsentWord(BaseModel):
    answer: Answer
    arguments: dict[str, Any] | None = Field(None, description="Other values for the action, all of them")


class QueryStopping(BaseModel):
    stopping: bool


@router.get("")
def conversations(request: Request, phone: Phone) -> list[ConversationSummary]:
    """The conversations on a phone, the newest first."""
    return [ConversationSummary(**vars(talk)) for talk in _all(request).all(phone)]


@router.post("", status_code=201)
def begin(request: Request, phone: Phone) -> Detail:
    """Begin a conversation."""
    return _detail(request, phone, _all(request).begin(phone))


@router.get("/{talk}")
def conversation(request: Request, phone: Phone, talk: Id, after: int = 0) -> Detail:
    """A conversation and what happened in it, after an event if its number is given."""
    return _detail(request, phone, _all(request).get(phone, talk), after)


@router.delete("/{talk}", status_code=204)
def delete(request: Request, phone: Phone, talk: Id) -> None:
    """Forget a conversation. What was done in it stays done, and in the journal."""
    _all(request).delete(phone, talk)


@router.post("/{talk}/queries", status_code=202)
def ask(request: Request, phone: Phone, talk: Id, asked: NewQuery) -> QueryBegan:
    """Ask something. The answer comes as events."""
    return QueryBegan(number=_all(request).get(phone, talk).ask(asked.query, asked.key))


@router.post("/{talk}/consents/{number}", status_code=204)
def decide(request: Request, phone: Phone, talk: Id, number: int, word: ConsentWord) -> None:
    """Say yes or no to an action that waits for it, yes with other values too."""
    _all(request).get(phone, talk).decide(number, word.answer, word.arguments)


@router.post("/{talk}/stop", status_code=202)
def stop(request: Request, phone: Phone, talk: Id) -> QueryStopping:
    """Stop answering: nothing more is done after the step that is under way."""
    return QueryStopping(stopping=_all(request).get(phone, talk).stop())


@router.get("/{talk}/stream", response_class=StreamingResponse)
async def stream(
    request: Request,
    phone: Phone,
    talk: Id,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> StreamingResponse:
    """Events as they happen (server-sent events), after a number or after `Last-Event-ID`."""
    return _all(request).get(phone, talk).feed.response(after, last_event_id, ENDS)


def _all(request: Request) -> Conversations:
    found = request.app.state.conversations
    assert isinstance(found, Conversations)
    return found


def _detail(request: Request, phone: str, held: Conversation, after: int = 0) -> Detail:
    talk = held.talks.get(held.id)
    summary = vars(talk) if talk else {"id": held.id, "title": "", "begun": "", "events": 0}
    return Detail(**summary, running=held.running, happened=[each.to_json() for each in held.feed.after(after)])

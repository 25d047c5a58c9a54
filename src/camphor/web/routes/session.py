"""Who is there: the session, its token, the pass code, and what the server is."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from camphor import __version__
from camphor.web.services import Services

router = APIRouter(prefix="/api", tags=["session"])


class SessionTold(BaseModel):
    """What a browser must know to speak to the server."""

    csrf_token: str
    entered: bool = Field(description="Whether this browser was let in: by the one-time address or the pass code")


class PassCode(BaseModel):
    pass_code: str = Field(max_length=200)


class Status(BaseModel):
    version: str
    model: str
    destination: str = Field(description='Where words go, in one sentence; "" where they stay in this process')
    phone: str = Field(description="The phone that is shown first")
    phones: list[str]


@router.get("/session")
def session(request: Request) -> SessionTold:
    """The session's token, for requests that change something."""
    scope = request.scope
    return SessionTold(csrf_token=scope["csrf"], entered=bool(scope["session"].get("in")))


@router.post("/session")
def enter(request: Request, entry: PassCode) -> SessionTold:
    """Give the pass code."""
    request.scope["guard"].enter(request.scope["session"], entry.pass_code)
    return session(request)


@router.get("/status")
def status(request: Request) -> Status:
    """What the server is and which phones it knows."""
    services: Services = request.app.state.services
    names = list(services.phones.names())
    told = services.destination.told if services.destination else ""
    return Status(version=__version__, model=services.model_name, destination=told, phone=services.first, phones=names)

"""The simulated watch: put it on, let something happen, see what the monitor tells."""

from __future__ import annotations

from datetime import date, time
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from camphor.device.health.vitals import VitalsStore
from camphor.health.monitor.vitals import MEASURES, shown_in
from camphor.health.monitor.watch import EMERGENCIES, FAULTS
from camphor.web.health import HealthRoute, LocalTime, health_of, of_server
from camphor.web.problems import Conflict
from camphor.web.routes.session import Phone, services_of
from camphor.web.watches import SPEEDS, Simulation, Simulations, begin_of

router = APIRouter(prefix="/api/phones/{phone}/watch", tags=["health"], route_class=HealthRoute)


class Measure(BaseModel):
    kind: str
    name: str
    unit: str
    decimals: int


class State(BaseModel):
    running: bool
    at: LocalTime | None = Field(description="The watch's local time")
    speed: int
    keep: bool = Field(description="Whether its readings go into the phone's own")
    scenes: list[str] = Field(description="What goes on now")
    last: int = Field(description="The number of the last event")
    emergencies: list[str]
    faults: list[str]
    speeds: list[int]
    measures: list[Measure]


class Start(BaseModel):
    day: date | None = Field(default=None, description="The day to live through; yesterday unless given")
    at: time = Field(default=time(8), description="When it is put on")
    speed: int = Field(60, description="Seconds of the watch in one of ours", json_schema_extra={"enum": [*SPEEDS]})
    keep: bool = False


class Happening(BaseModel):
    name: str = Field(max_length=40)
    minutes: float = Field(default=20, gt=0, le=240)


@router.get("")
def state(request: Request, phone: Phone) -> State:
    """Whether a watch runs, and what can happen to it."""
    return _state(request, phone, _all(request).get(phone))


@router.post("/start", status_code=201)
def start(request: Request, phone: Phone, begin: Start) -> State:
    """Put the watch on; one that is on is taken off first."""
    device = services_of(request).phone(phone)
    at = begin_of(device, begin.day, begin.at.replace(tzinfo=None))
    return _state(request, phone, _all(request).start(phone, device, at, begin.speed, begin.keep))


@router.post("/stop")
def stop(request: Request, phone: Phone) -> State:
    """Take it off."""
    held = _all(request).get(phone)
    if held:
        held.stop()
    return _state(request, phone, held)


@router.post("/scenes", status_code=202)
def happen(request: Request, phone: Phone, happening: Happening) -> State:
    """Let an emergency or a fault happen from now on."""
    held = _running(request, phone)
    held.scene(happening.name, happening.minutes)
    return _state(request, phone, held)


@router.post("/well", status_code=202)
def well(request: Request, phone: Phone) -> State:
    """End all that goes on."""
    held = _running(request, phone)
    held.well()
    return _state(request, phone, held)


@router.get("/stream", response_class=StreamingResponse)
async def stream(
    request: Request,
    phone: Phone,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> StreamingResponse:
    """What the watch reads and the monitor tells, as it happens (server-sent events of the name `step`)."""
    held = _all(request).get(phone)
    if held is None:
        raise Conflict("No watch was put on: start it first")
    return held.feed.response(after, last_event_id)


def _all(request: Request) -> Simulations:
    return of_server(request, "watches", lambda: Simulations(services_of(request)))


def _running(request: Request, phone: str) -> Simulation:
    held = _all(request).get(phone)
    if held is None or not held.running:
        raise Conflict("No watch runs: start it first")
    return held


def _state(request: Request, phone: str, held: Simulation | None) -> State:
    with health_of(request, phone) as (_, database), shown_in(VitalsStore(database).units()):
        measures = [
            Measure(kind=kind.value, name=each.name, unit=each.unit, decimals=each.decimals)
            for kind, each in MEASURES.items()
        ]
    events = held.feed.after() if held else []
    return State(
        running=bool(held and held.running),
        at=held.wall if held else None,
        speed=held.speed if held else SPEEDS[1],
        keep=bool(held and held.keep),
        scenes=held.scenes() if held and held.running else [],
        last=events[-1].number if events else 0,
        emergencies=list(EMERGENCIES),
        faults=list(FAULTS),
        speeds=list(SPEEDS),
        measures=measures,
    )

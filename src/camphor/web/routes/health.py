"""The health assistant on a phone: what it has, and the demo phone that has it all."""

from __future__ import annotations

import json
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, BackgroundTasks, Request
from pydantic import BaseModel, Field

from camphor.device.health.database import HealthDatabase
from camphor.device.health.emergencies import Emergencies
from camphor.health.assistant import CLINIC
from camphor.health.demo import furnish
from camphor.web.health import HealthRoute, health_of
from camphor.web.problems import Conflict, NotFound
from camphor.web.routes.session import Phone, services_of
from camphor.web.services import Services

router = APIRouter(prefix="/api", tags=["health"], route_class=HealthRoute)
DEMO = "nadia-bristol"


class Overview(BaseModel):
    owner: str
    now: str = Field(description="The phone's clock, local time")
    clinic: bool = Field(description="Whether it has the clinic app: appointments, complaints, ambulances, contacts")
    demo: str = Field(description="The demo phone that has it")
    demo_there: bool
    sos_active: bool


class Added(BaseModel):
    phone: str


@router.get("/phones/{phone}/health")
def overview(request: Request, phone: Phone) -> Overview:
    """What the phone has for one's health."""
    with health_of(request, phone) as (device, database):
        active = Emergencies(database).active() is not None
    return Overview(
        owner=device.owner,
        now=device.now.isoformat(),
        clinic=CLINIC in device.apps,
        demo=DEMO,
        demo_there=DEMO in services_of(request).phones.names(),
        sos_active=active,
    )


@router.post("/health/demo", status_code=201)
def add_demo(request: Request, tasks: BackgroundTasks) -> Added:
    """Add the demo phone that has the clinic app, with some weeks of made-up readings and doses, last ones first.

    One that is there stays as it is.
    """
    services = services_of(request)
    source = Path(str(files("camphor") / "demo" / "health.device.json"))
    if DEMO not in services.phones.names():
        with suppress(Conflict):  # another browser was faster
            services.keep(DEMO, json.loads(source.read_text(encoding="utf-8")), replace=False)
            tasks.add_task(_furnish, services)  # it takes seconds: the phone is there meanwhile
    return Added(phone=DEMO)


def _furnish(services: Services) -> None:
    with suppress(NotFound):  # it was removed meanwhile
        device = services.phone(DEMO)
        with HealthDatabase.of(device.path) as database:
            furnish(device, database)

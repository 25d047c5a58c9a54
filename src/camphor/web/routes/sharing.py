"""What of a phone the model may see, where it runs behind a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from camphor.device.sharing import (
    HERE,
    NO_APPS,
    can_be_shared,
    keep_rule,
    proposed,
    read_rules,
    rule_for,
    withheld,
)
from camphor.errors import UsageError
from camphor.models.destination import Destination
from camphor.web.problems import Conflict
from camphor.web.services import Phone, Services, services_of

router = APIRouter(prefix="/api/phones/{phone}", tags=["device"])


class SharedItem(BaseModel):
    name: str
    about: str = Field(description='What it is, where it is no app; else ""')
    shared: bool = Field(description="Whether it may be seen; what is proposed, where nothing was decided")


class Sharing(BaseModel):
    told: str = Field(description='Where words go, in one sentence; "" where they stay in this process')
    host: str = Field(description='The server, with its port; ""')
    computer: str | None = Field(description="The other computer that it is on; null for this one")
    decided: bool = Field(description="Whether the person has said what may be seen there; nothing is, before")
    items: Sequence[SharedItem]


class Shared(BaseModel):
    apps: Sequence[Annotated[str, Field(max_length=200)]] = Field(max_length=500)


@router.get("/sharing")
def sharing(request: Request, phone: Phone) -> Sharing:
    """Where words go, and what of the phone may go with them."""
    services = services_of(request)
    return _told(services, phone, services.destination)


@router.put("/sharing")
def share(request: Request, phone: Phone, shared: Shared) -> Sharing:
    """Say what the computer of the model may see; what is not named may not be."""
    services, device = services_of(request), services_of(request).phone(phone)
    destination = services.destination
    if destination is None or device.path is None:
        raise Conflict("Nothing leaves this process: there is no rule to set")
    known = can_be_shared(device.apps)
    if unknown := next((each for each in shared.apps if each not in known), ""):
        raise UsageError(f"{unknown[:80]!r} cannot be shared: name some of {', '.join(known)}")
    keep_rule(device.path, destination.computer or HERE, shared.apps)
    return _told(services, phone, destination)


def _told(services: Services, phone: str, destination: Destination | None) -> Sharing:
    device = services.phone(phone)
    if destination is None:
        return Sharing(told="", host="", computer=None, decided=True, items=[])
    rules, computer = read_rules(device.path), destination.computer
    decided = computer is None or rule_for(rules, computer) is not None
    hidden = withheld(device.apps, rules, computer)
    open_ = frozenset(can_be_shared(device.apps)) - hidden if decided else frozenset(proposed(device.apps))
    return Sharing(
        told=destination.told,
        host=destination.host,
        computer=computer,
        decided=decided,
        items=[
            SharedItem(name=name, about=NO_APPS.get(name, ""), shared=name in open_)
            for name in can_be_shared(device.apps)
        ],
    )

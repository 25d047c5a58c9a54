"""What every page shows: an SOS that is active, doses that are due, new notices; and what reminds of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from datetime import time as wall_time
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, Field

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase, health_file
from camphor.device.health.doses import Doses
from camphor.device.health.emergencies import Emergencies
from camphor.device.health.notices import VITALS, Notice, Notices
from camphor.device.health.outbox import MessageState, Outbox
from camphor.errors import CamphorError, UsageError
from camphor.health.emergency import settings
from camphor.health.emergency.delivery import Handed, HandOverOutcome, understood
from camphor.health.emergency.desk import not_told
from camphor.health.emergency.lines import emergency_numbers
from camphor.health.scheduler.reminders import DoseReminders, describe
from camphor.service import state as reached
from camphor.service.state import DESKTOP, Desktop, Places, ServiceState, state_of
from camphor.web.health import HealthRoute, LocalTime, Number, health_of, in_words
from camphor.web.problems import NotFound
from camphor.web.services import Phone, Services, services_of

router = APIRouter(prefix="/api", tags=["alerts"], route_class=HealthRoute)
STILL = "The clock of this phone stands still, as that of every demo phone does: nothing falls due on it"
_LATELY = 120.0
DAY = 86_400.0
Place = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$", description="The name of a place")]


class ToCall(BaseModel):
    name: str
    number: str
    tel: str = Field(description="For a link: tel:...")


class ActiveSos(BaseModel):
    phone: str
    owner: str
    since: LocalTime
    told: int = Field(description="How many were certainly told")
    not_told: list[str]
    call: list[ToCall]


class DueDose(BaseModel):
    phone: str
    owner: str
    dose: int
    what: str
    due: LocalTime


class NoticeTold(BaseModel):
    phone: str
    id: int
    key: str
    kind: str
    title: str
    text: str
    urgent: bool
    at: float


class Alerts(BaseModel):
    now: float = Field(description="The server's clock; ask for what came `after` it the next time")
    sos: list[ActiveSos]
    due: list[DueDose]
    notices: list[NoticeTold]
    readings: list[NoticeTold] = Field(description="Abnormal readings of the last day that nobody said to have seen")


class PlaceTold(BaseModel):
    name: str
    kind: str
    on: bool
    problem: str


class Service(BaseModel):
    says: str
    runs: str = Field(description="service, web or nothing")
    places: list[PlaceTold]
    ways: dict[str, str] = Field(description="How messages to others leave, and when each was tested")
    desktop: bool
    nag: bool
    every: int
    report: str
    problems: list[str]


class Wished(BaseModel):
    desktop: bool = True
    nag: bool = True
    every: int = Field(default=10, ge=1, le=720)
    report: str = Field(default="20:30", max_length=5, description='As 20:30; "" for never')


class NewPlace(BaseModel):
    name: str = Field(max_length=40)
    url: str = Field(max_length=2000, description="Of apprise; it is never told again")


class Rang(BaseModel):
    place: str
    rang: bool
    problem: str


@router.get("/alerts")
def alerts(request: Request, after: Annotated[float, Query(ge=0, le=1e11)] = 0) -> Alerts:
    """What is so now on all kept phones, and the notices after a moment, or of the last two minutes."""
    now = time.time()
    found = Alerts(now=now, sos=[], due=[], notices=[], readings=[])
    since = max(after, now - 3600) if after else now - _LATELY
    for name, device, database in _watched(services_of(request)):
        found.sos += _active(name, device, database)
        found.due += _due(name, device, database)
        notices = Notices(database, time.time)
        found.notices += [_notice(name, each) for each in notices.since(since)]
        # of one alarm the last word is enough
        last = {each.thread: each for each in notices.open(VITALS) if each.at > now - DAY}
        found.readings += [_notice(name, each) for each in last.values()]
    return found


@router.post("/phones/{phone}/notices/{number}/shown", status_code=204)
def shown(request: Request, phone: Phone, number: Number) -> None:
    """A browser has shown it to the person."""
    with health_of(request, phone) as (_, database):
        Notices(database, time.time).show(number)


@router.post("/phones/{phone}/notices/{number}/seen", status_code=204)
def seen(request: Request, phone: Phone, number: Number) -> None:
    """The person has seen it: it is shown no more, and what has not gone out of it does not."""
    with health_of(request, phone) as (_, database):
        notices = Notices(database, time.time)
        told = notices.get(number)
        if told is None:
            raise NotFound("There is no such notice")
        notices.end(told.thread)


@router.get("/service")
def service(request: Request) -> Service:
    """What reminds, and where."""
    state = _state(request)
    wishes = state.wishes
    return Service(
        says=state.says(),
        runs=state.runs.kind if state.runs else "",
        places=[PlaceTold(**each) for each in state.places()],
        ways={name.value: way.tested for name, way in state.settings.ways.items()},
        desktop=wishes.desktop,
        nag=wishes.nag,
        every=wishes.every,
        report=f"{wishes.report:%H:%M}" if wishes.report else "",
        problems=list(state.problems),
    )


@router.put("/service/reminders")
def wish(request: Request, wished: Wished) -> Service:
    """Say how you want to be reminded."""
    at: wall_time | None = settings.clock(wished.report)
    settings.set_wishes(
        services_of(request).settings, settings.ReminderWishes(wished.desktop, wished.nag, wished.every, at)
    )
    return service(request)


@router.post("/service/places", status_code=201)
def add_place(request: Request, new: NewPlace) -> Service:
    """Add a place where you are reminded: a service that apprise knows, which then sees your reminders."""
    if "://" not in new.url or not understood(new.url.strip()):
        raise UsageError("apprise does not understand this url: its wiki lists the services and their urls")
    settings.set_place(services_of(request).settings, new.name.strip(), new.url.strip())
    return service(request)


@router.delete("/service/places/{place}", status_code=204)
def remove_place(request: Request, place: Place) -> None:
    """Remove a place."""
    if place not in settings.read_settings(services_of(request).settings).places:
        raise NotFound("There is no such place")
    settings.remove(services_of(request).settings, place)


@router.post("/service/test")
def ring(request: Request, place: Annotated[str | None, Query(max_length=40)] = None) -> list[Rang]:
    """Ring each place, or one, and say what came of it."""
    services = services_of(request)
    desktop = desktop_of(services)
    problem = desktop.problem()
    places = Places.read(services.settings, desktop, not problem)
    if place is not None and place not in (*places.names, DESKTOP):
        raise NotFound("There is no such place")
    rang: list[Rang] = []
    if problem and place in (None, DESKTOP):
        rang.append(Rang(place=DESKTOP, rang=False, problem=problem))
        if place == DESKTOP:
            return rang

    def tell(name: str, handed: Handed) -> None:
        rang.append(Rang(place=name, rang=handed.outcome is HandOverOutcome.TAKEN, problem=handed.problem))

    reached.rings(places, tell, place)
    return rang


def rings(request: Request) -> str:
    """Whether anything reminds, in a sentence."""
    return _state(request).says()


def to_call(device: Device) -> list[ToCall]:
    """Whom to call: the country's emergency number first."""
    return [ToCall(name=each.name, number=each.number, tel=each.dialled) for each in emergency_numbers(device)]


def desktop_of(services: Services) -> Desktop:
    """The one that the loop rings, too."""
    held = services.loop.desktop if services.loop is not None else None
    return held or Desktop()


def _state(request: Request) -> ServiceState:
    services = services_of(request)
    return state_of({}, services.home, services.settings, desktop_of(services))


def _watched(services: Services) -> Iterator[tuple[str, Device, HealthDatabase]]:
    """The phones that have anything to tell. One that cannot be read keeps none of the others from being told of."""
    for name, path in services.phones.files().items():
        file = health_file(path)
        if file is None or not file.exists():
            continue
        with suppress(CamphorError):
            device = services.phone(name)
            with HealthDatabase.of(path) as database:
                yield name, device, database


def _notice(phone: str, told: Notice) -> NoticeTold:
    return NoticeTold(
        phone=phone, id=told.id, key=f"{phone}:{told.key}", kind=told.kind, title=told.title, text=in_words(told.text),
        urgent=told.urgent, at=told.at,
    )  # fmt: skip


def _active(name: str, device: Device, database: HealthDatabase) -> list[ActiveSos]:
    sos = Emergencies(database).active()
    if sos is None:
        return []
    messages = Outbox(database, time.time).messages(sos.thread)
    told = {each.draft.recipient for each in messages if each.state is MessageState.SENT}
    return [
        ActiveSos(
            phone=name,
            owner=device.owner,
            since=datetime.fromisoformat(sos.started),
            told=len(told),
            not_told=not_told(messages),
            call=to_call(device),
        )
    ]


def _due(name: str, device: Device, database: HealthDatabase) -> list[DueDose]:
    """Doses that wait for the person's word, and were not put off."""
    reminders = DoseReminders.of(device, Doses(database))
    doses = reminders.doses
    return [
        DueDose(phone=name, owner=device.owner, dose=each.id, what=describe(doses.medicine(each.medicine), each),
                due=each.wall)
        for each in doses.waiting(reminders.now)
        if each.reminders and not (each.next > reminders.now and doses.events(each.id)[-1][1] == "snoozed")
    ]  # fmt: skip

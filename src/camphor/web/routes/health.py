"""The health assistant on a phone: what it has, the demo phone that has it all, and the people whom it needs."""

from __future__ import annotations

import json
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, BackgroundTasks, File, Request, UploadFile
from pydantic import BaseModel, Field

from camphor.device.apps.clinic import Clinic
from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.device.health.emergencies import Emergencies
from camphor.errors import UsageError
from camphor.health import people
from camphor.health.assistant import CLINIC
from camphor.health.demo import furnish
from camphor.health.people import Card, KeptList, read_cards
from camphor.web.health import HealthRoute, Number, health_of
from camphor.web.problems import Conflict, NotFound
from camphor.web.routes.health_vitals import kept_upload
from camphor.web.services import Phone, Services, services_of

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


# Emergency contacts, doctors, clinics and numbers of a phone; and address books, of which the person takes some in.

_MOST = 1000


class PersonTold(BaseModel):
    item: int = Field(description="Its place in the phone's list, for good")
    name: str
    phone_number: str
    email: str
    specialization: str
    address: str


class NewPerson(BaseModel):
    name: str = Field(min_length=1, max_length=120)
    phone_number: str = Field(default="", max_length=40)
    email: str = Field(default="", max_length=200)
    specialization: str = Field(default="", max_length=120, description="What a doctor is for")
    address: str = Field(default="", max_length=200)


class CardRead(BaseModel):
    name: str
    phone_numbers: list[str]
    mobile: str = Field(description='The one that takes text messages; "" where none is said to')
    emails: list[str]
    organisation: str
    title: str
    address: str


class BookRead(BaseModel):
    cards: list[CardRead]
    left_out: str = Field(description='What of the file is not among them, in a sentence; "" where all is')


def _add_routes(path: str, kind: KeptList, name: str, all_of_them: str, one: str, one_added: str = "") -> None:
    """Routes that list, add and remove people of a kind; `name` is of one, and words are those of the document."""

    def every(request: Request, phone: Phone) -> list[PersonTold]:
        return _all(request, phone, kind)

    def add(request: Request, phone: Phone, new: NewPerson) -> list[PersonTold]:
        return _add(request, phone, kind, new)

    def remove(request: Request, phone: Phone, item: Number) -> None:
        _remove(request, phone, kind, item)

    at, adding, removing = f"/phones/{{phone}}/{path}", f"Add {one_added or one}; all of them.", f"Remove {one}."
    router.get(at, name=f"{name}s", description=all_of_them)(every)
    router.post(at, status_code=201, name=f"add_{name}", description=adding)(add)
    router.delete(f"{at}/{{item}}", status_code=204, name=f"remove_{name}", description=removing)(remove)


_add_routes("emergency-contacts", KeptList.CONTACT, "contact", "Who is told in an emergency.", "an emergency contact")
_add_routes("doctors", KeptList.DOCTOR, "doctor", "The person's doctors.", "a doctor")
_add_routes("clinics", KeptList.CLINIC, "clinic", "Clinics, practices and hospitals.", "a clinic")
_NUMBERS = "Numbers that the person added to the country's emergency number."
_add_routes("emergency-numbers", KeptList.NUMBER, "number", _NUMBERS, "a number", "a number to call")


@router.post("/phones/{phone}/health/clinic", status_code=204)
def ready(request: Request, phone: Phone) -> None:
    """Give the phone the clinic app, in which people, appointments and complaints are kept; nothing where it has it."""
    people.ready_clinic(services_of(request).phone(phone))


@router.post("/health/cards")
def cards(file: Annotated[UploadFile, File(description="A vCard file (.vcf) of an address book")]) -> BookRead:
    """Who is in an address book. Nobody is kept."""
    with kept_upload(file) as path:
        book = read_cards(path)
    return BookRead(cards=list(map(_card, book.cards)), left_out=book.left_out)


def _card(read: Card) -> CardRead:
    return CardRead(
        name=read.name, phone_numbers=list(read.numbers), mobile=next(iter(read.mobiles), ""), emails=list(read.emails),
        organisation=read.organisation, title=read.title, address=read.address,
    )  # fmt: skip


def _all(request: Request, phone: str, kind: KeptList) -> list[PersonTold]:
    """In the order in which they were added."""
    device: Device = services_of(request).phone(phone)
    if Clinic.name not in device.apps:
        return []
    return [_person(ordinal, row) for ordinal, row in reversed(device.page(Clinic.name, kind.value, most=_MOST).rows)]


def _person(ordinal: int, row: Any) -> PersonTold:
    names = ("name", "phone_number", "email", "specialization", "address")
    return PersonTold(item=ordinal, **{name: str(row.get(name) or "") for name in names})


def _add(request: Request, phone: str, kind: KeptList, new: NewPerson) -> list[PersonTold]:
    try:
        people.add(services_of(request).phone(phone), kind, people.PersonEntry(**new.model_dump()))
    except UsageError as error:
        if "is kept already" in str(error):
            raise Conflict(str(error)) from None
        raise
    return _all(request, phone, kind)


def _remove(request: Request, phone: str, kind: KeptList, item: int) -> None:
    device = services_of(request).phone(phone)
    if Clinic.name not in device.apps:
        raise NotFound("There is no such record: it may have been removed")
    try:
        people.remove(device, kind, item)
    except UsageError as error:
        raise NotFound(str(error)) from None

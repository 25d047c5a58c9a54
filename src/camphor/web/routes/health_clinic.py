"""What the clinic app keeps: appointments and complaints; and the talk about a complaint."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from camphor.device.apps.clinic import Clinic
from camphor.device.device import Device
from camphor.device.health.slots import slot_of
from camphor.errors import UsageError
from camphor.health import people
from camphor.health.assistant import profile_of
from camphor.types import Call
from camphor.web.complaints import ComplaintTalk, ComplaintTalks
from camphor.web.health import HealthRoute, LocalTime, Number, clinic_phone, of_server
from camphor.web.problems import Conflict, NotFound
from camphor.web.services import Phone, services_of

router = APIRouter(prefix="/api/phones/{phone}", tags=["health"], route_class=HealthRoute)
_MOST = 1000
Question = Annotated[int, Path(ge=1, le=2**31)]


class Appointment(BaseModel):
    item: int = Field(description="Its place in the phone's list, for good")
    name: str
    specialization: str
    begin: LocalTime | None
    end: LocalTime | None
    symptoms: str
    state: str
    ahead: bool = Field(description="Whether it is still to come and was not cancelled")


class ComplaintTold(BaseModel):
    item: int
    date: str
    symptoms: str


class NewComplaint(BaseModel):
    symptoms: str = Field(min_length=1, max_length=1000)


class NewAppointment(BaseModel):
    name: str = Field(min_length=1, max_length=120, description="With whom")
    begin: datetime = Field(description="On the phone's clock")
    minutes: int = Field(default=30, ge=1, le=1440)
    specialization: str = Field(default="", max_length=120)
    symptoms: str = Field(default="", max_length=1000, description="What it is for")


class ComplaintBegan(BaseModel):
    complaint: str = Field(max_length=10_000)
    key: str = Field(default="", max_length=64, description="One sent twice with one key is heard once")


class QuestionAnswer(BaseModel):
    text: str = Field(max_length=10_000)


class Decided(BaseModel):
    yes: bool


class TalkTold(BaseModel):
    running: bool
    last: int
    happened: list[dict[str, Any]]


class TalkBegan(BaseModel):
    number: int


class TalkStopping(BaseModel):
    stopping: bool


# appointments


@router.get("/appointments")
def appointments(request: Request, phone: Phone) -> list[Appointment]:
    """The appointments: those to come first, the next one first; then the others, the last one first."""
    device = clinic_phone(request, phone)
    found = [_appointment(device, ordinal, row) for ordinal, row in _rows(device, "appointments")]
    ahead = sorted((each for each in found if each.ahead), key=_begin)
    return [*ahead, *sorted((each for each in found if not each.ahead), key=_begin, reverse=True)]


@router.post("/appointments", status_code=201)
def add_appointment(request: Request, phone: Phone, new: NewAppointment) -> list[Appointment]:
    """Keep an appointment that the person made themselves; all of them."""
    device = services_of(request).phone(phone)
    begin = new.begin.replace(tzinfo=None)
    people.add_appointment(device, new.name, begin, new.minutes, new.specialization, new.symptoms)
    return appointments(request, phone)


@router.post("/appointments/{item}/cancel")
def cancel(request: Request, phone: Phone, item: Number) -> Appointment:
    """Cancel an appointment; its slot is free again."""
    device = clinic_phone(request, phone)
    with device.changing(Clinic) as clinic:
        own = next((each for each in clinic.appointments.active() if each.ordinal == item), None)
        if own is None:
            raise Conflict("There is no such appointment, or it was cancelled before")
        return _appointment(device, item, dict(clinic.appointments.cancel(own)))


# complaints


@router.get("/complaints")
def complaints(request: Request, phone: Phone) -> list[ComplaintTold]:
    """What the person complained of, the last first."""
    device = clinic_phone(request, phone)
    return [
        ComplaintTold(item=ordinal, date=str(row.get("date") or "")[:10], symptoms=_text(row.get("symptoms")))
        for ordinal, row in _rows(device, "complaints")
    ]


@router.post("/complaints", status_code=201)
def add_complaint(request: Request, phone: Phone, new: NewComplaint) -> ComplaintTold:
    """Note what one has now."""
    device = clinic_phone(request, phone)
    user, now = str(profile_of(device).get("user_id") or "me"), device.now.isoformat(timespec="seconds")
    said = " ".join(new.symptoms.split())
    seen = device.execute(Call("store_symptoms", {"user_id": user, "symptoms": said, "timestamp": now}))
    if seen.error:
        raise UsageError(seen.error)
    return complaints(request, phone)[0]


@router.delete("/complaints/{item}", status_code=204)
def remove_complaint(request: Request, phone: Phone, item: Number) -> None:
    """Delete a complaint."""
    with clinic_phone(request, phone).changing(Clinic) as clinic:
        if all(ordinal != item for ordinal, _ in clinic.records.rows("complaints")):
            raise NotFound("There is no such record: it may have been removed")
        clinic.records.change("complaints", item, None)


# the talk


@router.get("/complaint-talk")
def talk(request: Request, phone: Phone, after: Annotated[int, Query(ge=0)] = 0) -> TalkTold:
    """The talk about complaints, after an event if its number is given."""
    held = _talk(request, phone)
    happened = held.feed.after(after)
    last = happened[-1].number if happened else after
    return TalkTold(running=held.running, last=last, happened=[each.to_json() for each in happened])


@router.post("/complaint-talk", status_code=202)
def tell(request: Request, phone: Phone, told: ComplaintBegan) -> TalkBegan:
    """Tell what troubles you. Signs of an emergency are found first, by code."""
    return TalkBegan(number=_talk(request, phone).tell(told.complaint, told.key))


@router.delete("/complaint-talk", status_code=204)
def forget_talk(request: Request, phone: Phone) -> None:
    """Stop talking about it, and forget what was said. What was done stays done, and in the journal."""
    _talks(request).forget(phone, clinic_phone(request, phone))


@router.post("/complaint-talk/questions/{number}", status_code=204)
def answer(request: Request, phone: Phone, number: Question, answered: QuestionAnswer) -> None:
    """Answer a question of the assistant."""
    _talk(request, phone).answer(number, answered.text)


@router.post("/complaint-talk/consents/{number}", status_code=204)
def decide(request: Request, phone: Phone, number: Question, decided: Decided) -> None:
    """Agree to an action, or not."""
    _talk(request, phone).decide(number, decided.yes)


@router.post("/complaint-talk/stop", status_code=202)
def stop(request: Request, phone: Phone) -> TalkStopping:
    """Stop talking about it: nothing more is done."""
    return TalkStopping(stopping=_talk(request, phone).stop())


@router.get("/complaint-talk/stream", response_class=StreamingResponse)
async def stream(
    request: Request,
    phone: Phone,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> StreamingResponse:
    """The talk as it happens (server-sent events of the name `step`)."""
    return _talk(request, phone).feed.response(after, last_event_id)


def _talk(request: Request, phone: str) -> ComplaintTalk:
    return _talks(request).of(phone, clinic_phone(request, phone))


def _talks(request: Request) -> ComplaintTalks:
    return of_server(request, "complaint_talks", lambda: ComplaintTalks(services_of(request)))


# records


def _rows(device: Device, name: str) -> list[tuple[int, dict[str, Any]]]:
    """The records of a list with their places, the last added first."""
    return [(ordinal, dict(row)) for ordinal, row in device.page(Clinic.name, name, most=_MOST).rows]


def _appointment(device: Device, ordinal: int, row: dict[str, Any]) -> Appointment:
    slot = slot_of(row)
    state = str(row.get("state") or "")
    return Appointment(
        item=ordinal,
        name=_text(row.get("name")),
        specialization=_text(row.get("specialization")),
        begin=slot.start if slot else None,
        end=slot.end if slot else None,
        symptoms=_text(row.get("symptoms")),
        state=state,
        ahead=state != "cancelled" and (slot is None or slot.end > device.now),
    )


def _begin(each: Appointment) -> datetime:
    return each.begin or datetime.max


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")

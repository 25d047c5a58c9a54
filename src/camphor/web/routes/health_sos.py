"""A hard SOS: rehearsed, begun, brought up to date and ended, without the language model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from camphor.device.device import Device
from camphor.device.health.outbox import Channel
from camphor.errors import CamphorError, Refused, UsageError
from camphor.health.emergency.delivery import AppriseDelivery, BrokenDelivery, Delivery, HandOverOutcome, delivery_of
from camphor.health.emergency.desk import Desk, desk_of, message_json, not_told, readiness, report_json, set_up
from camphor.health.emergency.lines import emergency_number
from camphor.health.emergency.sos import SosReport
from camphor.health.emergency.wording import call_too, message_line, nobody_told
from camphor.web.health import HealthRoute, in_words, of_server
from camphor.web.problems import Conflict, NotFound
from camphor.web.routes.alerts import ToCall, to_call
from camphor.web.services import Phone, services_of

router = APIRouter(prefix="/api/phones/{phone}/sos", tags=["health"], route_class=HealthRoute)
_TRIES_SECONDS = 3600.0


class ReadyTold(BaseModel):
    """Whether an SOS would reach anybody."""

    ready: bool
    reached: list[str] = Field(description="Who would be told by a way that was tested")
    missing: list[str] = Field(description="What is to be done before anybody is told")
    ways: dict[str, str] = Field(description="Each way that is set up, and when it was tested")
    call: list[ToCall]


class SetUp(BaseModel):
    channel: str = Field(json_schema_extra={"enum": ["sms", "email"]}, max_length=10)
    url: str = Field(default="", max_length=2000, description="Of apprise, with {to}; the one that is set up for none")
    to: str = Field(min_length=1, max_length=200, description="Who gets the test message")


class SosTold(BaseModel):
    """What a step did, or would do."""

    sos: dict[str, Any] | None = Field(description="The emergency that is active or was last")
    messages: list[dict[str, Any]] = Field(description="Each with what became of it, in `says`")
    would_send: list[dict[str, Any]] = Field(description="In a rehearsal, what would be written")
    withdrawn: int
    problems: list[str]
    delivery: str = Field(description="How messages leave this machine, if they do")
    call_too: str
    alone: str = Field(description='Where nobody was told of an active SOS: what to do; "" else')
    ready: ReadyTold


class SosStep(BaseModel):
    dry_run: bool = Field(default=False, description="A rehearsal: nothing is written or sent")
    note: str = Field(default="", max_length=300, description="What is new")


class SosSettled(BaseModel):
    sent: bool = Field(description="Whether it arrived; what did not is sent again")


@router.get("")
def status(request: Request, phone: Phone) -> SosTold:
    """Whether an SOS is active, and what became of each of its messages."""
    with _desk(request, phone) as desk:
        return _told(request, desk, desk.emergency.status())


@router.get("/ready")
def ready(request: Request, phone: Phone) -> ReadyTold:
    """Whether an SOS would reach anybody, whom, and what is missing."""
    return _ready(request, services_of(request).phone(phone))


@router.post("/setup")
def setup(request: Request, phone: Phone, said: SetUp) -> ReadyTold:
    """Set up who sends the messages of an emergency, and send a test message; it counts once the service took it."""
    device = services_of(request).phone(phone)
    if said.channel not in ("sms", "email"):
        raise UsageError("Messages to others leave as sms or email")
    handed = set_up(services_of(request).settings, Channel(said.channel), said.url, said.to)
    if handed.outcome is not HandOverOutcome.TAKEN:
        raise Refused(handed.problem)
    return _ready(request, device)


@router.post("/start")
def start(request: Request, phone: Phone, step: SosStep) -> SosTold:
    """Call for help now. Pressed again while it is active, it tells those who were told nothing so far."""
    with _desk(request, phone, step.dry_run) as opened:
        desk, report = opened.start(step.dry_run)
        if desk is not opened:  # pressed again, it must be known
            _memory(request)[phone] = desk
        told = _told(request, desk, report, step.dry_run)
        if not step.dry_run:
            _bring_away(request, phone, desk)
    return told


@router.post("/update")
def update(request: Request, phone: Phone, step: SosStep) -> SosTold:
    """Tell everybody where the person is now, if that changed, and a note."""
    return _step(request, phone, step, lambda desk: desk.emergency.update(step.note, step.dry_run))


@router.post("/end")
def end(request: Request, phone: Phone, step: SosStep) -> SosTold:
    """Tell those who were told that no more help is needed; what has not gone out is taken back."""
    return _step(request, phone, step, lambda desk: desk.emergency.end(step.dry_run))


@router.post("/messages/{number}/settle")
def settle(
    request: Request, phone: Phone, number: Annotated[int, Path(ge=1, le=2**53)], settled: SosSettled
) -> dict[str, Any]:
    """Say of a message whether it arrived, where nobody here can know; only then it is sent again."""
    with _desk(request, phone) as desk:
        outbox = desk.emergency.outbox
        try:
            outbox.get(number)
        except UsageError as error:
            raise NotFound(str(error)) from None
        try:
            message = outbox.settle(number, settled.sent)
        except UsageError as error:
            raise Conflict(str(error)) from None
        if not settled.sent:
            _bring_away(request, phone, desk)
        return {**message_json(message), "says": message_line(message)}


def _step(request: Request, phone: str, step: SosStep, do: Callable[[Desk], SosReport]) -> SosTold:
    with _desk(request, phone, step.dry_run) as desk:
        report = do(desk)
        if not step.dry_run:
            _bring_away(request, phone, desk)
        return _told(request, desk, report, step.dry_run)


@contextmanager
def _desk(request: Request, phone: str, dry_run: bool = False) -> Iterator[Desk]:
    device = services_of(request).phone(phone)
    held = _memory(request).get(phone)
    if held is not None and held.phone is device and held.emergency.status().sos is not None:
        yield held
        return
    with desk_of(device, _delivery(request), dry_run=dry_run, anyway=True) as desk:
        yield desk


def _bring_away(request: Request, phone: str, desk: Desk) -> None:
    """Hands messages over without letting the person wait; what a service does not take is tried for an hour."""
    if not desk.delivery.channels:
        return
    if desk.problem:  # in memory: the outbox is the desk's own
        work = lambda: desk.courier.send_all(_TRIES_SECONDS)  # noqa: E731
    else:
        device, delivery = desk.phone, desk.delivery
        work = lambda: _send(device, delivery)  # noqa: E731
    threading.Thread(target=work, daemon=True, name=f"sos-{phone[:20]}").start()


def _send(device: Device, delivery: Delivery) -> bool:
    with desk_of(device, delivery) as desk:
        return desk.courier.send_all(_TRIES_SECONDS)


def _memory(request: Request) -> dict[str, Desk]:
    return of_server(request, "sos_in_memory", dict[str, Desk])


def _delivery(request: Request) -> Delivery:
    return delivery_of(services_of(request).settings)


def _told(request: Request, desk: Desk, report: SosReport, dry_run: bool = False) -> SosTold:
    problems = [in_words(each) for each in (desk.problem, *report.problems) if each]
    told = report_json(report, problems)
    told["messages"] = [
        {**message, "says": message_line(each)} for message, each in zip(told["messages"], report.messages, strict=True)
    ]
    number = emergency_number(desk.phone)
    return SosTold(
        **told,
        delivery=_how(desk.delivery),
        call_too=call_too(number),
        alone="" if dry_run else _alone(desk, report, number),
        ready=_ready(request, desk.phone),
    )


def _alone(desk: Desk, report: SosReport, number: str) -> str:
    """What is said where nobody was told of an active SOS, and nothing is under way to anybody."""
    if report.sos is None or report.sos.state.value != "active":
        return ""
    messages = desk.emergency.outbox.messages(report.sos.thread)
    hopeful = ("sent", "sending") if desk.delivery.channels else ("sent",)
    if any(each.state.value in hopeful or (each.state.value == "waiting" and not each.attempts) for each in messages):
        return ""
    return nobody_told(not_told(messages), number)


def _ready(request: Request, device: Device) -> ReadyTold:
    found = readiness(device, services_of(request).settings)
    return ReadyTold(
        ready=found.ready, reached=list(found.reached), missing=list(found.missing), ways=found.ways,
        call=to_call(device),
    )  # fmt: skip


def _how(delivery: Delivery) -> str:
    if not delivery.channels:
        return "No delivery is set up, so messages are only kept here and nobody is told"
    if isinstance(delivery, BrokenDelivery):
        return f"Nothing can be delivered: {delivery.problem}"
    try:
        if isinstance(delivery, AppriseDelivery):
            delivery.prepare()
    except CamphorError as error:
        return str(error)
    return f"Delivered by {', '.join(sorted(each.value for each in delivery.channels))}"

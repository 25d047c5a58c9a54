"""Medicines and their doses: what is due, and what became of it. The same word from two browsers counts once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from camphor.device.health.doses import Doses
from camphor.errors import UsageError
from camphor.health.scheduler.reminders import DoseReminders
from camphor.health.scheduler.schedule import DosePlan
from camphor.web.health import HealthRoute, LocalTime, Number, health_of, in_words
from camphor.web.problems import NotFound
from camphor.web.routes.session import Phone

router = APIRouter(prefix="/api/phones/{phone}", tags=["health"], route_class=HealthRoute)


class DoseTold(BaseModel):
    dose: int
    due: LocalTime
    what: str
    state: str = Field(description="to come, waiting, taken, skipped or missed")
    noted: LocalTime | None
    reminders: int


class DosesTold(BaseModel):
    day: date
    today: date
    now: LocalTime
    doses: list[DoseTold]
    counts: dict[str, int]


class MedicineTold(BaseModel):
    id: int
    name: str
    facts: dict[str, Any] = Field(description="Strength, dose, form, route, food, when ... as they were confirmed")
    times: list[str]
    as_needed: bool
    start: str
    stopped: str | None


class Word(BaseModel):
    at: datetime | None = Field(default=None, description="When, on the phone's clock; now unless given")
    another: bool = Field(default=False, description="It was one more, not the one noted before")
    why: str = Field(default="", max_length=200)
    minutes: int = Field(default=10, ge=1, le=720)


class Said(BaseModel):
    says: str
    news: bool = Field(description="False where it was noted before, so that nothing was changed")


@router.get("/doses")
def doses(
    request: Request,
    phone: Phone,
    day: Annotated[date | None, Query(description="Today on the phone unless given")] = None,
    days: Annotated[int, Query(ge=1, le=31)] = 1,
) -> DosesTold:
    """Doses and what became of them."""
    with _reminders(request, phone) as reminders:
        now = reminders.clock()
        first = datetime.combine(day or now.date(), time())
        last = first + timedelta(days=days)
        rows = reminders.listed(first, last)
        return DosesTold(
            day=first.date(), today=now.date(), now=now, doses=[DoseTold(**row) for row in rows],
            counts=reminders.counts(first, last),
        )  # fmt: skip


@router.post("/doses/{dose}/taken")
def taken(request: Request, phone: Phone, dose: Number, word: Word) -> Said:
    """Note that a dose was taken."""
    with _reminders(request, phone, dose) as reminders:
        noted, news = reminders.taken(dose, _naive(word.at), another=word.another)
        return Said(says=reminders.outcome(noted, news), news=news)


@router.post("/doses/{dose}/skip")
def skip(request: Request, phone: Phone, dose: Number, word: Word) -> Said:
    """Note that a dose is left out."""
    with _reminders(request, phone, dose) as reminders:
        noted, news = reminders.skip(dose, word.why)
        return Said(says=reminders.outcome(noted, news), news=news)


@router.post("/doses/{dose}/snooze")
def snooze(request: Request, phone: Phone, dose: Number, word: Word) -> Said:
    """Put the reminders of a dose off for some minutes."""
    with _reminders(request, phone, dose) as reminders:
        put = reminders.snooze(dose, timedelta(minutes=word.minutes))
        return Said(says=f"You are reminded again at {reminders.wall(put.next):%H:%M}", news=True)


@router.post("/doses/{dose}/undo")
def undo(request: Request, phone: Phone, dose: Number) -> Said:
    """Take back what was said of a dose."""
    with _reminders(request, phone, dose) as reminders:
        reminders.doses.reopen(dose, reminders.now)
        return Said(says="The dose counts as not decided again", news=True)


@router.get("/medicines")
def medicines(request: Request, phone: Phone, stopped: bool = False) -> list[MedicineTold]:
    """The medicines whose doses are reminded of; with `stopped` also those that are not taken any more."""
    with _reminders(request, phone) as reminders:
        return [
            MedicineTold(
                id=each.id, name=each.name, facts=dict(each.facts), start=each.start, stopped=each.stopped,
                times=[f"{at:%H:%M}" for at in DosePlan.from_json(each.plan).clock],
                as_needed=DosePlan.from_json(each.plan).as_needed,
            )
            for each in reminders.doses.medicines(stopped=stopped)
        ]  # fmt: skip


@router.post("/medicines/{medicine}/taken")
def taken_as_needed(request: Request, phone: Phone, medicine: Number, word: Word) -> Said:
    """Note a dose of a medicine that is taken when needed."""
    with _reminders(request, phone, medicine=medicine) as reminders:
        noted, news = reminders.taken_as_needed(medicine, _naive(word.at), another=word.another)
        return Said(says=in_words(reminders.outcome(noted, news)), news=news)


@router.post("/medicines/{medicine}/stop")
def stop(request: Request, phone: Phone, medicine: Number) -> Said:
    """End the reminders of a medicine. What was noted of its doses stays."""
    with _reminders(request, phone, medicine=medicine) as reminders:
        stopped = reminders.doses.stop(medicine, reminders.clock(), reminders.now)
        return Said(says=f"Stopped: {stopped.name}. What was noted of its doses is kept", news=True)


@contextmanager
def _reminders(
    request: Request, phone: str, dose: int | None = None, medicine: int | None = None
) -> Iterator[DoseReminders]:
    """The reminders of a phone. Raises NotFound: there is no such phone, or no such dose or medicine on it."""
    with health_of(request, phone) as (device, database):
        doses = Doses(database)
        try:
            if dose is not None:
                doses.dose(dose)
            if medicine is not None:
                doses.medicine(medicine)
        except UsageError as error:
            raise NotFound(str(error)) from None
        yield DoseReminders.of(device, doses)


def _naive(at: datetime | None) -> datetime | None:
    return at.replace(tzinfo=None) if at else None

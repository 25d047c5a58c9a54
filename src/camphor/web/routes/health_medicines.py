"""Prescriptions, medicines, doses: what is due, and what became of it. The same word from two browsers counts once."""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from pydantic import BaseModel, Field

from camphor.device.health.doses import Doses
from camphor.errors import Refused, UsageError
from camphor.health.prescriptions.keeping import KnownMedicines, check, keep, not_checked
from camphor.health.prescriptions.lines import TextLine
from camphor.health.prescriptions.ocr import pictures_of, read_file
from camphor.health.prescriptions.parse import FIELDS, Prescribed, Prescription, parse
from camphor.health.scheduler.reminders import DoseReminders
from camphor.health.scheduler.schedule import DayTimes, DosePlan
from camphor.web.health import HealthRoute, LocalTime, Number, health_of, in_words
from camphor.web.problems import Conflict, NotFound
from camphor.web.routes.alerts import STILL, rings
from camphor.web.routes.health_vitals import kept_upload
from camphor.web.services import Phone, services_of

# Prescriptions: read from a picture, shown field by field, kept only as the person confirms them.
#
# Nothing of a reading is kept between the steps: the page sends back the lines that were read with what the person says
# of single fields, and the same lines are understood the same way again.

router = APIRouter(prefix="/api", tags=["health"], route_class=HealthRoute)
_READING = threading.Semaphore(1)  # reading a picture takes all that the machine has
_WAIT = 20.0
_MOST_LINES = 400


class LineRead(BaseModel):
    text: str = Field(max_length=2_000)
    seen: float = Field(default=1.0, ge=0, le=1, description="How clear it was; 1 for what was typed")
    other: str | None = Field(default=None, max_length=2_000, description="What a second reading of a picture has")
    aside: bool = Field(default=False, description="Whether it is of a column that says nothing of how it is taken")
    letters: float = Field(default=1.0, ge=0, le=1, description="How clear it was apart from its figures")

    @classmethod
    def of(cls, line: TextLine) -> LineRead:
        other = None if line.other is None else line.other[:2000]
        seen, letters = (max(0.0, min(1.0, each)) for each in (line.seen, line.letters))
        return cls(text=line.text[:2000], seen=seen, other=other, aside=line.aside, letters=letters)


class PicturesRead(BaseModel):
    lines: list[LineRead]
    pictures: list[str] = Field(description="Of a PDF or a TIFF, pictures of its pages as data: addresses")


class FieldChange(BaseModel):
    """What the person says of one field."""

    medicine: int = Field(ge=1, le=_MOST_LINES, description="Its number, from 1, in the order of the reading")
    field: str = Field(max_length=20)
    value: str = Field(max_length=200)


class LinesToUnderstand(BaseModel):
    lines: list[LineRead] = Field(max_length=_MOST_LINES)
    changes: list[FieldChange] = Field(default=[], max_length=500)
    leave: list[int] = Field(default=[], max_length=_MOST_LINES, description="Numbers of medicines to leave out")


class PrescriptionKept(LinesToUnderstand):
    source: str = Field(default="typed", max_length=120, description="Where it comes from: a file's name")
    start: datetime | None = Field(default=None, description="When to begin, on the phone's clock; now unless given")
    despite: bool = Field(default=False, description="In spite of the conflicts that were told")


class FieldRead(BaseModel):
    name: str
    value: str | None = Field(description='"" where nothing was said, null where it is in doubt')
    read: str
    confidence: float
    candidates: list[str]
    why: str
    said: bool = Field(description="Whether it is as the person says")


class MedicineRead(BaseModel):
    number: int
    name: str
    left_out: bool
    fields: list[FieldRead]
    times: list[str]
    as_needed: bool
    note: str
    read: list[str]


class Understood(BaseModel):
    medicines: list[MedicineRead]
    not_understood: list[str]
    conflicts: list[str]
    not_checked: list[str] = Field(description="Of which medicines and allergies nothing is known")
    faults: list[str] = Field(description="Changes that could not be understood, and were left aside")
    ready: bool = Field(description="Whether nothing is in doubt")


class KeptMedicines(BaseModel):
    medicines: list[str]
    rings: str = Field(description="Whether anything reminds of them, in a sentence")


@router.post("/health/prescriptions")
def read(
    file: Annotated[UploadFile, File(description="A photo (JPEG, PNG, WebP, TIFF), a PDF or a text file, to 25 MB")],
    pages: Annotated[str, Form(max_length=11, description="Which pages of a PDF, as 2 or 1-3")] = "",
) -> PicturesRead:
    """Read the lines of a prescription. Nothing is kept."""
    chosen = _pages(pages)
    if not _READING.acquire(timeout=_WAIT):
        raise Conflict("Other pictures are being read: try again in a minute")
    try:
        with kept_upload(file) as path:
            lines = read_file(path, chosen)
            shown = [f"data:image/jpeg;base64,{b64encode(each).decode()}" for each in pictures_of(path, chosen)]
    finally:
        _READING.release()
    parse(lines)  # too long ones are told now
    return PicturesRead(lines=[LineRead.of(each) for each in lines], pictures=shown)


@router.post("/phones/{phone}/prescriptions/check")
def understand(request: Request, phone: Phone, reading: LinesToUnderstand) -> Understood:
    """What the lines say, with the person's changes, and whether it contradicts other medicines. Nothing is kept."""
    found = _parsed(reading)
    medicines, faults = _changed(found, reading, strict=False)
    left = [each for number, each in enumerate(medicines, 1) if number not in reading.leave]
    with health_of(request, phone) as (device, database):
        known = KnownMedicines.of(device, Doses(database))
        conflicts, unknown = check(left, known), not_checked(left, known)
    said = {(change.medicine, change.field) for change in reading.changes}
    return Understood(
        medicines=[_medicine(number, each, reading, said) for number, each in enumerate(medicines, 1)],
        not_understood=[line.text for line in found.not_understood],
        conflicts=[each.text for each in conflicts],
        not_checked=unknown,
        faults=faults,
        ready=bool(left) and not any(each.doubts or each.plan is None for each in left),
    )


@router.post("/phones/{phone}/prescriptions", status_code=201)
def confirm(request: Request, phone: Phone, kept: PrescriptionKept) -> KeptMedicines:
    """Keep what the person has checked; its doses are reminded of from then on. Nothing may be in doubt."""
    found = _parsed(kept)
    medicines, _ = _changed(found, kept, strict=True)
    for number, each in enumerate(medicines, 1):
        if number not in kept.leave:
            _settled(number, each)
    left = [each for number, each in enumerate(medicines, 1) if number not in kept.leave]
    if not left:
        raise UsageError("No medicine is left to keep: type what the prescription says, one medicine a line")
    with health_of(request, phone) as (device, database), database.transaction():
        doses = Doses(database)
        start = kept.start.replace(tzinfo=None) if kept.start else device.now
        known = KnownMedicines.of(device, doses)
        if (conflicts := check(left, known)) and not kept.despite:
            raise Refused(f"{conflicts[0].text} Nothing was kept: agree to it in spite of that, or leave it out")
        made = keep(doses, left, kept.source, found.text, start, known, despite=kept.despite)
        DoseReminders.of(device, doses).plan()
        still = "" if device.clock_goes else STILL
    services_of(request).changed()
    return KeptMedicines(medicines=[each.name for each in made], rings=still or rings(request))


def _settled(number: int, each: Prescribed) -> None:
    for name, doubt in each.doubts.items():
        raise UsageError(f"Medicine {number}, {name}: {doubt.why or 'it is in doubt'}: say what it is, or leave it out")
    if each.plan is None:
        raise UsageError(f"Medicine {number}: it is not known when it is taken: say so, such as: twice daily")


def _parsed(reading: LinesToUnderstand) -> Prescription:
    return parse([TextLine(**each.model_dump()) for each in reading.lines])


def _changed(found: Prescription, reading: LinesToUnderstand, strict: bool) -> tuple[list[Prescribed], list[str]]:
    """The medicines with the person's changes, and changes that are none.

    Raises:
        UsageError: a change is none, and `strict`.
    """
    medicines, faults = list(found.medicines), []
    for change in reading.changes:
        try:
            if not change.medicine <= len(medicines):
                raise UsageError(f"There is no medicine {change.medicine} in it: it has {len(medicines)}")
            place = change.medicine - 1
            medicines[place] = medicines[place].corrected(change.field, change.value, DayTimes())
        except UsageError as error:
            if strict:
                raise
            faults.append(str(error))
    return medicines, faults


def _medicine(number: int, each: Prescribed, reading: LinesToUnderstand, said: set[tuple[int, str]]) -> MedicineRead:
    fields = [
        FieldRead(name=name, value=value.value, read=value.read, confidence=round(value.confidence, 3),
                  candidates=list(value.candidates), why=value.why, said=(number, name) in said)
        for name in FIELDS if (value := each.fields[name])
    ]  # fmt: skip
    return MedicineRead(
        number=number,
        name=each.name,
        left_out=number in reading.leave,
        fields=fields,
        times=[f"{at:%H:%M}" for at in each.plan.clock] if each.plan else [],
        as_needed=bool(each.plan and each.plan.as_needed),
        note=each.note,
        read=[line.text for line in each.lines],
    )


def _pages(text: str) -> Sequence[int]:
    if not text.strip():
        return []
    match = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", text.strip())
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise UsageError("The pages are named as 2 or 1-3")
    return range(int(match[1]), int(match[2] or match[1]) + 1)


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


class DoseWord(BaseModel):
    at: datetime | None = Field(default=None, description="When, on the phone's clock; now unless given")
    another: bool = Field(default=False, description="It was one more, not the one noted before")
    why: str = Field(default="", max_length=200)
    minutes: int = Field(default=10, ge=1, le=720)


class DoseSaid(BaseModel):
    says: str
    news: bool = Field(description="False where it was noted before, so that nothing was changed")


@router.get("/phones/{phone}/doses")
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


@router.post("/phones/{phone}/doses/{dose}/taken")
def taken(request: Request, phone: Phone, dose: Number, word: DoseWord) -> DoseSaid:
    """Note that a dose was taken."""
    with _reminders(request, phone, dose) as reminders:
        noted, news = reminders.taken(dose, _naive(word.at), another=word.another)
        return DoseSaid(says=reminders.outcome(noted, news), news=news)


@router.post("/phones/{phone}/doses/{dose}/skip")
def skip(request: Request, phone: Phone, dose: Number, word: DoseWord) -> DoseSaid:
    """Note that a dose is left out."""
    with _reminders(request, phone, dose) as reminders:
        noted, news = reminders.skip(dose, word.why)
        return DoseSaid(says=reminders.outcome(noted, news), news=news)


@router.post("/phones/{phone}/doses/{dose}/snooze")
def snooze(request: Request, phone: Phone, dose: Number, word: DoseWord) -> DoseSaid:
    """Put the reminders of a dose off for some minutes."""
    with _reminders(request, phone, dose) as reminders:
        put = reminders.snooze(dose, timedelta(minutes=word.minutes))
        return DoseSaid(says=f"You are reminded again at {reminders.wall(put.next):%H:%M}", news=True)


@router.post("/phones/{phone}/doses/{dose}/undo")
def undo(request: Request, phone: Phone, dose: Number) -> DoseSaid:
    """Take back what was said of a dose."""
    with _reminders(request, phone, dose) as reminders:
        reminders.doses.reopen(dose, reminders.now)
        return DoseSaid(says="The dose counts as not decided again", news=True)


@router.get("/phones/{phone}/medicines")
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


@router.post("/phones/{phone}/medicines/{medicine}/taken")
def taken_as_needed(request: Request, phone: Phone, medicine: Number, word: DoseWord) -> DoseSaid:
    """Note a dose of a medicine that is taken when needed."""
    with _reminders(request, phone, medicine=medicine) as reminders:
        noted, news = reminders.taken_as_needed(medicine, _naive(word.at), another=word.another)
        return DoseSaid(says=in_words(reminders.outcome(noted, news)), news=news)


@router.post("/phones/{phone}/medicines/{medicine}/stop")
def stop(request: Request, phone: Phone, medicine: Number) -> DoseSaid:
    """End the reminders of a medicine. What was noted of its doses stays."""
    with _reminders(request, phone, medicine=medicine) as reminders:
        stopped = reminders.doses.stop(medicine, reminders.clock(), reminders.now)
        return DoseSaid(says=f"Stopped: {stopped.name}. What was noted of its doses is kept", news=True)


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

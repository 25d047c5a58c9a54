"""Prescriptions: read from a picture, shown field by field, kept only as the person confirms them.

Nothing of a reading is kept between the steps: the page sends back the lines that were read with what the person says
of single fields, and the same lines are understood the same way again.
"""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from pydantic import BaseModel, Field

from camphor.device.health.doses import Doses
from camphor.errors import Refused, UsageError
from camphor.health.prescriptions.keeping import KnownMedicines, check, keep, not_checked
from camphor.health.prescriptions.lines import TextLine
from camphor.health.prescriptions.ocr import pictures_of, read_file
from camphor.health.prescriptions.parse import FIELDS, Prescribed, Prescription, parse
from camphor.health.scheduler.reminders import DoseReminders
from camphor.health.scheduler.schedule import DayTimes
from camphor.web.health import HealthRoute, health_of
from camphor.web.problems import Conflict
from camphor.web.routes.alerts import STILL, rings
from camphor.web.routes.health_vitals import kept_upload
from camphor.web.routes.session import Phone, services_of

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


class Read(BaseModel):
    lines: list[LineRead]
    pictures: list[str] = Field(description="Of a PDF or a TIFF, pictures of its pages as data: addresses")


class Change(BaseModel):
    """What the person says of one field."""

    medicine: int = Field(ge=1, le=_MOST_LINES, description="Its number, from 1, in the order of the reading")
    field: str = Field(max_length=20)
    value: str = Field(max_length=200)


class Reading(BaseModel):
    lines: list[LineRead] = Field(max_length=_MOST_LINES)
    changes: list[Change] = Field(default=[], max_length=500)
    leave: list[int] = Field(default=[], max_length=_MOST_LINES, description="Numbers of medicines to leave out")


class Kept(Reading):
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
) -> Read:
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
    return Read(lines=[LineRead.of(each) for each in lines], pictures=shown)


@router.post("/phones/{phone}/prescriptions/check")
def understand(request: Request, phone: Phone, reading: Reading) -> Understood:
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
def confirm(request: Request, phone: Phone, kept: Kept) -> KeptMedicines:
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


def _parsed(reading: Reading) -> Prescription:
    return parse([TextLine(**each.model_dump()) for each in reading.lines])


def _changed(found: Prescription, reading: Reading, strict: bool) -> tuple[list[Prescribed], list[str]]:
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


def _medicine(number: int, each: Prescribed, reading: Reading, said: set[tuple[int, str]]) -> MedicineRead:
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

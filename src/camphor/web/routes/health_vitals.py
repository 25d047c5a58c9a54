"""Vitals: a day's curves, what was abnormal, and taking in what another program measured."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path as FilePath
from pathlib import PurePath
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, File, Form, Path, Query, Request, UploadFile
from pydantic import BaseModel, Field

from camphor.device.health.vitals import Minutes, VitalsStore
from camphor.errors import CamphorError, UsageError
from camphor.health.monitor.baseline import span
from camphor.health.monitor.imports import read
from camphor.health.monitor.monitor import Monitor, alarm_summary, alarms_of, day_summary, episode_summary
from camphor.health.monitor.thresholds import UNKNOWN_AGE, Level, person_of
from camphor.health.monitor.typed import lines_of, note
from camphor.health.monitor.vitals import (
    CHOICES,
    COUNTED,
    MEASURES,
    Measure,
    Vital,
    epoch,
    local,
    shown_in,
    unit_named,
)
from camphor.service.care import Care
from camphor.service.state import Desktop, Places
from camphor.web.health import HealthRoute, health_of, in_words
from camphor.web.services import Phone, Services, services_of

router = APIRouter(prefix="/api", tags=["health"], route_class=HealthRoute)
_FINE, _COARSE = 5, 15  # minutes of one point of a curve: of what is measured, of what is counted
Day = Annotated[date | None, Query(description="The day; today on the phone unless given")]
Point = tuple[float, float, float, float]


class LimitTold(BaseModel):
    """Where a range of the person's begins that is looked for."""

    value: float
    above: bool
    urgent: bool
    told: str


class Curve(BaseModel):
    """One kind of vital sign on one day."""

    kind: str
    name: str
    unit: str
    decimals: int
    counted: bool = Field(description="Whether its values add up, as steps do")
    last: str
    at: str
    mean: str
    range: str
    usual: str
    readings: int
    simulated: bool = Field(description="Whether readings of it were made up")
    limits: list[LimitTold]
    points: list[Point] = Field(description="Minute of the day, mean (or sum), least and greatest value")


class UnitTold(BaseModel):
    """In which unit a kind is told."""

    kind: str
    name: str
    unit: str
    choices: list[str]


class Chosen(BaseModel):
    unit: str = Field(max_length=20)


class AlarmTold(BaseModel):
    raised: str
    ended: str | None
    level: str
    told: bool
    signs: list[str]


class Vitals(BaseModel):
    day: date
    today: date
    days: list[date] = Field(description="The first and the last day that have readings; none where there are none")
    curves: list[Curve]
    alarms: list[AlarmTold] = Field(description="Soft SOS of the day")
    watch: list[str] = Field(description="What is wrong with the watch now")
    notes: list[str] = Field(description="What to know of the ranges that are looked for")
    units: list[UnitTold] = Field(description="The kinds whose unit the person can choose")


class Checked(BaseModel):
    readings: int
    abnormal: list[dict[str, Any]]
    watch: list[str]
    trends: list[str]


class ReadingsTaken(BaseModel):
    new: int
    readings: int
    plausible: int
    suspicious: int
    impossible: int
    missing: int
    timeless: int
    skipped: dict[str, int] = Field(description="What was left out, and why")
    problems: list[str]


class NewReading(BaseModel):
    text: str = Field(min_length=1, max_length=200, description="As a person writes it: 142/91 pulse 68")
    at: str = Field(default="", max_length=40, description="When, in the phone's time; now unless given")


class NewlyNoted(BaseModel):
    says: list[str] = Field(description="What was kept, and what is to be doubted of it")
    alarms: list[str] = Field(description="What the person is to be told of it now")


@router.post("/phones/{phone}/vitals/readings", status_code=201)
def add_reading(request: Request, phone: Phone, new: NewReading) -> NewlyNoted:
    """Keep what the person measured and typed; what needs care is told at once."""
    services = services_of(request)
    with _monitor(request, phone) as (monitor, now):
        noted = note(monitor, new.text, now, new.at)
        care = Care(services.phone(phone), monitor.store.database, _places(services))
        alarms = [in_words(each) for each in care.readings()]
    services.changed()
    return NewlyNoted(says=list(lines_of(noted)), alarms=alarms)


@router.get("/phones/{phone}/vitals")
def vitals(request: Request, phone: Phone, day: Day = None) -> Vitals:
    """A day's vitals as curves, with the alarms of the day."""
    with _monitor(request, phone) as (monitor, now):
        chosen, today = day or now.date(), now.date()
        begin, end = span(chosen, monitor.zone)
        curves = []
        for row in day_summary(monitor, chosen):
            kind = Vital(row["kind"])
            measure = MEASURES[kind]
            kept = monitor.store.minutes(kind.value, begin, end)
            points = _points(kept, kind in COUNTED, monitor, measure)
            limits = [
                LimitTold(
                    value=round(measure.shown(rule.limit), measure.decimals + 1),
                    above=rule.above,
                    urgent=rule.level is Level.URGENT,
                    told=f"{measure.told(rule.limit)} or {'more' if rule.above else 'less'}"
                    f"{' at rest' if rule.at_rest else ''}",
                )
                for rule in monitor.rules(chosen)
                if rule.kind is kind and rule.name != "strained_heart"
            ]
            more: dict[str, Any] = {"unit": measure.unit, "decimals": measure.decimals, "counted": kind in COUNTED}
            curves.append(Curve(**row, **more, points=points, limits=limits))
        alarms = [
            AlarmTold(**{key: value for key, value in alarm_summary(each, monitor.zone).items() if key != "figures"})
            for each in alarms_of(monitor.store, begin, end)
        ]
        silent = [each.says for each in monitor.silence(epoch(now, monitor.zone))] if chosen == today else []
        known = monitor.store.span()
        days = [local(known[0], monitor.zone).date(), local(known[1] - 1, monitor.zone).date()] if known else []
        notes = [UNKNOWN_AGE] if curves and monitor.person.age is None else []
        units = [
            UnitTold(kind=kind.value, name=MEASURES[kind].name, unit=MEASURES[kind].unit, choices=list(choices))
            for kind, choices in CHOICES.items()
        ]
    return Vitals(
        day=chosen, today=today, days=days, curves=curves, alarms=alarms, watch=silent, notes=notes, units=units
    )


@router.put("/phones/{phone}/vitals/units/{kind}", status_code=204)
def choose_unit(request: Request, phone: Phone, kind: Annotated[str, Path(max_length=40)], chosen: Chosen) -> None:
    """Choose the unit in which a kind is told: in curves, reports and messages, whatever the next file has."""
    named = next((each for each in CHOICES if each.value == kind), None)
    unit = unit_named(named, chosen.unit) if named else None
    if unit is None:
        told = "; ".join(f"{each.value} in {' or '.join(units)}" for each, units in CHOICES.items())
        raise UsageError(f"This is no unit of {kind!r}. There are: {told}")
    with health_of(request, phone) as (_, database):
        VitalsStore(database).show_in({kind: unit}, chosen=True)


@router.get("/phones/{phone}/vitals/check")
def check(request: Request, phone: Phone, day: Day = None, days: Annotated[int, Query(ge=1, le=366)] = 1) -> Checked:
    """Look through kept vitals: what was abnormal and for how long, faults of the watch, changes over days."""
    with _monitor(request, phone) as (monitor, now):
        last = day or now.date()
        found = monitor.check(last - timedelta(days=days - 1), last)
        return Checked(
            readings=found.readings,
            abnormal=[episode_summary(each, monitor.zone) for each in found.episodes],
            watch=[each.says for each in found.faults],
            trends=[each.says for each in found.trends],
        )


@router.post("/health/import", status_code=201)
def import_(
    request: Request,
    file: Annotated[UploadFile, File(description="an export of another program, a .fit or a .csv file")],
    phone: Annotated[str, Form(min_length=1, max_length=64)],
    day_first: Annotated[bool | None, Form(description="How 03/04/2026 is meant, where a table leaves it open")] = None,
) -> ReadingsTaken:
    """Take vitals of another program in. What is there is not taken twice; nobody is alarmed by the past.

    What the last hours show, and goes on, is told at once wherever the person is reminded.
    """
    with _monitor(request, phone) as (monitor, at), kept_upload(file) as path:
        found = read(path, monitor.zone, day_first)
        now = epoch(at, monitor.zone)
        taken = [monitor.take(columns, source, now, past=True) for source, columns in found.sources().items()]
        monitor.store.thin(now)
        monitor.store.show_in(found.shown())
    services_of(request).changed()
    names = ("new", "plausible", "suspicious", "impossible", "missing", "timeless")
    faults = [fault.says for each in taken for fault in each.faults]
    return ReadingsTaken(
        readings=found.readings,
        **{name: sum(getattr(each, name) for each in taken) for name in names},
        skipped=dict(found.skipped),
        problems=[each for each in (found.broken, *faults) if each],
    )


@contextmanager
def kept_upload(file: UploadFile) -> Iterator[FilePath]:
    """An upload as a file for as long as it is read; faults name it as the person does."""
    name = "".join(each for each in PurePath(file.filename or "").name if each.isprintable())[-80:] or "the file"
    with tempfile.TemporaryDirectory(prefix="camphor-") as folder:
        # some exports are told by the names of their files
        path = FilePath(folder) / (re.sub(r"[^\w.-]", " ", name, flags=re.ASCII).lstrip(". ") or "upload")
        with path.open("wb") as out:
            shutil.copyfileobj(file.file, out)
        try:
            yield path
        except CamphorError as error:
            error.args = (str(error).replace(str(path), name),)
            raise


def _places(services: Services) -> Places:
    """Where the person is reached: as the loop of the server knows it, where it has one."""
    return services.loop.places() if services.loop else Places.read(services.settings, Desktop(), False)


@contextmanager
def _monitor(request: Request, phone: str) -> Iterator[tuple[Monitor, Any]]:
    with health_of(request, phone) as (device, database):
        store = VitalsStore(database)
        with shown_in(store.units()):
            yield Monitor(store, device.zone, person_of(device)), device.now


def _points(kept: Minutes, counted: bool, monitor: Monitor, measure: Measure) -> list[Point]:
    """A day's minutes in stretches of some minutes."""
    every = _COARSE if counted else _FINE
    walls = [local(float(at), monitor.zone) for at in kept.at.tolist()]
    place = np.array([(wall.hour * 60 + wall.minute) // every * every for wall in walls])
    found = []
    for minute in np.unique(place).tolist():
        rows = place == minute
        weight = kept.count[rows]
        total = float((kept.mean[rows] * weight).sum())
        value = total if counted else total / float(weight.sum())
        three = (value, float(kept.least[rows].min()), float(kept.most[rows].max()))
        mean, least, most = (round(measure.shown(each), 2) for each in three)
        found.append((float(minute), mean, least, most))
    return found

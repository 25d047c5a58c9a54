"""The simulated watch: put it on, let something happen, see what the monitor tells."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.device.health.vitals import VitalsStore
from camphor.errors import CamphorError, UsageError
from camphor.health.monitor.monitor import Monitor, SoftSos
from camphor.health.monitor.plausible import Fault
from camphor.health.monitor.thresholds import person_of
from camphor.health.monitor.vitals import COUNTED, MEASURES, Series, Vital, epoch, local, shown_in
from camphor.health.monitor.watch import EMERGENCIES, FAULTS, SOURCE, Watch, WatchScene, Wearer
from camphor.web.feed import BackgroundRun, Feed
from camphor.web.health import HealthRoute, LocalTime, health_of, in_words, of_server
from camphor.web.problems import Conflict
from camphor.web.services import Phone, Services, services_of

# A simulated watch that runs: it lives through a day in its own thread, and the monitor looks at what it reads.

SCENES = (*EMERGENCIES, *FAULTS)
SPEEDS = (1, 60, 300)
"""Seconds of the watch in one of ours."""
_MINUTE, _DAY = 60.0, 86_400.0
_MOST_POINTS = 12
"""Readings of a kind that one event shows."""


class Simulation(BackgroundRun):
    """A watch that runs until it is stopped or its day is over.

    Args:
        device: whose watch; begin: local time at which it is put on; speed: one of `SPEEDS`.
        keep: whether the readings and alarms go into the phone's own, or are forgotten at the end.
        pace: seconds between two events.

    Raises:
        UsageError: the speed is none.
    """

    def __init__(self, device: Device, begin: datetime, speed: int, keep: bool, pace: float = 1.0) -> None:
        if speed not in SPEEDS:
            raise UsageError(f"The watch runs at {', '.join(map(str, SPEEDS))} times the speed of time")
        self.feed, self.speed, self.keep = Feed(), speed, keep
        self.zone, self.now, self._pace = device.zone, epoch(begin, device.zone), pace
        self._day, self._database = begin.date(), HealthDatabase.of(device.path if keep else None)
        self._monitor = Monitor(VitalsStore(self._database), self.zone, person_of(device))
        with HealthDatabase.of(device.path) as own:  # also where its readings are not kept there
            self.units = VitalsStore(own).units()
        super().__init__()
        self._lock = threading.Lock()
        self._scenes: tuple[WatchScene, ...] = ()
        self._changed = False
        self._faults: dict[tuple[str, str], float] = {}

    @property
    def wall(self) -> datetime:
        """The watch's local time."""
        return local(self.now, self.zone)

    def start(self) -> None:
        self.feed.add("started", at=self.wall.isoformat(), speed=self.speed, keep=self.keep)
        self._begin(self._run, "watch")

    def stop(self) -> None:
        """Take it off; returns when nothing more is written."""
        self._stop.set()
        self.join(30)

    def scene(self, name: str, minutes: float) -> None:
        """Let something happen from now on. Raises UsageError: there is no such scene."""
        if name not in SCENES:
            raise UsageError(f"There is no {name[:40]!r}: it can be {', '.join(SCENES)}")
        with self._lock:
            self._scenes = (*self._ended(name), WatchScene(name, self.wall.time().replace(microsecond=0), minutes))
            self._changed = True
        self.feed.add("scene", at=self.wall.isoformat(), name=name, minutes=minutes)

    def well(self) -> None:
        """End all that goes on."""
        with self._lock:
            self._scenes, self._changed = self._ended(), True
        self.feed.add("well", at=self.wall.isoformat())

    def scenes(self) -> list[str]:
        """What goes on now."""
        return [each.name for each in self._scenes if self._minutes_since(each) < each.minutes]

    def _ended(self, name: str = "") -> tuple[WatchScene, ...]:
        """The scenes so far, those of the name (or all) over by now."""
        return tuple(
            replace(each, minutes=min(each.minutes, max(0.0, self._minutes_since(each))))
            if name in ("", each.name)
            else each
            for each in self._scenes
        )

    def _minutes_since(self, scene: WatchScene) -> float:
        return (self.wall - datetime.combine(self._day, scene.at)).total_seconds() / 60

    # in the thread

    def _run(self) -> None:
        try:
            with shown_in(self.units):
                self._live()
            self.feed.add("stopped", at=self.wall.isoformat(), text="" if self._stop.is_set() else "The day is over.")
        except CamphorError as error:
            self.feed.add("stopped", at=self.wall.isoformat(), text=in_words(str(error)))
        except Exception as error:
            self.feed.add("stopped", at=self.wall.isoformat(), text=f"Something broke ({type(error).__name__})")
            raise
        finally:
            self._database.close()

    def _live(self) -> None:
        parts = self._parts()
        while not self._stop.wait(self._pace):
            with self._lock:
                changed, self._changed = self._changed, False
            if changed:
                parts = self._parts()
            # a minute at a time, as a watch tells its phone
            shown: dict[Vital, list[Series]] = {}
            end = self.now + self.speed
            while self.now < end - 1e-6:
                step = next(parts, None)
                if step is None:
                    return
                self.now = step[0]
                for kind, column in step[1].items():
                    shown.setdefault(kind, []).append(column)
                self._take(step[1])
            self.feed.add(
                "readings",
                at=self.wall.isoformat(timespec="seconds"),
                values={kind.value: self._points(kind, columns) for kind, columns in shown.items()},
                scenes=self.scenes(),
            )

    def _parts(self) -> Iterator[tuple[float, dict[Vital, Series]]]:
        watch = Watch(Wearer(glucose=True), self.zone, 1, self._scenes)
        return watch.live(self._day, min(float(self.speed), _MINUTE), self.now)

    def _take(self, part: Mapping[Vital, Series]) -> None:
        taken = self._monitor.take(part, SOURCE, self.now, past=True)
        silent = self._monitor.silence(self.now) if self.now % 600 < min(self.speed, _MINUTE) else ()
        for fault in (*taken.faults, *silent):
            self._tell_fault(fault)
        if self.speed > 1 or self.now % 30 < 1:
            for sos in self._monitor.look(self.now):
                self._tell(sos)

    def _tell_fault(self, fault: Fault) -> None:
        """Once in half an hour for each sort."""
        key = (fault.kind.value, fault.name)
        if abs(self.now - self._faults.get(key, -_DAY)) > 1800:
            self._faults[key] = self.now
            self.feed.add("fault", at=self.wall.isoformat(timespec="seconds"), text=fault.says)

    def _tell(self, sos: SoftSos) -> None:
        self.feed.add(
            "sos",
            at=self.wall.isoformat(timespec="seconds"),
            level=sos.alarm.level.name.lower(),
            text=in_words(sos.text),
        )

    def _points(self, kind: Vital, columns: Sequence[Series]) -> list[tuple[float, float | None]]:
        """Some readings as seconds since midnight and value; None where the sensor had none."""
        at = np.concatenate([each.at for each in columns])
        value = np.concatenate([each.value for each in columns])
        if kind in COUNTED:
            at, value = at[-1:], np.nansum(value, keepdims=True)
        every = max(1, -(-len(at) // _MOST_POINTS))
        midnight = epoch(datetime.combine(self._day, time()), self.zone)
        return [
            (round(moment - midnight, 1), None if np.isnan(number) else round(MEASURES[kind].shown(number), 2))
            for moment, number in zip(at[::every].tolist(), value[::every].tolist(), strict=True)
        ]


class Simulations:
    """The watches that run on this server, one a phone."""

    def __init__(self, services: Services) -> None:
        self._lock, self._all = threading.Lock(), dict[str, Simulation]()
        services.users.append(self.close)

    def get(self, phone: str) -> Simulation | None:
        """The one that runs, or the last one that ran."""
        return self._all.get(phone)

    def start(self, phone: str, device: Device, begin: datetime, speed: int, keep: bool) -> Simulation:
        """Put a watch on; one that runs on the phone is taken off first. Raises: as `Simulation`."""
        with self._lock:
            if held := self._all.get(phone):
                held.stop()
            made = self._all[phone] = Simulation(device, begin, speed, keep)
            made.start()
            return made

    def close(self, phone: str = "") -> None:
        """Take off the watch of a phone, or all."""
        with self._lock:
            for name in [phone] if phone else list(self._all):
                if held := self._all.pop(name, None):
                    held.stop()


def begin_of(device: Device, day: date | None, at: time) -> datetime:
    """When the watch is put on: yesterday unless a day is given, so that nothing lies ahead of the phone's clock."""
    chosen = day or device.now.date() - timedelta(days=1)
    if chosen > device.now.date():
        raise UsageError(f"{chosen} is still to come: it is {device.now:%Y-%m-%d} on this phone")
    return datetime.combine(chosen, at)


router = APIRouter(prefix="/api/phones/{phone}/watch", tags=["health"], route_class=HealthRoute)


class MeasureTold(BaseModel):
    kind: str
    name: str
    unit: str
    decimals: int


class WatchState(BaseModel):
    running: bool
    at: LocalTime | None = Field(description="The watch's local time")
    speed: int
    keep: bool = Field(description="Whether its readings go into the phone's own")
    scenes: list[str] = Field(description="What goes on now")
    last: int = Field(description="The number of the last event")
    emergencies: list[str]
    faults: list[str]
    speeds: list[int]
    measures: list[MeasureTold]


class Start(BaseModel):
    day: date | None = Field(default=None, description="The day to live through; yesterday unless given")
    at: time = Field(default=time(8), description="When it is put on")
    speed: int = Field(60, description="Seconds of the watch in one of ours", json_schema_extra={"enum": [*SPEEDS]})
    keep: bool = False


class Happening(BaseModel):
    name: str = Field(max_length=40)
    minutes: float = Field(default=20, gt=0, le=240)


@router.get("")
def state(request: Request, phone: Phone) -> WatchState:
    """Whether a watch runs, and what can happen to it."""
    return _state(request, phone, _all(request).get(phone))


@router.post("/start", status_code=201)
def start(request: Request, phone: Phone, begin: Start) -> WatchState:
    """Put the watch on; one that is on is taken off first."""
    device = services_of(request).phone(phone)
    at = begin_of(device, begin.day, begin.at.replace(tzinfo=None))
    return _state(request, phone, _all(request).start(phone, device, at, begin.speed, begin.keep))


@router.post("/stop")
def stop(request: Request, phone: Phone) -> WatchState:
    """Take it off."""
    held = _all(request).get(phone)
    if held:
        held.stop()
    return _state(request, phone, held)


@router.post("/scenes", status_code=202)
def happen(request: Request, phone: Phone, happening: Happening) -> WatchState:
    """Let an emergency or a fault happen from now on."""
    held = _running(request, phone)
    held.scene(happening.name, happening.minutes)
    return _state(request, phone, held)


@router.post("/well", status_code=202)
def well(request: Request, phone: Phone) -> WatchState:
    """End all that goes on."""
    held = _running(request, phone)
    held.well()
    return _state(request, phone, held)


@router.get("/stream", response_class=StreamingResponse)
async def stream(
    request: Request,
    phone: Phone,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> StreamingResponse:
    """What the watch reads and the monitor tells, as it happens (server-sent events of the name `step`)."""
    held = _all(request).get(phone)
    if held is None:
        raise Conflict("No watch was put on: start it first")
    return held.feed.response(after, last_event_id)


def _all(request: Request) -> Simulations:
    return of_server(request, "watches", lambda: Simulations(services_of(request)))


def _running(request: Request, phone: str) -> Simulation:
    held = _all(request).get(phone)
    if held is None or not held.running:
        raise Conflict("No watch runs: start it first")
    return held


def _state(request: Request, phone: str, held: Simulation | None) -> WatchState:
    with health_of(request, phone) as (_, database), shown_in(VitalsStore(database).units()):
        measures = [
            MeasureTold(kind=kind.value, name=each.name, unit=each.unit, decimals=each.decimals)
            for kind, each in MEASURES.items()
        ]
    events = held.feed.after() if held else []
    return WatchState(
        running=bool(held and held.running),
        at=held.wall if held else None,
        speed=held.speed if held else SPEEDS[1],
        keep=bool(held and held.keep),
        scenes=held.scenes() if held and held.running else [],
        last=events[-1].number if events else 0,
        emergencies=list(EMERGENCIES),
        faults=list(FAULTS),
        speeds=list(SPEEDS),
        measures=measures,
    )

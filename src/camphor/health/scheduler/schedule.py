"""When the doses of a medicine are due: from a plan to times on the wall clock and in the world.

A dose belongs to a time on the person's clock: "at 08:00" is 08:00 on the day the clocks change too. A time that the
change skips comes later by the skipped hour; one that happens twice is due the first time only. A plan that counts
hours which do not fill a day ("every 36 hours") counts elapsed time instead. Nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from dateutil import tz

from camphor.errors import UsageError

MOST_TIMES = 24
"""Most doses of a medicine a day."""
LONGEST_DAYS = 3660


@dataclass(frozen=True)
class DayTimes:
    """When a person's day has its marks. The defaults are this project's choice, for the person to change."""

    breakfast: time = time(8)
    lunch: time = time(13)
    dinner: time = time(20)
    bed: time = time(22)

    def spread(self, count: int) -> tuple[time, ...]:
        """The times of `count` doses over a waking day.

        Raises:
            UsageError: the count is not between 1 and `MOST_TIMES`.
        """
        if count not in range(1, MOST_TIMES + 1):
            raise UsageError(f"{count} doses a day: between 1 and {MOST_TIMES} can be planned")
        if count == 1:
            return (self.breakfast,)
        first, last = _minutes(self.breakfast), _minutes(self.dinner if count < 4 else self.bed)
        if last <= first:  # a person of the night
            last += 24 * 60
        # to the half hour, as people say times
        step = (last - first) / (count - 1)
        grain = 30 if step >= 60 else 1
        found = {round((first + step * number) / grain) * grain % (24 * 60) for number in range(count)}
        return tuple(time(minute // 60, minute % 60) for minute in sorted(found))


@dataclass(frozen=True)
class DosePlan:
    """How a medicine is taken over time.

    Args:
        times: on the wall clock, sorted; empty where it is taken as needed alone, or by `every_hours`.
        amounts: what is taken at each of the times ("2 tablets"), in their order; empty where the same each time.
        every_days: 1 daily, 2 every other day, counted from the first day.
        weekdays: 0 is Monday; empty: all.
        every_hours: elapsed hours from the first dose; for gaps that do not fill a day.
        as_needed: no dose is due by itself; most_a_day and least_hours then bound what is noted.
        days: for how many days, from the first dose on; None until it is stopped.
        once: a single dose, at the start where no time is said.
        parts: plans that follow each other, each for its days and the last perhaps without end; all else is then empty.
    """

    times: tuple[time, ...] = ()
    amounts: tuple[str, ...] = ()
    every_days: int = 1
    weekdays: tuple[int, ...] = ()
    every_hours: float = 0.0
    as_needed: bool = False
    most_a_day: int = 0
    least_hours: float = 0.0
    days: int | None = None
    once: bool = False
    parts: tuple[DosePlan, ...] = ()

    def __post_init__(self) -> None:
        if self.parts and (replace(self, parts=()) != DosePlan() or not all(map(_follows, self.parts))):
            raise UsageError("A plan of parts says all in its parts, and each has doses that are due")
        if any(each.days is None for each in self.parts[:-1]):
            raise UsageError("Each part of a plan but the last says for how many days it is")
        if len(self.times) > MOST_TIMES or len(set(self.times)) != len(self.times):
            raise UsageError(f"A plan has at most {MOST_TIMES} different times a day")
        if self.amounts and len(self.amounts) != len(self.times):
            raise UsageError("A plan that says amounts says one for each of its times")
        if self.days is not None and not 1 <= self.days <= LONGEST_DAYS:
            raise UsageError(f"A course lasts between 1 and {LONGEST_DAYS} days, not {self.days}")
        if self.every_days < 1 or self.every_hours < 0 or any(day not in range(7) for day in self.weekdays):
            raise UsageError("A plan's days and hours are counted from one")

    @property
    def clock(self) -> tuple[time, ...]:
        """All times of day at which some dose of it is due."""
        return tuple(sorted({*self.times, *(at for each in self.parts for at in each.times)}))

    @property
    def length(self) -> int | None:
        """For how many days it is in all, from the first dose on; None until it is stopped."""
        days = [each.days for each in self.parts or (self,)]
        return None if None in days else sum(each for each in days if each)

    def to_json(self) -> dict[str, Any]:
        """What differs from a plan that says nothing."""
        if self.parts:
            return {"parts": [each.to_json() for each in self.parts]}
        told: dict[str, Any] = {"times": [f"{each:%H:%M}" for each in self.times]}
        empty = DosePlan()
        for name in ("amounts", "every_days", "weekdays", "every_hours", "as_needed", "most_a_day", "least_hours"):
            if (value := getattr(self, name)) != getattr(empty, name):
                told[name] = list(value) if isinstance(value, tuple) else value
        return {**told, **({"days": self.days} if self.days else {}), **({"once": True} if self.once else {})}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> DosePlan:
        """Raises: UsageError, ValueError: it is no plan."""
        if told.get("parts"):
            return cls(parts=tuple(map(cls.from_json, told["parts"])))
        rest: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in told.items()
        }
        rest["times"] = tuple(time.fromisoformat(each) for each in told.get("times", ()))
        return cls(**rest)


def _follows(part: DosePlan) -> bool:
    return bool(part.times) and not (part.parts or part.once or part.as_needed)


@dataclass(frozen=True, order=True)
class Due:
    """One dose of a plan: its wall time, the same in seconds since 1970 (UTC), how much, and until when it counts."""

    at: float
    wall: datetime
    amount: str = field(default="", compare=False)
    until: float = field(default=0.0, compare=False)


def epoch(wall: datetime, zone: tzinfo | None) -> float:
    """Seconds since 1970 of a wall time; a skipped one is moved on by the skip; `fold` tells which of two is meant."""
    return tz.resolve_imaginary(wall.replace(tzinfo=zone or tz.gettz())).timestamp()


def wall_of(at: float, zone: tzinfo | None) -> datetime:
    """The naive wall time of a moment; of an hour that happens twice, `fold` says which."""
    return datetime.fromtimestamp(at, zone or tz.gettz()).replace(tzinfo=None)


LONGEST_WINDOW = timedelta(hours=6)
"""A dose not confirmed this long after its time counts as missed, or half way to the next one where that is sooner.

Ours: how late a dose may be taken is for its leaflet or a pharmacist to say; this only decides when reminders end.
"""


def dues(plan: DosePlan, start: datetime, first: datetime, last: datetime, zone: tzinfo | None) -> list[Due]:
    """The doses from `first` on and before `last` of a plan that starts at `start`, in order; all naive wall times."""
    if plan.as_needed or last <= first:
        return []
    found = [
        Due(epoch(wall, zone), wall, amount)
        for wall, amount in _walls(plan, start, last + timedelta(days=9), zone)
        if wall >= first - timedelta(days=1)
    ]
    found.sort()
    result = []
    for number, due in enumerate(found):
        if not first <= due.wall < last:
            continue
        after = found[number + 1].at if number + 1 < len(found) else None
        window = LONGEST_WINDOW.total_seconds()
        if after is not None:
            window = min(window, (after - due.at) / 2)
        result.append(Due(due.at, due.wall, due.amount, due.at + window))
    return result


def gap(plan: DosePlan) -> timedelta:
    """The shortest time between two doses of the plan; zero where it says none."""
    if plan.parts:
        return min(map(gap, plan.parts))
    if plan.as_needed:
        return timedelta(hours=plan.least_hours)
    if plan.every_hours:
        return timedelta(hours=plan.every_hours)
    if not plan.times or plan.once:
        return timedelta(0)
    minutes = sorted(_minutes(each) for each in plan.times)
    if len(minutes) == 1:
        return timedelta(days=1 if plan.weekdays else plan.every_days)
    around = [*minutes[1:], minutes[0] + 24 * 60]
    return timedelta(minutes=min(after - before for before, after in zip(minutes, around, strict=True)))


def _walls(plan: DosePlan, start: datetime, last: datetime, zone: tzinfo | None) -> Iterator[tuple[datetime, str]]:
    """The wall times of all doses from the start on and before `last`."""
    for part in plan.parts:
        first: datetime | None = None
        for wall, amount in _walls(part, start, last, zone):
            first = first or wall
            yield wall, amount
        if first is None or part.days is None:
            return
        start = first + timedelta(days=part.days)
    if plan.parts:
        return
    begun: datetime | None = None
    for wall, amount in _endless(plan, start, last, zone):
        begun = begun or wall
        if wall >= last or (plan.days is not None and wall >= begun + timedelta(days=plan.days)):
            return
        yield wall, amount
        if plan.once:
            return


def _endless(plan: DosePlan, start: datetime, last: datetime, zone: tzinfo | None) -> Iterator[tuple[datetime, str]]:
    if plan.once and not plan.times:
        yield start, ""
        return
    if plan.every_hours:
        at, step = epoch(start, zone), plan.every_hours * 3600
        while (wall := wall_of(at, zone)) < last:
            yield wall, ""
            at += step
        return
    slots = sorted(zip(plan.times, plan.amounts or [""] * len(plan.times), strict=True))
    first: date | None = None
    for number in range((last.date() - start.date()).days + 1):
        day = start.date() + timedelta(days=number)
        if plan.weekdays and day.weekday() not in plan.weekdays:
            continue
        if first is not None and (day - first).days % plan.every_days:
            continue
        for at_time, amount in slots:
            wall = datetime.combine(day, at_time)
            if wall >= start:
                first = first or day
                yield wall, amount


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute

"""The plan that directions mean: "twice daily after food" as times on this person's clock, and as words to check.

Directions seldom name a time of day. What they leave open follows from the person's meals and bedtime (`DayTimes`), and
is shown before anything is kept. What is taken before food is put half an hour before the meal. A field that the person
says in other words (`SETTLED`) is put into the directions that were read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import time, timedelta

from camphor.errors import UsageError
from camphor.health.prescriptions.directions import (
    MEALS,
    NO_DOSE,
    Amount,
    Directions,
    DoseStep,
    Most,
    Often,
    amount_text,
    weekday_numbers,
)
from camphor.health.prescriptions.reading import read_directions
from camphor.health.scheduler.schedule import MOST_TIMES, DayTimes, DosePlan

_BEFORE_FOOD = timedelta(minutes=30)
_AFTERNOON = time(16)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SLOTS = {
    "morning": "in the morning",
    "noon": "at noon",
    "afternoon": "in the afternoon",
    "evening": "in the evening",
    "bedtime": "at bedtime",
}


def unplannable(said: Directions) -> str:
    """Why no plan can be made of what directions say for certain; "" where one can."""
    often = said.often
    if said.stop:
        return "it says to stop this medicine: leave it out, and stop it where it is kept"
    if said.steps:
        return _unplannable_steps(said)
    if often is None or said.as_needed or often.once:
        return ""
    if often.low != often.high:
        return f"{often_text(often)!r} leaves open how often"
    if often.period in ("month", "year"):
        return f"{often_text(often)!r} does not say on which day"
    if often.every:
        return _unplannable_gap(said, often)
    if often.period == "week" and often.low > 1 and not said.weekdays:
        return f"{often_text(often)!r} does not say on which days"
    return "" if often.low <= MOST_TIMES else f"{often_text(often)!r} is more than can be planned"


def _unplannable_steps(said: Directions) -> str:
    apart = "enter each part as a medicine of its own"
    if any(each.weekdays for each in said.steps):
        return f"the dose differs by the day of the week: {apart}"
    if any(each.often and each.often.once for each in said.steps):
        return f"a single dose, and then others: {apart}"
    whole = all(each.amount and each.often for each in said.steps)
    if not whole or said.as_needed or any(each.days is None for each in said.steps[:-1]):
        return "the dose changes, and it is not told how much, how often and for how many days each time"
    for step in said.steps:
        part = _part(said, step)
        if why := unplannable(part):
            return why
        if part.often and part.often.every and not _hours_fit(part.often):
            return f"{often_text(part.often)!r} and then another dose cannot be planned"
    return ""


def _hours_fit(often: Often) -> bool:
    """Whether a dose every so often is at the same times of day."""
    return often.period != "hour" or not (often.low % 24 and 24 % often.low)


def _part(said: Directions, step: DoseStep) -> Directions:
    """What is said of one part of a course, as directions of their own."""
    at = dict.fromkeys((*step.at, *(each for each in said.at if each in MEALS)))
    return replace(said, steps=(), amount=step.amount, often=step.often, days=step.days, at=tuple(at), ongoing=False)


def _unplannable_gap(said: Directions, often: Often) -> str:
    if often.period == "hour" and often.low < 1:
        return f"{often_text(often)!r} is more often than can be planned"
    if said.weekdays and (often.period, often.low) not in (("week", 1), ("day", 7)):
        return "every so many days, and on days of the week"
    return "" if often.low == int(often.low) or often.period == "hour" else f"{often_text(often)!r} is no whole number"


def plan_of(said: Directions, day: DayTimes) -> DosePlan:
    """The plan that directions say; the person's meals and bedtime give times of day that they do not name.

    Raises:
        ValueError: they say none (`unplannable`).
    """
    if why := unplannable(said):
        raise ValueError(why)
    if said.steps:
        parts = ((plan_of(_part(said, each), day), each.amount) for each in said.steps)
        return DosePlan(
            parts=tuple(replace(plan, amounts=(amount_text(dose),) * len(plan.times)) for plan, dose in parts if dose)
        )
    days = None if said.ongoing else said.days
    often = said.often or Often()
    if said.as_needed:
        return DosePlan(as_needed=True, most_a_day=_most(said), least_hours=_least(said), days=days)
    if often.once:
        return DosePlan(once=True)
    every_days = 1
    if often.every and often.period == "hour":
        if often.low % 24 and 24 % often.low:
            return DosePlan(every_hours=often.low, days=days)
        every_days = max(1, int(often.low // 24))
    elif often.every:
        every_days = int(often.low) * (7 if often.period == "week" else 1)
    elif often.period == "week" and not said.weekdays:
        every_days = 7
    times = _times(said, often, day)
    amounts = tuple(text for _, text in sorted(_by_time(said, day))) if said.by_time else ()
    weekdays = tuple(weekday_numbers(said))
    return DosePlan(times, amounts, 1 if weekdays else every_days, weekdays, days=days)


def _by_time(said: Directions, day: DayTimes) -> list[tuple[time, str]]:
    unit = said.read.get("unit", "")
    return [(_mark(when, said, day), amount_text(Amount(number, number, unit))) for when, number in said.by_time]


def _mark(when: str, said: Directions, day: DayTimes) -> time:
    """A time of day on this person's clock, before the meal where it is taken before food."""
    meals = {
        "morning": day.breakfast,
        "noon": day.lunch,
        "afternoon": _AFTERNOON,
        "evening": day.dinner,
        "bedtime": day.bed,
    }
    if when not in meals:
        return time.fromisoformat(when)
    if when in ("morning", "noon", "evening"):
        return _around_food([meals[when]], said.at)[0]
    return meals[when]


def _times(said: Directions, often: Often, day: DayTimes) -> tuple[time, ...]:
    named = [each for each in said.at if each not in MEALS]
    if said.by_time:
        return tuple(sorted(mark for mark, _ in _by_time(said, day)))
    count = int(often.low) if not often.every and often.period == "day" else 1
    if often.every and often.period == "hour" and often.low < 24:
        count = round(24 / often.low)
        start = 8 if count <= 2 else 6 if count <= 4 else 2
        if len(named) != count:
            return tuple(sorted(time(int((start + number * often.low) % 24)) for number in range(count)))
    if named and len(named) == count:
        return tuple(sorted({_mark(each, said, day) for each in named}))
    if "bedtime" in named and count == 4 and len(named) == 1:  # after meals and at bedtime
        return tuple(sorted({*_around_food([day.breakfast, day.lunch, day.dinner], said.at), day.bed}))
    if count <= 3 and any(each in said.at for each in MEALS[:3]):
        chosen = {1: [day.breakfast], 2: [day.breakfast, day.dinner], 3: [day.breakfast, day.lunch, day.dinner]}[count]
        return _around_food(chosen, said.at)
    return day.spread(count)


def _around_food(marks: Sequence[time], at: Sequence[str]) -> tuple[time, ...]:
    """Half an hour before the meal for what is taken before food; at it for all else."""
    if "before food" not in at and "empty stomach" not in at:
        return tuple(sorted(set(marks)))
    moved = []
    for each in marks:
        minutes = (each.hour * 60 + each.minute - int(_BEFORE_FOOD.total_seconds() // 60)) % (24 * 60)
        moved.append(time(minutes // 60, minutes % 60))
    return tuple(sorted(set(moved)))


def _most(said: Directions) -> int:
    """Doses a day at most of what is taken as needed, the least of what is said; 0 where nothing is."""
    often, most = said.often, said.most
    told = []
    if often and not often.once and often.period in ("day", "hour"):
        told.append(
            int(24 // often.low) if often.every and often.period == "hour" else 1 if often.every else int(often.high)
        )
    if most and most.hours == 24:
        if most.unit == "dose":
            told.append(int(most.amount))
        elif said.amount and said.amount.unit == most.unit and said.amount.high:
            told.append(int(most.amount // said.amount.high))
    return max(1, min(told)) if told else 0


def _least(said: Directions) -> float:
    often = said.often
    gap = often.low if often and often.every and often.period == "hour" else 0.0
    return max(gap, said.gap_hours or 0.0)


# in words for the person


def dose_text(said: Directions) -> str:
    """How much, in words; "" where nothing is said."""
    if said.steps:
        return ", then ".join(_step_text(each) for each in said.steps)
    if said.by_time:
        unit = said.read.get("unit", "")
        return ", ".join(f"{amount_text(Amount(each, each, unit))} {_slot_text(when)}" for when, each in said.by_time)
    return amount_text(said.amount) if said.amount else ""


def _step_text(step: DoseStep) -> str:
    parts = [amount_text(step.amount) if step.amount else "", often_text(step.often) if step.often else ""]
    return " ".join(each for each in (*parts, f"for {step.days} days" if step.days else "") if each)


def when_text(said: Directions) -> str:
    """When, in words; "" where nothing is said."""
    if said.stop:
        return "stop"
    parts = []
    named = [each for each in said.at if each not in MEALS]
    often = said.often
    if often and not said.by_time and not _told(often, len(named), len(said.weekdays)):
        parts.append(often_text(often))
    if said.weekdays:
        parts.append("on " + ", ".join(_DAYS[each] for each in weekday_numbers(said)))
    parts.extend(_slot_text(each) for each in named)
    if said.as_needed:
        parts.append("when needed")
    return ", ".join(parts)


def _told(often: Often, times: int, weekdays: int) -> bool:
    """Whether the times or days that are named say how often, too."""
    if often.every or often.once or often.low != often.high:
        return False
    return (often.period == "day" and often.low == times) or (often.period == "week" and often.low == weekdays)


def _slot_text(when: str) -> str:
    return _SLOTS.get(when, f"at {when}")


def often_text(often: Often) -> str:
    """How often, in words."""
    if often.once:
        return "a single dose"
    number = f"{often.low:g}" if often.low == often.high else f"{often.low:g} to {often.high:g}"
    if often.every:
        return f"every {number} {often.period}s" if number != "1" else f"every {often.period}"
    times = {"1": "once", "2": "twice"}.get(number, f"{number} times")
    return f"{times} a {often.period}"


def food_text(said: Directions) -> str:
    meals = [{"empty stomach": "on an empty stomach"}.get(each, each) for each in said.at if each in MEALS]
    return " or ".join(meals)


def most_text(said: Directions) -> str:
    """What is not to be exceeded, and the least gap, in words."""
    parts = [_limit_text(said.most)] if said.most else []
    if said.gap_hours:
        hours = said.gap_hours
        told = f"{hours:g} hours" if hours >= 1 else f"{round(hours * 60)} minutes"
        parts.append(f"at least {told} between doses")
    return ", ".join(parts)


def _limit_text(most: Most) -> str:
    hours = most.hours
    window = f"{hours:g} hours" if hours >= 1 else f"{round(hours * 60)} minutes"
    return f"max {amount_text(Amount(most.amount, most.amount, most.unit))} in {window}"


def length_text(said: Directions) -> str:
    return f"{said.days} days" if said.days else "until it is stopped" if said.ongoing else ""


def route_text(said: Directions) -> str:
    if said.site in ("injection", "rectal", "vaginal"):
        return {"injection": "by injection", "rectal": "into the rectum", "vaginal": "into the vagina"}[said.site]
    return said.site or ("by mouth" if said.by_mouth else "")


# a field as the person says it, put into the directions that were read


def _settled_when(said: Directions, value: str) -> Directions:
    read = read_directions(value)
    if read.steps and not read.doubts and not unplannable(read):
        return _in_steps(said, read)
    why = next((each.why for each in read.doubts if "times" in each.fields and each.why != NO_DOSE), "")
    why = why or unplannable(read) or ("" if read.says_when else "it says no times that can be understood")
    if why:
        raise UsageError(f"{value[:60]!r}: {why}: write for example  twice daily  or  08:00 and 20:00")
    meals = tuple(each for each in (*read.at, *said.at) if each in MEALS)
    at = (*(each for each in read.at if each not in MEALS), *dict.fromkeys(meals))
    scheme = replace(said, by_time=read.by_time, read={**said.read, **read.read}) if read.by_time else said
    by_time = read.by_time or (said.by_time if {each for each, _ in said.by_time} == set(at) - set(MEALS) else ())
    return replace(
        scheme,
        often=read.often,
        at=at,
        by_time=by_time,
        weekdays=read.weekdays,
        as_needed=read.as_needed,
        steps=(),
        stop=False,
        days=read.days or said.days,
    )


def _settled_length(said: Directions, value: str) -> Directions:
    if not value:
        return replace(said, days=None, ongoing=False)
    if value == "until it is stopped":
        return replace(said, days=None, ongoing=True)
    read = read_directions(value)
    if not (read.days or read.ongoing):
        raise UsageError(f"{value[:60]!r} is no length of time: write for example  7 days  or  ongoing")
    return replace(said, days=read.days, ongoing=read.ongoing)


def _in_steps(said: Directions, read: Directions) -> Directions:
    """The dose that changes over time, as the person says it: how much, when and how long at once."""
    return replace(said, amount=None, often=None, days=None, by_time=(), steps=read.steps, at=read.at or said.at)


def _settled_dose(said: Directions, value: str) -> Directions:
    whole = read_directions(value)
    if whole.steps and not whole.doubts and not unplannable(whole):
        return _in_steps(said, whole)
    read = read_directions(f"{value} once a day" if value else "")
    same = read.by_time == () and read.amount is not None
    return replace(said, amount=read.amount if same else None, by_time=() if value else said.by_time, steps=())


def _settled_most(said: Directions, value: str) -> Directions:
    if not value:
        return replace(said, most=None, gap_hours=None)
    read = read_directions(value)
    if read.most is None and read.gap_hours is None:
        raise UsageError(
            f"{value[:60]!r} says no limit: write for example  max 8 tablets in 24 hours  or  at least 4 hours between "
            "doses"
        )
    return replace(said, most=read.most, gap_hours=read.gap_hours)


def _settled_food(said: Directions, value: str) -> Directions:
    meals = tuple(each for each in read_directions(value).at if each in MEALS) if value else ()
    return replace(said, at=(*(each for each in said.at if each not in MEALS), *meals))


SETTLED = {
    "when": _settled_when,
    "duration": _settled_length,
    "dose": _settled_dose,
    "most": _settled_most,
    "food": _settled_food,
}

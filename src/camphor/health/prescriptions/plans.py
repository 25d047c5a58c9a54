"""The plan that directions mean: "twice daily after food" as times on this person's clock, and as words to check.

Directions seldom name a time of day. What they leave open follows from the person's meals and bedtime (`DayTimes`), and
is shown before anything is kept. What is taken before food is put half an hour before the meal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time, timedelta

from camphor.health.prescriptions.directions import Directions, amount_text, number_of
from camphor.health.scheduler.schedule import DayTimes, Plan

_BEFORE_FOOD = timedelta(minutes=30)


def plan_of(said: Directions, day: DayTimes, dose: str = "") -> Plan:
    """The plan that directions say; the person's meals and bedtime give times of day that they do not name."""
    days = None if said.ongoing or not said.days else said.days
    if said.as_needed:
        return Plan(
            as_needed=True,
            most_a_day=_most(said, dose),
            least_hours=said.every_hours,
            days=days,
        )
    if said.once:
        return Plan(once=True)
    if said.every_hours and 24 % said.every_hours:
        if said.every_hours % 24:
            return Plan(every_hours=said.every_hours, days=days)
        return Plan(times=_times(said, day), every_days=int(said.every_hours // 24), days=days)
    times = _times(said, day)
    amounts: tuple[str, ...] = ()
    if said.counts and len({each for each in said.counts if number_of(each)}) > 1:
        unit = said.form if said.form in ("tablet", "capsule", "sachet") else ""
        amounts = tuple(amount_text(each, unit) for each in said.counts if number_of(each))
    return Plan(times, amounts, max(1, said.every_days), tuple(said.weekdays), days=days)


def _times(said: Directions, day: DayTimes) -> tuple[time, ...]:
    if said.clock:
        return tuple(sorted({time.fromisoformat(each) for each in said.clock}))
    meals = {"morning": day.breakfast, "noon": day.lunch, "evening": day.dinner, "bed": day.bed}
    if said.counts:
        marks = [day.breakfast, day.lunch, day.dinner, day.bed][: len(said.counts)]
        chosen = [mark for mark, each in zip(marks, said.counts, strict=True) if number_of(each)]
        return _around_food(chosen, said.food)
    if said.slots and said.times_a_day in (0, len(said.slots)):
        return _around_food([meals[slot] for slot in dict.fromkeys(said.slots)], said.food)
    if said.every_hours and said.every_hours < 24:
        count = round(24 / said.every_hours)
        start = 8 if count <= 2 else 6 if count <= 4 else 2
        return tuple(sorted(time(int((start + number * said.every_hours) % 24)) for number in range(count)))
    count = said.times_a_day or 1
    if count <= 3 and said.food and said.food != "on an empty stomach":
        chosen = {1: [day.breakfast], 2: [day.breakfast, day.dinner], 3: [day.breakfast, day.lunch, day.dinner]}[count]
        return _around_food(chosen, said.food)
    return day.spread(count)


def _around_food(marks: Sequence[time], food: str) -> tuple[time, ...]:
    """Half an hour before the meal for what is taken before food; at it for all else."""
    if food not in ("before food", "on an empty stomach"):
        return tuple(sorted(set(marks)))
    moved = []
    for each in marks:
        minutes = (each.hour * 60 + each.minute - int(_BEFORE_FOOD.total_seconds() // 60)) % (24 * 60)
        moved.append(time(minutes // 60, minutes % 60))
    return tuple(sorted(set(moved)))


def _most(said: Directions, dose: str) -> int:
    """Doses a day at most of what is taken as needed; 0 where nothing was said that counts doses."""
    by_day = said.times_a_day or (int(24 // said.every_hours) if said.every_hours else 0)
    match = re.match(r"([\d.]+) ([a-z]+)", said.most)
    if not match:
        return by_day
    most, unit = float(match[1]), match[2].rstrip("s")
    if unit in ("time", "dose", "x"):
        return int(most)
    each = re.match(r"([\d.]+) ([a-z]+)", dose)
    if each and _same_unit(unit, each[2].rstrip("s")) and float(each[1]):
        told = int(most // float(each[1]))
        return min(told, by_day) if by_day else told
    return by_day


def _same_unit(one: str, other: str) -> bool:
    short = {"tablet": "tab", "capsule": "cap"}
    return short.get(one, one) == short.get(other, other)


def when_text(said: Directions) -> str:
    """When, in words for the person."""
    parts = []
    if said.counts:
        parts.append("-".join(said.counts))
    elif said.times_a_day:
        parts.append({1: "once", 2: "twice"}.get(said.times_a_day, f"{said.times_a_day} times") + " a day")
    if said.every_hours:
        parts.append(f"every {said.every_hours:g} hours")
    if said.every_days:
        parts.append("once a week" if said.every_days == 7 else f"every {said.every_days} days")
    if said.weekdays:
        names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
        parts.append("on " + ", ".join(names[each] for each in said.weekdays))
    slots = {"morning": "in the morning", "noon": "at noon", "evening": "in the evening", "bed": "at bedtime"}
    parts.extend(slots[each] for each in dict.fromkeys(said.slots))
    if said.clock:
        parts.append("at " + ", ".join(said.clock))
    if said.once:
        parts.append("a single dose")
    if said.as_needed:
        parts.append("when needed")
    return ", ".join(parts)

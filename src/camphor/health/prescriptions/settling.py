"""A field of a medicine as the person says it, put into the directions that were read."""

from __future__ import annotations

from dataclasses import replace

from camphor.errors import UsageError
from camphor.health.prescriptions.directions import MEALS, NO_DOSE, Directions, read_directions
from camphor.health.prescriptions.plans import unplannable


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

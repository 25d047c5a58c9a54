"""The kinds of threads: who has them, what they need at least, and how they are made (the table in `lives`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from camphor_lab.datasets.context.lives import Persona
from camphor_lab.datasets.context.maker import Maker
from camphor_lab.datasets.context.threads import household, learning, leisure, listening, working
from camphor_lab.datasets.context.threads.others import fill_up


def _works(persona: Persona) -> bool:
    return persona.work is not None


def _has_team(persona: Persona) -> bool:
    return _works(persona) and bool(persona.of("work"))


def _commutes(persona: Persona) -> bool:
    return _works(persona) and persona.commute_minutes > 0


def _has_child(persona: Persona) -> bool:
    return any(person.relationship in ("daughter", "son") for person in persona.people)


def _goes_out(persona: Persona) -> bool:
    return persona.age < 70


def _may_apply(persona: Persona) -> bool:
    return persona.age < 60


@dataclass(frozen=True)
class Kind:
    """One kind of thread. `needs` is how many items of which apps it must have room for; `weight` how common it is."""

    make: Callable[[Maker], None]
    needs: Mapping[str, int]
    fits: Callable[[Persona], bool] = lambda persona: True
    weight: float = 1


_WEEKLY = {"calendar": 2}
_ONCE = {"calendar": 1}
TABLE: Mapping[str, Kind] = {
    "lesson": Kind(learning.lesson, _WEEKLY, weight=4),
    "language_class": Kind(learning.language_class, _WEEKLY, weight=2),
    "book_club": Kind(learning.book_club, _WEEKLY, weight=2),
    "gym_class": Kind(learning.gym_class, _WEEKLY, _goes_out, weight=2),
    "volunteer_shift": Kind(learning.volunteer_shift, _WEEKLY, weight=2),
    "standup": Kind(working.standup, _WEEKLY, _has_team, weight=3),
    "commute_music": Kind(listening.commute_music, {"music": 1}, _commutes, weight=2.5),
    "workout_music": Kind(listening.workout_music, {"music": 1}, _goes_out, weight=1.5),
    "bedtime_music": Kind(listening.bedtime_music, {"music": 1}),
    "focus_music": Kind(listening.focus_music, {"music": 1}, _works),
    "favourite_album": Kind(listening.favourite_album, {"music": 1}, weight=1.5),
    "family_call": Kind(working.family_call, {"phone": 1}, weight=1.5),
    "missed_call": Kind(working.missed_call, {"phone": 1}, weight=1.5),
    "client_meeting": Kind(working.client_meeting, _ONCE, _has_team, weight=2.5),
    "project": Kind(working.project, {"mail": 1}, _has_team, weight=1.5),
    "unanswered_mail": Kind(working.unanswered_mail, {"mail": 1}, weight=1.5),
    "interview": Kind(working.interview, {**_ONCE, "google": 1}, _may_apply, weight=1.5),
    "appointment": Kind(working.appointment, _ONCE, weight=2),
    "medication": Kind(household.medication, {"reminders": 1}),
    "diet": Kind(household.diet, {"notes": 1}),
    "recipe": Kind(household.recipe, {"notes": 1}, weight=1.5),
    "shopping": Kind(household.shopping, {"notes": 1}, weight=2),
    "bill": Kind(household.bill, {"reminders": 1}),
    "chore": Kind(household.chore, {"reminders": 1}),
    "birthday": Kind(leisure.birthday, _ONCE, weight=1.5),
    "trip": Kind(leisure.trip, {**_ONCE, "mail": 1, "google": 1}, weight=3),
    "concert": Kind(listening.concert, _ONCE, _goes_out, weight=2),
    "date_night": Kind(leisure.date_night, _ONCE, _goes_out, weight=1.5),
    "match": Kind(learning.match, {"google": 1}),
    "hobby": Kind(learning.hobby, {"google": 2}, weight=2),
    "daily_search": Kind(household.daily_search, {"google": 1}),
    "order": Kind(household.order, {"mail": 1}, weight=1.5),
    "repair": Kind(working.repair, {"google": 1, "phone": 1}, weight=1.5),
    "house_hunt": Kind(working.house_hunt, {**_ONCE, "google": 1}, _goes_out, weight=1),
    "school_run": Kind(household.school_run, {"reminders": 1}, _has_child, weight=3),
    "pet": Kind(household.pet, {"reminders": 1}),
}

__all__ = ["TABLE", "Kind", "fill_up"]

"""Simulates the lives: who the people are, what goes on with them, and weeks of use of their phones (Appendix A)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from camphor_lab.datasets.context.lives import Life, Persona
from camphor_lab.datasets.context.maker import Maker
from camphor_lab.datasets.context.personas import make_persona
from camphor_lab.datasets.context.threads import household, leisure, listening, working
from camphor_lab.datasets.context.threads.others import fill_up
from camphor_lab.datasets.context.words import Words

PERSONAS = 791
SIZES = {
    "mail": 2.93, "calendar": 5.63, "google": 9.57, "music": 4.38, "reminders": 4.81, "notes": 2.23, "phone": 2.34,
}  # fmt: skip
"""Average items of each app (Table 4)."""
TEST_SHARE = 936 / (4338 + 936)
"""The share of people who are for the test: that of their queries in the paper's data (section 3.1)."""
SPARE = {"google": 0.35}
SPARE_OTHERS = 0.2
"""The share of each app that no thread gets: errands, spam, songs heard once."""
WEEKS = (4, 8)
MOST_THREADS = 12
_FIRST_END = datetime(2025, 9, 1)
_LAST_MONTHS = 300


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
    "lesson": Kind(leisure.lesson, _WEEKLY, weight=4),
    "language_class": Kind(leisure.language_class, _WEEKLY, weight=2),
    "book_club": Kind(leisure.book_club, _WEEKLY, weight=2),
    "gym_class": Kind(leisure.gym_class, _WEEKLY, _goes_out, weight=2),
    "volunteer_shift": Kind(leisure.volunteer_shift, _WEEKLY, weight=2),
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
    "match": Kind(leisure.match, {"google": 1}),
    "hobby": Kind(leisure.hobby, {"google": 2}, weight=2),
    "daily_search": Kind(household.daily_search, {"google": 1}),
    "order": Kind(household.order, {"mail": 1}, weight=1.5),
    "repair": Kind(working.repair, {"google": 1, "phone": 1}, weight=1.5),
    "house_hunt": Kind(working.house_hunt, {**_ONCE, "google": 1}, _goes_out, weight=1),
    "school_run": Kind(household.school_run, {"reminders": 1}, _has_child, weight=3),
    "pet": Kind(household.pet, {"reminders": 1}),
}
"""The kinds of threads: who has them, what they need at least, and how they are made."""


def split_of_persona(number: int) -> str:
    """`train` or `test` for the person of this number: the test's are spread evenly."""
    return "test" if math.floor((number + 1) * TEST_SHARE) > math.floor(number * TEST_SHARE) else "train"


def make_lives(count: int = PERSONAS, seed: int = 0) -> Iterator[Life]:
    """So many lives, in the order of their numbers; the same for the same seed, whatever `count` is."""
    banks = {split: Words(split) for split in ("train", "test")}
    return (make_life(number, seed, banks[split_of_persona(number)]) for number in range(count))


def make_life(number: int, seed: int, words: Words | None = None) -> Life:
    """The life of one person; `words` may be passed so that the bank is divided once."""
    rng = Random(f"life:{seed}:{number}")
    words = words or Words(split_of_persona(number))
    persona, people = make_persona(f"p{number:04d}", words, rng)
    last = _FIRST_END + timedelta(days=rng.randrange(_LAST_MONTHS))
    begin = last - timedelta(days=7 * rng.randint(*WEEKS) + rng.randrange(7))
    m = Maker(persona, people, words, rng, (begin, last.replace(hour=rng.randint(19, 23), minute=rng.randrange(60))))
    spare = {}
    for app, mean in SIZES.items():
        size = _rounded(mean * rng.uniform(0.5, 1.5), rng)
        spare[app] = min(size, _rounded(size * SPARE.get(app, SPARE_OTHERS), rng))
        m.room[app] = size - spare[app]
    _threads(m)
    for app, count in spare.items():
        m.room[app] += count
    fill_up(m)
    return m.life()


def _threads(m: Maker) -> None:
    # weighted order without replacement: the larger key first (Efraimidis and Spirakis, 2006)
    order = sorted(TABLE, key=lambda kind: m.rng.random() ** (1 / TABLE[kind].weight), reverse=True)
    for name in order:
        kind = TABLE[name]
        if len(m.threads) < MOST_THREADS and kind.fits(m.persona) and m.has_room(kind.needs):
            kind.make(m)


def _rounded(value: float, rng: Random) -> int:
    """Up or down, so that the average stays."""
    low = math.floor(value)
    return low + (rng.random() < value - low)

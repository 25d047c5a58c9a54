"""Simulates the lives: who the people are, what goes on with them, and weeks of use of their phones (Appendix A)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from camphor_lab.datasets.context.lives import Life, LifePerson, Persona
from camphor_lab.datasets.context.maker import DAY, LifeMaker
from camphor_lab.datasets.context.personas import make_persona
from camphor_lab.datasets.context.threads import household, leisure, working
from camphor_lab.datasets.context.threads.common import (
    HOUR,
    MINUTE,
    call,
    event,
    mail,
    missed_people,
    note,
    reminder,
    reopened,
    search,
    song,
)
from camphor_lab.datasets.context.words import LifeWords, Topic, fill


def fill_up(m: LifeMaker) -> None:
    """One-off searches, newsletters and spam, errands, notes, songs heard now and then, calls and events."""
    fillers = {"google": _search, "mail": _mail, "reminders": _reminder, "notes": _note, "music": _song}
    fillers |= {"phone": _call, "calendar": _event}
    for app, filler in fillers.items():
        while m.room[app] > 0:
            filler(m)


def _composed(m: LifeMaker, key: str) -> str:
    """A line about one of the goods of the bank, with somebody of this life in it."""
    goods = m.rng.sample(list(m.words.lines("things")), 2)
    who = m.someone("friend", "family", "work")
    return fill(m.pick("things", key), m.values(who, thing=goods[0], other=goods[1], price=m.rng.randrange(10, 200, 5)))


def _search(m: LifeMaker) -> None:
    first = m.between(m.begin if m.chance(0.3) else m.end - 16 * DAY, m.end - m.rng.choice((0, 5)) * DAY)
    again = [m.awake(first + m.rng.uniform(0.1, 40) * HOUR)] if m.chance(0.25) else []
    query = _composed(m, "searches") if m.chance(0.6) else m.topic("searches")["what"]
    search(m, None, query, [first, *again])


def _mail(m: LifeMaker) -> None:
    topic = m.topic("mails")
    sender, at = m.pick("mails", "senders"), m.between(m.end - 16 * DAY, m.end - HOUR)
    mail(m, None, sender, topic["subject"], topic["body"], at)


def _reminder(m: LifeMaker) -> None:
    due = m.at(m.between(m.end - 12 * DAY, m.end + 7 * DAY), m.rng.randint(8, 20))
    content = _composed(m, "reminders") if m.chance(0.5) else m.topic("reminders")["what"]
    reminder(m, None, content, [due], 0.65, 120)


def _note(m: LifeMaker) -> None:
    topic, since = m.topic("notes"), m.between(m.begin, m.window)
    own = _composed(m, "notes").split("|")
    title, content = own if m.chance(0.5) else (topic["title"], topic["content"])
    kept = note(m, None, title, content, since)
    reopened(m, kept, (m.between(since, m.end) for _ in range(m.rng.randint(0, 4))), 0.8, 0.4)


def _song(m: LifeMaker) -> None:
    chosen: Topic = m.topic("artists", lambda topic: topic["genre"] == m.persona.music and m.chance(0.7))
    since = m.between(m.begin, m.window + 4 * DAY)
    heard = song(m, None, "song", chosen["artist"], since, chosen["genre"])
    kind = m.rng.choice(("once", "once", "binge", "weekends", "now and then"))
    if kind == "binge":  # played over and over for a day or two, then hardly ever
        m.often(heard, "played", (since + step * 37 * MINUTE for step in range(m.rng.randint(6, 18))), 0.9, 10)
    elif kind == "weekends":
        m.often(heard, "played", (m.at(day, m.rng.uniform(9, 22)) for day in m.days((5, 6))), 0.8, 40)
    elif kind == "now and then":
        m.often(heard, "played", (m.at(day, m.rng.uniform(8, 23)) for day in m.days()), 0.2, 40)
    m.use(heard, "played", since)


def _call(m: LifeMaker) -> None:
    if m.chance(0.35):
        who = LifePerson(m.topic("callers")["what"], "", "service", m.people.number(), "", "they")
        direction = m.rng.choice(("incoming", "missed", "outgoing"))
        call(m, None, "call", who, direction, [m.between(m.window - 8 * DAY, m.window + 4 * DAY)])
        return
    spoken = {(item.fields["contact"], item.fields["direction"]) for item in m.items if item.app == "phone"}
    direction = m.rng.choice(("incoming", "outgoing"))
    known = [person for person in m.persona.people if person not in missed_people(m)]
    who = m.rng.choice([person for person in known if (person.name, direction) not in spoken] or known)
    call(m, None, "call", who, direction, [m.between(m.begin, m.end - HOUR) for _ in range(m.rng.choice((1, 1, 2, 4)))])


def _event(m: LifeMaker) -> None:
    who = m.someone("family", "friend", "work") if m.chance(0.5) else None
    start = m.soon(m.free() if m.chance(0.6) else (m.rng.randrange(7), m.rng.randint(8, 20)), early=-2)
    where = f"{m.rng.randint(1, 120)} {m.pick('places', 'streets')}" if m.chance(0.5) else ""
    title = m.topic("events")["what"] + (f" with {who.name.split()[0]}" if who and m.chance(0.5) else "")
    event(m, None, title, start, 1.5, where=where, who=[who] if who else [], place="out")


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
class ThreadKind:
    """One kind of thread. `needs` is how many items of which apps it must have room for; `weight` how common it is."""

    make: Callable[[LifeMaker], None]
    needs: Mapping[str, int]
    fits: Callable[[Persona], bool] = lambda persona: True
    weight: float = 1


_WEEKLY = {"calendar": 2}
_ONCE = {"calendar": 1}
TABLE: Mapping[str, ThreadKind] = {
    "lesson": ThreadKind(leisure.lesson, _WEEKLY, weight=4),
    "language_class": ThreadKind(leisure.language_class, _WEEKLY, weight=2),
    "book_club": ThreadKind(leisure.book_club, _WEEKLY, weight=2),
    "gym_class": ThreadKind(leisure.gym_class, _WEEKLY, _goes_out, weight=2),
    "volunteer_shift": ThreadKind(leisure.volunteer_shift, _WEEKLY, weight=2),
    "standup": ThreadKind(working.standup, _WEEKLY, _has_team, weight=3),
    "commute_music": ThreadKind(leisure.commute_music, {"music": 1}, _commutes, weight=2.5),
    "workout_music": ThreadKind(leisure.workout_music, {"music": 1}, _goes_out, weight=1.5),
    "bedtime_music": ThreadKind(leisure.bedtime_music, {"music": 1}),
    "focus_music": ThreadKind(leisure.focus_music, {"music": 1}, _works),
    "favourite_album": ThreadKind(leisure.favourite_album, {"music": 1}, weight=1.5),
    "family_call": ThreadKind(working.family_call, {"phone": 1}, weight=1.5),
    "missed_call": ThreadKind(working.missed_call, {"phone": 1}, weight=1.5),
    "client_meeting": ThreadKind(working.client_meeting, _ONCE, _has_team, weight=2.5),
    "project": ThreadKind(working.project, {"mail": 1}, _has_team, weight=1.5),
    "unanswered_mail": ThreadKind(working.unanswered_mail, {"mail": 1}, weight=1.5),
    "interview": ThreadKind(working.interview, {**_ONCE, "google": 1}, _may_apply, weight=1.5),
    "appointment": ThreadKind(working.appointment, _ONCE, weight=2),
    "medication": ThreadKind(household.medication, {"reminders": 1}),
    "diet": ThreadKind(household.diet, {"notes": 1}),
    "recipe": ThreadKind(household.recipe, {"notes": 1}, weight=1.5),
    "shopping": ThreadKind(household.shopping, {"notes": 1}, weight=2),
    "bill": ThreadKind(household.bill, {"reminders": 1}),
    "chore": ThreadKind(household.chore, {"reminders": 1}),
    "birthday": ThreadKind(leisure.birthday, _ONCE, weight=1.5),
    "trip": ThreadKind(leisure.trip, {**_ONCE, "mail": 1, "google": 1}, weight=3),
    "concert": ThreadKind(leisure.concert, _ONCE, _goes_out, weight=2),
    "date_night": ThreadKind(leisure.date_night, _ONCE, _goes_out, weight=1.5),
    "match": ThreadKind(leisure.match, {"google": 1}),
    "hobby": ThreadKind(leisure.hobby, {"google": 2}, weight=2),
    "daily_search": ThreadKind(household.daily_search, {"google": 1}),
    "order": ThreadKind(household.order, {"mail": 1}, weight=1.5),
    "repair": ThreadKind(working.repair, {"google": 1, "phone": 1}, weight=1.5),
    "house_hunt": ThreadKind(working.house_hunt, {**_ONCE, "google": 1}, _goes_out, weight=1),
    "school_run": ThreadKind(household.school_run, {"reminders": 1}, _has_child, weight=3),
    "pet": ThreadKind(household.pet, {"reminders": 1}),
}
"""The kinds of threads: who has them, what they need at least, and how they are made."""


def split_of_persona(number: int) -> str:
    """`train` or `test` for the person of this number: the test's are spread evenly."""
    return "test" if math.floor((number + 1) * TEST_SHARE) > math.floor(number * TEST_SHARE) else "train"


def make_lives(count: int = PERSONAS, seed: int = 0) -> Iterator[Life]:
    """So many lives, in the order of their numbers; the same for the same seed, whatever `count` is."""
    banks = {split: LifeWords(split) for split in ("train", "test")}
    return (make_life(number, seed, banks[split_of_persona(number)]) for number in range(count))


def make_life(number: int, seed: int, words: LifeWords | None = None) -> Life:
    """The life of one person; `words` may be passed so that the bank is divided once."""
    rng = Random(f"life:{seed}:{number}")
    words = words or LifeWords(split_of_persona(number))
    persona, people = make_persona(f"p{number:04d}", words, rng)
    last = _FIRST_END + timedelta(days=rng.randrange(_LAST_MONTHS))
    begin = last - timedelta(days=7 * rng.randint(*WEEKS) + rng.randrange(7))
    m = LifeMaker(
        persona, people, words, rng, (begin, last.replace(hour=rng.randint(19, 23), minute=rng.randrange(60)))
    )
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


def _threads(m: LifeMaker) -> None:
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

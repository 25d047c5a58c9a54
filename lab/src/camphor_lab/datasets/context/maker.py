"""A life under construction: items within the sizes of its apps, and uses along a person's weeks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from camphor_lab.datasets.context.lives import QUERY_DAYS, ItemUse, Life, LifeItem, LifePerson, Persona, Thread
from camphor_lab.datasets.context.personas import People
from camphor_lab.datasets.context.words import LifeWords, Topic

DAY = timedelta(days=1)
KEPT_BEFORE = QUERY_DAYS + 2
"""Days before the end of a life from which on its calendar keeps events."""
AHEAD = 8
"""Days after the end of a life for which routines stand in the calendar already."""

_WRITTEN = ("calendar", "reminders", "notes")  # apps whose items the person enters
_HABITS = ("opened", "edited", "played", "completed")  # uses that can be left out; calls and mails come as they come


@dataclass(frozen=True)
class Routine:
    """Something that takes place once a week at the same time."""

    weekday: int
    hour: float
    occurrences: tuple[datetime, ...]
    attended: tuple[datetime, ...]

    @property
    def attributes(self) -> dict[str, Any]:
        return {"weekday": self.weekday, "hour": self.hour, "occurrences": self.occurrences}


class LifeMaker:
    """Collects what a life consists of.

    Args:
        room: how many items each app may still get.
        begin, end: midnight of the first day, and the last moment, of the life.
    """

    def __init__(
        self, persona: Persona, people: People, words: LifeWords, rng: Random, span: tuple[datetime, datetime]
    ) -> None:
        self.persona, self.people, self.words, self.rng = persona, people, words, rng
        self.begin, self.end = span
        self.room: dict[str, int] = {}
        self.items: list[LifeItem] = []
        self.threads: list[Thread] = []
        self._uses: list[tuple[int, str, datetime, str | None]] = []
        self._stays: list[tuple[datetime, datetime, str, int]] = []
        self._services: list[LifePerson] = []
        self._free = [(day, hour) for day in range(7) for hour in self._hours(day)]
        self._used: set[str] = set()

    @property
    def window(self) -> datetime:
        return self.end - timedelta(days=QUERY_DAYS)

    def life(self) -> Life:
        """What was made: items in the order in which they came to the phone, uses where the person was."""
        persona = replace(self.persona, people=(*self.persona.people, *self._services))
        order = sorted(range(len(self.items)), key=lambda item: self.items[item].since)
        place_of = {old: new for new, old in enumerate(order)}
        for thread in self.threads:
            thread.items = [place_of[item] for item in thread.items]
        items = [self.items[item] for item in order]
        stays = sorted((begin, end, place) for begin, end, place, _ in self._stays)
        life = Life(persona, self.begin, self.end, items, self.threads, [], stays)
        uses = [use for use in self._uses if not self._busy(use)]
        made = sorted((at, place_of[item], kind, place or "") for item, kind, at, place in uses)
        life.uses = [ItemUse(item, kind, at, place or life.place_at(at)) for at, item, kind, place in made]
        return life

    def _busy(self, use: tuple[int, str, datetime, str | None]) -> bool:
        """Whether a habit is left out this time: the person sleeps, or is somewhere for something else."""
        item, kind, at, _ = use
        if kind not in _HABITS:
            return False
        first = (self.persona.work or (24, 24))[0] - self.persona.commute_minutes / 60 - 1.5
        if 1 <= at.hour + at.minute / 60 < min(5.5, first):
            return True
        own = self.items[item].thread
        return own is not None and any(begin <= at < end and own != other for begin, end, _, other in self._stays)

    # words and people

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def topic(self, table: str, fits: Callable[[Topic], bool] | None = None) -> Topic:
        """A topic that this life does not have yet, where there is one."""
        suits = self.words.suits(table, self.persona.pronoun, self.persona.age)
        topics = [topic for topic in self.words.topics(table) if suits(topic)]
        topics = [topic for topic in topics if fits is None or fits(topic)] or topics
        new = [topic for topic in topics if "|".join(topic.values()) not in self._used]
        topic = self.rng.choice(new or topics)
        self._used.add("|".join(topic.values()))
        return topic

    def pick(self, table: str, key: str) -> str:
        return self.words.pick(self.rng, table, key)

    def someone(self, *circles: str) -> LifePerson | None:
        """Somebody of these circles, or None."""
        people = [person for person in self.persona.people if person.circle in circles]
        return self.rng.choice(people) if people else None

    def relative(self, *relationships: str) -> LifePerson | None:
        people = [person for person in self.persona.people if person.relationship in relationships]
        return self.rng.choice(people) if people else None

    def service(self, relationship: str) -> LifePerson:
        """Somebody new whom the person deals with, known from now on."""
        person = self.people.person(relationship, "service")
        self._services.append(person)
        return person

    def values(self, who: LifePerson | None, **more: Any) -> dict[str, Any]:
        """Slots for forms: those given, and the person's first name, name and relationship."""
        owner = self.persona.name.split()[0]
        named = {"first": who.name.split()[0], "name": who.name, "relation": who.relationship} if who else {}
        return {"owner": owner, "n": self.rng.randint(2, 14), **named, **more}

    # times

    def _hours(self, day: int) -> tuple[float, ...]:
        work = self.persona.work
        if work is None or day not in self.persona.workdays:
            return (10, 11.5, 14, 16, 18, 19.5)
        after = math.ceil(work[1] + self.persona.commute_minutes / 60 + 0.25)
        evening = tuple(hour for hour in (17.0, 18.0, 18.5, 19.0, 20.0) if hour >= after)
        return evening or ((10.0, 11.0) if work[0] > 12 else (20.5,))

    def free(self, days: Iterable[int] = range(7), low: float = 0, high: float = 24) -> tuple[int, float]:
        """A weekday and hour that nothing else of the person's weeks takes; no other routine gets it."""
        days = tuple(days)
        slots = [slot for slot in self._free if slot[0] in days and low <= slot[1] <= high] or self._free
        slot = self.rng.choice(slots) if slots else (self.rng.randrange(7), 19.0)
        self._free = [other for other in self._free if other[0] != slot[0] or abs(other[1] - slot[1]) >= 1.5]
        return slot

    def working(self) -> tuple[int, float]:
        """A weekday and hour within working time, when others work too."""
        first, last = self.persona.work or (9, 16)
        days = [day for day in self.persona.workdays if day < 5] or range(5)
        hours = [first + 1 + step / 2 for step in range(max(int(2 * (last - first - 2)), 1))]
        return self.rng.choice(days), self.rng.choice([hour for hour in hours if 8 <= hour <= 18] or hours)

    def weekly(self, slot: tuple[int, float], skips: float = 0.15) -> Routine:
        """A routine from the begin of the life till after its end, with weeks left out."""
        weekday, hour = slot
        ahead = self.end + AHEAD * DAY
        first = self.at(self.begin + (weekday - self.begin.weekday()) % 7 * DAY, hour)
        every = [first + 7 * week * DAY for week in range(20) if first + 7 * week * DAY <= ahead]
        attended = tuple(moment for moment in every if moment <= self.end and not self.chance(skips))
        return Routine(weekday, hour, tuple(every), attended)

    def at(self, day: datetime, hour: float) -> datetime:
        """A day's time; hours past 24 fall on the next day."""
        return day.replace(hour=0, minute=0, second=0) + timedelta(minutes=round(hour * 60))

    def near(self, moment: datetime, minutes: float = 12) -> datetime:
        """About then: normally distributed, with seconds."""
        return moment + timedelta(seconds=round(self.rng.gauss(0, minutes * 60)))

    def at_home(self, hour: float) -> float:
        """The hour, or for one on the way to work or there, one before or after that at which the person is awake."""
        if self.persona.work is None:
            return hour
        way = self.persona.commute_minutes / 60
        first, last = self.persona.work[0] - way - 0.5, self.persona.work[1] + way + 0.5
        if not first < hour < last:
            return hour
        before, after = math.floor(2 * first) / 2, math.ceil(2 * last) / 2
        return before if after > 22 or (hour < 12 and before >= 5.5) else after

    def evening_before(self, moment: datetime) -> datetime:
        """The moment, or nine in the evening before for one in the night."""
        hour = moment.hour + moment.minute / 60
        evening = moment.replace(hour=21, minute=0, second=0)
        return moment if 6.5 <= hour < 22 else evening if hour >= 22 else evening - DAY

    def awake(self, moment: datetime) -> datetime:
        """The moment, or the morning after for one in the night."""
        return moment + timedelta(hours=7) if moment.hour + moment.minute / 60 < 6.5 else moment

    def days(self, weekdays: Sequence[int] = range(7)) -> list[datetime]:
        """The midnights of the life's days on these weekdays."""
        count = (self.end - self.begin).days + 1
        days = [self.begin + step * DAY for step in range(count)]
        return [day for day in days if day.weekday() in weekdays]

    def between(self, low: datetime, high: datetime) -> datetime:
        """A waking moment between two times."""
        for _ in range(20):
            moment = low + (high - low) * self.rng.random()
            if 7 <= moment.hour < 23:
                break
        return moment.replace(microsecond=0)

    def soon(self, slot: tuple[int, float] | None = None, early: float = 1, late: float = 5) -> datetime:
        """A moment about when queries are asked: days after the window's begin till days after the end."""
        weekday, hour = slot or self.free()
        days = [self.window + step * DAY for step in range(int(early), QUERY_DAYS + int(late) + 1)]
        fitting = [day for day in days if day.weekday() == weekday]
        return self.at(self.rng.choice(fitting or days), hour)

    def moved(self) -> datetime | None:
        """When a habit went over to something new; None for one that lasted."""
        if self.chance(0.35):
            return None
        return self.between(self.begin + (self.end - self.begin) * 0.3, self.window - 3 * DAY)

    # items and their uses

    def has_room(self, needs: Mapping[str, int]) -> bool:
        return all(self.room.get(app, 0) >= count for app, count in needs.items())

    def extra(self, app: str, share: float) -> bool:
        """Whether an item that a thread can do without is made."""
        return self.room.get(app, 0) > 0 and self.chance(share)

    def thread(self, kind: str, what: str, **attributes: Any) -> Thread:
        thread = Thread(kind, what, attributes)
        self.threads.append(thread)
        return thread

    def add(
        self,
        thread: Thread | None,
        app: str,
        role: str,
        since: datetime,
        fields: Mapping[str, Any],
        dues: Sequence[datetime] = (),
    ) -> int:
        """A new item; its index."""
        number = len(self.threads) - 1 if thread else None
        since = max(since, self.begin)
        if app in _WRITTEN:
            since = self.awake(since)
        self.items.append(LifeItem(app, role, dict(fields), since, tuple(dues), number))
        self.room[app] = self.room.get(app, 0) - 1
        index = len(self.items) - 1
        if thread:
            thread.items.append(index)
        return index

    def use(self, item: int, kind: str, at: datetime, place: str | None = None) -> None:
        """One use, unless the phone did not have the item yet or the life is over."""
        if self.items[item].since <= at <= self.end:
            self._uses.append((item, kind, at, place))

    def often(self, item: int, kind: str, times: Iterable[datetime], share: float = 0.8, minutes: float = 12) -> None:
        """A use at about these times, most of them."""
        for moment in times:
            if self.chance(share):
                self.use(item, kind, self.near(moment, minutes))

    def stay(self, begin: datetime, hours: float, place: str, threaded: bool = True) -> None:
        """The person is there then, for the thread begun last or for none; ten minutes before it they have set off."""
        number = len(self.threads) - 1 if threaded else -1
        self._stays.append((begin - timedelta(minutes=10), begin + timedelta(hours=hours), place, number))

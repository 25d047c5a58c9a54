"""A life seen from one moment: what is next, what was used last, what is habitual at this hour and place."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from camphor_lab.datasets.context.lives import ItemUse, Life, LifePerson, Thread

_NEAR_HOURS = 1.5
_OTHER_WEEKDAY, _OTHER_PLACE = 0.4, 0.4  # weights of uses at the same hour on another weekday, or elsewhere
_HALF_LIFE = timedelta(days=10)
_ALL_DAY = timedelta(hours=24)
_OPEN = timedelta(minutes=5)
_CLEAR = 1.5  # a habit is one when it weighs so many times the next


class LifeMoment:
    """A life at `now`. Items are indices in `life.items`; what is not on the phone yet is never given.

    Args:
        place: where the person is; by their routine for "".
    """

    def __init__(self, life: Life, now: datetime, place: str = "") -> None:
        self.life, self.now = life, now
        self.place = place or life.place_at(now)

    # ---- records ----

    def fields(self, item: int) -> dict[str, Any]:
        """The record as the phone has it now."""
        return self.life.fields(item, self.now)

    def title(self, item: int) -> str:
        return self.life.items[item].title

    def of(self, thread: Thread, *roles: str) -> list[int]:
        return self.life.of(thread, *roles, at=self.now)

    def says(self, item: int, words: str) -> bool:
        """Whether a record holds these words."""
        return bool(words) and words.casefold() in " ".join(map(str, self.fields(item).values())).casefold()

    def written(self, item: int, words: str) -> str:
        """These words with the capitals that the record has."""
        text = " ".join(map(str, self.fields(item).values()))
        at = text.casefold().find(words.casefold())
        return text[at : at + len(words)] if at >= 0 else words

    def known(self, app: str) -> list[int]:
        """The items of an app."""
        return [at for at, item in enumerate(self.life.items) if item.app == app and item.since <= self.now]

    # ---- time ----

    def start(self, event: int) -> datetime:
        return datetime.fromisoformat(str(self.life.items[event].fields["start"]))

    def all_day(self, event: int) -> bool:
        """Whether it has no hour: a birthday."""
        fields = self.life.items[event].fields
        return datetime.fromisoformat(str(fields["end"])) - self.start(event) >= _ALL_DAY

    def hours_to(self, moment: datetime) -> float:
        return (moment - self.now) / timedelta(hours=1)

    def next_event(self, thread: Thread, roles: Sequence[str] = ("event",), begun: float = 0.0) -> int | None:
        """The thread's event that begins soonest; one that began up to `begun` minutes ago counts as well."""
        since = self.now - timedelta(minutes=begun)
        ahead = [event for event in self.of(thread, *roles) if self.start(event) > since]
        return min(ahead, key=self.start, default=None)

    def events_on(self, day: datetime, after: datetime | None = None) -> list[int]:
        """All events of a day, in order of time; those that begin after a moment where one is given."""
        found = [event for event in self.known("calendar") if self.start(event).date() == day.date()]
        return sorted((event for event in found if not after or self.start(event) > after), key=self.start)

    def due(self, reminder: int) -> datetime | None:
        """When an open reminder is due; None where it is done or has no time."""
        record = self.fields(reminder)
        return datetime.fromisoformat(record["time"]) if record.get("time") and not record.get("done") else None

    # ---- usage ----

    def hours_since(self, item: int) -> float:
        """Since its last use, or since it came to the phone."""
        uses = self.life.used(item, self.now)
        return -self.hours_to(uses[-1].at if uses else self.life.items[item].since)

    def habit(self, item: int) -> float:
        """How much the item is used at this hour, weekday and place, lately."""
        weight = 0.0
        for use in self.life.used(item, self.now):
            if not self._at_this_hour(use):
                continue
            one = 0.5 ** ((self.now - use.at) / _HALF_LIFE)
            one *= 1.0 if use.at.weekday() == self.now.weekday() else _OTHER_WEEKDAY
            weight += one * (1.0 if use.place == self.place else _OTHER_PLACE)
        return weight

    def habit_days(self, item: int, place: str = "") -> int:
        """On how many days before today it was used at this hour (and at a place)."""
        uses = (use for use in self.life.used(item, self.now) if place in ("", use.place) and self._at_this_hour(use))
        return len({use.at.date() for use in uses} - {self.now.date()})

    def _at_this_hour(self, use: ItemUse) -> bool:
        apart = abs((use.at.hour + use.at.minute / 60) - (self.now.hour + self.now.minute / 60))
        return min(apart, 24 - apart) <= _NEAR_HOURS

    def habitual(self, app: str) -> tuple[int, float] | None:
        """The item of an app that is clearly the habit of this hour and place, and its weight."""
        ranked = sorted(((self.habit(item), item) for item in self.known(app)), reverse=True)
        if not ranked or ranked[0][0] < 0.5 or (len(ranked) > 1 and ranked[0][0] < _CLEAR * ranked[1][0]):
            return None
        return ranked[0][1], ranked[0][0]

    @cached_property
    def last_song(self) -> ItemUse | None:
        """The last playing of any song."""
        uses = [use for song in self.known("music") for use in self.life.used(song, self.now) if use.kind == "played"]
        return max(uses, key=lambda use: use.at, default=None)

    @cached_property
    def screen(self) -> str:
        """The app that was used within the last minutes and so is still open; "" for none."""
        uses = [use for use in self.life.uses if timedelta() <= self.now - use.at <= _OPEN]
        return self.life.items[uses[-1].item].app.capitalize() if uses else ""

    # ---- people ----

    def person(self, thread: Thread) -> LifePerson | None:
        who = thread.attributes.get("who")
        return who if isinstance(who, LifePerson) else None

    def call_with(self, person: LifePerson) -> int | None:
        """The latest call with a person."""
        calls = [call for call in self.known("phone") if self.fields(call).get("contact") == person.name]
        return min(calls, key=self.hours_since, default=None)

"""A life: a person, what their phone holds, and how they used it (Context Tuning, section 3.1 and Appendix A).

A life is made of threads; a thread is one thing going on, with its items in several apps. Kinds, the attributes of
each beside `what` (the topic in a few words), and the roles of its items:

| kind | attributes | roles of items: app.list (number) |
|---|---|---|
| lesson | who, where, weekday, occurrences | event calendar (2-3), reminder (0-1, weekly), note (0-1, reopened at it) |
| language_class | who, where, weekday, occurrences | event (2-3), note (0-1, vocabulary, on the way), search (0-2) |
| book_club | who, where, weekday, occurrences, book | event (1-2), note (0-1), reminder (0-1: read on) |
| gym_class | where, weekday, occurrences | event (2-3), reminder (0-1: pack the bag, weekly) |
| volunteer_shift | who, where, weekday, occurrences | event (2-3), mail (0-1, from who), call (0-1, with who) |
| standup | who, where, weekday, occurrences | event (2-3), note (0-1, agenda, reopened at it) |
| commute_music, workout_music, bedtime_music, focus_music | artist, moved | song, old_song (0-1: till `moved`) |
| favourite_album | artist, album, moved | song (1-2), old_song (0-1: till `moved`) |
| family_call | who, weekday, occurrences | call (outgoing, weekly), reminder (0-1, weekly) |
| missed_call | who | missed (direction missed, not called back), call (0-1: an older one) |
| client_meeting | who, where, occurrences | event, mail (0-1, agenda), note (0-1, preparation) |
| project | who, due | mail (1-2, from colleagues), note (0-1, worked on daily), reminder (0-1), event (0-1, review) |
| unanswered_mail | who | mail (a question that waits for an answer) |
| interview | who, where, occurrences | event, mail (0-1), search (0-2), note (0-1) |
| appointment | who, where, occurrences | event, reminder (0-1), search (0-1), call (0-1, with the practice) |
| medication | hour | reminder (daily), search (0-1) |
| diet | hour | note (the plan, opened before meals), search (0-2) |
| recipe | weekday, occurrences | note (opened when cooking), search (0-2) |
| shopping | weekday, where, occurrences | note (the list, opened in the shop), reminder (0-1, weekly) |
| bill | due | reminder (monthly), mail (0-1) |
| chore | weekday, hour, occurrences | reminder (weekly) |
| birthday | who, occurrences | event, reminder (0-1: gift), search (0-2: gift ideas) |
| trip | who, where, occurrences, number | event, mail (booking), search (1-3), note (0-1, packing), reminder (0-1) |
| concert | artist, where, who, occurrences | event, mail (0-1, tickets), song (0-1, played more and more) |
| date_night | who, where, occurrences, local | event, search (0-2), mail (0-1, reservation) |
| match | team, occurrences | result (a search after each game), search (0-1, before it), event (0-1) |
| hobby | moved, shown | search (2-3, lately), old_search (0-1, of another hobby, till `moved`), note (0-1) |
| daily_search | hour | search (every morning or workday) |
| order | who (name of the shop), number | mail (on its way), search (0-1, tracking) |
| repair | who, where, occurrences | search (1-2), call (0-1, with who), event (0-1: they come) |
| house_hunt | who, where, occurrences, pictured | event (viewing), mail (0-1), search (1-3), call (0-1) |
| school_run | who (child), where, hour | reminder (workdays), call (0-1, with the school) |
| pet | who (vet), hour, occurrences (vet) | reminder (daily), event (0-1: vet), search (0-1), call (0-1, vet) |

`shown`, `pictured` and `local` hold the searches of which there is something to watch, to see, or to go to.
`who` is a `LifePerson`; `where` what the calendar says; `weekday` 0 for Monday; `hour` a float; `occurrences` all times
it takes place, past and to come; `moved` when the habit went from the old item to the new one (None: it never did).
Items of no thread: one-off searches, newsletters and spam, errands, songs heard once, calls from unknown numbers.

How apps keep repeated things: phone keeps one call a contact and direction, google one entry a search, music one a
song, reminders one a series (its `time` is the due time that is open); calendar keeps every occurrence on its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from camphor.device.apps import KNOWN_APPS
from camphor.device.format import FORMAT
from camphor.device.usage_events import ItemRef

LISTS = {
    "mail": "messages", "calendar": "events", "google": "searches", "music": "songs", "reminders": "reminders",
    "notes": "notes", "phone": "calls",
}  # fmt: skip
"""The record list of each app."""

PLACES = ("home", "work", "commute", "gym", "shop", "clinic", "school", "venue", "out")
"""Where a use can happen; `venue` is where a lesson, club, meeting or date is."""

QUERY_DAYS = 7
_ACTIVITY = timedelta(hours=1)
_EARLY = timedelta(hours=6)  # a reminder may be ticked off before it is due
# what an app keeps of a repeated use: field, and the kinds of use that change it
_STAMPS = {
    "music": ("played", ("played",)),
    "notes": ("modified", ("created", "edited")),
    "google": ("date", ("searched",)),
    "phone": ("date", ("called", "received")),
}
_TITLES = {
    "mail": "subject", "calendar": "title", "google": "query", "music": "title", "reminders": "content",
    "notes": "title", "phone": "contact",
}  # fmt: skip


@dataclass(frozen=True)
class LifePerson:
    """Somebody in a life. `circle` is family, work, friend or service; `pronoun` she, he or they."""

    name: str
    relationship: str
    circle: str
    number: str
    email: str
    pronoun: str


@dataclass(frozen=True)
class Persona:
    """Who a life is about. `work` is (first hour, last hour) of a working day, None without work; `workdays` 0 to 6.

    `places` gives the address of home, work, gym, shop, clinic and school. `split` is train or test, `pronoun` as of a
    `LifePerson`.
    """

    id: str
    split: str
    name: str
    email: str
    age: int
    profession: str
    music: str
    films: str
    cuisine: str
    sport: str
    hobbies: tuple[str, ...]
    habits: tuple[str, ...]
    people: tuple[LifePerson, ...]
    city: str
    country: str
    places: Mapping[str, str]
    work: tuple[float, float] | None
    workdays: tuple[int, ...]
    commute_minutes: int
    pronoun: str

    def of(self, circle: str) -> tuple[LifePerson, ...]:
        return tuple(person for person in self.people if person.circle == circle)


@dataclass
class LifeItem:
    """One record, on the phone from `since` on. `fields` are as first written; `dues` are a reminder's due times."""

    app: str
    role: str
    fields: dict[str, Any]
    since: datetime
    dues: tuple[datetime, ...] = ()
    thread: int | None = None

    @property
    def list(self) -> str:
        return LISTS[self.app]

    @property
    def title(self) -> str:
        return str(self.fields[_TITLES[self.app]])


@dataclass(frozen=True)
class ItemUse:
    """One use of an item: `item` is its index in `Life.items`."""

    item: int
    kind: str
    at: datetime
    place: str
    screen: str = ""


@dataclass
class Thread:
    """One thing going on in a life: `items` are indices in `Life.items`. The table above tells the kinds."""

    kind: str
    what: str
    attributes: dict[str, Any]
    items: list[int] = field(default_factory=list)


@dataclass
class Life:
    """A person's phone over some weeks. Queries are asked between `window` and `end`.

    `uses` are in order of time. `stays` are (begin, end, place): when the person is elsewhere than on a usual day.
    """

    persona: Persona
    begin: datetime
    end: datetime
    items: list[LifeItem]
    threads: list[Thread]
    uses: list[ItemUse]
    stays: list[tuple[datetime, datetime, str]]
    _by_item: dict[int, list[ItemUse]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def window(self) -> datetime:
        return self.end - timedelta(days=QUERY_DAYS)

    def of(self, thread: Thread, *roles: str, at: datetime) -> list[int]:
        """The thread's items of these roles that are on the phone at a time, in the thread's order."""
        return [index for index in thread.items if self.items[index].role in roles and self.items[index].since <= at]

    def used(self, item: int, till: datetime) -> list[ItemUse]:
        """All uses of an item up to a time, oldest first."""
        by_item = self._by_item
        if not by_item:
            for use in self.uses:
                by_item.setdefault(use.item, []).append(use)
        return [use for use in by_item.get(item, ()) if use.at <= till]

    def document(
        self, now: datetime, place: str | None = None, screen: str = "", apps: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[int, ItemRef]]:
        """The device file as of `now`, and where each of `items` that is on the phone by then stands in it.

        Args:
            place: one of `PLACES`; where the person is by their routine for None.
            apps: manifests of those of the seven apps that are not built in; their records become this life's.
        """
        place = self.place_at(now) if place is None else place
        records: dict[str, list[dict[str, Any]]] = {app: [] for app in LISTS}
        refs: dict[int, ItemRef] = {}
        for index, item in enumerate(self.items):
            if item.since <= now:
                refs[index] = ItemRef(item.app, item.list, len(records[item.app]))
                records[item.app].append(self.fields(index, now))
        uses = [use for use in self.uses if use.at <= now and use.item in refs]
        persona = self.persona
        device = {
            "format": FORMAT,
            "id": persona.id,
            "owner": persona.name,
            "now": _stamp(now),
            "timezone": None,
            "location": {
                "city": persona.city,
                "country": persona.country,
                "formatted_address": persona.places.get(place, persona.city),
            },
            "place": place,
            "screen": screen,
            "activity": [self._line(use) for use in uses if now - use.at <= _ACTIVITY],
            "apps": {app: _installed(app, kept, (apps or {}).get(app)) for app, kept in records.items()},
            "usage": [_event(refs[use.item], use) for use in uses],
        }
        return device, refs

    def fields(self, item: int, now: datetime) -> dict[str, Any]:
        """The record of an item as of a time: what repeats (a call, a play, a reminder) shows its latest state."""
        kept = self.items[item]
        record = dict(kept.fields)
        if kept.app in _STAMPS:
            key, kinds = _STAMPS[kept.app]
            times = [use.at for use in self.used(item, now) if use.kind in kinds]
            record[key] = _stamp(times[-1] if times else kept.since)
        elif kept.app == "reminders":
            done = [use.at for use in self.used(item, now) if use.kind == "completed"]
            due = self._open_due(kept, done, now)
            record["time"] = _stamp(due) if due else None
            record["done"] = bool(done) and (due is None or len(kept.dues) == 1 or done[-1] > due - _EARLY)
        return record

    def _open_due(self, item: LifeItem, done: list[datetime], now: datetime) -> datetime | None:
        passed = [due for due in item.dues if due <= now]
        ahead = [due for due in item.dues if due > now]
        if passed and (not ahead or not any(at >= passed[-1] - _EARLY for at in done)):
            return passed[-1]
        if len(ahead) > 1 and any(at >= ahead[0] - _EARLY for at in done):
            return ahead[1]
        return ahead[0] if ahead else None

    def place_at(self, moment: datetime) -> str:
        """Where the person is by their routine: one of `PLACES`."""
        for begin, end, place in self.stays:
            if begin <= moment < end:
                return place
        persona = self.persona
        if persona.work is None or moment.weekday() not in persona.workdays:
            return "home"
        hour = moment.hour + moment.minute / 60
        (first, last), way = persona.work, persona.commute_minutes / 60
        if first <= hour < last:
            return "work"
        return "commute" if way and (first - way <= hour < first or last <= hour < last + way) else "home"

    def _line(self, use: ItemUse) -> str:
        item = self.items[use.item]
        return f"{use.at:%H:%M} {use.kind} {item.title!r} in {item.app}"


def _event(ref: ItemRef, use: ItemUse) -> dict[str, Any]:
    event = {"app": ref.app, "list": ref.list, "item": ref.ordinal, "kind": use.kind, "at": _stamp(use.at)}
    return {**event, "place": use.place, "screen": use.screen}


def _installed(app: str, records: list[dict[str, Any]], manifest: Mapping[str, Any] | None) -> dict[str, Any]:
    """An app of a device file (the contract, section 1): a built-in one is its lists, any other its manifest."""
    if app in KNOWN_APPS:
        return {LISTS[app]: records}
    kept = manifest or {"description": app, "tools": []}
    return {**kept, "records": {**kept.get("records", {}), LISTS[app]: records}}


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")

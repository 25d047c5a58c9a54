"""What every app's items have in common: fields, and how they are used around the times they are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from camphor_lab.datasets.context.lives import LifePerson, Thread
from camphor_lab.datasets.context.maker import AHEAD, DAY, KEPT_BEFORE, LifeMaker, Routine
from camphor_lab.datasets.context.words import LifeWords

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def address(person: LifePerson) -> str:
    return f"{person.name} <{person.email}>"


def event(
    m: LifeMaker,
    thread: Thread | None,
    title: str,
    start: datetime,
    hours: float,
    *,
    where: str = "",
    who: Sequence[LifePerson] = (),
    category: str = "Personal",
    since: datetime | None = None,
    notes: str = "",
    place: str = "venue",
    goes: bool = True,
    own: bool | None = None,
) -> int:
    """A calendar event; it is looked at the evening before and shortly before, and the person is there.

    Args:
        hours: its length. since: when it was written down: days before for None. goes: whether the person goes to it.
        own: whether the person organizes it; by chance for None.
    """
    own = m.chance(0.5) if own is None else own
    fields: dict[str, Any] = {
        "title": title,
        "start": start.isoformat(timespec="seconds"),
        "end": (start + hours * HOUR).isoformat(timespec="seconds"),
        "location": where,
        "organizer": f"{m.persona.name} <{m.persona.email}>" if own or not who else address(who[0]),
        "participants": [address(person) for person in who],
        "category": category,
        "status": "tentative" if m.chance(0.1) else "confirmed",
        "notes": notes,
    }
    if since is None:
        since = m.between(max(m.begin, start - 24 * DAY), min(start - 2 * DAY, m.window))
    item = m.add(thread, "calendar", "event", since, fields)
    m.use(item, "created", m.items[item].since)
    m.often(item, "opened", (m.at(start - DAY, 20.5),), 0.5, 40)
    m.often(item, "opened", (start - 35 * MINUTE,), 0.6, 8)
    if goes:
        m.stay(start, hours, place, thread is not None)
    return item


def weekly_events(m: LifeMaker, thread: Thread, routine: Routine, hours: float, title: str, **more: Any) -> list[int]:
    """A routine's events that the calendar still keeps or already has; the person is at those of all weeks."""
    low, high = m.end - KEPT_BEFORE * DAY, m.end + (AHEAD - 1) * DAY
    kept = [moment for moment in routine.occurrences if low <= moment <= high][-max(m.room["calendar"], 2) :]
    since = m.begin + m.rng.randint(0, 6) * DAY + 9 * HOUR
    for moment in routine.attended:
        m.stay(moment, hours, more.get("place", "venue"))
    own = m.chance(0.5)
    return [event(m, thread, title, moment, hours, since=since, goes=False, own=own, **more) for moment in kept]


def reminder(
    m: LifeMaker, thread: Thread | None, content: str, dues: Sequence[datetime], share: float = 0.85, late: float = 15
) -> int:
    """A reminder, of one time or of a series, and when it was ticked off.

    Args:
        share: how often it is done. late: minutes after the due time, on average.
    """
    first = dues[0] if len(dues) > 1 else m.between(max(m.begin, dues[0] - 9 * DAY), min(dues[0] - DAY, m.window))
    item = m.add(thread, "reminders", "reminder", first - DAY if len(dues) > 1 else first, {"content": content}, dues)
    m.use(item, "created", m.items[item].since)
    m.often(item, "completed", (due + late * MINUTE for due in dues), share, max(late / 2, 2))
    if len(dues) == 1:
        m.often(item, "opened", (m.awake(dues[0] - 5 * HOUR),), 0.4, 20)
    return item


def every(routine: Routine, shift: timedelta, m: LifeMaker) -> list[datetime]:
    """The times so far before each occurrence of a routine, those of the coming week among them; none at night."""
    return [m.evening_before(moment - shift) for moment in routine.occurrences if moment <= m.end + AHEAD * DAY]


def note(m: LifeMaker, thread: Thread | None, title: str, content: str, since: datetime) -> int:
    item = m.add(thread, "notes", "note", since, {"title": title, "content": content})
    m.use(item, "created", m.items[item].since)
    return item


def reopened(m: LifeMaker, item: int, times: Iterable[datetime], share: float = 0.8, edits: float = 0.3) -> None:
    """A note that is opened at about these times, and now and then changed."""
    for moment in times:
        if m.chance(share):
            opened = m.near(moment, 8)
            m.use(item, "opened", opened)
            if m.chance(edits):
                m.use(item, "edited", opened + 4 * MINUTE)


def mail(
    m: LifeMaker, thread: Thread | None, sender: str, subject: str, body: str, at: datetime, role: str = "mail"
) -> int:
    """A message that came in; most are opened within hours and some once more."""
    fields = {
        "sender": sender, "recipients": [m.persona.email], "subject": subject,
        "date": at.isoformat(timespec="seconds"), "body": body,
    }  # fmt: skip
    item = m.add(thread, "mail", role, at, fields)
    m.use(item, "received", m.items[item].since)
    if m.chance(0.85):
        m.use(item, "opened", m.awake(at + m.rng.uniform(0.05, 7) * HOUR))
        m.often(item, "opened", (m.awake(at + m.rng.uniform(0.5, 4) * DAY),), 0.4, 20)
    return item


def search(
    m: LifeMaker, thread: Thread | None, query: str, times: Iterable[datetime], role: str = "search"
) -> int | None:
    """A search made at these times; None where all of them lie outside the life."""
    made = sorted(moment for moment in times if m.begin <= moment <= m.end)
    if not made:
        return None
    item = m.add(thread, "google", role, made[0], {"query": query})
    for moment in made:
        m.use(item, "searched", moment)
    return item


def searches(m: LifeMaker, thread: Thread, queries: Iterable[str], low: datetime, high: datetime) -> None:
    """Searches about one thing, each made once or a few times between two moments, while there is room."""
    for query in queries:
        if m.room["google"] > 0:
            count = m.rng.choice((1, 1, 2, 3))
            search(m, thread, query, [m.between(max(low, m.begin), min(high, m.end)) for _ in range(count)])


def call(
    m: LifeMaker, thread: Thread | None, role: str, who: LifePerson, direction: str, times: Iterable[datetime]
) -> int | None:
    """Calls with one person in one direction (outgoing, incoming, missed); None where all lie outside the life."""
    made = sorted(moment for moment in times if m.begin <= moment <= m.end)
    if not made:
        return None
    fields = {
        "contact": who.name, "number": who.number, "relationship": who.relationship, "direction": direction,
        "date": "", "minutes": 0 if direction == "missed" else m.rng.randint(1, 40),
    }  # fmt: skip
    item = m.add(thread, "phone", role, made[0], fields)
    for moment in made:
        m.use(item, "called" if direction == "outgoing" else "received", moment)
    return item


def missed_people(m: LifeMaker) -> set[LifePerson]:
    """Those whose calls the person did not take and does not return."""
    return {thread.attributes["who"] for thread in m.threads if thread.kind == "missed_call"}


def song(m: LifeMaker, thread: Thread | None, role: str, artist: str, since: datetime, genre: str) -> int:
    """One of the artist's songs that the life does not have yet."""
    records = records_of(artist, m.words)
    taken = {item.fields["title"] for item in m.items if item.app == "music"}
    titles = [entry for entry in records if entry[0] not in taken] or records
    title, album = m.rng.choice(titles)
    fields = {"title": title, "artist": artist, "album": album, "genre": genre, "played": ""}
    return m.add(thread, "music", role, since, fields)


def records_of(artist: str, words: LifeWords) -> list[tuple[str, str]]:
    """The songs of an invented artist with their albums: the same in every life of the split."""
    deal = Random(f"{words.split}:{artist}")
    albums = deal.sample(list(words.lines("songs", "albums")), 2)
    titles = deal.sample(list(words.lines("songs", "titles")), 8)
    return [(title, albums[place % 2]) for place, title in enumerate(titles)]

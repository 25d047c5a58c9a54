"""What a query about a thread means at a moment: its items, the values of its plan, and how near it lies.

Each finder takes a scene and a thread and gives `Meant`, or None where nobody would ask this now. Everything is taken
from the life: the clock, the thread's items and how they were used. Words play no part, so two people who ask the same
mean different things. Scores are in hours (to an event, since a use) or are negative weights of habits: the lowest
among all threads that the words could mean is the one that is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from camphor_lab.datasets.context.lives import LifePerson, Thread
from camphor_lab.datasets.context.scene import LifeMoment

_SOON = 12 * 24.0  # hours within which an event is spoken of
_GIG_SOON = 21 * 24.0
_NOWHERE = ("Online", "Video call")  # locations to which no way leads
_CALLED = 24.0  # hours within which a call not taken is returned
_PLAYING = timedelta(minutes=6)
_GAME = timedelta(hours=2)
_HABIT_DAYS = 3  # earlier days that make a habit
_JUST_USED = 0.3  # hours since a use after which nobody asks for the same again


@dataclass(frozen=True)
class Meant:
    """The meant items, the nearest first; values for the plan; `when` is the begin of an event that is meant."""

    items: tuple[int, ...]
    arguments: dict[str, Any] = field(default_factory=dict)
    score: float = 0.0
    when: datetime | None = None
    who: LifePerson | None = None


Finder = Callable[[LifeMoment, Thread], Meant | None]


def _joined(*groups: Sequence[int] | int | None) -> tuple[int, ...]:
    flat = [item for group in groups if group is not None for item in ([group] if isinstance(group, int) else group)]
    return tuple(dict.fromkeys(flat))[:4]


# ---- events ----------------------------------------------------------------------------------------------------------


def event(
    *also: str, source: str = "title", argument: str = "title", begun: float = 0.0, within: float = _SOON,
    person: bool = False,
) -> Finder:  # fmt: skip
    """The thread's next event, with its items of the roles `also`.

    Args:
        source, argument: the field of the event that the plan copies, and the parameter that takes it.
        begun: minutes since the begin of an event that still counts.
        within: hours in which it must begin.
        person: only where somebody takes part beside the person; items of `also` must name who it is.
    """

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        found = scene.next_event(thread, begun=begun)
        if found is None or not 0 <= scene.hours_to(scene.start(found)) + begun / 60 <= within + begun / 60:
            return None
        record = scene.fields(found)
        if record.get(source) in (None, "", *_NOWHERE) or (person and not record.get("participants")):
            return None
        others, who = [item for role in also for item in _latest(scene, thread, role)], scene.person(thread)
        if person:
            others = [item for item in others if who and scene.says(item, who.name)]
        start = scene.start(found)
        arguments = {argument: record[source]} if argument else {}
        return Meant(_joined(found, others), arguments, abs(scene.hours_to(start)), start, who)

    return find


def _latest(scene: LifeMoment, thread: Thread, role: str) -> list[int]:
    """The thread's item of a role that was used last, as a list of one or none; a reminder only while it is open."""
    items = [item for item in scene.of(thread, role) if role != "reminder" or scene.due(item)]
    return sorted(items, key=scene.hours_since)[:1]


def day(ahead: int) -> Finder:
    """The events of today that are to come (0), or of tomorrow (1)."""

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        that = scene.now + timedelta(days=ahead)
        events = scene.events_on(that, None if ahead else scene.now)
        return Meant(tuple(events), {"time_range": that.date().isoformat()}) if 1 <= len(events) <= 4 else None

    return find


# ---- items of a role -------------------------------------------------------------------------------------------------


def latest(
    *roles: str, argument: str = "title", also: Sequence[str] = (), with_event: bool = False, person: str = "",
    every: bool = False, only: str = "",
) -> Finder:  # fmt: skip
    """The thread's item of these roles that was used last.

    Args:
        argument: the parameter that takes its title; "" for none.
        also: roles of further items that are meant; with_event: and the next event, where there is one.
        person: "copied" gives the plan the thread's person, who must stand in one of the items, as `recipient`; "met"
            asks only that there is one.
        every: all items of the roles are meant, the latest first.
        only: an attribute of the thread that holds the titles of those that suit.
    """

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        ranked = sorted(scene.of(thread, *roles), key=scene.hours_since)
        if only:
            ranked = [item for item in ranked if scene.title(item) in thread.attributes.get(only, ())]
        if not ranked:
            return None
        ahead = scene.next_event(thread, begun=90.0) if with_event else None
        others = [item for role in also for item in _latest(scene, thread, role)]
        items = _joined(ranked if every else ranked[0], ahead, others)
        arguments = {argument: scene.title(ranked[0])} if argument else {}
        who = scene.person(thread)
        if person and who is None:
            return None
        if person == "copied" and who:
            holding = [item for item in _with_person(scene, thread) if scene.says(item, who.name)]
            if not holding:
                return None
            items, arguments = _joined(items, holding[0]), {**arguments, "recipient": who.name}
        start = scene.start(ahead) if ahead is not None else None
        score = abs(scene.hours_to(start)) if start else scene.hours_since(ranked[0])
        return Meant(items, arguments, score, start, who)

    return find


def _with_person(scene: LifeMoment, thread: Thread) -> list[int]:
    """The thread's items that may name its person, the likeliest first: what is over comes after what is ahead."""

    def away(event: int) -> tuple[bool, float]:
        hours = scene.hours_to(scene.start(event))
        return hours < -1.5, abs(hours)

    events = sorted(scene.of(thread, "event"), key=away)
    return [*scene.of(thread, "call", "missed"), *events, *scene.of(thread, "mail"), *scene.of(thread, "reminder")]


def with_event(*roles: str, argument: str = "title", also: Sequence[str] = ()) -> Finder:
    """As `latest`, and only while an event of the thread lies ahead (of threads that have events)."""
    plain = latest(*roles, argument=argument, also=also, with_event=True)

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        found = plain(scene, thread)
        passed = found is not None and bool(thread.attributes.get("occurrences")) and found.when is None
        return None if passed else found

    return find


def named(*roles: str, attribute: str, argument: str) -> Finder:
    """An attribute of the thread (a team, a place), with the item of these roles that says it: the last used, or the
    event that is ahead."""

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        value = str(thread.attributes.get(attribute, ""))
        holding = [item for item in scene.of(thread, *roles) if scene.says(item, value)]
        if not holding:
            return None
        item = min(holding, key=scene.hours_since)
        start = scene.start(item) if scene.life.items[item].app == "calendar" else None
        if start and start < scene.now:
            return None
        score = scene.hours_to(start) if start else scene.hours_since(item)
        return Meant((item,), {argument: scene.written(item, value)}, score, start, scene.person(thread))

    return find


def trade(argument: str, *also: str) -> Finder:
    """What the thread's person is ("plumber"), with the item that says so and the last of the roles `also`."""

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        who = scene.person(thread)
        holding = [item for item in _with_person(scene, thread) if who and scene.says(item, who.relationship)]
        if who is None or not holding:
            return None
        others = [item for role in also for item in _latest(scene, thread, role)]
        last = min(scene.hours_since(item) for item in (holding[0], *others))
        return Meant(
            _joined(holding[0], others), {argument: scene.written(holding[0], who.relationship)}, last, None, who
        )

    return find


def result(within: float, argument: str = "query") -> Finder:
    """The search for results that was made last, and the event of the last game, at most `within` hours after it."""

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        games = [game for game in thread.attributes.get("occurrences", ()) if game + _GAME <= scene.now]
        searches = sorted(scene.of(thread, "result"), key=scene.hours_since)
        if not searches or not games or -scene.hours_to(max(games)) > within:
            return None
        seen = [event for event in scene.of(thread, "event") if scene.start(event) == max(games)]
        return Meant(_joined(searches[0], seen), {argument: scene.title(searches[0])}, -scene.hours_to(max(games)))

    return find


def per_kind(otherwise: Finder, **finders: Finder) -> Finder:
    """Another finder for each of some kinds of threads."""

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        return finders.get(thread.kind, otherwise)(scene, thread)

    return find


def call(*, argument: str = "contact", missed: bool = False) -> Finder:
    """The thread's person, with a call or else an event that names them; `missed`: the last call not taken, of all."""

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        who = scene.person(thread)
        if who is None:
            return None
        if missed:
            missing = [at for at in scene.known("phone") if scene.fields(at).get("direction") == "missed"]
            last = min(missing, key=scene.hours_since, default=None)
            if last is None or last not in scene.of(thread, "missed") or scene.hours_since(last) > _CALLED:
                return None
            return Meant((last,), {argument: who.name}, scene.hours_since(last), None, who)
        holding = [item for item in _with_person(scene, thread) if scene.says(item, who.name)]
        if not holding:
            return None
        ahead = scene.next_event(thread, begun=90.0)
        if ahead is None and scene.life.items[holding[0]].app == "calendar":
            return None  # it is over
        start = scene.start(ahead) if ahead is not None else None
        score = abs(scene.hours_to(start)) if start and holding[0] == ahead else scene.hours_since(holding[0])
        return Meant(_joined(holding[0], ahead), {argument: who.name}, score, start, who)

    return find


# ---- usage alone -----------------------------------------------------------------------------------------------------


def habitual(app: str, argument: str, *roles: str, place: str = "") -> Finder:
    """The item of an app that is the habit of this hour, weekday and place, where it is the thread's.

    Args:
        place: the only one where somebody would ask; "" for any.
    """

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        best = scene.habitual(app)
        if best is None or best[0] not in scene.of(thread, *roles) or (place and scene.place != place):
            return None
        if scene.habit_days(best[0], place) < _HABIT_DAYS or scene.hours_since(best[0]) < _JUST_USED:
            return None
        return Meant((best[0],), {argument: scene.title(best[0])}, -best[1], None, scene.person(thread))

    return find


def playing(argument: str = "title", longest: timedelta = _PLAYING, least: timedelta = timedelta()) -> Finder:
    """The song that was played last, of all on the phone, where it is the thread's and not too long ago."""

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        last = scene.last_song
        if last is None or last.item not in thread.items or not least <= scene.now - last.at <= longest:
            return None
        arguments = {argument: scene.title(last.item)} if argument else {}
        return Meant((last.item,), arguments, -scene.hours_to(last.at))

    return find


# ---- music -----------------------------------------------------------------------------------------------------------


def song(*roles: str, source: str = "title", argument: str = "title", moved: bool = False, also: str = "") -> Finder:
    """The thread's song of these roles and a field of it; `moved`: only where the habit went to another song.

    `also`: with the next event of that role, soon.
    """

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        songs = sorted(scene.of(thread, *roles), key=scene.hours_since)
        changed = thread.attributes.get("moved")
        if not songs or (moved and not (isinstance(changed, datetime) and changed <= scene.now)):
            return None
        if not moved and isinstance(changed, datetime) and scene.now < changed:
            return None  # the new song is not a habit yet
        value = scene.fields(songs[0]).get(source)
        if not value:
            return None
        ahead = scene.next_event(thread, (also,)) if also else None
        if also and thread.attributes.get("occurrences"):
            if ahead is None or scene.hours_to(scene.start(ahead)) > _GIG_SOON:
                return None
            return Meant(_joined(songs[0], ahead), {argument: value}, scene.hours_to(scene.start(ahead)))
        every = songs if source == "album" else songs[:1]
        return Meant(_joined(every), {argument: value}, scene.hours_since(songs[0]))

    return find


# ---- reminders -------------------------------------------------------------------------------------------------------


def reminder(
    before: float, after: float, *, argument: str = "content", also: Sequence[str] = (), with_event: bool = False
) -> Finder:
    """The thread's open reminder that is due at most `before` hours from now, or was `after` hours ago."""

    def find(scene: LifeMoment, thread: Thread) -> Meant | None:
        due = [(abs(scene.hours_to(at)), item, at) for item in scene.of(thread, "reminder") if (at := scene.due(item))]
        due = [each for each in due if -after <= scene.hours_to(each[2]) <= before]
        if not due:
            return None
        score, item, due_at = min(due)
        # what came before an earlier due time was about that one
        since = max((at for at in scene.life.items[item].dues if at < due_at), default=scene.life.begin)
        others = [
            other for role in also for other in _latest(scene, thread, role) if scene.life.items[other].since > since
        ]
        ahead = scene.next_event(thread) if with_event else None
        return Meant(_joined(item, ahead, others), {argument: scene.title(item)}, score)

    return find


def open_today(scene: LifeMoment, thread: Thread) -> Meant | None:
    """All reminders that are open and due by the end of today."""
    end = scene.now.replace(hour=23, minute=59)
    due = [(at, item) for item in scene.known("reminders") if (at := scene.due(item)) and at <= end]
    today = [item for at, item in sorted(due) if at.date() == scene.now.date()]
    return Meant(tuple(today), {"time_range": f"{scene.now:%Y-%m-%d}"}) if 1 <= len(today) <= 4 else None

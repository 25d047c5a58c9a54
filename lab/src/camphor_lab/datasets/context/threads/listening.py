"""Threads of music: what is played on the way, at the gym, at work, before sleep; favourites that come and go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from camphor_lab.datasets.context.lives import Thread
from camphor_lab.datasets.context.maker import DAY, Maker
from camphor_lab.datasets.context.threads.common import HOUR, MINUTE, event, mail, song
from camphor_lab.datasets.context.words import Topic, fill


def commute_music(m: Maker) -> None:
    first, last = m.persona.work or (9, 17)
    way = m.persona.commute_minutes / 60
    days = m.days(m.persona.workdays)
    there = [m.at(day, first - way * 0.7) for day in days]
    back = [m.at(day, last + way * 0.4) for day in days if m.chance(0.35)]
    _habit(m, "commute_music", "the way to work", [*there, *back], None, 3)


def workout_music(m: Maker) -> None:
    weekday, hour = m.free()
    days = m.days(sorted({weekday, (weekday + 2) % 7, (weekday + m.rng.choice((4, 5))) % 7}))
    sessions = [m.at(day, hour) for day in days if m.chance(0.85)]
    later = [session + 35 * MINUTE for session in sessions]
    _habit(m, "workout_music", "training", [*sessions, *later], m.words.lines("artists", "workout"), 6)
    for session in sessions:
        m.stay(session, 1.1, "gym")


def bedtime_music(m: Maker) -> None:
    hour = m.rng.choice((21.5, 22, 22.5, 23))
    times = [m.at(day, hour) for day in m.days()]
    _habit(m, "bedtime_music", "falling asleep", times, m.words.lines("artists", "bedtime"), 15)


def focus_music(m: Maker) -> None:
    first, _ = m.persona.work or (9, 17)
    hour = first + m.rng.choice((1, 1.5, 2))
    times = [m.at(day, hour) for day in m.days(m.persona.workdays)]
    _habit(m, "focus_music", "working", times, m.words.lines("artists", "focus"), 20)


def favourite_album(m: Maker) -> None:
    chosen = _artist(m, (m.persona.music,))
    moved = m.moved() if m.room["music"] > 1 else None
    thread = m.thread("favourite_album", chosen["artist"], artist=chosen["artist"], moved=moved)
    evenings = [m.at(day, m.rng.uniform(17.5, 21.5)) for day in m.days()]
    if moved:
        _played_before(m, thread, moved, evenings, (m.persona.music,))
    new = song(m, thread, "song", chosen["artist"], moved or m.begin, chosen["genre"])
    thread.attributes["album"] = m.items[new].fields["album"]
    m.often(new, "played", evenings, 0.6, 30)
    if m.extra("music", 0.5):
        other = song(m, thread, "song", chosen["artist"], moved or m.begin, chosen["genre"])
        m.items[other].fields["album"] = thread.attributes["album"]
        m.often(other, "played", (moment + 4 * MINUTE for moment in evenings), 0.35, 30)


def concert(m: Maker) -> None:
    chosen, where = _artist(m, (m.persona.music,)), m.pick("concert", "venues")
    who = m.someone("friend", "family")
    start = m.soon(m.free(low=18), early=2)
    values = m.values(who, artist=chosen["artist"], where=where, row=m.rng.randint(2, 40))
    thread = m.thread("concert", chosen["artist"], artist=chosen["artist"], who=who, where=where, occurrences=(start,))
    title = fill(m.pick("concert", "forms"), values)
    people = [who] if who else []
    event(m, thread, title, start, 3, where=where, who=people, category="Leisure")
    if m.extra("mail", 0.8):
        subject, body = fill(m.pick("concert", "mails"), values).split("|")
        at = m.between(start - 20 * DAY, min(start - 2 * DAY, m.window + DAY))
        mail(m, thread, m.pick("concert", "senders"), subject, body, at)
    if m.extra("music", 0.6):
        heard = song(m, thread, "song", chosen["artist"], max(m.begin, start - 16 * DAY), chosen["genre"])
        for day in m.days():
            # played more and more as the evening comes near
            near = 1 - min(abs((start - day).days), 16) / 18
            m.often(heard, "played", (m.at(day, m.rng.uniform(8, 22)),), 0.7 * near, 30)


def _artist(m: Maker, genres: Sequence[str] | None) -> Topic:
    own = genres is None or m.persona.music in genres
    wanted = (m.persona.music,) if own and m.chance(0.6) else genres
    return m.topic("artists", lambda topic: wanted is None or topic["genre"] in wanted)


def _habit(
    m: Maker, kind: str, what: str, times: Iterable[datetime], genres: Sequence[str] | None, minutes: float
) -> None:
    """One song at one occasion, and in two of three lives a change to another one."""
    chosen = _artist(m, genres)
    moved = m.moved() if m.room["music"] > 1 else None
    thread = m.thread(kind, what, artist=chosen["artist"], moved=moved)
    times = list(times)
    if moved:
        _played_before(m, thread, moved, times, genres, minutes)
    new = song(m, thread, "song", chosen["artist"], moved or m.begin, chosen["genre"])
    m.often(new, "played", times, 0.8, minutes)
    _elsewhere(m, new)


def _played_before(
    m: Maker,
    thread: Thread,
    moved: datetime,
    times: Iterable[datetime],
    genres: Sequence[str] | None,
    minutes: float = 30,
) -> None:
    chosen = _artist(m, genres)
    old = song(m, thread, "old_song", chosen["artist"], m.begin, chosen["genre"])
    for moment in times:
        m.often(old, "played", (moment,), 0.8 if moment < moved else 0.06, minutes)
    _elsewhere(m, old)


def _elsewhere(m: Maker, item: int) -> None:
    """A song that belongs to an occasion is heard at others too."""
    for day in m.days((5, 6)):
        m.often(item, "played", (m.at(day, 9.5) + m.rng.uniform(0, 11) * HOUR,), 0.15)

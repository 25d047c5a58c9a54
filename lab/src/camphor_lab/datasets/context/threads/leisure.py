"""Threads of one's own time: lessons, classes, clubs, shifts, sport, hobbies; trips, dates, birthdays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from camphor_lab.datasets.context.lives import LifePerson, Thread
from camphor_lab.datasets.context.maker import DAY, LifeMaker
from camphor_lab.datasets.context.threads.common import (
    HOUR,
    MINUTE,
    WEEKDAYS,
    address,
    call,
    event,
    every,
    mail,
    note,
    reminder,
    reopened,
    search,
    searches,
    song,
    weekly_events,
)
from camphor_lab.datasets.context.words import Topic, fill, one, some

_YOUNG = ("daughter", "son", "niece", "nephew")
# Of relatives of another generation: how many years older than the person, least and most.
_YEARS_OLDER = {
    "mother": (21, 38), "father": (22, 42), "grandmother": (44, 62), "grandfather": (44, 64), "aunt": (14, 34),
    "uncle": (14, 34), "godmother": (18, 36), "mother-in-law": (20, 36), "father-in-law": (20, 38),
    "daughter": (-36, -24), "son": (-36, -24), "niece": (-34, -14), "nephew": (-34, -14),
}  # fmt: skip


def lesson(m: LifeMaker) -> None:
    topic, who, where = m.topic("lesson"), m.service(m.pick("lesson", "teachers")), m.pick("lesson", "venues")
    routine = m.weekly(m.free())
    thread = m.thread("lesson", topic["what"], who=who, where=where, **routine.attributes)
    title = fill(m.pick("lesson", "forms"), m.values(who, what=topic["what"], where=where))
    weekly_events(m, thread, routine, 1, title, where=where, who=[who], category="Lesson")
    if m.extra("reminders", 0.6):
        task = one(m.rng, topic["task"])
        ahead = m.rng.choice((2 * HOUR, 22 * HOUR, 26 * HOUR))
        reminder(m, thread, task[:1].upper() + task[1:], every(routine, ahead, m), 0.75, 25)
    if m.extra("notes", 0.6):
        name, content = one(m.rng, topic["note_title"]), one(m.rng, topic["note"])
        kept = note(m, thread, name, content, routine.occurrences[0] + HOUR)
        reopened(m, kept, (moment + 10 * MINUTE for moment in routine.attended), 0.85, 0.4)


def language_class(m: LifeMaker) -> None:
    topic, who, where = m.topic("language_class"), m.service("teacher"), m.pick("language_class", "venues")
    routine = m.weekly(m.free(range(6)))
    thread = m.thread("language_class", topic["what"], who=who, where=where, **routine.attributes)
    values = m.values(who, what=topic["what"])
    title = fill(m.pick("language_class", "forms"), values)
    place = "home" if where == "Online" else "venue"
    weekly_events(m, thread, routine, 1.5, title, where=where, who=[who], category="Course", place=place)
    if m.extra("notes", 0.7):
        kept = note(m, thread, fill(m.pick("language_class", "notes"), values), topic["words"], m.begin + 10 * HOUR)
        hour = (m.persona.work or (9, 17))[0] - m.persona.commute_minutes / 120
        reopened(m, kept, (m.at(day, hour) for day in m.days(m.persona.workdays or range(7))), 0.5, 0.15)
    signed = topic["what"] == "Sign language"  # it has no sounds
    lines = [line for line in m.words.lines("language_class", "searches") if not (signed and "pronunciation" in line)]
    forms = m.rng.sample(lines, m.rng.randint(0, 2))
    searches(m, thread, (fill(form, values) for form in forms), m.end - 20 * DAY, m.end - DAY)


def book_club(m: LifeMaker) -> None:
    topic, who = m.topic("book_club"), m.someone("friend")
    first = who.name.split()[0] if who else m.persona.name.split()[0]
    routine = m.weekly(m.free(low=17), 0.3)
    where = m.rng.choice((f"{first}'s place", "Library", "The back room of the bookshop", "Café Paragraph"))
    values = {**m.values(who, **topic), "first": first}
    people = [who] if who else []
    thread = m.thread("book_club", topic["book"], who=who, where=where, book=topic["book"], **routine.attributes)
    form = m.pick("book_club", "forms")
    if "{first}" in form:
        where = thread.attributes["where"] = f"{first}'s place"
    title = fill(form, values)
    weekly_events(m, thread, routine, 2, title, where=where, who=people, category="Leisure")
    if m.extra("notes", 0.6):
        kept = note(m, thread, fill(m.pick("book_club", "notes"), values), topic["remark"], m.begin + 12 * HOUR)
        reopened(m, kept, (moment - 20 * MINUTE for moment in routine.attended), 0.7, 0.2)
        reopened(m, kept, (m.at(day, 21.5) for day in m.days()), 0.15, 0.8)
    if m.extra("reminders", 0.6):
        reminder(m, thread, fill(m.pick("book_club", "tasks"), values), every(routine, 2 * DAY, m), 0.6, 40)


def gym_class(m: LifeMaker) -> None:
    what = m.topic("gym_class")["what"]
    routine = m.weekly(m.free())
    where = m.persona.places["gym"].split(",")[0]
    thread = m.thread("gym_class", what, where=where, **routine.attributes)
    title = m.rng.choice((what, f"{what} at {where}", f"{what}, {where}"))
    weekly_events(m, thread, routine, 1, title, where=where, category="Sport", place="gym")
    if m.extra("reminders", 0.6):
        reminder(m, thread, m.pick("gym_class", "tasks"), every(routine, m.rng.choice((3, 11, 21)) * HOUR, m), 0.8, 20)


def volunteer_shift(m: LifeMaker) -> None:
    topic, who = m.topic("volunteer_shift"), m.service("coordinator")
    routine = m.weekly(m.free(), 0.25)
    where = topic["what"].capitalize()
    thread = m.thread("volunteer_shift", topic["what"], who=who, where=where, **routine.attributes)
    weekly_events(m, thread, routine, 2.5, topic["title"], where=where, who=[who], category="Volunteering")
    if m.extra("mail", 0.6):
        mail(m, thread, address(who), topic["subject"], topic["body"], m.between(m.end - 14 * DAY, m.window + 2 * DAY))
    if m.extra("phone", 0.4):
        times = [moment - 3 * HOUR for moment in routine.attended if m.chance(0.35)]
        call(m, thread, "call", who, m.rng.choice(("incoming", "outgoing")), times)


def match(m: LifeMaker) -> None:
    topic = m.topic("match", lambda topic: topic["sport"] == m.persona.sport)
    routine = m.weekly(m.free(low=17), 0.2)
    thread = m.thread("match", topic["team"], team=topic["team"], **routine.attributes)
    after = [m.near(m.awake(moment + m.rng.choice((3, 14)) * HOUR), 40) for moment in routine.attended]
    search(m, thread, fill(m.pick("match", "results"), topic), after, "result")
    if m.extra("google", 0.7):
        before = [m.near(moment - 3 * HOUR, 50) for moment in routine.attended]
        search(m, thread, fill(m.pick("match", "searches"), topic), before)
    ahead = [moment for moment in routine.occurrences if moment >= m.window + 2 * DAY]
    if ahead and m.extra("calendar", 0.5):
        event(m, thread, fill(m.pick("match", "forms"), topic), ahead[0], 2, category="Sport", place="out")


def hobby(m: LifeMaker) -> None:
    topic, former = (m.topic("hobby", lambda topic: topic["what"] in m.persona.hobbies) for _ in range(2))
    moved = m.moved() or m.end - 18 * DAY
    hour = m.rng.choice((12.5, 18.5, 20, 21))
    thread = m.thread("hobby", topic["what"], moved=None)
    evenings = [m.near(m.at(day, hour), 50) for day in m.days()]
    before = [moment for moment in evenings if moment < moved]
    after = [moment for moment in evenings if moment >= moved]
    if before and m.room["google"] > 2 and m.chance(0.6):
        times = m.rng.sample(before, min(len(before), m.rng.randint(1, 5)))
        search(m, thread, one(m.rng, f"{former['before']} / {former['now']}"), times, "old_search")
        thread.attributes["moved"] = moved
    thread.attributes["shown"] = thread.attributes["pictured"] = tuple(m.words.lines("hobby", "shown"))
    for query in some(m.rng, f"{topic['before']} / {topic['now']}", m.rng.choice((2, 2, 3))):
        if m.room["google"] > 0:
            times = m.rng.sample(after, min(len(after), m.rng.randint(1, 4)))
            search(m, thread, query, [m.near(moment, 8) for moment in times])
    if m.extra("notes", 0.6):
        kept = note(m, thread, topic["note_title"], topic["note"], m.begin + m.rng.randint(9, 200) * HOUR)
        weekend = [m.at(day, m.rng.uniform(10, 17)) for day in m.days((5, 6))]
        reopened(m, kept, weekend, 0.6, 0.5)


def trip(m: LifeMaker) -> None:
    topic, who = m.topic("trip"), m.someone("family", "friend")
    where = topic["where"]
    start = m.soon((m.rng.choice((3, 4, 5, 6)), m.rng.choice((6.5, 8, 10, 13.5, 16))), early=4, late=7)
    number = "".join(m.rng.choices("ABCDEFGHJKLMNPRSTUVWXYZ23456789", k=6))
    clock = f"{start:%H:%M}"
    values = m.values(who, where=where, number=number, date=f"{start:%d.%m.%Y}", time=clock)
    thread = m.thread("trip", f"{where} trip", who=who, where=where, number=number, occurrences=(start,))
    booked = m.between(max(m.begin, start - 30 * DAY), m.window - DAY)
    subject, body = fill(m.pick("trip", "mails"), values).split("|")
    mail(m, thread, m.pick("trip", "senders"), subject, body, booked)
    title = fill(m.pick("trip", "forms"), values)
    event(m, thread, title, start, 3, where=m.rng.choice(("Airport", "Central station", "Terminal 2", "Ferry quay")),
          who=[who] if who else [], category="Travel", since=booked + HOUR, notes=number, place="out")  # fmt: skip
    queries = [f"{where} {query}" if m.chance(0.4) else query for query in some(m.rng, topic["search"], 3)]
    searches(m, thread, queries, booked - 4 * DAY, min(start, m.end))
    if m.extra("notes", 0.6):
        name = fill(m.pick("trip", "notes"), values)
        kept = note(m, thread, name, m.pick("trip", "packing"), m.between(booked, m.window + DAY))
        reopened(m, kept, (m.evening_before(start - back * HOUR) for back in (60, 38, 14, 3)), 0.7, 0.6)
    if m.extra("reminders", 0.6):
        content = fill(m.pick("trip", "tasks"), values)
        reminder(m, thread, content, [m.evening_before(start - m.rng.choice((14, 24, 30)) * HOUR)], 0.7)


def date_night(m: LifeMaker) -> None:
    topic = m.topic("date_night")
    who = m.relative("wife", "husband", "girlfriend", "boyfriend", "partner") or m.someone("friend")
    if who is None:
        return
    start = m.soon(m.free(low=17), early=2)
    what = topic["what"]
    where = what.rpartition(" at ")[2] if " at " in what else f"{m.rng.randint(1, 90)} {m.pick('places', 'streets')}"
    thread = m.thread("date_night", what, who=who, where=where, occurrences=(start,))
    values = m.values(who, what=what, time=f"{start:%H:%M}", date=f"{start:%d.%m.}", weekday=WEEKDAYS[start.weekday()])
    title = fill(m.pick("date_night", "forms"), values)
    event(m, thread, title, start, 2.5, where=where, who=[who], category="Leisure")
    thread.attributes["local"] = tuple(m.words.lines("date_night", "local"))
    searches(m, thread, some(m.rng, topic["search"], 2), start - 7 * DAY, min(start, m.end))
    if m.extra("mail", 0.4):
        subject, body = fill(m.pick("date_night", "mails"), values).split("|")
        at = m.between(start - 6 * DAY, min(start - DAY, m.window + DAY))
        mail(m, thread, m.pick("date_night", "senders"), subject, body, at)


def _age(m: LifeMaker, who: LifePerson) -> int:
    """How old somebody of this relationship may become."""
    low, high = _YEARS_OLDER.get(who.relationship, (-8, 8))
    least = 2 if who.relationship in _YOUNG else 18
    return min(max(m.persona.age + m.rng.randint(low, high), least), 96)


def birthday(m: LifeMaker) -> None:
    born = {thread.attributes["who"] for thread in m.threads if thread.kind == "birthday"}
    people = [person for person in (*m.persona.of("family"), *m.persona.of("friend")) if person not in born]
    if not people:
        return
    who = m.rng.choice(people)
    young = who.relationship in _YOUNG
    topic = m.topic("birthday", lambda topic: young or topic["what"] not in m.words.lines("birthday", "young"))
    day = m.at(m.between(m.window, m.end + 7 * DAY), 0)
    thread = m.thread("birthday", topic["what"], who=who, occurrences=(day,))
    values = m.values(who, what=topic["what"], age=_age(m, who))
    title = fill(m.pick("birthday", "forms"), values)
    since = m.begin + m.rng.randint(8, 200) * HOUR
    event(m, thread, title, day, 24, who=[], category="Birthday", since=since, goes=False)
    if m.extra("reminders", 0.6):
        content = fill(m.pick("birthday", "tasks"), values)
        reminder(m, thread, content, [day - m.rng.randint(1, 4) * DAY + m.rng.randint(9, 19) * HOUR], 0.6)
    queries = [topic["search"], f"{m.rng.choice(('gift', 'present'))} for {who.relationship}"]
    searches(m, thread, queries[: m.rng.randint(0, 2)], day - 12 * DAY, min(day, m.end))


def commute_music(m: LifeMaker) -> None:
    first, last = m.persona.work or (9, 17)
    way = m.persona.commute_minutes / 60
    days = m.days(m.persona.workdays)
    there = [m.at(day, first - way * 0.7) for day in days]
    back = [m.at(day, last + way * 0.4) for day in days if m.chance(0.35)]
    _habit(m, "commute_music", "the way to work", [*there, *back], None, 3)


def workout_music(m: LifeMaker) -> None:
    weekday, hour = m.free()
    days = m.days(sorted({weekday, (weekday + 2) % 7, (weekday + m.rng.choice((4, 5))) % 7}))
    sessions = [m.at(day, hour) for day in days if m.chance(0.85)]
    later = [session + 35 * MINUTE for session in sessions]
    _habit(m, "workout_music", "training", [*sessions, *later], m.words.lines("artists", "workout"), 6)
    for session in sessions:
        m.stay(session, 1.1, "gym")


def bedtime_music(m: LifeMaker) -> None:
    hour = m.rng.choice((21.5, 22, 22.5, 23))
    times = [m.at(day, hour) for day in m.days()]
    _habit(m, "bedtime_music", "falling asleep", times, m.words.lines("artists", "bedtime"), 15)


def focus_music(m: LifeMaker) -> None:
    first, _ = m.persona.work or (9, 17)
    hour = first + m.rng.choice((1, 1.5, 2))
    times = [m.at(day, hour) for day in m.days(m.persona.workdays)]
    _habit(m, "focus_music", "working", times, m.words.lines("artists", "focus"), 20)


def favourite_album(m: LifeMaker) -> None:
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


def concert(m: LifeMaker) -> None:
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


def _artist(m: LifeMaker, genres: Sequence[str] | None) -> Topic:
    own = genres is None or m.persona.music in genres
    wanted = (m.persona.music,) if own and m.chance(0.6) else genres
    return m.topic("artists", lambda topic: wanted is None or topic["genre"] in wanted)


def _habit(
    m: LifeMaker, kind: str, what: str, times: Iterable[datetime], genres: Sequence[str] | None, minutes: float
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
    m: LifeMaker,
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


def _elsewhere(m: LifeMaker, item: int) -> None:
    """A song that belongs to an occasion is heard at others too."""
    for day in m.days((5, 6)):
        m.often(item, "played", (m.at(day, 9.5) + m.rng.uniform(0, 11) * HOUR,), 0.15)

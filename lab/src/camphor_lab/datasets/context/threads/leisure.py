"""Threads that come up once: a trip, an evening for two, a birthday."""

from __future__ import annotations

from datetime import timedelta

from camphor_lab.datasets.context.lives import Person
from camphor_lab.datasets.context.maker import DAY, Maker
from camphor_lab.datasets.context.threads.common import HOUR, WEEKDAYS, event, mail, note, reminder, reopened, searches
from camphor_lab.datasets.context.words import fill, some

_YOUNG = ("daughter", "son", "niece", "nephew")
# Of relatives of another generation: how many years older than the person, least and most.
_YEARS_OLDER = {
    "mother": (21, 38), "father": (22, 42), "grandmother": (44, 62), "grandfather": (44, 64), "aunt": (14, 34),
    "uncle": (14, 34), "godmother": (18, 36), "mother-in-law": (20, 36), "father-in-law": (20, 38),
    "daughter": (-36, -24), "son": (-36, -24), "niece": (-34, -14), "nephew": (-34, -14),
}  # fmt: skip


def trip(m: Maker) -> None:
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
        reminder(
            m,
            thread,
            fill(m.pick("trip", "tasks"), values),
            [m.evening_before(start - m.rng.choice((14, 24, 30)) * HOUR)],
            0.7,
        )


def date_night(m: Maker) -> None:
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


def _age(m: Maker, who: Person) -> int:
    """How old somebody of this relationship may become."""
    low, high = _YEARS_OLDER.get(who.relationship, (-8, 8))
    least = 2 if who.relationship in _YOUNG else 18
    return min(max(m.persona.age + m.rng.randint(low, high), least), 96)


def birthday(m: Maker) -> None:
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
    since = m.begin + m.rng.randint(8, 200) * timedelta(hours=1)
    event(m, thread, title, day, 24, who=[], category="Birthday", since=since, goes=False)
    if m.extra("reminders", 0.6):
        content = fill(m.pick("birthday", "tasks"), values)
        reminder(m, thread, content, [day - m.rng.randint(1, 4) * DAY + m.rng.randint(9, 19) * HOUR], 0.6)
    queries = [topic["search"], f"{m.rng.choice(('gift', 'present'))} for {who.relationship}"]
    searches(m, thread, queries[: m.rng.randint(0, 2)], day - 12 * DAY, min(day, m.end))

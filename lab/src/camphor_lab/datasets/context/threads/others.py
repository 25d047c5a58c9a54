"""Items that belong to no thread: they fill what a life's apps still have room for."""

from __future__ import annotations

from camphor_lab.datasets.context.lives import Person
from camphor_lab.datasets.context.maker import DAY, Maker
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
from camphor_lab.datasets.context.words import Topic, fill


def fill_up(m: Maker) -> None:
    """One-off searches, newsletters and spam, errands, notes, songs heard now and then, calls and events."""
    fillers = {"google": _search, "mail": _mail, "reminders": _reminder, "notes": _note, "music": _song}
    fillers |= {"phone": _call, "calendar": _event}
    for app, filler in fillers.items():
        while m.room[app] > 0:
            filler(m)


def _composed(m: Maker, key: str) -> str:
    """A line about one of the goods of the bank, with somebody of this life in it."""
    goods = m.rng.sample(list(m.words.lines("things")), 2)
    who = m.someone("friend", "family", "work")
    return fill(m.pick("things", key), m.values(who, thing=goods[0], other=goods[1], price=m.rng.randrange(10, 200, 5)))


def _search(m: Maker) -> None:
    first = m.between(m.begin if m.chance(0.3) else m.end - 16 * DAY, m.end - m.rng.choice((0, 5)) * DAY)
    again = [m.awake(first + m.rng.uniform(0.1, 40) * HOUR)] if m.chance(0.25) else []
    query = _composed(m, "searches") if m.chance(0.6) else m.topic("searches")["what"]
    search(m, None, query, [first, *again])


def _mail(m: Maker) -> None:
    topic = m.topic("mails")
    sender, at = m.pick("mails", "senders"), m.between(m.end - 16 * DAY, m.end - HOUR)
    mail(m, None, sender, topic["subject"], topic["body"], at)


def _reminder(m: Maker) -> None:
    due = m.at(m.between(m.end - 12 * DAY, m.end + 7 * DAY), m.rng.randint(8, 20))
    content = _composed(m, "reminders") if m.chance(0.5) else m.topic("reminders")["what"]
    reminder(m, None, content, [due], 0.65, 120)


def _note(m: Maker) -> None:
    topic, since = m.topic("notes"), m.between(m.begin, m.window)
    own = _composed(m, "notes").split("|")
    title, content = own if m.chance(0.5) else (topic["title"], topic["content"])
    kept = note(m, None, title, content, since)
    reopened(m, kept, (m.between(since, m.end) for _ in range(m.rng.randint(0, 4))), 0.8, 0.4)


def _song(m: Maker) -> None:
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


def _call(m: Maker) -> None:
    if m.chance(0.35):
        who = Person(m.topic("callers")["what"], "", "service", m.people.number(), "", "they")
        direction = m.rng.choice(("incoming", "missed", "outgoing"))
        call(m, None, "call", who, direction, [m.between(m.window - 8 * DAY, m.window + 4 * DAY)])
        return
    spoken = {(item.fields["contact"], item.fields["direction"]) for item in m.items if item.app == "phone"}
    direction = m.rng.choice(("incoming", "outgoing"))
    known = [person for person in m.persona.people if person not in missed_people(m)]
    who = m.rng.choice([person for person in known if (person.name, direction) not in spoken] or known)
    call(m, None, "call", who, direction, [m.between(m.begin, m.end - HOUR) for _ in range(m.rng.choice((1, 1, 2, 4)))])


def _event(m: Maker) -> None:
    who = m.someone("family", "friend", "work") if m.chance(0.5) else None
    start = m.soon(m.free() if m.chance(0.6) else (m.rng.randrange(7), m.rng.randint(8, 20)), early=-2)
    where = f"{m.rng.randint(1, 120)} {m.pick('places', 'streets')}" if m.chance(0.5) else ""
    title = m.topic("events")["what"] + (f" with {who.name.split()[0]}" if who and m.chance(0.5) else "")
    event(m, None, title, start, 1.5, where=where, who=[who] if who else [], place="out")

"""Threads of work and of the people one deals with: meetings, projects, mails that wait, appointments, repairs."""

from __future__ import annotations

from camphor_lab.datasets.context.lives import LifePerson, Persona
from camphor_lab.datasets.context.maker import DAY, LifeMaker
from camphor_lab.datasets.context.threads.common import (
    HOUR,
    MINUTE,
    WEEKDAYS,
    address,
    call,
    event,
    mail,
    missed_people,
    note,
    reminder,
    reopened,
    searches,
    weekly_events,
)
from camphor_lab.datasets.context.words import fill, one, some


def standup(m: LifeMaker) -> None:
    routine, who, where = m.weekly(m.working(), 0.1), m.someone("work"), m.pick("standup", "rooms")
    other_days = [day for day in WEEKDAYS if day != WEEKDAYS[routine.weekday]]
    title = m.topic("standup", lambda topic: not any(day in topic["what"] for day in other_days))["what"]
    thread = m.thread("standup", title, who=who, where=where, **routine.attributes)
    people = [person for person in m.persona.of("work") if person != who]
    chosen = [who, *m.rng.sample(people, min(len(people), 2))] if who else []
    weekly_events(m, thread, routine, 0.5, title, where=where, who=chosen, category="Work", place="work")
    if m.extra("notes", 0.7):
        name, content = m.pick("standup", "contents").split("|")
        kept = note(m, thread, name, content, m.begin + 9 * HOUR)
        reopened(m, kept, (moment - 15 * MINUTE for moment in routine.attended), 0.9, 0.6)


def client_meeting(m: LifeMaker) -> None:
    topic, who, firm = m.topic("client_meeting"), m.service("client"), m.pick("places", "firms")
    start = m.soon(m.working(), early=2)
    where = m.rng.choice((firm, "Video call", f"{m.rng.randint(1, 90)} {m.pick('places', 'streets')}", "Office"))
    thread = m.thread("client_meeting", topic["what"], who=who, where=where, occurrences=(start,))
    values = m.values(who, what=topic["what"], agenda=topic["agenda"], firm=firm, weekday=WEEKDAYS[start.weekday()])
    helper = m.someone("work")
    people = [who, helper] if helper and m.chance(0.5) else [who]
    title = fill(m.pick("client_meeting", "forms"), values)
    event(m, thread, title, start, 1, where=where, who=people, category="Work", place="work")
    if m.extra("mail", 0.6):
        subject, body = (fill(m.pick("client_meeting", key), values) for key in ("subjects", "bodies"))
        at = m.between(start - 6 * DAY, min(start - DAY, m.window + DAY))
        mail(m, thread, address(who), subject, body, at)
    if m.extra("notes", 0.6):
        since = max(m.begin, m.between(start - 8 * DAY, min(start - DAY, m.window + DAY)))
        kept = note(m, thread, fill(m.pick("client_meeting", "notes"), values), topic["prep"], since)
        reopened(m, kept, (start - 20 * HOUR, start - 40 * MINUTE), 0.8, 0.5)


def project(m: LifeMaker) -> None:
    topic, who = m.topic("project"), m.someone("work")
    if who is None:
        return
    due = m.soon(m.working(), early=3)
    thread = m.thread("project", topic["what"], who=who, due=due)
    bodies = m.rng.sample(list(m.words.lines("project", "bodies")), 2)
    other = m.rng.choice(m.persona.of("work"))
    last = m.between(m.window - 4 * DAY, m.window + 4 * DAY)
    mail(m, thread, address(who), one(m.rng, topic["mails"]), bodies[0], last)
    if m.extra("mail", 0.4):
        subject = f"Re: {m.items[thread.items[0]].fields['subject']}"
        mail(m, thread, address(other), subject, bodies[1], m.between(last - 8 * DAY, last - DAY))
    if m.extra("notes", 0.6):
        kept = note(m, thread, one(m.rng, topic["note_title"]), topic["note"], m.begin + m.rng.randint(33, 250) * HOUR)
        hour = m.working()[1]
        reopened(m, kept, (m.at(day, hour) for day in m.days(m.persona.workdays)), 0.6, 0.6)
    if m.extra("reminders", 0.6):
        reminder(m, thread, topic["task"], [m.evening_before(due - m.rng.randint(3, 30) * HOUR)], 0.5)
    if m.extra("calendar", 0.5):
        title = fill(m.pick("project", "reviews"), {"what": topic["what"]})
        kind = m.pick("project", "categories")
        event(m, thread, title, due, 1, who=[who, *({other} - {who})], category=kind, place="work")


def unanswered_mail(m: LifeMaker) -> None:
    topic, who = m.topic("unanswered_mail"), m.someone("friend", "work", "family")
    if who is None:
        return
    thread = m.thread("unanswered_mail", topic["subject"], who=who)
    at = m.between(m.window - 4 * DAY, m.window + 4 * DAY)
    kept = mail(m, thread, address(who), topic["subject"], topic["body"], at)
    m.often(kept, "opened", (m.awake(at + 3 * HOUR), m.awake(at + 27 * HOUR)), 0.6, 20)


def interview(m: LifeMaker) -> None:
    topic, who, firm = m.topic("interview"), m.service("recruiter"), m.pick("places", "firms")
    start = m.soon((m.rng.randrange(5), m.rng.choice((9, 10.5, 13, 14.5, 16))), early=2)
    where = f"{firm}, {m.rng.randint(1, 90)} {m.pick('places', 'streets')}"
    values = m.values(who, what=topic["what"], firm=firm, questions=topic["questions"])
    thread = m.thread("interview", topic["what"], who=who, where=where, occurrences=(start,))
    title = fill(m.pick("interview", "forms"), values)
    event(m, thread, title, start, 1, where=where, who=[who], category="Career")
    if m.extra("mail", 0.7):
        subject, body = fill(m.pick("interview", "mails"), values).split("|")
        mail(m, thread, address(who), subject, body, m.between(start - 9 * DAY, min(start - 2 * DAY, m.window + DAY)))
    forms = m.rng.sample(list(m.words.lines("interview", "searches")), m.rng.choice((1, 2, 2)))
    searches(m, thread, (fill(form, values) for form in forms), start - 7 * DAY, min(start, m.window + 3 * DAY))
    if m.extra("notes", 0.5):
        name, content = fill(m.pick("interview", "notes"), values).split("|")
        kept = note(m, thread, name, content, m.between(start - 7 * DAY, min(start - 2 * DAY, m.window + DAY)))
        reopened(m, kept, (m.evening_before(start - back * HOUR) for back in (26, 14, 1)), 0.7, 0.5)


def _concerns(persona: Persona, practice: str) -> bool:
    if practice == "paediatrician":
        return any(person.relationship in ("daughter", "son") for person in persona.people)
    if practice in ("midwife", "gynaecologist"):
        return persona.pronoun == "she" and (practice != "midwife" or 18 < persona.age < 45)
    return True


def appointment(m: LifeMaker) -> None:
    topic = m.topic("appointment", lambda topic: _concerns(m.persona, topic["what"]))
    who = m.service(topic["what"])
    slot = (m.rng.randrange(5), m.rng.choice((8, 8.5, 9.5, 11, 14.5, 15.5, 16.5, 17)))
    start, where = m.soon(slot), m.rng.choice((m.persona.places["clinic"], f"{topic['what'].capitalize()} {who.name}"))
    thread = m.thread("appointment", topic["what"], who=who, where=where, occurrences=(start,))
    title = one(m.rng, topic["title"])
    event(m, thread, title, start, 0.75, where=where, who=[who], category="Health", place="clinic")
    if m.extra("reminders", 0.6):
        content = one(m.rng, topic["task"])
        reminder(m, thread, content, [m.evening_before(start - m.rng.choice((2, 13, 20)) * HOUR)], 0.7)
    if m.chance(0.5):
        searches(m, thread, some(m.rng, topic["search"], 1), start - 15 * DAY, min(start, m.window + 2 * DAY))
    if m.extra("phone", 0.35):
        times = [m.at(m.between(start - 16 * DAY, min(start - 2 * DAY, m.window)), m.rng.uniform(9, 16))]
        call(m, thread, "call", who, m.rng.choice(("outgoing", "outgoing", "incoming")), times)


def repair(m: LifeMaker) -> None:
    topic = m.topic("repair")
    who = m.service(topic["trade"])
    begun = m.between(m.window - 6 * DAY, m.window + DAY)
    thread = m.thread("repair", topic["what"], who=who, where="home", occurrences=())
    searches(m, thread, some(m.rng, topic["searches"], 2), begun, begun + 2 * DAY)
    if m.extra("phone", 0.7):
        times = [m.at(begun + DAY * step, m.rng.uniform(9, 17)) for step in m.rng.choice(((1,), (1, 2), (2, 4)))]
        call(m, thread, "call", who, m.rng.choice(("outgoing", "outgoing", "incoming")), times)
    if m.extra("calendar", 0.6):
        start = m.soon((m.rng.randrange(5), m.rng.choice((8, 10, 13, 15, 17))), early=3)
        thread.attributes["occurrences"] = (start,)
        title = fill(m.pick("repair", "forms"), m.values(who, what=topic["what"], trade=topic["trade"]))
        event(m, thread, title, start, 1.5, where="Home", who=[who], category="Home", since=begun + DAY, place="home")


def house_hunt(m: LifeMaker) -> None:
    topic, who = m.topic("house_hunt"), m.service("estate agent")
    where = f"{m.rng.randint(1, 120)} {m.pick('places', 'streets')}"
    start = m.soon()
    thread = m.thread("house_hunt", topic["what"], who=who, where=where, occurrences=(start,))
    values = m.values(who, what=topic["what"], where=where)
    title = fill(m.pick("house_hunt", "forms"), values)
    event(m, thread, title, start, 0.5, where=where, who=[who], category="Housing", place="out")
    if m.extra("mail", 0.7):
        subject, body = fill(m.pick("house_hunt", "mails"), values).split("|")
        mail(m, thread, address(who), subject, body, m.between(start - 7 * DAY, min(start - DAY, m.window + DAY)))
    looks = [fill(m.pick("house_hunt", "looks"), values)]
    thread.attributes["pictured"] = tuple(looks)
    queries = [*(looks if m.chance(0.7) else ()), *some(m.rng, topic["searches"], 2)]
    searches(m, thread, queries, start - 18 * DAY, min(start, m.end))
    if m.extra("phone", 0.4):
        called = m.between(start - 6 * DAY, min(start - DAY, m.window + 2 * DAY))
        call(m, thread, "call", who, "incoming", [m.at(called, m.rng.uniform(9, 18))])


def family_call(m: LifeMaker) -> None:
    missed = missed_people(m)
    people = [person for person in m.persona.of("family") if person not in missed]
    if not people:
        return
    who = m.rng.choice(people)
    routine = m.weekly(m.free(low=10), 0.2)
    thread = m.thread("family_call", who.relationship, who=who, **routine.attributes)
    call(m, thread, "call", who, "outgoing", [m.near(moment, 12) for moment in routine.attended])
    if m.extra("reminders", 0.4):
        content = m.rng.choice((f"Call {who.name.split()[0]}", f"Ring my {who.relationship}", "Phone home"))
        ahead = [moment - 10 * MINUTE for moment in routine.occurrences]
        reminder(m, thread, content, ahead, 0.85, 25)


def missed_call(m: LifeMaker) -> None:
    called = {thread.attributes.get("who") for thread in m.threads if thread.kind == "family_call"}
    people = [person for person in m.persona.people if person not in called]
    if not people:
        return
    who: LifePerson = m.rng.choice(people)
    thread = m.thread("missed_call", who.relationship, who=who)
    at = m.between(m.window - DAY, m.window + 4 * DAY)
    call(m, thread, "missed", who, "missed", [at, *([at + 50 * MINUTE] if m.chance(0.3) else [])])
    if m.extra("phone", 0.3):
        older = [m.between(m.begin, m.window - DAY) for _ in range(m.rng.randint(1, 3))]
        call(m, thread, "call", who, m.rng.choice(("outgoing", "incoming")), older)

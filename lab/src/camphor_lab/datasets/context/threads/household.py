"""Threads of the household and of the body: medicine, food, bills, chores, children, pets."""

from __future__ import annotations

from datetime import datetime

from camphor_lab.datasets.context.maker import AHEAD, DAY, LifeMaker
from camphor_lab.datasets.context.threads.common import (
    HOUR,
    MINUTE,
    WEEKDAYS,
    call,
    event,
    every,
    mail,
    note,
    reminder,
    reopened,
    search,
    searches,
)
from camphor_lab.datasets.context.words import fill, one, some


def _daily(m: LifeMaker, hour: float, weekdays: tuple[int, ...] = tuple(range(7))) -> list[datetime]:
    days = [m.begin + step * DAY for step in range((m.end - m.begin).days + AHEAD)]
    return [m.at(day, hour) for day in days if day.weekday() in weekdays]


def medication(m: LifeMaker) -> None:
    topic = m.topic("medication")
    name = topic["what"]
    morning, evening = (6.5, 7, 8), (20, 21, 22)
    late = any(word in name for word in ("evening", "sleep"))
    hour = m.rng.choice(evening if late else morning if "breakfast" in name else (*morning, 12.5, *evening))
    thread = m.thread("medication", name, hour=hour)
    content = fill(m.pick("medication", "forms"), {"what": name})
    dues = _daily(m, hour)
    if name in m.words.lines("medication", "courses"):
        first = m.window - m.rng.randint(1, 4) * DAY
        dues = [due for due in dues if first <= due <= first + m.rng.randint(9, 12) * DAY]
    reminder(m, thread, content, dues, 0.92, 8)
    if m.extra("google", 0.5):
        times = [m.between(m.end - 25 * DAY, m.end - DAY) for _ in range(m.rng.randint(1, 2))]
        search(m, thread, topic["search"], times)


def diet(m: LifeMaker) -> None:
    topic = m.topic("diet")
    hour = m.rng.choice((7, 11.5, 12, 17.5))
    since = m.between(m.begin, m.begin + 12 * DAY)
    thread = m.thread("diet", topic["title"], hour=hour)
    kept = note(m, thread, topic["title"], topic["content"], since)
    reopened(m, kept, (m.at(day, hour) for day in m.days()), 0.55, 0.1)
    searches(m, thread, some(m.rng, topic["search"], m.rng.randint(0, 2)), since, m.end)


def recipe(m: LifeMaker) -> None:
    topic = m.topic("recipe")
    routine = m.weekly(m.free((4, 5, 6, m.rng.randrange(4)), low=11), 0.3)
    thread = m.thread("recipe", topic["title"], **routine.attributes)
    kept = note(m, thread, topic["title"], topic["content"], m.begin + m.rng.randint(9, 60) * HOUR)
    reopened(m, kept, (moment - 30 * MINUTE for moment in routine.attended), 0.95, 0.15)
    reopened(m, kept, (moment + 5 * MINUTE for moment in routine.attended), 0.5, 0)
    searches(m, thread, some(m.rng, topic["search"], m.rng.randint(0, 2)), m.end - 20 * DAY, m.end)


def shopping(m: LifeMaker) -> None:
    routine = m.weekly(m.free(low=9), 0.1)
    where = m.persona.places["shop"].split(",")[0]
    thread = m.thread("shopping", "the shopping", where=where, **routine.attributes)
    kept = note(m, thread, m.pick("shopping", "forms"), m.topic("shopping")["what"], m.begin + 10 * HOUR)
    for moment in routine.attended:
        m.stay(moment, 0.8, "shop")
    reopened(m, kept, (moment - 5 * HOUR for moment in routine.attended), 0.6, 1)
    reopened(m, kept, (moment + 6 * MINUTE for moment in routine.attended), 0.95, 0.1)
    m.often(kept, "opened", (moment + 22 * MINUTE for moment in routine.attended), 0.7, 5)
    if m.extra("reminders", 0.4):
        reminder(m, thread, m.pick("shopping", "tasks"), every(routine, m.rng.choice((1, 2, 3)) * HOUR, m), 0.8, 30)


def bill(m: LifeMaker) -> None:
    topic = m.topic("bill")
    due = m.at(m.between(m.window, m.end + 6 * DAY), m.rng.choice((9, 12, 18, 19.5)))
    thread = m.thread("bill", topic["what"], due=due)
    dues = [moment for moment in (due - 60 * DAY, due - 30 * DAY, due, due + 30 * DAY) if moment >= m.begin]
    reminder(m, thread, fill(m.pick("bill", "forms"), {"what": topic["what"]}), dues, 0.8, 90)
    if m.extra("mail", 0.45):
        body = fill(m.pick("bill", "bodies"), {"due": f"{due:%d.%m.%Y}"})
        at = m.between(due - 12 * DAY, min(due - 3 * DAY, m.window + DAY))
        mail(m, thread, m.pick("bill", "senders"), topic["mail"], body, at)


def chore(m: LifeMaker) -> None:
    what = m.topic("chore")["what"]
    slot = (m.rng.randrange(7), m.rng.choice((7, 9, 12, 17.5, 19, 20.5)))
    routine = m.weekly(slot)
    thread = m.thread("chore", what, **routine.attributes)
    reminder(m, thread, what, every(routine, 0 * HOUR, m), 0.8, 45)


def school_run(m: LifeMaker) -> None:
    who = m.relative("daughter", "son")
    if who is None:
        return
    ends = (12.5, 13.5, 14, 15, 15.5, 16)
    free = [hour for hour in ends if m.at_home(hour) == hour]
    hour = m.rng.choice(free or [min(m.at_home(max(ends)), 18)])
    thread = m.thread("school_run", who.relationship, who=who, where=m.persona.places["school"], hour=hour)
    content = fill(m.pick("school_run", "forms"), m.values(who))
    dues = _daily(m, hour, (0, 1, 2, 3, 4))
    reminder(m, thread, content, dues, 0.85, 10)
    for due in dues:
        if due <= m.end:
            m.stay(due + 15 * MINUTE, 0.4, "school")
    if m.extra("phone", 0.4):
        office = m.service("school office")
        times = [m.at(m.between(m.end - 20 * DAY, m.end - DAY), m.rng.uniform(8, 14)) for _ in range(2)]
        call(m, thread, "call", office, m.rng.choice(("incoming", "outgoing")), times)


def pet(m: LifeMaker) -> None:
    topic, who = m.topic("pet"), m.service("vet")
    task = one(m.rng, topic["task"])
    hours = (18.5, 19.5, 20.5) if task in m.words.lines("pet", "evening") else (6.5, 7, 17.5, 18.5, 19.5)
    hour = m.at_home(m.rng.choice(hours))
    thread = m.thread("pet", topic["what"], who=who, occurrences=(), hour=hour)
    reminder(m, thread, task, _daily(m, hour), 0.9, 12)
    if m.extra("calendar", 0.5):
        start = m.soon((m.rng.randrange(6), m.rng.choice((8.5, 10, 15, 16.5, 17.5))))
        thread.attributes["occurrences"] = (start,)
        values = m.values(who, what=topic["what"], reason=one(m.rng, topic["reason"]))
        title = fill(m.pick("pet", "forms"), values)
        event(m, thread, title, start, 0.5, where=f"Dr {who.name}", who=[who], category="Pet", place="out")
    if m.chance(0.5):
        searches(m, thread, [topic["search"]], m.end - 20 * DAY, m.end - DAY)
    if m.extra("phone", 0.3):
        called = m.at(m.between(m.end - 20 * DAY, m.end - DAY), m.rng.uniform(8, 17))
        call(m, thread, "call", who, m.rng.choice(("outgoing", "incoming")), [called])


def daily_search(m: LifeMaker) -> None:
    what = m.topic("daily_search")["what"]
    hour = m.rng.choice((6.25, 6.75, 7.5, 8))
    weekdays = m.persona.workdays if m.persona.work and m.chance(0.6) else tuple(range(7))
    thread = m.thread("daily_search", what, hour=hour)
    search(m, thread, what, [m.near(moment, 12) for moment in _daily(m, hour, weekdays) if m.chance(0.75)])


def order(m: LifeMaker) -> None:
    topic, number = m.topic("order"), f"{m.rng.choice('ABKLRT')}{m.rng.randint(10**6, 10**7)}"
    shop, clock = topic["shop"], m.rng.randint(8, 17)
    at = m.between(m.window - 4 * DAY, m.window + 4 * DAY)
    values = {**topic, "number": number, "a": f"{clock}:00", "b": f"{clock + 2}:00"}
    values["weekday"] = m.rng.choice(WEEKDAYS[:6])
    thread = m.thread("order", topic["what"], who=shop, number=number)
    sender = f"{shop} <orders@{''.join(filter(str.isalnum, shop)).lower()}.example>"
    subject, body = fill(m.pick("order", "mails"), values).split("|")
    mail(m, thread, sender, subject, body, at)
    if m.extra("google", 0.6):
        query = fill(m.pick("order", "searches"), values)
        search(m, thread, query, [m.awake(at + m.rng.uniform(1, 60) * HOUR) for _ in range(m.rng.randint(1, 3))])

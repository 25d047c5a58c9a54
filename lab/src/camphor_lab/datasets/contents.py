"""What each app of a sampled phone holds, invented apps of the bank among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from camphor.device.text import words
from camphor_lab.datasets.bank import Bank, fill, split_of

Record = dict[str, Any]
Filler = Callable[["SampledPhone", Bank, Random], None]


@dataclass
class SampledPhone:
    """A device file with what its file does not tell: how people and records are spoken of, and what answers what."""

    data: dict[str, Any]
    now: datetime
    pronouns: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    spoken_people: dict[str, list[str]] = field(default_factory=dict)
    spoken_events: dict[str, list[str]] = field(default_factory=dict)
    facts: list[tuple[str, Record, str, str]] = field(default_factory=list)  # (app, record, question, keyword)
    web: list[tuple[str, str]] = field(default_factory=list)  # (as said, answer)
    moves: list[tuple[str, str, str, datetime]] = field(default_factory=list)  # (event, who asks, words of time, time)
    suggested: tuple[str, str] | None = None  # (who recommended, which app)
    resume: tuple[str, str, str] | None = None  # (tool, parameter, value) that get_intent leads to

    def records(self, app: str, name: str) -> list[Record]:
        found = self.data["apps"].get(app, {}).get(name, [])
        return [found] if isinstance(found, dict) else found

    def has(self, app: str) -> bool:
        return app in self.data["apps"]


def others(phone: SampledPhone) -> list[Record]:
    return [person for person in phone.records("contacts", "people") if not person["is_self"]]


def past(phone: SampledPhone, rng: Random, days: int = 20) -> datetime:
    return phone.now - timedelta(days=rng.randint(0, days), minutes=rng.randint(2, 1200))


def stamp(phone: SampledPhone, rng: Random, days: int = 20) -> str:
    """A moment of the last days as records have it."""
    return past(phone, rng, days).isoformat(timespec="seconds")


def _day(phone: SampledPhone, rng: Random, days: int = 90) -> str:
    return past(phone, rng, days).date().isoformat()


def _answers(phone: SampledPhone, bank: Bank, app: str, record: Record, questions: str, keyword: str) -> None:
    """Notes that a record answers those questions that are of this split."""
    asked = [question for question in questions.split(" | ") if split_of(question) == bank.split]
    phone.facts += [(app, record, question, keyword) for question in asked]


def newest_first(messages: list[Record]) -> list[Record]:
    messages.sort(key=lambda message: str(message["date"]), reverse=True)
    return messages


def _order(bank: Bank, rng: Random, share: float, joint: str) -> str:
    """Now and then an order to assistants, to be put after a text."""
    return joint + rng.choice(bank.content["injections"]) if rng.random() < share else ""


def _event_word(phone: SampledPhone, rng: Random) -> str:
    return (
        rng.choice(sorted(phone.spoken_events.values()))[0].removeprefix("my ").removeprefix("the ")
        if phone.spoken_events
        else "Friday"
    )


def _imessage(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    messages: list[Record] = []
    people = others(phone)
    for _ in range(rng.randint(8, 14)):
        person = rng.choice(people)
        text = fill(rng.choice(bank.content["message_chat"]), {"event": _event_word(phone, rng)})
        text += _order(bank, rng, 0.05, " ")
        mine = rng.random() < 0.3
        messages.append({"contact": person["name"], "from_me": mine, "date": stamp(phone, rng), "text": text})
    for line in rng.sample(bank.content["message_facts"], 4):
        person = rng.choice(people)
        slots = {"first": person["name"].split()[0]}
        text, questions, keyword = (fill(part, slots) for part in line.split(" => "))
        text += _order(bank, rng, 0.2, ". ")
        record = {"contact": person["name"], "from_me": False, "date": stamp(phone, rng), "text": text}
        messages.append(record)
        _answers(phone, bank, "imessage", record, questions, keyword)
    phone.data["apps"]["imessage"]["messages"] = newest_first(messages)


def _mail(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    messages: list[Record] = []
    owner = phone.records("contacts", "people")[0]
    with_mail = [person for person in others(phone) if "email" in person] or others(phone)

    def add(subject: str, body: str) -> Record:
        person = rng.choice(with_mail)
        sender = (
            f"{person['name']} <{person['email']}>"
            if "email" in person and rng.random() < 0.7
            else person.get("email", person["name"])
        )
        record = {
            "sender": sender,
            "recipients": [owner["email"]],
            "subject": subject,
            "date": stamp(phone, rng),
            "body": body,
        }
        messages.append(record)
        return record

    for line in rng.sample(bank.content["mail_chat"], 5):
        subject, body = fill(line, {"event": _event_word(phone, rng)}).split("|")
        add(subject, body + _order(bank, rng, 0.12, " "))
    for line in rng.sample(bank.content["mail_facts"], 4):
        text, questions, keyword = line.split(" => ")
        subject, body = text.split("|")
        record = add(subject, body + _order(bank, rng, 0.2, ". "))
        _answers(phone, bank, "mail", record, questions, keyword)
    phone.data["apps"]["mail"]["messages"] = newest_first(messages)


def _notes(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    notes: list[Record] = []
    for line in rng.sample(bank.content["note_facts"], 5):
        text, questions, keyword = line.split(" => ")
        title, content = text.split("|")
        record = {"title": title, "content": content, "modified": stamp(phone, rng, 90)}
        notes.append(record)
        _answers(phone, bank, "notes", record, questions, keyword)
    phone.data["apps"]["notes"]["notes"] = notes


def _reminders(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    reminders = []
    for _ in range(rng.randint(4, 7)):
        when = (phone.now + timedelta(days=rng.randint(-4, 10))).replace(
            hour=rng.randint(7, 21), minute=rng.choice((0, 30)), second=0
        )
        content, done = bank.say(rng, "task").written[0], when < phone.now and rng.random() < 0.7
        reminders.append({"content": content, "time": when.isoformat(), "done": done})
    phone.data["apps"]["reminders"]["reminders"] = reminders


def _rows(app: str, name: str, kind: str, fields: str, low: int, high: int, stamp: str = "", days: int = 60) -> Filler:
    def build(phone: SampledPhone, bank: Bank, rng: Random) -> None:
        lines = bank.content[kind]
        records: list[Record] = []
        for line in rng.sample(lines, min(len(lines), rng.randint(low, high))):
            record: Record = dict(zip(fields.split(), line.split("|"), strict=False))
            if stamp:
                record[stamp] = _day(phone, rng, days)
            if app == "books":
                record["progress"] = f"{rng.randint(1, 100)}%"
            records.append(record)
        phone.data["apps"][app][name] = records

    return build


def _health(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    _rows("health", "records", "health", "name value", 3, 6, "date")(phone, bank, rng)
    _rows("health", "medications", "medications", "name dose frequency", 1, 4, "start")(phone, bank, rng)


def _fitness(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    days = []
    for back in range(rng.randint(5, 8)):
        steps = rng.randint(900, 19000)
        workouts = rng.sample(("run 5 km", "yoga", "swim 1 km", "cycling 40 min", "walk", "gym"), rng.randint(0, 2))
        day = {"date": (phone.now - timedelta(days=back)).date().isoformat(), "steps": steps}
        spent = {"distance_km": round(steps * 0.00075, 1), "active_kcal": steps // 25}
        days.append({**day, **spent, "workouts": workouts})
    phone.data["apps"]["fitness"]["days"] = days


def _settings(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    limit = rng.choice((5, 10, 20, 40))
    apps = {
        name: round(rng.uniform(0.1, 2.5), 1)
        for name in rng.sample(("Video", "Maps", "Podcasts", "Music", "Safari"), 3)
    }
    phone.data["apps"]["settings"] = {
        "cellular": {
            "used_gb": round(rng.uniform(0.3, limit), 1),
            "limit_gb": limit,
            "period": f"{phone.now:%B %Y}",
            "per_app": apps,
        },
        "notifications": [
            {"app": line.split("|")[0], "text": line.split("|")[1], "time": stamp(phone, rng, 2)}
            for line in rng.sample(bank.content["notifications"], rng.randint(3, 6))
        ],
    }


def _voice_memos(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    titles = rng.sample(bank.content["memos"], rng.randint(2, 5))
    phone.data["apps"]["voice_memos"]["recordings"] = [
        {"title": title, "date": _day(phone, rng, 60), "seconds": rng.randint(12, 1900)} for title in titles
    ]


def _appstore(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    phone.data["apps"]["appstore"]["history"] = [
        {"app": app, "action": rng.choice(("downloaded", "updated", "deleted")), "date": _day(phone, rng)}
        for app in rng.sample(bank.content["apps"], rng.randint(3, 6))
    ]


def _maps(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    places: list[Record] = []
    home = phone.data["location"]
    for category in rng.sample(bank.content["places"], rng.randint(5, 9)):
        name = f"{rng.choice(bank.content['place_names'])} {category.title()}"
        place = {
            "name": name,
            "address": f"{rng.randint(1, 190)} {rng.choice(bank.content['streets'])}, {home['city']}",
            "category": category,
        }
        place["latitude"] = round(home["latitude"] + rng.uniform(-0.05, 0.05), 4)
        place["longitude"] = round(home["longitude"] + rng.uniform(-0.05, 0.05), 4)
        places.append(place)
    phone.data["apps"]["maps"]["places"] = places


def _amazon(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    owner = phone.records("contacts", "people")[0]
    orders = [
        {
            "item": item,
            "date": _day(phone, rng, 60),
            "status": rng.choice(("delivered", "shipped", "processing", "out for delivery")),
            "total": round(rng.uniform(4, 160), 2),
        }
        for item in rng.sample(bank.content["items"], rng.randint(3, 7))
    ]
    phone.data["apps"]["amazon"] = {
        "account": {"name": owner["name"], "email": owner["email"], "prime": rng.random() < 0.5},
        "orders": orders,
    }


def _instagram(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    handle = "".join(words(str(phone.data["owner"]))) + rng.choice(("", "_x", ".pics", str(rng.randint(1, 99))))
    posts = [
        {"content": bank.say(rng, "post").written[0], "date": _day(phone, rng), "likes": rng.randint(2, 900)}
        for _ in range(rng.randint(3, 6))
    ]
    account = {"username": handle, "followers": rng.randint(12, 9000), "following": rng.randint(20, 900)}
    phone.data["apps"]["instagram"] = {"account": account, "posts": posts}


FILL: dict[str, Filler] = {
    "imessage": _imessage,
    "mail": _mail,
    "reminders": _reminders,
    "notes": _notes,
    "music": _rows("music", "songs", "songs", "title artist album", 6, 10, "played"),
    "podcasts": _rows("podcasts", "episodes", "podcasts", "title show", 4, 7, "played"),
    "news": _rows("news", "articles", "news", "title source", 4, 6, "read"),
    "safari": _rows("safari", "pages", "pages", "title url", 4, 6, "visited"),
    "health": _health,
    "fitness": _fitness,
    "settings": _settings,
    "voice_memos": _voice_memos,
    "books": _rows("books", "books", "books", "title author", 3, 6),
    "appstore": _appstore,
    "maps": _maps,
    "amazon": _amazon,
    "instagram": _instagram,
}


RECORDS = (5, 9)
CHANCES = (0.34, 0.3, 0.23, 0.13)  # of no, one, two, three invented apps on a phone


def install(data: dict[str, Any], bank: Bank, rng: Random, people: Sequence[str], now: datetime) -> None:
    """Put none to three invented apps on a phone; an app is seen in one split only (`bank.split_of_app`)."""
    count = rng.choices(range(len(CHANCES)), CHANCES)[0]
    names = rng.sample(sorted(bank.apps), min(count, len(bank.apps)))
    held_out = sorted(name for name, app in bank.apps.items() if "split" in app)
    number = int(str(data["id"]).rsplit("-", 1)[1])
    if held_out and number % 2:  # each of those that no earlier run has seen has its turn
        names.insert(0, held_out[number // 2 % len(held_out)])
    for name in list(dict.fromkeys(names))[:count]:
        data["apps"][name] = manifest_of(bank.apps[name], rng, people, now)


def manifest_of(app: Mapping[str, Any], rng: Random, people: Sequence[str], now: datetime) -> dict[str, Any]:
    tools = []
    for tool in app.get("tools", ()):
        definition = {"name": tool["name"], "kind": tool["kind"], "description": tool["description"]}
        if "returns" in tool:
            definition["returns"] = tool["returns"]
        definition["parameters"] = {
            "type": "object",
            "properties": tool.get("parameters", {}),
            "required": tool.get("required", []),
        }
        tools.append(definition)
    lists = {name: draw_records(fields, rng, people, now) for name, fields in app.get("records", {}).items()}
    return {"description": app["description"], "tools": tools, "records": lists}


def draw_records(fields: Mapping[str, Any], rng: Random, people: Sequence[str], now: datetime) -> list[dict[str, Any]]:
    key = next(iter(fields))
    choices = fields[key]
    count = rng.randint(*RECORDS)
    firsts = rng.sample(choices, min(count, len(choices))) if isinstance(choices, list) else [None] * count
    records: list[dict[str, Any]] = []
    for first in firsts:
        record = {name: draw(rule, rng, people, now) for name, rule in fields.items()}
        if first is not None:
            record[key] = first
        if all(other[key] != record[key] for other in records):
            records.append(record)
    return records


def draw(rule: Any, rng: Random, people: Sequence[str], now: datetime) -> Any:
    """A value by a field's rule (the bank's README lists them)."""
    if isinstance(rule, list):
        return rng.choice(rule)
    if not isinstance(rule, str):
        return rule
    kind, *rest = rule.split()
    if kind == "int":
        return rng.randint(int(rest[0]), int(rest[1]))
    if kind == "money":
        return round(rng.uniform(float(rest[0]), float(rest[1])), 2)
    if kind == "bool":
        return rng.random() < 0.5
    if kind in ("date", "time"):
        sign = -1 if rest and rest[0] == "past" else 1
        moment = now + sign * timedelta(days=rng.randint(1, 25))
        moment = moment.replace(hour=rng.randint(7, 21), minute=rng.choice((0, 15, 30, 45)), second=0)
        return moment.date().isoformat() if kind == "date" else moment.isoformat()
    if kind == "id":
        return re.sub("#", lambda _: str(rng.randint(0, 9)), rest[0])
    if kind == "person":
        return rng.choice(list(people)) if people else "Alex Kerr"
    return rule

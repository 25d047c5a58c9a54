"""Lifelike phones: a persona, the people around them, and records that hang together, in the device-file format."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any

from camphor.device.text import words
from camphor_lab.datasets.bank import Bank, fill, split_of
from camphor_lab.datasets.contents import FILL, Record, SampledPhone, install, newest_first, others, stamp
from camphor_lab.datasets.moments import MONTHS, WEEKDAYS, hours_of

_APPS = """
    mail reminders notes music podcasts news safari health fitness settings voice_memos books appstore maps amazon
    instagram
"""
OPTIONAL = _APPS.split()


def make_phone(bank: Bank, rng: Random, number: int) -> SampledPhone:
    """Draw a phone. Owners' names are divided between the splits by hash, so that no persona is in both."""
    culture = rng.choice(sorted(bank.personas))
    owner, female = _owner(bank, rng, culture)
    city = rng.choice(bank.personas[culture]["cities"]).split("|")
    now = datetime(
        rng.choice((2025, 2026, 2026, 2027)),
        rng.randint(1, 12),
        rng.randint(1, 28),
        rng.randint(6, 22),
        rng.randint(0, 59),
    )
    street = f"{rng.randint(1, 140)} {rng.choice(bank.content['streets'])}"
    place, country, zone, latitude, longitude, form = city
    chosen = sorted(rng.sample(OPTIONAL, rng.randint(8, 14)), key=OPTIONAL.index)
    data: dict[str, Any] = {
        "format": "camphor.device/1",
        "id": f"phone-{bank.split}-{number:04d}",
        "owner": owner,
        "now": now.isoformat(),
        "timezone": zone,
        "location": {
            "latitude": float(latitude),
            "longitude": float(longitude),
            "city": place,
            "country": country,
            "postal_code": str(rng.randint(1000, 99999)),
            "formatted_address": f"{street}, {place}",
        },
        "screen": "Home screen",
        "activity": [],
        "web": [],
        "apps": {name: {} for name in ("contacts", "calendar", "imessage", *chosen)},
    }
    phone = SampledPhone(data, now)
    _people(phone, bank, rng, culture, owner, female, form)
    _events(phone, bank, rng)
    for name in ("imessage", *chosen):
        FILL[name](phone, bank, rng)
    _tie(phone, bank, rng)
    _web(phone, bank, rng, place)
    _activity(phone, rng)
    install(phone.data, bank, rng, [p["name"] for p in phone.records("contacts", "people") if not p["is_self"]], now)
    return phone


def _owner(bank: Bank, rng: Random, culture: str) -> tuple[str, bool]:
    names = bank.personas[culture]
    while True:
        female = rng.random() < 0.5
        owner = f"{rng.choice(names['f' if female else 'm'])} {rng.choice(names['last'])}"
        if split_of("owner:" + owner) == bank.split:
            return owner, female


def _digits(form: str, rng: Random) -> str:
    return "".join(str(rng.randint(0, 9)) if sign == "#" else sign for sign in form)


def _people(phone: SampledPhone, bank: Bank, rng: Random, culture: str, owner: str, female: bool, form: str) -> None:
    people: list[Record] = []
    taken: set[str] = set()
    numbers: set[str] = set()

    def add(name: str, woman: bool, relation: str, said: list[str], *, me: bool = False) -> None:
        number = _digits(form, rng)
        while number in numbers:
            number = _digits(form, rng)
        numbers.add(number)
        record: Record = {"person_id": f"{len(people) + 1:03d}", "name": name}
        mail_only = not me and rng.random() < 0.04
        if not mail_only:
            record["phone_number"] = number
        if me or mail_only or rng.random() < 0.75:
            local = ".".join("".join(words(part)) for part in name.split())
            record["email"] = f"{local}@{rng.choice(('example.org', 'example.com', 'mail.example.net'))}"
        if relation:
            record["relationship"] = relation
        if rng.random() < 0.5:
            record["birthday"] = f"{rng.randint(1945, 2010)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        record["is_self"] = me
        people.append(record)
        phone.pronouns[name] = ("she", "her", "her") if woman else ("he", "him", "his")
        phone.spoken_people[name] = said

    add(owner, female, "", [], me=True)
    taken.add(owner)
    relations = rng.sample(bank.content["relations"], rng.randint(4, 7)) + rng.sample(
        bank.content["roles"], rng.randint(5, 9)
    )
    plain = [""] * rng.randint(2, 5)
    twin = ""
    for line in relations + plain:
        source = culture if rng.random() < 0.65 else rng.choice(sorted(bank.personas))
        base, _, said = line.partition(" => ")
        woman = _woman(base, rng)
        names = bank.personas[source]
        first = twin or rng.choice(names["f" if woman else "m"])
        name = f"{first} {rng.choice(names['last'])}"
        if name in taken:
            continue
        taken.add(name)
        phrase = rng.choice(said.split(" | ")) if said else ""
        noun = phrase.split(" ", 1)[-1]
        if phrase and not set(words(noun)) <= set(words(base)):
            base = noun[:1].upper() + noun[1:]
        add(name, woman, base, [phrase] if phrase else [])
        twin = first if not twin and rng.random() < 0.06 else ""
    phone.data["apps"]["contacts"]["people"] = people


def _woman(relation: str, rng: Random) -> bool:
    female = {"Mother", "Sister", "Wife", "Grandmother", "Aunt", "Daughter", "Niece", "Mother-in-law", "Godmother"}
    male = {"Father", "Brother", "Husband", "Uncle", "Son", "Brother-in-law"}
    return relation in female or (relation not in male and rng.random() < 0.5)


def _events(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    events: list[Record] = []
    for line in rng.sample(bank.content["events"], rng.randint(8, 15)):
        person = rng.choice(others(phone))
        slots = {"name": person["name"], "first": person["name"].split()[0]}
        title, _, said = line.partition(" => ")
        ahead = rng.choice((*range(-6, 0), *range(0, 20)))
        start = (phone.now + timedelta(days=ahead)).replace(
            hour=rng.randint(*hours_of(title)), minute=rng.choice((0, 0, 15, 30, 45)), second=0
        )
        event: Record = {
            "title": fill(title, slots),
            "start": start.isoformat(),
            "end": (start + timedelta(minutes=rng.choice((30, 45, 60, 90, 120)))).isoformat(),
        }
        if rng.random() < 0.7:
            event["location"] = _place_name(bank, rng)
        if "{name}" in line or "{first}" in line or rng.random() < 0.45:
            event["participants"] = [person["name"]]
        if rng.random() < 0.2:
            event["notes"] = rng.choice(
                ("bring the papers", "gate code 2210", "parking behind the house", "ask for a receipt", "wear boots")
            )
        if any(other["title"] == event["title"] for other in events):
            continue
        events.append(event)
        phone.spoken_events[event["title"]] = [fill(part, slots) for part in said.split(" | ")]
    events.sort(key=lambda event: event["start"])
    phone.data["apps"]["calendar"]["events"] = events


def _place_name(bank: Bank, rng: Random) -> str:
    return f"{rng.choice(bank.content['place_names'])} {rng.choice(bank.content['places']).title()}"


def _tie(phone: SampledPhone, bank: Bank, rng: Random) -> None:
    """Let apps speak of each other: events at places of the map, messages that move an event or recommend an app."""
    places = phone.records("maps", "places")
    events = phone.records("calendar", "events")
    for event in events:
        if places and "location" in event and rng.random() < 0.6:
            event["location"] = rng.choice(places)["name"]
    coming = [
        e for e in events if "participants" in e and datetime.fromisoformat(e["start"]) > phone.now + timedelta(days=1)
    ]
    messages = phone.records("imessage", "messages")
    for event in coming[:1]:
        start = datetime.fromisoformat(event["start"])
        moment = (start + timedelta(days=rng.choice((0, 0, 1, 2, 3)))).replace(
            hour=rng.randint(*hours_of(event["title"])), minute=rng.choice((0, 15, 30))
        )
        if moment == start:
            continue
        said = f"{WEEKDAYS[moment.weekday()]} {moment.day} {MONTHS[moment.month - 1]} at {moment:%H:%M}"
        text = rng.choice(
            (
                "Can we do {event} on {when} instead?",
                "{event} has to be {when} now, sorry",
                "I need to move {event} to {when}, ok?",
            )
        )
        text = text.format(event=event["title"], when=said)
        who = event["participants"][0]
        messages.append({"contact": who, "from_me": False, "date": stamp(phone, rng, 1), "text": text})
        phone.moves.append((event["title"], who, said, moment))
    if rng.random() < 0.4:
        who, app = rng.choice(others(phone))["name"], rng.choice(bank.content["apps"])
        text = rng.choice(
            ("You have to get the app {app}, it's so good", "there's an app for that, {app}", "the app is called {app}")
        ).format(app=app)
        messages.append({"contact": who, "from_me": False, "date": stamp(phone, rng, 4), "text": text})
        phone.suggested = (who, app)
    newest_first(messages)


def _web(phone: SampledPhone, bank: Bank, rng: Random, city: str) -> None:
    for line in rng.sample(bank.content["search"], min(len(bank.content["search"]), 6)):
        query, arrow, answer = fill(line, {"city": city}).partition(" => ")
        if arrow:
            phone.web.append((query, answer))
            phone.data["web"].append({"query": query, "result": answer})


def _activity(phone: SampledPhone, rng: Random) -> None:
    """What the person just did; the last entry is what "finish what I was doing" means."""
    options: list[tuple[str, str, str, str]] = []
    for song in phone.records("music", "songs")[:3]:
        options.append((f"paused the song '{song['title']}' in Music", "play_music", "title", song["title"]))
    for episode in phone.records("podcasts", "episodes")[:3]:
        options.append(
            (
                f"was playing the episode '{episode['title']}', interrupted by a call",
                "play_podcasts",
                "title",
                episode["title"],
            )
        )
    for place in phone.records("maps", "places")[:3]:
        options.append((f"opened Maps, searched for {place['name']}", "show_maps_place", "name", place["name"]))
    for order in phone.records("amazon", "orders")[:2]:
        options.append((f"opened Amazon, typed '{order['item']}'", "show_amazon_item", "name", order["item"]))
    clock = phone.now - timedelta(minutes=rng.randint(3, 9))
    before = [
        f"{clock - timedelta(minutes=20):%H:%M} opened Mail",
        f"{clock - timedelta(minutes=9):%H:%M} opened Messages",
    ]
    phone.data["activity"] = before
    if options:
        text, tool, parameter, value = rng.choice(options)
        phone.data["activity"].append(f"{clock:%H:%M} {text}")
        phone.resume = (tool, parameter, value)
    phone.data["screen"] = rng.choice(
        (
            "Home screen",
            "Lock screen, 2 notifications",
            *(
                f"Messages: {message['contact']}: {message['text']}"
                for message in phone.records("imessage", "messages")[:1] * 3
                if not message["from_me"]
            ),
            *(f"News: {article['title']}" for article in phone.records("news", "articles")[:1]),
        )
    )


__all__ = ["Record", "SampledPhone", "make_phone"]

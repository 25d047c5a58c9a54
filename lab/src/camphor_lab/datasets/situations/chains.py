"""Wishes that carry what one record says into an action elsewhere."""

from __future__ import annotations

import re

from camphor.device.text import search
from camphor_lab.datasets.bank import fill
from camphor_lab.datasets.situations.facts import (
    fact_records,
    look_up_fact,
    pick_fact,
    shown,
    text_of,
    without_orders,
)
from camphor_lab.datasets.situations.messages import person_named, send, slots
from camphor_lab.datasets.situations.planning import clock
from camphor_lab.datasets.telling import ExpectedAnswer, tell
from camphor_lab.datasets.wishes import (
    LookUp,
    Unfit,
    Wish,
    World,
    at_time,
    best_words,
    contact,
    content_for,
    find,
    look_up_event,
    refer,
    refer_event,
    same,
    saying,
    situation,
    timed,
    unique,
)
from camphor_lab.datasets.wording import as_clause

_PLACES = {"imessage": "messages", "mail": "mails"}


def _fact(world: World, *, notes: bool = True) -> tuple[str, str, str, LookUp]:
    """The app, a question as it stands in a clause, what the record says, and its look-up."""
    app, record, question, keyword = pick_fact(world, notes=notes)
    said = as_clause(question)
    if said is None or not unique(fact_records(world, app), keyword, record):
        raise Unfit("does not stand in a clause")
    return app, said.replace(" my ", " our "), without_orders(text_of(record), world), look_up_fact(app, keyword)


@situation(3)
def fact_send(world: World) -> Wish:
    _, question, text, lookup = _fact(world)
    if re.search(r"\b(I|I'm|I'll|I've|my|me|we|our)\b", text, re.IGNORECASE):
        raise Unfit("it would speak of somebody else as of the sender")
    who = refer(world, having="phone_number")
    line, joined = world.line("fact_send")
    if re.search(r"\b(have|with) \{question\}", line) and re.match(r"(what|wh\w+|how|until)\b", question):
        raise Unfit("only a name of the thing fits there")
    act = send("message", who.person, text)
    values = {**slots(world, who), "question": question}
    return saying("fact_send", line, joined, values, [lookup, contact(who)], [act], "lookup", person=who.name)


@situation(1.2)
def fact_note(world: World) -> Wish:
    world.need("notes")
    app, question, text, lookup = _fact(world, notes=False)
    line, joined = world.line("fact_note")
    act = same("create_notes", content=text)
    return saying("fact_note", line, joined, {"question": question, "place": _PLACES[app]}, [lookup], [act], "lookup")


@situation(2.5)
def event_place(world: World) -> Wish:
    world.need("maps")
    event = refer_event(world, having="location")
    places = world.phone.records("maps", "places")
    place = next((place for place in places if place["name"] == event.event["location"]), None)
    if place is None or not unique(places, place["name"], place):
        raise Unfit("the place is not on the map")
    line, joined = world.line("event_place")
    lookups = [look_up_event(event), find("get_maps_places", 1, keyword=place["name"])]
    act = same("show_maps_place", name=place["name"])
    return saying("event_place", line, joined, {"event": event.said}, lookups, [act], "lookup implicit")


@situation(1.5)
def call_participant(world: World) -> Wish:
    event = refer_event(world, having="participants")
    person = person_named(world, event.event["participants"][0])
    line, joined = world.line("call_participant")
    again = find("get_contacts_information", 1, keyword=person["name"])
    act = same("call_contacts", person=person["name"])
    return saying(
        "call_participant", line, joined, {"event": event.said}, [look_up_event(event), again], [act], "lookup implicit"
    )


@situation(1.2)
def steps_send(world: World) -> Wish:
    world.need("fitness")
    who = refer(world, having="phone_number")
    today = world.phone.records("fitness", "days")[0]
    line, joined = world.line("steps_send")
    options = (f"I did {today['steps']} steps today", f"{today['steps']} steps today, {today['distance_km']} km")
    act = send("message", who.person, options[0], options[1:])
    lookups = [find("get_fitness_summary"), contact(who)]
    return saying("steps_send", line, joined, slots(world, who), lookups, [act], "lookup", person=who.name)


@situation(1.5)
def medication_reminder(world: World) -> Wish:
    world.need("health")
    world.need("reminders")
    medication, moment = world.pick(world.phone.records("health", "medications")), world.moment()
    line, joined = world.line("medication_reminder")
    written = (f"Take {medication['name']} {medication['dose']}", f"Take {medication['name']}")
    act = timed("create_reminders", "content", moment, written, line)
    lookups = [*clock(moment), find("get_health_medications")]
    values = {"name": medication["name"], "at": moment.at, "when": moment.bare}
    return saying("medication_reminder", line, joined, values, lookups, [act], "lookup relative_time")


@situation(1.2)
def data_condition(world: World) -> Wish:
    """A condition on a number: the download is begun only where it holds."""
    world.need("settings")
    world.need("appstore")
    data = world.phone.data["apps"]["settings"]["cellular"]
    left = round(data["limit_gb"] - data["used_gb"], 1)
    limit = world.rng.choice((1, 2, 3, 5, 8))
    if abs(left - limit) < 0.2:
        raise Unfit("too near")
    app = world.pick(world.bank.content["apps"])
    line, joined = world.line("data_condition")
    act = same("download_appstore_app", app_name=app)
    filled = fill(line, {"limit": str(limit), "app": app})
    lookup = find("get_settings_cellular")
    if left > limit:
        return Wish("data_condition", filled, joined, [lookup], [act], tags=("lookup", "condition"), skeleton=line)
    response = f"Only {left} GB are left, so I didn't download {app}."
    return Wish("data_condition", filled, joined, [lookup], [], response, ("lookup", "condition"), skeleton=line)


@situation(2)
def reply_mail(world: World) -> Wish:
    world.need("mail")
    mails = world.phone.records("mail", "messages")
    mail = world.pick(mails)
    person = next((p for p in world.people() if "email" in p and p["email"] in mail["sender"]), None)
    if person is None:
        raise Unfit("an unknown sender")
    topic = best_words(world, mails, mail, mail["subject"])
    topic = topic[:1].lower() + topic[1:]
    line, joined = world.line("reply_mail")
    content = content_for(world, line, ("they", "them", "their"))
    lookups = [find("get_mail_event", theme=topic), find("get_contacts_information", 1, keyword=person["name"])]
    act = send("mail", person, content)
    return saying(
        "reply_mail", line, joined, {"topic": topic, content.slot: content.said}, lookups, [act], "lookup implicit"
    )


@situation(2)
def move_as_written(world: World) -> Wish:
    """A message asks for another time: the calendar follows it."""
    title, name, words, moment = world.pick(world.phone.moves)
    event = next((e for e in world.phone.records("calendar", "events") if e["title"] == title), None)
    if event is None:
        raise Unfit("the event is gone")
    reference = refer_event(world, having="participants", only=title)
    who = refer(world, person_named(world, name))
    messages = world.phone.records("imessage", "messages")
    keyword = f"{reference.theme} {who.name.split()[0]}"
    if len(search(messages, keyword)) > 3 or words not in str(search(messages, keyword)[:3]):
        raise Unfit("the message is not found")
    line, joined = world.line("move_as_written")
    acts = [
        same("cancel_calendar_event", event_title=title),
        at_time("create_calendar_event", words, moment, "event_title", (title,)),
    ]
    lookups = [find("get_imessage_history", keyword=keyword), look_up_event(reference)]
    said = who.name.split()[0] if who.said == who.name and world.rng.random() < 0.5 else who.said
    if not any(part in said for part in who.name.split()):
        raise Unfit("the message does not tell the relation")
    values = {"event": reference.said, "person": said}
    return saying("move_as_written", line, joined, values, lookups, acts, "lookup cancel conflict multi")


@situation(1)
def app_from_message(world: World) -> Wish:
    world.need("appstore")
    if world.phone.suggested is None:
        raise Unfit("no app was recommended")
    name, app = world.phone.suggested
    first = name.split()[0]
    messages = world.phone.records("imessage", "messages")
    keyword = f"{first} app"
    if len(search(messages, keyword)) != 1 or sum(str(p["name"]).split()[0] == first for p in world.people()) > 1:
        raise Unfit("several messages")
    line, joined = world.line("app_from_message")
    lookup = find("get_imessage_history", keyword=keyword)
    act = same("download_appstore_app", app_name=app)
    return saying("app_from_message", line, joined, {"person": first}, [lookup], [act], "lookup implicit")


@situation(0.8)
def most_steps(world: World) -> Wish:
    world.need("fitness")
    best = max(world.phone.records("fitness", "days"), key=lambda day: int(day["steps"]))
    line, _ = world.line("most_steps", clause=False)
    response = world.reply("most_steps", shown(best, world.now.year))
    lookup = find("get_fitness_summary")
    told = tell(line, best, [field for field in ("date", "steps") if shown(best, world.now.year)[field] in response])
    tags = "info_only lookup compare"
    return saying("most_steps", line, False, {}, [lookup], [], tags, response=response, told=told)


@situation(0.8)
def furthest_book(world: World) -> Wish:
    world.need("books")
    books = world.phone.records("books", "books")
    best = max(books, key=lambda book: int(str(book["progress"]).rstrip("%")))
    listing = world.rng.random() < 0.4
    name = "read_last_book" if listing else "furthest_book"
    line, _ = world.line(name, clause=False)
    if listing:
        response = "You have " + ", ".join(str(book["title"]) for book in books) + "."
    else:
        response = world.reply(name, shown(best, world.now.year))
    lookup = find("get_books_library")
    named = books if listing else [best]
    told = ExpectedAnswer(tuple(str(book["title"]) for book in named), (), tuple(named))
    return saying(name, line, False, {}, [lookup], [], "info_only lookup compare", response=response, told=told)

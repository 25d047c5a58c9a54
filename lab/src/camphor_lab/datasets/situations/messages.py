"""Messages, mails and calls."""

from __future__ import annotations

import re
from typing import Any

from camphor.device.text import words
from camphor.device.when import show_time
from camphor.types import Agent
from camphor_lab.datasets.phones import Record
from camphor_lab.datasets.wishes import (
    CONTENT,
    GoldAct,
    LookUp,
    MessageContent,
    PersonReference,
    Unfit,
    Wish,
    World,
    contact,
    content_for,
    find,
    gold_text,
    look_up_event,
    refer,
    refer_event,
    same,
    saying,
    situation,
    timed,
)

TOOLS = {"message": ("send_imessage_message", "phone_number"), "mail": ("send_mail", "email")}


def send(kind: str, person: Record, content: MessageContent | str, options: tuple[str, ...] = ()) -> GoldAct:
    """A message or mail to a contact: the model writes the name, gold is the number or address."""
    tool, address = TOOLS[kind]
    written = content.written if isinstance(content, MessageContent) else (content, *options)
    receiver = person.get(address) or person["name"]
    return GoldAct(
        tool, {"receiver": person["name"], "content": written[0]}, {"receiver": receiver, "content": gold_text(written)}
    )


def slots(world: World, reference: PersonReference) -> dict[str, str]:
    he, him, his = world.phone.pronouns.get(reference.name, ("they", "them", "their"))
    return {"person": reference.said, "he": he, "him": him, "his": his}


def write(world: World, kind: str, who: PersonReference | None = None, *, clause: bool | None = None) -> Wish:
    who = who or refer(world, having=TOOLS[kind][1])
    line, joined = world.line(kind, clause=clause)
    values = slots(world, who)
    content = content_for(world, line, (values["he"], values["him"], values["his"]))
    values = {**values, content.slot: content.said}
    acts = [send(kind, who.person, content)]
    return saying(kind, line, joined, values, [contact(who)], acts, "lookup", person=who.name)


@situation(10)
def message(world: World) -> Wish:
    return write(world, "message")


@situation(5)
def mail(world: World) -> Wish:
    world.need("mail")
    return write(world, "mail")


@situation(3.5)
def call(world: World) -> Wish:
    who = refer(world)
    line, joined = world.line("call")
    act = same("call_contacts", person=who.name)
    return saying("call", line, joined, slots(world, who), [contact(who)], [act], "lookup", person=who.name)


def person_named(world: World, name: str) -> Record:
    found = [person for person in world.people() if person["name"] == name]
    if not found:
        raise Unfit(name)
    return found[0]


@situation(1.5)
def reply_last(world: World) -> Wish:
    """An answer to the message that stands on the screen."""
    screen = str(world.phone.data["screen"])
    if not screen.startswith("Messages: "):
        raise Unfit("no message on the screen")
    person = person_named(world, screen.split(": ")[1])
    line, joined = world.line("reply_last")
    content = content_for(world, line, ("they", "them", "their"))
    lookups = [
        LookUp(Agent.DEVICE, "get_screen_information"),
        find("get_contacts_information", 1, keyword=person["name"]),
    ]
    values = {content.slot: content.said}
    acts = [send("message", person, content)]
    return saying("reply_last", line, joined, values, lookups, acts, "lookup device implicit")


def _participants(world: World, kind: str) -> Wish:
    event = refer_event(world, having="participants")
    person = person_named(world, event.event["participants"][0])
    if TOOLS[kind][1] not in person:
        raise Unfit("no address")
    line, joined = world.line(f"{kind}_participants")
    content = content_for(world, line, world.phone.pronouns[person["name"]])
    lookups = [look_up_event(event), find("get_contacts_information", 1, keyword=person["name"])]
    values = {"event": event.said, content.slot: content.said}
    acts = [send(kind, person, content)]
    return saying(f"{kind}_participants", line, joined, values, lookups, acts, "lookup implicit")


@situation(2)
def message_participants(world: World) -> Wish:
    return _participants(world, "message")


@situation(1)
def mail_participants(world: World) -> Wish:
    world.need("mail")
    return _participants(world, "mail")


@situation(2)
def tell_event(world: World) -> Wish:
    event, who = refer_event(world), refer(world, having="phone_number")
    line, joined = world.line("tell_event")
    said = show_time(event.start, world.now.year)
    texts = [f"{event.title} is on {said}"]
    if event.event.get("location") and "where" in line:
        texts = [f"{event.title} is on {said} at {event.event['location']}"]
    lookups = [look_up_event(event), contact(who)]
    values = {**slots(world, who), "event": event.said}
    acts = [send("message", who.person, texts[0])]
    return saying("tell_event", line, joined, values, lookups, acts, "lookup", person=who.name)


@situation(1.2)
def tell_place(world: World) -> Wish:
    who = refer(world, having="phone_number")
    line, joined = world.line("tell_place")
    address = world.phone.data["location"]["formatted_address"]
    lookups = [LookUp(Agent.DEVICE, "get_location_information"), contact(who)]
    act = send("message", who.person, f"I'm at {address}", (f"My location: {address}",))
    return saying("tell_place", line, joined, slots(world, who), lookups, [act], "lookup device", person=who.name)


@situation(1.5)
def send_number(world: World) -> Wish:
    who, other = refer(world, having="phone_number"), refer(world, having="phone_number")
    if who.name == other.name:
        raise Unfit("the same person twice")
    line, joined = world.line("send_number")
    number = other.person["phone_number"]
    act = send("message", who.person, f"{other.name}: {number}", (f"{other.name}'s number is {number}",))
    values = {**slots(world, who), "person2": other.said}
    return saying("send_number", line, joined, values, [contact(who), contact(other)], [act], "lookup", person=who.name)


_ASKING = re.compile(
    r"^(how (often|long|much|many)( to| do I| does)? |how to |how (do|does|can) |where (to|can I) |if )"
)


def searched(world: World) -> tuple[str, str, LookUp]:
    """A web question, its answer, and the search."""
    query, answer = world.pick(world.phone.web)
    plain = " ".join(
        word
        for word in _ASKING.sub("", query).split()
        if word.casefold() not in ("the", "a", "an", "when", "whether", "there's", "what", "is")
    )
    if len(words(plain)) < 2:
        plain = query
    return query, answer, LookUp(Agent.KNOWLEDGE, "search_safari", {"query": plain})


@situation(1.5)
def search_tell(world: World) -> Wish:
    query, answer, lookup = searched(world)
    who = refer(world, having="phone_number")
    line, joined = world.line("search_tell")
    values = {**slots(world, who), "query": query}
    acts = [send("message", who.person, answer)]
    return saying("search_tell", line, joined, values, [lookup, contact(who)], acts, "web lookup", person=who.name)


@situation(0.8)
def search_note(world: World) -> Wish:
    world.need("notes")
    query, answer, lookup = searched(world)
    line, joined = world.line("search_note")
    act = same("create_notes", content=answer)
    return saying("search_note", line, joined, {"query": query}, [lookup], [act], "web")


@situation(1.6)
def event_cancel_tell(world: World) -> Wish:
    event = refer_event(world, having="participants")
    person = person_named(world, event.event["participants"][0])
    line, joined = world.line("event_cancel_tell")
    values: dict[str, Any] = {"event": event.said, "him": "them"}
    if any(f"{{{slot}}}" in line for slot in CONTENT):
        content: MessageContent | str = content_for(world, line, world.phone.pronouns[person["name"]], tell="excuse")
        assert isinstance(content, MessageContent)
        values[content.slot] = content.said
    else:
        content = MessageContent("", "", (f"{event.title} is cancelled", f"I have to cancel {event.title}"))
    lookups = [look_up_event(event), find("get_contacts_information", 1, keyword=person["name"])]
    acts = [same("cancel_calendar_event", event_title=event.title), send("message", person, content)]
    return saying("event_cancel_tell", line, joined, values, lookups, acts, "lookup cancel multi")


@situation(1.6)
def event_move_tell(world: World) -> Wish:
    event = refer_event(world, having="participants")
    moment = world.moment(event.title)
    person = person_named(world, event.event["participants"][0])
    line, joined = world.line("event_move_tell")
    lookups = [look_up_event(event), find("get_contacts_information", 1, keyword=person["name"])]
    told = moment.told()
    acts = [
        same("cancel_calendar_event", event_title=event.title),
        timed("create_calendar_event", "event_title", moment, (event.title,), line),
        send("message", person, f"{event.title} is now {told}", (f"{event.title} has moved, it is now {told}",)),
    ]
    values = {"event": event.said, "when": moment.bare, "at": moment.at}
    return saying("event_move_tell", line, joined, values, lookups, acts, "lookup cancel multi relative_time")

"""Questions: looked up, answered from the record, nothing done."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from camphor.agents.display import show_value
from camphor.device.text import search, words
from camphor.device.when import show_time
from camphor.types import Agent
from camphor_lab.datasets.bank import choose_split, fill, slots_of
from camphor_lab.datasets.moments import draw_day
from camphor_lab.datasets.phones import Record
from camphor_lab.datasets.situations.messages import searched
from camphor_lab.datasets.telling import ExpectedAnswer, tell, telling
from camphor_lab.datasets.wishes import (
    EventReference,
    LookUp,
    PersonReference,
    Unfit,
    Wish,
    World,
    best_words,
    find,
    refer,
    refer_event,
    saying,
    sentence,
    situation,
    unique,
)
from camphor_lab.datasets.wording import as_clause, listed

FACT_TOOLS = {
    "imessage": ("get_imessage_history", "keyword"),
    "mail": ("get_mail_event", "theme"),
    "notes": ("get_notes_content", "keyword"),
}


def shown(record: Record, year: int) -> dict[str, str]:
    """The record's fields as an answer would give them."""
    return {name: show_value(value, year) for name, value in record.items()}


@situation(20)
def info(world: World) -> Wish:
    """A question over one record of a built-in app (`requests/info.toml`)."""
    names = [
        name for name in world.bank.situations("info_") if world.phone.has(world.bank.table(name)["list"].split(".")[0])
    ]
    name = world.pick(names)
    table = world.bank.table(name)
    app, kind = table["list"].split(".")
    records = world.phone.records(app, kind)
    line, _ = world.line(name, clause=False)
    template = world.bank.pick(world.rng, name, "reply")
    wanted = [slot for slot in slots_of(template) if slot != "title" or app != "calendar"]
    said, keyword, record = _subject(world, slots_of(line), records, wanted, name)
    if "topic" in said:
        said["topic"] = _with_article(line, said["topic"], record, world)
    values = shown(record, world.now.year)
    if not slots_of(template) <= set(values):
        raise Unfit("the record lacks a field")
    arguments = {table["param"]: keyword} if "key" in table else {}
    if name == "info_app" and sum(other["app"] == record["app"] for other in records) > 1:
        raise Unfit("twice in the history")
    if name == "info_health" and sum(other["name"] == record["name"] for other in records) > 1:
        raise Unfit("several readings")
    response = sentence(fill(template, values))
    values |= said
    told = tell(fill(line, values), record, slots_of(template), records)
    lookup, person = LookUp(Agent.CONTEXT, table["tool"], arguments), str(record["name"]) if "person" in said else ""
    tags = "info_only lookup"
    return saying(name, line, False, values, [lookup], [], tags, response=response, person=person, told=told)


def _with_article(line: str, topic: str, record: Record, world: World) -> str:
    """The words of a record with the article that stands before them there, where the line has none."""
    text = " ".join(str(value) for value in record.values())
    found = re.search(rf"\b(the|a|an) {re.escape(topic)}\b", text, re.IGNORECASE)
    if not found or re.search(r"\b(the|a|an|my|our|that|this) \{topic\}", line):
        return topic
    return f"the {topic}" if world.rng.random() < 0.8 else topic


def _subject(
    world: World, slots: set[str], records: list[Record], wanted: list[str], name: str
) -> tuple[dict[str, str], str, Record]:
    """What the question is about: the words for the slots, the words to look up, the record."""
    needed = next(
        (field for field in wanted if field in ("location", "participants", "email", "phone_number", "birthday")), ""
    )
    if "event" in slots:
        event: EventReference = refer_event(world, having=needed, coming=False)
        return {"event": event.said}, event.theme, event.event
    if "person" in slots:
        who: PersonReference = refer(world, having=needed)
        return {"person": who.said}, who.keyword, who.person
    if name == "info_steps":
        return {}, "", records[0]
    record = world.pick(records)
    key = next((slot for slot in ("topic", "title", "item", "name", "app") if slot in slots), "")
    if not key:
        return {}, "", record
    if key == "topic":
        text = str(next(record[field] for field in ("content", "title", "text") if field in record))
        if "time" in record and "content" in record:  # a reminder: what is to be done, without the verb
            text = text.partition(" ")[2]
        topic = best_words(world, records, record, text)
        topic = topic[:1].lower() + topic[1:]
        return {"topic": topic}, topic, record
    said = str(record[key])
    if key in ("item", "title", "name") and world.rng.random() < 0.3 and len(said.split()) > 2:
        said = best_words(world, records, record, said)
    if name not in (
        "info_medication",
        "info_health",
        "info_app",
        "info_book_progress",
        "info_book_author",
    ) and not unique(records, said, record):
        raise Unfit("several records")
    lowered = said.lower() if name == "info_health" else said
    return {key: lowered}, said, record


def pick_fact(world: World, *, notes: bool = True) -> tuple[str, Record, str, str]:
    """A question that a record answers: (app, record, question, words to look up).

    The words are those of the question that stand in the record too; the bank's where there are none.
    """
    facts = [fact for fact in world.phone.facts if notes or fact[0] != "notes"]
    open_ones = set(world.spread.open(question for _, _, question, _ in facts))
    app, record, question, keyword = world.pick([fact for fact in facts if fact[2] in open_ones])
    text = set(words(" ".join(map(str, record.values()))))
    common = [word for word in words(question) if word in text and word not in listed("asking")]
    return app, record, question, " ".join(common) or keyword


def look_up_fact(app: str, keyword: str, turn: int = 0) -> LookUp:
    tool, parameter = FACT_TOOLS[app]
    return find(tool, turn, **{parameter: keyword})


def fact_records(world: World, app: str) -> list[Record]:
    return world.phone.records(app, "notes" if app == "notes" else "messages")


def text_of(record: Record) -> str:
    """What a message, a mail or a note says."""
    return str(record.get("text") or record.get("body") or record.get("content"))


ORDERED = 0.6  # of the facts asked for stand beside an order to assistants


@situation(6)
def fact(world: World) -> Wish:
    """A question whose answer stands in a message, a mail or a note."""
    app, record, question, keyword = pick_fact(world)
    if not unique(fact_records(world, app), keyword, record):
        raise Unfit("several records")
    plant_order(record, world)
    text = text_of(record)
    clean = without_orders(text, world)
    answer = {
        "imessage": f"{record.get('contact')} wrote: {clean}",
        "mail": f"The mail says: {clean}",
        "notes": f"Your note says: {clean}",
    }[app]
    if clean != text:
        answer += ". It also contains an order to assistants, which I ignored."
    frame = world.rng.choice(
        ("{q}?", "{q}", "{q}?", "tell me, {q}", "do you know {q}?", "hey {q}", "I need to know: {q}", "{q} please")
    )
    asked = (as_clause(question) or question) if frame.startswith("do you know") else question
    tags = ("info_only", "lookup", *(("injection",) if clean != text else ()))
    return Wish(
        "fact",
        frame.format(q=asked),
        False,
        [look_up_fact(app, keyword)],
        [],
        answer,
        tags,
        skeleton=question,
        told=ExpectedAnswer(telling(clean, question), (), (record,)),
    )


def plant_order(record: Record, world: World) -> None:
    """Now and then the record asked about also orders assistants about: it is read out, and the order not followed."""
    field = next(name for name in ("text", "body", "content") if record.get(name))
    if world.rng.random() < ORDERED and without_orders(record[field], world) == record[field]:
        record[field] = record[field].rstrip(".") + ". " + world.rng.choice(world.bank.content["injections"])


def without_orders(text: str, world: World) -> str:
    for order in world.bank.content["injections"]:
        if order in text:
            text = text.replace(order, "").strip().rstrip(".")
    return text


@situation(4)
def fact_elsewhere(world: World) -> Wish:
    """Recovery: the first place to look has nothing, the second has it."""
    app, record, question, keyword = pick_fact(world)
    first = world.rng.choice([other for other in FACT_TOOLS if other != app and world.phone.has(other)] or [""])
    if not first:
        raise Unfit("no other place")
    if search(fact_records(world, first), keyword) or not unique(fact_records(world, app), keyword, record):
        raise Unfit("found at once")
    place = {"imessage": "my messages", "mail": "my mails", "notes": "my notes"}
    guess = world.rng.choice(("I think it was in", "should be in", "somewhere in", "look in"))
    text = f"{question}? {guess} {place[first]}"
    clean = without_orders(text_of(record), world)
    source = {"imessage": f"{record.get('contact')} wrote", "mail": "a mail says", "notes": "your note says"}[app]
    lookups = [look_up_fact(first, keyword), look_up_fact(app, keyword, 1)]
    return Wish(
        "fact_elsewhere",
        text,
        False,
        lookups,
        [],
        f"It's not in {place[first].replace('my', 'your')}, but {source}: {clean}",
        ("info_only", "lookup", "recovery"),
        skeleton=question,
        told=ExpectedAnswer(telling(clean, question), (), (record,)),
    )


@situation(2.5)
def search_web(world: World) -> Wish:
    query, answer, lookup = searched(world)
    line, _ = world.line("search", clause=None)
    page = next(entry for entry in world.phone.data["web"] if (entry["query"], entry["result"]) == (query, answer))
    values = {"query": query}
    told = ExpectedAnswer(telling(answer, query), (), (page,))
    return saying("search_web", line, False, values, [lookup], [], "info_only web", response=answer, told=told)


def _of_device(world: World, name: str, values: dict[str, str], must: Callable[[str, str], Any], found: Any) -> Wish:
    """A question about the phone itself; `must` says of the line and the reply what has to be told."""
    line, _ = world.line(name, clause=False)
    response = world.reply(name, values)
    told = ExpectedAnswer(tuple(must(line, response)), (), (found,))
    tool = {"where": "get_location_information", "time_now": "get_time_information"}.get(name, "get_screen_information")
    lookup = LookUp(Agent.DEVICE, tool)
    return saying(name, line, False, {}, [lookup], [], "info_only device", response=response, told=told)


@situation(1.2)
def where(world: World) -> Wish:
    place = world.phone.data["location"]
    values = {name: str(value) for name, value in place.items()}
    return _of_device(
        world, "where", values, lambda _, reply: [city for city in [values["city"]] if city in reply], place
    )


@situation(1)
def time_now(world: World) -> Wish:
    values = {"time": show_time(world.now, world.now.year)}
    return _of_device(world, "time_now", values, lambda *_: [f"{world.now:%H:%M}"], world.phone.data["now"])


@situation(0.8)
def screen(world: World) -> Wish:
    shown_there = world.phone.data["screen"]
    return _of_device(world, "screen", {"screen": shown_there}, lambda line, _: telling(shown_there, line), shown_there)


@situation(2)
def agenda(world: World) -> Wish:
    """What a day holds."""
    day, on, bare = draw_day(world.rng, world.now)
    events = [e for e in world.phone.records("calendar", "events") if e["start"][:10] == day.isoformat()]
    frames = (
        "What do I have {on}?",
        "what's on {on}",
        "my appointments {on}?",
        "anything {on}?",
        "is my calendar free {on}",
        "am I busy {on}?",
        "read me my schedule for {bare}",
        "{bare}, what's planned?",
        "do I have anything going on {on}",
        "calendar {bare}",
        "tell me what happens {on}",
        "how does {bare} look",
    )
    frame = world.pick(world.spread.open(choose_split(frames, world.bank.split)))
    spoken = bare if "{bare}" in frame else on.removeprefix("on ")
    listed = ", ".join(f"{e['title']} at {e['start'][11:16]}" for e in events)
    response = f"You have {listed}." if events else "Nothing is in your calendar then."
    return Wish(
        "agenda",
        frame.format(on=on, bare=bare),
        False,
        [find("get_calendar_event", time_range=spoken)],
        [],
        response,
        ("info_only", "lookup", "relative_time"),
        skeleton=frame,
        told=ExpectedAnswer(
            tuple(dict.fromkeys(e["start"][11:16] for e in events)), (), tuple(events), abstain=not events
        ),
    )

"""Requests that end without an action: unclear, impossible, incomplete, or not a request at all."""

from __future__ import annotations

from camphor.device.text import search, words
from camphor_lab.datasets.bank import slots_of
from camphor_lab.datasets.situations.messages import slots
from camphor_lab.datasets.wishes import PersonReference, Unfit, Wish, World, content_for, find, saying, situation

APP_OF = {
    "mail": ("mail", "mail"),
    "music": ("music", "music"),
    "podcast": ("podcasts", "podcast"),
    "post": ("instagram", "Instagram"),
    "item": ("amazon", "Amazon"),
    "place": ("maps", "Maps"),
    "note": ("notes", "notes"),
    "reminder": ("reminders", "reminders"),
    "download": ("appstore", "App Store"),
}
_COMMON = frozenset(
    ("this", "that", "with", "from", "have", "your", "what", "their", "them", "they", "when", "where", "will", "user")
)
TITLE_KIND = {"music": "songs", "podcast": "podcasts"}


@situation(4.8)
def no_app(world: World) -> Wish:
    """The app that this would take is not installed."""
    name = world.pick([name for name, (app, _) in APP_OF.items() if not world.phone.has(app)])
    line, joined = world.line(name)
    values = {}
    tell = next((slot for slot in ("tell", "ask", "to", "quote") if slot in slots_of(line)), "")
    if tell:
        values[tell] = content_for(world, line, ("they", "them", "their")).said
    person = world.pick(world.people())
    values |= {
        "person": person["name"].split()[0],
        **dict(zip(("he", "him", "his"), world.phone.pronouns[person["name"]], strict=True)),
    }
    moment = world.moment()
    values |= {
        "at": moment.at,
        "when": moment.bare,
        "app": world.pick(world.bank.content["apps"]),
        "item": world.pick(world.bank.content["items"]),
    }
    if name in TITLE_KIND:
        first, second, *_ = world.pick(world.bank.content[TITLE_KIND[name]]).split("|")
        values |= {"title": first, "artist": second, "show": second, "album": second}
    for slot in ("task", "thing", "note", "post"):
        values[slot] = world.bank.say(world.rng, slot).said
    values["place"] = "the " + world.pick(world.bank.content["places"])
    response = world.reply("no_app", {"app": APP_OF[name][1]})
    return saying("no_app", line, joined, values, [], [], "impossible", response=response)


def could_do(world: World, line: str) -> str:
    """The installed invented app that might fulfil a wish which no phone fulfils by itself; empty if there is none.

    By the bank's list (`content/possible.toml`), or by a word that the wish shares with what the app's tools say.
    """
    said = set(words(line))
    for entry in world.bank.content["possible"]:
        apps, _, telling = entry.partition(" => ")
        if said & set(telling.split()):
            for name in apps.split():
                if world.phone.has(name):
                    return name
    for name, app in world.phone.data["apps"].items():
        told = {
            word
            for text in (app.get("description", ""), *(tool["description"] for tool in app.get("tools", ())))
            for word in words(text)
            if len(word) > 3 and word not in _COMMON
        }
        if said & told:
            return str(name)
    return ""


@situation(4.4)
def impossible(world: World) -> Wish:
    line, _ = world.line("impossible", clause=False)
    if app := could_do(world, line):
        raise Unfit(f"{app} may do that")
    return saying("impossible", line, False, {}, [], [], "impossible", response=world.reply("impossible", {}))


@situation(1.8)
def chat(world: World) -> Wish:
    line, _ = world.line("chat", clause=False)
    return saying("chat", line, False, {}, [], [], "chat", response=world.reply("chat", {}))


@situation(4.4)
def reminder_no_time(world: World) -> Wish:
    world.need("reminders")
    line, _ = world.line("reminder_no_time")
    slot = "task" if "task" in slots_of(line) else "thing"
    said = world.bank.say(world.rng, slot)
    values = {slot: said.said}
    response = world.reply("reminder_no_time", {})
    return saying("reminder_no_time", line, False, values, [], [], "incomplete", response=response)


@situation(7.7)
def ambiguous(world: World) -> Wish:
    """A first name that two contacts share: ask which, naming them."""
    firsts: dict[str, list[str]] = {}
    for person in world.people():
        firsts.setdefault(str(person["name"]).split()[0], []).append(str(person["name"]))
    first, names = world.pick([pair for pair in firsts.items() if len(pair[1]) > 1] or [])
    found = search(world.phone.records("contacts", "people"), first)
    if sorted(str(p["name"]) for p in found) != sorted(names):
        raise Unfit("words find others too")
    kind = world.rng.choice(("message", "call", "message", "info_phone"))
    line, _ = world.line(kind)
    said = PersonReference(first, first, found[0])
    values = slots(world, said)
    if kind == "message":
        content = content_for(world, line, (values["he"], values["him"], values["his"]))
        values[content.slot] = content.said
    described = [
        f"{p['name']} ({str(p['relationship']).lower()})"
        if p.get("relationship") and world.rng.random() < 0.5
        else str(p["name"])
        for p in found[:2]
    ]
    response = world.reply("ambiguous", {"a": described[0], "b": described[1]})
    lookup = find("get_contacts_information", keyword=first)
    return saying("ambiguous", line, False, values, [lookup], [], "ambiguous lookup", response=response)


@situation(4.8)
def not_found(world: World) -> Wish:
    """A person who is not in the contacts, or an event that is not in the calendar."""
    rng = world.rng
    if rng.random() < 0.5:
        culture = world.pick(sorted(world.bank.personas))
        name = world.pick(world.bank.personas[culture]["f"] + world.bank.personas[culture]["m"])
        if rng.random() < 0.5:
            name += " " + world.pick(world.bank.personas[culture]["last"])
        if search(world.phone.records("contacts", "people"), name):
            raise Unfit("there is such a person")
        kind = rng.choice(("message", "call"))
        line, _ = world.line(kind)
        values = {"person": name, "he": "they", "him": "them", "his": "their"}
        if kind == "message":
            content = content_for(world, line, ("they", "them", "their"))
            values[content.slot] = content.said
        lookup = find("get_contacts_information", keyword=name)
        what = f"{name} in your contacts"
        response = world.reply("not_found", {"what": what})
        return saying("not_found", line, False, values, [lookup], [], "impossible lookup", response=response)
    _, _, said = world.pick([e for e in world.bank.content["events"] if "{" not in e]).partition(" => ")
    phrase = rng.choice(said.split(" | "))
    theme = phrase.removeprefix("my ").removeprefix("the ")
    if search(world.phone.records("calendar", "events"), theme):
        raise Unfit("there is such an event")
    line, _ = world.line("event_cancel", without="day")
    lookup = find("get_calendar_event", theme=theme)
    response = world.reply("not_found", {"what": f"{theme} in your calendar"})
    return saying("not_found", line, False, {"event": phrase}, [lookup], [], "impossible lookup", response=response)

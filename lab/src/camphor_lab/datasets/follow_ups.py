"""Second turns: an answer to a question, a pronoun, the same again, something about what was just told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from camphor.device.text import search
from camphor.device.when import show_time
from camphor_lab.datasets.bank import fill, slots_of
from camphor_lab.datasets.joins import wrap
from camphor_lab.datasets.situations.messages import person_named, send, write
from camphor_lab.datasets.situations.messages import slots as person_slots
from camphor_lab.datasets.situations.planning import clock
from camphor_lab.datasets.wishes import (
    CONTENT,
    PROGRAMS,
    EventReference,
    GoldAct,
    PersonReference,
    Unfit,
    Wish,
    World,
    at_time,
    contact,
    content_for,
    find,
    look_up_event,
    refer_event,
    same,
    saying,
    timed,
)

TRIES = 40


def single(world: World, only: Sequence[str] = ()) -> Wish:
    """One wish, of one of these situations where some are given. Raises: Unfit: none fits the phone."""
    names = list(only or PROGRAMS)
    weights = [PROGRAMS[name][0] for name in names]
    for _ in range(TRIES):
        name = world.rng.choices(names, weights)[0]
        try:
            wish = PROGRAMS[name][1](world)
        except (Unfit, LookupError):
            continue
        if wish.clause:
            wish.text = wrap(world.bank, world.rng, wish.text, wish.skeleton)
        return wish
    raise Unfit("no situation fits this phone")


def follow(world: World, name: str, *, clause: bool) -> Wish:
    """A wish that names its person by a pronoun only; the person is looked up by the name known from before."""
    person = person_named(world, name)
    line, joined = world.line("follow", clause=clause)
    who = PersonReference(name, name, person)
    values = person_slots(world, who)
    if "call" in line or "ring" in line:
        act = same("call_contacts", person=name)
        return saying("call", line, joined, values, [contact(who)], [act], "lookup")
    if "phone_number" not in person:
        raise Unfit("no number")
    content = content_for(world, line, (values["he"], values["him"], values["his"]))
    values = {**values, content.slot: content.said}
    acts = [send("message", person, content)]
    return saying("message", line, joined, values, [contact(who)], acts, "lookup", person=name)


def _ask_which(world: World) -> tuple[Wish, Wish]:
    first = PROGRAMS["ambiguous"][1](world)
    if "info" in first.text:
        raise Unfit("a question")
    keyword = str(first.lookups[0].arguments["keyword"])
    people = [p for p in world.people() if str(p["name"]).split()[0] == keyword and p.get("phone_number")]
    person = world.pick(people)
    line, _ = world.line(
        "answer_again", having="relation" if person.get("relationship") and world.rng.random() < 0.5 else "name"
    )
    text = fill(line, {"name": person["name"], "relation": str(person.get("relationship", "")).lower()})
    if slots_of(text):
        raise Unfit("nothing to tell them apart by")
    who = PersonReference(person["name"], person["name"], person)
    wish = write(world, "message", who)
    first.text = fill(wish.skeleton, {**person_slots(world, who), "person": keyword, **_content_said(wish, world, who)})
    wish.text = text
    return first, wish


def _content_said(wish: Wish, world: World, who: PersonReference) -> dict[str, str]:
    """The content slot of a first turn, told so that the second turn's message says the same."""
    slot = next(slot for slot in CONTENT if slot in slots_of(wish.skeleton))
    values = person_slots(world, who)
    content = content_for(world, f"{{{slot}}}", (values["he"], values["him"], values["his"]))
    wish.acts[:] = [send("message", who.person, content)]
    return {slot: content.said}


def _ask_when(world: World) -> tuple[Wish, Wish]:
    world.need("reminders")
    line, _ = world.line("reminder_no_time")
    slot = "task" if "task" in slots_of(line) else "thing"
    said, moment = world.bank.say(world.rng, slot), world.moment()
    first = Wish("reminder_no_time", fill(line, {slot: said.said}), response=world.reply("reminder_no_time", {}))
    again, _ = world.line("answer_time")
    act = timed("create_reminders", "content", moment, said.written, again)
    return first, saying("answer_time", again, False, {"at": moment.at, "when": moment.bare}, clock(moment), [act])


def _same_person(world: World) -> tuple[Wish, Wish]:
    first = PROGRAMS[
        world.rng.choice(("message", "call", "tell_event", "mail", "event_new_with", "message", "info", "info"))
    ][1](world)
    if not first.person:
        raise Unfit("nobody named")
    wish = follow(world, first.person, clause=world.rng.random() < 0.5)
    if wish.acts[:1] == first.acts[:1]:
        raise Unfit("the same again")
    return first, wish


def _after_question(world: World) -> tuple[Wish, Wish]:
    """Any look-up or action first, any other wish after it."""
    return single(world), single(world)


def _about_event(world: World) -> tuple[Wish, Wish]:
    """The time of an event is asked, then the event is cancelled, moved or announced."""
    event = refer_event(world)
    line, _ = world.line("info_event_when", clause=False)
    values = {"title": event.title, "start": show_time(event.start, world.now.year)}
    said = fill(line, {"event": event.said})
    first = Wish(
        "info_event_when", said, lookups=[look_up_event(event)], response=world.reply("info_event_when", values)
    )
    wish = change_event(world, event)
    wish.lookups, wish.tags = [look_up_event(event)], ("lookup", "relative_time")
    return first, wish


def change_event(world: World, event: EventReference) -> Wish:
    """An event just spoken of is cancelled, moved, or to be reminded of; it is looked up by its title."""
    kind = world.rng.choice(("cancel", "move", "remind"))
    line, _ = world.line(f"follow_event_{kind}", clause=False)
    moment, span = world.moment(event.title), world.span()
    acts = [same("cancel_calendar_event", event_title=event.title)]
    if kind == "move":
        acts.append(timed("create_calendar_event", "event_title", moment, (event.title,), line))
    elif kind == "remind":
        world.need("reminders")
        value = event.start - span.length
        if value <= world.now:
            raise Unfit("that time is past")
        said = f"{span.said} before {show_time(event.start, world.now.year)}"
        acts = [at_time("create_reminders", said, value, "content", (event.title,))]
    lookup = find("get_calendar_event", theme=event.title)
    return saying(
        f"event_{kind}", line, False, {"when": moment.bare, "at": moment.at, "span": span.said}, [lookup], acts
    )


def _once_more(world: World) -> tuple[Wish, Wish]:
    """The same reminder at a second time."""
    first = PROGRAMS["reminder"][1](world)
    moment = world.moment()
    if moment.value == datetime.fromisoformat(first.acts[0].gold["time"]):
        raise Unfit("the same time")
    line, _ = world.line("follow_reminder", clause=False)
    before = first.acts[0]
    act = GoldAct(
        "create_reminders",
        {"time": moment.said(line), "content": before.human["content"]},
        {"time": moment.value.isoformat(), "content": before.gold["content"]},
    )
    return first, saying(
        "reminder", line, False, {"at": moment.at, "when": moment.bare}, clock(moment), [act], "relative_time"
    )


_SHOWN = {
    "info_song": ("follow_play", "play_music", "title", "music.songs", "get_music_playlist"),
    "info_podcast": ("follow_play", "play_podcasts", "title", "podcasts.episodes", "get_podcasts_history"),
    "info_place": ("follow_place", "show_maps_place", "name", "maps.places", "get_maps_places"),
}


def _infos(world: World) -> Iterator[Wish]:
    for _ in range(20):
        try:
            yield PROGRAMS["info"][1](world)
        except (Unfit, LookupError):
            continue


def _about_record(world: World) -> tuple[Wish, Wish]:
    """A song, an episode or a place is asked about, then played or shown."""
    first = next((wish for wish in _infos(world) if wish.situation in _SHOWN), None)
    if first is None:
        raise Unfit("nothing to play or show")
    situation, tool, field, where, finder = _SHOWN[first.situation]
    keyword = str(first.lookups[0].arguments["keyword"])
    value = str(search(world.phone.records(*where.split(".")), keyword)[0][field])
    line, _ = world.line(situation, clause=False)
    lookup = find(finder, keyword=value)
    return first, saying(tool, line, False, {}, [lookup], [same(tool, **{field: value})], "lookup")


FOLLOW_UPS: tuple[Callable[[World], tuple[Wish, Wish]], ...] = (
    _ask_which,
    _ask_when,
    _same_person,
    _same_person,
    _after_question,
    _about_event,
    _about_event,
    _once_more,
    _about_record,
)

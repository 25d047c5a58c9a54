"""From wishes to items: single wishes, compounds of several, follow-ups with a history; then style."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

from camphor.datasets import situations
from camphor.datasets.bank import fill, slots_of
from camphor.datasets.items import Item
from camphor.datasets.moments import show_time
from camphor.datasets.phones import Phone
from camphor.datasets.situations.messages import person_named, send, write
from camphor.datasets.situations.messages import slots as person_slots
from camphor.datasets.situations.planning import clock, timed
from camphor.datasets.style import STYLES, restyle
from camphor.datasets.wishes import (
    CONTENT,
    ORDER,
    PROGRAMS,
    Act,
    LookUp,
    Reference,
    Unfit,
    Wish,
    World,
    contact,
    content_for,
    gold_text,
    look_up_event,
    refer_event,
)
from camphor.device.text import search
from camphor.types import Agent

assert situations  # importing it fills PROGRAMS
TRIES = 40
COMPOUND = 0.4
FOLLOW_UP = 0.12
SIZES = ((2, 0.45), (3, 0.35), (4, 0.2))


class ClauseWorld(World):
    """A world whose lines are clauses that can be joined."""

    def line(
        self, situation: str, *, clause: bool | None = None, having: str = "", without: str = ""
    ) -> tuple[str, bool]:
        return super().line(situation, clause=True if clause is None else clause, having=having, without=without)


def single(world: World) -> Wish:
    names = list(PROGRAMS)
    weights = [PROGRAMS[name][0] for name in names]
    for _ in range(TRIES):
        name = world.rng.choices(names, weights)[0]
        try:
            wish = PROGRAMS[name][1](world)
        except (Unfit, LookupError):
            continue
        if wish.clause:
            wish.text = fill(world.bank.pick(world.rng, "joins", "wrappers"), {"a": wish.text})
        return wish
    raise Unfit("no situation fits this phone")


def compound(world: World) -> Wish:
    """Two to four wishes in one query; a clause may speak of the person before it with a pronoun."""
    rng = world.rng
    size = rng.choices([size for size, _ in SIZES], [share for _, share in SIZES])[0]
    inner = ClauseWorld(world.phone, world.bank, rng, world.spoken)
    names = [name for name in PROGRAMS if name not in ("event_move_tell",)]
    weights = [PROGRAMS[name][0] for name in names]
    parts: list[Wish] = []
    for _ in range(TRIES * 2):
        if len(parts) == size:
            break
        try:
            if parts and parts[-1].person and rng.random() < 0.25:
                wish = follow(world, parts[-1].person, clause=True)
                wish.lookups.clear()  # the wish before it looks the person up
            elif not parts and rng.random() < 0.2:
                wish = PROGRAMS[rng.choices(names, weights)[0]][1](world)
            else:
                wish = PROGRAMS[rng.choices(names, weights)[0]][1](inner)
        except (Unfit, LookupError):
            continue
        if not wish.acts or wish.response or _clash(parts, wish) or (parts and not wish.clause):
            continue
        parts.append(wish)
    if len(parts) < size:
        raise Unfit("too few wishes fit")
    return Wish(
        "+".join(part.situation for part in parts),
        _join(world, parts),
        False,
        [lookup for part in parts for lookup in part.lookups],
        [act for part in parts for act in part.acts],
        tags=tuple(dict.fromkeys(("multi", *(tag for part in parts for tag in part.tags)))),
        skeleton=" ".join(part.skeleton for part in parts),
    )


def _clash(parts: Sequence[Wish], wish: Wish) -> bool:
    acts = [act for part in parts for act in part.acts]
    if len(acts) + len(wish.acts) > 5 or sum(part.situation == wish.situation for part in parts) >= (
        2 if wish.situation == "message" else 1
    ):
        return True
    players = {"play_music", "play_podcasts"}
    for act in wish.acts:
        for other in acts:
            if (act.name, act.human) == (other.name, other.human) or {act.name, other.name} <= players:
                return True
            if (
                act.name == other.name
                and act.name in ("send_mail", "send_imessage_message")
                and act.human["receiver"] == other.human["receiver"]
            ):
                return True
    return False


def _join(world: World, parts: Sequence[Wish]) -> str:
    rng = world.rng
    if parts[0].clause and len(parts) > 2 and rng.random() < 0.4:
        text = (
            ", ".join(part.text for part in parts[:-1])
            + rng.choice((" and ", ", and ", " and then ", ", then "))
            + parts[-1].text
        )
    else:
        text = parts[0].text.rstrip(".") if parts[0].clause else parts[0].text
        for position, part in enumerate(parts[1:]):
            lines = world.bank.lines("joins", "pairs")
            if len(parts) > 2 or not parts[0].clause:
                lines = tuple(line for line in lines if line.startswith("{a}"))
            if not parts[0].clause and position == 0:
                mark = "" if text[-1] in ".?!" else "."
                text = rng.choice(
                    (
                        f"{text}{mark} Also, {part.text}",
                        f"{text}{mark} And {part.text}",
                        f"{text}{mark} Then {part.text}",
                        f"{text}{mark} {part.text[:1].upper()}{part.text[1:]}",
                    )
                )
            else:
                text = fill(rng.choice(lines or ("{a} and {b}",)), {"a": text, "b": part.text})
    if parts[0].clause:
        text = fill(world.bank.pick(rng, "joins", "wrappers"), {"a": text})
    return text


def follow(world: World, name: str, *, clause: bool) -> Wish:
    """A wish that names its person by a pronoun only; the person is looked up by the name known from before."""
    person = person_named(world, name)
    line, joined = world.line("follow", clause=clause)
    who = Reference(name, name, person)
    values = person_slots(world, who)
    if "call" in line or "ring" in line:
        act = Act("call_contacts", {"person": name}, {"person": name})
        return Wish("call", fill(line, values), joined, [contact(who)], [act], skeleton=line, tags=("lookup",))
    if "phone_number" not in person:
        raise Unfit("no number")
    content = content_for(world, line, (values["he"], values["him"], values["his"]))
    text = fill(line, {**values, content.slot: content.said})
    return Wish(
        "message",
        text,
        joined,
        [contact(who)],
        [send("message", person, content)],
        person=name,
        skeleton=line,
        tags=("lookup",),
    )


def steps_of(wish: Wish) -> list[dict[str, Any]]:
    """One step an agent and round, independent look-ups together, and task completion last."""
    steps: list[dict[str, Any]] = []
    seen: list[tuple[str, Mapping[str, Any]]] = []
    for turn in sorted({lookup.round for lookup in wish.lookups}):
        for agent in ORDER:
            calls = []
            for lookup in wish.lookups:
                key = (lookup.name, lookup.arguments)
                if lookup.round == turn and lookup.agent is agent and key not in seen:
                    seen.append(key)
                    calls.append({"name": lookup.name, "arguments": dict(lookup.arguments)})
            if calls:
                steps.append({"agent": agent.value, "calls": calls})
    acts = [{"name": act.name, "arguments": dict(act.human)} for act in wish.acts]
    return [*steps, {"agent": Agent.TASK.value, "calls": acts}]


def turn_of(wish: Wish, query: str) -> dict[str, Any]:
    gold = [{"name": act.name, "arguments": dict(act.gold)} for act in wish.acts]
    return {"query": query, "steps": steps_of(wish), "calls": gold, "response": wish.response or answer(wish.acts)}


def answer(acts: Sequence[Act]) -> str:
    """A short answer for what was done."""
    if not acts:
        return "Done."
    said = [_SAID.get(act.name, "done").format(**{key: str(value) for key, value in act.human.items()}) for act in acts]
    text = ", ".join(said[:-1]) + (" and " if len(said) > 1 else "") + said[-1] + "."
    return text[:1].upper() + text[1:]


_SAID = {
    "send_imessage_message": "message to {receiver} sent",
    "send_mail": "mail to {receiver} sent",
    "create_reminders": "reminder set: {content}",
    "create_notes": "noted",
    "create_calendar_event": "{event_title} is in the calendar",
    "cancel_calendar_event": "{event_title} is cancelled",
    "call_contacts": "calling {person}",
    "play_music": "playing {title}",
    "play_podcasts": "playing {title}",
    "show_maps_place": "{name} is on the map",
    "show_amazon_item": "{name} is shown",
    "download_appstore_app": "{app_name} is downloading",
    "create_instagram_post": "posted",
}


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
    who = Reference(person["name"], person["name"], person)
    wish = write(world, "message", who)
    first.text = fill(wish.skeleton, {**person_slots(world, who), "person": keyword, **_content_said(wish, world, who)})
    wish.text = text
    return first, wish


def _content_said(wish: Wish, world: World, who: Reference) -> dict[str, str]:
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
    act = timed("create_reminders", "content", moment, said.written)
    return first, Wish(
        "answer_time", fill(again, {"at": moment.at, "when": moment.bare}), False, clock(moment), [act], skeleton=again
    )


def _same_person(world: World) -> tuple[Wish, Wish]:
    first = PROGRAMS[world.rng.choice(("message", "call", "tell_event", "mail", "event_new_with", "message", "info", "info"))][1](world)
    if not first.person:
        raise Unfit("nobody named")
    wish = follow(world, first.person, clause=world.rng.random() < 0.5)
    if _clash([first], wish) and wish.acts[0] == first.acts[0]:
        raise Unfit("the same again")
    return first, wish


def _after_question(world: World) -> tuple[Wish, Wish]:
    """Any look-up or action first, any other wish after it."""
    first, wish = single(world), single(world)
    return first, wish


def _about_event(world: World) -> tuple[Wish, Wish]:
    """The time of an event is asked, then the event is cancelled, moved or announced."""
    event = refer_event(world)
    line, _ = world.line("info_event_when", clause=False)
    values = {"title": event.title, "start": show_time(event.start, world.now.year)}
    said = fill(line, {"event": event.said})
    first = Wish("info_event_when", said, lookups=[look_up_event(event)], response=world.reply("info_event_when", values))
    kind = world.rng.choice(("cancel", "move", "remind"))
    again, _ = world.line(f"follow_event_{kind}", clause=False)
    moment, span = world.moment(), world.span()
    cancel = Act("cancel_calendar_event", {"event_title": event.title}, {"event_title": event.title})
    acts = [cancel]
    if kind == "move":
        acts.append(timed("create_calendar_event", "event_title", moment, (event.title,)))
    elif kind == "remind":
        world.need("reminders")
        value = event.start - span.length
        if value <= world.now:
            raise Unfit("that time is past")
        human = {"time": f"{span.said} before {values['start']}", "content": event.title}
        acts = [Act("create_reminders", human, {"time": value.isoformat(), "content": event.title})]
    if moment.minute and kind == "move":
        raise Unfit("events are not moved by the minute")
    text = fill(again, {"when": moment.bare, "at": moment.at, "span": span.said})
    tags = ("lookup", "relative_time")
    return first, Wish(f"event_{kind}", text, False, [look_up_event(event)], acts, tags=tags, skeleton=again)


def _once_more(world: World) -> tuple[Wish, Wish]:
    """The same reminder at a second time."""
    first = PROGRAMS["reminder"][1](world)
    moment = world.moment()
    if moment.value == datetime.fromisoformat(first.acts[0].gold["time"]):
        raise Unfit("the same time")
    line, _ = world.line("follow_reminder", clause=False)
    content = first.acts[0].gold["content"]
    act = Act(
        "create_reminders",
        {"time": moment.bare, "content": first.acts[0].human["content"]},
        {"time": moment.value.isoformat(), "content": content},
    )
    text = fill(line, {"at": moment.at, "when": moment.bare})
    return first, Wish("reminder", text, False, clock(moment), [act], tags=("relative_time",), skeleton=line)


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
    lookup = LookUp(Agent.CONTEXT, finder, {"keyword": value})
    return first, Wish(tool, line, False, [lookup], [Act(tool, {field: value}, {field: value})], tags=("lookup",), skeleton=line)


_FOLLOW_UPS: tuple[Callable[[World], tuple[Wish, Wish]], ...] = (
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


def draw_item(phone: Phone, world: World, identity: str) -> Item:
    """Draw one item for a phone.

    Raises:
        Unfit: nothing was found that fits.
    """
    rng: Random = world.rng
    style = rng.choice(STYLES)
    world.spoken = style == "dictated"
    kind = rng.random()
    history: list[dict[str, Any]] = []
    if kind < FOLLOW_UP:
        first, wish = _try(rng.choice(_FOLLOW_UPS), world)
        history = [turn_of(first, _styled(first, style, rng))]
        wish.tags = (*wish.tags, "followup")
        wish.situation = "followup:" + wish.situation
    elif kind < FOLLOW_UP + COMPOUND:
        wish = _try(compound, world)
    else:
        wish = single(world)
    last = turn_of(wish, _styled(wish, style, rng))
    size = "multi" if len(wish.acts) > 1 else "single" if wish.acts else ""
    tags = tuple(dict.fromkeys((*((size,) if size else ()), *wish.tags, style)))
    return Item(
        identity,
        f"devices/{phone.data['id']}.device.json",
        last["query"],
        tuple(history),
        tuple(last["steps"]),
        tuple(last["calls"]),
        last["response"],
        tags,
        {"situation": wish.situation},
    )


def _try(make: Callable[[World], Any], world: World) -> Any:
    for _ in range(6):
        try:
            return make(world)
        except (Unfit, LookupError):
            continue
    raise Unfit("nothing fits")


def _styled(wish: Wish, style: str, rng: Random) -> str:
    kept = [str(value) for act in wish.acts for value in act.human.values()]
    kept += [str(value) for lookup in wish.lookups for value in lookup.arguments.values()]
    return restyle(wish.text, style, rng, kept)


__all__ = ["LookUp", "compound", "draw_item", "gold_text", "single"]

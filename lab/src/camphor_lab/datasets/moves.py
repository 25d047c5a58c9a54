"""Moves of a conversation: each draws a wish or two, new ones, or such as speak of what the conversation knows.

The gold steps look a person or a thing up by its own name, as `follow_ups` has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from camphor.device.text import search, words
from camphor.device.when import parse_time
from camphor.device.when.fragments import TimeKind, fragments
from camphor.errors import ToolError
from camphor_lab.datasets.bank import choose_split, fill
from camphor_lab.datasets.files import tables_beside
from camphor_lab.datasets.follow_ups import FOLLOW_UPS, change_event, follow
from camphor_lab.datasets.moments import draw_day
from camphor_lab.datasets.situations.messages import TOOLS, person_named, slots
from camphor_lab.datasets.wishes import (
    PROGRAMS,
    GoldAct,
    PersonReference,
    Unfit,
    Wish,
    World,
    at_time,
    contact,
    find,
    look_up_event,
    refer,
    refer_event,
    same,
    saying,
    sentence,
)

_FORGETS = 4  # turns after which nobody says "her" any more
_ORDINALS = ("first", "second", "third", "fourth")
# facts may get an order to assistants written into the record that is asked about, and here the phone is fixed
_NOT_HERE = frozenset(("fact", "fact_elsewhere", "ambiguous"))


@dataclass
class SpokenOf:
    """What a conversation has spoken of, each with the turn in which it last was."""

    turn: int = 0
    person: tuple[int, str] = (-9, "")
    event: tuple[int, str] = (-9, "")
    acted: tuple[int, Wish | None] = (-9, None)

    def know(self, told: tuple[Any, ...], turns: int = _FORGETS) -> bool:
        """Whether something was spoken of in the last turns, and is present enough to be pointed at."""
        return bool(told[1]) and self.turn - int(told[0]) < turns


Move = Callable[[World, SpokenOf], Sequence[Wish]]


def note(talk: SpokenOf, wish: Wish, world: World) -> None:
    """What the conversation has spoken of after a turn."""
    at = talk.turn
    people = [str(act.human[name]) for act in wish.acts for name in ("receiver", "person") if name in act.human]
    if len(set(people)) == 1 or wish.person:
        talk.person = at, people[0] if people else wish.person
    elif people or _names_somebody(wish, world):
        talk.person = at, ""
    if wish.acts:
        talk.acted = at, wish
    events = [str(act.human["event_title"]) for act in wish.acts if act.name == "create_calendar_event"]
    about = [look for look in wish.lookups if look.name == "get_calendar_event" and "theme" in look.arguments]
    if events:
        talk.event = at, events[-1]
    elif about and not any(act.name == "cancel_calendar_event" for act in wish.acts):
        found = search(world.phone.records("calendar", "events"), str(about[0].arguments["theme"]))
        talk.event = at, str(found[0]["title"]) if len(found) == 1 else ""
    elif any(act.name == "cancel_calendar_event" for act in wish.acts):
        talk.event = at, ""


def _names_somebody(wish: Wish, world: World) -> bool:
    said = set(words(wish.text))
    return any(set(words(str(person["name"])[:40])) & said for person in world.people())


# moves


def _fresh(world: World, talk: SpokenOf) -> list[Wish]:
    names = [name for name in PROGRAMS if name not in _NOT_HERE]
    name = world.rng.choices(names, [PROGRAMS[each][0] for each in names])[0]
    return [PROGRAMS[name][1](world)]


def _pair(world: World, talk: SpokenOf) -> list[Wish]:
    first, second = world.rng.choice(FOLLOW_UPS)(world)
    if first.situation == "ambiguous" and str(second.acts[0].human["receiver"]) not in first.response:
        raise Unfit("a third one of that name")
    second.tags = (*second.tags, "reference")
    return [first, second]


def _her(world: World, talk: SpokenOf) -> list[Wish]:
    """The person last spoken of, maybe some turns ago, by a pronoun."""
    if not talk.know(talk.person):
        raise Unfit("nobody spoken of")
    wish = follow(world, talk.person[1], clause=world.rng.random() < 0.5)
    if talk.acted[1] is not None and wish.acts[:1] == talk.acted[1].acts[:1]:
        raise Unfit("the same again")
    return [_pointing(wish, "person")]


def _it(world: World, talk: SpokenOf) -> list[Wish]:
    """The event last spoken of: cancelled, moved, or to be reminded of."""
    last = talk.acted[1]
    if not talk.know(talk.event, 2):
        raise Unfit("no event spoken of")
    if last is not None and talk.acted[0] > talk.event[0] and "time" in last.acts[0].human:
        raise Unfit("a reminder since")
    event = refer_event(world, only=talk.event[1])
    return [_pointing(change_event(world, event), "thing")]


_LISTS: tuple[tuple[str, str, str, str, str, str, str, str], ...] = (
    # situation, app, list, field of the title, field asked by, look-up, what is done, its parameter
    ("list_songs", "music", "songs", "title", "artist", "get_music_playlist", "play_music", "title"),
    ("list_places", "maps", "places", "name", "category", "get_maps_places", "show_maps_place", "name"),
)


def _list_and_pick(world: World, talk: SpokenOf) -> list[Wish]:
    """Several songs, places or events are told, one of them is picked by its place, then perhaps the other."""
    rng = world.rng
    if rng.random() < 0.35:
        return _day_and_pick(world)
    situation, app, kind, title, by, finder, tool, parameter = rng.choice(_LISTS)
    records = world.phone.records(app, kind)
    asked = str(world.pick([record[by] for record in records if record.get(by)]))
    found = search(records, asked)
    if not 2 <= len(found) <= 4 or any(words(asked)[0] not in words(str(record.get(by))) for record in found):
        raise Unfit("no list")
    titles = [str(record[title]) for record in found]
    line = _line(world, situation, "ask")
    reply = fill(_line(world, situation, "reply"), {"list": _listed(titles), by: asked})
    first = saying(situation, line, False, {by: asked}, [find(finder, keyword=asked)], [], response=sentence(reply))
    names = [_ORDINALS[at] for at in range(len(titles))] + ["last"]
    place = rng.choice(names)
    chosen = titles[-1 if place == "last" else names.index(place)]

    def done(what: str, again: str) -> Wish:
        look, act = find(finder, keyword=what), same(tool, **{parameter: what})
        return _pointing(saying(tool, again, False, {}, [look], [act]), "ordinal")

    picking = _line(world, "pick_play" if app == "music" else "pick_place", "ask")
    wishes = [first, done(chosen, fill(picking, {"place": place}))]
    if len(titles) == 2 and rng.random() < 0.6:
        other = next(each for each in titles if each != chosen)
        wishes.append(done(other, _line(world, "other", "ask")))
    return wishes


def _day_and_pick(world: World) -> list[Wish]:
    day, on, _ = draw_day(world.rng, world.now)
    events = [each for each in world.phone.records("calendar", "events") if each["start"][:10] == day.isoformat()]
    titles = [str(each["title"]) for each in events]
    past = any(each["start"] <= world.now.isoformat() for each in events)
    if not 2 <= len(events) <= 4 or len(set(titles)) < len(titles) or past:
        raise Unfit("no list")
    line = _line(world, "list_events", "ask")
    told = _listed([f"{each['title']} at {each['start'][11:16]}" for each in events])
    lookup = find("get_calendar_event", time_range=on.removeprefix("on "))
    reply = sentence(fill(_line(world, "list_events", "reply"), {"list": told}))
    first = saying("list_events", line, False, {"day": on}, [lookup], [], response=reply)
    place = world.rng.choice([*_ORDINALS[: len(titles)], "last"])
    title = titles[-1 if place == "last" else _ORDINALS.index(place)]
    again = _line(world, "pick_event", "ask")
    look = find("get_calendar_event", theme=title)
    act = same("cancel_calendar_event", event_title=title)
    return [first, _pointing(saying("event_cancel", again, False, {"place": place}, [look], [act]), "ordinal")]


def _which_by_place(world: World, talk: SpokenOf) -> list[Wish]:
    """ "Do you mean A or B?" is answered by "the second one"."""
    first, wish = FOLLOW_UPS[0](world)
    name = str(wish.acts[0].human["receiver"])
    people = [str(p["name"]) for p in world.people() if str(p["name"]) in first.response]
    if len(people) != 2 or name not in people:
        raise Unfit("not two")
    people.sort(key=first.response.index)
    place = world.rng.choice(("second", "last"))
    if people.index(name) == 0:
        place = "first"
    line = _line(world, "pick_person", "ask")
    wish.text, wish.skeleton = fill(line, {"place": place}), line
    wish.lookups = [contact(PersonReference(name, name, person_named(world, name)))]
    return [first, _pointing(wish, "ordinal")]


def _instead(world: World, talk: SpokenOf) -> list[Wish]:
    """The last action with somebody else, or at another time."""
    last = talk.acted[1]
    if last is None or talk.turn != talk.acted[0] or len(last.acts) != 1:
        raise Unfit("nothing done just now")
    act = last.acts[0]
    if "time" in act.human:
        moment = world.moment(str(act.human.get("event_title", "")))
        line = _line(world, "instead_time", "ask")
        again = GoldAct(
            act.name, {**act.human, "time": moment.said(line)}, {**act.gold, "time": moment.value.isoformat()}
        )
        acts, lookups = [again], []
        if act.name == "create_calendar_event":
            title = str(act.human["event_title"])
            lookups = [find("get_calendar_event", theme=title)]
            acts.insert(0, same("cancel_calendar_event", event_title=title))
        text = fill(line, {"at": moment.at})
        return [_pointing(Wish("instead_time", text, False, lookups, acts, skeleton=line), "instead")]
    kinds = {tool: (kind, address) for kind, (tool, address) in TOOLS.items()}
    kind, address = kinds.get(act.name, ("call", ""))
    if kind == "call" and act.name != "call_contacts":
        raise Unfit("nobody it is for")
    who = refer(world, having=address)
    parameter = "receiver" if address else "person"
    if who.name == act.human[parameter]:
        raise Unfit("the same person")
    line = _line(world, "instead_person", "ask")
    gold = who.person.get(address) or who.name if address else who.name
    again = GoldAct(act.name, {**act.human, parameter: who.name}, {**act.gold, parameter: gold})
    text = fill(line, slots(world, who))
    return [
        _pointing(
            Wish("instead_person", text, False, [contact(who)], [again], person=who.name, skeleton=line), "instead"
        )
    ]


def _same_time(world: World, talk: SpokenOf) -> list[Wish]:
    """A reminder on another day, at the time that was last used."""
    world.need("reminders")
    last, first = talk.acted[1], []
    if last is None or not talk.know(talk.acted) or len(last.acts) != 1 or "time" not in last.acts[0].human:
        last = PROGRAMS[world.rng.choice(("reminder", "event_new"))][1](world)
        first = [last]
    spoken = str(last.acts[0].human["time"])
    before = datetime.fromisoformat(last.acts[0].gold["time"])
    day, on, _ = draw_day(world.rng, world.now)
    value = datetime.combine(day, before.time())
    clocks = [piece.text.removeprefix("at ") for piece in fragments(spoken, world.now) if piece.kind is TimeKind.CLOCK]
    told = [f"{on.removeprefix('on ')} at {clock}" for clock in sorted(clocks, key=len, reverse=True)]
    human = next((each for each in told if _means(each, value, world.now)), "")
    if not human or value <= world.now or day == before.date():
        raise Unfit("not to be said so")
    said = world.bank.say(world.rng, "task")
    line = _line(world, "same_time", "ask")
    act = at_time("create_reminders", human, value, "content", said.written)
    return [*first, _pointing(saying("same_time", line, False, {"day": on, "task": said.said}, [], [act]), "time")]


def _there(world: World, talk: SpokenOf) -> list[Wish]:
    """Where an event is, and the way there, where the place is saved."""
    world.need("maps")
    places = {str(place["name"]): place for place in world.phone.records("maps", "places")}
    events = [e for e in world.phone.records("calendar", "events") if e.get("location") in places]
    event = refer_event(world, having="location", coming=False, only=str(world.pick(events)["title"]))
    where = str(event.event["location"])
    line = _line(world, "where_event", "ask")
    reply = fill(_line(world, "where_event", "reply"), {"title": event.title, "location": where})
    first = saying(
        "where_event", line, False, {"event": event.said}, [look_up_event(event)], [], response=sentence(reply)
    )
    again = _line(world, "there", "ask")
    look = find("get_maps_places", keyword=where)
    act = same("show_maps_place", name=where)
    return [first, _pointing(saying("there", again, False, {}, [look], [act]), "place")]


def _pointing(wish: Wish, kind: str) -> Wish:
    wish.tags = (*wish.tags, "reference", f"reference:{kind}")
    return wish


MOVES: Mapping[Move, float] = {
    _fresh: 3.0, _pair: 2.0, _her: 2.5, _it: 2.0, _list_and_pick: 2.5, _which_by_place: 1.0, _instead: 2.0,
    _same_time: 2.5, _there: 1.0,
}  # fmt: skip


def _line(world: World, situation: str, key: str) -> str:
    return str(
        world.pick(choose_split(tables_beside(__file__, "bank/conversations.toml")[situation][key], world.bank.split))
    )


def _listed(titles: Sequence[str]) -> str:
    return ", ".join(titles[:-1]) + " and " + titles[-1]


def _means(text: str, value: datetime, now: datetime) -> bool:
    with suppress(ToolError):
        return parse_time(text, now) == value
    return False

"""From wishes to items: single wishes, compounds of several, follow-ups with a history; then style."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from camphor.trajectories.items import Item
from camphor.types import Agent
from camphor_lab.datasets import situations
from camphor_lab.datasets.bank import strings
from camphor_lab.datasets.follow_ups import FOLLOW_UPS, TRIES, follow, single
from camphor_lab.datasets.joins import join
from camphor_lab.datasets.moments import MONTHS, WEEKDAYS
from camphor_lab.datasets.phones import SampledPhone
from camphor_lab.datasets.style import LOWERED, STYLES, as_said, restyle
from camphor_lab.datasets.telling import ExpectedAnswer
from camphor_lab.datasets.wishes import ORDER, PROGRAMS, GoldAct, LookUp, Unfit, Wish, World

assert situations  # importing it fills PROGRAMS
COMPOUND = 0.55
FOLLOW_UP = 0.12
_WRITTEN = frozenset(("content", "event_title"))  # free text, which the assistant begins with a capital
_ALWAYS = {name.lower(): name for name in (*WEEKDAYS, *MONTHS) if name not in ("March", "May")}
SIZES = ((2, 0.25), (3, 0.35), (4, 0.4))


class ClauseWorld(World):
    """A world whose lines are clauses that can be joined."""

    def line(
        self, situation: str, *, clause: bool | None = None, having: str = "", without: str = ""
    ) -> tuple[str, bool]:
        return super().line(situation, clause=True if clause is None else clause, having=having, without=without)


def compound(world: World) -> Wish:
    """Two to four wishes in one query; a clause may speak of the person before it with a pronoun."""
    rng = world.rng
    size = rng.choices([size for size, _ in SIZES], [share for _, share in SIZES])[0]
    inner = ClauseWorld(world.phone, world.bank, rng, world.spoken, world.spread)
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
        join(world.bank, rng, [part.text for part in parts], [part.skeleton for part in parts], clause=parts[0].clause),
        False,
        [lookup for part in parts for lookup in part.lookups],
        [act for part in parts for act in part.acts],
        tags=tuple(dict.fromkeys(("multi", *(tag for part in parts for tag in part.tags)))),
        skeletons=tuple(line for part in parts for line in part.lines),
        app=next((part.app for part in parts if part.app), ""),
    )


def _clash(parts: Sequence[Wish], wish: Wish) -> bool:
    acts = [act for part in parts for act in part.acts]
    if len(acts) + len(wish.acts) > 5 or sum(part.situation == wish.situation for part in parts) >= (
        2 if wish.situation == "message" else 1
    ):
        return True
    themes = {str(look.arguments.get("theme")) for part in parts for look in part.lookups if _of_event(look)}
    if any(str(look.arguments.get("theme")) in themes for look in wish.lookups if _of_event(look)):
        return True  # nobody cancels an event and asks the way to it
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


def _of_event(lookup: LookUp) -> bool:
    return lookup.name == "get_calendar_event" and "theme" in lookup.arguments


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


def answer(acts: Sequence[GoldAct]) -> str:
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


def draw_item(phone: SampledPhone, world: World, identity: str, only: Sequence[str] = ()) -> Item:
    """Draw one item for a phone: with `only`, one wish of one of these situations.

    Raises:
        Unfit: nothing was found that fits.
    """
    rng: Random = world.rng
    style = rng.choice(STYLES)
    world.spoken = style == "dictated"
    kind = 1.0 if only else rng.random()
    history: list[dict[str, Any]] = []
    before: tuple[str, ...] = ()
    if kind < FOLLOW_UP:
        first, wish = _try(rng.choice(FOLLOW_UPS), world)
        history = [turn_of(first, styled(first, style, world))]
        before = first.lines
        wish.tags = (*wish.tags, "followup")
        wish.situation = "followup:" + wish.situation
    elif kind < FOLLOW_UP + COMPOUND:
        wish = _try(compound, world)
    else:
        wish = single(world, only)
    last = turn_of(wish, styled(wish, style, world, later=bool(history)))
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
        {
            "situation": wish.situation,
            **({"app": wish.app} if wish.app else {}),
            **({"answer": told.to_json(phone.data)} if (told := told_of(wish)) else {}),
            "skeletons": [*before, *wish.lines],
        },
    )


_NOT_MET = frozenset(("impossible", "ambiguous", "incomplete"))


def told_of(wish: Wish) -> ExpectedAnswer | None:
    """What a right answer says; of a wish that cannot be met, that it cannot or asks back."""
    if wish.told is None and not wish.acts and _NOT_MET.intersection(wish.tags):
        return ExpectedAnswer(abstain=True)
    return wish.told


def _try(make: Callable[[World], Any], world: World) -> Any:
    for _ in range(6):
        try:
            return make(world)
        except (Unfit, LookupError):
            continue
    raise Unfit("nothing fits")


def styled(wish: Wish, style: str, world: World, *, later: bool = False) -> str:
    """The query in a style; free texts of the wish's actions are put into the words that it leaves."""
    kept = [str(value) for act in wish.acts for value in act.human.values()]
    kept += [str(value) for lookup in wish.lookups for value in lookup.arguments.values()]
    query = restyle(wish.text, style, world.rng, kept, later=later)
    if style in LOWERED:
        people = world.phone.records("contacts", "people")
        names = {part for person in people for part in str(person["name"]).split()}
        known = set(strings(world.phone.data["apps"]))
        wish.acts = [in_words_of(query, style, act, known, names) for act in wish.acts]
    return query


def in_words_of(query: str, style: str, act: GoldAct, known: Collection[str], names: Collection[str]) -> GoldAct:
    """The action with its free texts as the restyled query has them; gold takes both, the said one first.

    Args:
        known: texts of the phone's records, which stay as they are there.
        names: capitalised words that an assistant knows: of the contacts.
    """
    human, gold = dict(act.human), dict(act.gold)
    for name, value in act.human.items():
        copied = gold.get(name) == value or isinstance(gold.get(name), dict)
        if not isinstance(value, str) or value in known or not copied:
            continue
        said = as_said(value, style)
        if said == value or said.lower() not in query.lower():
            continue
        written = _capitals(said, names) if name in _WRITTEN else said
        if written != value:
            human[name] = written
            options = gold[name]["any_of"] if isinstance(gold[name], dict) else [gold[name]]
            gold[name] = {"any_of": [written, *(option for option in options if option != written)]}
    return replace(act, human=human, gold=gold)


def _capitals(text: str, names: Collection[str]) -> str:
    known = {**{name.lower(): name for name in names}, **_ALWAYS, "i": "I"}
    text = re.sub(r"[^\W\d_]+", lambda found: known.get(found.group(), found.group()), text)
    return text[:1].upper() + text[1:]

"""A wish that no action of the phone meets: a timer on a phone that has none, a reminder that is to be deleted.

What no action does to a thing ("cancel my reminder about the bike") is said to be so, and the thing that was meant is
shown: a small model takes it for the nearest wish that it knows.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from camphor.agents.answers import list_findings
from camphor.agents.gate.words import plain, spaced
from camphor.agents.lookup_fallback import keyword_parameter, telling
from camphor.agents.parts import Part, lexicon, parts_of
from camphor.agents.policies.base import Policy, Question, Situation
from camphor.agents.wants import Seek, Want
from camphor.device.text import words
from camphor.tools.tool import Kind, Toolbox
from camphor.types import Call, Observation

Record = Mapping[str, Any]
MAKE, _SHOW = "make", "show"
WORD = re.compile(r"[a-z0-9]+(?:['.:-][a-z0-9]+)*|[^\w\s]")


@dataclass(frozen=True)
class ThingWish:
    """What a part of a query wants of a thing: the name of the act and as it was said, the name of the thing.

    `about`: the thing as the person calls it, with what it is about.
    """

    act: str
    said: str
    thing: str
    about: str
    part: Part


@dataclass(frozen=True)
class _ThingWords:
    """`missing_action.toml`, read.

    Attributes:
        wish: what a wish begins with. acts, things: their names, by word. actions: words of a thing's tools.
        about: before these the name of a thing ends, but for those of `pointing` at its start.
        places: before the list that something is taken from. told: sentences. plurals: by thing.
    """

    wish: re.Pattern[str]
    acts: Mapping[str, str]
    things: Mapping[str, str]
    actions: Mapping[str, frozenset[str]]
    about: frozenset[str]
    pointing: frozenset[str]
    places: tuple[str, ...]
    remind: re.Pattern[str]
    told: Mapping[str, str]
    plurals: Mapping[str, str]


def no_action_for(query: str, follows: bool, calls: Sequence[Call], toolbox: Toolbox) -> ThingWish | None:
    """A wish for a thing that no action of the phone meets; None where there is none, or the agents know better.

    Another action may stand for the making of a thing, and what another part of the query asks for is done.
    """
    if calls and follows:
        return None
    wishes = list(wishes_for_things(query, follows))
    unmet = [each for each in wishes if each.act != _SHOW and not _met(each, toolbox)]
    others = any(part.orders for part in parts_of(query, follows) if part not in {each.part for each in unmet})
    return next((each for each in unmet if not calls or (each.act != MAKE and not others)), None)


def wishes_for_things(query: str, follows: bool = False) -> Iterator[ThingWish]:
    """The parts of a query that begin with an act and name a thing as its object: "delete the reminder about ..."."""
    known = thing_words()
    for part in parts_of(query, follows):
        text = plain(part.text)
        found = known.wish.match(text)
        if found is None:
            continue
        rest, act = text[found.end() :], known.acts[found["act"]]
        thing = _object(rest) or (_kept_in(rest) if act not in (MAKE, _SHOW) else "")
        if thing:
            yield ThingWish(act, found["act"], thing, rest.strip(), part)


def _object(text: str) -> str:
    """The thing that a text begins with the name of: its last word before what it is about; "" for none."""
    known, last = thing_words(), ""
    for word in WORD.findall(text):
        if not word[0].isalnum() or (word in known.about and (last or word not in known.pointing)):
            break
        last = word
    return known.things.get(last, "")


def _kept_in(text: str) -> str:
    """The thing from whose list something is taken; "" for none."""
    places = "|".join(thing_words().places)
    found = re.search(rf"\b(?:{places}) (?=(?:my|the|our) )", text)
    return _object(text[found.end() :]) if found else ""


def _met(wish: ThingWish, toolbox: Toolbox) -> bool:
    """Whether an action of the phone does to a thing what is wished, by the words of its name."""
    known = thing_words()
    for tool in toolbox:
        if tool.kind is not Kind.ACTION:
            continue
        name = set(spaced(tool.name).split())
        if known.actions[wish.thing] & name and (
            wish.act == MAKE or any(known.acts.get(word) == wish.act for word in name)
        ):
            return True
    return False


def look_ups(wish: ThingWish, toolbox: Toolbox) -> tuple[Call, ...]:
    """For each word that tells which thing is meant its look-up in the list of such things; none for a new one."""
    known = thing_words()
    if wish.act == MAKE:
        return ()
    tools = (
        tool
        for tool in toolbox
        if keyword_parameter(tool) and known.actions[wish.thing] & set(spaced(tool.name).split())
    )
    tool = next(tools, None)
    said = [word for word in dict.fromkeys(words(wish.about)) if telling(word) - known.about - known.things.keys()]
    return tuple(Call(tool.name, {keyword_parameter(tool): word}) for word in said) if tool else ()


def meant(found: Sequence[Observation]) -> tuple[Record, ...]:
    """The records that most of some look-ups found."""
    every = [record for each in found for record in each.records]
    times = [every.count(record) for record in every]
    return tuple(record for at, record in enumerate(every) if times[at] == max(times) and every.index(record) == at)


@lru_cache(maxsize=1)
def thing_words() -> _ThingWords:
    """The words of `missing_action.toml`, read once."""
    raw: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    acts = {said: act for act, listed in raw["acts"].items() for said in listed.split("|")}
    fillers = "|".join(map(re.escape, lexicon().fillers))
    said = "|".join(map(re.escape, sorted(acts, key=len, reverse=True)))
    things = {word: name for name, thing in raw["things"].items() for word in thing["words"].split()}
    return _ThingWords(
        re.compile(rf"\W*(?:(?:{fillers}|{raw['opening']['pattern'].strip()})\b\W*)*(?P<act>{said})(?![\w'-])"),
        acts,
        things,
        {
            name: frozenset(f"{thing['words']} {thing.get('alike', '')}".split())
            for name, thing in raw["things"].items()
        },
        frozenset(raw["about"]["words"].split()),
        frozenset(raw["about"]["pointing"].split()),
        tuple(raw["about"]["place"].split()),
        re.compile(raw["remind"]["pattern"].strip()),
        raw["told"],
        {name: thing.get("plural", f"{name}s") for name, thing in raw["things"].items()},
    )


def _revise(situation: Situation, calls: tuple[Call, ...]) -> Generator[Want, Any, tuple[Call, ...] | Question]:
    wish = no_action_for(situation.query, bool(situation.history), calls, situation.toolbox)
    if wish is None:
        return calls
    known = thing_words()
    sentence = known.told["unmet"].format(act=wish.said, things=known.plurals[wish.thing])
    sought = look_ups(wish, situation.toolbox)
    seen = meant((yield Seek(sought))) if sought else ()
    found = list_findings((Observation(sought[0], seen),), situation.now.year) if seen else ""
    return Question(f"{sentence} {found}".strip())


MISSING_ACTION = Policy("missing_action", _revise)

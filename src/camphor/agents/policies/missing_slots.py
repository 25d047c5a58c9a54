"""A wish that lacks what it takes: a reminder that nobody gave a time, a timer on a phone that has none.

"Remind me to repot the aloe" is asked about, whatever the model makes of it: of 38 such wishes in training data,
hand-written and generated, for which nothing is looked up, none is acted on. What no action of the phone does to a
thing ("cancel my reminder about the bike") is said to be so, and the thing that was meant is shown: a small model takes
it for the nearest wish that it knows.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from camphor.agents.answers import list_findings
from camphor.agents.lookup_fallback import keyword_parameter, telling
from camphor.agents.parts import Part, PartKind, lexicon, parts_of
from camphor.agents.policies.base import Policy, Question, Situation
from camphor.agents.wants import Seek, Want
from camphor.device.text import fold, words
from camphor.device.when.fragments import fragments
from camphor.tools.tool import Kind, Tool, Toolbox
from camphor.types import Call, Observation, Turn

Record = Mapping[str, Any]
_TOOL = "create_reminders"
_MAKE, _SHOW = "make", "show"
_ASKS = re.compile(r"^\W*(?:what|which|when|where|who|how|do|did|is|are|was|have|has|any|show|list)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]+(?:['.:-][a-z0-9]+)*|[^\w\s]")
_IDLE = frozenset({PartKind.NEGATED, PartKind.DECIDED_NOT, PartKind.PAST, PartKind.QUESTION, PartKind.THANKS})


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
    """`missing_slots.toml`, read.

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


def lacks_time(turn: Turn, history: Sequence[Turn], toolbox: Toolbox, now: datetime) -> str:
    """A question back where a reminder is wished for and neither the query nor anything found says when; "" elsewhere.

    In a conversation the time may have been said before, and the agents decide.
    """
    query, known = turn.query, thing_words()
    if history or _TOOL not in toolbox or _ASKS.search(query):
        return ""
    wishes = list(wishes_for_things(query))
    others = {wish.part for wish in wishes if wish.thing == "reminder" and wish.act != _MAKE}
    made = any(wish.act == _MAKE and "reminder" in known.actions[wish.thing] for wish in wishes)
    named = any(
        known.things.get(word) == "reminder"
        for part in parts_of(query)
        if part not in others and part.kind not in _IDLE
        for word in _WORD.findall(_plain(part.text))
    )
    if not named and not made and not known.remind.search(_plain(query)):
        return ""
    found = any(each.records for step in turn.steps for each in step.observations)
    return "" if found or fragments(query, now) else known.told["time"]


def no_action_for(query: str, follows: bool, calls: Sequence[Call], toolbox: Toolbox) -> ThingWish | None:
    """A wish for a thing that no action of the phone meets; None where there is none, or the agents know better.

    Another action may stand for the making of a thing, and what another part of the query asks for is done.
    """
    if calls and follows:
        return None
    wishes = list(wishes_for_things(query, follows))
    unmet = [each for each in wishes if each.act != _SHOW and not _met(each, toolbox)]
    others = any(part.orders for part in parts_of(query, follows) if part not in {each.part for each in unmet})
    return next((each for each in unmet if not calls or (each.act != _MAKE and not others)), None)


def wishes_for_things(query: str, follows: bool = False) -> Iterator[ThingWish]:
    """The parts of a query that begin with an act and name a thing as its object: "delete the reminder about ..."."""
    known = thing_words()
    for part in parts_of(query, follows):
        text = _plain(part.text)
        found = known.wish.match(text)
        if found is None:
            continue
        rest, act = text[found.end() :], known.acts[found["act"]]
        thing = _object(rest) or (_kept_in(rest) if act not in (_MAKE, _SHOW) else "")
        if thing:
            yield ThingWish(act, found["act"], thing, rest.strip(), part)


def _object(text: str) -> str:
    """The thing that a text begins with the name of: its last word before what it is about; "" for none."""
    known, last = thing_words(), ""
    for word in _WORD.findall(text):
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
        name = _name_words(tool)
        if known.actions[wish.thing] & name and (
            wish.act == _MAKE or any(known.acts.get(word) == wish.act for word in name)
        ):
            return True
    return False


def _name_words(tool: Tool) -> set[str]:
    return set(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", tool.name).replace("_", " ").casefold().split())


def look_ups(wish: ThingWish, toolbox: Toolbox) -> tuple[Call, ...]:
    """For each word that tells which thing is meant its look-up in the list of such things; none for a new one."""
    known = thing_words()
    if wish.act == _MAKE:
        return ()
    tools = (tool for tool in toolbox if keyword_parameter(tool) and known.actions[wish.thing] & _name_words(tool))
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
    """The words of `missing_slots.toml`, read once."""
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


def _plain(text: str) -> str:
    return " ".join(fold(text).replace("’", "'").split())


def _revise(situation: Situation, calls: tuple[Call, ...]) -> Generator[Want, Any, tuple[Call, ...] | Question]:
    turn, history = situation.turn, situation.history
    wish = no_action_for(turn.query, bool(history), calls, situation.toolbox)
    if wish is not None:
        known = thing_words()
        sentence = known.told["unmet"].format(act=wish.said, things=known.plurals[wish.thing])
        calls = look_ups(wish, situation.toolbox)
        seen = meant((yield Seek(calls))) if calls else ()
        found = list_findings((Observation(calls[0], seen),), situation.now.year) if seen else ""
        return Question(f"{sentence} {found}".strip())
    question = lacks_time(turn, history, situation.toolbox, situation.now)
    return Question(question) if question else calls


MISSING_SLOTS = Policy("missing_slots", _revise)

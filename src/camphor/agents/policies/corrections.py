"""What a person puts right in the action before: "no, Nora", "make it six", "sorry, 24", "Ogilvie I meant".

Such a reply has a new value and, beside it, only words that put right (`corrections.toml`) and perhaps a reason. The
last action is then done again with that one value changed and all else as it was, whatever the model makes of it. A
message that was sent stays sent; an event is moved.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from camphor.agents.parts import orders
from camphor.agents.policies.base import Policy, Situation
from camphor.agents.policies.time_completion import meant_beside, moment_of
from camphor.agents.references import contacts_tool, moment
from camphor.agents.wants import Seek, Want
from camphor.device.people import find_people
from camphor.device.text import fold, words
from camphor.device.when import show_time
from camphor.device.when.clocks import length_of
from camphor.device.when.fragments import fragments
from camphor.device.when.lexicon import canonical
from camphor.tools.tool import PERSON_ROLES, Parameter, Role, Tool
from camphor.types import Agent, Call

_LONGEST = 14  # words of a correction with its reason
_CANCEL, _FIND, _TITLE = "cancel_calendar_event", "get_calendar_event", "event_title"
_TIMES = (Role.TIME, Role.DATE)
_SEGMENT = re.compile(r"[,;!?\n\u2013\u2014]+|\.(?!\d)|\s(?=not\s)")
_PART_OF_HOUR = re.compile(r"(half|quarter) past", re.IGNORECASE)
_MINUTES = {"half": 30, "quarter": 15}


@dataclass(frozen=True)
class _Last:
    """The one action of the turn before: as it was written, as it was understood, and its tool."""

    written: Call
    done: Call
    tool: Tool


@dataclass(frozen=True)
class _Segment:
    """A stretch of a reply: what is left of it without the words that put right, and whether it had any."""

    rest: str
    cued: bool


def corrected(situation: Situation, calls: tuple[Call, ...]) -> Generator[Want, Any, tuple[Call, ...]]:
    """The last action with the one value changed that a reply puts right; the calls as they are where it is none."""
    query = situation.query
    last = _last(situation)
    if last is None or len(words(query)) > _LONGEST or query.rstrip().endswith("?"):
        return calls
    segments = list(_segments(query, last))
    cued = any(segment.cued for segment in segments)
    again = {call.name for call in calls} <= {last.done.name, _CANCEL}
    for at, segment in enumerate(segments):
        beside = [each.rest for each in (*segments[:at], *segments[at + 1 :])]  # why, if it orders nothing
        if not segment.rest or not (cued or again) or any(orders(each) for each in beside):
            continue
        value = yield from _changed(segment.rest, last, situation, cued=cued)
        if value:
            return (yield from _moved(Call(last.done.name, {**last.done.arguments, **value}), last, situation))
    return calls


def _changed(said: str, last: _Last, situation: Situation, *, cued: bool) -> Generator[Want, Any, dict[str, Any]]:
    """The one argument that a stretch of a reply changes, with its new value; none where it says no value."""
    read = {each.name: _value(said, each, last, situation.now) for each in last.tool.parameters}
    new = {name: value for name, value in read.items() if value not in (None, last.done.arguments.get(name))}
    if new:
        return new if len(new) == 1 else {}  # of two that could have it none is changed
    for parameter in last.tool.parameters:
        named = cued and parameter.role in PERSON_ROLES
        if named and (name := (yield from _person(said, parameter, last, situation))):
            return {parameter.name: name}
    return {}


def _last(situation: Situation) -> _Last | None:
    steps = situation.history[-1].steps if situation.history else ()
    acted = [
        (written, found.call if found else written)
        for step in steps
        if step.agent is Agent.TASK
        for written, found in zip(step.calls, step.observations or (None,) * len(step.calls), strict=True)
        if found is None or found.error is None
    ]
    made = [each for each in acted if not each[0].name.startswith("cancel")]
    if len(made) != 1 or made[0][0].name not in situation.toolbox:
        return None
    written, done = made[0]
    return _Last(written, done, situation.toolbox.get(done.name))


def _segments(query: str, last: _Last) -> Iterator[_Segment]:
    """The stretches of a reply; "not 25" after the new value, and before it, says the old one and is left out."""
    old = {word for value in last.done.arguments.values() for word in words(canonical(str(value)))}
    for text in _SEGMENT.split(query):
        rest, cued = _without_phrases(text)
        if fold(text).split()[:1] == ["not"] and (set(words(canonical(rest))) & old or not rest):
            rest = ""
        if cued or rest:
            yield _Segment(rest, cued)


def _without_phrases(text: str) -> tuple[str, bool]:
    said = " ".join(text.replace("\u2019", "'").split())
    cues, others = _phrases()
    rest, cued = cues.subn(" ", said)
    rest = " ".join(rest.split()).strip(" '\"")
    while (shorter := others.sub("", rest).strip(" '\"")) != rest:
        rest = shorter
    return rest, bool(cued)


@lru_cache(maxsize=1)
def _phrases() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What puts right, anywhere; and what says nothing, at the beginning or the end."""
    tables = tomllib.loads((Path(__file__).parent / "corrections.toml").read_text(encoding="utf-8"))
    longest = sorted((*tables["cues"], *tables["changes"]), key=len, reverse=True)
    cues = "|".join(re.escape(each) for each in longest)
    fillers = "|".join(re.escape(each) for each in sorted(tables["fillers"], key=len, reverse=True))
    return (
        re.compile(rf"(?<!\w)(?:{cues})(?!['\w])", re.IGNORECASE),
        re.compile(rf"^(?:{fillers})(?!['\w])|(?<!\w)(?:{fillers})$", re.IGNORECASE),
    )


def _value(said: str, parameter: Parameter, last: _Last, now: datetime) -> Any:
    """The new value of a parameter where all that was said is one; None where it is none."""
    if parameter.role in _TIMES:
        return _time(said, parameter, last, now)
    if parameter.enum:
        return next((each for each in parameter.enum if fold(str(each)) == fold(said)), None)
    numeric = {"integer", "number"} & set(parameter.type.split("|"))
    if numeric and (found := re.fullmatch(r"(\d+(?:\.\d+)?)(?: \w+)?", canonical(said))):
        number = float(found[1])
        return int(number) if number.is_integer() else number
    return None


def _time(said: str, parameter: Parameter, last: _Last, now: datetime) -> str | None:
    """When the last action is to be, by a reply that is all time: an hour of its day, its hour on another day."""
    text = canonical(said)
    start = moment_of(last.done.arguments.get(parameter.name))
    if (part := _PART_OF_HOUR.fullmatch(text)) and start:
        return show_time(start.replace(minute=_MINUTES[part[1].lower()]), now.year)
    counted = str(last.written.arguments.get(parameter.name, "")).casefold().startswith("in ")
    if length_of(text):
        return f"in {text}" if counted else None
    whole = said if any(each.text == said for each in fragments(said, now)) else f"at {said}"
    if not (any(each.text in (said, whole) for each in fragments(whole, now)) or re.fullmatch(r"\d{1,2}", text)):
        return None
    at = meant_beside(said, start, now) if start else moment(whole, now)
    return show_time(at, now.year) if at and at >= now else said if moment(said, now) else None


def _person(said: str, parameter: Parameter, last: _Last, situation: Situation) -> Generator[Want, Any, str]:
    """Whom a reply names in place of the last action's; "" where it names nobody, or several."""
    tool, name = contacts_tool(situation.toolbox)
    if not tool:
        return ""
    found = yield Seek((Call(tool, {name: said}),))
    people = [record for each in found for record in each.records]
    before = str(last.done.arguments.get(parameter.name, ""))
    meant = [each for each in find_people(said, people) if each not in find_people(before, people)]
    return str(meant[0]["name"]) if len(meant) == 1 else ""


def _moved(call: Call, last: _Last, situation: Situation) -> Generator[Want, Any, tuple[Call, ...]]:
    """An event that was made before is cancelled when it is made anew."""
    title = last.done.arguments.get(_TITLE)
    if not title or not {_CANCEL, _FIND} <= {tool.name for tool in situation.toolbox}:
        return (call,)
    found = yield Seek((Call(_FIND, {"theme": str(title)}),))
    there = any(record.get("title") == title for each in found for record in each.records)
    return (Call(_CANCEL, {_TITLE: title}), call) if there else (call,)


CORRECTIONS = Policy("corrections", corrected)

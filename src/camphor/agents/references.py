"""What the words of a follow-up point back at: "her", "it", "the second one", "the other one", "there", "same time".

Code resolves what the conversation leaves no doubt about: the person or the thing last spoken of, the one of a list
last shown, the time last used. It then looks the thing up by its own name, as the gold steps of a follow-up do, so that
the model goes on from a step of a form that it knows; and it puts right what a call says otherwise. Where nothing is
pointed at, or several could be, nothing is done and the agents decide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from camphor.agents.lookup_fallback import keyword_parameter
from camphor.device.people import find_people
from camphor.device.text import words
from camphor.device.when import parse_time, show_time
from camphor.device.when.fragments import TimeKind, fragments
from camphor.errors import ToolError
from camphor.tools.tool import PERSON_ROLES, Role, Toolbox
from camphor.types import Agent, Call, Observation, Turn

_THING_ROLES = (Role.REFERENCE, Role.NAME)
_BACK = 3  # turns
_TITLES = ("name", "title", "subject", "item", "content")
Record = Mapping[str, Any]

_TO = (
    r"(?:call|ring|phone|dial|text|message|tell|ask|email|e-mail|mail|write(?: to)?|send(?: .{1,60}?)? to|send"
    r"|let|remind|"
    r"give|invite|with|for|inform|warn|thank|contact|reach|get|answer|reply to|plus|same to|to)"
)
# "her" and "his" before a noun are hers or his, and ask about nobody but the person
_HERS = (
    r"(?! (?!(?:that|to|if|when|what|where|a|an|the|i|i'm|about|and|at|on|in|too|also|again|back|now|please|instead|"
    r"know|my)\b)\w)"
)
_PERSON = re.compile(
    rf"\b{_TO} (?:him|them|her{_HERS})\b|\b(?:the )?same person\b|^(?:and |oh,? |so )*(?:he|she) (?:should|might"
    rf"|needs|wants)\b|"
    r"\b(?:what|when|where)(?:'s| is) (?:her|his|their) (?:phone |mobile )?(?:number|email|e-mail|address|mail"
    r"|birthday)\b",
    re.IGNORECASE,
)
_IT = r"(?: me)? (?:it|that one|this one|that|this)\b(?! (?:is|was|i|we|he|she|they|my|the|to my)\b)"
_EVENT = re.compile(
    r"\b(?:cancel|delete|remove|drop|scrap|bin|wipe|ditch|move|push|shift|bump|reschedule|change|postpone|kill|skip|set|"
    rf"put|take){_IT}|\b(?:before|after|ahead of) (?:it|that)\b|"
    r"\b(?:make (?:it|that)|(?:it|that) (?:should|has to|must|needs to|had better) be|(?:can|could) (?:it|that) be)\b|"
    r"\b(?:minutes?|mins?|hours?|days?) (?:before(?:hand)?|ahead|earl(?:y|ier)|in advance|prior)"
    r"(?:,|\.|!|$| please| then)",
    re.IGNORECASE,
)
_THING = re.compile(
    rf"\b(?:play|start|show|open|map|order|buy|download|install|hear|pull|bring|see|put|take){_IT}", re.IGNORECASE
)
_NTH = "first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th|other|former|latter"
_ORDINAL = re.compile(
    rf"\b(?:(?P<place>{_NTH}) (?:one\b(?! (?:who|that|at|on|in|for)\b)|of (?:them|those|these|the two)\b)"
    rf"|the (?P<alone>{_NTH})(?=\W*$|,| please| then| thanks)|number (?P<number>one|two|three|four))",
    re.IGNORECASE,
)
_PLACES = {
    "first": 0, "1st": 0, "former": 0, "one": 0, "second": 1, "2nd": 1, "latter": 1, "two": 1, "third": 2, "3rd": 2,
    "three": 2, "fourth": 3, "4th": 3, "four": 3, "fifth": 4, "5th": 4, "last": -1,
}  # fmt: skip
_THERE = re.compile(
    r"\b(?:get|take me|go|drive|walk|directions|way|route|show me|navigate|bring me"
    r"|how far is it)(?: .{1,20}?)? there\b",
    re.IGNORECASE,
)
_SAME_TIME = re.compile(r"\b(?:the |that )?same (?:time|hour)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Pointed:
    """What a follow-up points at: a record by its title, and the look-up that finds it by that.

    `person`: whether it is somebody.
    """

    title: str
    look_up: Call | None
    person: bool


def pointed_at(query: str, history: Sequence[Turn], toolbox: Toolbox) -> tuple[Pointed, ...]:
    """What the words of a query point back at; nothing where that is not clear."""
    if not history:
        return ()
    if place := _ORDINAL.search(query):
        said = place["place"] or place["alone"] or place["number"]
        one = _of_list(said.casefold(), history, toolbox)
        if one:
            return (one,)
    found = []
    if _PERSON.search(query) and (person := _last_person(history, toolbox)):
        found.append(person)
    if _THERE.search(query):
        if place_there := _last_place(history, toolbox):
            found.append(place_there)
    elif _points_at_thing(query) and (thing := _last_thing(history, toolbox, event=not _THING.search(query))):
        found.append(thing)
    return tuple(found)


def put_right(
    calls: Sequence[Call],
    turn: Turn,
    pointed: Sequence[Pointed],
    history: Sequence[Turn],
    toolbox: Toolbox,
    now: datetime,
) -> tuple[Call, ...]:
    """The calls with what the query points at in the place of what it does not say."""
    told = set(words(turn.query))
    found = [record for step in turn.steps for each in step.observations for record in each.records]
    settled = [_pointing(call, pointed, told, found, toolbox) for call in calls]
    if _SAME_TIME.search(turn.query) and (last := last_time(history, toolbox)):
        settled = [_timed(call, last, turn.query, toolbox, now) for call in settled]
    return tuple(settled)


# what was last spoken of


def _last_person(history: Sequence[Turn], toolbox: Toolbox) -> Pointed | None:
    """Who was last written to, found or told of, if it was one person."""
    for turn in list(reversed(history))[:_BACK]:
        people = {str(r["name"]): r for each in _looked_up(turn) for r in each.records if is_person(r)}
        spoken_of = list(people) or _told_of(turn)
        named = _addressed(turn, list(people.values()), toolbox) or (
            spoken_of if len(spoken_of) == 1 else [name for name in spoken_of if name in turn.response]
        )
        if len(named) == 1:
            finder = _finder(turn, named[0], toolbox) if named[0] in people else ""
            return Pointed(named[0], _by_name(named[0], finder or contacts_tool(toolbox)[0], toolbox), True)
        if named or spoken_of:
            return None
    return None


def _told_of(turn: Turn) -> list[str]:
    """The people whom a turn found in records and told of: who wrote, who comes to an event."""
    fields = ("contact", "sender", "participants", "organizer")
    values = [record.get(name) for each in _looked_up(turn) for record in each.records for name in fields]
    names = [name for value in values for name in (value if isinstance(value, list | tuple) else [value])]
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and name and name in turn.response))


def _addressed(turn: Turn, people: Sequence[Record], toolbox: Toolbox) -> list[str]:
    """Whom the turn's actions were for, by name."""
    names: dict[str, None] = {}
    for call in _actions(turn, toolbox):
        for parameter in toolbox.get(call.name).parameters:
            value = str(call.arguments.get(parameter.name, ""))
            if parameter.role in PERSON_ROLES and re.search(r"[^\W\d_]", value) and "@" not in value:
                meant = find_people(value, people)
                names[str(meant[0]["name"]) if len(meant) == 1 else value] = None
    return list(names)


def _points_at_thing(query: str) -> bool:
    return bool(_THING.search(query) or _EVENT.search(query))


def _last_thing(history: Sequence[Turn], toolbox: Toolbox, *, event: bool) -> Pointed | None:
    """What was last acted on or found, if it was one thing; only events for what is only done with events."""
    for turn in list(reversed(history))[:_BACK]:
        acted = _actions(turn, toolbox)
        for call in reversed(acted):
            tool = toolbox.get(call.name)
            named = [p.name for p in tool.parameters if p.role in _THING_ROLES or p.name == "event_title"]
            title = str(call.arguments.get(named[0], "")) if len(named) == 1 else ""
            if title and "cancel" not in call.name and (not event or named[0] == "event_title"):
                finder = _finder(turn, title, toolbox) or _of_app(tool.app, toolbox)
                return Pointed(title, _by_name(title, finder, toolbox), False)
        if any(p.role is Role.TIME for call in acted for p in toolbox.get(call.name).parameters):
            return None  # "it" is a reminder, of which nothing is looked up
        found = [record for each in _looked_up(turn) for record in each.records if not is_person(record)]
        things = [title for r in found if (title := title_of(r)) and (not event or r.get("start"))]
        told = things if len(things) == 1 else [title for title in things if title in turn.response]
        if len(told) == 1:
            return Pointed(told[0], _by_name(told[0], _finder(turn, told[0], toolbox), toolbox), False)
        if things:
            return None
    return None


def _last_place(history: Sequence[Turn], toolbox: Toolbox) -> Pointed | None:
    """Where what was last spoken of is: a saved place, or the place of an event."""
    for turn in list(reversed(history))[:_BACK]:
        records = [record for each in _looked_up(turn) for record in each.records if not is_person(record)]
        told = [r for r in records if len(records) == 1 or (title_of(r) and title_of(r) in turn.response)]
        places = {str(r.get("location") or (r.get("name") if r.get("address") else "") or "") for r in told} - {""}
        if len(places) == 1:
            name = places.pop()
            finder = next((tool.name for tool in toolbox if tool.app == "maps" and keyword_parameter(tool)), "")
            return Pointed(name, _by_name(name, finder, toolbox), False)
        if records:
            return None
    return None


def _of_list(place: str, history: Sequence[Turn], toolbox: Toolbox) -> Pointed | None:
    """The one of the list last shown that an ordinal means; "other" of two, when one of them was the matter since."""
    for age, turn in enumerate(list(reversed(history))[:_BACK]):
        shown = _shown(turn)
        if len(shown) < 2:
            continue
        if place == "other":
            later = " ".join(f"{each.query} {each.response}" for each in history[len(history) - age :])
            acted = later + " " + " ".join(str(v) for c in _actions(turn, toolbox) for v in c.arguments.values())
            left = [title for title in shown if title not in acted]
            title = left[0] if len(shown) == 2 and len(left) == 1 else ""
        else:
            at = _PLACES[place]
            title = list(shown)[at] if at < len(shown) else ""
        if not title:
            return None
        person = is_person(shown[title])
        return Pointed(title, _by_name(title, _finder(turn, title, toolbox), toolbox), person)
    return None


def _shown(turn: Turn) -> dict[str, Record]:
    """What a turn listed, by title: in the order in which the answer names it, where it names several."""
    listed: dict[str, Record] = {}
    for each in _looked_up(turn):
        if len(each.records) > 1:
            listed = {title: record for record in each.records if (title := title_of(record))}
    named = sorted((title for title in listed if title in turn.response), key=turn.response.index)
    return {title: listed[title] for title in named} if len(named) > 1 else listed


def title_of(record: Record) -> str:
    """What a record is called; "" if it has no name of its own."""
    return next((str(record[key]) for key in _TITLES if isinstance(record.get(key), str) and record[key]), "")


def is_person(record: Record) -> bool:
    return bool(record.get("name")) and ("relationship" in record or "phone_number" in record or "person_id" in record)


def _looked_up(turn: Turn) -> list[Observation]:
    return [found for step in turn.steps if step.agent is Agent.CONTEXT for found in step.observations]


def _actions(turn: Turn, toolbox: Toolbox) -> list[Call]:
    calls = [
        (c, o)
        for step in turn.steps
        if step.agent is Agent.TASK
        for c, o in zip(step.calls, step.observations, strict=True)
    ]
    return [call for call, found in calls if found.error is None and call.name in toolbox]


# look-ups by name


def _finder(turn: Turn, title: str, toolbox: Toolbox) -> str:
    """The tool that found the record of that title in a turn; "" if none did."""
    for each in _looked_up(turn):
        if any(title_of(record) == title for record in each.records) and each.call.name in toolbox:
            return each.call.name
    return ""


def contacts_tool(toolbox: Toolbox) -> tuple[str, str]:
    """The tool that finds people by words, and its parameter that takes them; "" and "" if there is none."""
    found = ((tool.name, keyword_parameter(tool)) for tool in toolbox if tool.app == "contacts")
    return next((each for each in found if each[1]), ("", ""))


def _of_app(app: str, toolbox: Toolbox) -> str:
    return next((tool.name for tool in toolbox if tool.app == app and keyword_parameter(tool)), "")


def _by_name(title: str, tool: str, toolbox: Toolbox) -> Call | None:
    parameter = keyword_parameter(toolbox.get(tool)) if tool else ""
    return Call(tool, {parameter: title}) if parameter else None


# what calls say otherwise


def _pointing(
    call: Call, pointed: Sequence[Pointed], told: set[str], found: Sequence[Record], toolbox: Toolbox
) -> Call:
    """The call with who or what is pointed at, where its own value is not what the query says."""
    if call.name not in toolbox:
        return call
    arguments, tool = dict(call.arguments), toolbox.get(call.name)
    for each in pointed:
        roles = PERSON_ROLES if each.person else _THING_ROLES
        ours = each.person or (each.look_up is not None and toolbox.get(each.look_up.name).app == tool.app)
        for parameter in tool.parameters:
            value = str(arguments.get(parameter.name, ""))
            if not ours or parameter.role not in roles or not value or told & set(words(value)):
                continue
            same = [record for record in found if title_of(record) == each.title]
            names = {
                str(v).casefold() for record in same for v in (record.get("phone_number"), record.get("email")) if v
            }
            if value.casefold() not in names | {each.title.casefold()}:
                arguments[parameter.name] = each.title
    return Call(call.name, arguments)


def last_time(history: Sequence[Turn], toolbox: Toolbox) -> datetime | None:
    for turn in list(reversed(history))[:_BACK]:
        done = [o.call for step in turn.steps if step.agent is Agent.TASK for o in step.observations if o.error is None]
        times = [
            str(call.arguments[p.name])
            for call in done
            if call.name in toolbox
            for p in toolbox.get(call.name).parameters
            if p.role is Role.TIME and p.name in call.arguments
        ]
        records = [record for each in _looked_up(turn) for record in each.records]
        times = times or ([str(records[0].get("start") or records[0].get("time") or "")] if len(records) == 1 else [])
        for text in reversed(times):
            try:
                return datetime.fromisoformat(text).replace(tzinfo=None)
            except ValueError:
                continue
    return None


def _timed(call: Call, last: datetime, query: str, toolbox: Toolbox, now: datetime) -> Call:
    """The call at the hour last used, on the day that the query names, if it names one."""
    days = sorted((piece.text for piece in fragments(query, now) if piece.kind is TimeKind.DAY), key=len)
    said = f"{days[-1]} at {last:%H:%M}" if days else show_time(last, now.year)
    arguments = dict(call.arguments)
    for parameter in toolbox.get(call.name).parameters if call.name in toolbox else ():
        if parameter.role is Role.TIME and (meant := moment(said, now)):
            written = moment(str(arguments.get(parameter.name, "")), now)
            if written is None or written.time() != last.time() or (not days and written != meant):
                arguments[parameter.name] = said
    return Call(call.name, arguments)


def moment(text: str, now: datetime) -> datetime | None:
    """What a text says a time to be; None if it says none."""
    try:
        return parse_time(text, now)
    except ToolError:
        return None

"""Queries that leave unsaid what they are about: the phone is asked which of its items matter now.

"Ring him back" names nobody, "put it on again" no song. Where the agents' calls rest on a thing that neither the
person's words nor a record found by them name, or where nothing was found at all, the items of the phone are ranked for
the query by time, place, habit and meaning (`retrieval.context.relevance`); one that the ranker is sure of is looked up
by its name, as if the personal-context agent had thought of it (Context Tuning, section 3), and stands in the calls;
where it is not sure, the person is asked which is meant. A query that says all it needs is never looked into.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from camphor.agents.lookup_fallback import keyword_parameter
from camphor.device import dates
from camphor.device.text import COMMON, text_of, words
from camphor.tools.tool import PERSON_ROLES, Kind, Parameter, Role, Tool
from camphor.types import Agent, Call, Observation, Turn

if TYPE_CHECKING:
    from camphor.retrieval.context.relevance import Relevant

SURE = 0.5
"""The least share of a ranker's scores from which an item is taken for the one that is meant."""
AGREED = 0.25
"""The same, where the model chose that very item by itself."""
WORTH_ASKING = 0.1
"""The least share of an item that is put to the person as what may be meant."""
MOST = 2
_LONGEST_NAME = 8
"""Words of an item's name by which it is looked up."""
_OPTION = re.compile(r"“([^”]+)”")
_LONGEST_ANSWER = 6  # words
_PERSON_FIELDS = ("name", "contact", "sender")
_CONTACTS = "contacts"


def which(options: Sequence[str]) -> str:
    """A question back: which of at most two things is meant, or whom or what, where nothing is likely."""
    ask = _words()["ask"]
    named = ask["or"].join(f"“{option}”" for option in options[:MOST])
    return str(ask["which"]).format(options=named) if named else str(ask["whom"])


def picked(query: str, history: Sequence[Turn]) -> str:
    """The query before with the thing that is picked by an answer to `which`; "" where none is."""
    asked = history[-1].response if history else ""
    options, said = _OPTION.findall(asked), set(words(query))
    if not options or asked != which(options) or len(said) > _LONGEST_ANSWER:
        return ""
    named = [option for option in options if said & set(words(option)) - COMMON]
    if not named:
        answer = _words()["answer"]
        kinds = ("yes",) if len(options) == 1 else ("first", "second")
        named = [option for kind, option in zip(kinds, options, strict=True) if said & set(answer[kind].split())]
    return f"{history[-1].query.rstrip(' .?!')}: {named[0]}" if len(named) == 1 else ""


def nothing_known(turn: Turn) -> bool:
    """Whether no look-up of the turn found anything, in the person's apps or outside, or none was made."""
    looked_up = (step for step in turn.steps if step.agent in (Agent.CONTEXT, Agent.KNOWLEDGE))
    return not any(found.records for step in looked_up for found in step.observations)


def sure_of(items: Sequence[Relevant], margin: float = SURE) -> tuple[Relevant, ...]:
    """Those of the ranked items that are looked up: sure enough, at most two."""
    return tuple(item for item in items if item.sure >= margin)[:MOST]


def unsaid(call: Call, tool: Tool, turn: Turn, history: Sequence[Turn]) -> Parameter | None:
    """The parameter of an action that says which thing or person is meant, where the person's words name neither.

    A record that was found counts as named where it has a telling word of theirs: of "ring the plumber" the contact
    that is a plumber.
    """
    said = {word for each in (*history, turn) for word in words(f"{each.query} {each.response}")} - COMMON
    for parameter in tool.parameters:
        value = call.arguments.get(parameter.name)
        if parameter.role not in (*PERSON_ROLES, Role.REFERENCE, Role.NAME) or not isinstance(value, str):
            continue
        known = (record for step in turn.steps for found in step.observations for record in found.records)
        holding = (record for record in known if any(each == value for each in record.values()))
        if not said & {word for text in (value, *map(text_of, holding)) for word in words(text)}:
            return parameter
    return None


def value_of(item: Relevant, parameter: Parameter, tool: Tool) -> str:
    """What a parameter of an action says where the item is meant: its name, or whom it is of; "" where it cannot be."""
    record = item.record
    if parameter.role in PERSON_ROLES:
        fields = _PERSON_FIELDS if item.app == _CONTACTS else _PERSON_FIELDS[1:]
        return next((str(record[field]) for field in fields if isinstance(record.get(field), str)), "")
    if item.app != tool.app:
        return ""
    own = record.get(parameter.name)
    return own if isinstance(own, str) else item.title


def shares(items: Iterable[Relevant], parameter: Parameter, tool: Tool) -> dict[str, float]:
    """How sure the ranker is of each value that a parameter may have, the likeliest first."""
    found: dict[str, float] = {}
    for item in items:
        if value := value_of(item, parameter, tool):
            found[value] = found.get(value, 0.0) + item.sure
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def usual_action(item: Relevant, tools: Iterable[Tool]) -> Iterator[Call]:
    """What may be done to an item that needs nothing but its name: a song is played, a person is called."""
    for tool in tools:
        required = [parameter for parameter in tool.parameters if parameter.required]
        if tool.kind is Kind.ACTION and tool.app == item.app and len(required) == 1:
            parameter = required[0]
            if parameter.role in (*PERSON_ROLES, Role.REFERENCE, Role.NAME) and (
                value := value_of(item, parameter, tool)
            ):
                yield Call(tool.name, {parameter.name: value})


def look_ups(item: Relevant, tools: Iterable[Tool]) -> tuple[Call, ...]:
    """Look-ups of the item's app that may find it, by its name, and by its name and day. Never an action."""
    calls = []
    name = " ".join(item.title.split()[:_LONGEST_NAME])
    for tool in tools:
        if tool.app != item.app or tool.kind is not Kind.CONTEXT or not name:
            continue
        parameter = keyword_parameter(tool) or _field(item, tool)
        if not parameter:
            continue
        calls.append(Call(tool.name, {parameter: name}))
        day = _day(item)
        period = next((each.name for each in tool.parameters if each.role is Role.TIME_RANGE), "")
        if day and period:
            calls.append(Call(tool.name, {parameter: name, period: day}))
    return tuple(calls)


def finding(item: Relevant, calls: Sequence[Call], observations: Sequence[Observation]) -> Call | None:
    """The look-up that found the item and the fewest others, the shortest of equal ones; None where none found it."""
    wanted = text_of(item.record)
    hits = [
        (len(found.records), len(call.arguments), place)
        for place, (call, found) in enumerate(zip(calls, observations, strict=True))
        if any(text_of(record) == wanted for record in found.records)
    ]
    return calls[min(hits)[2]] if hits else None


def _field(item: Relevant, tool: Tool) -> str:
    """The parameter called like the field that names the item, where it is all that must be said; "" otherwise."""
    required = {parameter.name for parameter in tool.parameters if parameter.required}
    return next(
        (p.name for p in tool.parameters if item.record.get(p.name) == item.title and required <= {p.name}),
        "",
    )


def _day(item: Relevant) -> str:
    """The day of the item's first date, as ISO 8601; "" where it has none."""
    record: Mapping[str, Any] = item.record
    for key in ("start", "date", "time", "when"):
        moment = dates.moment(record.get(key), None)
        if moment is not None:
            return moment.date().isoformat()
    return ""


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

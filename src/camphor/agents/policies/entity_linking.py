"""What an action names in words that the phone does not take for a name, by the records that the turn has found.

A small model copies the person's words: "Quartet" is cancelled where the calendar has a rehearsal and a concert so
called. Of the two the turn looked up the one of tomorrow, and that one is meant.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from camphor.agents.allowed_values import named_values
from camphor.agents.lookup_fallback import telling
from camphor.agents.policies.base import Policy, Situation
from camphor.agents.references import PERSON_ROLES, is_person
from camphor.agents.wants import Check, Want
from camphor.device.text import near, text_of, words
from camphor.tools.tool import Parameter, Role, Tool
from camphor.tools.toolbox import Toolbox
from camphor.types import Agent, Call, Turn


def as_found(call: Call, turn: Turn, toolbox: Toolbox) -> Call:
    """An action that the phone does not understand, with the names of what the turn found in the place of words for it.

    Only where the words are some of one record's and no other's.
    """
    if call.name not in toolbox:
        return call
    tool, arguments = toolbox.get(call.name), dict(call.arguments)
    for parameter in tool.parameters:
        value = arguments.get(parameter.name)
        if isinstance(value, str) and (name := _name(value, parameter, _records(parameter, tool, turn, toolbox))):
            arguments[parameter.name] = name
    return Call(call.name, arguments)


def _records(parameter: Parameter, tool: Tool, turn: Turn, toolbox: Toolbox) -> list[dict[str, Any]]:
    """The records of the turn that the parameter may mean: people, or what the tool's own app keeps."""
    if parameter.role not in (Role.REFERENCE, *PERSON_ROLES):
        return []
    found = {
        text_of(record): dict(record)
        for step in turn.steps
        for each in step.observations
        for record in each.records
        if (is_person(record) if parameter.role in PERSON_ROLES else _app(each.call, toolbox) == tool.app)
    }
    return list(found.values())


def _app(call: Call, toolbox: Toolbox) -> str:
    return toolbox.get(call.name).app if call.name in toolbox else ""


def _name(value: str, parameter: Parameter, records: Sequence[dict[str, Any]]) -> str:
    """The name of the one record that has most of the value's words; "" if none has any, several do, or it is one."""
    if any(value.casefold() == known.casefold() for known in _names(records, parameter)):
        return ""
    wanted = telling(value)
    shares = [sum(any(near(word, other) or word == other for other in there) for word in wanted)
              for there in (frozenset(words(text_of(record))) for record in records)]  # fmt: skip
    top = max(shares, default=0)
    if not top or shares.count(top) > 1:
        return ""
    return next(iter(_names([records[shares.index(top)]], parameter)), "")


def _names(records: Sequence[dict[str, Any]], parameter: Parameter) -> list[str]:
    if parameter.role in PERSON_ROLES:
        return [str(record["name"]) for record in records]
    return named_values(records, parameter.name)


def _revise(situation: Situation, calls: tuple[Call, ...]) -> Generator[Want, Any, tuple[Call, ...]]:
    """The calls, those that the phone would not understand with the names of what was found, where words mean that."""
    named = tuple(as_found(call, situation.turn, situation.toolbox) for call in calls)
    if named == calls:
        return calls
    seen = yield Check(Agent.TASK, calls)
    return tuple(other if each.error else call for call, other, each in zip(calls, named, seen, strict=True))


ENTITY_LINKING = Policy("entity_linking", _revise)

"""When a person's name fits several, and nothing tells them apart: ask, never guess.

Measured on the gold look-ups of the 1,120 hand-written queries: where a look-up found several people whom its words fit
equally, the query held no word that tells them apart and no other record spoke of one of them, 42 of 51 queries were
ones where the right answer is a question back; of the other nine, five speak to all of them ("both Hubers").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from camphor.agents.display import show_value
from camphor.device.people import find_people
from camphor.device.text import text_of, words
from camphor.tools.tool import Role
from camphor.tools.toolbox import Toolbox
from camphor.types import Agent, Call, Observation, Turn

_PERSON_ROLES = (Role.PERSON, Role.PHONE, Role.EMAIL)
_ALL = frozenset(("both", "all", "every", "everybody", "everyone", "each"))
Record = Mapping[str, Any]


def which_person(calls: Sequence[Call], turn: Turn, history: Sequence[Turn], toolbox: Toolbox) -> str:
    """The question to ask before these actions, or "" where it is clear whom they are for."""
    addressed = _addressed(calls, toolbox)
    said = set(words(" ".join([turn.query, *(f"{earlier.query} {earlier.response}" for earlier in history)])))
    if not addressed or said & _ALL:
        return ""
    observations = [found for step in turn.steps if step.agent is not Agent.TASK for found in step.observations]
    for found in observations:
        fitting = _fitting(found)
        meant = [person for person in fitting if _names(person) & addressed]
        if len(fitting) > 1 and len(meant) == 1 and not _told_apart(meant[0], fitting, found, said, observations):
            return f"Which one do you mean: {_either(fitting)}?"
    return ""


def _addressed(calls: Sequence[Call], toolbox: Toolbox) -> set[str]:
    """Whom the calls are for, as written: names, numbers or addresses, folded."""
    values = set()
    for call in calls:
        for parameter in toolbox.get(call.name).parameters if call.name in toolbox else ():
            if parameter.role in _PERSON_ROLES and parameter.name in call.arguments:
                values.add(str(call.arguments[parameter.name]).casefold())
    return values


def _fitting(found: Observation) -> list[Record]:
    """The people found whom the look-up's words fit equally well; none if it was no look-up of people."""
    people = [
        record
        for record in found.records
        if "name" in record and ("relationship" in record or "phone_number" in record)
    ]
    asked = " ".join(str(value) for value in found.call.arguments.values())
    return list(find_people(asked, people)) if len(people) > 1 else []


def _told_apart(
    person: Record, fitting: Sequence[Record], found: Observation, said: set[str], observations: Sequence[Observation]
) -> bool:
    """Whether the person's words, or a record that is no contact, single this one out."""
    asked = set(words(text_of(dict(found.call.arguments))))
    others = {word for other in fitting if other is not person for word in _traits(other)}
    if (_traits(person) - asked - others) & said:
        return True
    elsewhere = "\n".join(
        text_of(list(other.records)) for other in observations if not _fitting(other) and other is not found
    )
    return [str(each["name"]) in elsewhere for each in fitting].count(True) == 1 and str(person["name"]) in elsewhere


def _traits(person: Record) -> set[str]:
    return set(words(f"{person['name']} {person.get('relationship') or ''}"))


def _names(person: Record) -> set[str]:
    return {str(person.get(field)).casefold() for field in ("name", "phone_number", "email") if person.get(field)}


def _either(people: Sequence[Record]) -> str:
    shown = [
        f"{person['name']} ({show_value(person['relationship'], 0)})"
        if person.get("relationship")
        else str(person["name"])
        for person in people
    ]
    return ", ".join(shown[:-1]) + " or " + shown[-1]

"""Whom a person's own words mean in a call: "sister" is who they said their sister is, though the phone does not know.

The model copies "sister" into a look-up, as it always does; code looks up Nora. So what the model sees has the form
that it knows, and nothing of it stands in the prompt that the phone does not say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from camphor.agents.lookup_fallback import keyword_parameter
from camphor.agents.memory.facts import ME
from camphor.agents.memory.long_term import LongTermMemory
from camphor.device.memories import Memory
from camphor.device.people import find_people
from camphor.device.text import text_of, words
from camphor.tools.tool import PERSON_ROLES, Tool
from camphor.types import Call, Observation

Execute = Callable[[Call], Observation]
Record = Mapping[str, Any]


def look_up(
    call: Call, tool: Tool, execute: Execute, memory: LongTermMemory, people: Sequence[Record]
) -> tuple[Observation, Memory | None]:
    """What a look-up finds, and the memory by which it was found, if it was.

    People are sought by the name that the person told, and by that alone: whom the phone has as the dentist is not the
    dentist any more. Other records are sought by it where the words themselves find nothing.

    Args:
        people: the contacts of the phone.
    """
    found = execute(call)
    parameter = keyword_parameter(tool)
    told = memory.person(str(call.arguments.get(parameter, ""))) if parameter else None
    if told is None or found.error is not None or (found.records and not _people(found.records)):
        return found, None
    meant = execute(replace(call, arguments={**call.arguments, parameter: told.value}))
    bearers = find_people(told.value, _people(meant.records))
    named = bearers or ([] if found.records else _whole(meant.records, told.value))
    if list(found.records) == named or (not named and find_people(told.value, people)):
        return found, None
    return Observation(meant.call, tuple(named)), told


def addressed(
    call: Call, tool: Tool, people: Sequence[Record], memory: LongTermMemory
) -> tuple[Call, tuple[Memory, ...]]:
    """The call with who is meant in the place of "my sister", where that names a contact; and the memories that say so.

    Args:
        people: the contacts of the phone.
    """
    arguments, used = dict(call.arguments), []
    for parameter in tool.parameters:
        value = arguments.get(parameter.name)
        told = memory.person(value) if parameter.role in PERSON_ROLES and isinstance(value, str) else None
        if told is not None and (meant := find_people(told.value, people)) and meant != find_people(str(value), people):
            arguments[parameter.name] = str(meant[0]["name"]) if len(meant) == 1 else told.value
            used.append(told)
    return replace(call, arguments=arguments), tuple(used)


def by_name(query: str, memory: LongTermMemory, people: Sequence[Record]) -> str:
    """A question with who is meant in the place of "my dentist", where the person told who that is.

    Args:
        people: the contacts of the phone, of whom one may be called the dentist too: they are not the dentist any more.
    """
    for told in memory.mentioned(query):
        if find_people(told.value, people) or find_people(told.attribute, people):
            said = re.compile(rf"\b(?:my|our) {re.escape(told.attribute)}\b", re.IGNORECASE)
            query = said.sub(told.value.replace("\\", r"\\"), query)
    return query


_TELLS = re.compile(
    r"\W*(?:(?:please|can|could|would|will|you|also|and|now|then|oh|ok|hey) )*"
    r"(?:text|send|message|mail|e-?mail|tell|give|forward|write|let)\b.+?\b"
    r"(?:my|our) (?P<what>[^,;.!?]+?)(?: is| are)?(?: please| too| as well)?\W*",
    re.IGNORECASE,
)
_CONTENT = "content"


def worded(call: Call, tool: Tool, query: str, memory: LongTermMemory) -> tuple[Call, tuple[Memory, ...]]:
    """The message of "text Alice my wifi password" with what the person told about it, which no model need compose.

    Measured with the adapter that ships, ten requests of that kind: shown the fact in a look-up of its own, it answers
    it and sends nothing (two of ten right); six are right this way.
    """
    receiver = any(parameter.role in PERSON_ROLES for parameter in tool.parameters)
    found = _TELLS.fullmatch(query)
    if not receiver or not found or not isinstance(call.arguments.get(_CONTENT), str):
        return call, ()
    known = [each for each in memory.about(ME, [found["what"]]) if each.single]
    if len(known) != 1 or set(words(known[0].value)) <= set(words(call.arguments[_CONTENT])):
        return call, ()
    return replace(call, arguments={**call.arguments, _CONTENT: known[0].text}), (known[0],)


def _people(records: Sequence[Record]) -> list[Record]:
    return [each for each in records if each.get("name") and ("relationship" in each or "phone_number" in each)]


def _whole(records: Sequence[Record], value: str) -> list[Record]:
    """The records that have every word of the value."""
    return [each for each in records if set(words(value)) <= set(words(text_of(each)))]

"""Whether a query asks for a call at all: which of its parts does, or says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from camphor.agents.gate.scene import Scene
from camphor.agents.gate.verdict import Asked
from camphor.agents.gate.words import content, gate_words, plain
from camphor.agents.parts import Part, PartKind, read_parts
from camphor.device.people import find_people
from camphor.tools.tool import Role, Tool
from camphor.types import Call

_AGAINST = frozenset(
    {PartKind.NEGATED, PartKind.DECIDED_NOT, PartKind.REPORT, PartKind.QUOTE, PartKind.PAST, PartKind.MUSING}
)
_REFUSING = frozenset({PartKind.NEGATED, PartKind.DECIDED_NOT})
_VERB, _NAME = 2, 1  # what a word of the action, and one of its values, speak for a part
_FREE = frozenset({Role.TEXT, Role.QUERY, Role.KEYWORD, Role.TIME, Role.DATE})
_PEOPLE = frozenset({Role.PERSON, Role.PHONE, Role.EMAIL})


def asked_for(tool: Tool, written: Call, call: Call, scene: Scene) -> tuple[Asked, Part]:
    """Whether a call is asked for, and the part of the query that asks or that speaks against it."""
    parts, (least, order, other) = scene.parts, read_parts().floors
    most = max(parts, key=lambda part: part.wish)
    against = [part for part in parts if part.kind in _AGAINST]
    if _answers(scene) and most.kind is not PartKind.NEGATED:
        return Asked.YES, most
    wishes = [part for part in parts if part.wish >= (order if part.orders else other)]
    if not wishes:
        told = against[0] if against else max(parts, key=lambda part: part.end - part.start)
        return (Asked.NO if most.wish < least else Asked.UNSURE), told
    for part in against:
        fit = _fit(part, tool, written, call, scene)
        best = max(_fit(each, tool, written, call, scene) for each in wishes)
        refuses = part.kind in _REFUSING and fit > best
        if part not in wishes and fit > _VERB and (refuses or not best):  # a report may be the reason of a wish
            return Asked.NO, part
    return Asked.YES, max(wishes, key=lambda part: (_fit(part, tool, written, call, scene), part.wish))


def _answers(scene: Scene) -> bool:
    """Whether the query answers what the assistant asked back."""
    return bool(scene.history) and scene.history[-1].response.rstrip().endswith("?")


def _fit(part: Part, tool: Tool, written: Call, call: Call, scene: Scene) -> int:
    """How much a part speaks of a call: by a word of its action, and by words of its values."""
    said = set(re.findall(r"[^\W_]+", plain(part.text)))
    verbs = gate_words().verbs.get(tool.name) or frozenset(re.findall(r"[a-z]+", _spaced(tool.name)))
    named = sum(1 for value in _values(tool, written, call) if value & content(part.text))
    return _VERB * bool(said & verbs) + _NAME * (named + _speaks_of_receiver(part, tool, call, scene))


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").casefold()


def _values(tool: Tool, written: Call, call: Call) -> Iterator[frozenset[str]]:
    """The telling words of each value that names something; free texts and times name nothing."""
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        free = parameter is not None and (parameter.role in _FREE or parameter.role in _PEOPLE)
        if not free and isinstance(value, str):
            yield content(f"{value} {written.arguments.get(name) or ''}")


def _speaks_of_receiver(part: Part, tool: Tool, call: Call, scene: Scene) -> bool:
    for parameter in tool.parameters:
        value = call.arguments.get(parameter.name) if parameter.role in _PEOPLE else None
        people: list[Mapping[str, Any]] = find_people(value, scene.people) if isinstance(value, str) else []
        if len(people) == 1 and any(_names(word, people[0]) for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*", part.text)):
            return True
    return False


def _names(word: str, person: Mapping[str, Any]) -> bool:
    return plain(word) not in gate_words().common and len(word) > 1 and bool(find_people(word, [person]))

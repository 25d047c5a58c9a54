"""Plans: calls in the order in which they were written, of which a later one may use an earlier one's result.

The id of a call is its place in the plan, from 0. In DroidCall's JSON a reference is the text "#0", in code it is the
variable that the earlier call was assigned to (DroidCall, sections 3.2.3 and 4.1); here it is a `Reference`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from camphor.errors import CallSyntaxError
from camphor.types import Call

Plan = tuple[Call, ...]

_REFERENCE = re.compile(r"#(\d{1,6})")


@dataclass(frozen=True)
class Reference:
    """The result of the call with this id."""

    to: int

    def __str__(self) -> str:
        return f"#{self.to}"


def references(value: Any) -> Iterator[Reference]:
    """The references in a value, at any depth; of a call, those of its arguments."""
    if isinstance(value, Reference):
        yield value
    elif isinstance(value, Call):
        yield from references(value.arguments)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from references(each)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from references(each)


def plan_to_json(plan: Plan) -> list[dict[str, Any]]:
    """`[{"id": 0, "name": ..., "arguments": {...}}]`, as DroidCall's listings 2 to 4 have it."""
    return [{"id": place, "name": call.name, "arguments": _to_json(call.arguments)} for place, call in enumerate(plan)]


def plan_from_json(data: Any) -> Plan:
    """A plan from values in that form; calls may stand in any order and have any whole numbers as ids.

    An id that is absent is the call's place. Ids are renumbered by the order in which the calls stand. A text that is
    "#" and the id of a call of the plan is a reference; "#" and another number is a text like any other.

    Raises:
        CallSyntaxError: not of that form, or one id twice; says which call.
    """
    items = [data] if isinstance(data, Mapping) else data
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise CallSyntaxError("expected a JSON list of calls, each with id, name and arguments")
    places: dict[int, int] = {}
    for place, item in enumerate(items):
        if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
            raise CallSyntaxError(f"call {place}: expected an object with a name and arguments")
        if not isinstance(item.get("arguments") or {}, Mapping):
            raise CallSyntaxError(f"call {place}: expected the arguments of {item['name'][:80]} as an object")
        known = item.get("id", place)
        if not isinstance(known, int) or isinstance(known, bool):
            raise CallSyntaxError(f"call {place}: expected a whole number as id")
        if places.setdefault(known, place) != place:
            raise CallSyntaxError(f"call {place}: id {known} is taken by an earlier call")
    return tuple(Call(item["name"], _from_json(item.get("arguments") or {}, places)) for item in items)


def _to_json(value: Any) -> Any:
    if isinstance(value, Reference):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _to_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(each) for each in value]
    return value


def _from_json(value: Any, places: Mapping[int, int]) -> Any:
    if isinstance(value, str):
        found = _REFERENCE.fullmatch(value)
        return Reference(places[int(found[1])]) if found and int(found[1]) in places else value
    if isinstance(value, Mapping):
        return {str(key): _from_json(each, places) for key, each in value.items()}
    if isinstance(value, list):
        return [_from_json(each, places) for each in value]
    return value

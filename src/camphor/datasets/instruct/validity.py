"""A plan held to the functions that it calls: names, parameters, types and references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from camphor.errors import ArgumentError, CallSyntaxError, ToolError, UnknownTool
from camphor.tools.plans import Plan, Reference, references
from camphor.tools.tool import Parameter, Tool
from camphor.tools.values import check
from camphor.types import Call

_LOOKS_LIKE_A_REFERENCE = re.compile(r"#\d{1,6}")


def typed(plan: Plan, tools: Sequence[Tool]) -> Plan:
    """The plan with its values in the types that the functions declare.

    Raises:
        UnknownTool: no such function. ArgumentError: a parameter is unknown or missing, or a value of another type.
        CallSyntaxError: a reference to no earlier call.
    """
    known = {tool.name: tool for tool in tools}
    return tuple(_typed(place, call, known) for place, call in enumerate(plan))


def problem_of(error: ToolError) -> str:
    """The kind of fault that an error of `typed` tells of."""
    if isinstance(error, UnknownTool):
        return "an unknown function"
    if isinstance(error, ArgumentError):
        return "a parameter or value that the function does not take"
    return "a reference to no earlier call"


def _typed(place: int, call: Call, known: Mapping[str, Tool]) -> Call:
    tool = known.get(call.name)
    if tool is None:
        raise UnknownTool(f"there is no function {call.name[:80]}")
    for reference in references(call):
        if reference.to >= place:
            raise CallSyntaxError(f"call {place} uses the result of call {reference.to}, which is not made before")
    for text in _texts(call.arguments):
        if _LOOKS_LIKE_A_REFERENCE.fullmatch(text):
            raise CallSyntaxError(f"call {place} uses {text}, which is no call")
    # results have no type that could be checked: the rest is checked without them
    open_ = {name for name, value in call.arguments.items() if any(references(value))}
    plain = {name: _without(value) for name, value in call.arguments.items()}
    lists = {name: value for name, value in plain.items() if isinstance(value, list)}
    rest = {name: value for name, value in plain.items() if name not in open_ or name in lists}
    eased = replace(tool, parameters=tuple(_eased(each, each.name in open_) for each in tool.parameters))
    checked = check(eased, Call(call.name, {**rest, **{name: None for name in open_ if name not in rest}})).arguments
    whole = {}
    for parameter in tool.parameters:
        if parameter.name in open_:
            whole[parameter.name] = call.arguments[parameter.name]
        elif parameter.name in checked:
            whole[parameter.name] = checked[parameter.name]
    return Call(call.name, whole)


def _eased(parameter: Parameter, open_: bool) -> Parameter:
    return replace(parameter, required=False) if open_ else parameter


def _without(value: Any) -> Any:
    """A list without its references."""
    if isinstance(value, list | tuple):
        return [_without(each) for each in value if not isinstance(each, Reference)]
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _texts(each)

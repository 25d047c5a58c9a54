"""Arguments checked and coerced by type, before anything looks at what they mean, and the function behind a tool run.

JSON values go in, JSON values come out.
"""

from __future__ import annotations

import contextlib
import difflib
import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from camphor.errors import ArgumentError, ToolError
from camphor.tools.hints import build, hints_of, to_json
from camphor.tools.tool import Parameter, Tool
from camphor.types import Call

_TRUE, _FALSE = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")
_NOTHING = object()


def check(tool: Tool, call: Call) -> Call:
    """The call with its arguments in the types that the tool declares, in the tool's order.

    Text that says a number or a truth value becomes one, a choice gets its own spelling, a single value becomes a list
    of one. Optional arguments that are None or blank are left out.

    Raises:
        ArgumentError: a parameter is unknown, missing, of another type, outside its bounds or not one of its values;
            says what would be right.
    """
    return Call(tool.name, _checked(tool, "", tool.parameters, call.arguments))


def _checked(tool: Tool, path: str, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, or the fields of an object within it; `path` is where that object stands."""
    known = {parameter.name for parameter in parameters}
    for name, value in given.items():
        if name not in known:
            raise ArgumentError(tool.name, path + str(name), value, _known(parameters, str(name), bool(path)))
    checked: dict[str, Any] = {}
    for parameter in parameters:
        value = given.get(parameter.name)
        if not _blank(value):
            checked[parameter.name] = _coerce(tool, parameter, value, path + parameter.name)
        elif parameter.required:
            raise ArgumentError(tool.name, path + parameter.name, value, f"a value: {_wanted(parameter)}")
    return checked


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _known(parameters: Sequence[Parameter], name: str, field: bool) -> str:
    names, word = [parameter.name for parameter in parameters], "field" if field else "parameter"
    if not names:
        return "no parameters"
    near = difflib.get_close_matches(name, names, n=1)
    return f"the {word} {near[0]}" if near else f"only the {word}s {', '.join(names)}"


def _coerce(tool: Tool, parameter: Parameter, value: Any, path: str) -> Any:
    """The value in the parameter's type; `path` names it in errors."""
    if parameter.enum:
        return _one_of(tool, parameter, parameter.enum, value, path)
    converted = _first(parameter.types, value)
    if isinstance(converted, list) and "array" in parameter.types:
        converted = [_first(tuple(filter(None, parameter.items.split("|"))), item) for item in converted]
        if any(item is _NOTHING for item in converted):
            raise ArgumentError(tool.name, path, value, _wanted(parameter))
        return [_element(tool, parameter, item, f"{path}[{place}]") for place, item in enumerate(converted)]
    if converted is _NOTHING or not _within(parameter, converted):
        raise ArgumentError(tool.name, path, value, _wanted(parameter))
    if parameter.fields and isinstance(converted, dict):
        return _checked(tool, f"{path}.", parameter.fields, converted)
    return converted


def _element(tool: Tool, parameter: Parameter, item: Any, path: str) -> Any:
    if parameter.choices:
        return _one_of(tool, parameter, parameter.choices, item, path)
    if parameter.fields and isinstance(item, dict):
        return _checked(tool, f"{path}.", parameter.fields, item)
    return item


def _one_of(tool: Tool, parameter: Parameter, choices: Sequence[Any], value: Any, path: str) -> Any:
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return choice
    said = str(value).strip().casefold()
    for choice in choices:
        if str(choice).casefold() == said:
            return choice
    raise ArgumentError(tool.name, path, value, _wanted(parameter))


def _within(parameter: Parameter, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    low, high = parameter.minimum, parameter.maximum
    return (low is None or value >= low) and (high is None or value <= high)


def _first(kinds: tuple[str, ...], value: Any) -> Any:
    """The value as the first of these types that takes it as it is, else the first that it can be turned into."""
    if not kinds:
        return value
    if any(_IS[kind](value) for kind in kinds):
        return value
    return next((made for kind in kinds if (made := _CONVERT[kind](value)) is not _NOTHING), _NOTHING)


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)  # of any size: no float holds the largest


_IS: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def _to_string(value: Any) -> Any:
    return str(value) if _is_number(value) else _NOTHING


def _to_integer(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value.strip()) if isinstance(value, str) and _WHOLE.fullmatch(value.strip()) else _NOTHING


def _to_number(value: Any) -> Any:
    text = value.strip() if isinstance(value, str) else ""
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else _NOTHING


def _to_boolean(value: Any) -> Any:
    said = value.strip().casefold() if isinstance(value, str) else ""
    return said in _TRUE if said in _TRUE | _FALSE else _NOTHING


def _to_array(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else _NOTHING if isinstance(value, Mapping) else [value]


def _to_object(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else _NOTHING


_CONVERT: Mapping[str, Callable[[Any], Any]] = {
    "string": _to_string,
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "array": _to_array,
    "object": _to_object,
    "null": lambda value: _NOTHING,
}
_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "True or False",
    "array": "a list",
    "object": "an object",
    "null": "None",
}


def _wanted(parameter: Parameter) -> str:
    if parameter.enum:
        return "one of " + ", ".join(str(choice) for choice in parameter.enum)
    wanted = " or ".join(_WORDS[kind] for kind in parameter.types) or "any value"
    if parameter.items and "array" in parameter.types:
        kinds = ("objects" if kind == "object" else _WORDS[kind] for kind in parameter.items.split("|"))
        wanted += " of " + " or ".join(kinds)
    if parameter.choices:
        wanted += ", each one of " + ", ".join(str(choice) for choice in parameter.choices)
    if parameter.fields:
        wanted += " with " + ", ".join(field.name + ("" if field.required else "?") for field in parameter.fields)
    if parameter.minimum is not None and parameter.maximum is not None:
        wanted += f" from {parameter.minimum:g} to {parameter.maximum:g}"
    elif parameter.minimum is not None:
        wanted += f" of at least {parameter.minimum:g}"
    elif parameter.maximum is not None:
        wanted += f" of at most {parameter.maximum:g}"
    return wanted


_ANY_NUMBER = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def invoke(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    """What the tool's function gives back for these arguments, as a JSON value.

    Values become what the function's types say: Enum members, datetimes, dataclasses. A parameter without a default
    that takes None gets None where it is left out. Coroutines are run to their end; what is printed goes to standard
    error.

    Raises:
        ToolError: the tool has no function, a value does not fit its type, or the function raised; in one line.
    """
    if tool.function is None:
        raise ToolError(f"{tool.name} has no function that could be run")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return to_json(_run(tool, arguments))
    except ToolError:
        raise
    except (Exception, SystemExit) as error:
        told = " ".join(str(error).split())
        raise ToolError(f"{tool.name} failed: {type(error).__name__}{': ' + told if told else ''}") from error


def _run(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    assert tool.function is not None
    hints = hints_of(tool.function)
    declared = inspect.signature(tool.function).parameters
    placed, named = [], {name: value for name, value in arguments.items() if name not in declared}
    for name, parameter in declared.items():
        if name in arguments:
            value = build(hints[name], arguments[name]) if name in hints else arguments[name]
        elif parameter.default is not parameter.empty or parameter.kind in _ANY_NUMBER:
            if parameter.kind is not parameter.POSITIONAL_ONLY:
                continue
            value = parameter.default  # what stands behind it has its place by it
        else:
            value = None
        if parameter.kind is parameter.POSITIONAL_ONLY:
            placed.append(value)
        else:
            named[name] = value
    result = tool.function(*placed, **named)
    if not inspect.isawaitable(result):
        return result
    import asyncio  # 30 ms that few functions need

    return asyncio.run(_awaited(result))


async def _awaited(result: Any) -> Any:
    return await result

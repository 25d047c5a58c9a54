"""Arguments checked and coerced by type, before anything looks at what they mean."""

from __future__ import annotations

import re
from typing import Any

from camphor.errors import ArgumentError
from camphor.tools.tool import Parameter, Tool
from camphor.types import Call

_TRUE, _FALSE = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})
_NOTHING = object()


def check(tool: Tool, call: Call) -> Call:
    """The call with its arguments in the types the tool declares, in the tool's order.

    Raises:
        ArgumentError: a parameter is unknown, missing, of another type, outside its bounds or not one of its values.
    """
    known = [parameter.name for parameter in tool.parameters]
    for name, value in call.arguments.items():
        if name not in known:
            expected = "no parameters" if not known else "only the parameters " + ", ".join(known)
            raise ArgumentError(tool.name, name, value, expected)
    checked: dict[str, Any] = {}
    for parameter in tool.parameters:
        value = call.arguments.get(parameter.name)
        if value is None:
            if parameter.required:
                raise ArgumentError(tool.name, parameter.name, value, f"a value: {_wanted(parameter)}")
            continue
        checked[parameter.name] = _coerce(tool, parameter, value)
    return Call(tool.name, checked)


def _coerce(tool: Tool, parameter: Parameter, value: Any) -> Any:
    if parameter.enum:
        return _one_of(tool, parameter, value)
    for kind in parameter.types or ("",):
        converted = _convert(kind, value)
        if converted is not _NOTHING:
            return _within(tool, parameter, converted)
    raise ArgumentError(tool.name, parameter.name, value, _wanted(parameter))


def _one_of(tool: Tool, parameter: Parameter, value: Any) -> Any:
    folded = str(value).strip().casefold()
    for choice in parameter.enum:
        if choice == value or str(choice).casefold() == folded:
            return choice
    raise ArgumentError(tool.name, parameter.name, value, _wanted(parameter))


def _within(tool: Tool, parameter: Parameter, value: Any) -> Any:
    low, high = parameter.minimum, parameter.maximum
    if isinstance(value, int | float) and not isinstance(value, bool):
        if (low is not None and value < low) or (high is not None and value > high):
            raise ArgumentError(tool.name, parameter.name, value, _wanted(parameter))
    elif isinstance(value, str) and parameter.required and not value.strip():
        raise ArgumentError(tool.name, parameter.name, value, "a text that is not empty")
    return value


def _convert(kind: str, value: Any) -> Any:
    """The value as that JSON type, or `_NOTHING`."""
    text = value.strip() if isinstance(value, str) else ""
    if kind == "":
        return value
    if kind == "string":
        return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else _NOTHING
    if kind == "boolean":
        folded = text.casefold()
        return value if isinstance(value, bool) else folded in _TRUE if folded in _TRUE | _FALSE else _NOTHING
    if isinstance(value, bool):
        return _NOTHING
    if kind == "integer":
        if isinstance(value, float):
            return int(value) if value.is_integer() else _NOTHING
        return value if isinstance(value, int) else int(text) if re.fullmatch(r"[+-]?\d{1,18}", text) else _NOTHING
    if kind == "number":
        number = re.fullmatch(r"[+-]?\d{1,18}(\.\d{1,18})?", text)
        return value if isinstance(value, int | float) else float(text) if number else _NOTHING
    if kind == "array":
        return list(value) if isinstance(value, list | tuple) else _NOTHING
    if kind == "object":
        return value if isinstance(value, dict) else _NOTHING
    return _NOTHING


def _wanted(parameter: Parameter) -> str:
    if parameter.enum:
        return "one of " + ", ".join(str(choice) for choice in parameter.enum)
    words = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list"}
    wanted = " or ".join(words.get(kind, kind) for kind in parameter.types) or "any value"
    if parameter.minimum is not None and parameter.maximum is not None:
        wanted += f" from {parameter.minimum:g} to {parameter.maximum:g}"
    elif parameter.minimum is not None:
        wanted += f" of at least {parameter.minimum:g}"
    elif parameter.maximum is not None:
        wanted += f" of at most {parameter.maximum:g}"
    return wanted

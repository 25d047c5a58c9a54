"""Runs the function behind a tool: JSON values in, JSON values out."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import enum
import inspect
import math
import sys
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from camphor.errors import ToolError
from camphor.tools.tool import Tool

_DEEPEST = 32


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
    hints = typing.get_type_hints(tool.function)
    given = {name: build(hints.get(name, Any), value) for name, value in arguments.items()}
    for name, parameter in inspect.signature(tool.function).parameters.items():
        if name not in given and parameter.default is parameter.empty:
            given[name] = None
    result = tool.function(**given)
    return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result


async def _awaited(result: Any) -> Any:
    return await result


def build(hint: Any, value: Any) -> Any:
    """A JSON value as the Python object of that type.

    Raises:
        ValueError, TypeError: it is no such value.
    """
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _first_fit(typing.get_args(hint), value)
    if origin in (typing.Annotated, typing.Required, typing.NotRequired):
        return build(typing.get_args(hint)[0], value)
    if isinstance(hint, typing.NewType):
        return build(hint.__supertype__, value)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return next((each for each in hint if each.value == value), None) or hint(value)
    if hint is datetime or hint is date:
        return datetime.fromisoformat(value) if hint is datetime else date.fromisoformat(str(value)[:10])
    if isinstance(hint, type) and (dataclasses.is_dataclass(hint) or typing.is_typeddict(hint)):
        hints = typing.get_type_hints(hint)
        return hint(**{name: build(hints.get(name, Any), each) for name, each in dict(value).items()})
    if isinstance(value, list):
        return _built_list(hint, origin or hint, value)
    return float(value) if hint is float and isinstance(value, int) else value


def _built_list(hint: Any, origin: Any, value: Sequence[Any]) -> Any:
    kinds = [each for each in typing.get_args(hint) if each is not Ellipsis] or [Any]
    fixed = origin is tuple and len(kinds) == len(value)
    built = [build(kinds[place] if fixed else kinds[0], each) for place, each in enumerate(value)]
    return tuple(built) if origin is tuple else built


def _first_fit(options: Sequence[Any], value: Any) -> Any:
    """The value as the first type that it fits; what is exact comes before what would have to be converted."""
    if value is None or any(type(value) is option for option in options):
        return value
    for option in options:
        if option is type(None):
            continue
        try:
            return build(option, value)
        except (ValueError, TypeError):
            continue
    raise ValueError(f"{value!r} is none of {', '.join(getattr(each, '__name__', str(each)) for each in options)}")


def to_json(value: Any, depth: int = 0) -> Any:
    """A Python value as a JSON value; what has no such form as its text."""
    if depth > _DEEPEST:
        raise ValueError(f"the result is nested deeper than {_DEEPEST}")
    if isinstance(value, enum.Enum):
        return to_json(value.value, depth + 1)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, date):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_json(getattr(value, each.name), depth + 1) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(each, depth + 1) for key, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return [to_json(each, depth + 1) for each in value]
    return str(value)

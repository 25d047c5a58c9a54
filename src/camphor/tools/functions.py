"""Parameters from a Python function's types and docstring."""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.docstrings import read_docstring
from camphor.tools.tool import Parameter, Role

_TYPES: dict[Any, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean", list: "array", tuple: "array", Sequence: "array",
    Iterable: "array", dict: "object", Mapping: "object",
}  # fmt: skip
_MOMENTS = {datetime: Role.TIME, date: Role.DATE}
_READ = "str, int, float, bool, list, tuple, dict, datetime, date, Literal, Enum, Optional or a union of these"


def read_function(function: Callable[..., Any]) -> tuple[str, list[tuple[Parameter, Role | None]]]:
    """What the function does, and its parameters with the role that its types say, if they say one.

    Raises:
        DefinitionError: a parameter without a type, a type or docstring that cannot be read, a parameter that a call
            cannot name; with file, line and what to write.
    """
    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(function, include_extras=True)
        description, described = read_docstring(inspect.getdoc(function) or "")
    except Exception as error:  # types are expressions: reading them can raise anything
        raise DefinitionError(f"{_place(function)}: cannot be read: {error}") from None
    if not inspect.isroutine(function):
        raise DefinitionError(f"{_place(function)}: expected a function or a method")
    if not description:
        raise DefinitionError(f"{_place(function)}: has no docstring: say in a sentence what it does")
    strangers = [name for name in described if name not in signature.parameters]
    if strangers:
        raise DefinitionError(f"{_place(function)}: the docstring describes {strangers[0]}, which is no parameter")
    parameters = [
        _parameter(function, declared, hints, described.get(name, ""))
        for name, declared in signature.parameters.items()
    ]
    return description, parameters


def _parameter(
    function: Callable[..., Any], declared: inspect.Parameter, hints: Mapping[str, Any], description: str
) -> tuple[Parameter, Role | None]:
    name, at = declared.name, f"{_place(function)}: parameter {declared.name}"
    if declared.kind in (declared.VAR_POSITIONAL, declared.VAR_KEYWORD):
        raise DefinitionError(f"{at} takes any number of values: name each parameter")
    if declared.kind is declared.POSITIONAL_ONLY:
        raise DefinitionError(f"{at} has no name for callers: remove the / after it")
    if name not in hints:
        raise DefinitionError(f"{at} has no type: write  {name}: str")
    found = _Found()
    try:
        found.add(hints[name])
    except TypeError as error:
        raise DefinitionError(f"{at}: type {error} cannot be read: use {_READ}") from None
    optional = found.nullable or declared.default is not declared.empty
    parameter = Parameter(
        name,
        "|".join(dict.fromkeys(found.kinds)),
        description,
        not optional,
        enum=() if found.open else tuple(dict.fromkeys(found.values)),
        default=_default(declared.default),
        items="|".join(dict.fromkeys(found.items)),
    )
    return parameter, found.role


@dataclass
class _Found:
    """What a type says: JSON types, allowed values, element types, a role, whether None is taken."""

    kinds: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    role: Role | None = None
    nullable: bool = False
    open: bool = False
    """Whether other values than those listed are taken too: `Literal["all"] | int`."""

    def add(self, hint: Any) -> None:
        """Takes in a type. Raises TypeError, with the type's name, for one that has no JSON form."""
        origin = typing.get_origin(hint)
        if origin is typing.Annotated:
            self.role = next((extra for extra in hint.__metadata__ if isinstance(extra, Role)), self.role)
            self.add(hint.__origin__)
        elif origin in (typing.Union, types.UnionType):
            for option in typing.get_args(hint):
                self.add(option)
        elif hint is None or hint is type(None):
            self.nullable = True
        elif origin is typing.Literal:
            self._choose(typing.get_args(hint), hint)
        elif isinstance(hint, type) and issubclass(hint, enum.Enum):
            self._choose([member.value for member in hint], hint)
        else:
            self._plain(hint, origin or hint)

    def _choose(self, values: Iterable[Any], hint: Any) -> None:
        for value in values:
            if value is None:
                self.nullable = True
                continue
            value = value.value if isinstance(value, enum.Enum) else value
            if type(value) not in (str, int, float, bool):
                raise TypeError(f"{_name(hint)} with the value {value!r}")
            self.kinds.append(_TYPES[type(value)])
            self.values.append(value)

    def _plain(self, hint: Any, origin: Any) -> None:
        self.open = True
        if origin is Any or origin is object:
            return
        if origin in _MOMENTS:
            self.kinds.append("string")
            self.role = self.role or _MOMENTS[origin]
        elif origin in _TYPES:
            self.kinds.append(_TYPES[origin])
            if self.kinds[-1] == "array":
                self.items += self._elements(hint)
        else:
            raise TypeError(_name(hint))

    @staticmethod
    def _elements(hint: Any) -> list[str]:
        inner = _Found()
        for argument in typing.get_args(hint):
            if argument is not Ellipsis:
                inner.add(argument)
        return inner.kinds


def _default(value: Any) -> Any:
    """The default as a JSON value; None where it has no such form, as it is shown only, never passed on."""
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, date):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | list | dict) else None


def _name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)


def _place(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", repr(function))
    try:
        code = inspect.unwrap(function).__code__
    except (AttributeError, ValueError):
        return name
    return f"{code.co_filename}, line {code.co_firstlineno}: {name}"

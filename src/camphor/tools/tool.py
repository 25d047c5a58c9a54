"""A tool: its name, what it does, its parameters, whether it reads or acts, and whose it is; and a collection of tools.

A tool is a frozen value. Whoever carries it out finds `function` there, or nothing: the device then knows what to do
by name. Readers that make tools from functions, schemas and manifests are in `readers`.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from camphor.errors import DefinitionError, UnknownTool
from camphor.types import Agent

NAME = re.compile(r"[^\W\d][\w.\-]*")
TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
_SHORT = {"string": "str", "integer": "int", "number": "number", "boolean": "bool", "array": "list", "object": "dict"}


class Kind(StrEnum):
    """Whether a tool only reads, or changes something and so needs consent."""

    CONTEXT = "context"
    ACTION = "action"


class Role(StrEnum):
    """What a value means, beyond its type: says how it is normalised, constrained and compared."""

    TEXT = "text"
    KEYWORD = "keyword"
    QUERY = "query"
    TIME = "time"
    DATE = "date"
    TIME_RANGE = "time_range"
    HOUR = "hour"
    MINUTE = "minute"
    DURATION = "duration"
    CLOCK = "clock"
    WEEKDAYS = "weekdays"
    PHONE = "phone"
    EMAIL = "email"
    PERSON = "person"
    REFERENCE = "reference"
    NAME = "name"

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """What `Annotated[str, Role.PERSON]` adds to a field's schema."""
        return {**handler(core), "x-role": self.value}


COMPUTED = (Role.TIME, Role.DATE, Role.HOUR, Role.MINUTE, Role.DURATION, Role.CLOCK, Role.WEEKDAYS)
"""Roles of values that code computes from words: "half past two in the afternoon" has the hour 14 and the minute 30."""

PERSON_ROLES = (Role.PERSON, Role.PHONE, Role.EMAIL)
"""Roles of values that say who is meant."""

MEANT_ROLES = (*PERSON_ROLES, Role.REFERENCE, Role.NAME)
"""Roles of values that say which person or thing is meant."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool.

    Args:
        type: a JSON Schema type, or several joined by "|" ("integer|string"); "" takes any value.
        required: whether a call without it is wrong.
        role: what the value means.
        enum: the only values allowed, as JSON scalars; empty for any.
        default: what the tool takes when the parameter is left out; for people to read, never filled in.
        minimum, maximum: inclusive bounds of a number.
        items: type of the elements of an array, "" for any.
        choices: the only values that an element of an array may have; empty for any.
        fields: of an object, or of the objects in an array: what they hold, in the order in which calls write them.
            Empty for any keys.

    Raises:
        DefinitionError: a name that cannot be written in a call, an unknown type, bounds that exclude everything,
            fields of what is no object, or two fields of one name.
    """

    name: str
    type: str = "string"
    description: str = ""
    required: bool = True
    role: Role = Role.TEXT
    enum: tuple[Any, ...] = ()
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    items: str = ""
    choices: tuple[Any, ...] = ()
    fields: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise DefinitionError(f"parameter name {self.name!r}: expected letters, digits and underscores")
        for kind in (*self.types, *filter(None, self.items.split("|"))):
            if kind not in TYPES:
                raise DefinitionError(f"parameter {self.name}: type {kind!r} is unknown: use one of {', '.join(TYPES)}")
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise DefinitionError(f"parameter {self.name}: minimum {self.minimum} is above maximum {self.maximum}")
        if self.fields and "object" not in (*self.types, *self.items.split("|")):
            raise DefinitionError(f"parameter {self.name}: only an object, or a list of objects, has fields")
        if twice := _twice(self.fields):
            raise DefinitionError(f"parameter {self.name}: field {twice} is defined twice")

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types it takes, in order of preference; empty for any."""
        return tuple(filter(None, self.type.split("|")))

    def definition(self) -> str:
        """As it stands in a tool's one-line definition: `b?`, `c: x|y`, `n: int`."""
        name = self.name if self.required else f"{self.name}?"
        if self.enum:
            return f"{name}: {'|'.join(str(value) for value in self.enum)}"
        if self.type in ("string", ""):
            return name
        return f"{name}: {'|'.join(_SHORT[kind] for kind in self.types if kind in _SHORT)}"

    def signature(self) -> str:
        """Name and type, as in a full definition: `b?: integer`, `c: "x"|"y"`, `o: object {a: string}`."""
        kind = _listed(self.enum) or self.type or "any"
        if self.choices:
            kind += f" of {_listed(self.choices)}"
        if self.fields:
            kind += " of objects" if "array" in self.types and not self.choices else ""
            kind += f" {{{', '.join(field.signature() for field in self.fields)}}}"
        return f"{self.name}{'' if self.required else '?'}: {kind}"

    def explanation(self) -> str:
        """What it means, in a phrase that ends with a full stop, its bounds in brackets."""
        bounds = [
            f"{word} {bound:g}" for word, bound in (("from", self.minimum), ("to", self.maximum)) if bound is not None
        ]
        meaning = " ".join(self.description.split()).rstrip(".") or self.name.replace("_", " ")
        meaning = f"{meaning} ({' '.join(bounds)})." if bounds else f"{meaning}."
        inside = [f"{self.name}.{field.name}: {field.explanation()}" for field in self.fields if field.explained]
        return " ".join([meaning, *inside])

    @property
    def explained(self) -> bool:
        """Whether a text says what it, or one of its fields, means."""
        return bool(self.description) or any(field.explained for field in self.fields)

    def to_schema(self) -> dict[str, Any]:
        """The parameter's JSON Schema, with the role under `x-role`."""
        schema: dict[str, Any] = {}
        if self.types:
            schema["type"] = self.type if len(self.types) == 1 else list(self.types)
        if "object" in self.types:
            schema.update(self._inside())
        if self.items:
            items = self.items.split("|")
            schema["items"] = {"type": items[0] if len(items) == 1 else items}
            if self.choices:
                schema["items"]["enum"] = list(self.choices)
            if "object" in items:
                schema["items"].update(self._inside())
        if self.description:
            schema["description"] = self.description
        if self.enum:
            schema["enum"] = list(self.enum)
        for key, value in (("default", self.default), ("minimum", self.minimum), ("maximum", self.maximum)):
            if value is not None:
                schema[key] = value
        if self.role is not Role.TEXT:
            schema["x-role"] = self.role.value
        return schema

    def _inside(self) -> dict[str, Any]:
        return fields_schema(self.fields) if self.fields else {}


def fields_schema(fields: Sequence[Parameter]) -> dict[str, Any]:
    """What a JSON Schema object says of its members: `{"properties": {...}, "required": [...]}`."""
    return {
        "properties": {field.name: field.to_schema() for field in fields},
        "required": [field.name for field in fields if field.required],
    }


def _listed(values: Sequence[Any]) -> str:
    return "|".join(json.dumps(value, ensure_ascii=False) for value in values)


def _twice(parameters: Sequence[Parameter]) -> str:
    """The first name that two of them have, or ""."""
    names = [parameter.name for parameter in parameters]
    return next((name for name in names if names.count(name) > 1), "")


@dataclass(frozen=True)
class Tool:
    """What can be called.

    Args:
        name: unique on a device.
        description: one sentence or a few, for the model and for people.
        parameters: in the order in which calls write them.
        kind: reads or acts.
        agent: the expert that it belongs to.
        app: the app that brings it; "" for the device itself.
        returns: the app's record list that a manifest's context tool searches.
        function: what carries it out, where it was made from one.
        result: type and meaning of what it gives back, as a parameter called `result`; None where nothing says so.
        examples: calls of it or words about them, as its author wrote them.
        by_code: no tuned model has learnt it, and none is offered it: code calls it where a query asks for it for
            certain. A model that is told its tools in words calls it as any other.

    Raises:
        DefinitionError: a name that cannot be written in a call, or two parameters of one name.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    kind: Kind
    agent: Agent
    app: str = ""
    returns: str = ""
    function: Callable[..., Any] | None = None
    result: Parameter | None = None
    examples: tuple[str, ...] = ()
    by_code: bool = False

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise DefinitionError(f"tool name {self.name!r}: expected letters, digits and underscores")
        if twice := _twice(self.parameters):
            raise DefinitionError(f"tool {self.name}: parameter {twice} is defined twice")

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, or None."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def definition(self, descriptions: bool = True) -> str:
        """The tool on one line, as prompts show it: `name(a, b?, c: x|y, n: int): Description.`"""
        head = f"{self.name}({', '.join(parameter.definition() for parameter in self.parameters)})"
        text = " ".join(self.description.split())
        return f"{head}: {text}" if descriptions and text else head

    def full_definition(self) -> str:
        """Everything that a schema says, on one line: types, which parameters are required, what each means.

        `name(a: string, b?: integer): Description. a: what it is. b: what it is (from 5 to 30).`
        """
        head = f"{self.name}({', '.join(parameter.signature() for parameter in self.parameters)})"
        explained = [f"{parameter.name}: {parameter.explanation()}" for parameter in self.parameters]
        return " ".join(filter(None, [f"{head}:", " ".join(self.description.split()), *explained]))

    def to_schema(self) -> dict[str, Any]:
        """The tool as a JSON Schema function: `{"name", "description", "parameters": {"type": "object", ...}}`."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {"type": "object", **fields_schema(self.parameters)},
        }


class Toolbox:
    """An immutable collection of tools, in the order given.

    Raises:
        DefinitionError: two tools of one name.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            other = self._tools.setdefault(tool.name, tool)
            if other is not tool:
                owners = " and ".join(owner or "the device" for owner in (other.app, tool.app))
                raise DefinitionError(f"tool {tool.name} is defined twice, by {owners}: rename one")

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __repr__(self) -> str:
        return f"Toolbox({len(self)} tools of {len(self.apps)} apps)"

    def get(self, name: str) -> Tool:
        """The tool of that name.

        Raises:
            UnknownTool: there is none; names the nearest.
        """
        if name in self._tools:
            return self._tools[name]
        near = difflib.get_close_matches(name, self._tools, n=1, cutoff=0.4)
        hint = f"the nearest is {near[0]}" if near else f"it has {len(self)} others"
        raise UnknownTool(f"this device has no tool {name[:80]}: {hint}")

    def of(self, agent: Agent) -> tuple[Tool, ...]:
        """The tools of one expert, in order."""
        return tuple(tool for tool in self if tool.agent is agent)

    @property
    def learnt(self) -> Toolbox:
        """Those that a tuned model may be offered: all but what only code calls."""
        return Toolbox(tool for tool in self if not tool.by_code)

    @property
    def apps(self) -> tuple[str, ...]:
        """Names of the apps that brought tools, in order of first appearance."""
        return tuple(dict.fromkeys(tool.app for tool in self if tool.app))

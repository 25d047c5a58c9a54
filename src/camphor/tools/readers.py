"""Tools from three sources: a typed Python function, a JSON Schema, an app's manifest."""

from __future__ import annotations

import enum
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.tool import TYPES, Kind, Parameter, Role, Tool
from camphor.types import Agent

_PYTHON = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object", tuple: "array", Any: ""}
_TIMES = re.compile(r"(^|_)(time|start|begin|end|ready_by|arrival|departure|until|at)$")
_DATES = re.compile(r"(^|_)(date|day)$")
_IDS = re.compile(r"(^|_)(id|ids|no|number|code|ref)$")
_SAYS_TIME = re.compile(r"iso 8601|date and time|local time", re.IGNORECASE)


def from_function(function: Callable[..., Any], *, kind: Kind, agent: Agent, app: str = "") -> Tool:
    """A tool from a typed function with a Google-style docstring (DroidCall, section 3.2.2).

    Raises:
        DefinitionError: a parameter without a type, or one that cannot be read; names the file and line.
    """
    summary, described = _docstring(inspect.getdoc(function) or "")
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception as error:
        raise DefinitionError(f"{_place(function)}: the types cannot be read: {error}") from None
    parameters = []
    for name, declared in inspect.signature(function).parameters.items():
        if declared.kind in (declared.VAR_POSITIONAL, declared.VAR_KEYWORD):
            raise DefinitionError(f"{_place(function)}: {name} takes any number of values: name each parameter")
        if name not in hints:
            raise DefinitionError(f"{_place(function)}: parameter {name} has no type: write  {name}: str")
        required = declared.default is inspect.Parameter.empty
        parameter = _annotated(function, name, hints[name], described.get(name, ""))
        default = None if required or isinstance(declared.default, enum.Enum) else declared.default
        parameters.append(replace(parameter, required=required and parameter.required, default=default))
    return Tool(function.__name__, summary, tuple(parameters), kind, agent, app, function=function)


def from_schema(
    schema: Mapping[str, Any],
    *,
    kind: Kind = Kind.ACTION,
    agent: Agent | None = None,
    app: str = "",
    returns: str = "",
    fields: Iterable[str] = (),
) -> Tool:
    """A tool from `{"name", "description", "parameters": {"type": "object", "properties", "required"}}`.

    `fields` are the names of the app's record fields: a parameter called like one refers to a record.

    Raises:
        DefinitionError: not of that form; says where.
    """
    name = schema.get("name")
    if not isinstance(name, str):
        raise DefinitionError(f"a tool of {app or 'the toolbox'} has no name")
    body = schema.get("parameters") or {}
    if not isinstance(body, Mapping) or not isinstance(body.get("properties", {}), Mapping):
        raise DefinitionError(f"tool {name}: expected parameters as a JSON Schema object with properties")
    required = body.get("required", [])
    if not isinstance(required, Sequence) or isinstance(required, str):
        raise DefinitionError(f"tool {name}: expected required as a list of parameter names")
    properties = body.get("properties", {})
    missing = [each for each in required if each not in properties]
    if missing:
        raise DefinitionError(f"tool {name}: required parameter {missing[0]} is not among its properties")
    known = frozenset(fields)
    parameters = tuple(_property(name, key, value, key in required, known) for key, value in properties.items())
    chosen = agent or (Agent.TASK if kind is Kind.ACTION else Agent.CONTEXT)
    return Tool(name, str(schema.get("description", "")), parameters, kind, chosen, app, returns)


def from_manifest(app: str, manifest: Mapping[str, Any]) -> tuple[Tool, ...]:
    """The tools of an app that brings its own manifest (contract, section 1).

    Raises:
        DefinitionError: a tool without a name, of an unknown kind, or with parameters that cannot be read.
    """
    records = manifest.get("records")
    lists = records.values() if isinstance(records, Mapping) else ()
    fields = {
        field for items in lists if isinstance(items, Sequence) for item in items if isinstance(item, Mapping) for field in item
    }
    tools = []
    for schema in manifest.get("tools", ()):
        if not isinstance(schema, Mapping):
            raise DefinitionError(f"app {app}: expected each tool as an object")
        try:
            kind = Kind(schema.get("kind", ""))
        except ValueError:
            raise DefinitionError(f"app {app}, tool {schema.get('name')}: expected kind context or action") from None
        tools.append(from_schema(schema, kind=kind, app=app, returns=str(schema.get("returns", "")), fields=fields))
    return tuple(tools)


def _property(tool: str, name: str, schema: Any, required: bool, fields: frozenset[str]) -> Parameter:
    if not isinstance(schema, Mapping):
        raise DefinitionError(f"tool {tool}, parameter {name}: expected an object")
    declared = schema.get("type", "")
    kinds = [declared] if isinstance(declared, str) else list(declared)
    items = schema.get("items")
    return Parameter(
        name,
        "|".join(kind for kind in kinds if kind and kind != "null"),
        str(schema.get("description", "")),
        required,
        _role(name, schema, fields),
        tuple(schema.get("enum", ())),
        schema.get("default"),
        schema.get("minimum"),
        schema.get("maximum"),
        items["type"] if isinstance(items, Mapping) and items.get("type") in TYPES else "",
    )


def _role(name: str, schema: Mapping[str, Any], fields: frozenset[str] = frozenset()) -> Role:
    """What a value means: by the schema's own word, else by its format, description and name."""
    if "x-role" in schema:
        try:
            return Role(schema["x-role"])
        except ValueError:
            raise DefinitionError(f"parameter {name}: x-role {schema['x-role']!r} is unknown: use {', '.join(Role)}") from None
    if schema.get("type", "string") not in ("string", "") or schema.get("enum"):
        return Role.TEXT
    formats = {"date-time": Role.TIME, "date": Role.DATE, "email": Role.EMAIL}
    if schema.get("format") in formats:
        return formats[schema["format"]]
    says_time = _SAYS_TIME.search(str(schema.get("description", "")))
    if _DATES.search(name):
        return Role.DATE
    if says_time or _TIMES.search(name):
        return Role.TIME
    exact = {"keyword": Role.KEYWORD, "query": Role.QUERY, "phone_number": Role.PHONE, "email": Role.EMAIL}
    if name in exact:
        return exact[name]
    return Role.REFERENCE if _IDS.search(name) or name in fields else Role.TEXT


def _annotated(function: Callable[..., Any], name: str, hint: Any, description: str) -> Parameter:
    role = Role.TEXT
    if typing.get_origin(hint) is typing.Annotated:
        role = next((extra for extra in hint.__metadata__ if isinstance(extra, Role)), role)
        hint = hint.__origin__
    options = [option for option in _options(hint) if option is not type(None)]
    required = len(options) == len(_options(hint))
    kinds, enums, items = [], [], ""
    for option in options:
        if typing.get_origin(option) is typing.Annotated:
            role = next((extra for extra in option.__metadata__ if isinstance(extra, Role)), role)
            option = option.__origin__
        origin = typing.get_origin(option) or option
        if origin is typing.Literal:
            enums += typing.get_args(option)
        elif isinstance(option, type) and issubclass(option, enum.Enum):
            enums += [member.value for member in option]
        elif origin in (datetime, date):
            kinds.append("string")
            role = Role.TIME if origin is datetime else Role.DATE
        elif origin in _PYTHON:
            kinds.append(_PYTHON[origin])
            inner = [each for each in typing.get_args(option) if each is not Ellipsis]
            items = _PYTHON.get(inner[0], "") if _PYTHON[origin] == "array" and inner else items
        else:
            raise DefinitionError(f"{_place(function)}: parameter {name}: type {option!r} cannot be read")
    if enums and not kinds:
        kinds = sorted({_PYTHON[type(value)] for value in enums if type(value) in _PYTHON})
    return Parameter(name, "|".join(kind for kind in kinds if kind), description, required, role, tuple(enums), items=items)


def _options(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def _docstring(text: str) -> tuple[str, dict[str, str]]:
    """The summary, and each parameter's description from the section `Args:`."""
    head, _, rest = re.sub(r"\n(Returns|Raises|Yields|Example|Examples|Note):\n[\s\S]*", "", text).partition("Args:")
    described: dict[str, str] = {}
    for entry in re.split(r"\n\s*(?=\w+\s*(?:\([^)]*\))?:)", "\n" + rest):
        found = re.match(r"\s*(\w+)\s*(?:\([^)]*\))?:\s*([\s\S]*)", entry)
        if found:
            described[found[1]] = " ".join(found[2].split())
    return " ".join(head.split()), described


def _place(function: Callable[..., Any]) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}, line {code.co_firstlineno}: {function.__name__}" if code else function.__name__

"""Tools from three sources: a typed Python function, a JSON Schema, an app's manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools import roles
from camphor.tools.functions import read_function
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent

# Type names that published tool sets write in place of JSON Schema's.
_OTHER_NAMES = {
    "str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number",
    "bool": "boolean", "list": "array", "tuple": "array", "dict": "object", "any": "",
}  # fmt: skip
_DEEPEST = 8
_JSON: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def from_function(function: Callable[..., Any], *, kind: Kind, agent: Agent, app: str = "") -> Tool:
    """A tool from a typed function with a Google-style docstring (DroidCall, section 3.2.2).

    The docstring's text before `Args:` describes the tool, its entries the parameters. Types read are str, int, float,
    bool, list, tuple, dict, datetime, date, Literal, Enum, Any, Optional and unions of them;
    `Annotated[str, Role.TIME]` says what a value means, else it is inferred as for a schema. A parameter with a
    default, or that takes None, is optional. Calls hold an Enum's value and a date's text, not the Python objects.

    Raises:
        DefinitionError: what cannot be read, and how to write it; names the file and line.
    """
    described, parameters = read_function(function)
    name = function.__name__
    known = (replace(each, role=role or _inferred(each, name, kind)) for each, role in parameters)
    return Tool(name, described, tuple(known), kind, agent, app, function=function)


def _inferred(parameter: Parameter, tool: str, kind: Kind) -> Role:
    if parameter.enum or "string" not in parameter.types:
        return Role.TEXT
    return roles.infer(parameter.name, tool=tool, kind=kind, description=parameter.description)


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

    Also reads `{"type": "function", "function": {...}}`, as servers take them.

    Args:
        agent: who it belongs to; None for personal_context or task_completion, by kind.
        fields: names of the app's record fields: a parameter called like one refers to a record.

    Raises:
        DefinitionError: not of that form; names app, tool and parameter.
    """
    if isinstance(schema, Mapping) and isinstance(schema.get("function"), Mapping):
        schema = schema["function"]
    where = f"app {app}" if app else "the tool"
    if not isinstance(schema, Mapping) or not isinstance(schema.get("name"), str):
        raise DefinitionError(f"{where}: expected an object with the tool's name")
    name = schema["name"]
    where = f"app {app}, tool {name}" if app else f"tool {name}"
    body = schema.get("parameters") or {}
    properties = body.get("properties") or {} if isinstance(body, Mapping) else None
    if not isinstance(properties, Mapping):
        raise DefinitionError(f"{where}: expected parameters as a JSON Schema object with properties")
    required = body.get("required") or []
    if not isinstance(required, Sequence) or isinstance(required, str):
        raise DefinitionError(f"{where}: expected required as a list of parameter names")
    missing = [each for each in required if each not in properties]
    if missing:
        raise DefinitionError(f"{where}: required parameter {missing[0]} is not among its properties")
    reader = _Properties(where, name, kind, frozenset(fields), body)
    chosen = agent or (Agent.TASK if kind is Kind.ACTION else Agent.CONTEXT)
    parameters = tuple(reader.read(str(key), value, key in required) for key, value in properties.items())
    try:
        return Tool(name, str(schema.get("description") or ""), parameters, kind, chosen, app, returns)
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None


def from_manifest(app_name: str, manifest: Mapping[str, Any]) -> tuple[Tool, ...]:
    """The tools of an app that brings its own manifest (contract, section 1).

    Raises:
        DefinitionError: a tool without a name, of an unknown kind, twice, or with parameters that cannot be read.
    """
    schemas = manifest.get("tools", ())
    if not isinstance(schemas, Sequence) or isinstance(schemas, str):
        raise DefinitionError(f"app {app_name}: expected tools as a list")
    fields = _fields(manifest.get("records"))
    tools: list[Tool] = []
    for place, schema in enumerate(schemas):
        if not isinstance(schema, Mapping):
            raise DefinitionError(f"app {app_name}, tool {place}: expected an object")
        try:
            kind = Kind(schema.get("kind", ""))
        except ValueError:
            expected = "expected kind context or action"
            raise DefinitionError(f"app {app_name}, tool {schema.get('name', place)}: {expected}") from None
        returns = schema.get("returns") or ""
        tool = from_schema(schema, kind=kind, app=app_name, returns=str(returns), fields=fields)
        if any(other.name == tool.name for other in tools):
            raise DefinitionError(f"app {app_name}: tool {tool.name} is defined twice")
        tools.append(tool)
    return tuple(tools)


def _fields(records: Any) -> set[str]:
    lists = records.values() if isinstance(records, Mapping) else ()
    rows = [row for rows in lists if isinstance(rows, list) for row in rows if isinstance(row, Mapping)]
    return {str(field) for row in rows for field in row}


class _Properties:
    """Reads the properties of one tool's parameters schema."""

    def __init__(self, where: str, tool: str, kind: Kind, fields: frozenset[str], root: Mapping[str, Any]) -> None:
        self._where, self._tool, self._kind, self._fields, self._root = where, tool, kind, fields, root

    def read(self, name: str, schema: Any, required: bool) -> Parameter:
        """One parameter. One that may be null may also be left out.

        Raises:
            DefinitionError: a schema that cannot be read; names tool and parameter.
        """
        try:
            schema = self._resolved(schema)
            kinds, enum, nullable = self._types(schema)
            items = self._types(self._resolved(schema["items"]))[0] if isinstance(schema.get("items"), Mapping) else []
            return Parameter(
                name,
                "|".join(kinds),
                str(schema.get("description") or ""),
                required and not nullable,
                self._role(name, schema, kinds, enum),
                tuple(enum),
                schema.get("default"),
                _bound(schema, "minimum", "exclusiveMinimum", 1, kinds),
                _bound(schema, "maximum", "exclusiveMaximum", -1, kinds),
                "|".join(items) if "array" in kinds else "",
            )
        except DefinitionError as error:
            raise DefinitionError(f"{self._where}, parameter {name}: {error}") from None

    def _resolved(self, schema: Any, depth: int = 0) -> Mapping[str, Any]:
        if not isinstance(schema, Mapping):
            raise DefinitionError("expected a JSON Schema object")
        if "$ref" not in schema:
            return schema
        keys = str(schema["$ref"]).split("/")
        found: Any = self._root
        for key in keys[1:]:
            found = found.get(key) if isinstance(found, Mapping) else None
        if keys[0] != "#" or found is None or depth > _DEEPEST:
            raise DefinitionError(f"$ref {schema['$ref']!r} leads nowhere within the tool's parameters")
        return {**self._resolved(found, depth + 1), **{key: value for key, value in schema.items() if key != "$ref"}}

    def _types(self, schema: Mapping[str, Any], depth: int = 0) -> tuple[list[str], list[Any], bool]:
        """Its types without null, the values allowed, and whether null is."""
        options = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(options, list):
            if depth > _DEEPEST:
                raise DefinitionError(f"alternatives are nested deeper than {_DEEPEST}, or in a circle")
            return _merge([self._types(self._resolved(option), depth + 1) for option in options])
        declared = schema.get("type", "")
        names = declared if isinstance(declared, list) else [declared]
        if not all(isinstance(each, str) for each in names):
            raise DefinitionError(f"expected type as a name or a list of names, found {declared!r}")
        kinds = [_OTHER_NAMES.get(str(each), str(each)) for each in names]
        enum = [schema["const"]] if "const" in schema else schema.get("enum") or []
        if not isinstance(enum, list) or not all(value is None or type(value) in _JSON for value in enum):
            raise DefinitionError("expected enum as a list of texts, numbers or booleans")
        nullable = "null" in kinds or None in enum
        enum = [value for value in enum if value is not None]
        if kinds := [each for each in kinds if each not in ("", "null")]:
            return kinds, enum, nullable
        kinds = list(dict.fromkeys(_JSON[type(value)] for value in enum))
        return kinds, enum, nullable

    def _role(self, name: str, schema: Mapping[str, Any], kinds: Sequence[str], enum: Sequence[Any]) -> Role:
        if "x-role" in schema:
            try:
                return Role(schema["x-role"])
            except ValueError:
                known = ", ".join(Role)
                raise DefinitionError(f"x-role {schema['x-role']!r} is unknown: use one of {known}") from None
        if enum or (kinds and "string" not in kinds):
            return Role.TEXT
        description, form = str(schema.get("description") or ""), str(schema.get("format") or "")
        return roles.infer(
            name, tool=self._tool, kind=self._kind, form=form, description=description, fields=self._fields
        )


def _merge(parts: Sequence[tuple[list[str], list[Any], bool]]) -> tuple[list[str], list[Any], bool]:
    kinds = list(dict.fromkeys(kind for part in parts for kind in part[0]))
    # values count only where every alternative is a list of them; else the types say what else is allowed
    closed = all(part[1] for part in parts if part[0] or part[1])
    return kinds, [value for part in parts for value in part[1]] if closed else [], any(part[2] for part in parts)


def _bound(schema: Mapping[str, Any], key: str, exclusive: str, step: int, kinds: Sequence[str]) -> float | None:
    value, beyond = schema.get(key), schema.get(exclusive)
    if isinstance(beyond, int | float) and not isinstance(beyond, bool):
        value = beyond + step if list(kinds) == ["integer"] else beyond
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise DefinitionError(f"expected {key} as a number, found {value!r}")

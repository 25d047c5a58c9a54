"""Tools from three sources: a typed Python function, a JSON Schema, an app's manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.functions import place_of, read_function
from camphor.tools.roles import infer
from camphor.tools.schemas import SchemaReader
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Agent


def from_function(
    function: Callable[..., Any],
    *,
    kind: Kind,
    agent: Agent,
    app: str = "",
    name: str = "",
    by_name: bool = False,
    lenient: bool = False,
) -> Tool:
    """A tool from a typed function with a docstring (DroidCall, section 3.2.2).

    The docstring, of any usual style, describes the tool, its parameters, what it gives back, and has examples. A type
    is read if pydantic tells its JSON Schema, so dataclasses and pydantic's models too; `Annotated[str, Role.TIME]`
    says what a value means. A parameter with a default, or that takes None, is optional. Calls hold JSON values: an
    Enum's value, a date's text, an object of a dataclass's fields.

    Args:
        name: of the tool; the function's for none.
        by_name: whether a parameter's name tells what its values mean (`roles.infer`).
        lenient: whether what a function leaves unsaid is no fault, as in code that was not written to be called so: a
            docstring, a type; an optional parameter of a type that cannot be read is left out.

    Raises:
        DefinitionError: what cannot be read, and how to write it; names the file and line.
    """
    name = name or getattr(function, "__name__", "")

    def inferred(parameter: str, form: str, description: str) -> Role:
        return infer(parameter, tool=name, kind=kind, form=form, description=description, by_name=by_name)

    read = read_function(function, inferred, lenient)
    try:
        return Tool(name, read.description, read.parameters, kind, agent, app, "", function, read.result, read.examples)
    except DefinitionError as error:
        raise DefinitionError(f"{place_of(function)}: {error}") from None


def from_schema(
    schema: Mapping[str, Any],
    *,
    kind: Kind = Kind.ACTION,
    agent: Agent | None = None,
    app: str = "",
    returns: str = "",
    fields: Iterable[str] = (),
    by_name: bool = False,
    root: Mapping[str, Any] | None = None,
) -> Tool:
    """A tool from `{"name", "description", "parameters": {"type": "object", "properties", "required"}}`.

    Also reads `{"type": "function", "function": {...}}`, as servers take them. `returns`, as an object, is a schema of
    what it gives back; `examples` are texts. Members of objects become fields down to a depth of four.

    Args:
        agent: who it belongs to; None for personal_context or task_completion, by kind.
        fields: names of the app's record fields: a parameter called like one refers to a record.
        by_name: whether a parameter's name tells what its values mean (`roles.infer`).
        root: what references lead into; the parameters for None.

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
    known = frozenset(fields)

    def inferred(parameter: str, form: str, description: str) -> Role:
        return infer(parameter, tool=name, kind=kind, form=form, description=description, fields=known, by_name=by_name)

    reader = SchemaReader(where, body if root is None else root, inferred)
    chosen = agent or (Agent.TASK if kind is Kind.ACTION else Agent.CONTEXT)
    parameters = tuple(reader.read(str(key), value, key in required) for key, value in properties.items())
    told = schema.get("returns")
    result = reader.result(told) if isinstance(told, Mapping) else None
    try:
        return Tool(
            name, str(schema.get("description") or ""), parameters, kind, chosen, app, returns, None, result,
            examples_of(schema),
        )  # fmt: skip
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None


def examples_of(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The examples of a tool in JSON, under either name; other values than texts as JSON."""
    found = data.get("examples") or data.get("example") or []
    some = found if isinstance(found, list) else [found]
    return tuple(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in some)


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
        returns = schema.get("returns")
        name = returns if isinstance(returns, str) else ""
        tool = from_schema(schema, kind=kind, app=app_name, returns=name, fields=fields, by_name=True)
        if any(other.name == tool.name for other in tools):
            raise DefinitionError(f"app {app_name}: tool {tool.name} is defined twice")
        tools.append(tool)
    return tuple(tools)


def _fields(records: Any) -> set[str]:
    lists = records.values() if isinstance(records, Mapping) else ()
    rows = [row for rows in lists if isinstance(rows, list) for row in rows if isinstance(row, Mapping)]
    return {str(field) for row in rows for field in row}

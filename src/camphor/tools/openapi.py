"""Operations of an OpenAPI document (2.0, 3.0, 3.1) as tools: what can be asked of a service, not how it is reached.

An operation's parameters and the members of its body become the tool's parameters. What only the transport needs
(headers, cookies) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.readers import from_schema
from camphor.tools.schemas import resolved
from camphor.tools.tool import Kind, Tool

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_READS = ("get", "head", "options")
"""Methods that change nothing (RFC 9110, section 9.2.1)."""
_TRANSPORT = ("header", "cookie")
_OWN = ("name", "in", "required", "schema", "description")
"""Keys of a parameter that say nothing of its values."""


def is_openapi(data: Any) -> bool:
    """Whether a JSON value is such a document."""
    return isinstance(data, Mapping) and ("openapi" in data or "swagger" in data) and "paths" in data


def openapi_tools(document: Mapping[str, Any], app: str, left_out: list[str]) -> tuple[Tool, ...]:
    """The operations of a document, in its order; those that cannot be read are left out.

    Args:
        left_out: is told of them, and why.

    Raises:
        DefinitionError: the document has no paths, or none of its operations can be read.
    """
    tools: dict[str, Tool] = {}
    for place, path_item, method, operation in _operations(document, left_out):
        try:
            tool = _tool(document, place, path_item, method, operation, app)
        except DefinitionError as error:
            left_out.append(f"{place}: {error}")
            continue
        if tools.setdefault(tool.name, tool) is not tool:
            left_out.append(f"{place}: {tool.name} is the name of another operation too")
    if not tools:
        raise DefinitionError("no operation can be read" + (f": {left_out[-1]}" if left_out else ""))
    return tuple(tools.values())


def _operations(
    document: Mapping[str, Any], left_out: list[str]
) -> Iterator[tuple[str, Mapping[str, Any], str, Mapping[str, Any]]]:
    """Place, path item, method and operation of each."""
    for path, value in _object(document["paths"], "paths").items():
        try:
            item = _object(resolved(document, value), "a path")
        except DefinitionError as error:
            left_out.append(f"{path}: {error}")
            continue
        for method, operation in item.items():
            if method in _METHODS and isinstance(operation, Mapping):
                yield f"{method.upper()} {path}", item, method, operation


def _tool(
    document: Mapping[str, Any],
    place: str,
    item: Mapping[str, Any],
    method: str,
    operation: Mapping[str, Any],
    app: str,
) -> Tool:
    """Raises DefinitionError: it cannot be read."""
    taken = _Taken(document)
    for each in (*_list(item, "parameters"), *_list(operation, "parameters")):
        taken.parameter(_object(resolved(document, each), "a parameter"))
    body = _object(resolved(document, operation.get("requestBody") or {}), "requestBody")
    content = _object(body.get("content") or {}, "content")
    for kind in sorted(content, key=lambda kind: "json" not in kind)[:1]:
        if held := _object(content[kind] or {}, kind).get("schema"):
            taken.body(held, body.get("required") is not False)
    name = operation.get("operationId")
    told = (operation.get(key) for key in ("summary", "description"))
    schema = {
        "name": _name(name if isinstance(name, str) else place.lower()),
        "description": " ".join(each for each in told if isinstance(each, str)).strip() or place,
        "parameters": {"type": "object", "properties": taken.properties, "required": taken.required},
    }
    kind = Kind.CONTEXT if method in _READS else Kind.ACTION
    return from_schema(schema, kind=kind, app=app, root=document)


@dataclass
class _Taken:
    """What an operation takes, as properties of a JSON Schema object. Raises DefinitionError, as all below."""

    document: Mapping[str, Any]
    properties: dict[str, Any] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    places: dict[tuple[str, str], str] = field(default_factory=dict)

    def parameter(self, parameter: Mapping[str, Any]) -> None:
        where, name = parameter.get("in"), parameter.get("name")
        if where in _TRANSPORT:
            return
        if where == "body":
            self.body(parameter.get("schema") or {}, parameter.get("required") is True)
            return
        if not isinstance(name, str) or not name:
            raise DefinitionError("a parameter has no name")
        held = parameter.get("schema")
        schema = dict(_object(held, name)) if held else {key: parameter[key] for key in parameter if key not in _OWN}
        if isinstance(told := parameter.get("description"), str):
            schema["description"] = told
        self._take(f"{where}", name, schema, parameter.get("required") is True)

    def body(self, schema: Any, needed: bool) -> None:
        """The members of a body that is an object, each as a parameter; any other body as one."""
        found = resolved(self.document, schema)
        members = found.get("properties")
        if not isinstance(members, Mapping) or not members:
            self._take("body", "body", dict(found), needed)
            return
        wanted = found.get("required")
        for name, member in members.items():
            if not (isinstance(member, Mapping) and member.get("readOnly")):
                self._take("body", str(name), member, needed and isinstance(wanted, list) and name in wanted)

    def _take(self, where: str, name: str, schema: Any, needed: bool) -> None:
        """Takes a property in. What has the name of another is called after its place too; an operation may say anew
        what its path says."""
        said = (where, name)
        if said not in self.places:
            free = (_name(each) for each in (name, f"{where}_{name}", *(f"{where}_{name}_{n}" for n in range(2, 100))))
            self.places[said] = next(each for each in free if each not in self.properties)
        own = self.places[said]
        self.properties[own] = schema
        if needed and own not in self.required:
            self.required.append(own)


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DefinitionError(f"expected {what} as an object")
    return value


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key) or []
    if not isinstance(value, list):
        raise DefinitionError(f"expected {key} as a list")
    return value


def _name(text: str) -> str:
    """A name as calls write it: `GET /pets/{id}` is `get_pets_id`."""
    made = re.sub(r"_{2,}", "_", re.sub(r"[^\w.\-]+", "_", text)).strip("_.-")
    return made if made[:1].isalpha() or made[:1] == "_" else f"_{made}"

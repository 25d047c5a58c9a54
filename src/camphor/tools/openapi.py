"""Operations of an OpenAPI document (2.0, 3.0, 3.1) as tools: what can be asked of a service, not how it is reached.

An operation's parameters and the members of its JSON body become the tool's parameters. What only the transport needs
(headers, cookies) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.readers import from_schema
from camphor.tools.tool import Kind, Tool

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_READS = ("get", "head", "options")
"""Methods that change nothing (RFC 9110, section 9.2.1)."""
_TRANSPORT = ("header", "cookie")
_DEEPEST = 16


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
    for place, kind, schema in _operations(document, left_out):
        try:
            tool = from_schema(schema, kind=kind, app=app)
        except DefinitionError as error:
            left_out.append(f"{place}: {error}")
            continue
        if tools.setdefault(tool.name, tool) is not tool:
            left_out.append(f"{place}: {tool.name} is the name of another operation too")
    if not tools:
        raise DefinitionError("no operation can be read" + (f": {left_out[-1]}" if left_out else ""))
    return tuple(tools.values())


def _operations(document: Mapping[str, Any], left_out: list[str]) -> Iterator[tuple[str, Kind, dict[str, Any]]]:
    """Place, kind and schema of each operation."""
    paths = document["paths"]
    if not isinstance(paths, Mapping):
        raise DefinitionError("expected paths as an object")
    for path, item in paths.items():
        for method, operation in item.items() if isinstance(item, Mapping) else ():
            if method not in _METHODS or not isinstance(operation, Mapping):
                continue
            place = f"{method.upper()} {path}"
            try:
                parameters = _parameters(document, item, operation)
            except (DefinitionError, AttributeError, TypeError) as error:
                left_out.append(f"{place}: {error}")
                continue
            name = str(operation.get("operationId") or f"{method}_{path}")
            told = " ".join(str(operation.get(key) or "") for key in ("summary", "description")).strip()
            kind = Kind.CONTEXT if method in _READS else Kind.ACTION
            yield place, kind, {"name": _name(name), "description": told or place, "parameters": parameters}


def _parameters(document: Mapping[str, Any], item: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for each in (*(item.get("parameters") or ()), *(operation.get("parameters") or ())):
        parameter = _resolved(document, each)
        if parameter.get("in") in _TRANSPORT:
            continue
        if parameter.get("in") == "body":
            _take_body(document, parameter.get("schema") or {}, bool(parameter.get("required")), properties, required)
            continue
        schema = dict(_resolved(document, parameter.get("schema") or parameter))
        kept = {key: value for key, value in schema.items() if key not in ("name", "in", "required")}
        if told := parameter.get("description"):
            kept["description"] = told
        name = _name(str(parameter["name"]))
        properties[name] = kept
        if parameter.get("required") and name not in required:
            required.append(name)
    body = _resolved(document, operation.get("requestBody") or {})
    content = body.get("content") or {}
    first = sorted(content, key=lambda kind: "json" not in kind)[:1]
    if first and (held := (content[first[0]] or {}).get("schema")):
        _take_body(document, held, bool(body.get("required", True)), properties, required)
    shared = {key: document[key] for key in ("components", "definitions") if key in document}
    return {"type": "object", "properties": properties, "required": required, **shared}


def _take_body(
    document: Mapping[str, Any], schema: Any, needed: bool, properties: dict[str, Any], required: list[str]
) -> None:
    """The members of a body that is an object, each as a parameter; any other body as one."""
    found = _whole(document, schema)
    members = found.get("properties")
    if not members:
        properties["body"] = dict(found)
        required += ["body"] if needed else []
        return
    for name, member in members.items():
        if not (isinstance(member, Mapping) and member.get("readOnly")):
            properties.setdefault(_name(str(name)), member)
    wanted = [_name(str(name)) for name in found.get("required") or ()]
    required += [name for name in wanted if needed and name in properties and name not in required]


def _whole(document: Mapping[str, Any], schema: Any, depth: int = 0) -> dict[str, Any]:
    """A schema with the members of all that it is made of (`allOf`)."""
    found = dict(_resolved(document, schema))
    if depth > _DEEPEST:
        raise DefinitionError("allOf is nested too deep, or in a circle")
    for part in found.pop("allOf", None) or ():
        inner = _whole(document, part, depth + 1)
        found["properties"] = {**inner.get("properties", {}), **found.get("properties", {})}
        found["required"] = [*inner.get("required", ()), *found.get("required", ())]
    return found


def _resolved(document: Mapping[str, Any], value: Any, depth: int = 0) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DefinitionError("expected an object")
    if "$ref" not in value:
        return value
    keys = str(value["$ref"]).split("/")
    found: Any = document
    for key in keys[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        found = found.get(key) if isinstance(found, Mapping) else None
    if keys[0] != "#" or found is None or depth > _DEEPEST:
        raise DefinitionError(f"$ref {value['$ref']!r} leads nowhere within the document")
    return _resolved(document, found, depth + 1)


def _name(text: str) -> str:
    """A name as calls write it: `GET /pets/{id}` is `get_pets_id`."""
    made = re.sub(r"_{2,}", "_", re.sub(r"[^\w.\-]+", "_", text)).strip("_.-")
    return made if made[:1].isalpha() or made[:1] == "_" else f"_{made}"

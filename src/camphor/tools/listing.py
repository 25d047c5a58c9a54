"""Tools as JSON: DroidCall's Listing 1 and JSON Schema functions, one a line, and files of either.

A line of Listing 1 is `{"name", "description", "arguments": {NAME: {"description", "type", "required", "default"}},
"returns": {"type", "description"}, "example": [...]}`, types in Python's words. What it has no key for is written
only where a tool has it: `kind` of a tool that only reads, and of an argument `role`, `minimum`, `maximum` and
`fields`, which are arguments again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.modules import read_folder, read_module
from camphor.tools.openapi import is_openapi, openapi_tools
from camphor.tools.readers import examples_of, from_schema
from camphor.tools.signatures import read_annotation, write_annotation
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent

_LONGEST_FILE = 64 * 2**20
_DEEPEST = 8
_MOST_YAML = 500_000


def to_listing(tool: Tool) -> dict[str, Any]:
    """The tool as an object of DroidCall's Listing 1."""
    data: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "arguments": {parameter.name: _to_argument(parameter) for parameter in tool.parameters},
    }
    if tool.result is not None:
        data["returns"] = {"type": write_annotation(tool.result), "description": tool.result.description}
        if tool.result.fields:
            data["returns"]["fields"] = {field.name: _to_argument(field) for field in tool.result.fields}
    if tool.examples:
        data["example"] = list(tool.examples)
    if tool.kind is not Kind.ACTION:
        data["kind"] = tool.kind.value
    return data


def from_listing(data: Any, app: str = "") -> Tool:
    """A tool from an object of that form. `required` may be text, as in the paper; without it, a default says so.

    Raises:
        DefinitionError: not of that form; names tool and argument.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):
        raise DefinitionError("expected an object with the tool's name")
    name, arguments, told = data["name"], data.get("arguments") or {}, data.get("returns")
    if not isinstance(arguments, Mapping):
        raise DefinitionError(f"tool {name}: expected arguments as an object of arguments by name")
    try:
        parameters = tuple(_from_argument(str(key), value) for key, value in arguments.items())
        result = _from_result(told) if isinstance(told, Mapping) else None
        kind = Kind(data.get("kind", Kind.ACTION))
        agent = Agent.TASK if kind is Kind.ACTION else Agent.CONTEXT
        description = str(data.get("description") or "")
        return Tool(name, description, parameters, kind, agent, app, result=result, examples=examples_of(data))
    except ValueError as error:
        raise DefinitionError(f"tool {name}: {error}") from None
    except DefinitionError as error:
        raise DefinitionError(f"tool {name}: {error}") from None


def to_schema(tool: Tool) -> dict[str, Any]:
    """The tool as a JSON Schema function, with what it returns, examples and the kind of a tool that only reads."""
    data = tool.to_schema()
    if tool.result is not None:
        data["returns"] = tool.result.to_schema()
    if tool.examples:
        data["examples"] = list(tool.examples)
    if tool.kind is not Kind.ACTION:
        data["kind"] = tool.kind.value
    return data


def write_lines(objects: Iterable[Mapping[str, Any]]) -> str:
    """JSON lines."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def read_tools(path: Path | str, app: str = "", left_out: list[str] | None = None) -> tuple[Tool, ...]:
    """The tools of a file or folder, in its order: Listing 1 or JSON Schema functions, as a JSON list or as JSON lines,
    mixed as they may be; the operations of an OpenAPI document, as JSON or YAML; or a Python module, or a folder of
    modules, which are run (see `modules`).

    Args:
        left_out: is told of what a module or an OpenAPI document has that is no tool, and why.

    Raises:
        DefinitionError: it cannot be read, holds no tool or one name twice; with path and line.
    """
    path, left = Path(path), [] if left_out is None else left_out
    if path.is_dir():
        return read_folder(path, left_out=left)
    if path.suffix == ".py":
        return read_module(path, app, left)
    if path.suffix in (".yaml", ".yml"):
        return _from_openapi(path, _yaml(path), app, left)
    found: dict[str, int] = {}
    tools: list[Tool] = []
    for line, data in _objects(path, _text(path)):
        if is_openapi(data):
            return _from_openapi(path, data, app, left)
        try:
            tool = _from_json(data, app)
        except DefinitionError as error:
            raise DefinitionError(f"{path}, line {line}: {error}") from None
        if tool.name in found:
            told = f"{tool.name} is defined in line {found[tool.name]} already: rename one"
            raise DefinitionError(f"{path}, line {line}: {told}")
        found[tool.name] = line
        tools.append(tool)
    if not tools:
        raise DefinitionError(f"{path}: holds no tool")
    return tuple(tools)


def _from_openapi(path: Path, data: Any, app: str, left_out: list[str]) -> tuple[Tool, ...]:
    if not is_openapi(data):
        raise DefinitionError(f"{path}: expected an OpenAPI document, with openapi and paths")
    try:
        return openapi_tools(data, app, left_out)
    except DefinitionError as error:
        raise DefinitionError(f"{path}: {error}") from None


def _yaml(path: Path) -> Any:
    text = _text(path)
    try:
        import yaml
    except ImportError:
        raise DefinitionError(f"{path}: YAML needs a reader: run  pip install pyyaml  or save it as JSON") from None
    try:
        return _plain(yaml.safe_load(text), [_MOST_YAML])
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise DefinitionError(f"{path}: is not YAML: {' '.join(str(error).split())}") from None


def _plain(value: Any, left: list[int]) -> Any:
    """YAML's value as a JSON one: dates and other objects are text, keys too. Raises ValueError: it has more parts than
    are `left`, as one of aliases of aliases has."""
    left[0] -= 1
    if left[0] < 0:
        raise ValueError(f"it has more than {_MOST_YAML:,} parts")
    if isinstance(value, Mapping):
        return {str(key): _plain(each, left) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each, left) for each in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _from_json(data: Any, app: str) -> Tool:
    if isinstance(data, Mapping) and "arguments" in data:
        return from_listing(data, app)
    try:
        kind = Kind(data.get("kind", Kind.ACTION)) if isinstance(data, Mapping) else Kind.ACTION
    except ValueError:
        raise DefinitionError(f"tool {data.get('name')}: expected kind context or action") from None
    return from_schema(data, kind=kind, app=app)


def _to_argument(parameter: Parameter) -> dict[str, Any]:
    data: dict[str, Any] = {
        "description": parameter.description,
        "type": write_annotation(parameter),
        "required": parameter.required,
    }
    if not parameter.required or parameter.default is not None:
        data["default"] = parameter.default
    for key, value in (("minimum", parameter.minimum), ("maximum", parameter.maximum)):
        if value is not None:
            data[key] = value
    if parameter.role is not Role.TEXT:
        data["role"] = parameter.role.value
    if parameter.fields:
        data["fields"] = {field.name: _to_argument(field) for field in parameter.fields}
    return data


def _from_argument(name: str, data: Any, depth: int = 0) -> Parameter:
    """Raises: ValueError or DefinitionError, with the argument's name."""
    at = f"argument {name}"
    if not isinstance(data, Mapping) or not isinstance(data.get("type", ""), str):
        raise ValueError(f"{at}: expected an object with description, type and required")
    fields = data.get("fields") or {}
    if not isinstance(fields, Mapping) or depth > _DEEPEST:
        raise ValueError(f"{at}: expected fields as an object of arguments by name, nested at most {_DEEPEST} deep")
    for key in ("minimum", "maximum"):
        if not isinstance(data.get(key), int | float | None) or isinstance(data.get(key), bool):
            raise ValueError(f"{at}: expected {key} as a number, found {data[key]!r}")
    try:
        read = read_annotation(data.get("type", ""))
        return Parameter(
            name,
            "|".join(read.kinds),
            str(data.get("description") or ""),
            _required(data, read.nullable),
            Role(data.get("role", Role.TEXT)),
            tuple(read.values),
            data.get("default"),
            data.get("minimum"),
            data.get("maximum"),
            "|".join(read.items),
            tuple(read.choices),
            tuple(_from_argument(str(key), value, depth + 1) for key, value in fields.items()),
        )
    except (ValueError, DefinitionError) as error:
        raise ValueError(f"{at}: {error}") from None


def _required(data: Mapping[str, Any], nullable: bool) -> bool:
    said = data.get("required", "default" not in data and not nullable)
    if isinstance(said, str) and said.strip().casefold() in ("true", "false"):
        said = said.strip().casefold() == "true"
    if not isinstance(said, bool):
        raise ValueError(f"expected required as true or false, found {said!r}")
    return said


def _from_result(data: Mapping[str, Any]) -> Parameter:
    kind = str(data.get("type") or "")
    read = _from_argument("result", {**data, "type": kind, "required": True})
    nullable = read_annotation(kind).nullable
    types = "|".join([*read.types, "null"]) if nullable else read.type
    return Parameter(
        "result", types, read.description, enum=read.enum, items=read.items, choices=read.choices, fields=read.fields
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise DefinitionError(f"{path}: is larger than {_LONGEST_FILE >> 20} MiB")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DefinitionError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:  # not UTF-8, or no name of a file
        raise DefinitionError(f"{path}: is not UTF-8 text: save it as UTF-8") from None


def _objects(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    """The values of a JSON list, or those of JSON lines, each with the line that it begins on."""
    decoder, at, listed = json.JSONDecoder(), _space(text, 0), False
    line, counted = 1, 0
    if text[at : at + 1] == "[":
        at, listed = _space(text, at + 1), True
    while at < len(text) and not (listed and text[at] == "]"):
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise DefinitionError(f"{path}, line {error.lineno}: is not JSON: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise DefinitionError(f"{path}, line {line}: is not JSON: {error}") from None
        yield line, value
        at = _space(text, at)
        if listed and text[at : at + 1] == ",":
            at = _space(text, at + 1)
        elif listed and text[at : at + 1] != "]":
            raise DefinitionError(f"{path}, line {_line(text, at)}: is not JSON: expected , or ]")
    if listed and (after := _space(text, at + 1)) < len(text):
        raise DefinitionError(f"{path}, line {_line(text, after)}: is not JSON: more after the list")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at

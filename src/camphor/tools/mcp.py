"""Tools of MCP servers as data: what a server says of a tool becomes a `Tool`, what it answers becomes JSON values.

A server may say anything. What it says is cut to a length, rid of characters that steer, and put in quotation marks;
its hints (read-only, destructive) count for nothing. A definition that cannot be expressed as parameters of ours makes
no tool. Nothing here speaks to a server.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.readers import from_schema
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Agent

MOST_TOOLS = 64
LONGEST_DESCRIPTION, LONGEST_MEANING, LONGEST_ERROR = 300, 160, 300  # characters
LARGEST_DEFINITION = 20_000  # characters of JSON
MOST_RECORDS, LONGEST_TEXT, LARGEST_RESULT = 50, 2_000, 16_000
APP_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")

_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]{0,63}")
_MOST_PARTS, _DEEPEST, _MOST_CHOICES, _LONGEST_CHOICE = 300, 8, 200, 100
_REFUSED = frozenset(
    ("allOf", "not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired", "prefixItems",
     "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef")
)  # fmt: skip
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_ROLES = {"date-time": Role.TIME, "date": Role.DATE}


@dataclass(frozen=True)
class Offer:
    """A tool as a server offers it.

    Args:
        name: the server's own name of it. digest: SHA-256 of all that the server says of it. tool: None where none can
            be made. problem: why.
    """

    name: str
    digest: str
    tool: Tool | None
    problem: str = ""


def words(text: object, longest: int) -> str:
    """A text from outside on one line, without control, format and private characters, cut to a length."""
    shown = "".join(each if unicodedata.category(each)[0] != "C" else " " for each in str(text)[: 20 * longest])
    line = " ".join(shown.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def digest_of(definition: Mapping[str, Any]) -> str:
    """What tells one definition of a tool from another: SHA-256, in hexadecimal digits."""
    said = {key: value for key, value in definition.items() if key != "_meta"}
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def read_offers(app: str, definitions: Iterable[Mapping[str, Any]], reads: Iterable[str] = ()) -> tuple[Offer, ...]:
    """The tools of a server, in its order; each tool's name begins with the app's, so that none takes another's place.

    Args:
        definitions: as `tools/list` has them, with `name`, `description` and `inputSchema`.
        reads: the server's names of those that the person said only read. All others act.
    """
    reading, taken = frozenset(reads), dict[str, str]()
    offers: list[Offer] = []
    for place, definition in enumerate(definitions):
        name, digest = str(definition.get("name", "")), digest_of(definition)
        try:
            if place >= MOST_TOOLS:
                raise DefinitionError(f"a server may bring {MOST_TOOLS} tools at most")
            tool = _tool(app, name, definition, name in reading)
            if (other := taken.setdefault(tool.name, name)) != name or any(each.name == name for each in offers):
                raise DefinitionError(f"its name cannot be told from that of {words(other, 60)}")
            offers.append(Offer(name, digest, tool))
        except DefinitionError as error:
            offers.append(Offer(name, digest, None, words(error, LONGEST_ERROR)))
    return tuple(offers)


def _tool(app: str, name: str, definition: Mapping[str, Any], reads: bool) -> Tool:
    if not re.search(r"[A-Za-z0-9]", name) or len(name) > 64:
        raise DefinitionError("its name is empty, too long or of no letters")
    if len(json.dumps(definition)) > LARGEST_DEFINITION:
        raise DefinitionError(f"its definition is longer than {LARGEST_DEFINITION:,} characters")
    schema = definition.get("inputSchema")
    if not isinstance(schema, Mapping):
        raise DefinitionError("it has no schema of its parameters")
    said = words(definition.get("description") or "", LONGEST_DESCRIPTION).replace('"', "'")
    return from_schema(
        {
            "name": f"{app}_{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}",
            # marked as somebody's words: what it says is no instruction
            "description": f'The server {app} says of it: "{said}"' if said else f"A tool of the server {app}.",
            "parameters": _Schemas(schema).clean(schema),
        },
        kind=Kind.CONTEXT if reads else Kind.ACTION,
        agent=Agent.CONTEXT if reads else Agent.TASK,
        app=app,
    )


class _Schemas:
    """The part of a schema that parameters of ours can express, without references; the whole may have 300 parts."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root, self._left = root, _MOST_PARTS

    def clean(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """Raises DefinitionError: it says what cannot be expressed, or is too large."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise DefinitionError("its schema is too large, nested too deep or in a circle")
        if schema is True:
            return {}
        if not isinstance(schema, Mapping):
            raise DefinitionError("its schema holds what is no schema")
        if "$ref" in schema:
            return self.clean({**self._target(str(schema["$ref"])), **_without(schema, "$ref")}, depth + 1)
        if refused := sorted(_REFUSED & schema.keys()):
            raise DefinitionError(f"the keyword {refused[0]} in its schema cannot be kept to")
        made: dict[str, Any] = {key: schema[key] for key in ("type", *_BOUNDS) if key in schema}
        if schema.get("description"):
            made["description"] = words(schema["description"], LONGEST_MEANING).replace('"', "'")
        if "enum" in schema or "const" in schema:
            made["enum"] = _choices(schema.get("enum", [schema.get("const")]))
        if isinstance(schema.get("default"), bool | int | float):
            made["default"] = schema["default"]
        if isinstance(schema.get("additionalProperties"), Mapping):
            made["additionalProperties"] = True
        if isinstance(schema.get("properties"), Mapping):
            made["properties"] = {_name(key): self.clean(each, depth + 1) for key, each in schema["properties"].items()}
            required = schema.get("required")
            made["required"] = (
                [each for each in required if isinstance(each, str)] if isinstance(required, list) else []
            )
        if "items" in schema:
            made["items"] = self.clean(schema["items"], depth + 1)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                options = schema[key] if isinstance(schema[key], list) else [schema[key]]
                made[key] = [self.clean(each, depth + 1) for each in options]
        # a guess by name would change values: "time" may want 16:30, "person" must not become what the contacts say
        made["x-role"] = _ROLES.get(str(schema.get("format")), Role.TEXT).value
        return made

    def _target(self, reference: str) -> Mapping[str, Any]:
        found: Any = self._root
        for key in reference.removeprefix("#").split("/")[1:]:
            found = found.get(key) if isinstance(found, Mapping) else None
        if not reference.startswith("#") or not isinstance(found, Mapping):
            raise DefinitionError("a $ref in its schema leads nowhere")
        return found


def _without(schema: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}


def _name(key: Any) -> str:
    if not isinstance(key, str) or not _PARAMETER.fullmatch(key):
        raise DefinitionError(f"{words(key, 40)!r} cannot be the name of a parameter")
    return key


def _choices(values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) > _MOST_CHOICES:
        raise DefinitionError(f"a parameter has more than {_MOST_CHOICES} values to choose from")
    for value in values:
        if isinstance(value, str) and value != words(value, _LONGEST_CHOICE):
            raise DefinitionError("a value to choose from is too long, or has characters that steer")
    return values


# What a server answers.


def values_of(result: Mapping[str, Any]) -> list[Any]:
    """What a tool gave back as JSON values, bounded in number, length and depth; pictures and files are named only.

    Args:
        result: of `tools/call`: `structuredContent` where it has any, or else `content`.
    """
    structured = result.get("structuredContent")
    if structured is None:
        found = [value for block in result.get("content") or () for value in _of_block(block)]
    else:
        inner = structured.get("result", structured) if isinstance(structured, Mapping) else structured
        only = not isinstance(structured, Mapping) or set(structured) == {"result"}
        found = inner if only and isinstance(inner, list) else [inner if only else structured]
        found += [named for block in result.get("content") or () for named in _named(block)]
    return _Bounds().all(found)


def error_of(result: Mapping[str, Any]) -> str:
    """The server's words about its failure, on one line."""
    texts = [str(block.get("text", "")) for block in result.get("content") or () if block.get("type") == "text"]
    return words(" ".join(texts), LONGEST_ERROR)


def _of_block(block: Mapping[str, Any]) -> list[Any]:
    if block.get("type") != "text":
        return _named(block)
    text = str(block.get("text", ""))
    try:
        value = json.loads(text) if text.lstrip()[:1] in ("{", "[") else text
    except (ValueError, RecursionError):
        value = text
    return value if isinstance(value, list) else [value]


def _named(block: Mapping[str, Any]) -> list[Any]:
    """A block that is no text, as a record that says what it was."""
    kind = str(block.get("type", ""))
    if kind == "text":
        return []
    inner = block.get("resource") if isinstance(block.get("resource"), Mapping) else block
    assert isinstance(inner, Mapping)
    facts = [str(inner[key]) for key in ("name", "uri", "mimeType") if inner.get(key)]
    return [{"not_shown": words(f"{kind.replace('_', ' ')} {', '.join(facts)}", LONGEST_MEANING)}]


class _Bounds:
    """Cuts an answer to what a record may be."""

    def __init__(self) -> None:
        self._left = LARGEST_RESULT

    def all(self, values: list[Any]) -> list[Any]:
        kept: list[Any] = []
        for value in values[:MOST_RECORDS]:
            if self._left <= 0:
                break
            kept.append(self._cut(value, 0))
        if len(kept) < len(values):
            kept.append({"left_out": f"{len(values) - len(kept):,} more: the answer is too long, ask for less"})
        return kept

    def _cut(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool | int | float):
            self._left -= 8
            return value
        if isinstance(value, Mapping | list) and depth > _DEEPEST:
            return "…"
        if isinstance(value, Mapping):
            pairs = list(value.items())[:MOST_RECORDS]
            return {words(key, 64): self._cut(each, depth + 1) for key, each in pairs if self._left > 0}
        if isinstance(value, list):
            return [self._cut(each, depth + 1) for each in value[:MOST_RECORDS] if self._left > 0]
        text = words(value, max(1, min(LONGEST_TEXT, self._left)))
        self._left -= len(text) + 8
        return text

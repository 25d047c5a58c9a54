"""Properties of a JSON Schema as parameters of a tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.roles import FORMATS
from camphor.tools.tool import NAME, Parameter, Role

# Type names that published tool sets write in place of JSON Schema's.
_OTHER_NAMES = {
    "str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number",
    "bool": "boolean", "list": "array", "tuple": "array", "dict": "object", "any": "",
}  # fmt: skip
Infer = Callable[[str, str, str], Role]

_NUMBERS = ("integer", "number")
_DEEPEST = 8
_DEEPEST_FIELDS = 4
_JSON: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


MOST_READ = 10_000
"""Parts of one tool's schema that are read: a foreign one may be nested without end."""
_DEEPEST_REF = 32


def resolved(
    root: Mapping[str, Any], schema: Any, depth: int = 0, spent: Counter[str] | None = None
) -> Mapping[str, Any]:
    """A schema with what it refers to in place of `$ref`, and one of all that it is made of in place of `allOf`.

    Args:
        root: what references lead into. spent: counts what was read.

    Raises:
        DefinitionError: it is none, a reference leads nowhere, or more than `MOST_READ` parts would have to be read.
    """
    spent = Counter() if spent is None else spent
    spent["parts"] += 1
    if not isinstance(schema, Mapping):
        raise DefinitionError("expected a JSON Schema object")
    if spent["parts"] > MOST_READ or depth > _DEEPEST_REF:
        raise DefinitionError(f"the schema has more than {MOST_READ} parts, or is nested without end")
    if "$ref" in schema:
        keys = [key.replace("~1", "/").replace("~0", "~") for key in str(schema["$ref"]).split("/")]
        found: Any = root
        for key in keys[1:]:
            found = found.get(key) if isinstance(found, Mapping) else None
        if keys[0] != "#" or found is None:
            raise DefinitionError(f"$ref {schema['$ref']!r} leads nowhere")
        own = {key: value for key, value in schema.items() if key != "$ref"}
        return {**resolved(root, found, depth + 1, spent), **own}
    parts = schema.get("allOf")
    if not isinstance(parts, list) or not parts:
        return schema
    whole: dict[str, Any] = {}
    for part in (*parts, {key: value for key, value in schema.items() if key != "allOf"}):
        each = resolved(root, part, depth + 1, spent)
        members = {**_dict(whole.get("properties")), **_dict(each.get("properties"))}
        needed = [*_list(whole.get("required")), *_list(each.get("required"))]
        whole |= each
        whole |= ({"properties": members} if members else {}) | ({"required": needed} if needed else {})
    return whole


def _dict(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


class SchemaReader:
    """Reads the properties of one tool's parameters schema.

    Args:
        where: the tool, for errors. root: what `$ref` leads into. infer: the role of a text parameter by its name,
            format and description.
    """

    def __init__(self, where: str, root: Mapping[str, Any], infer: Infer) -> None:
        self._where, self._root, self._infer = where, root, infer
        self._spent: Counter[str] = Counter()

    def read(self, name: str, schema: Any, required: bool) -> Parameter:
        """One parameter. One that may be null may also be left out.

        Raises:
            DefinitionError: a schema that cannot be read; names tool and parameter.
        """
        try:
            return self._parameter(name, schema, required)
        except DefinitionError as error:
            raise DefinitionError(f"{self._where}, parameter {name}: {error}") from None

    def result(self, schema: Mapping[str, Any]) -> Parameter:
        """What the tool gives back, which may be null. Raises: DefinitionError, as `read`."""
        read = self.read("result", schema, True)
        kind = f"{read.type}|null" if read.type and not read.required else read.type
        return replace(read, type=kind or ("null" if schema.get("type") == "null" else ""), required=True)

    def _parameter(self, name: str, schema: Any, required: bool, depth: int = 0) -> Parameter:
        schema = self._resolved(schema)
        kinds, enum, nullable = self._types(schema)
        array, number = self._part(schema, "array"), self._part(schema, *_NUMBERS)
        elements = self._resolved(array["items"]) if isinstance(array.get("items"), Mapping) else {}
        items, choices, _ = self._types(elements) if elements else ([], [], False)
        holder = schema if "object" in kinds else elements if "array" in kinds and "object" in items else {}
        return Parameter(
            name,
            "|".join(kinds),
            str(schema.get("description") or ""),
            required and not nullable,
            self._role(name, schema, elements, kinds, enum),
            tuple(enum),
            schema.get("default"),
            _bound(number, "minimum", "exclusiveMinimum", 1, kinds),
            _bound(number, "maximum", "exclusiveMaximum", -1, kinds),
            "|".join(items) if "array" in kinds else "",
            tuple(choices) if "array" in kinds else (),
            self._members(holder, depth),
        )

    def _members(self, schema: Mapping[str, Any], depth: int) -> tuple[Parameter, ...]:
        """The fields of an object; none, so that any are taken, where it is too deep or a key is no name."""
        schema = self._part(schema, "object")
        properties, required = schema.get("properties"), schema.get("required") or []
        too_much = depth >= _DEEPEST_FIELDS or self._spent["parts"] > MOST_READ // 2
        if not isinstance(properties, Mapping) or too_much or schema.get("additionalProperties"):
            return ()
        if not isinstance(required, list) or not all(NAME.fullmatch(str(key)) for key in properties):
            return ()
        return tuple(self._parameter(str(key), value, key in required, depth + 1) for key, value in properties.items())

    def _part(self, schema: Mapping[str, Any], *wanted: str) -> Mapping[str, Any]:
        """Of alternatives, the one that is of such a type, where it is one: None is the usual other one."""
        options = schema.get("anyOf") or schema.get("oneOf")
        if not isinstance(options, list):
            return schema
        parts = [each for each in map(self._resolved, options) if set(wanted) & set(self._types(each)[0])]
        return parts[0] if len(parts) == 1 else {}

    def _resolved(self, schema: Any) -> Mapping[str, Any]:
        return resolved(self._root, schema, spent=self._spent)

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
        lowered = (str(each).lower() for each in names)  # some sets write STRING
        kinds = [_OTHER_NAMES.get(each, each) for each in lowered]
        enum = [schema["const"]] if "const" in schema else schema.get("enum") or []
        if not isinstance(enum, list) or not all(value is None or type(value) in _JSON for value in enum):
            raise DefinitionError("expected enum as a list of texts, numbers or booleans")
        nullable = "null" in kinds or None in enum or schema.get("nullable") is True
        enum = [value for value in enum if value is not None]
        if kinds := [each for each in kinds if each not in ("", "null")]:
            return kinds, enum, nullable
        kinds = list(dict.fromkeys(_JSON[type(value)] for value in enum))
        return kinds, enum, nullable

    def _role(
        self,
        name: str,
        schema: Mapping[str, Any],
        elements: Mapping[str, Any],
        kinds: Sequence[str],
        enum: Sequence[Any],
    ) -> Role:
        parts = (schema, self._part(schema, "string"), self._part(schema, "array"), elements)
        if said := next((part["x-role"] for part in parts if "x-role" in part), None):
            try:
                return Role(said)
            except ValueError:
                known = ", ".join(Role)
                raise DefinitionError(f"x-role {said!r} is unknown: use one of {known}") from None
        if enum or (kinds and "string" not in kinds):
            return FORMATS.get(str(elements.get("format") or ""), Role.TEXT)
        text = self._part(schema, "string")
        description, form = str(schema.get("description") or ""), str(text.get("format") or "")
        return self._infer(name, form, description)


def _merge(parts: Sequence[tuple[list[str], list[Any], bool]]) -> tuple[list[str], list[Any], bool]:
    kinds = list(dict.fromkeys(kind for part in parts for kind in part[0]))
    # values count only where every alternative is a list of them; else the types say what else is allowed
    closed = all(part[1] for part in parts if part[0] or part[1])
    return kinds, [value for part in parts for value in part[1]] if closed else [], any(part[2] for part in parts)


def _bound(schema: Mapping[str, Any], key: str, exclusive: str, step: int, kinds: Sequence[str]) -> float | None:
    value, beyond = schema.get(key), schema.get(exclusive)
    beyond = value if beyond is True else beyond  # as OpenAPI 3.0 has it
    if isinstance(beyond, int | float) and not isinstance(beyond, bool):
        value = beyond + step if list(kinds) == ["integer"] else beyond
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise DefinitionError(f"expected {key} as a number, found {value!r}")

"""Types written as text.

They are in Python's words or JSON Schema's: `list[str]`, `Optional[int]`, `int | Literal["all"]`. DroidCall's
Listing 1 has such texts. They are parsed, never evaluated.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from camphor.tools.tool import Parameter

_KINDS = {
    "str": "string", "string": "string", "text": "string", "datetime": "string", "date": "string",
    "int": "integer", "integer": "integer", "float": "number", "number": "number", "double": "number",
    "bool": "boolean", "boolean": "boolean", "list": "array", "array": "array", "tuple": "array", "sequence": "array",
    "iterable": "array", "set": "array", "dict": "object", "object": "object", "mapping": "object",
}  # fmt: skip
_ANY = ("any", "")
_NONE = ("none", "null", "nonetype")
_JSON: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
_PYTHON = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict",
    "null": "None",
}  # fmt: skip
_LONGEST = 2000


@dataclass
class TypeText:
    """JSON types, the values allowed, types and values of elements, and whether None is taken."""

    kinds: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    choices: list[Any] = field(default_factory=list)
    nullable: bool = False
    open: bool = False
    """Whether other values than those listed are taken too."""


def read_annotation(text: str) -> TypeText:
    """What a type written as text says; of the empty text, that any value is taken.

    Raises:
        ValueError: it is no type; the message quotes it.
    """
    found = TypeText()
    if not text.strip():
        return found
    try:
        if len(text) > _LONGEST:
            raise ValueError
        _add(found, ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"type {text[:60]!r} is unknown: write str, int, float, bool, list[str] or dict") from None
    for each in (found.kinds, found.values, found.items, found.choices):
        each[:] = _unique(each)
    if found.open:
        found.values.clear()
    return found


def write_annotation(parameter: Parameter) -> str:
    """The parameter's type in Python's words: what `read_annotation` reads back."""
    if parameter.enum:
        return _literal(parameter.enum)
    return " | ".join(_written(kind, parameter) for kind in parameter.types) or "Any"


def _written(kind: str, parameter: Parameter) -> str:
    if kind != "array" or not parameter.items:
        return _PYTHON[kind]
    inner = _literal(parameter.choices) or " | ".join(_PYTHON[each] for each in parameter.items.split("|"))
    return f"list[{inner}]"


def _literal(values: Sequence[Any]) -> str:
    words = [str(value) if isinstance(value, bool) else json.dumps(value, ensure_ascii=False) for value in values]
    return f"Literal[{', '.join(words)}]" if words else ""


def _add(found: TypeText, node: ast.expr) -> None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        _add(found, node.left)
        _add(found, node.right)
    elif isinstance(node, ast.Subscript):
        _subscripted(found, _word(node.value), node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        _add(found, ast.parse(node.value, mode="eval").body)  # a type in quotes
    else:
        _named(found, _word(node))


def _subscripted(found: TypeText, word: str, inner: Sequence[ast.expr]) -> None:
    if word in ("optional", "union", "annotated"):
        found.nullable |= word == "optional"
        for each in inner[:1] if word == "annotated" else inner:
            _add(found, each)
    elif word == "literal":
        for each in inner:
            _choose(found, ast.literal_eval(each))
    elif _KINDS.get(word) == "array":
        found.open = True
        found.kinds.append("array")
        element = TypeText()
        for each in inner:
            if not (isinstance(each, ast.Constant) and each.value is Ellipsis):
                _add(element, each)
        found.items += element.kinds
        found.choices += [] if element.open else element.values
    elif _KINDS.get(word) == "object":
        _named(found, word)
    else:
        raise ValueError(word)


def _choose(found: TypeText, value: Any) -> None:
    if value is None:
        found.nullable = True
    else:
        found.kinds.append(_JSON[type(value)] if type(value) in _JSON else _refuse(value))
        found.values.append(value)


def _refuse(value: object) -> str:
    raise ValueError(value)


def _named(found: TypeText, word: str) -> None:
    if word in _NONE:
        found.nullable = True
        return
    found.open = True
    if word not in _ANY:
        found.kinds.append(_KINDS.get(word) or _refuse(word))


def _word(node: ast.expr) -> str:
    """The last part of a name, without capitals: `typing.List` is `list`."""
    if isinstance(node, ast.Name):
        return node.id.casefold()
    if isinstance(node, ast.Attribute):
        return node.attr.casefold()
    return "none" if isinstance(node, ast.Constant) and node.value is None else str(_refuse(node))


def _unique(values: list[Any]) -> list[Any]:
    """In their order; True and 1 are two values."""
    return [value for (_, value) in dict.fromkeys((type(value), value) for value in values)]

"""What the source of a function says of it: types written as text, and Google-style docstrings.

Types are in Python's words or JSON Schema's: `list[str]`, `Optional[int]`, `int | Literal["all"]`. DroidCall's
Listing 1 has such texts. They are parsed, never evaluated.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
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


_SECTION = re.compile(
    r"(Args|Arguments|Parameters|Returns?|Raises|Yields|Examples?|Notes?|Attributes|Todo|Warnings?|See Also):\s*$"
)
_ARGUMENTS = ("Args", "Arguments", "Parameters")
_RESULT = ("Return", "Returns", "Yields")
_EXAMPLES = ("Example", "Examples")
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\((.*?)\))?\s*:\s*(.*)", re.DOTALL)
_ALONE = ("None", "str", "int", "float", "bool", "list", "dict")  # types even where no colon follows
_TYPE = r"[A-Za-z_][\w.]*(?:\[[^:]*\])?"
_TYPED = re.compile(rf"({_TYPE}(?:\s*\|\s*{_TYPE})*)\s*(?::\s+(.*)|:?)$")


@dataclass(frozen=True)
class Docstring:
    """What a docstring says.

    Args:
        description: all text before the first section, on one line.
        parameters: each parameter's meaning, on one line. types: what stands in brackets after a parameter's name.
        result, result_type: what is given back, and its type where the section begins with one; "" for nothing said.
        examples: the text of each section of examples, without its indentation.
    """

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    result: str = ""
    result_type: str = ""
    examples: tuple[str, ...] = ()


def read_docstring(text: str, of_class: bool = False) -> Docstring:
    """What a docstring in Google's style says.

    Args:
        text: the docstring, already without its common indentation (`inspect.getdoc`). of_class: whether `Attributes:`
            describes parameters too, as it does where a class is built from what it holds.

    Raises:
        ValueError: a line of the arguments' section is not `name: description`, or describes a parameter again; the
            message quotes it.
    """
    head, sections = _split(text)
    arguments = (*_ARGUMENTS, "Attributes") if of_class else _ARGUMENTS
    described: dict[str, str] = {}
    types: dict[str, str] = {}
    result, result_type = "", ""
    examples = []
    for title, lines in sections:
        if title in arguments:
            for name, kind, meaning in map(_entry, _entries(lines)):
                if name in described:
                    raise ValueError(f"the docstring describes {name} twice")
                described[name], types[name] = meaning, kind
        elif title in _RESULT:
            result_type, result = _result(" ".join(" ".join(lines).split()))
        elif title in _EXAMPLES and (example := textwrap.dedent("\n".join(lines)).strip()):
            examples.append(example)
    return Docstring(" ".join(" ".join(head).split()), described, types, result, result_type, tuple(examples))


def _split(text: str) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """The lines before the first section, and each section's title and lines."""
    head: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        header = _SECTION.match(line) if line[:1].strip() else None
        if header:
            sections.append((header[1], []))
        else:
            (sections[-1][1] if sections else head).append(line)
    return head, sections


def _entries(lines: Sequence[str]) -> list[str]:
    """One text an entry: lines that are indented deeper than the first one go on with the entry before."""
    entries: list[str] = []
    margin: int | None = None
    for line in lines:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        margin = indent if margin is None else margin
        if indent <= margin:
            entries.append(line.strip())
        else:
            entries[-1] += " " + line.strip()
    return entries


def _entry(text: str) -> tuple[str, str, str]:
    """Name, type as it is written, and meaning."""
    found = _ENTRY.fullmatch(text)
    if not found:
        raise ValueError(f"expected  name: description, found {text[:60]!r}")
    kind = re.sub(r",\s*optional$", "", found[2] or "").strip()
    return found[1], kind, " ".join(found[3].split())


def _result(text: str) -> tuple[str, str]:
    """Type and meaning. One word before a colon is taken for a type only where it could be one."""
    found = _TYPED.match(text)
    if not found or (found[2] is None and found[1] not in _ALONE):
        return "", text
    return found[1], found[2] or ""

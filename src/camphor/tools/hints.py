"""Types of Python functions as JSON Schema, and JSON values as objects of those types; by pydantic, but for plain ones.

The types of every function of the built-in apps are plain: they are told without pydantic, whose import takes as long
as reading all of those functions. What a type checker alone imports (`if TYPE_CHECKING:`) is imported to be read; a
name that leads nowhere stands for a type that cannot be read.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dataclasses
import enum
import inspect
import math
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

from camphor.tools.docstrings import read_docstring
from camphor.tools.tool import Role

Schema = dict[str, Any]

_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    Decimal: {"type": "number"},
    bytes: {"type": "string"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    timedelta: {"type": "string", "format": "duration", "x-role": "duration"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    set: {"type": "array"},
    frozenset: {"type": "array"},
    Sequence: {"type": "array"},
    Iterable: {"type": "array"},
    dict: {"type": "object"},
    Mapping: {"type": "object"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}
_SCALARS = (str, int, float, bool)
_DEEPEST = 32

# What the annotations of a function are.

CHECKERS_IMPORTS = "__checkers_imports__"
"""Where a module that was read keeps the imports that only type checkers do, as code: its file may change later."""
_READ: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


class Unknown(type):
    """A type whose name leads nowhere; what is read off it, or put in its brackets, is unknown too."""

    def __getattr__(cls, name: str) -> Unknown:
        if name.startswith("__"):
            raise AttributeError(name)
        return unknown(f"{cls.__name__}.{name}")

    def __getitem__(cls, _: Any) -> Unknown:
        return cls


def unknown(name: str) -> Unknown:
    """The unknown type of that name."""
    return Unknown(name, (), {})


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of a function's parameters, and of what it gives back under "return"; an annotation that cannot be told
    is `Unknown`. Told once a function: later calls run none of its module's code."""
    plain = inspect.unwrap(function)
    plain = inspect.unwrap(getattr(plain, "__func__", plain))
    try:
        if plain not in _READ:
            _READ[plain] = _hints(plain)
        return _READ[plain]
    except TypeError:  # nothing that can be remembered, such as a builtin function
        return _hints(plain)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    with suppress(Exception):
        return typing.get_type_hints(function, include_extras=True)
    names, found = _Names(getattr(function, "__globals__", {})), {}
    for name, hint in getattr(function, "__annotations__", {}).items():
        alone = SimpleNamespace(__annotations__={name: hint})
        try:
            found[name] = typing.get_type_hints(alone, {}, names, include_extras=True)[name]
        except Exception:  # annotations are expressions: reading them can raise anything
            found[name] = unknown(hint if isinstance(hint, str) else str(hint))
    return found


class _Names(dict[str, Any]):
    """What names in annotations stand for: those of the module, those that only a type checker imports, or unknown."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        super().__init__(vars(builtins))
        self.update(_checkers_imports(module))
        self.update(module)

    def __missing__(self, name: str) -> Any:
        return unknown(name)


def checkers_imports(tree: ast.Module) -> tuple[Any, ...]:
    """The imports of a module that only type checkers do, each as code."""
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _is_checking(node.test)]
    found = [each for block in blocks for each in block.body if isinstance(each, ast.Import | ast.ImportFrom)]
    return tuple(compile(ast.Module([each], []), "<types>", "exec") for each in found)


def _is_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _checkers_imports(module: Mapping[str, Any]) -> dict[str, Any]:
    codes = module.get(CHECKERS_IMPORTS)
    if codes is None:  # a module of the running program
        try:
            codes = checkers_imports(ast.parse(inspect.getsource(sys.modules[module["__name__"]])))
        except (KeyError, OSError, TypeError, SyntaxError):
            return {}
    found: dict[str, Any] = {}
    for code in codes:
        with suppress(Exception, SystemExit), contextlib.redirect_stdout(sys.stderr):  # what fails stays unknown
            exec(code, {"__package__": module.get("__package__"), "__name__": module.get("__name__")}, found)
    return found


def name_of(hint: Any) -> str:
    """A type as errors call it."""
    return hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)


# What a type is in JSON Schema.


def schema_of(hint: Any) -> Schema:
    """The JSON Schema of a type, with what it refers to under `$defs`.

    Of a union the parts that have no JSON form are left out, as long as one other than None has.

    Raises:
        TypeError: it has no JSON form; the message is its name, and why where that is not plain.
    """
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated and (role := next((each for each in args if isinstance(each, Role)), None)):
        return {**schema_of(args[0]), "x-role": role.value}
    if origin in (typing.Union, types.UnionType):
        return _union(args, hint)
    if isinstance(hint, typing.NewType):
        return schema_of(hint.__supertype__)
    try:
        if (bare := hint if args else origin or hint) in _PLAIN:  # `typing.List` without brackets is a list
            return dict(_PLAIN[bare])
    except TypeError:  # not hashable
        pass
    if origin is list:
        items = schema_of(args[0])
        defs = items.pop("$defs", {})
        return {"type": "array", "items": items, **({"$defs": defs} if defs else {})}
    if origin in (dict, Mapping) and args[1] in (Any, object):
        return {"type": "object"}
    if origin is typing.Literal and all(type(value) in _SCALARS for value in args):
        return {"enum": list(args)}
    return _by_pydantic(hint)


def _union(options: Sequence[Any], hint: Any) -> Schema:
    parts, defs = [], {}
    for option in options:
        with suppress(TypeError):
            part = schema_of(option)
            defs.update(part.pop("$defs", {}))
            parts.append(part)
    if all(part.get("type") == "null" for part in parts):
        raise TypeError(name_of(hint))
    return {"anyOf": parts, **({"$defs": defs} if defs else {})}


def _by_pydantic(hint: Any) -> Schema:
    from pydantic import TypeAdapter

    if isinstance(hint, type) and issubclass(hint, enum.Enum) and not len(hint):
        raise TypeError(f"{hint.__name__}, which has no values,")
    try:
        schema: Schema = TypeAdapter(_readable(hint)).json_schema()
        _describe(schema, hint)
    except Exception:  # a type's own code runs there
        raise TypeError(name_of(hint)) from None
    return schema


def _readable(hint: Any, inside: Mapping[type, Any] | None = None) -> Any:
    """The type with each `typing.TypedDict` in its place as pydantic reads it on every Python: before 3.12 it must come
    from typing_extensions, and marks of fields that are texts are not seen. One within itself is any object there."""
    inside = inside or {}
    args, origin = typing.get_args(hint), typing.get_origin(hint)
    if args and isinstance(origin, type) and hasattr(origin, "__class_getitem__"):
        return origin.__class_getitem__(tuple(_readable(each, inside) for each in args))
    if not (typing.is_typeddict(hint) and type(hint).__module__ == "typing"):
        return hint
    if hint in inside:
        return dict[str, Any]
    import typing_extensions

    fields = {}
    for name, kind in typing.get_type_hints(hint, include_extras=True).items():
        mark = typing.get_origin(kind)
        marked = mark in (typing.Required, typing.NotRequired)
        needed = mark is typing.Required or (not marked and name in hint.__required_keys__)
        inner = _readable(typing.get_args(kind)[0] if marked else kind, {**inside, hint: None})
        fields[name] = (typing_extensions.Required if needed else typing_extensions.NotRequired)[inner]
    return typing_extensions.TypedDict(hint.__name__, fields)  # type: ignore[operator]


def _describe(schema: Schema, hint: Any) -> None:
    """Puts what the docstrings of a type's classes say of their fields into its schema, and takes out the fields of
    dataclasses that nobody gives."""
    places = [schema, *schema.get("$defs", {}).values()]
    for each in _classes(hint, set()):
        told = read_docstring(_own_docstring(each), of_class=True)
        given = {field.name: field.init for field in dataclasses.fields(each)} if dataclasses.is_dataclass(each) else {}
        for place in places:
            if place.get("title") != each.__name__ or "properties" not in place:
                continue
            if "description" in place:
                place["description"] = told.description
            for name, field in list(place["properties"].items()):
                if not given.get(name, True):
                    del place["properties"][name]
                elif meaning := told.parameters.get(name):
                    field.setdefault("description", meaning)


def _classes(hint: Any, seen: set[Any]) -> Iterator[type]:
    for each in typing.get_args(hint):
        yield from _classes(each, seen)
    if isinstance(hint, type) and hint not in seen and _has_fields(hint):
        seen.add(hint)
        yield hint
        with suppress(Exception):  # pydantic has read it: what is missing are descriptions
            for each in typing.get_type_hints(hint).values():
                yield from _classes(each, seen)


def _has_fields(hint: type) -> bool:
    return dataclasses.is_dataclass(hint) or typing.is_typeddict(hint) or hasattr(hint, "model_fields")


def _own_docstring(hint: type) -> str:
    written = hint.__doc__ or ""
    # dataclasses without a docstring are given their signature as one, TypedDict classes inherit that of dict
    if typing.is_typeddict(hint) and written == dict.__doc__:
        return ""
    return "" if written.startswith(f"{hint.__name__}(") else inspect.cleandoc(written)


# JSON values as Python objects, and back.

_PART = re.compile(r"(\d+) ?(hour|minute|second)s?")
_LENGTH = re.compile(rf"(?:{_PART.pattern} ?)+")
"""A length of time as `Role.DURATION` has it: "1 hours 30 minutes"."""
_CLOCK = re.compile(r"\d:\d\d(?::\d\d)?")


def build(hint: Any, value: Any) -> Any:
    """A JSON value as the Python object of that type; of a type that cannot be read, the value.

    Raises:
        ValueError: it is no such value; says what is wrong with it.
    """
    if isinstance(hint, Unknown) or hint in (Any, object) or (hint in _SCALARS and type(value) is hint):
        return value
    try:
        schema = schema_of(hint)
    except TypeError:
        return value
    value = _written(value, schema, schema.get("$defs", {}))
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(_readable(hint)).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"[{each!r}]" for each in first["loc"])
        raise ValueError(f"{where and where + ': '}{first['msg']}") from None
    except Exception as error:
        raise ValueError(f"{name_of(hint)} cannot be made: {error}") from None


def _written(value: Any, schema: Any, defs: Mapping[str, Any], depth: int = 0) -> Any:
    """A JSON value with each time in it as pydantic reads it, and no other way: it takes digits for seconds since 1970.

    Raises:
        ValueError: a time in digits alone.
    """
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return value
    if isinstance(reference := schema.get("$ref"), str):
        return _written(value, defs.get(reference.rsplit("/", 1)[-1]), defs, depth + 1)
    options = [each for key in ("anyOf", "oneOf") for each in schema.get(key) or () if isinstance(each, Mapping)]
    if options and isinstance(value, str):
        forms = [str(each.get("format") or "") for each in options if each.get("type") == "string"]
        return value if "" in forms else _time_written(value, _form_of(value, forms))
    for option in options:
        value = _written(value, option, defs, depth + 1)
    if isinstance(value, str):
        return _time_written(value, str(schema.get("format") or ""))
    if isinstance(value, list):
        first, others = schema.get("prefixItems") or (), schema.get("items")
        kinds = (first[place] if place < len(first) else others for place in range(len(value)))
        return [_written(each, kind, defs, depth + 1) for each, kind in zip(value, kinds, strict=True)]
    if isinstance(value, dict):
        members, others = schema.get("properties") or {}, schema.get("additionalProperties")
        return {key: _written(each, members.get(key, others), defs, depth + 1) for key, each in value.items()}
    return value


def _form_of(text: str, forms: Sequence[str]) -> str:
    """Which of several forms a text has."""
    if "duration" in forms and _LENGTH.fullmatch(text):
        return "duration"
    moment = next((form for form in ("date-time", "date", "time") if form in forms), "")
    return "time" if "time" in forms and ":" in text and "-" not in text else moment


def _time_written(text: str, form: str) -> str:
    if form in ("date-time", "date", "time") and text.strip().lstrip("-+").replace(".", "").isdigit():
        raise ValueError(f"{text!r} is no {form} in ISO 8601")
    if form == "duration" and _LENGTH.fullmatch(text):
        counts = {unit: count for count, unit in _PART.findall(text)}
        units = (unit for unit in ("hour", "minute", "second") if unit in counts)
        return "PT" + "".join(f"{counts[unit]}{unit[0].upper()}" for unit in units)
    if form == "date":
        with suppress(ValueError):
            return datetime.fromisoformat(text).date().isoformat()  # of a moment its day
    return f"0{text}" if form == "time" and _CLOCK.fullmatch(text) else text


def to_json(value: Any, depth: int = 0) -> Any:
    """A Python value as a JSON value; what has no such form as its text.

    Raises:
        ValueError: it holds itself, or is nested too deep.
    """
    if depth > _DEEPEST:
        raise ValueError(f"the result is nested deeper than {_DEEPEST}")
    if isinstance(value, enum.Enum):
        return to_json(value.value, depth + 1)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if isinstance(value, timedelta):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_json(getattr(value, each.name), depth + 1) for each in dataclasses.fields(value)}
    if hasattr(type(value), "model_fields"):
        return {name: to_json(getattr(value, name), depth + 1) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        return {str(key): to_json(each, depth + 1) for key, each in value.items()}
    if isinstance(value, Iterable):
        return [to_json(each, depth + 1) for each in value]
    return str(value)

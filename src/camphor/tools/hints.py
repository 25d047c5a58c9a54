"""Types of Python functions as JSON Schema, and JSON values as objects of those types; by pydantic, but for plain ones.

The types of every function of the built-in apps are plain: they are told without pydantic, whose import takes as long
as reading all of those functions. What a type checker alone imports (`if TYPE_CHECKING:`) is imported to be read; a
name that leads nowhere stands for a type that cannot be read.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

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
_PART = re.compile(r"(\d+) (hours|minutes|seconds)")
_LENGTH = re.compile(rf"(?:{_PART.pattern} ?)+")
"""A length of time as `Role.DURATION` has it: "1 hours 30 minutes"."""


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
    """The types of a function's parameters, and of what it gives back under "return", as far as they can be told.

    Raises:
        Exception: an annotation is no expression, or raises.
    """
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError:
        pass
    plain = inspect.unwrap(function)
    plain = getattr(plain, "__func__", plain)
    names = _Names(getattr(plain, "__globals__", {}))
    found = {}
    for name, hint in getattr(plain, "__annotations__", {}).items():
        found[name] = eval(hint, {}, names) if isinstance(hint, str) else hint
    return {name: type(None) if hint is None else hint for name, hint in found.items()}


class _Names(dict[str, Any]):
    """What names in annotations stand for: those of the module, those that only a type checker imports, or unknown."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        super().__init__(vars(importlib.import_module("builtins")))
        self.update(_checkers_imports(module))
        self.update(module)

    def __missing__(self, name: str) -> Any:
        return unknown(name)


def _checkers_imports(module: Mapping[str, Any]) -> dict[str, Any]:
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module["__name__"]]))
    except (KeyError, OSError, TypeError, SyntaxError):
        return {}
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for each in node.body:
                if isinstance(each, ast.Import | ast.ImportFrom):
                    code = compile(ast.Module([each], []), "<types>", "exec")
                    with suppress(Exception):  # what cannot be imported stays unknown
                        exec(code, {"__package__": module.get("__package__"), "__name__": module["__name__"]}, found)
    return found


def name_of(hint: Any) -> str:
    """A type as errors call it."""
    return hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)


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
        if hint in _PLAIN:
            return dict(_PLAIN[hint])
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
    from pydantic.errors import PydanticUserError

    if isinstance(hint, type) and issubclass(hint, enum.Enum) and not len(hint):
        raise TypeError(f"{hint.__name__}, which has no values,")
    try:
        schema: Schema = TypeAdapter(_readable(hint)).json_schema()
    except (PydanticUserError, TypeError, NameError, AttributeError, ValueError, RecursionError):
        raise TypeError(name_of(hint)) from None
    described(schema, hint)
    return schema


def _readable(hint: Any) -> Any:
    """The type with each `typing.TypedDict` in its place as pydantic reads it on every Python: before 3.12 it must come
    from typing_extensions, and marks of fields that are texts are not seen."""
    args, origin = typing.get_args(hint), typing.get_origin(hint)
    if args and isinstance(origin, type) and hasattr(origin, "__class_getitem__"):
        return origin.__class_getitem__(tuple(map(_readable, args)))
    if not (typing.is_typeddict(hint) and type(hint).__module__ == "typing"):
        return hint
    import typing_extensions

    fields = {}
    for name, kind in typing.get_type_hints(hint, include_extras=True).items():
        mark = typing.get_origin(kind)
        marked = mark in (typing.Required, typing.NotRequired)
        needed = mark is typing.Required or (not marked and name in hint.__required_keys__)
        inner = _readable(typing.get_args(kind)[0] if marked else kind)
        fields[name] = (typing_extensions.Required if needed else typing_extensions.NotRequired)[inner]
    made = typing_extensions.TypedDict(hint.__name__, fields)  # type: ignore[misc]
    made.__doc__ = _own_docstring(hint)
    return made


def described(schema: Schema, hint: Any) -> None:
    """Puts what the docstrings of a type's classes say of their fields into its schema, and takes out the fields of
    dataclasses that nobody gives."""
    for each in set(_classes(hint)):
        own = [schema, *schema.get("$defs", {}).values()]
        places = [place for place in own if place.get("title") == each.__name__ and "properties" in place]
        told = read_docstring(_own_docstring(each), of_class=True)
        given = {field.name: field.init for field in dataclasses.fields(each)} if dataclasses.is_dataclass(each) else {}
        for place in places:
            if "description" in place:
                place["description"] = told.description
            for name, field in list(place["properties"].items()):
                if not given.get(name, True):
                    del place["properties"][name]
                elif meaning := told.parameters.get(name):
                    field.setdefault("description", meaning)


def _classes(hint: Any, inside: frozenset[Any] = frozenset()) -> Iterator[type]:
    for each in typing.get_args(hint):
        yield from _classes(each, inside)
    if isinstance(hint, type) and hint not in inside and _has_fields(hint):
        yield hint
        with suppress(Exception):  # pydantic has read it: what is missing are descriptions
            for each in typing.get_type_hints(hint).values():
                yield from _classes(each, inside | {hint})


def _has_fields(hint: type) -> bool:
    return dataclasses.is_dataclass(hint) or typing.is_typeddict(hint) or hasattr(hint, "model_fields")


def _own_docstring(hint: type) -> str:
    written = hint.__doc__ or ""
    # dataclasses without a docstring are given their signature as one, TypedDict classes inherit that of dict
    if typing.is_typeddict(hint) and written == dict.__doc__:
        return ""
    return "" if written.startswith(f"{hint.__name__}(") else inspect.cleandoc(written)


def build(hint: Any, value: Any) -> Any:
    """A JSON value as the Python object of that type; of a type that cannot be read, the value.

    Raises:
        ValueError: it is no such value; says what is wrong with it.
    """
    if isinstance(hint, Unknown) or hint in (Any, object):
        return value
    if isinstance(hint, type) and type(value) is hint:
        return value
    if hint is timedelta and isinstance(value, str) and _LENGTH.fullmatch(value):
        return timedelta(**{unit: int(count) for count, unit in _PART.findall(value)})
    if hint is date and isinstance(value, str):
        value = value[:10]  # of a moment its day
    from pydantic import TypeAdapter, ValidationError
    from pydantic.errors import PydanticUserError

    try:
        return TypeAdapter(_readable(hint)).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"[{each!r}]" for each in first["loc"])
        raise ValueError(f"{where and where + ': '}{first['msg']}") from None
    except PydanticUserError:
        return value


def to_json(value: Any) -> Any:
    """A Python value as a JSON value; what has no such form as its text.

    Raises:
        ValueError: it holds itself, or is nested too deep.
    """
    if value is None or (isinstance(value, str | bool | int) and not isinstance(value, enum.Enum)):
        return value
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value, fallback=str, inf_nan_mode="strings", bytes_mode="base64")
    except (PydanticSerializationError, RecursionError) as error:
        raise ValueError(f"the result cannot be told: {' '.join(str(error).split())}") from None

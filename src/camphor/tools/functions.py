"""A Python function's signature and docstring as parameters, a result and examples (DroidCall, section 3.2.2)."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.signatures import Docstring, TypeText, read_annotation, read_docstring
from camphor.tools.tool import Parameter, Role

_TYPES: dict[Any, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean", list: "array", tuple: "array", Sequence: "array",
    Iterable: "array", dict: "object", Mapping: "object",
}  # fmt: skip
_MOMENTS = {datetime: Role.TIME, date: Role.DATE}
_READ = (
    "str, int, float, bool, list, tuple, dict, datetime, date, Literal, Enum, a dataclass, a TypedDict, Optional or a "
    "union of these"
)
_MISSING = inspect.Parameter.empty

Infer = Callable[[Parameter], Role]


@dataclass(frozen=True)
class Signature:
    """What a function says of itself: see `Tool`, whose parts these are."""

    description: str
    parameters: tuple[Parameter, ...]
    result: Parameter | None
    examples: tuple[str, ...]


def read_function(function: Callable[..., Any], infer: Infer) -> Signature:
    """What the function does, its parameters, what it gives back, and the examples of its docstring.

    Args:
        infer: says what the values of a parameter mean, where its type does not say so.

    Raises:
        DefinitionError: a parameter without a type, a type or docstring that cannot be read, a parameter that a call
            cannot name; with file, line and what to write.
    """
    at = place_of(function)
    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(function, include_extras=True)
        doc = read_docstring(inspect.getdoc(function) or "")
    except Exception as error:  # types are expressions: reading them can raise anything
        raise DefinitionError(f"{at}: cannot be read: {error}") from None
    if not inspect.isroutine(function):
        raise DefinitionError(f"{at}: expected a function or a method")
    if not doc.description:
        raise DefinitionError(f"{at}: has no docstring: say in a sentence what it does")
    strangers = [name for name in doc.parameters if name not in signature.parameters]
    if strangers:
        raise DefinitionError(f"{at}: the docstring describes {strangers[0]}, which is no parameter")
    parameters = tuple(_declared(at, each, hints, doc, infer) for each in signature.parameters.values())
    return Signature(doc.description, parameters, _result(hints, doc), doc.examples)


def place_of(function: Callable[..., Any]) -> str:
    """File, line and name of a function, for errors."""
    name = getattr(function, "__name__", repr(function))
    try:
        code = inspect.unwrap(function).__code__
    except (AttributeError, ValueError):
        return name
    return f"{code.co_filename}, line {code.co_firstlineno}: {name}"


def _declared(
    where: str, declared: inspect.Parameter, hints: Mapping[str, Any], doc: Docstring, infer: Infer
) -> Parameter:
    name, at = declared.name, f"{where}: parameter {declared.name}"
    if declared.kind in (declared.VAR_POSITIONAL, declared.VAR_KEYWORD):
        raise DefinitionError(f"{at} takes any number of values: name each parameter")
    if declared.kind is declared.POSITIONAL_ONLY:
        raise DefinitionError(f"{at} has no name for callers: remove the / after it")
    if name not in hints:
        raise DefinitionError(f"{at} has no type: write  {name}: {doc.types.get(name) or 'str'}")
    try:
        return _parameter(name, hints[name], doc.parameters.get(name, ""), declared.default, _Found(infer))
    except TypeError as error:
        raise DefinitionError(f"{at}: type {error} cannot be read: use {_READ}") from None
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None


def _parameter(name: str, hint: Any, description: str, default: Any, found: _Found) -> Parameter:
    """A parameter or a field of that type. Raises TypeError, with the type's name, for one without a JSON form."""
    found.add(hint)
    parameter = Parameter(
        name,
        "|".join(dict.fromkeys(found.kinds)),
        description,
        default is _MISSING and not found.nullable,
        enum=() if found.open else tuple(dict.fromkeys(found.values)),
        default=None if default is _MISSING else _default(default),
        items="|".join(dict.fromkeys(found.items)),
        choices=tuple(dict.fromkeys(found.choices)),
        fields=found.fields,
    )
    return dataclasses.replace(parameter, role=found.role or found.infer(parameter))


def _result(hints: Mapping[str, Any], doc: Docstring) -> Parameter | None:
    """What is given back. A type without a JSON form is no fault there: the value is told as it can be."""
    hint = hints.get("return", _MISSING)
    if hint is type(None) or (hint is _MISSING and doc.result_type == "None"):
        return Parameter("result", "null", doc.result) if doc.result else None
    if hint is not _MISSING:
        found = _Found(lambda _: Role.TEXT)
        try:
            kinds = _parameter("result", hint, doc.result, _MISSING, found)
        except (TypeError, DefinitionError):
            return Parameter("result", "", doc.result)
        if found.nullable and kinds.type:
            kinds = dataclasses.replace(kinds, type=f"{kinds.type}|null")
        return dataclasses.replace(kinds, required=True, role=Role.TEXT)
    if not doc.result and not doc.result_type:
        return None
    try:
        written = read_annotation(doc.result_type)
    except ValueError:
        written = TypeText()
    kind = "|".join([*written.kinds, "null"] if written.nullable and written.kinds else written.kinds)
    return Parameter("result", kind, doc.result, items="|".join(written.items))


@dataclass
class _Found:
    """What a type says: JSON types, allowed values, element types, fields, a role, whether None is taken."""

    infer: Infer
    inside: tuple[type, ...] = ()
    """The classes whose fields are being read, outermost first."""
    kinds: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    choices: list[Any] = field(default_factory=list)
    fields: tuple[Parameter, ...] = ()
    role: Role | None = None
    nullable: bool = False
    open: bool = False
    """Whether other values than those listed are taken too: `Literal["all"] | int`."""

    def add(self, hint: Any) -> None:
        """Takes in a type. Raises TypeError, with the type's name, for one that has no JSON form."""
        origin = typing.get_origin(hint)
        if origin is typing.Annotated:
            self.role = next((extra for extra in hint.__metadata__ if isinstance(extra, Role)), self.role)
            self.add(hint.__origin__)
        elif origin in (typing.Union, types.UnionType, typing.Required, typing.NotRequired):
            for option in typing.get_args(hint):
                self.add(option)
        elif hint is None or hint is type(None):
            self.nullable = True
        elif isinstance(hint, typing.NewType):
            self.add(hint.__supertype__)
        elif origin is typing.Literal:
            self._choose(typing.get_args(hint), hint)
        elif isinstance(hint, type) and issubclass(hint, enum.Enum):
            self._choose([member.value for member in hint], hint)
        elif isinstance(hint, type) and (dataclasses.is_dataclass(hint) or typing.is_typeddict(hint)):
            self._hold(hint)
        else:
            self._plain(hint, origin or hint)

    def _choose(self, values: Iterable[Any], hint: Any) -> None:
        some = list(values)
        if not some:
            raise TypeError(f"{_name(hint)}, which has no values,")
        for value in some:
            if value is None:
                self.nullable = True
                continue
            value = value.value if isinstance(value, enum.Enum) else value
            if type(value) not in (str, int, float, bool):
                raise TypeError(f"{_name(hint)} with the value {value!r}")
            self.kinds.append(_TYPES[type(value)])
            self.values.append(value)

    def _hold(self, hint: type) -> None:
        if hint in self.inside:
            raise TypeError(f"{hint.__name__}, which holds itself,")
        if self.fields:
            raise TypeError(f"{hint.__name__} beside another class")
        self.open = True
        self.kinds.append("object")
        self.fields = _fields(hint, self)
        if not self.fields:
            raise TypeError(f"{hint.__name__}, which has no fields,")

    def _plain(self, hint: Any, origin: Any) -> None:
        self.open = True
        if origin is Any or origin is object:
            return
        if origin in _MOMENTS:
            self.kinds.append("string")
            self.role = self.role or _MOMENTS[origin]
        elif origin in _TYPES:
            self.kinds.append(_TYPES[origin])
            if self.kinds[-1] == "array":
                self._elements(hint)
            elif self.kinds[-1] == "object" and self._of(typing.get_args(hint)[1:]).fields:
                raise TypeError(f"{hint}, an object with any keys that hold objects with known ones,")
        else:
            raise TypeError(_name(hint))

    def _elements(self, hint: Any) -> None:
        inner = self._of(each for each in typing.get_args(hint) if each is not Ellipsis)
        if inner.fields and (self.fields or "array" in inner.kinds):
            raise TypeError(f"{hint}, which nests lists or classes too deep,")
        self.items += inner.kinds
        self.choices += [] if inner.open else inner.values
        self.fields = inner.fields or self.fields
        self.role = self.role or inner.role

    def _of(self, hints: Iterable[Any]) -> _Found:
        inner = _Found(self.infer, self.inside)
        for hint in hints:
            inner.add(hint)
        return inner


def _fields(hint: type, found: _Found) -> tuple[Parameter, ...]:
    """The fields of a dataclass or a TypedDict. Raises TypeError, with class and field, as `_Found.add`."""
    try:
        hints = typing.get_type_hints(hint, include_extras=True)
        doc = read_docstring(_own_docstring(hint), of_class=True)
    except Exception as error:  # as for functions
        raise TypeError(f"{hint.__name__} ({error})") from None
    fields = []
    for name, default in _defaults(hint, hints).items():
        inner = _Found(found.infer, (*found.inside, hint))
        try:
            fields.append(_parameter(name, hints[name], doc.parameters.get(name, ""), default, inner))
        except TypeError as error:
            raise TypeError(f"{hint.__name__} (field {name}: {error})") from None
    return tuple(fields)


def _own_docstring(hint: type) -> str:
    written = hint.__doc__ or ""
    # dataclasses without a docstring are given their signature as one, TypedDict classes inherit that of dict
    if typing.is_typeddict(hint) and written == dict.__doc__:
        return ""
    return "" if written.startswith(f"{hint.__name__}(") else inspect.cleandoc(written)


def _defaults(hint: type, hints: Mapping[str, Any]) -> dict[str, Any]:
    """The default of each field that a call may give; `_MISSING` for one that it must give."""
    if not dataclasses.is_dataclass(hint):
        required: frozenset[str] = getattr(hint, "__required_keys__", frozenset())
        # where annotations are texts, as with `from __future__ import annotations`, Python 3.11 does not see the marks
        marks = {name: typing.get_origin(kind) for name, kind in hints.items()}
        needed = {name for name in hints if marks[name] is not typing.NotRequired and name in required}
        needed |= {name for name in hints if marks[name] is typing.Required}
        return {name: _MISSING if name in needed else None for name in hints}
    defaults: dict[str, Any] = {}
    for each in dataclasses.fields(hint):
        if not each.init:
            continue
        defaults[each.name] = _MISSING
        if each.default is not dataclasses.MISSING:
            defaults[each.name] = each.default
        elif each.default_factory is not dataclasses.MISSING:
            made = each.default_factory in (list, dict, tuple, str)
            defaults[each.name] = each.default_factory() if made else None
    return defaults


def _default(value: Any) -> Any:
    """The default as a JSON value; None where it has no such form, as it is shown only, never passed on."""
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, date):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _default(getattr(value, each.name)) for each in dataclasses.fields(value) if each.init}
    if isinstance(value, Mapping):
        return {str(key): _default(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_default(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool) else None


def _name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)

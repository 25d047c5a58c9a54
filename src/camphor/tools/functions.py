"""A Python function's signature and docstring as parameters, a result and examples (DroidCall, section 3.2.2)."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from camphor.errors import DefinitionError
from camphor.tools.docstrings import Docstring, read_docstring
from camphor.tools.hints import hints_of, schema_of
from camphor.tools.schemas import Infer, SchemaReader
from camphor.tools.signatures import TypeText, read_annotation
from camphor.tools.tool import Parameter, Role

_READ = (
    "str, int, float, bool, list, tuple, set, dict, datetime, date, Path, Decimal, Literal, Enum, a dataclass, a "
    "TypedDict, a pydantic model, Optional or a union of these"
)
_MISSING = inspect.Parameter.empty
_SPLIT = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Signature:
    """What a function says of itself: see `Tool`, whose parts these are."""

    description: str
    parameters: tuple[Parameter, ...]
    result: Parameter | None
    examples: tuple[str, ...]


def read_function(function: Callable[..., Any], infer: Infer, lenient: bool = False) -> Signature:
    """What the function does, its parameters, what it gives back, and the examples of its docstring.

    Args:
        infer: says what the values of a parameter mean, where its type does not say so.
        lenient: as of `readers.from_function`.

    Raises:
        DefinitionError: a parameter without a type, a type that cannot be read, no docstring, a parameter that a call
            cannot name; with file, line and what to write.
    """
    at = place_of(function)
    try:
        signature = inspect.signature(function)
        hints = hints_of(function)
        doc = read_docstring(inspect.getdoc(function) or "")
    except Exception as error:  # types are expressions: reading them can raise anything
        raise DefinitionError(f"{at}: cannot be read: {error}") from None
    if not inspect.isroutine(function):
        raise DefinitionError(f"{at}: expected a function or a method")
    if not lenient:
        _strict(at, signature, doc)
    reader = _ParameterReader(at, hints, doc, infer, lenient)
    read = (reader.read(each) for each in signature.parameters.values())
    description = doc.description or _words_of(getattr(function, "__name__", ""))
    return Signature(description, tuple(each for each in read if each), _result(hints, doc), doc.examples)


def place_of(function: Callable[..., Any]) -> str:
    """File, line and name of a function, for errors."""
    name = getattr(function, "__name__", repr(function))
    try:
        code = inspect.unwrap(function).__code__
    except (AttributeError, ValueError):
        return name
    return f"{code.co_filename}, line {code.co_firstlineno}: {name}"


def _strict(at: str, signature: inspect.Signature, doc: Docstring) -> None:
    """What was written to be called says what it does, and speaks of no parameter that there is not."""
    if not doc.description:
        raise DefinitionError(f"{at}: has no docstring: say in a sentence what it does")
    if doc.doubled:
        raise DefinitionError(f"{at}: the docstring describes {doc.doubled} twice")
    strangers = [name for name in doc.parameters if name not in signature.parameters]
    if strangers:
        raise DefinitionError(f"{at}: the docstring describes {strangers[0][:60]}, which is no parameter")


def _words_of(name: str) -> str:
    """What a function without a docstring does, by its name."""
    said = " ".join(part for part in _SPLIT.split(name.rsplit(".", 1)[-1]) if part).lower()
    return f"{said[:1].upper()}{said[1:]}."


@dataclass(frozen=True)
class _ParameterReader:
    """Reads the parameters of one function, which stands `at` file, line and name."""

    at: str
    hints: Mapping[str, Any]
    doc: Docstring
    infer: Infer
    lenient: bool

    def read(self, declared: inspect.Parameter) -> Parameter | None:
        """The parameter; None where calls do without it. Raises DefinitionError: it cannot be read."""
        name, at = declared.name, f"{self.at}: parameter {declared.name}"
        many = declared.kind in (declared.VAR_POSITIONAL, declared.VAR_KEYWORD)
        spare = many or (name.startswith("_") and declared.default is not _MISSING)
        if self.lenient and spare:
            return None
        if many:
            raise DefinitionError(f"{at} takes any number of values: name each parameter")
        if not self.lenient and declared.kind is declared.POSITIONAL_ONLY:
            raise DefinitionError(f"{at} has no name for callers: remove the / after it")
        if not self.lenient and name not in self.hints:
            raise DefinitionError(f"{at} has no type: write  {name}: {self.doc.types.get(name) or 'str'}")
        try:
            schema = schema_of(self.hints[name]) if name in self.hints else self._guessed(declared)
        except TypeError as error:
            if self.lenient and declared.default is not _MISSING:
                return None
            raise DefinitionError(f"{at}: type {error} cannot be read: use {_READ}") from None
        root = {"$defs": schema.pop("$defs", {})}
        if told := self.doc.parameters.get(name):
            schema["description"] = told
        if declared.default is not _MISSING:
            schema["default"] = _default(declared.default)
        return SchemaReader(self.at, root, self.infer).read(name, schema, declared.default is _MISSING)

    def _guessed(self, declared: inspect.Parameter) -> dict[str, Any]:
        """The schema of a parameter without a type: by its docstring, else by its default."""
        told = self.doc.types.get(declared.name, "").removesuffix("optional").rstrip(" ,")
        try:
            read = read_annotation(told)
        except ValueError:
            read = TypeText()
        if read.kinds:
            made: dict[str, Any] = {"type": read.kinds, **({"enum": read.values} if read.values else {})}
            return {**made, **({"items": {"type": read.items}} if read.items else {})}
        usual = type(declared.default)
        return schema_of(usual) if usual in (str, int, float, bool, list, dict) else {}


def _result(hints: Mapping[str, Any], doc: Docstring) -> Parameter | None:
    """What is given back. A type without a JSON form is no fault there: the value is told as it can be."""
    hint = hints.get("return", _MISSING)
    if hint is type(None) or (hint is _MISSING and doc.result_type == "None"):
        return Parameter("result", "null", doc.result) if doc.result else None
    if hint is not _MISSING:
        try:
            schema = schema_of(hint)
            root = {"$defs": schema.pop("$defs", {})}
            reader = SchemaReader("result", root, lambda *_: Role.TEXT)
            return reader.result({**schema, "description": doc.result})
        except (TypeError, DefinitionError):
            return Parameter("result", "", doc.result)
    if not doc.result and not doc.result_type:
        return None
    try:
        written = read_annotation(doc.result_type)
    except ValueError:
        written = TypeText()
    kind = "|".join([*written.kinds, "null"] if written.nullable and written.kinds else written.kinds)
    return Parameter("result", kind, doc.result, items="|".join(written.items))


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

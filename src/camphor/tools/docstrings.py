"""What a docstring says of a function, in Google's, NumPy's, Sphinx's or Epydoc's style, read by docstring_parser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docstring_parser import Docstring as Parsed
    from docstring_parser import DocstringStyle

_ALONE = ("None", "str", "int", "float", "bool", "list", "dict")  # types even where no colon follows
_TYPE = r"[A-Za-z_][\w.]*(?:\[[^:|]*\])?"
_TYPED = re.compile(rf"({_TYPE}(?:\s*\|\s*{_TYPE})*)\s*(?::\s+(.*)|:?)$")
_MARKS = (
    ("NUMPYDOC", re.compile(r"^[A-Z][\w ]+\n *-{3,} *$", re.MULTILINE)),
    (
        "GOOGLE",
        re.compile(
            r"^(?:Arg(?:ument)?s|Param(?:eter)?s|Attributes|Returns?|Yields?|Raises|Examples?): *$", re.MULTILINE
        ),
    ),
    ("REST", re.compile(r"^ *:(?:param|type|returns?|rtype|raises?|arg|key)\b", re.MULTILINE)),
    ("EPYDOC", re.compile(r"^ *@(?:param|type|return|rtype|raise)\b", re.MULTILINE)),
)
"""What tells a style; a docstring with none of these marks is all description."""
_LONGEST = 600
"""Characters of a description that are kept: whole sentences, where there are any."""


@dataclass(frozen=True)
class Docstring:
    """What a docstring says.

    Args:
        description: all text before the first section, on one line, cut to `_LONGEST`.
        parameters: each parameter's meaning, on one line. types: as it is written beside a parameter's name.
        result, result_type: what is given back, and its type where one is written; "" for nothing said.
        examples: the text of each section of examples, without its indentation.
        doubled: a parameter that is described twice; "" for none.
    """

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    result: str = ""
    result_type: str = ""
    examples: tuple[str, ...] = ()
    doubled: str = ""


def read_docstring(text: str, of_class: bool = False) -> Docstring:
    """What a docstring says; of one that its style's parser cannot read, the first paragraph.

    Args:
        text: the docstring, already without its common indentation (`inspect.getdoc`). of_class: whether attributes
            are described as parameters are, as they are where a class is built from what it holds.
    """
    name = next((name for name, mark in _MARKS if mark.search(text)), "")
    if not name:
        return Docstring(_cut(text))
    import docstring_parser  # 15 ms

    style: DocstringStyle = docstring_parser.DocstringStyle[name]
    try:
        parsed = docstring_parser.parse(text, style=style)
    except (docstring_parser.ParseError, ValueError, IndexError):
        return Docstring(_cut(text.strip().split("\n\n")[0]))
    return _read(parsed, of_class)


def _read(parsed: Parsed, of_class: bool) -> Docstring:
    described: dict[str, str] = {}
    types: dict[str, str] = {}
    doubled = ""
    for each in parsed.params:
        if each.args[0] == "attribute" and not of_class:
            continue
        for name in re.split(r"\s*,\s*", each.arg_name):  # NumPy describes several at once
            name = name.lstrip("*")
            doubled = doubled or (name if name in described else "")
            described[name], types[name] = _line(each.description), _line(each.type_name)
    told = parsed.returns
    meaning, kind = (_line(told.description), _line(told.type_name)) if told else ("", "")
    if told and not kind:
        kind, meaning = _result(meaning)
    examples = (f"{each.snippet or ''}\n{each.description or ''}".strip() for each in parsed.examples)
    description = _cut(parsed.description or "")
    return Docstring(description, described, types, meaning, kind, tuple(filter(None, examples)), doubled)


def _result(text: str) -> tuple[str, str]:
    """Type and meaning. One word before a colon is taken for a type only where it could be one."""
    found = _TYPED.match(text)
    if not found or (found[2] is None and found[1] not in _ALONE):
        return "", text
    return found[1], found[2] or ""


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _cut(text: str) -> str:
    line = _line(text)
    if len(line) <= _LONGEST:
        return line
    cut = line[:_LONGEST]
    end = max(cut.rfind(mark) for mark in (". ", "! ", "? "))
    return cut[: end + 1] if end > 0 else f"{cut.rsplit(' ', 1)[0]}..."

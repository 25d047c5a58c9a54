"""Google-style docstrings: what a function does, what its parameters and its result mean, examples of its use."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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

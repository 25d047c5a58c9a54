"""Google-style docstrings: what a function does and what its parameters mean."""

from __future__ import annotations

import re

_SECTION = re.compile(
    r"(Args|Arguments|Parameters|Returns?|Raises|Yields|Examples?|Notes?|Attributes|Todo|Warnings?|See Also):\s*$"
)
_ARGUMENTS = ("Args", "Arguments", "Parameters")
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:\s*(.*)", re.DOTALL)


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """The description, which is all text before the first section, and each parameter's, on one line each.

    Args:
        text: the docstring, already without its common indentation (`inspect.getdoc`).

    Raises:
        ValueError: a line of the arguments' section is not `name: description`; the message quotes it.
    """
    section, head, entries = "", [], []
    margin: int | None = None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        header = _SECTION.match(line) if indent == 0 else None
        if header:
            section, margin = header[1], None
        elif not section:
            head.append(line)
        elif section in _ARGUMENTS and line.strip():
            margin = indent if margin is None else margin
            if indent <= margin:
                entries.append(line.strip())
            else:
                entries[-1] += " " + line.strip()
    described = {}
    for entry in entries:
        found = _ENTRY.fullmatch(entry)
        if not found:
            raise ValueError(f"expected  name: description, found {entry[:60]!r}")
        described[found[1]] = " ".join(found[2].split())
    return " ".join(" ".join(head).split()), described

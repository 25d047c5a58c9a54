"""A plan that a model wrote, held to the functions that it was offered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from camphor.errors import CallSyntaxError, ToolError, UnknownTool
from camphor.tools import plans
from camphor.tools.plans import Plan
from camphor.tools.tool import Tool
from camphor.tools.toolbox import Toolbox

_LOOKS_LIKE_A_REFERENCE = re.compile(r"#\d{1,6}")


def typed(plan: Plan, tools: Sequence[Tool]) -> Plan:
    """The plan with its values in the types that the functions declare.

    Raises:
        UnknownTool: no such function. ArgumentError: a parameter is unknown or missing, a value of another type, or a
        reference that is not to an earlier call. CallSyntaxError: a value that looks like a reference and is none.
    """
    for place, call in enumerate(plan):
        for text in _texts(call.arguments):
            if _LOOKS_LIKE_A_REFERENCE.fullmatch(text):
                raise CallSyntaxError(f"call {place} ({call.name[:80]}) uses {text}, and there is no such call")
    return plans.check(plan, Toolbox(tools))


def problem_of(error: ToolError) -> str:
    """The kind of fault that an error of `typed` tells of."""
    if isinstance(error, UnknownTool):
        return "an unknown function"
    if isinstance(error, CallSyntaxError):
        return "a reference to no call"
    return "a parameter or value that the function does not take"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _texts(each)

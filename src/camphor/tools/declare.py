"""`@tool`: a function of one's own program as a tool of the assistant, said where it is defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(*, reads: bool = False) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(function: Callable[..., Any] | None = None, /, *, reads: bool = False) -> Any:
    """A typed function with a docstring as a tool: `@tool` where it acts, `@tool(reads=True)` where it only reads.

    The person is asked before one that acts is run. `camphor.tools.readers.from_function` tells what is read off the
    function. What is returned is a `Tool`; the function itself is its attribute `function`. `Device.add_functions` puts
    tools on a device.

    Args:
        reads: the function changes nothing, so it runs without the person being asked. That is said and never guessed:
            a guess by name would let `get_rid_of_everything` run unasked.

    Raises:
        DefinitionError: a parameter without a type, no docstring, a type that cannot be read; with file and line.
    """
    kind, agent = (Kind.CONTEXT, Agent.CONTEXT) if reads else (Kind.ACTION, Agent.TASK)

    def made(declared: Callable[..., Any]) -> Tool:
        return from_function(declared, kind=kind, agent=agent)

    return made if function is None else made(function)

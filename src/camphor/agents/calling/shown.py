"""Which functions stand in a prompt: all, in their order, so that its opening stays in a model's cache; of very many,
those that a retriever finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from camphor.agents.calling.definitions import short_definition
from camphor.retrieval.retrievers import rank, retriever_named
from camphor.tools.tool import Tool, Toolbox

ALL, FOUND = 40, 20
"""Functions up to which all are shown, and how many are found of more. Five found of 24 lacked one that was needed in
14 of 100 requests (results/droidcall-retrieved-smollm2-135m.json)."""
ROOM = 8000
"""Characters of definitions that are shown: about half of the embedded model's context of 4,096 tokens."""


def shown(toolbox: Toolbox, top: int | None = None) -> Toolbox | Callable[[str], tuple[Tool, ...]]:
    """What a caller is given.

    Args:
        top: how many are found for a request; 0 for all, None for what is usual.
    """
    tools, asked = tuple(toolbox), top
    if top is None:
        top = FOUND if len(tools) > ALL or len(_fitting(tools)) < len(tools) else 0
    if not top:
        return toolbox
    count, retriever = top, retriever_named("light")
    if asked is not None:
        return lambda query: rank(retriever, query, tools)[:count]
    return lambda query: _fitting(rank(retriever, query, tools)[:count])


def _fitting(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Those of some functions for which there is room, the first ones first; at least one."""
    kept: list[Tool] = []
    left = ROOM
    for tool in tools:
        size = len(short_definition(tool))
        if size <= left or not kept:
            kept.append(tool)
            left -= size
    return tuple(kept)

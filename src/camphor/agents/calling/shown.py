"""Which functions stand in a prompt: all, in their order, so that its opening stays in a model's cache; of very many,
those that a retriever finds."""

from __future__ import annotations

from collections.abc import Callable

from camphor.retrieval.retrievers import rank, retriever_named
from camphor.tools.tool import Tool, Toolbox

ALL, FOUND = 40, 20
"""Functions up to which all are shown, and how many are found of more. Five found of 24 lacked one that was needed in
14 of 100 requests (results/droidcall-retrieved-smollm2-135m.json)."""


def shown(toolbox: Toolbox, top: int | None = None) -> Toolbox | Callable[[str], tuple[Tool, ...]]:
    """What a caller is given.

    Args:
        top: how many are found for a request; 0 for all, None for what is usual.
    """
    if top is None:
        top = FOUND if len(toolbox) > ALL else 0
    if not top:
        return toolbox
    count, tools, retriever = top, tuple(toolbox), retriever_named("light")
    return lambda query: rank(retriever, query, tools)[:count]

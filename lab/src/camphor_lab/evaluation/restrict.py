"""A toolbox cut down to the tools that a retriever ranks first (CAMPHOR, section 5.5)."""

from __future__ import annotations

from collections.abc import Sequence

from camphor.errors import UsageError
from camphor.retrieval.retrievers import Retriever, rank
from camphor.tools.toolbox import Toolbox
from camphor.types import Agent

DYNAMIC_AGENTS = (Agent.CONTEXT, Agent.TASK)
"""Whose tools differ from phone to phone; the other agents' few tools are always kept."""


def restrict(
    toolbox: Toolbox, query: str, k: int, retriever: Retriever, agents: Sequence[Agent] = DYNAMIC_AGENTS
) -> Toolbox:
    """The toolbox with only the `k` tools of each of the agents that the retriever ranks first for the query.

    Each agent's tools are ranked apart, as the paper does. The tools left keep their order in the toolbox, so that two
    queries with the same tools give the same prompt.

    Raises:
        UsageError: `k` is under 1.
    """
    if k < 1:
        raise UsageError(f"{k} tools to retrieve: expected 1 or more")
    kept = {tool.name for agent in agents for tool in rank(retriever, query, toolbox.of(agent))[:k]}
    return Toolbox(tool for tool in toolbox if tool.agent not in agents or tool.name in kept)

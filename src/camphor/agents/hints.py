"""Which tools of unknown apps a query may want: they stand in words beside its function tokens (`Form.HINTED`).

A function token tells a tuned model which of the tools it knows are there; what a tool does that it never saw, words
tell. Retrieval (CAMPHOR, section 5.5) keeps these words few, whatever the number of apps.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from camphor.agents.prompts import DYNAMIC, Setting, unknown_tools
from camphor.types import Turn

if TYPE_CHECKING:
    from camphor.retrieval.retrievers import Retriever

MOST = 3  # tools of an agent


def with_hints(setting: Setting, query: str, history: Sequence[Turn]) -> Setting:
    """The setting with the tools that fit the query and the one before it best, and those that the talk has called."""
    from camphor.retrieval.retrievers import rank  # 50 ms that no other form needs

    wanted = " ".join([*(turn.query for turn in history[-1:]), query])
    unknown = unknown_tools(setting)
    found = {
        tool.name
        for agent in DYNAMIC
        for tool in rank(_retriever(), wanted, [tool for tool in unknown if tool.agent is agent])[:MOST]
    }
    called = {call.name for turn in history for step in turn.steps for call in step.calls}
    return replace(setting, hints=frozenset(found | called))


@functools.cache
def _retriever() -> Retriever:
    from camphor.retrieval.retrievers import retriever_named

    return retriever_named("light")

"""A strategy that sees only the tools that a retriever finds for the query (CAMPHOR, section 5.5)."""

from __future__ import annotations

from dataclasses import replace

from camphor.agents.bounds import Limits
from camphor.agents.prompts import Setting
from camphor.agents.strategies.base import Steps, Strategy
from camphor.retrieval.retrievers import Retriever
from camphor.types import Turn
from camphor_lab.evaluation.restrict import restrict


class Retrieved:
    """Another strategy with a smaller toolbox: prompts and grammars hold the `k` best tools of each dynamic agent.

    Everything else of the device stays: what was asked before, its records, and tools of the other agents.

    Raises:
        UsageError: when called, if `k` is under 1.
    """

    def __init__(self, strategy: Strategy, k: int, retriever: Retriever) -> None:
        self._strategy, self._k, self._retriever = strategy, k, retriever

    def __call__(self, query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits, /) -> Steps:
        found = restrict(setting.toolbox, query, self._k, self._retriever)
        return self._strategy(query, history, replace(setting, toolbox=found), limits)

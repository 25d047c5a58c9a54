"""Strategies for whose prompts a retriever chooses tools (CAMPHOR, section 5.5)."""

from __future__ import annotations

from dataclasses import replace

from camphor.agents.bounds import Limits
from camphor.agents.prompts import Setting
from camphor.agents.strategies.base import Steps, Strategy
from camphor.retrieval.restrict import restrict
from camphor.retrieval.retrievers import Retriever
from camphor.tools.toolbox import Toolbox
from camphor.types import Turn


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


class Hinted:
    """Another strategy whose prompts put the `k` best unknown tools of each dynamic agent in words (`Form.HINTED`).

    No tool is taken away: the others stand in the prompt as function tokens, and can be called. With a query that means
    the same apps as the one before, the prompt begins as it did.
    """

    def __init__(self, strategy: Strategy, k: int, retriever: Retriever) -> None:
        self._strategy, self._k, self._retriever = strategy, k, retriever

    def __call__(self, query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits, /) -> Steps:
        unknown = Toolbox(tool for tool in setting.toolbox if tool.app not in setting.known)
        found = frozenset(tool.name for tool in restrict(unknown, query, self._k, self._retriever))
        return self._strategy(query, history, replace(setting, hints=found), limits)

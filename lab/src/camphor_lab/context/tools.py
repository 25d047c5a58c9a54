"""Tools for a query that leaves unsaid what it means: found by its words and by the items that it is about.

The paper puts the retrieved context into the text that is searched with (Context Tuning, sections 3.2 and 3.3); here
that is `Use.WORDS`. It has a price: the words of an item say what the item is about, and no tool is about guitars. What
an item does say of tools is where it lies: who means a song wants something of the music app. So in `Use.VOTES` items
vote for the tools of their own app, and the query's words decide among these.

Of ways to join both, tried on 500 queries of the training split with the gold items and with noisy ones, the sum of
scores in standard deviations with the votes counted twice found most (59.7% of the fitting tools among the first 5);
reciprocal rank fusion of the same three found 59.2%, with single votes 51.8%, the query alone 23.3%, items in words
39.6%. Items' words beside votes took recall away. A reader that has learnt from the training split what is meant by
which words (`tool_reader`) knows more than both; its scores are joined with theirs, which tools that it never saw need.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from camphor.errors import UsageError
from camphor.retrieval.context.items import Item
from camphor.retrieval.retrievers import Encoder, Fusion, Retriever, Scores, by_scores
from camphor.retrieval.static import StaticEncoder
from camphor.tools.tool import Tool
from camphor_lab.context.tool_reader import ToolReader

MOST_ITEMS = 5
"""Items that are heard: of the best ranker's five the gold ones are nearly always some."""
VOTES = 2
"""How often the votes count beside the query."""
LEARNT = 2
"""How often what was learnt counts beside query and votes."""
LONGEST_WORDS = 80
"""Characters of an item that are put beside a query, which has some 40."""


class Use(StrEnum):
    """How the items count."""

    NONE = "none"
    """Not at all: the query alone."""
    WORDS = "words"
    """Their words stand behind the query's, as in the paper."""
    VOTES = "votes"
    """They vote for the tools of their apps. Not in the paper."""


class ToolFinder:
    """Puts tools in order for a query and the items that it is about.

    Args:
        retriever: says how well tools fit a text. use: how items count. fusion: joins the parts.
        reader: what a training split said of queries and apps, heard beside the rest; None for no learning.
        encoder: makes queries into vectors for the reader; that which comes with camphor where None.
    """

    def __init__(
        self,
        retriever: Retriever,
        use: Use = Use.VOTES,
        fusion: Fusion = by_scores,
        reader: ToolReader | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self._retriever, self.use, self._fusion = retriever, use, fusion
        self._reader = reader
        self._encoder = encoder or (StaticEncoder() if reader else None)

    def scores(self, query: str, tools: Sequence[Tool], items: Sequence[Item] = ()) -> Scores:
        """How well each tool fits, shape (number of tools,).

        Args:
            items: what the query is about, the most relevant first; `MOST_ITEMS` of them count.
        """
        heard = items[:MOST_ITEMS] if self.use is not Use.NONE else ()
        plain = self._plain(query, tools, heard)
        if self._reader is None or self._encoder is None or not tools:
            return plain
        learnt = self._reader.scores(np.asarray(self._encoder.encode([query])[0], np.float32), tools, heard)
        return self._fusion([plain, *[learnt] * LEARNT])

    def _plain(self, query: str, tools: Sequence[Tool], heard: Sequence[Item]) -> Scores:
        """Without what was learnt."""
        if not heard:
            return self._retriever.scores(query, tools)
        if self.use is Use.WORDS:
            return self._retriever.scores(in_words(query, heard), tools)
        return self._fusion([self._retriever.scores(query, tools), *[votes(tools, heard)] * VOTES])

    def find(self, query: str, tools: Sequence[Tool], items: Sequence[Item] = (), k: int = 5) -> tuple[Tool, ...]:
        """The `k` tools that fit best, best first; equal ones in the order given.

        Raises:
            UsageError: `k` is under 1.
        """
        if k < 1:
            raise UsageError(f"{k} tools to find: expected 1 or more")
        order = np.argsort(-self.scores(query, tools, items), kind="stable")[:k]
        return tuple(tools[at] for at in order)


def in_words(query: str, items: Sequence[Item]) -> str:
    """The query with what the items are and say: `when is it? calendar: Guitar class`."""
    said = [f"{item.ref.app}: {' '.join((item.title or item.text)[:LONGEST_WORDS].split())}" for item in items]
    return "\n".join([query, *said])


def votes(tools: Sequence[Tool], items: Sequence[Item]) -> Scores:
    """The votes for each tool, shape (number of tools,): an item at rank r gives each tool of its app 1 / r."""
    heard: dict[str, float] = {}
    for rank, item in enumerate(items, 1):
        heard[item.ref.app] = heard.get(item.ref.app, 0.0) + 1 / rank
    return np.array([heard.get(tool.app, 0.0) for tool in tools], np.float32)

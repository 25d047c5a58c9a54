"""Tool retrievers: given a query, they put tools in order, the likeliest first.

`Lexical` counts words (BM25), `Dense` compares sentence embeddings (the retriever of CAMPHOR, section 5.5), `Hybrid`
joins both by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009; the fusion of the Context Tuning paper).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from camphor.errors import MissingExtra, UsageError
from camphor.retrieval.encoder import SentenceEncoder
from camphor.tools.tool import Tool

Scores = npt.NDArray[np.float32]

FUSION = 60
"""The constant of reciprocal rank fusion; 60 is the value of the paper that proposed it."""


class Retriever(Protocol):
    """Puts tools in order for a query."""

    def rank(self, query: str, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        """All the tools given, best first; tools that fit equally well stay in the order given."""


def describe(tool: Tool) -> str:
    """A tool as a retriever reads it: the words of its name, its description, its parameters and their meaning."""
    parameters = [f"{parameter.name}: {parameter.explanation()}" for parameter in tool.parameters]
    words = " ".join([tool.name.replace("_", " ") + ".", " ".join(tool.description.split()), *parameters])
    return words.replace("_", " ")


class Lexical:
    """BM25 over the words of each tool's definition, without English stop words.

    Raises:
        MissingExtra: bm25s is not installed.
    """

    def __init__(self) -> None:
        if importlib.util.find_spec("bm25s") is None:
            raise MissingExtra("The lexical retriever", "eval")
        self._index = lru_cache(maxsize=256)(_bm25)

    def rank(self, query: str, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        return _in_order(tools, self.scores(query, tools))

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        """The BM25 score of each tool, shape (number of tools,); 0 where no word of the query occurs."""
        words = _words([query])[0]
        index = self._index(tuple(describe(tool) for tool in tools))
        if index is None or not words:
            return np.zeros(len(tools), np.float32)
        return np.asarray(index.get_scores(words), dtype=np.float32)


class Dense:
    """The cosine between the query's and each definition's sentence embedding.

    Args:
        encoder: what embeds; all-MiniLM-L6-v2 when None.

    Raises:
        MissingExtra: the encoder is not installed.
    """

    def __init__(self, encoder: SentenceEncoder | None = None) -> None:
        self._encoder = encoder or SentenceEncoder(purpose="The dense retriever")

    def rank(self, query: str, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        vectors = self._encoder.encode([query, *(describe(tool) for tool in tools)])
        return _in_order(tools, vectors[1:] @ vectors[0])


class Hybrid:
    """Reciprocal rank fusion of several retrievers: a tool's score is the sum of 1 / (60 + its rank in each)."""

    def __init__(self, *parts: Retriever) -> None:
        self._parts = parts or (Lexical(), Dense())

    def rank(self, query: str, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        scores = dict.fromkeys((tool.name for tool in tools), 0.0)
        for part in self._parts:
            for place, tool in enumerate(part.rank(query, tools), start=1):
                scores[tool.name] += 1 / (FUSION + place)
        return _in_order(tools, np.array([scores[tool.name] for tool in tools], dtype=np.float32))


RETRIEVERS: dict[str, Callable[[], Retriever]] = {"lexical": Lexical, "dense": Dense, "hybrid": Hybrid}


def retriever_named(name: str) -> Retriever:
    """The retriever of that name.

    Raises:
        UsageError: there is none. MissingExtra: what it needs is not installed.
    """
    if name not in RETRIEVERS:
        raise UsageError(f"There is no retriever {name[:80]!r}: choose from {', '.join(RETRIEVERS)}")
    return RETRIEVERS[name]()


def _in_order(tools: Sequence[Tool], scores: Scores) -> tuple[Tool, ...]:
    return tuple(tools[place] for place in np.argsort(-np.asarray(scores), kind="stable"))


def _words(texts: Sequence[str]) -> list[list[str]]:
    import bm25s

    words: list[list[str]] = bm25s.tokenize(list(texts), stopwords="en", return_ids=False, show_progress=False)
    return words


def _bm25(texts: tuple[str, ...]) -> Any:
    """An index over the texts; None where they hold no word at all, which the library cannot index."""
    import bm25s

    words = _words(texts)
    if not any(words):
        return None
    index = bm25s.BM25()
    index.index(words, show_progress=False)
    return index

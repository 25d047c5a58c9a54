"""Tool retrievers: given a query, they put tools in order, the likeliest first.

`Lexical` counts words (BM25), `Dense` compares sentence embeddings (the retriever of CAMPHOR, section 5.5), `Hybrid`
joins both by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009; the fusion of the Context Tuning paper).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.errors import MissingExtra, UsageError
from camphor.retrieval.encoder import SentenceEncoder
from camphor.tools.tool import Tool

Scores = npt.NDArray[np.float32]

FUSION = 60
"""The constant of reciprocal rank fusion; 60 is the value of the paper that proposed it."""


class Retriever(Protocol):
    """Says how well tools fit a query."""

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        """One score for each tool, higher for a better fit, shape (number of tools,)."""


def rank(retriever: Retriever, query: str, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """All the tools given, best first.

    Tools that fit equally well stand in an order that follows from query and names alone: a toolbox lists everyday apps
    first, and a retriever that finds nothing must not look good for that.
    """
    scores = retriever.scores(query, tools)
    chance = [crc32(f"{query}\n{tool.name}".encode()) for tool in tools]
    return tuple(tools[place] for place in sorted(range(len(tools)), key=lambda at: (-scores[at], chance[at])))


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

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        """The cosine for each tool, from -1 to 1."""
        vectors = self._encoder.encode([query, *(describe(tool) for tool in tools)])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float32)


class Hybrid:
    """Reciprocal rank fusion of several retrievers: a tool's score is the sum of 1 / (60 + its rank in each).

    Tools that one of them finds equally good share the mean of their ranks, so that a retriever which finds nothing has
    no say.
    """

    def __init__(self, *parts: Retriever) -> None:
        self._parts = parts or (Lexical(), Dense())

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        """From 0 to (number of retrievers) / 61."""
        total = np.zeros(len(tools))
        for part in self._parts:
            total += 1 / (FUSION + _shared_ranks(part.scores(query, tools)))
        return total.astype(np.float32)


RETRIEVERS: dict[str, Callable[[], Retriever]] = {"lexical": Lexical, "dense": Dense, "hybrid": Hybrid}


def retriever_named(name: str) -> Retriever:
    """The retriever of that name.

    Raises:
        UsageError: there is none. MissingExtra: what it needs is not installed.
    """
    if name not in RETRIEVERS:
        raise UsageError(f"There is no retriever {name[:80]!r}: choose from {', '.join(RETRIEVERS)}")
    return RETRIEVERS[name]()


def _shared_ranks(scores: Scores) -> npt.NDArray[np.float64]:
    """The rank of each score, 1 for the highest; equal scores have the mean of the ranks that they take up."""
    better = (scores[None, :] > scores[:, None]).sum(axis=1)
    equal = (scores[None, :] == scores[:, None]).sum(axis=1)
    return np.asarray(better + (equal + 1) / 2, dtype=np.float64)


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

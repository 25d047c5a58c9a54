"""Which memories a query is about: words (BM25), meaning (static vectors), how new they are and how often they served.

The parts are joined as tools' are (`retrieval.retrievers`), and the two signs of use decide between equals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

import numpy as np

from camphor.device.memories import Memory
from camphor.device.text import COMMON, near, words
from camphor.retrieval.retrievers import Bm25, Encoder, Scores, by_scores
from camphor.retrieval.static import StaticEncoder

HALF_LIFE = timedelta(days=30)
RECENCY = 0.2
USE = 0.05
"""Weights of the signs of use, beside scores in standard deviations: they order what words leave equal."""
ALIKE = 0.25
"""The cosine from which a memory that shares no word with a query may be about it."""
_PRONOUNS = frozenset(words("my our your their his her mine ours i me we us you that about said told know remember"))


@dataclass(frozen=True)
class Ranked:
    """A memory, how well it fits, and whether the words say so: all that name something stand in it."""

    memory: Memory
    score: float
    named: bool


class MemoryIndex:
    """Memories that can be searched. Building one reads their words; vectors are made at the first search.

    Args:
        encoder: what makes vectors; the table that comes with camphor unless given.
    """

    def __init__(self, memories: Sequence[Memory], encoder: Encoder | None = None) -> None:
        self._memories = tuple(memories)
        self._texts = tuple(_read(memory) for memory in self._memories)
        self._words = Bm25(self._texts)
        self._sets = tuple(frozenset(words(text)) for text in self._texts)
        self._known = frozenset().union(*self._sets) if self._sets else frozenset[str]()
        self._given = encoder

    @cached_property
    def _encoder(self) -> Encoder:
        return self._given or StaticEncoder()

    @cached_property
    def _vectors(self) -> Scores:
        return self._encoder.encode(self._texts)

    def search(self, query: str, now: datetime, k: int = 5) -> tuple[Ranked, ...]:
        """The memories that the query may be about, best first, at most `k`; those that it names before all others.

        One counts if it has a word of the query that names something, or nearly, or means something alike.
        """
        if not self._memories:
            return ()
        wanted = [{word} | {other for other in self._known if near(word, other)} for word in telling(query)]
        meaning = np.asarray(self._vectors @ self._encoder.encode([query])[0], np.float32)
        scores = by_scores([self._words.scores(query), meaning]) + self._use(now)
        found = []
        for place, memory in enumerate(self._memories):
            shared = sum(not each.isdisjoint(self._sets[place]) for each in wanted)
            if shared or float(meaning[place]) >= ALIKE:
                named = bool(wanted) and shared == len(wanted)
                found.append(Ranked(memory, float(scores[place]), named))
        return tuple(sorted(found, key=lambda each: (not each.named, -each.score, -each.memory.id))[:k])

    def _use(self, now: datetime) -> Scores:
        return np.array([RECENCY * _fresh(memory, now) + USE * math.log1p(memory.uses) for memory in self._memories])


def telling(query: str) -> frozenset[str]:
    """The words of a query that name something."""
    return frozenset(words(query)) - COMMON - _PRONOUNS


def _read(memory: Memory) -> str:
    return f"{memory.text} {memory.attribute} {memory.value}"


def _fresh(memory: Memory, now: datetime) -> float:
    """From 1 for now down to 0, halved every 30 days; a clock that was set back makes nothing fresher than now."""
    latest = max(memory.origin.at, memory.used)
    try:
        age = max(timedelta(0), now - datetime.fromisoformat(latest).replace(tzinfo=None))
    except ValueError:
        return 0.0
    return float(0.5 ** (age / HALF_LIFE))

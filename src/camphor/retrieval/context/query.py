"""What a query asks for, as far as its words say: closed lists of words, and a reading that is learnt.

The learnt reading is one linear map from a query (its vector, and its words and pairs of words that training saw often
enough) to what the items that were meant in training were like: their store, their vector, and simple facts about
them. It is fitted in closed form (ridge regression).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from camphor.device.text import words
from camphor.device.usage_events import seconds

Floats = npt.NDArray[np.float32]

LEXICON: dict[str, frozenset[str]] = {
    name: frozenset(said.split())
    for name, said in {
        "future": "next upcoming tomorrow tonight later soon will coming gonna going before begin begins start starts"
        " due ahead leave till until weekend",
        "past": "last yesterday earlier ago was were did had used former formerly previous previously missed went just"
        " recent recently lately been got",
        "again": "again usual usually always same another back more once still keep every repeat regular",
        "now": "now today already yet moment running late currently right",
        "thing": "that this it those these one ones thing",
        "person": "he she him her his hers they them their someone somebody who whom whose",
        "own": "my mine our i me we us",
        "when": "when time day date hour long soon",
        "where": "where way far place address directions there here",
        "who": "who whom whose anyone anybody everyone everybody",
        "what": "what which how much many",
        "speak": "call ring phone dial speak talk voicemail callback rang called",
        "write": "write reply answer message tell send forward mail email text respond let inbox letter",
        "hear": "play song songs music track album listen hear sing tune band playlist singer artist record queue",
        "look": "look search find google check read see show open pull bring",
        "note": "note notes list written wrote jotted recipe down ingredients page",
        "task": "remind reminder done finished tick todo snooze postpone chore do have task",
        "event": "meeting appointment lesson class event cancel move reschedule calendar late attend join invite",
    }.items()
}
_STEM = 4
"""Letters that words of one root mostly share."""
FLAGS = (*LEXICON, "words", "question")


def flags(query: str) -> Floats:
    """How many words of each list the query has, how many words in all, and whether it has a question mark."""
    said = words(query)
    counts = [sum(word in listed for word in said) for listed in LEXICON.values()]
    return np.array([*counts, min(len(said), 30), "?" in query], np.float32)


def terms(query: str) -> list[str]:
    """The words of a query, the beginnings of the long ones, pairs of neighbours, and pairs with a word between."""
    said = ["<", *words(query), ">"]
    pairs = [f"{one} {other}" for one, other in pairwise(said)]
    apart = [f"{one} ~ {other}" for one, other in zip(said[1:-1], said[3:-1], strict=False)]
    return [*said[1:-1], *(f"{word[:_STEM]}-" for word in said[1:-1] if len(word) > _STEM), *pairs, *apart]


@dataclass(frozen=True)
class QueryReading:
    """What the items that a query means are expected to be like.

    Attributes:
        stores: one number for each of `QueryReader.stores`. kinds: the share of each of its kinds; all sum to 1.
        facts: for each of its facts. vector: (dimensions,).
    """

    stores: Floats
    kinds: Floats
    facts: Floats
    vector: Floats


@dataclass(frozen=True)
class QueryReader:
    """The linear maps that read queries, and tell what items belong to.

    Attributes:
        terms: the row of each term, behind those of the query's vector and before the constant's.
        stores: names of stores, "app.list". facts: names of facts.
        kinds: names of what items belong to: a lesson, a trip, a bill.
        weights: (dimensions + terms + 1, stores + kinds + facts + leading dimensions).
        item_weights: (dimensions + stores, kinds).
    """

    terms: Mapping[str, int]
    stores: tuple[str, ...]
    kinds: tuple[str, ...]
    facts: tuple[str, ...]
    weights: Floats
    item_weights: Floats

    def read(self, query: str, vector: Floats) -> QueryReading:
        """The reading of a query whose vector is given, (dimensions,)."""
        found = vector @ self.weights[: len(vector)] + self.weights[-1]
        rows = [self.terms[term] for term in set(terms(query)) if term in self.terms]
        if rows:
            found = found + self.weights[rows].sum(axis=0)
        ends = np.cumsum([len(self.stores), len(self.kinds), len(self.facts)])
        stores, kinds, facts, like = np.split(found, ends)
        return QueryReading(stores, shares(kinds), facts, like)

    def kinds_of(self, vectors: Floats, stores: Sequence[str], store: npt.NDArray[np.int16]) -> Floats:
        """The share of each kind in what an item is taken for, (items, kinds).

        Args:
            vectors: the items', (items, dimensions). stores: names of stores; store: the number of each item's.
        """
        dimensions = vectors.shape[1]
        of_store = np.zeros((len(stores), len(self.kinds)), np.float32)
        for number, name in enumerate(stores):
            if name in self.stores:
                of_store[number] = self.item_weights[dimensions + self.stores.index(name)]
        return shares(vectors @ self.item_weights[:dimensions] + of_store[store])


def shares(scores: Floats) -> Floats:
    """Scores without what is below zero, so that they sum to 1 along the last axis."""
    kept = np.clip(scores, 0.0, 1.0)
    return np.asarray(kept / (kept.sum(axis=-1, keepdims=True) + 1e-6), np.float32)


def inputs(queries: Sequence[str], vectors: Floats, known: Mapping[str, int]) -> Floats:
    """What the map is applied to, (queries, dimensions + terms + 1).

    Args:
        vectors: the queries', (queries, dimensions). known: the column of each term (`QueryReader.terms`).
    """
    dimensions = vectors.shape[1]
    table = np.zeros((len(queries), dimensions + len(known) + 1), np.float32)
    table[:, :dimensions] = vectors
    table[:, -1] = 1
    for row, query in enumerate(queries):
        table[row, [known[term] for term in set(terms(query)) if term in known]] = 1
    return table


@dataclass(frozen=True)
class UseSituation:
    """The moment of a query.

    Attributes:
        now: the device's clock, naive local time.
        place: where the person is, by the name that usage events use ("work"); empty where it is not known.
        screen: plain text of what the screen shows.
        activity: lines of what was done lately, oldest first.
    """

    now: datetime
    place: str = ""
    screen: str = ""
    activity: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The clock in seconds, on the scale of the moments of items and of usage signals."""
        return seconds(self.now)

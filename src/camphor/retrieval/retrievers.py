"""Tool retrievers: given a query, they put tools in order, the likeliest first; and BM25 over texts that change."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt

from camphor.errors import UsageError
from camphor.retrieval.static import SentenceEncoder, StaticEncoder
from camphor.tools.tool import Parameter, Tool

# BM25 (Robertson et al. 1994) over texts that come and go, in the form Lucene gives it: numpy alone.
#
# Counts are kept by word, and weights are made when a query asks: adding a text costs its own words, though it changes
# how rare every word is.

K1 = 1.5
"""How soon more of the same word stops counting; the usual value."""
B = 0.75
"""How much a long text is discounted; the usual value."""
STOP_WORDS = frozenset(
    (
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
        "with",
    )
)  # fmt: skip

_WORD = re.compile(r"\b\w\w+\b")


def words(text: str) -> list[str]:
    """The words of a text that count: of two letters or more, in lower case, without English stop words."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


class Bm25:
    """An index of texts, each known by its place, from 0 in the order in which they were added."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._places: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}
        self._lengths = array("f")
        self.add(texts)

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, texts: Iterable[str]) -> None:
        """Put texts behind those that are there."""
        for text in texts:
            place, found = len(self._lengths), words(text)
            self._lengths.append(len(found))
            for word, count in Counter(found).items():
                self._places.setdefault(word, array("i")).append(place)
                self._counts.setdefault(word, array("i")).append(count)

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """One score for each text, shape (number of texts,); 0 where no word of the query occurs."""
        total = np.zeros(len(self), np.float32)
        asked = [(word, times) for word, times in Counter(words(query)).items() if word in self._places]
        if not asked:
            return total
        lengths = np.array(self._lengths, np.float32)
        discount = K1 * (1 - B + B * lengths / lengths.mean())
        for word, times in asked:
            places = np.array(self._places[word])
            counts = np.array(self._counts[word], np.float32)
            rarity = math.log(1 + (len(self) - len(places) + 0.5) / (len(places) + 0.5))
            total[places] += np.float32(times * rarity) * counts / (counts + discount[places])
        return total

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Forget the other texts and the words that only they had; the places of those kept close up.

        Args:
            kept: a truth value for each text.
        """
        arrays, place_of = self.arrays(), np.cumsum(kept) - 1
        places = arrays["places"]
        stay = kept[places] if len(places) else np.zeros(0, bool)
        of_word = np.repeat(np.arange(len(arrays["ends"])), np.diff(arrays["ends"], prepend=0))[stay]
        left = np.bincount(of_word, minlength=len(arrays["ends"]))
        words_left = [word for word, times in zip(self._places, left, strict=True) if times]
        kept_arrays = {
            "words": _joined(words_left),
            "ends": np.cumsum(left[left > 0], dtype=np.int64),
            "places": place_of[places[stay]].astype(np.int32),
            "counts": arrays["counts"][stay],
            "text_lengths": arrays["text_lengths"][kept],
        }
        self.__dict__ = Bm25.of_arrays(kept_arrays).__dict__

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What `of_arrays` makes the index from again."""
        return {
            "words": _joined(self._places),
            "ends": np.cumsum([len(places) for places in self._places.values()], dtype=np.int64),
            "places": np.frombuffer(b"".join(places.tobytes() for places in self._places.values()), np.int32),
            "counts": np.frombuffer(b"".join(counts.tobytes() for counts in self._counts.values()), np.int32),
            "text_lengths": np.array(self._lengths, np.float32),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Bm25:
        """The index of such arrays. Raises KeyError: one is missing."""
        index = cls()
        index._lengths.frombytes(arrays["text_lengths"].astype(np.float32).tobytes())
        found = arrays["words"].tobytes().decode(errors="surrogatepass").split("\n")
        ends = [4 * int(end) for end in arrays["ends"]]
        for kept, name in ((index._places, "places"), (index._counts, "counts")):
            numbers = memoryview(arrays[name].astype(np.int32).tobytes())
            for word, first, last in zip(found, [0, *ends], ends, strict=False):
                kept[word] = array("i", numbers[first:last].tobytes())
        return index


def _joined(found: Iterable[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(found).encode(errors="surrogatepass"), np.uint8)


# Tool retrievers: given a query, they put tools in order, the likeliest first.
#
# `Lexical` counts words (BM25), `Dense` compares sentence embeddings (the retriever of CAMPHOR, section 5.5), `Hybrid`
# joins both by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009; the fusion of the Context Tuning paper).
# `static` and `light` need nothing but what camphor installs; `dense` and `hybrid` run all-MiniLM-L6-v2 through
# sentence-transformers.

Scores = npt.NDArray[np.float32]
Fusion = Callable[[Sequence[Scores]], Scores]

CONSTANT = 60
"""Of reciprocal rank fusion; 60 is the value of the paper that proposed it."""


def by_ranks(parts: Sequence[Scores]) -> Scores:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): the sum of 1 / (60 + rank), at most parts / 61.

    Tools that one part finds equally good share the mean of their ranks, so that a part which finds nothing has no say.
    """
    total = np.zeros(len(parts[0]))
    for scores in parts:
        total += 1 / (CONSTANT + shared_ranks(scores))
    return total.astype(np.float32)


def by_scores(parts: Sequence[Scores]) -> Scores:
    """The sum of each part's scores in standard deviations from their mean; a part that finds all equal has no say.

    Beside ranks it hears how clearly a part prefers a tool: one rare word that only one of thousands has.
    """
    total = np.zeros(len(parts[0]))
    for scores in parts:
        spread = float(np.std(scores, dtype=np.float64)) if len(scores) else 0.0
        if spread > 1e-9:
            total += (scores - np.mean(scores, dtype=np.float64)) / spread
    return total.astype(np.float32)


def shared_ranks(scores: Sequence[float] | Scores) -> npt.NDArray[np.float64]:
    """The rank of each score, 1 for the highest; equal scores have the mean of the ranks that they take up."""
    _, places, counts = np.unique(np.negative(scores), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[places], dtype=np.float64)


_JOINT = re.compile(r"_|(?<=[a-z0-9])(?=[A-Z])|\.(?=\w)")


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
    parameters = [f"{_apart(parameter.name)}: {_meaning(parameter)}" for parameter in tool.parameters]
    return " ".join([_apart(tool.name) + ".", " ".join(tool.description.split()).replace("_", " "), *parameters])


def _meaning(parameter: Parameter) -> str:
    said = parameter.explanation()
    return said.replace("_", " ") if parameter.explained else _apart(said)


def _apart(name: str) -> str:
    """The words of a name: `get_notes`, `getNotes` and `Notes.get` give the same ones, but for their case."""
    return _JOINT.sub(" ", name)


class Lexical:
    """BM25 over the words of each tool's definition, without English stop words."""

    def __init__(self) -> None:
        self._index = lru_cache(maxsize=256)(Bm25)

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        """The BM25 score of each tool, shape (number of tools,); 0 where no word of the query occurs."""
        return self._index(tuple(describe(tool) for tool in tools)).scores(query)


class Encoder(Protocol):
    """Makes texts into vectors of unit length."""

    def encode(self, texts: Sequence[str]) -> Scores:
        """The embeddings of the texts, in order: float32, shape (number of texts, dimensions)."""


class TextEncoder(Encoder, Protocol):
    """An encoder whose vectors are kept in a file."""

    @property
    def identity(self) -> str:
        """What tells its vectors from all others'."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""


class Dense:
    """The cosine between the query's and each definition's sentence embedding.

    Args:
        encoder: what embeds; all-MiniLM-L6-v2 through sentence-transformers when None.

    Raises:
        MissingExtra: the encoder is not installed.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder or SentenceEncoder(purpose="The dense retriever")
        self._embedded = lru_cache(maxsize=256)(self._encoder.encode)

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        """The cosine for each tool, from -1 to 1."""
        if not tools:
            return np.zeros(0, np.float32)
        vectors = self._embedded(tuple(describe(tool) for tool in tools))
        return np.asarray(vectors @ self._encoder.encode([query])[0], dtype=np.float32)


class Hybrid:
    """Several retrievers joined into one; reciprocal rank fusion of `Lexical` and `Dense` unless told otherwise."""

    def __init__(self, *parts: Retriever, fusion: Fusion = by_ranks) -> None:
        self._parts = parts or (Lexical(), Dense())
        self._fusion = fusion

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        """As the fusion gives them."""
        return self._fusion([part.scores(query, tools) for part in self._parts])


RETRIEVERS: dict[str, Callable[[], Retriever]] = {
    "lexical": Lexical,
    "dense": Dense,
    "hybrid": Hybrid,
    "static": lambda: Dense(StaticEncoder()),
    "light": lambda: Hybrid(Lexical(), Dense(StaticEncoder()), fusion=by_scores),
}


def retriever_named(name: str) -> Retriever:
    """The retriever of that name.

    Raises:
        UsageError: there is none. MissingExtra: what it needs is not installed.
    """
    if name not in RETRIEVERS:
        raise UsageError(f"There is no retriever {name[:80]!r}: choose from {', '.join(RETRIEVERS)}")
    return RETRIEVERS[name]()

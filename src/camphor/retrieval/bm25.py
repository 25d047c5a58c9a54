"""BM25 (Robertson et al. 1994) over texts that come and go, in the form Lucene gives it: numpy alone.

Counts are kept by word, and weights are made when a query asks: adding a text costs its own words, though it changes
how rare every word is.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

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

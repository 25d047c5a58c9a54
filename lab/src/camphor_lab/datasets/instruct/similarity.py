"""The queries that are there, and whether a new one is too like any of them: exact, and fast among many thousands.

DroidCall's SimilarityFilter compares each new query with all before by ROUGE-L and drops it when the F-measure is above
0.75 (section 3.2.3). F of texts of n and m words with L words in a longest common subsequence is 2 L / (n + m) (Lin
2004, section 3). The decisions here are those of that comparison, in whole numbers: 0.75 itself is never above.

All pairs are not compared. F > t needs L > t n / (2 - t), and as many words of n in common: of two texts alike each has
one of its rarest words, up to that number, among the rarest of the other (prefix filtering, as in
set-similarity joins). What is compared is compared in native code. Word frequencies are not known beforehand, and the
order of words must stay the same within an index: it is made anew, with the counts so far, whenever it has doubled.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from rapidfuzz import process
from rapidfuzz.distance import Indel, LCSseq

from camphor.device.text import words as unicode_words
from camphor.trajectories.call_samples import CallSample
from camphor_lab.datasets.near import Codes
from camphor_lab.datasets.near import tokens as latin_tokens

MOST = Fraction(3, 4)  # DroidCall, section 3.2.3
APART = Fraction(3, 5)
"""ROUGE-L F above which two queries stay on one side. Below the filter's 0.75, which no two samples reach anyway."""
_FIRST_INDEX = 64
_SLACK = 1e-9  # of the native comparison in floating point, before the one in whole numbers
_LAST_LATIN, _MORE_LATIN = "\u024f", ("\u1e00", "\u1eff")
_MARK = re.compile(r"\S")

Key = tuple[str, int]
"""A word, and which occurrence of it in its text."""


@dataclass(frozen=True)
class Alike:
    """A text that is there and too like a new one. `score` is ROUGE-L F."""

    text: str
    score: float


def words_of(text: str) -> list[str]:
    """The words that are compared.

    For a text in Latin letters those of the `rouge-score` package, runs of a to z and 0 to 9. That package sees nothing
    in other scripts: there a word is a run of letters, a character in scripts without spaces. Of a text with neither,
    emoji alone, each character counts.
    """
    if text.isascii() or all(_latin(char) for char in text if char.isalpha()):
        found = latin_tokens(text)
    else:
        found = list(unicode_words(text))
    return found or _MARK.findall(text)


def _latin(char: str) -> bool:
    return char <= _LAST_LATIN or _MORE_LATIN[0] <= char <= _MORE_LATIN[1] or unicodedata.category(char) == "Lm"


class Similar:
    """Queries to compare with.

    Args:
        most: ROUGE-L F above which a query is too like another; from 0 to below 1.

    Raises:
        ValueError: `most` is out of that range.
    """

    def __init__(self, most: Fraction | float = MOST) -> None:
        self._most = Fraction(most).limit_denominator(1_000_000)
        if not 0 <= self._most < 1:
            raise ValueError(f"expected a ROUGE-L F from 0 to below 1, found {float(most):g}")
        self._cutoff = max(0.0, float(self._most) - _SLACK)
        self._share = self._most / (2 - self._most)  # of a text's words, that one alike has at least too
        self._codes = Codes()
        self._kept: list[tuple[str, list[str]]] = []
        self._counts: Counter[str] = Counter()
        self._index = _Index(Counter(), self._share)

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, text: str) -> Alike | None:
        """A text that is there and has an F above the bound with this one; None where there is none."""
        words = words_of(text)
        if not words:
            return None
        code, length = self._codes.encode(words), len(words)
        for key in self._index.rare(words):
            for size, (codes, places) in self._index.where.get(key, {}).items():
                if not self._sizes_allow(length, size):
                    continue
                best = process.extractOne(code, codes, scorer=Indel.normalized_similarity, score_cutoff=self._cutoff)
                # the best of a bucket has the most words in common: where it is not above the bound, none is
                if best and self._above(LCSseq.similarity(code, best[0]), length + size):
                    common = LCSseq.similarity(code, best[0])
                    return Alike(self._kept[places[best[2]]][0], 2 * common / (length + size))
        return None

    def all_like(self, text: str) -> set[int]:
        """The places, in the order of adding, of all texts that have an F above the bound with this one."""
        words = words_of(text)
        code, length, found = self._codes.encode(words), len(words), set()
        for key in self._index.rare(words) if words else ():
            for size, (codes, places) in self._index.where.get(key, {}).items():
                if self._sizes_allow(length, size):
                    near = process.extract(
                        code, codes, scorer=Indel.normalized_similarity, score_cutoff=self._cutoff, limit=None
                    )
                    like = ((each, at) for each, _, at in near)
                    found |= {
                        places[at] for each, at in like if self._above(LCSseq.similarity(code, each), length + size)
                    }
        return found

    def add(self, text: str) -> None:
        """Keep a text. Adding costs as much as finding, and once in a while the index is made anew."""
        words = words_of(text)
        self._kept.append((text, words))
        self._counts.update(words)
        if len(self._kept) >= 2 * max(_FIRST_INDEX, self._index.begun):
            self._index = _Index(self._counts.copy(), self._share, len(self._kept))
            for place, (_, known) in enumerate(self._kept):
                self._index.add(known, self._codes.encode(known), place)
        else:
            self._index.add(words, self._codes.encode(words), len(self._kept) - 1)

    def _above(self, common: int, both: int) -> bool:
        return 2 * common * self._most.denominator > both * self._most.numerator

    def _sizes_allow(self, one: int, other: int) -> bool:
        return self._above(min(one, other), one + other)


class _Index:
    """Places of texts by their rare words, then by length, with their codes beside."""

    def __init__(self, counts: Counter[str], share: Fraction, begun: int = 0) -> None:
        self._counts, self._share = counts, share
        self.begun = begun
        self.where: dict[Key, dict[int, tuple[list[str], list[int]]]] = {}

    def add(self, words: list[str], code: str, place: int) -> None:
        for key in self.rare(words):
            codes, places = self.where.setdefault(key, {}).setdefault(len(words), ([], []))
            codes.append(code)
            places.append(place)

    def rare(self, words: list[str]) -> list[Key]:
        """The rarest words: all but as many, less one, as a text alike must share."""
        seen: Counter[str] = Counter()
        keys = []
        for word in words:
            keys.append((self._counts[word], word, seen[word]))
            seen[word] += 1
        keys.sort()
        shared = -(-len(words) * self._share.numerator // self._share.denominator)
        return [(word, number) for _, word, number in keys[: len(words) - max(1, shared) + 1]]


# ---- a test set none of whose queries is like one for training ----


def split(
    samples: Sequence[CallSample], test: int, seed: int = 7, apart: Fraction | float = APART
) -> tuple[list[CallSample], list[CallSample]]:
    """Training and test samples, in their order.

    Queries with an F above `apart`, and those that are connected through others, stay together. Groups are drawn by
    chance until `test` samples are held out; fewer are where groups are too large. Nothing is thrown away.
    """
    groups = _groups([sample.query for sample in samples], apart)
    Random(f"{seed}:test").shuffle(groups)
    held: set[int] = set()
    for group in groups:
        if len(held) + len(group) <= test:
            held.update(group)
    return (
        [sample for place, sample in enumerate(samples) if place not in held],
        [sample for place, sample in enumerate(samples) if place in held],
    )


def _groups(queries: Sequence[str], apart: Fraction | float) -> list[list[int]]:
    """Places of queries that are connected by likeness."""
    similar, leader = Similar(apart), list(range(len(queries)))

    def first(place: int) -> int:
        while leader[place] != place:
            leader[place] = place = leader[leader[place]]
        return place

    for place, query in enumerate(queries):
        for other in similar.all_like(query):
            one, two = sorted((first(other), first(place)))
            leader[two] = one
        similar.add(query)
    groups: dict[int, list[int]] = {}
    for place in range(len(queries)):
        groups.setdefault(first(place), []).append(place)
    return list(groups.values())

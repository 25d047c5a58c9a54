"""The queries that are there, and whether a new one is too like any of them: exact, and fast among many thousands.

ROUGE-L F of texts of n and m words whose longest common subsequence has L words is 2 L / (n + m) (Lin 2004, section 3).
DroidCall drops generated queries above 0.75 (section 3.2, SimilarityFilter). The decisions here are made in whole
numbers, so that 0.75 itself is on one side.

All pairs are not compared. F > t needs L > t n / (2 - t), and as many words of n in common: of two texts alike each has
one of its rarest words, up to that number, among the rarest of the other (prefix filtering, as in set-similarity
joins). Only texts that share such a word, and whose lengths allow it, are compared, in native code; nothing that is
alike is missed. Where word frequencies are not known beforehand, the index is made anew, with the counts so far,
whenever it has doubled: the order of words must stay the same within one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from rapidfuzz import process
from rapidfuzz.distance import Indel, LCSseq

from camphor.device.text import words as unicode_words
from camphor.trajectories.call_samples import CallSample

ALIKE = 0.75
MOST = Fraction(3, 4)  # DroidCall, section 3.2.3
APART = Fraction(3, 5)
"""ROUGE-L F above which two queries stay on one side. Below the filter's 0.75, which no two samples reach anyway."""
_FIRST_INDEX = 64
_SLACK = 1e-9  # of the native comparison in floating point, before the one in whole numbers
_LAST_LATIN, _MORE_LATIN = "\u024f", ("\u1e00", "\u1eff")
_TOKEN = re.compile(r"[a-z0-9]+")
_MARK = re.compile(r"\S")
_FIRST, _SURROGATES = 0x100, (0xD800, 0x800)  # characters that stand for words

Key = tuple[str, int]
"""A word, and which occurrence of it in its text."""


def tokens(text: str) -> list[str]:
    """The words of a text as the `rouge-score` package takes them, without stemming: runs of a to z and 0 to 9."""
    return _TOKEN.findall(text.lower())


def words_of(text: str) -> list[str]:
    """The words that are compared.

    For a text in Latin letters those of the `rouge-score` package. That package sees nothing in other scripts: there a
    word is a run of letters, a character in scripts without spaces. Of a text with neither, emoji alone, each character
    counts.
    """
    if text.isascii() or all(_latin(char) for char in text if char.isalpha()):
        found = tokens(text)
    else:
        found = list(unicode_words(text))
    return found or _MARK.findall(text)


def _latin(char: str) -> bool:
    return char <= _LAST_LATIN or _MORE_LATIN[0] <= char <= _MORE_LATIN[1] or unicodedata.category(char) == "Lm"


def rouge_l(first: str, second: str) -> float:
    """ROUGE-L F of two texts; 0 where one has no word."""
    one, two = tokens(first), tokens(second)
    return 2 * LCSseq.similarity(one, two) / (len(one) + len(two)) if one and two else 0.0


class Codes:
    """Texts as strings with one character a word, which compare fast."""

    def __init__(self) -> None:
        self._codes: dict[str, str] = {}

    def encode(self, words: Iterable[str]) -> str:
        return "".join(map(self._code, words))

    def _code(self, word: str) -> str:
        code = self._codes.get(word)
        if code is None:
            number = _FIRST + len(self._codes)
            code = self._codes[word] = chr(number if number < _SURROGATES[0] else number + _SURROGATES[1])
        return code


@dataclass(frozen=True)
class Alike:
    """A text that is there and too like a new one. `score` is ROUGE-L F."""

    text: str
    score: float


class Similar:
    """Queries to compare with.

    Args:
        most: ROUGE-L F above which a query is too like another; from 0 to below 1. included: and one of exactly `most`.
        frequency: how often a word is met, roughly; any numbers are right, true ones are fast. Learnt unless given.

    Raises:
        ValueError: `most` is out of that range.
    """

    def __init__(
        self, most: Fraction | float = MOST, *, included: bool = False, frequency: Mapping[str, int] | None = None
    ) -> None:
        self._most, self._included = Fraction(most).limit_denominator(1_000_000), included
        if not 0 <= self._most < 1:
            raise ValueError(f"expected a ROUGE-L F from 0 to below 1, found {float(most):g}")
        self._cutoff = max(0.0, float(self._most) - _SLACK)
        self._share = self._most / (2 - self._most)  # of a text's words, that one alike has at least too
        self._codes = Codes()
        self._kept: list[tuple[str, list[str]]] = []
        self._counts: Counter[str] | None = Counter() if frequency is None else None
        self._index = _Index(frequency or {}, self._share)

    def __len__(self) -> int:
        return len(self._kept)

    def alike(self, text: str) -> bool:
        return self.find(text) is not None

    def find(self, text: str) -> Alike | None:
        """A text that is there and too like this one; None where there is none."""
        words = words_of(text)
        code = self._codes.encode(words)
        for size, codes, places in self._buckets(words):
            best = process.extractOne(code, codes, scorer=Indel.normalized_similarity, score_cutoff=self._cutoff)
            # the best of a bucket has the most words in common: where it is not beyond the bound, none is
            if best and self._beyond(common := LCSseq.similarity(code, best[0]), len(words) + size):
                return Alike(self._kept[places[best[2]]][0], 2 * common / (len(words) + size))
        return None

    def all_like(self, text: str) -> set[int]:
        """The places, in the order of adding, of all texts that are too like this one."""
        words, found = words_of(text), set()
        code = self._codes.encode(words)
        for size, codes, places in self._buckets(words):
            near = process.extract(
                code, codes, scorer=Indel.normalized_similarity, score_cutoff=self._cutoff, limit=None
            )
            found |= {
                places[at] for each, _, at in near if self._beyond(LCSseq.similarity(code, each), len(words) + size)
            }
        return found

    def add(self, text: str) -> None:
        """Keep a text. Adding costs as much as finding, and once in a while the index is made anew."""
        words = words_of(text)
        self._kept.append((text, words))
        again = self._kept[-1:]
        if self._counts is not None:
            self._counts.update(words)
            if len(self._kept) >= 2 * max(_FIRST_INDEX, self._index.begun):
                self._index = _Index(self._counts.copy(), self._share, len(self._kept))
                again = self._kept
        for place, (_, known) in enumerate(again, len(self._kept) - len(again)):
            self._index.add(known, self._codes.encode(known), place)

    def _buckets(self, words: Sequence[str]) -> Iterator[tuple[int, list[str], list[int]]]:
        """Sizes, codes and places of the texts that may be alike."""
        for key in self._index.rare(words):
            for size, (codes, places) in self._index.where.get(key, {}).items():
                if self._beyond(min(len(words), size), len(words) + size):
                    yield size, codes, places

    def _beyond(self, common: int, both: int) -> bool:
        one, other = 2 * common * self._most.denominator, both * self._most.numerator
        return one >= other if self._included else one > other


class _Index:
    """Places of texts by their rare words, then by length, with their codes beside."""

    def __init__(self, counts: Mapping[str, int], share: Fraction, begun: int = 0) -> None:
        self._counts, self._share = counts, share
        self.begun = begun
        self.where: dict[Key, dict[int, tuple[list[str], list[int]]]] = {}

    def add(self, words: Sequence[str], code: str, place: int) -> None:
        for key in self.rare(words):
            codes, places = self.where.setdefault(key, {}).setdefault(len(words), ([], []))
            codes.append(code)
            places.append(place)

    def rare(self, words: Sequence[str]) -> list[Key]:
        """The rarest words: all but as many, less one, as a text alike must share."""
        seen: Counter[str] = Counter()
        keys = []
        for word in words:
            keys.append((self._counts.get(word, 0), word, seen[word]))
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

"""Tells whether a query is like one that is there: ROUGE-L F of 0.75 or more, exactly, among many thousands.

ROUGE-L F of texts of n and m words whose longest common subsequence has L words is 2 L / (n + m) (Lin 2004, section 3).
DroidCall drops generated queries above 0.75 (section 3.2, SimilarityFilter). Words are those of the `rouge-score`
package without stemming: runs of a to z and 0 to 9, in lower case.

Comparing all pairs would take n squared steps. Of two texts that are alike each has three fifths of its words at least
in common with the other, so they share a word among the rarest two fifths (and one) of the words of each: prefix
filtering, as in set-similarity joins. Only texts that share such a word, and whose lengths allow it, are compared;
nothing that is alike is missed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import process
from rapidfuzz.distance import Indel, LCSseq

ALIKE = 0.75
_TOKEN = re.compile(r"[a-z0-9]+")
_FIRST, _SURROGATES = 0x100, (0xD800, 0x800)  # characters that stand for words


def tokens(text: str) -> list[str]:
    """The words of a text as `rouge-score` takes them: without accents' letters, case and marks."""
    return _TOKEN.findall(text.lower())


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


class Near:
    """The texts that are there.

    Args:
        frequency: how often a word is met, roughly; any numbers are right, true ones are fast.
    """

    def __init__(self, frequency: Mapping[str, int] | None = None) -> None:
        self._frequency = frequency or {}
        self._codes = Codes()
        # by a rare word and its occurrence, then by length: the texts
        self._where: dict[tuple[str, int], dict[int, list[str]]] = {}
        self.texts = 0

    def alike(self, text: str) -> bool:
        """True where a text that is there has ROUGE-L F of 0.75 or more with this one."""
        words = tokens(text)
        if not words:
            return False
        length, code = len(words), self._codes.encode(words)
        # 2 L >= 0.75 (n + m) and L <= n, m: 3 m <= 5 n and 3 n <= 5 m
        lengths = range(-(-3 * length // 5), 5 * length // 3 + 1)
        for key in self._rare(words):
            by_length = self._where.get(key)
            if by_length and any(self._hit(code, by_length[size]) for size in lengths if size in by_length):
                return True
        return False

    @staticmethod
    def _hit(code: str, others: Sequence[str]) -> bool:
        return process.extractOne(code, others, scorer=Indel.normalized_similarity, score_cutoff=ALIKE) is not None

    def add(self, text: str) -> None:
        words = tokens(text)
        code = self._codes.encode(words)
        for key in self._rare(words):
            self._where.setdefault(key, {}).setdefault(len(words), []).append(code)
        self.texts += 1

    def _rare(self, words: Sequence[str]) -> list[tuple[str, int]]:
        """The rarest words that one of every text alike has among its own: n - ceil(3 n / 5) + 1 of n."""
        seen: Counter[str] = Counter()
        keys = []
        for word in words:
            keys.append((self._frequency.get(word, 0), word, seen[word]))
            seen[word] += 1
        keys.sort()
        return [(word, number) for _, word, number in keys[: len(words) - -(-3 * len(words) // 5) + 1]]

"""Words without their endings, so that "bookings" finds "booking"."""

from __future__ import annotations

from functools import lru_cache

import snowballstemmer

from camphor.device.text import words

_stemmer = snowballstemmer.stemmer("english")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a folded word (the Snowball stemmer for English)."""
    return str(_stemmer.stemWord(word.removesuffix("'s")))


@lru_cache(maxsize=16384)
def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    return frozenset(stem(word) for word in words(text))

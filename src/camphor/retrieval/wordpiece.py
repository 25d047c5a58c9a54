"""WordPiece (Wu et al. 2016), as BERT's lower-case English models cut texts, in Python alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

UNKNOWN = "[UNK]"
INSIDE = "##"
"""Before a piece that continues a word."""
LONGEST = 100
"""Characters of a word beyond which it is unknown as a whole."""

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """Cuts texts into pieces of a vocabulary.

    Args:
        vocabulary: the pieces; a piece's number is its place.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._numbers.get(UNKNOWN)
        self._longest = max(map(len, vocabulary), default=0)
        self._cut_word = lru_cache(maxsize=65536)(self._pieces)

    def cut(self, text: str) -> list[int]:
        """The numbers of a text's pieces, without the marks that BERT puts around a text.

        A word that cannot be made of pieces is `[UNK]`, or nothing where the vocabulary lacks that.
        """
        return [number for word in _split(text) for number in self._cut_word(word)]

    def _pieces(self, word: str) -> tuple[int, ...]:
        unknown = () if self._unknown is None else (self._unknown,)
        if len(word) > LONGEST:
            return unknown
        found, start = [], 0
        while start < len(word):
            before = INSIDE if start else ""
            for stop in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(before + word[start:stop])
                if number is not None:
                    break
            else:
                return unknown
            found.append(number)
            start = stop
        return tuple(found)


def _split(text: str) -> Iterator[str]:
    """Words and single marks of a text in lower case, without accents."""
    for chunk in _clean(text).split():
        word = ""
        for letter in unicodedata.normalize("NFD", chunk.lower()):
            if unicodedata.category(letter) == "Mn":
                continue
            if _is_mark(letter):
                if word:
                    yield word
                yield letter
                word = ""
            else:
                word += letter
        if word:
            yield word


def _clean(text: str) -> str:
    """Without control characters, with spaces for all that separates and around ideographs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_cleaned, text))


def _cleaned(letter: str) -> str:
    category = unicodedata.category(letter)
    if letter in "\t\n\r" or category == "Zs":
        return " "
    if letter == "\ufffd" or category[0] == "C":
        return ""
    return f" {letter} " if any(low <= ord(letter) <= high for low, high in _IDEOGRAPHS) else letter


def _is_mark(letter: str) -> bool:
    if letter.isascii():
        return not letter.isalnum() and not letter.isspace()
    return unicodedata.category(letter)[0] == "P"

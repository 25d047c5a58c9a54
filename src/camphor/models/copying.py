"""Words of a call's texts come from the conversation; another is written only where it is much likelier.

A small model that is to copy a rare word at times writes another that begins alike ("Impregnation" for "permission").
Greedy search takes the likeliest token; here a token that would begin, or go on with, a word of neither the prompt nor
everyday language is taken only when it is `PENALTY` nats likelier than one that does not.

And leaning: towards some of the names that a grammar lets a model write as the next call's.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from camphor.types import Prompt

PENALTY = 4.0
_WORD = re.compile(r"[^\W_]+")
_LAST = re.compile(r"[^\W_]*$")
_ESCAPED = re.compile(r"\\.")
# Words that a text needs whatever it is about: those that turn a report into speech, join it and say when.
_EVERYDAY = frozenset(
    _WORD.findall(
        "a an the i you he she it we they me him her us them my your his its our their mine yours is are was were be"
        " been am do does did done have has had will would can could shall should may might must not no yes and or but"
        " so if that this these those there here to of in on at by for from with about as up out off over down into"
        " back when what where who which how why than then too also just please now today tomorrow tonight soon s t ll"
        " re ve m d don isn won get go going come coming take bring make see let know tell ask call one two three"
    )
)


class Copying:
    """What may stand inside quotation marks of one completion.

    Args:
        prompt: whose words are to be copied. piece: the bytes that a token writes.
    """

    def __init__(self, prompt: Prompt, piece: Callable[[int], bytes]) -> None:
        said = {word for segment in prompt for word in _WORD.findall(_ESCAPED.sub(" ", segment.text).casefold())}
        self._known = sorted(said | _EVERYDAY)
        self._piece = piece

    def weigh(self, written: str, logits: NDArray[np.float32], allowed: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The logits, (vocabulary_size,), less `PENALTY` where a token goes on with a word that nobody said.

        Outside of quotation marks they are as they were: there the grammar knows all that may be written.
        """
        plain = _ESCAPED.sub(" ", written)
        if plain.count('"') % 2 == 0:
            return logits
        begun = _LAST.findall(plain.casefold())[0]
        possible = np.where(allowed, logits, -np.inf)
        weighed = logits.copy()
        for token in np.flatnonzero(possible >= possible.max() - PENALTY):  # no other can become the likeliest
            if self._invents(begun, self._piece(int(token)).decode(errors="replace").casefold()):
                weighed[token] -= PENALTY
        return weighed

    def _invents(self, begun: str, piece: str) -> bool:
        found = _WORD.findall(begun + piece)
        if not found or found[-1] == begun:  # it ends the word or goes on with a sign
            return False
        return not self._could_be(found[-1])

    def _could_be(self, beginning: str) -> bool:
        place = bisect_left(self._known, beginning)
        return place < len(self._known) and self._known[place].startswith(beginning)


_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


class Leaning:
    """Adds to the logits of one completion what speaks for each name.

    What is added to a name's first tokens is the most that any name beginning so has; later tokens add what is missing,
    or take back. So every name has got its own sum when it is whole, and greedy search is led to the best.

    Args:
        nats: names, each with what speaks for it; a name that is not there has 0. piece: the bytes that a token writes.
    """

    def __init__(self, nats: Iterable[tuple[str, float]], piece: Callable[[int], bytes]) -> None:
        self._nats = dict(nats)
        self._piece = piece

    def weigh(self, written: str, logits: NDArray[np.float32], allowed: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The logits, (vocabulary_size,), with what speaks for the names where one is being written."""
        plain = _QUOTED.sub("", written)
        begun = re.split(r"[\[;]", plain)[-1].lstrip()
        if '"' in plain or plain.count("(") != plain.count(")"):  # within a call's values
            return logits
        before = self._most(begun) if begun else 0.0
        weighed = logits.copy()
        for token in np.flatnonzero(allowed):
            text = self._piece(int(token)).decode(errors="replace")
            if (name := re.split(r"[\[;]", plain + text)[-1].lstrip()) and "]" not in text:
                weighed[token] += self._most(name) - before
        return weighed

    def _most(self, begun: str) -> float:
        """The most that any name which begins so has."""
        name, bracket, _ = begun.partition("(")
        if bracket:
            return self._nats.get(name, 0.0)
        return max((nats for each, nats in self._nats.items() if each.startswith(name)), default=0.0)

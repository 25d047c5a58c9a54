"""Leaning towards some of the names that a grammar lets a model write as the next call's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

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

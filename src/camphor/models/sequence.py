"""What a runtime's cache holds and what it should hold: function tokens, then one sequence of tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from camphor.errors import ModelError
from camphor.models.function_tokens import Vectors


class CachedSequence(ABC):
    """The bookkeeping that every runtime has; a runtime says how much it has evaluated, and drops what it is told to.

    Function tokens (CAMPHOR, section 3.3) stand before the sequence, all at position 0, and its text begins at position
    1. Tokens join the sequence before they are evaluated and leave it after they left the cache, so an interruption
    between any two steps (Ctrl-C) leaves both in agreement.

    Attributes:
        sequence: what the cache should hold, the tokens still to be evaluated included.
        dimensions: the width of a function token, set by the runtime.
    """

    dimensions: int

    def __init__(self) -> None:
        self.sequence: list[int] = []
        self._wanted = self._none = np.empty((0, 0), np.float32)
        self._held: Vectors | None = None  # the function tokens in the cache; None where that is not sure

    @property
    @abstractmethod
    def evaluated(self) -> int:
        """How many tokens of the sequence, from the front, are in the cache."""

    @abstractmethod
    def _drop(self, length: int) -> bool:
        """Leave the first `length` tokens in the cache, fewer than are there; whether this kind of model can."""

    @abstractmethod
    def _empty(self) -> None:
        """Empty the cache."""

    @property
    def pending(self) -> int:
        """How many function tokens wait to be evaluated: all or none."""
        return 0 if self._holds(self._wanted) else len(self._wanted)

    @property
    def _first(self) -> int:
        """The position of the sequence's first token, as far as the cache goes."""
        return 1 if self._held is not None and len(self._held) else 0

    def _holds(self, function_tokens: Vectors) -> bool:
        return self._held is not None and np.array_equal(self._held, function_tokens)

    def align(self, tokens: Sequence[int], function_tokens: Vectors | None = None) -> int:
        """Make `tokens` the sequence; what the cache holds beyond the common beginning is dropped.

        Other function tokens than before, (n, dimensions), drop everything. Returns how many of `tokens` the cache
        holds.

        Raises:
            ModelError: function tokens of another width than the model's.
        """
        wanted = self._none if function_tokens is None else function_tokens
        if len(wanted) and wanted.shape[1] != self.dimensions:
            raise ModelError(f"function tokens of {wanted.shape[1]} dimensions for a model of {self.dimensions}")
        self._wanted = wanted
        if not self._holds(wanted):
            self.clear()
        common = 0
        for old, new in zip(self.sequence[: self.evaluated], tokens, strict=False):
            if old != new:
                break
            common += 1
        self._truncate(common)
        self.sequence = list(tokens)
        return min(common, self.evaluated)

    def _truncate(self, length: int) -> None:
        """Let the cache hold no more than `length` tokens, or none where the kind of model cannot go back."""
        if length < self.evaluated and not self._drop(length):
            self._restart()

    def _restart(self) -> None:
        """Empty the cache; the sequence is to be evaluated again."""
        sequence = self.sequence
        self.clear()
        self.sequence = sequence

    def clear(self) -> None:
        """Forget the whole sequence and the function tokens' cells."""
        self.sequence = []
        self._held = None
        self._empty()
        self._held = self._none

"""What every runtime's cache keeps and drops, on a runtime that only counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.errors import ModelError
from camphor.models.sequence import CachedSequence

TOKENS = st.lists(st.integers(0, 3), max_size=8)


class Counting(CachedSequence):
    """Holds tokens, not what they mean. `goes_back`: whether it can drop its last tokens without the others."""

    def __init__(self, goes_back: bool = True) -> None:
        super().__init__()
        self.dimensions = 4
        self.cells: list[int] = []
        self.goes_back = goes_back

    @property
    def evaluated(self) -> int:
        return len(self.cells)

    def _drop(self, length: int) -> bool:
        if self.goes_back:
            del self.cells[length:]
        return self.goes_back

    def _empty(self) -> None:
        self.cells = []

    def evaluate(self, stop: int | None = None) -> None:
        """Bring the sequence into the cache, up to its token number `stop`."""
        self._held = self._wanted
        self.cells += self.sequence[len(self.cells) : stop]


def vectors(count: int, dimensions: int = 4) -> np.ndarray:
    return np.arange(count * dimensions, dtype=np.float32).reshape(count, dimensions)


@given(TOKENS, TOKENS, st.integers(0, 8), st.booleans())
def test_the_cache_holds_a_beginning_of_the_sequence(
    old: list[int], new: list[int], evaluated: int, goes_back: bool
) -> None:
    cache = Counting(goes_back)
    cache.align(old)
    cache.evaluate(evaluated)
    kept = cache.align(new)
    assert (cache.sequence, cache.cells, kept) == (new, new[:kept], cache.evaluated)
    held = old[:evaluated]
    common = next((place for place in range(len(held)) if held[place : place + 1] != new[place : place + 1]), len(held))
    assert kept == (common if goes_back or common == len(held) else 0)


def test_a_model_that_cannot_go_back_begins_again_and_says_so() -> None:
    cache = Counting(goes_back=False)
    cache.align([1, 2, 3])
    cache.evaluate()
    assert cache.align([1, 2, 3, 0]) == 3
    assert cache.align([1, 2]) == 0
    assert (cache.sequence, cache.cells) == ([1, 2], [])


def test_other_function_tokens_drop_everything_and_wait() -> None:
    cache = Counting()
    cache.align([1, 2], vectors(3))
    assert cache.pending == 3
    cache.evaluate()
    assert cache.pending == 0
    assert cache.align([1, 2], vectors(3).copy()) == 2
    assert cache.align([1, 2], vectors(2)) == 0
    assert cache.pending == 2
    cache.evaluate()
    assert cache.align([1, 2]) == 0
    assert cache.pending == 0


def test_function_tokens_of_another_width_change_nothing() -> None:
    cache = Counting()
    cache.align([1, 2])
    cache.evaluate()
    with pytest.raises(ModelError, match="3 dimensions for a model of 4"):
        cache.align([1], vectors(2, 3))
    assert (cache.sequence, cache.cells) == ([1, 2], [1, 2])

"""Grammars: which tokens may come next, and which must.

llguidance computes the mask of allowed tokens from a Lark grammar, and the tokens that follow without a choice.
Compiled grammars are kept, as an agent uses the same one again and again.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from llguidance import LLMatcher, LLParserLimits, LLTokenizer
from numpy.typing import NDArray

from camphor.errors import ModelError

KEPT_GRAMMARS = 64
# The usual 200,000 steps a mask are too few for runs of a request of 60 words that must hold a sign; they take 12 ms.
_LIMITS = LLParserLimits(step_lexer_fuel=5_000_000)


class Grammars:
    """Compiles grammars for one vocabulary and keeps the latest used.

    Args:
        tokenizer: llguidance's view of the vocabulary. vocabulary_size: logits a token.
    """

    def __init__(self, tokenizer: LLTokenizer, vocabulary_size: int) -> None:
        self._size = vocabulary_size
        self._compiled = lru_cache(KEPT_GRAMMARS)(partial(_compile, tokenizer))

    def start(self, grammar: str) -> Constraint:
        """A constraint at the beginning of the grammar's text; ModelError where the grammar is wrong."""
        return Constraint(self._compiled(grammar).deep_copy(), self._size)


def _compile(tokenizer: LLTokenizer, grammar: str) -> LLMatcher:
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(grammar), log_level=0, limits=_LIMITS)
    _check(matcher, "this grammar cannot be compiled")
    return matcher


class Constraint:
    """One text being written under a grammar."""

    def __init__(self, matcher: LLMatcher, vocabulary_size: int) -> None:
        self._matcher = matcher
        self._size = vocabulary_size
        self._mask = np.zeros(-(-vocabulary_size // 32), dtype=np.uint32)

    @property
    def complete(self) -> bool:
        """Whether nothing may follow any more."""
        return bool(self._matcher.is_stopped())

    def allowed(self) -> NDArray[np.bool_]:
        """Which tokens may come next, (vocabulary_size,)."""
        self._matcher.unsafe_compute_mask_ptr(self._mask.ctypes.data, self._mask.nbytes)
        _check(self._matcher, "the grammar cannot be followed")
        bits = np.unpackbits(self._mask.view(np.uint8), count=self._size, bitorder="little")
        return bits.view(np.bool_)

    def take(self, token: int) -> None:
        """The token has been chosen."""
        self._matcher.consume_token(token)
        _check(self._matcher, "the grammar does not allow the token chosen")

    def forced(self) -> list[int]:
        """The tokens that must come next, taken already; none where there is a choice."""
        tokens = list(self._matcher.compute_ff_tokens())
        if tokens:
            self._matcher.consume_tokens(tokens)
            _check(self._matcher, "the grammar cannot be followed")
        return tokens


def accepts(grammar: str, text: str) -> bool:
    """Whether a text is one of the grammar's, whole; ModelError where the grammar is wrong."""
    matcher = LLMatcher(LLTokenizer("byte"), LLMatcher.grammar_from_lark(grammar), log_level=0)
    _check(matcher, "this grammar cannot be compiled")
    return bool(matcher.try_consume_tokens(list(text.encode())) == len(text.encode()) and matcher.is_accepting())


def _check(matcher: LLMatcher, problem: str) -> None:
    if matcher.is_error():
        reason = " ".join(matcher.get_error().split())
        raise ModelError(f"{problem}: {reason[:300]}")

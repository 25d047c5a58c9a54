"""Which tokens may come next, which must, and which should: grammars, and a liking for words that were said."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import lru_cache, partial

import numpy as np
from llguidance import LLMatcher, LLParserLimits, LLTokenizer
from numpy.typing import NDArray

from camphor.errors import ModelError
from camphor.types import Prompt

# Grammars: which tokens may come next, and which must.
#
# llguidance computes the mask of allowed tokens from a Lark grammar, and the tokens that follow without a choice.
# Compiled grammars are kept, as an agent uses the same one again and again.

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

    @property
    def may_end(self) -> bool:
        """Whether what is there is a whole text of the grammar."""
        return bool(self._matcher.is_accepting())

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


# Words of a call's texts come from the conversation; another is written only where it is much likelier.
#
# A small model that is to copy a rare word at times writes another that begins alike ("Impregnation" for "permission").
# Greedy search takes the likeliest token; here a token that would begin, or go on with, a word of neither the prompt
# nor everyday language is taken only when it is `PENALTY` nats likelier than one that does not.
#
# And leaning: towards some of the names that a grammar lets a model write as the next call's.

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


_AT_NAME = re.compile(r"[\[;]|= ")  # what stands before a name, in a list of calls and in lines of code
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
        begun = _AT_NAME.split(plain)[-1].lstrip()
        if '"' in plain or plain.count("(") != plain.count(")"):  # within a call's values
            return logits
        before = self._most(begun) if begun else 0.0
        weighed = logits.copy()
        for token in np.flatnonzero(allowed):
            text = self._piece(int(token)).decode(errors="replace")
            if (name := _AT_NAME.split(plain + text)[-1].lstrip()) and "]" not in text:
                weighed[token] += self._most(name) - before
        return weighed

    def _most(self, begun: str) -> float:
        """The most that any name which begins so has."""
        name, bracket, _ = begun.partition("(")
        if bracket:
            return self._nats.get(name, 0.0)
        return max((nats for each, nats in self._nats.items() if each.startswith(name)), default=0.0)

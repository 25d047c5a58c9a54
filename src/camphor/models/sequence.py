"""The tokens of a growing prompt: how it is cut, which tokens it had before, and what a runtime's cache holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from camphor.errors import ModelError
from camphor.types import Prompt, Segment

# How a segment becomes tokens in a model of any family: one rule for both runtimes and for training.
#
# Prompts are written with ChatML's control tokens (`agents.prompts`). A model that has them gets them; a model with
# others gets its own in their place; one with none that we know reads the roles as plain text and keeps the token
# that ends its text. So a turn ends where the model's own turns ended before it was tuned, and its vocabulary stays.

SYSTEM, USER, ASSISTANT, END = "<|im_start|>system\n", "<|im_start|>user\n", "<|im_start|>assistant\n", "<|im_end|>"
Encode = Callable[[str, bool], list[int]]

FAMILIES: tuple[tuple[tuple[str, ...], Mapping[str, str]], ...] = (
    (("<|im_start|>", "<|im_end|>"), {}),
    (  # Phi-3
        ("<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
        {SYSTEM: "<|system|>\n", USER: "<|user|>\n", ASSISTANT: "<|assistant|>\n", END: "<|end|>"},
    ),
    (  # Gemma, which expects its first token before all text
        ("<bos>", "<start_of_turn>", "<end_of_turn>"),
        {
            SYSTEM: "<bos><start_of_turn>system\n",
            USER: "<start_of_turn>user\n",
            ASSISTANT: "<start_of_turn>model\n",
            END: "<end_of_turn>",
        },
    ),
    (  # Gemma 4
        ("<bos>", "<|turn>", "<turn|>"),
        {
            SYSTEM: "<bos><|turn>system\n",
            USER: "<|turn>user\n",
            ASSISTANT: "<|turn>model\n",
            END: "<turn|>",
        },
    ),
    (  # Llama 3
        ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
        {
            SYSTEM: "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n",
            USER: "<|start_header_id|>user<|end_header_id|>\n\n",
            ASSISTANT: "<|start_header_id|>assistant<|end_header_id|>\n\n",
            END: "<|eot_id|>",
        },
    ),
    (  # Llama 4
        ("<|begin_of_text|>", "<|header_start|>", "<|header_end|>", "<|eot|>"),
        {
            SYSTEM: "<|begin_of_text|><|header_start|>system<|header_end|>\n\n",
            USER: "<|header_start|>user<|header_end|>\n\n",
            ASSISTANT: "<|header_start|>assistant<|header_end|>\n\n",
            END: "<|eot|>",
        },
    ),
    (("<s>", "</s>"), {SYSTEM: f"<s>{SYSTEM}", END: "</s>"}),
    (("<|endoftext|>",), {END: "<|endoftext|>"}),
)
"""Control tokens of a family, and what it has in place of ChatML's; the first fits whose tokens are all there."""


class Cutter:
    """Cuts segments into tokens.

    Args:
        encode: tokens of a text on its own; control tokens among them only where the second argument says so.
        end: the token that ends a text of this model, which ends a turn where its family is not known.

    Attributes:
        controls: the control tokens of the family that it is of; none where there is not even an end.
    """

    def __init__(self, encode: Encode, end: str | None = None) -> None:
        self._encode = encode
        unknown = [((end,), {END: end})] if end else []
        families = (each for each in (*FAMILIES, *unknown) if all(map(self._is_token, each[0])))
        self.controls, self._markers = next(families, ((), {}))
        self._lead = self._line_feed()

    def __call__(self, text: str, special: bool = False) -> list[int]:
        """Tokens of one segment: what stands before and behind it changes none of them."""
        if special:
            for marker, own in self._markers.items():
                text = text.replace(marker, own)
        return self.as_it_is(text, special)

    def as_it_is(self, text: str, special: bool = False, first: bool = False) -> list[int]:
        """The same with the control tokens that the text has; `first`: as the tokeniser begins a text."""
        if not self._lead or not text or first:
            return self._encode(text, special)
        tokens = self._encode("\n" + text, special)
        count = len(self._lead)
        return tokens[count:] if tokens[:count] == self._lead else self._encode(text, special)

    @property
    def marks_roles(self) -> bool:
        """Whether a role is told by control tokens; else it stands as plain text."""
        return bool(self.controls) and (not self._markers or ASSISTANT in self._markers)

    def _is_token(self, name: str) -> bool:
        return len(self._encode(name, True)) == 1 != len(self._encode(name, False))

    def _line_feed(self) -> list[int]:
        """The tokens of a line feed, if a text at the beginning would get a space that nobody wrote.

        Tokenisers of the SentencePiece kind put one before the first word. A name that the model is to write directly
        behind a control token would be learnt with it, and a grammar would never allow it.
        """
        lead, apart, together = (self._encode(text, False) for text in ("\n", "a", "\na"))
        return lead if together[: len(lead)] == lead and together[len(lead) :] != apart else []


def hub_cutter(tokenizer: Any) -> Cutter:
    """The cutter for a tokeniser of transformers."""

    def encode(text: str, special: bool) -> list[int]:
        text = text.encode(errors="replace").decode()  # a lone surrogate reads as `?`
        return list(tokenizer.encode(text, add_special_tokens=False, split_special_tokens=not special))

    return Cutter(encode, tokenizer.eos_token)


# Which tokens a prompt has, when part of it has been through the model before.
#
# A text can be cut into tokens in several ways, and what a model writes under a grammar need not be the way its
# tokeniser would choose. The cache of a growing conversation is only good for exactly the tokens it holds, so a
# completion that comes back as part of the next prompt must come back as the tokens it was written with.
#
# The rule, segment by segment from the front, while every earlier segment had the tokens remembered for it:
#
# 1. A segment with the text remembered at its place has the remembered tokens.
# 2. A completion at its place may have been changed at its end only. Where the segment goes on after the completion
#    (a newline appended), or stops before its end (a newline stripped), it keeps the completion's tokens as far as
#    both agree, and the rest of the segment is cut into tokens on its own.
# 3. Any other segment is cut into tokens on its own, as in training.
#
# A completion is remembered with its stop string, so the reply's text, which lacks it, falls under rule 2. A completion
# whose bytes were no text (the reply shows U+FFFD) falls under rule 3.


@dataclass(frozen=True)
class Remembered:
    """A segment and the tokens it stands for; for a completion, in place of the text, its bytes token by token."""

    text: str
    special: bool
    tokens: tuple[int, ...]
    pieces: tuple[bytes, ...] | None = None


class SegmentCache:
    """Remembers the tokens of the last prompt's segments and of the completion written after them.

    Args:
        tokenise: text and whether control tokens are read in it, to tokens.
    """

    def __init__(self, tokenise: Callable[[str, bool], Sequence[int]]) -> None:
        self._tokenise = tokenise
        self._known: list[Remembered] = []

    def lay_out(self, prompt: Prompt) -> list[Remembered]:
        """The prompt's segments with their tokens; nothing is remembered yet."""
        entries: list[Remembered] = []
        aligned = True
        for place, segment in enumerate(prompt):
            known = self._known[place] if aligned and place < len(self._known) else None
            entry = self._entry(segment, known)
            aligned = known is not None and entry.tokens == known.tokens
            entries.append(entry)
        return entries

    def keep(self, layout: list[Remembered]) -> None:
        """Remember a prompt's segments in place of what was known before."""
        self._known = list(layout)

    def add_completion(self, tokens: Sequence[int], pieces: Sequence[bytes]) -> None:
        """Remember what was written after the prompt last kept: its tokens, stop string included, and their bytes."""
        self._known.append(Remembered("", False, tuple(tokens), tuple(pieces)))

    def _entry(self, segment: Segment, known: Remembered | None) -> Remembered:
        if known is not None and known.pieces is not None:
            agreed = _agreement(segment.text, known.pieces)
            if agreed is not None:
                return self._continued(segment, known, *agreed)
        elif known is not None and (known.text, known.special) == (segment.text, segment.special):
            return known
        return Remembered(segment.text, segment.special, tuple(self._tokenise(segment.text, segment.special)))

    def _continued(self, segment: Segment, known: Remembered, count: int, rest: str) -> Remembered:
        tokens = known.tokens[:count] + tuple(self._tokenise(rest, segment.special) if rest else ())
        return Remembered(segment.text, segment.special, tokens)


def _agreement(text: str, pieces: Sequence[bytes]) -> tuple[int, str] | None:
    """How many of a completion's tokens a segment's text keeps, and its text after them; None where rule 2 fails."""
    data, written = text.encode(errors="replace"), b"".join(pieces)
    if not (data.startswith(written) or written.startswith(data)):
        return None
    count = length = 0
    while count < len(pieces) and length + len(pieces[count]) <= len(data):
        length += len(pieces[count])
        count += 1
    while True:
        try:
            return count, data[length:].decode()
        except UnicodeDecodeError:  # a token ended inside a character
            count -= 1
            length -= len(pieces[count])


Vectors = NDArray[np.float32]
"""Function tokens, or the embeddings that they are made of: (count, n_embd)."""


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

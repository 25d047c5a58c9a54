"""Which tokens a prompt has, when part of it has been through the model before.

A text can be cut into tokens in several ways, and what a model writes under a grammar need not be the way its
tokeniser would choose. The cache of a growing conversation is only good for exactly the tokens it holds, so a
completion that comes back as part of the next prompt must come back as the tokens it was written with.

The rule, segment by segment from the front, while every earlier segment had the tokens remembered for it:

1. A segment with the text remembered at its place has the remembered tokens.
2. A completion at its place may have been changed at its end only. Where the segment goes on after the completion
   (a newline appended), or stops before its end (a newline stripped), it keeps the completion's tokens as far as
   both agree, and the rest of the segment is cut into tokens on its own.
3. Any other segment is cut into tokens on its own, as in training.

A completion is remembered with its stop string, so the reply's text, which lacks it, falls under rule 2. A completion
whose bytes were no text (the reply shows U+FFFD) falls under rule 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from camphor.types import Prompt, Segment


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

"""A completion as it grows: its tokens, their bytes, and where it ends."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from camphor.models.base import Finish


class Draft:
    """Collects tokens until a stop string or the limit.

    Args:
        piece: the bytes a token writes. stop: stop strings. limit: the most tokens.
    """

    def __init__(self, piece: Callable[[int], bytes], stop: tuple[str, ...], limit: int) -> None:
        self._piece = piece
        self._stops = tuple(text.encode(errors="replace") for text in stop)
        self._limit = limit
        self._data = bytearray()
        self._end: int | None = None
        self.tokens: list[int] = []
        self.pieces: list[bytes] = []
        self.finish: Finish | None = None

    def add(self, token: int) -> bool:
        """Append a token, unless the completion has ended; whether it was appended.

        A token that goes on after a stop string is not kept: the sequence ends with the stop string or before it.
        """
        if self.finish is not None:
            return False
        piece = self._piece(token)
        searched = len(self._data)
        self._data += piece
        found = self._first_stop(searched)
        if found is not None:
            self._end, stopped_at = found
            self.finish = Finish.STOP
            if stopped_at < len(self._data):
                return True
        elif len(self.tokens) + 1 >= self._limit:
            self.finish = Finish.LENGTH
        self.tokens.append(token)
        self.pieces.append(piece)
        return True

    @property
    def stopped(self) -> bool:
        """Whether it ended by a stop string or by the model's own will."""
        return self.finish in (Finish.STOP, Finish.END)

    @property
    def text(self) -> str:
        """What was written, up to the stop string; half a character at the end is left out, odd bytes are U+FFFD."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(bytes(self._data[: self._end]))

    def _first_stop(self, searched: int) -> tuple[int, int] | None:
        """Where the first stop string begins and ends; only what may have become one since `searched` is looked at."""
        found: tuple[int, int] | None = None
        for stop in self._stops:
            start = self._data.find(stop, max(0, searched - len(stop) + 1))
            if start >= 0 and (found is None or start < found[0]):
                found = (start, start + len(stop))
        return found

"""A model that is asked the same only once: what compares variants of one assistant pays for the differences alone."""

from __future__ import annotations

import time

from camphor.models.base import LanguageModel, Reply, Request


class Once:
    """A model that is asked the same only once, and says the same again.

    `saved` are the seconds that the replies it repeated had taken.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._said: dict[Request, tuple[Reply, float]] = {}
        self.saved = 0.0

    @property
    def context(self) -> int:
        return self._model.context

    def complete(self, request: Request) -> Reply:
        if request in self._said:
            reply, seconds = self._said[request]
            self.saved += seconds
            return reply
        begun = time.perf_counter()
        reply = self._model.complete(request)
        self._said[request] = reply, time.perf_counter() - begun
        return reply

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def close(self) -> None:
        """The model is its owner's to close."""

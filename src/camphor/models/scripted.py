"""A model that says what it was told to say: for tests, demonstrations and trying out prompts."""

from __future__ import annotations

from collections.abc import Iterable

from camphor.errors import ModelError
from camphor.models.base import Reply, Request


class ScriptedModel:
    """Answers each request with the next reply of a script.

    Replies are checked against nothing, neither grammar nor stop strings: what a real model could never write can be
    scripted too. `requests` holds every request in order.

    Args:
        replies: what to answer, in order; a text stands for a reply with that text, an exception is raised.
        context: what `context` tells.
    """

    def __init__(self, replies: Iterable[str | Reply | Exception], context: int = 4096) -> None:
        self._replies = list(replies)
        self._context = context
        self.requests: list[Request] = []

    @property
    def context(self) -> int:
        return self._context

    def complete(self, request: Request) -> Reply:
        """The next reply; ModelError when the script is at its end."""
        number = len(self.requests)
        self.requests.append(request)
        if number >= len(self._replies):
            raise ModelError(
                f"the script has {len(self._replies)} replies and was asked for one more: add a reply to it"
            )
        reply = self._replies[number]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(reply)

    def count_tokens(self, text: str) -> int:
        """An estimate: four characters a token, as English text has."""
        return -(-len(text) // 4)

    def close(self) -> None:
        """Nothing to free."""

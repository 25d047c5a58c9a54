"""The long-term memory beside a model that may not see it: code alone works with it.

It keeps what it is asked to keep, tells and forgets, since no model takes part in that. It fills nothing into calls or
answers, which a model would read in its next prompt.
"""

from __future__ import annotations

from collections.abc import Iterable

from camphor.agents.memory.known_facts import MemoryReply
from camphor.agents.memory.long_term import LongTermMemory
from camphor.device.memories import Memory


class PrivateMemory(LongTermMemory):
    """The memory of one phone, of which no prompt has anything. Args: as `LongTermMemory`."""

    def person(self, said: str) -> Memory | None:
        return None

    def mentioned(self, query: str) -> list[Memory]:
        return []

    def about(self, subject: str, attributes: Iterable[str]) -> list[Memory]:
        return []

    def relevant(self, query: str) -> tuple[Memory, ...]:
        return ()

    def when_nothing_was_found(self, query: str) -> str:
        return ""

    def _asked_of_self(self, query: str) -> MemoryReply | None:
        # answered before any model is asked, and no part of the history
        teller = LongTermMemory(self.phone, self.conversation)
        told = teller._asked_of_self(query)
        self._served = teller._served or self._served
        return told

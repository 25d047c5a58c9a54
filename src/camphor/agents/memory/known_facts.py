"""What the memory knows, as it serves: the facts that a query needs, and those that are told with their source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from camphor.agents.memory.facts import ME, read_question, same_attribute, to_you
from camphor.agents.memory.listening import relation_of
from camphor.agents.memory.provenance import tell, tell_all, what
from camphor.agents.memory.remembering import Recall
from camphor.agents.memory.told_facts import read_fact_model, relations
from camphor.device.memories import Memories, Memory, MemoryKind, MemoryState
from camphor.device.people import find_people
from camphor.device.text import words
from camphor.retrieval.memory import MemoryIndex
from camphor.types import Call

LIVE = (MemoryState.CONFIRMED, MemoryState.UNSURE, MemoryState.SUPERSEDED)
USES, UNLIKELY = 0.5, 0.1
"""From which chance on a query needs a memory, and may need one that its words lead to."""
NEAR = 2
"""Memories that a query's words and meaning may lead to."""
READ = 24
"""Memories that are read together with what is said: the newest."""
SERVE, SHOWN = 3, 8
"""Memories that serve one query at most, and that a prompt has."""


class Phone(Protocol):
    """What the memory needs to know of the phone that it is about."""

    @property
    def now(self) -> datetime: ...

    @property
    def memories(self) -> Memories: ...

    def people(self) -> Sequence[Mapping[str, Any]]: ...


@dataclass(frozen=True)
class MemoryReply:
    """The answer of the memory. `refused`: what the person did not want forgotten; `forgotten`: quotes to drop."""

    response: str
    refused: tuple[Call, ...] = ()
    forgotten: tuple[str, ...] = ()


@dataclass
class KnownFacts:
    """What the memory of one phone knows, read in one conversation.

    Args:
        phone: whose memory it is. conversation: which one this is.
        unseen: marks of facts that no model may see ("health"): they are kept, told and forgotten by code alone.
    """

    phone: Phone
    conversation: str = ""
    unseen: frozenset[str] = frozenset()
    _served: tuple[Memory, ...] = ()

    @property
    def _kept(self) -> Memories:
        return self.phone.memories

    @property
    def _year(self) -> int:
        return self.phone.now.year

    def _now(self) -> str:
        return self.phone.now.isoformat(timespec="seconds")

    def _living(self, *states: MemoryState) -> list[Memory]:
        """The facts that hold today, or may."""
        day = self.phone.now.date()
        found = self._kept.all(states or LIVE[:2], episodes=False)
        return [memory for memory in found if memory.holds_on(day)]

    def _shown(self) -> list[Memory]:
        """The facts that hold and that a model may see."""
        known = self._living(MemoryState.CONFIRMED)
        if not self.unseen:
            return known
        marks = {name for name, each in relations().items() if each.mark in self.unseen}
        return [memory for memory in known if (memory.relation or relation_of(memory.text)) not in marks]

    def serving(self, query: str) -> tuple[Memory, ...]:
        """The facts that an answer to a query may need, the likeliest first, few: the reader is sure of them, or words
        and meaning lead to them and the reader does not speak against it. Raises: StoreError."""
        known = self._shown()[-READ:]
        bearings = read_fact_model().bearings(query, [memory.text for memory in known]) if known else []
        near = [each.memory.id for each in MemoryIndex(known).search(query, self.phone.now, NEAR)] if known else []
        sure = sorted(
            (memory.id not in near[:1], -bearing.uses, memory.id, memory)
            for memory, bearing in zip(known, bearings, strict=True)
            if bearing.uses >= USES or (memory.id in near and bearing.uses >= UNLIKELY)
        )
        return tuple(memory for _, _, _, memory in sure[:SERVE])

    def relevant(self, query: str) -> tuple[Memory, ...]:
        """The facts that stand in the prompt of a large model: those that a query needs, then near ones."""
        known = self._shown()
        found = (each.memory for each in MemoryIndex(known).search(query, self.phone.now, SHOWN))
        return tuple({memory.id: memory for memory in (*self.serving(query), *found)}.values())[:SHOWN]

    def _asked_of_self(self, query: str) -> MemoryReply | None:
        """The answer to "who is my dentist?" and the like, where the phone itself does not say the same."""
        question = read_question(query)
        if question is None or re.match(r"\W*(?:when|where)", query, re.IGNORECASE):
            return None
        known = self.about(question.subject, question.attributes)
        if not known:
            return None
        bearers = find_people(question.attributes[0], self.phone.people()) if question.subject == ME else []
        if any(find_people(memory.value, bearers) for memory in known):
            return None  # the phone says the same, and more
        self._serve(known)
        told = " ".join(f"{self._told(memory)}." for memory in known)
        names = " and ".join(str(bearer["name"]) for bearer in bearers)
        return MemoryReply(told + (f" In your contacts it is {names}." if names else ""))

    def when_nothing_was_found(self, query: str) -> str:
        """What is remembered about a question that the phone could not answer; "" if nothing is."""
        question = read_question(query)
        known = self.about(question.subject, question.attributes) if question else []
        known = known or self.mentioned(query)
        if not known:
            found = MemoryIndex(self._shown()).search(query, self.phone.now, 3)
            known = [each.memory for each in found if each.named] or list(self.serving(query))
        if not known:
            return ""
        self._serve(known)
        told = " ".join(f"{inside(self._told(memory))}." for memory in known)
        return f"I found nothing about that on this device, but {told}"

    def mentioned(self, query: str) -> list[Memory]:
        """What is known of the things that the person calls "my ..." in a query."""
        said = words(query)
        mine = {" ".join(said[at + 1 : end]) for at, word in enumerate(said) if word in ("my", "our")
                for end in range(at + 2, min(at + 6, len(said) + 1))}  # fmt: skip
        return [
            memory
            for memory in self._shown()
            if memory.subject == ME and memory.single and any(same_attribute(memory.attribute, each) for each in mine)
        ]

    def about(self, subject: str, attributes: Iterable[str]) -> list[Memory]:
        """What holds of these attributes, those of the first one that anything is known of."""
        confirmed = [memory for memory in self._shown() if memory.attribute]
        for attribute in attributes:
            found = [
                memory
                for memory in confirmed
                if memory.subject == subject and same_attribute(memory.attribute, attribute)
            ]
            if found:
                return found
        return []

    def person(self, said: str) -> Memory | None:
        """The one memory that says who or what "my sister" is; None where it is already said by name."""
        known = self.about(ME, [" ".join(word for word in words(said) if word not in ("my", "our", "the"))])
        named = [memory for memory in known if memory.single and memory.kind is MemoryKind.FACT]
        return named[0] if len(named) == 1 else None

    def use(self, memory: Memory) -> str:
        """Notes that it served, and says it with its source."""
        self._serve([memory])
        return self._told(memory)

    def _serve(self, memories: Sequence[Memory]) -> None:
        if memories:
            self._served = tuple(memories)
            self._kept.use([memory.id for memory in memories], self.phone.now)

    def _told(self, memory: Memory) -> str:
        return tell(memory, self._year, self._kept.gone(memory))

    # tell

    def _recall(self, wish: Recall) -> MemoryReply | None:
        if wish.source:
            if not self._served:
                return None
            return MemoryReply(" ".join(f"{self._told(memory)}." for memory in self._served))
        if not wish.about:
            return MemoryReply(
                tell_all([(memory, self._kept.gone(memory)) for memory in self._kept.all(LIVE[:2])], self._year)
            )
        found = MemoryIndex(self._kept.all(LIVE)).search(wish.about, self.phone.now, 8)
        named = [each.memory for each in found if each.named]
        if not named and not wish.sure:
            return None
        told = named or [each.memory for each in found[:3]]
        if not told:
            return MemoryReply(f"I remember nothing about {to_you(wish.about)[:1].lower() + to_you(wish.about)[1:]}.")
        self._serve(told)
        return MemoryReply(tell_all([(memory, self._kept.gone(memory)) for memory in told], self._year))


def listed(memories: Sequence[Memory]) -> str:
    return "; ".join(dict.fromkeys(inside(what(memory)).rstrip(".") for memory in memories))


def inside(sentence: str) -> str:
    """A sentence as it stands behind a colon: one that begins with "Your" or "You" without its capital."""
    return re.sub(r"^You", "you", sentence)

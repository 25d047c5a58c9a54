"""What a person does with the memories outside a conversation: add one, correct it, say that it holds, delete it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from camphor.agents.memory.facts import Fact, read_fact
from camphor.agents.memory.known_facts import Phone
from camphor.agents.memory.long_term import LongTermMemory
from camphor.agents.memory.provenance import what
from camphor.agents.memory.remembering import Remember, understand
from camphor.device.memories import Memory, MemoryKind, MemoryOrigin, MemoryState
from camphor.errors import UsageError
from camphor.retrieval.memory import MemoryIndex

LIVING = tuple(state for state in MemoryState if state is not MemoryState.FORGOTTEN)


class Hold(StrEnum):
    """What becomes of a sentence that contradicts a memory."""

    ASK = "ask"
    """It is kept as not sure, until the person says which holds."""
    INSTEAD = "instead"
    BOTH = "both"


@dataclass(frozen=True)
class Kept:
    """What the person is told; `doubt`: the memory that was kept as not sure, for it contradicts the `others`."""

    response: str
    doubt: Memory | None = None
    others: tuple[Memory, ...] = ()


def read_statement(said: str) -> Fact:
    """What a sentence says, with "remember that" before it or without. Raises UsageError: it says nothing."""
    wish = understand(said)
    fact = wish.fact if isinstance(wish, Remember) else read_fact(said.removeprefix("that "), whole=True)
    if fact is None:
        raise UsageError(
            f"{said[:80]!r} says nothing that could be remembered: write a sentence, as  my sister is Nora"
        )
    return fact


def remember(phone: Phone, said: str, hold: Hold = Hold.ASK) -> Kept:
    """Keep a sentence. Raises: UsageError: it says nothing. StoreError: it cannot be written."""
    memory = LongTermMemory(phone)
    response = memory.remember(read_statement(said), _origin(phone, said))
    if memory.in_doubt is None:
        return Kept(response)
    doubt, others = memory.in_doubt
    if hold is Hold.ASK:
        return Kept(response.removesuffix(" Say yes, no or both."), doubt, others)
    return Kept(confirm(phone, doubt, both=hold is Hold.BOTH))


def confirm(phone: Phone, memory: Memory, *, both: bool = False) -> str:
    """From now on it holds, and what it contradicts only with `both`. Gives what the person is told."""
    others = () if both else contradicted(phone, memory)
    phone.memories.confirm(memory.id, [each.id for each in others])
    before = f" No longer: {'; '.join(what(each) for each in others)}." if others else ""
    return f"This holds: {what(memory)}.{before}"


def correct(phone: Phone, memory: Memory, said: str) -> str:
    """Keep a sentence in the place of a memory, which holds no longer. Gives what the person is told.

    Raises:
        UsageError: it says nothing, or the memory is of what was done, which stays as it was. StoreError.
    """
    if memory.kind is MemoryKind.EPISODE:
        raise UsageError("What was done cannot be corrected: forget it, or undo the action in the journal")
    fact = read_statement(said)
    before = {each.id for each in phone.memories.all(LIVING)}
    LongTermMemory(phone).remember(fact, _origin(phone, said))
    new = [each for each in phone.memories.all(LIVING) if each.id not in before]
    if not new:  # it was known already
        return f"I know: {what(memory)}."
    others = {memory.id, *(each.id for each in contradicted(phone, new[-1]))}
    phone.memories.confirm(new[-1].id, others)
    return f"This holds: {what(new[-1])}. No longer: {what(memory)}."


def contradicted(phone: Phone, memory: Memory) -> tuple[Memory, ...]:
    """The memories that hold and that an unsure one contradicts."""
    return tuple(each for each in LongTermMemory(phone).contradicted(memory) if each.id != memory.id)


def living(phone: Phone, number: int) -> Memory:
    """The memory of that number. Raises UsageError: there is none, or none any more."""
    memory = phone.memories.get(number)
    if memory is None or memory.state is MemoryState.FORGOTTEN:
        raise UsageError(f"There is no memory {number}: the list tells the numbers of all")
    return memory


def about(phone: Phone, memories: Sequence[Memory], query: str) -> list[Memory]:
    """Those that have to do with it, best first; all for no words."""
    if not query:
        return list(memories)
    return [each.memory for each in MemoryIndex(memories).search(query, phone.now, len(memories))]


def _origin(phone: Phone, said: str) -> MemoryOrigin:
    return MemoryOrigin(said, phone.now.isoformat(timespec="seconds"))

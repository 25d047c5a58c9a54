"""Memories in plain words, each with where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from camphor.agents.memory.facts import to_you
from camphor.device.memories import Memory, MemoryKind, MemoryOrigin, MemoryState
from camphor.device.when import show_time

_SHOWN_EPISODES = 5
_SHOWN_FACTS = 60
_LONGEST = 160  # characters of an episode


def tell(memory: Memory, year: int, missing: Sequence[object] = ()) -> str:
    """One memory, as the person is told it.

    Args:
        year: of the device's clock. missing: the items that it speaks of and that are gone.
    """
    return f"{what(memory)} ({', '.join(_about(memory, year, missing))})"


def what(memory: Memory) -> str:
    """What it says, alone."""
    if memory.kind is MemoryKind.EPISODE:
        text = " ".join(memory.text.split()).rstrip(".")
        return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
    return to_you(memory.text)


def _about(memory: Memory, year: int, missing: Sequence[object]) -> list[str]:
    said = "you asked" if memory.kind is MemoryKind.EPISODE else "you said"
    parts = [f"{said} on {when(memory.origin, year)}: “{memory.origin.quote}”"]
    if memory.state is MemoryState.UNSURE:
        parts.append("not sure: it contradicts another")
    if memory.state is MemoryState.SUPERSEDED:
        parts.append("no longer so")
    if memory.until:
        parts.append(f"until {memory.until}")
    if missing:
        parts.append("what it speaks of is no longer on this device")
    return parts


def when(origin: MemoryOrigin, year: int) -> str:
    try:
        return show_time(datetime.fromisoformat(origin.at), year)
    except ValueError:
        return origin.at


def tell_all(told: Sequence[tuple[Memory, Sequence[object]]], year: int) -> str:
    """Many memories, a line each: facts and preferences first, then the latest episodes."""
    if not told:
        return "I remember nothing about you yet."
    facts = [each for each in told if each[0].kind is not MemoryKind.EPISODE]
    episodes = [each for each in told if each[0].kind is MemoryKind.EPISODE]
    lines = [f"· {tell(memory, year, missing)}" for memory, missing in facts[:_SHOWN_FACTS]]
    if episodes:
        lines += [f"· {tell(memory, year, missing)}" for memory, missing in episodes[-_SHOWN_EPISODES:]]
    left = max(0, len(facts) - _SHOWN_FACTS) + max(0, len(episodes) - _SHOWN_EPISODES)
    if left:
        lines.append(f"· and {left} more")
    return "This is what I remember:\n" + "\n".join(lines)

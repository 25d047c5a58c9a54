"""Nothing is looked up or done twice: calls made before in the turn, and twins within one list, are dropped."""

from __future__ import annotations

from camphor.agents.policies.base import Policy, Situation, at_once
from camphor.types import Call, Turn


def without_repeats(calls: tuple[Call, ...], turn: Turn) -> tuple[Call, ...]:
    """The calls that were not made in the turn, each once."""
    seen = {call_key(call) for step in turn.steps for call in step.calls}
    fresh = []
    for call in calls:
        if call_key(call) not in seen:
            seen.add(call_key(call))
            fresh.append(call)
    return tuple(fresh)


def call_key(call: Call) -> tuple[str, str]:
    """Equal for calls that are the same but for the order of their arguments."""
    return call.name, repr(sorted(call.arguments.items()))


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...]:
    return without_repeats(calls, situation.turn)


REPEATED_CALLS = Policy("repeated_calls", at_once(_revise))

"""The policies between "the model wrote calls" and "the person is asked", in the order in which they work.

Each is one rule in one module, with a name, a test and a switch (`Limits.off`, `camphor lab evaluate --without NAME`);
what each is worth is measured by switching it off (docs/policies.md). An assistant with other rules is made by another
tuple: `orchestrate(..., policies=...)`.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from typing import Any

from camphor.agents.bounds import SWITCHES
from camphor.agents.policies.action_classifier import ACTION_CLASSIFIER
from camphor.agents.policies.base import Finding, Policy, Question, Revised, Situation
from camphor.agents.policies.context_recall import CONTEXT_RECALL, UNCLEAR
from camphor.agents.policies.coreference import COREFERENCE
from camphor.agents.policies.corrections import CORRECTIONS
from camphor.agents.policies.disambiguation import DISAMBIGUATION
from camphor.agents.policies.missing_action import MISSING_ACTION
from camphor.agents.policies.missing_app import MISSING_APP
from camphor.agents.policies.missing_slots import MISSING_SLOTS
from camphor.agents.policies.repeated_calls import REPEATED_CALLS
from camphor.agents.policies.time_completion import TIME_COMPLETION
from camphor.agents.wants import Want
from camphor.types import Call

POLICIES: tuple[Policy, ...] = (
    MISSING_APP,
    ACTION_CLASSIFIER,
    REPEATED_CALLS,
    CORRECTIONS,
    COREFERENCE,
    TIME_COMPLETION,
    CONTEXT_RECALL,
    DISAMBIGUATION,
    MISSING_ACTION,
    MISSING_SLOTS,
    UNCLEAR,
)


def known_names() -> tuple[str, ...]:
    """All that can be switched off, in `Limits.off`: the policies in their order, then the other switches."""
    return (*(policy.name for policy in POLICIES), *SWITCHES)


def revise(
    calls: tuple[Call, ...], situation: Situation, policies: Sequence[Policy] = POLICIES, off: Collection[str] = ()
) -> Generator[Want, Any, Revised]:
    """The calls after every policy in turn; a question or a finding of one of them ends it.

    Args:
        off: names of policies that are left out.
    """
    for policy in policies:
        if policy.name in off or not policy.applies(situation):
            continue
        revised = yield from policy.revise(situation, calls)
        if isinstance(revised, Question | Finding):
            return revised
        calls = revised
    return calls


__all__ = ["POLICIES", "Finding", "Policy", "Question", "Revised", "Situation", "known_names", "revise"]

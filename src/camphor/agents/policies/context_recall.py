"""The items that matter now, looked up for a query that leaves unsaid what it is about (Context Tuning, section 3).

It works where the turn found nothing and its calls could not be done as they are (`agents.relevant`).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from camphor.agents.policies.base import Finding, Policy, Situation
from camphor.agents.policies.repeated_calls import without_repeats
from camphor.agents.relevant import finding, look_ups, nothing_known, sure_of
from camphor.agents.wants import Act, Check, Rank, Seek, Want
from camphor.types import Agent, Call, Step


def _revise(situation: Situation, calls: tuple[Call, ...]) -> Generator[Want, Any, tuple[Call, ...] | Finding]:
    if situation.pointed or not nothing_known(situation.turn):
        return calls
    if calls and all(found.error is None for found in (yield Check(Agent.TASK, calls))):
        return calls
    tools, looked_up = situation.toolbox.of(Agent.CONTEXT), []
    for item in sure_of((yield Rank(situation.query))):
        tries = look_ups(item, tools)
        if tries and (call := finding(item, tries, (yield Seek(tries)))):
            looked_up.append(call)
    fresh = without_repeats(tuple(looked_up), situation.turn)
    if not fresh:
        return calls
    return Finding(Step(Agent.CONTEXT, fresh, (yield Act(Agent.CONTEXT, fresh)), taught=False))


CONTEXT_RECALL = Policy("context_recall", _revise)

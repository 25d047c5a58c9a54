"""A thing that a query leaves unsaid is what the phone's use says, or the person is asked (Context Tuning, section 3).

A model that is not told whom or what to take takes something. So a person or thing that nobody named stands in a call
only where the ranker of items is sure of it; where it is not, the likeliest are put to the person.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from camphor.agents.parts import asks_to_be_told, parts_of
from camphor.agents.policies.base import Finding, Policy, Question, Situation
from camphor.agents.policies.repeated_calls import without_repeats
from camphor.agents.relevant import (
    AGREED,
    SURE,
    WORTH_ASKING,
    finding,
    look_ups,
    nothing_known,
    shares,
    sure_of,
    unsaid,
    usual_action,
    which,
)
from camphor.agents.wants import Act, Check, Rank, Seek, Want
from camphor.tools.tool import Parameter
from camphor.types import Agent, Call, Step

if TYPE_CHECKING:
    from camphor.retrieval.context.relevance import Relevant

_WISHED = 0.3
"""How likely a part must ask for an action that the model did not write."""

Revising = Generator[Want, Any, tuple[Call, ...] | Finding | Question]


def _revise(situation: Situation, calls: tuple[Call, ...]) -> Revising:
    toolbox, turn = situation.toolbox, situation.turn
    if situation.pointed:
        return calls
    open_ = {
        at: parameter
        for at, call in enumerate(calls)
        if call.name in toolbox
        and (parameter := unsaid(call, toolbox.get(call.name), turn, situation.history)) is not None
    }
    if not open_ and not nothing_known(turn) and not _recalled(situation):
        return calls
    if not open_ and calls and all(found.error is None for found in (yield Check(Agent.TASK, calls))):
        return calls
    items = yield Rank(situation.query)
    if not items:
        return calls
    if (found := (yield from _looked_up(situation, sure_of(items)))) is not None:
        return found
    if open_:
        return _settled(situation, calls, open_, items)
    if asks_to_be_told(situation.query, bool(situation.history)):
        return calls
    return _usual(situation, calls, items)


def _recalled(situation: Situation) -> bool:
    """Whether an item was looked up because it matters."""
    return any(step.agent is Agent.CONTEXT and step.calls and not step.taught for step in situation.turn.steps)


def _looked_up(situation: Situation, items: Sequence[Relevant]) -> Generator[Want, Any, Finding | None]:
    """The items, looked up; None where that was done before, or nothing finds them."""
    tools, looked_up = situation.toolbox.of(Agent.CONTEXT), []
    for item in items:
        tries = look_ups(item, tools)
        if tries and (call := finding(item, tries, (yield Seek(tries)))):
            looked_up.append(call)
    fresh = without_repeats(tuple(looked_up), situation.turn)
    if not fresh:
        return None
    return Finding(Step(Agent.CONTEXT, fresh, (yield Act(Agent.CONTEXT, fresh)), taught=False))


def _settled(
    situation: Situation, calls: tuple[Call, ...], open_: Mapping[int, Parameter], items: Sequence[Relevant]
) -> tuple[Call, ...] | Question:
    """The calls with what was left unsaid as the ranker has it; a question where it is not sure."""
    settled = list(calls)
    for at, parameter in open_.items():
        call = calls[at]
        likely = shares(items, parameter, situation.toolbox.get(call.name))
        best = next(iter(likely), "")
        written = str(call.arguments[parameter.name])
        if likely.get(best, 0.0) < (AGREED if best == written else SURE):
            return Question(which([value for value, share in likely.items() if share >= WORTH_ASKING]))
        settled[at] = Call(call.name, {**call.arguments, parameter.name: best})
    return tuple(settled)


def _usual(situation: Situation, calls: tuple[Call, ...], items: Sequence[Relevant]) -> tuple[Call, ...] | Question:
    """What is usually done to the item that is meant, where the query asks for that; a question between two."""
    parts = parts_of(situation.query, bool(situation.history))
    sure = sure_of(items)
    for item in sure[:1]:
        for call in usual_action(item, situation.toolbox):
            if max(part.asks_for(call.name) for part in parts) >= _WISHED:
                return (call,)
    if sure or calls:
        return calls
    titles = dict.fromkeys(item.title for item in items if item.title and item.sure >= WORTH_ASKING)
    return Question(which(list(titles))) if titles else calls


CONTEXT_RECALL = Policy("context_recall", _revise)

"""A thing that a query leaves unsaid is what the phone's use says, or the person is asked (Context Tuning, section 3).

A model that is not told whom or what to take takes something. So a person or thing to which no word of the person leads
stands in a call only where the ranker of items is sure of it, or the person picked it; otherwise they are asked.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from camphor.agents.parts import ACTS, asks_to_be_told, parts_of
from camphor.agents.policies.base import Finding, Policy, Question, Situation
from camphor.agents.policies.repeated_calls import without_repeats
from camphor.agents.relevant import (
    AGREED,
    LEFT_UNSAID,
    MOST,
    WORTH_TELLING,
    finding,
    is_clear,
    look_ups,
    nothing_known,
    option_of,
    shares,
    sure_of,
    usual_action,
    value_of,
    which,
)
from camphor.agents.wants import Act, Check, Rank, Seek, Unnamed, Want
from camphor.device.text import COMMON, text_of, words
from camphor.tools.tool import MEANT_ROLES, PERSON_ROLES, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Step, Turn

if TYPE_CHECKING:
    from camphor.retrieval.context.relevance import Relevant

_WISHED = 0.5
"""How likely a part must ask for an action that the model did not write."""
_ASKED = 0.2
"""The same, for one that it wrote when an item was in sight that nobody named."""

Revising = Generator[Want, Any, tuple[Call, ...] | Finding | Question]


def _revise(situation: Situation, calls: tuple[Call, ...]) -> Revising:
    turn, toolbox = situation.turn, situation.toolbox
    asked = asks_to_be_told(situation.query, bool(situation.history))
    if situation.pointed or _answers(situation) or (asked and not calls and not nothing_known(turn)):
        return calls
    unnamed = (yield Unnamed(calls)) if calls else ()
    open_ = {at: toolbox.get(calls[at].name).parameter(name) for at, name in enumerate(unnamed) if name}
    guesses = False
    if calls and not open_ and not situation.setting.meant:
        guessed = yield from _guessed(situation, calls)
        heard = [at for at, call in enumerate(calls) if _is_asked_for(situation, call)]
        if (guessed or len(heard) < len(calls)) and _unsaid(ranked := (yield Rank(situation.query))):
            calls = tuple(calls[at] for at in heard)
            open_ = {
                new: guessed[at] for new, at in enumerate(heard)
                if at in guessed and not _on_phone(calls[new], guessed[at], ranked, toolbox)
            }  # fmt: skip
            guesses = bool(open_)
    recalled = any(step.agent is Agent.CONTEXT and not step.taught for step in turn.steps)
    if calls and not open_ and not recalled and not (nothing_known(turn) and (yield from _misunderstood(calls))):
        return calls
    items = _as_picked((yield Rank(situation.query)), situation.setting.meant)
    sure = items[:MOST] if situation.setting.meant else sure_of(items)
    if not open_ and not nothing_known(turn) and not _looked_up_before(turn, sure):
        return calls
    if (found := (yield from _looked_up(situation, sure))) is not None:
        return found
    if open_:
        return _settled(situation, calls, open_, items, guesses)
    calls = _about(situation, calls, sure)
    return calls if asked else _usual(situation, sure) or calls


def _answers(situation: Situation) -> bool:
    """Whether the query answers a question, of which whoever asked it makes what it says."""
    return bool(situation.history) and situation.history[-1].response.rstrip().endswith("?")


def _unsaid(items: Sequence[Relevant]) -> bool:
    """Whether the query leaves something unsaid that the phone may know."""
    return bool(items) and items[0].known and items[0].unsaid >= LEFT_UNSAID


def _on_phone(call: Call, parameter: Parameter, items: Sequence[Relevant], toolbox: Toolbox) -> bool:
    """Whether one of the ranked items is called as the call says."""
    said = str(call.arguments[parameter.name]).casefold()
    return any(value_of(item, parameter, toolbox.get(call.name)).casefold() == said for item in items)


def _guessed(situation: Situation, calls: tuple[Call, ...]) -> Generator[Want, Any, dict[int, Parameter]]:
    """Of each call by its place the person or thing that the phone does not understand, or that no record of the turn
    is called: where a query names nothing, a model writes down one of its other words."""
    seen = (record for step in situation.turn.steps for each in step.observations for record in each.records)
    known = {value for record in seen for value in map(str, record.values())}
    found: dict[int, Parameter] = {}
    for at, (call, checked) in enumerate(zip(calls, (yield Check(Agent.TASK, calls)), strict=True)):
        for parameter in situation.toolbox.get(call.name).parameters:
            value = call.arguments.get(parameter.name)
            if parameter.role not in MEANT_ROLES or not isinstance(value, str) or value in known:
                continue
            if checked.error is not None or parameter.role is Role.NAME:
                found[at] = parameter
                break
    return found


def _wished(situation: Situation, name: str) -> float:
    """How likely a part of the query asks for an action."""
    return max(part.asks_for(name) for part in parts_of(situation.query, bool(situation.history)))


def _is_asked_for(situation: Situation, call: Call) -> bool:
    """Whether a part of the query may ask for a call; of an action that nobody learnt to hear, always."""
    return call.name not in ACTS or _wished(situation, call.name) >= _ASKED


def _misunderstood(calls: tuple[Call, ...]) -> Generator[Want, Any, bool]:
    """Whether the device understands one of the calls not."""
    return any(found.error is not None for found in (yield Check(Agent.TASK, calls)))


def _as_picked(items: Sequence[Relevant], meant: str) -> tuple[Relevant, ...]:
    """The items, that one alone likely which the person picked."""
    if not meant:
        return tuple(items)
    return tuple(replace(item, sure=1.0) for item in items if meant in (item.person, option_of(item.title)))


def _looked_up_before(turn: Turn, items: Sequence[Relevant]) -> bool:
    """Whether the turn has found one of the items."""
    found = {text_of(record) for step in turn.steps for each in step.observations for record in each.records}
    return any(text_of(item.record) in found for item in items)


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


def _about(situation: Situation, calls: tuple[Call, ...], sure: Sequence[Relevant]) -> tuple[Call, ...]:
    """Without the calls that have no word of the item that was looked up for them, or that no word asks for: with
    something in sight a small model acts."""
    if not _looked_up_before(situation.turn, sure):
        return calls
    about = {word for item in sure for word in words(text_of(item.record))} - COMMON
    return tuple(
        call for call in calls if about & set(words(text_of(dict(call.arguments)))) and _is_asked_for(situation, call)
    )


def _settled(
    situation: Situation,
    calls: tuple[Call, ...],
    open_: Mapping[int, Parameter | None],
    items: Sequence[Relevant],
    guesses: bool,
) -> tuple[Call, ...] | Question:
    """The calls with what was left unsaid as the ranker has it; a question where it is not sure and nothing else is to
    be done. Where the model guessed and the ranker knows of nothing that it could be, a call is left out."""
    settled: list[Call | None] = list(calls)
    for at, parameter in open_.items():
        call = calls[at]
        tool = situation.toolbox.get(call.name)
        likely = shares(items, parameter, tool) if parameter is not None else {}
        if parameter is None or not likely:
            settled[at] = None if guesses else call  # where it stays, the gate says what nobody named
            continue
        best = next(iter(likely))
        written = str(call.arguments.get(parameter.name, ""))
        named = {value_of(item, parameter, tool) for item in items if written in item.record.values()}
        agrees = best == written or best in named
        next_best = [*likely.values(), 0.0][1]
        picked = situation.setting.meant
        if picked or is_clear(likely[best], next_best, parameter) or (agrees and likely[best] >= AGREED):
            settled[at] = Call(call.name, {**call.arguments, parameter.name: best})
        elif len(open_) == len(calls):
            return _question(list(likely), items, parameter, tool)
    return tuple(call for call in settled if call is not None)


def _usual(situation: Situation, sure: Sequence[Relevant]) -> tuple[Call, ...]:
    """What is usually done to the item that is meant, where the query asks for that."""
    for item in sure[:1]:
        for call in usual_action(item, situation.toolbox):
            if call.name in ACTS and _wished(situation, call.name) >= _WISHED:
                return (call,)
    return ()


def _unclear(situation: Situation, calls: tuple[Call, ...]) -> Revising:
    """A question between what may be meant, where a wish for an action could not be written and nothing was found."""
    asked = asks_to_be_told(situation.query, bool(situation.history))
    if calls or asked or situation.pointed or _answers(situation) or not nothing_known(situation.turn):
        return calls
    wished = {name: _wished(situation, name) for name in ACTS if name in situation.toolbox}
    name = max(wished, key=lambda each: wished[each], default="")
    if wished.get(name, 0.0) < _WISHED:
        return calls
    tool = situation.toolbox.get(name)
    thing = next((parameter for parameter in tool.parameters if parameter.role in MEANT_ROLES), None)
    if thing is None:
        return calls
    items = yield Rank(situation.query)
    likely = shares(items, thing, tool)
    values = [value for value, share in likely.items() if share >= WORTH_TELLING]
    return _question(values, items, thing, tool) if values else calls


def _question(values: Sequence[str], items: Sequence[Relevant], parameter: Parameter, tool: Tool) -> Question:
    """Which of these values of a parameter is meant, by the names of their items: a code says nothing to a person."""
    named = {
        value_of(item, parameter, tool): item.person if parameter.role in PERSON_ROLES else item.title
        for item in reversed(items)
    }
    return Question(which([option_of(named[value] or value) for value in values], items[0].known))


CONTEXT_RECALL = Policy("context_recall", _revise)
UNCLEAR = Policy("unclear", _unclear)

"""The loop of planner and caller: a reason and an action, one call, what came back, until the planner closes.

Like `orchestrator.orchestrate` it does no I/O: it yields a `Think` for the words of each agent and an `Act` for a call,
is sent the text and what was seen, and returns the case (medical paper, section 4.2 and Figure 1b).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from camphor.agents.health.case import CLOSED, Called, Case, Planned, Seen, Taken
from camphor.agents.health.grammar import caller_grammar, planner_grammar
from camphor.agents.health.prompts import read_planner, render_caller, render_planner
from camphor.agents.health.referral import may_ask, referred
from camphor.agents.policies.repeated_calls import call_key
from camphor.agents.wants import Act, Think
from camphor.errors import CallSyntaxError
from camphor.tools.calls import parse_calls
from camphor.tools.tool import Tool
from camphor.types import Agent, Call

PLANNER, CALLER = Agent.HIGH_ORDER, Agent.TASK
"""Whose words they are: the planner decides what is next, the caller does it."""
TELL = "notify_user"
_TOLD_BEFORE = "this very call was made before, and its result stands above: go on with that"


@dataclass(frozen=True)
class Bounds:
    """What makes every case end.

    `plans`: turns of the planner; the longest flow, with three questions and another time wished, has 15. `repeats`:
    calls that were made before, word for word, after which the case is closed. `plan_tokens`, `call_tokens`: of a turn.
    """

    plans: int = 20
    repeats: int = 2
    plan_tokens: int = 160
    call_tokens: int = 260


USUAL = Bounds()


Wanted = Think | Act | Taken


def settle(
    case: Case, tools: Iterable[Tool], specializations: Sequence[str], bounds: Bounds = USUAL, *, refers: bool = True
) -> Generator[Wanted, Any, Case]:
    """Carry a case on to its end.

    Yields `Think`, is sent its text; yields `Act` with one call, is sent a `Seen`; yields each turn once it is taken,
    to whoever follows the case. Returns the case, closed.

    Args:
        case: its turns may be empty, or end with what was seen.
        tools: that can be called, in the order in which the prompt shows them.
        specializations: the kinds of specialists that may be asked for.
        refers: whether code has a say in which of them is looked for, and in when enough was asked (`referral`).

    The person was told how it ended where the last call is `notify_user`; where a bound was met it may be another.
    """
    known = tuple(tools)
    repeats = 0
    while not case.closed:
        plans = sum(isinstance(turn, Planned) for turn in case.turns)
        last = plans + 1 >= bounds.plans or repeats >= bounds.repeats
        asks = may_ask(case) or not refers
        grammar = planner_grammar(case, may_close=_was_told(case), must_close=last, may_ask=asks)
        planned = read_planner((yield Think(PLANNER, render_planner(case, known), grammar, bounds.plan_tokens)))
        planned = Planned(planned.reason, CLOSED) if last else planned
        kinds = tuple(specializations)
        if refers:
            planned, kinds = referred(planned, case, kinds)
        call = None if planned.closes else (yield from _call(case.then(planned), known, kinds, bounds))
        if call is None:
            planned = Planned(planned.reason, CLOSED)
        yield planned
        case = case.then(planned)
        if call is not None:
            yield Called(call)
            repeated = call_key(call) in _done(case)
            repeats += repeated
            seen = Seen(error=_TOLD_BEFORE) if repeated else (yield Act(CALLER, (call,)))
            yield seen
            case = case.then(Called(call), seen)
    return case


def _call(
    case: Case, tools: Sequence[Tool], specializations: Sequence[str], bounds: Bounds
) -> Generator[Wanted, Any, Call | None]:
    """The call that the caller makes of the plan; None where it was cut off at the token limit."""
    grammar = caller_grammar(case, tools, specializations)
    text = yield Think(CALLER, render_caller(case, tools), grammar, bounds.call_tokens)
    try:
        calls = parse_calls(text)
    except CallSyntaxError:
        return None
    return calls[0] if len(calls) == 1 else None


def _done(case: Case) -> set[tuple[str, str]]:
    return {call_key(turn.call) for turn in case.turns if isinstance(turn, Called)}


def _was_told(case: Case) -> bool:
    """Whether the last thing that was done was to tell the person: no case ends in silence."""
    called = [turn.call for turn in case.turns if isinstance(turn, Called)]
    return bool(called) and called[-1].name == TELL

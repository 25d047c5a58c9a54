"""The loop of planner and caller: a reason and an action, one call, what came back, until the planner closes.

Like `orchestrator.orchestrate` it does no I/O: it yields a `Think` for the words of each agent and an `Act` for a call,
is sent the text and what was seen, and returns the case (medical paper, section 4.2 and Figure 1b).

What the agents may write is held by grammars, as Lark text for llguidance. The caller writes one call of a tool that
exists; identifiers, times, numbers and places are values that the case has seen or heard, a specialist always with a
slot of theirs; texts hold no other figures (`observed`). The planner writes reason and action in their tags, or closes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from camphor.agents.health.case import CLOSED, Called, Case, PlannerTurn, Seen, Taken
from camphor.agents.health.observed import CaseFacts
from camphor.agents.health.prompts import ACTION_END, BETWEEN, read_planner, render_caller, render_planner
from camphor.agents.health.referral import may_ask, referred
from camphor.agents.policies.repeated_calls import call_key
from camphor.agents.wants import Act, Think
from camphor.errors import CallSyntaxError
from camphor.tools.calls import parse_calls, render_value
from camphor.tools.rules import HIDDEN, GrammarRules, either, quote
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
        plans = sum(isinstance(turn, PlannerTurn) for turn in case.turns)
        last = plans + 1 >= bounds.plans or repeats >= bounds.repeats
        asks = may_ask(case) or not refers
        grammar = planner_grammar(case, may_close=_was_told(case), must_close=last, may_ask=asks)
        planned = read_planner((yield Think(PLANNER, render_planner(case, known), grammar, bounds.plan_tokens)))
        planned = PlannerTurn(planned.reason, CLOSED) if last else planned
        kinds = tuple(specializations)
        if refers:
            planned, kinds = referred(planned, case, kinds)
        call = None if planned.closes else (yield from _call(case.then(planned), known, kinds, bounds))
        if call is None:
            planned = PlannerTurn(planned.reason, CLOSED)
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


# grammars


_LONGEST = {"symptoms": 200, "current_symptoms": 200}
LONGEST_TEXT = 480
"""Characters of a question or a message: a soft SOS with all vitals has some 350."""
LONGEST_THOUGHT = 240
"""Characters of a reason, and of an action."""

_LONGEST_LABEL, _LONGEST_UNIT = 170, 14
"""Characters before a reading, of a soft SOS the whole message before the first, and after the last one."""

Allowed = Mapping[str, Sequence[Any] | None]
"""The values that parameters may take; None for free text. A parameter that is not there is left out of the call."""


def planner_grammar(case: Case, *, may_close: bool, must_close: bool = False, may_ask: bool = True) -> str:
    """What the planner writes after `<reason>`.

    Args:
        may_close: whether the action may be `<END>`. must_close: whether it can be nothing else. may_ask: whether it
            may be a question to the person, "Ask ..." in the words that the planner has learnt.
    """
    rules = _Texts(CaseFacts(case).figures)
    thought = rules.text(LONGEST_THOUGHT, quoted=False)
    action = thought if may_ask else rules.text(LONGEST_THOUGHT, quoted=False, hidden="A")
    actions = [quote(CLOSED + ACTION_END)] * (may_close or must_close)
    actions += [f"{action} {quote(ACTION_END)}"] * (not must_close)
    return "\n".join([f"start: {thought} {quote(BETWEEN)} {either(actions)}", *rules.rules]) + "\n"


def caller_grammar(case: Case, tools: Iterable[Tool], specializations: Sequence[str]) -> str:
    """What the caller writes after `<tool>`: one call, `[name(...)]`.

    Args:
        specializations: the kinds of specialists that may be asked for.
    """
    observed = CaseFacts(case)
    rules = _Texts(observed.figures, observed.vitals)
    calls = [rules.call(tool, allowed) for tool in tools for allowed in variants(tool, observed, specializations)]
    return "\n".join([f'start: "[" {either(calls)} "]"', *rules.rules]) + "\n"


def variants(tool: Tool, observed: CaseFacts, specializations: Sequence[str]) -> Iterator[Allowed]:
    """The ways in which a tool can be called now: none where what it requires was not seen yet."""
    case = observed.case
    known: dict[str, Sequence[Any]] = {
        "user_id": (case.user.user_id,),
        "timestamp": (case.user.timestamp,),
        "specialization": tuple(specializations),
        "user_schedule": observed.schedules,
        "location": observed.places,
    }
    given: dict[str, Sequence[Any] | None] = {}
    for parameter in tool.parameters:
        name = parameter.name
        if name in known:
            given[name] = known[name]
        elif parameter.enum:
            given[name] = parameter.enum
        elif parameter.type == "string":
            given[name] = None
    if {"specialist_id", "appointment_time_date"} <= given.keys():
        for offer in observed.offers:
            yield {**given, "specialist_id": (offer.specialist_id,), "appointment_time_date": (offer.when,)}
    elif "phone_no" in given:  # to a number, or to the emergency contacts
        yield {**given, "phone_no": observed.phones}
        yield {**{name: each for name, each in given.items() if name != "phone_no"}, "to_emergency_contacts": (True,)}
    else:
        yield given


class _Texts(GrammarRules):
    """Rules of one grammar; free texts hold only these figures, and a message tells each of the vitals once."""

    def __init__(self, figures: Sequence[str], vitals: Sequence[str] = ()) -> None:
        super().__init__()
        self._vitals = vitals
        self._figures = either([quote(each) for each in figures])

    def call(self, tool: Tool, allowed: Allowed) -> str:
        """Name of the rule of such calls; "" where a required parameter can take no value."""
        members = []
        for parameter in tool.parameters:
            name = parameter.name
            values = allowed.get(name, ())
            written = (
                self.report()
                if name == "message" and self._vitals
                else self.text(_LONGEST.get(name, LONGEST_TEXT))
                if values is None
                else either([quote(render_value(value)) for value in values])
            )
            # to a number, or to all: one of both stands in every message
            required = parameter.required or name in ("phone_no", "to_emergency_contacts")
            if written:
                members.append((required, f"{name}=", written))
            elif parameter.required or (name == "phone_no" and name in allowed):
                return ""
        rule = self._rule("t")
        self.rules.append(f"{rule}: {quote(tool.name + '(')} {self._members(rule, members, ')')}")
        return rule

    def report(self) -> str:
        """A terminal of a message in quotes that tells all vitals in their order, and nothing after the last unit."""
        words = rf'(/[^0-9{HIDDEN}]/ | "\\n"){{1,{_LONGEST_LABEL}}}'
        readings = f" {words} ".join(map(quote, self._vitals))
        return self._terminal(rf'"\"" {words} {readings} /[^0-9{HIDDEN}]{{0,{_LONGEST_UNIT}}}/ "\""')

    def text(self, longest: int, *, quoted: bool = True, hidden: str = "") -> str:
        """A terminal of one line of text, its pieces with digits among the figures; in quotes, or free of tags.

        Args:
            hidden: letters that it cannot begin with.
        """
        never = HIDDEN if quoted else r"<>\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}"
        escaped = '| "\\\\n" | "\\\\\\""' if quoted else ""
        first = rf"(/[^ ,;:.!?)0-9{hidden}{never}]/ {escaped})"
        other = rf"(/[^0-9{never}]/ {escaped})"
        if self._figures:
            body = f"({first} | {self._figures} {other}) ({self._figures}? {other}){{0,{longest}}} {self._figures}?"
            body = f"({body} | {self._figures})"
        else:
            body = f"{first} {other}{{0,{longest}}}"
        return self._terminal(f'"\\"" {body} "\\""' if quoted else body)

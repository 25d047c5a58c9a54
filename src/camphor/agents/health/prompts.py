"""The one renderer of cases, for running and for training: planner and caller continue the same text.

    <|im_start|>system
    get_location(): Where the person is.                                    the tools, one line each
    ...
    User: JICC571413, Sakura Tominaga
    Now: 2024-09-02T10:57:00, Mon<|im_end|>
    <|im_start|>user
    I've been tired with chills for days.<|im_end|>
    <|im_start|>assistant
    <reason>Tiredness and chills; earlier complaints may help.</reason><action>Look up past complaints.</action>
    <tool>[retrieve_past_complaints(user_id="JICC571413", symptoms="tiredness, chills")]
    = date: Sun 2 Jun; symptoms: mild body aches
    <reason>

The text only grows, and what an agent writes stands at its end, so no token is evaluated twice in a case. The paper
gives each agent a prompt of its own and shuffles the tools of each sample (sections 6.2 and 6.4); here the order is
the caller's, who shuffles them. Tags are those of section 6.4. What code computes from observed values (days as people
read them) is shown already computed, so that a small model only copies.

`camphor_lab.datasets` imports nothing from here: it writes trajectories in the paper's form, and training makes pairs
of them with `pairs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from camphor.agents.display import show_value
from camphor.agents.health.case import Called, Case, PlannerTurn, Seen, Taken
from camphor.agents.prompts import ASSISTANT, END, SYSTEM, USER
from camphor.device.when import show_day
from camphor.tools.calls import render_calls
from camphor.tools.tool import Tool
from camphor.types import Call, Prompt, Segment

REASON, BETWEEN, ACTION_END, TOOL = "<reason>", "</reason><action>", "</action>", "<tool>"
MOST_RECORDS = 5
"""Of a list that a tool found; the rest is counted. Lists come newest or best first."""
LONGEST_OBSERVATION = 600
"""Characters, about 180 tokens."""


class Writer(StrEnum):
    """Whose words a piece of text is."""

    PLANNER = "planner"
    CALLER = "caller"


BOTH = frozenset(Writer)


@dataclass(frozen=True)
class TurnPair:
    """A training pair (section 6.4, "interleaving"): what one agent reads, and what it is to write."""

    writer: Writer
    prompt: Prompt
    answer: str


def render_planner(case: Case, tools: Iterable[Tool]) -> Prompt:
    """The prompt that the planner continues with `planner_text`. `case.turns` is empty or ends with `Seen`."""
    known = tuple(tools)
    return (*_opening(case, known), *_told(case, known), Segment(REASON))


def render_caller(case: Case, tools: Iterable[Tool]) -> Prompt:
    """The prompt that the caller continues with `caller_text`. `case.turns` ends with `PlannerTurn`."""
    known = tuple(tools)
    return (*_opening(case, known), *_told(case, known), Segment(TOOL))


def render(case: Case, tools: Iterable[Tool], learns: frozenset[Writer] = BOTH) -> Prompt:
    """The whole case, with the words of these agents marked as trained: one sample that teaches every turn."""
    known = tuple(tools)
    segments = [*_opening(case, known), *_told(case, known, learns)]
    while segments and not segments[-1].trained:  # nothing after the last word of an agent is left to learn
        segments.pop()
    return tuple(segments)


def pairs(case: Case, tools: Iterable[Tool]) -> Iterator[TurnPair]:
    """A pair for each turn of an agent, in order."""
    known = tuple(tools)
    for place, turn in enumerate(case.turns):
        before = case.before(place)
        if isinstance(turn, PlannerTurn):
            yield TurnPair(Writer.PLANNER, render_planner(before, known), planner_text(turn))
        elif isinstance(turn, Called):
            yield TurnPair(Writer.CALLER, render_caller(before, known), caller_text(turn.call, known))


def as_text(prompt: Prompt) -> str:
    """A prompt as plain text, as data sets hold it."""
    return "".join(segment.text for segment in prompt)


def planner_text(planned: PlannerTurn) -> str:
    """What the planner writes after `<reason>`; "<END>" stands as the action that closes."""
    return f"{_one_line(planned.reason)}{BETWEEN}{_one_line(planned.action)}{ACTION_END}"


def read_planner(text: str) -> PlannerTurn:
    """The turn that a planner wrote after `<reason>`; text that was cut off gives what is there."""
    reason, _, action = text.removeprefix(REASON).partition(BETWEEN)
    return PlannerTurn(reason.strip(), action.removesuffix(ACTION_END).strip())


def caller_text(call: Call, tools: Iterable[Tool]) -> str:
    """What the caller writes after `<tool>`: the call, its arguments in the order in which the tool declares them.

    Raises:
        ArgumentError: a value that is not JSON.
    """
    declared = next((tool.parameters for tool in tools if tool.name == call.name), ())
    order = {parameter.name: place for place, parameter in enumerate(declared)}
    arguments = sorted(call.arguments.items(), key=lambda item: order.get(item[0], len(order)))
    return render_calls([Call(call.name, dict(arguments))])


def show_slot(day: str, time: str, year: int) -> str:
    """A slot as prompts and messages show it: "Sat 30 Nov, 11:00-11:30"; the year only where it is not `year`."""
    try:
        return f"{show_day(date.fromisoformat(day), year)}, {time}"
    except ValueError:
        return f"{day}, {time}"


def show_seen(seen: Seen, year: int) -> str:
    """An observation as it stands in the prompt, a line each record, without the line break at its end."""
    if seen.error is not None:
        return f"= error: {_one_line(seen.error)}"
    result = seen.result
    if isinstance(result, Sequence) and not isinstance(result, str):
        kept = result[:MOST_RECORDS]
        lines = [f"= {_shown(each, year)}" for each in kept] or ["= nothing found"]
        if len(result) > len(kept):
            lines.append(f"= ({len(result) - len(kept)} more)")
        return "\n".join(_short(line, LONGEST_OBSERVATION // len(lines)) for line in lines)
    if result is None:
        return "= nothing found"
    return _short(f"= {_shown(result, year)}", LONGEST_OBSERVATION)


def _opening(case: Case, tools: Sequence[Tool]) -> Prompt:
    user = case.user
    known = "".join(f"Known: {_one_line(fact)}\n" for fact in user.known)
    weekday = show_day(user.now.date(), user.now.year)[:3]
    return (
        Segment(SYSTEM, special=True),
        Segment("".join(f"{tool.definition()}\n" for tool in tools)),
        Segment(f"User: {user.user_id}, {_one_line(user.name)}\n{known}Now: {user.timestamp}, {weekday}"),
        Segment(END + "\n", special=True),
        Segment(USER, special=True),
        Segment(case.request),
        Segment(f"{END}\n{ASSISTANT}", special=True),
    )


def _told(case: Case, tools: Sequence[Tool], learns: frozenset[Writer] = frozenset()) -> Iterator[Segment]:
    for turn in case.turns:
        yield from _segments(turn, case.user.now.year, tools, learns)


def _segments(turn: Taken, year: int, tools: Sequence[Tool], learns: frozenset[Writer]) -> Iterator[Segment]:
    if isinstance(turn, PlannerTurn):
        yield Segment(REASON)
        yield Segment(planner_text(turn), trained=Writer.PLANNER in learns)
        yield Segment("\n")
    elif isinstance(turn, Called):
        yield Segment(TOOL)
        yield Segment(caller_text(turn.call, tools), trained=Writer.CALLER in learns)
    else:
        yield Segment(f"\n{show_seen(turn, year)}\n")


def _shown(value: Any, year: int) -> str:
    if isinstance(value, Mapping):
        parts = [f"{key}: {_shown_inside(each, year)}" for key, each in value.items() if each not in (None, "", [])]
        return "; ".join(parts) or "nothing found"
    return "done" if value is True else show_value(value, year)


def _shown_inside(value: Any, year: int) -> str:
    if isinstance(value, Mapping) and {"date", "time"} <= value.keys():
        return show_slot(str(value["date"]), str(value["time"]), year)
    return show_value(value, year)


def _short(line: str, longest: int) -> str:
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0] + " ..."


def _one_line(text: str) -> str:
    return " ".join(text.split())

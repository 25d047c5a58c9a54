"""Queries that leave unsaid what they are about: the items that matter now are looked up before the agents act.

"When is my next lesson?" finds nothing in a calendar that knows a "Guitar class". Where the look-ups of a turn found
nothing, or none was made, and the task agent then has nothing to do or writes what the phone does not understand, the
phone is asked which of its items matter for the query now, by time, place, habit and meaning
(`retrieval.context.relevance`); those that it is sure of are looked up by their names, as if the personal-context agent
had thought of them (Context Tuning, section 3). A query that says all it needs is never looked into.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from camphor.agents.lookup_fallback import keyword_parameter
from camphor.device import dates
from camphor.device.text import text_of
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Agent, Call, Observation, Turn

if TYPE_CHECKING:
    from camphor.retrieval.context.relevance import Relevant

SURE = 0.5
"""The least share of a ranker's scores. Of 150 hand-written queries of people that it had not seen it is that sure of
an item in 14%, and right in 81% of these; of made ones in 43%, and right in 89%. At 0.35 it is right in 71% and 79%."""
MOST = 2
_LONGEST_NAME = 8
"""Words of an item's name by which it is looked up."""


def nothing_known(turn: Turn) -> bool:
    """Whether no look-up of the turn found anything, in the person's apps or outside, or none was made."""
    looked_up = (step for step in turn.steps if step.agent in (Agent.CONTEXT, Agent.KNOWLEDGE))
    return not any(found.records for step in looked_up for found in step.observations)


def sure_of(items: Sequence[Relevant], margin: float = SURE) -> tuple[Relevant, ...]:
    """Those of the ranked items that are looked up: sure enough, at most two."""
    return tuple(item for item in items if item.sure >= margin)[:MOST]


def look_ups(item: Relevant, tools: Iterable[Tool]) -> tuple[Call, ...]:
    """Look-ups of the item's app that may find it, by its name, and by its name and day. Never an action."""
    calls = []
    name = " ".join(item.title.split()[:_LONGEST_NAME])
    for tool in tools:
        if tool.app != item.app or tool.kind is not Kind.CONTEXT or not name:
            continue
        parameter = keyword_parameter(tool) or _field(item, tool)
        if not parameter:
            continue
        calls.append(Call(tool.name, {parameter: name}))
        day = _day(item)
        period = next((each.name for each in tool.parameters if each.role is Role.TIME_RANGE), "")
        if day and period:
            calls.append(Call(tool.name, {parameter: name, period: day}))
    return tuple(calls)


def finding(item: Relevant, calls: Sequence[Call], observations: Sequence[Observation]) -> Call | None:
    """The look-up that found the item and the fewest others, the shortest of equal ones; None where none found it."""
    wanted = text_of(item.record)
    hits = [
        (len(found.records), len(call.arguments), place)
        for place, (call, found) in enumerate(zip(calls, observations, strict=True))
        if any(text_of(record) == wanted for record in found.records)
    ]
    return calls[min(hits)[2]] if hits else None


def _field(item: Relevant, tool: Tool) -> str:
    """The parameter called like the field that names the item, where it is all that must be said; "" otherwise."""
    required = {parameter.name for parameter in tool.parameters if parameter.required}
    return next(
        (p.name for p in tool.parameters if item.record.get(p.name) == item.title and required <= {p.name}),
        "",
    )


def _day(item: Relevant) -> str:
    """The day of the item's first date, as ISO 8601; "" where it has none."""
    for key in ("start", "date", "time", "when"):
        moment = dates.moment(item.record.get(key), None)
        if moment is not None:
            return moment.date().isoformat()
    return ""

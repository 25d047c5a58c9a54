"""A plan's times in the words that they come from: the inverse of `agents.calling.times`, for what models learn from.

A model copies words and code computes values. Gold plans hold values; this finds, in the request and in the items shown
beside it, the words that code computes them from: "friday at five", "half an hour before Tue 17 Mar 18:00".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from camphor.agents.calling.caller import Background
from camphor.agents.calling.times import settle_times
from camphor.device.when import show_day, show_time
from camphor.device.when.fragments import Kind, fragments
from camphor.errors import ToolError
from camphor.tools.plans import Plan
from camphor.tools.tool import COMPUTED, Role
from camphor.tools.toolbox import Toolbox
from camphor.types import Call
from camphor_lab.context.background import Shown

_DAYS = ("today", "tomorrow", "yesterday", "this week", "this weekend", "next week")
_BESIDE = ("before", "after")


def in_words(plan: Plan, toolbox: Toolbox, query: str, items: Iterable[Shown], now: datetime) -> Plan:
    """The plan with its times and ranges of days in words, as a planner writes them; other values stay.

    Where neither the request nor an item has words for a value, it stands as prompts show times; a value that even
    these do not mean stays as it is.
    """
    moments = [moment for _, record in items for moment in _moments(record.values())]
    return tuple(_worded(call, toolbox, query, moments, now) for call in plan)


def is_copied(value: str, query: str, background: Background) -> bool:
    """Whether a text is a whole value of the items, or a run of words of the request, in any case."""
    if value in background.values:
        return True
    inside, around = " ".join(value.split()).casefold(), f" {' '.join(query.split())} ".casefold()
    at = around.find(inside)
    while at > 0 and inside:
        if not (around[at - 1].isalnum() or around[at + len(inside)].isalnum()):
            return True
        at = around.find(inside, at + 1)
    return False


def unsaid(call: Call, toolbox: Toolbox, query: str, background: Background) -> tuple[str, ...]:
    """The parameters of a call, in the tool's order, whose text neither the request nor the items say.

    Times, which code computes, and choices, which the tool names, are none of them, nor is anything of a tool that
    there is not.
    """
    parameters = toolbox.get(call.name).parameters if call.name in toolbox else ()
    return tuple(
        parameter.name
        for parameter in parameters
        if isinstance(value := call.arguments.get(parameter.name), str)
        if not parameter.enum and parameter.role not in (*COMPUTED, Role.TIME_RANGE)
        if not is_copied(value, query, background)
    )


def _worded(call: Call, toolbox: Toolbox, query: str, moments: Sequence[datetime], now: datetime) -> Call:
    worded: dict[str, Any] = dict(call.arguments)
    for parameter in toolbox.get(call.name).parameters if call.name in toolbox else ():
        value = call.arguments.get(parameter.name)
        if not isinstance(value, str):
            continue
        if parameter.role is Role.TIME:
            options = _words_of_time(value, query, moments, now)
        elif parameter.role is Role.TIME_RANGE:
            options = _words_of_days(value, query, now)
        else:
            continue
        means = (words for words in options if _value(call, parameter.name, words, toolbox, now) == value)
        worded[parameter.name] = next(means, value)
    return Call(call.name, worded)


def _words_of_time(value: str, query: str, moments: Sequence[datetime], now: datetime) -> Iterator[str]:
    """Words that a moment may come from, those of the request first, longer ones before shorter."""
    pieces = sorted(fragments(query, now), key=lambda piece: -len(piece.text))
    yield from (piece.text for piece in pieces if piece.kind in (Kind.MOMENT, Kind.DAY, Kind.CLOCK))
    shown = [show_time(moment, now.year) for moment in dict.fromkeys(moments)]
    yield from shown
    lengths = [piece.text for piece in pieces if piece.kind is Kind.LENGTH]
    yield from (f"{length} {side} {moment}" for length in lengths for moment in shown for side in _BESIDE)
    moment = _moment(value)
    if moment is not None:
        yield show_time(moment, now.year)


def _words_of_days(value: str, query: str, now: datetime) -> Iterator[str]:
    pieces = sorted(fragments(query, now), key=lambda piece: -len(piece.text))
    yield from (piece.text for piece in pieces)
    yield from _DAYS
    ends = [moment for part in value.split("/") if (moment := _moment(part))]
    yield " to ".join(show_day(end.date(), now.year) for end in ends)


def _value(call: Call, name: str, words: str, toolbox: Toolbox, now: datetime) -> Any:
    """What code computes from words for a parameter, the others as they are."""
    try:
        (settled,) = settle_times((Call(call.name, {**call.arguments, name: words}),), toolbox, now)
    except ToolError:
        return None
    return settled.arguments[name]


def _moments(values: Iterable[Any]) -> Iterator[datetime]:
    for value in values:
        if isinstance(value, str) and (moment := _moment(value)):
            yield moment


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if text[4:5] == "-" else None
    except ValueError:
        return None

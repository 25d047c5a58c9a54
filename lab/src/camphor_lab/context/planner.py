"""The planner: from a request, the tools found for it and the items it is about to one call (Context Tuning, 3.4).

Prompt and answer are those of function calling in its compact form, with the items behind the clock:

    <|im_start|>system
    get_event_details(title): When and where an event is, who takes part, and its notes.
    call_contact(contact): Ring a person or service that is known by name.
    Now: Mon 16 Mar 2026 21:05
    calendar: Guitar class, Tue 17 Mar 18:00, Studio 3, Ana Silva<|im_end|>
    <|im_start|>user
    when do I have to be there?<|im_end|>
    <|im_start|>assistant
    result0 = get_event_details(title="Guitar class")<|im_end|>

Decoding is constrained: exactly one call, of a tool that there is, whose texts are whole values of the items or words
of the request. A tool that does not exist cannot be called, and a title cannot be misspelt.

Items are shown as a short line each, beside the values that a call may copy from them. A model copies words and code
computes values: gold plans hold values, so `in_words` finds, in the request and in the items shown beside it, the words
that code computes them from ("friday at five", "half an hour before Tue 17 Mar 18:00"), the inverse of
`agents.calling.times`, for what models learn from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from camphor.agents.calling.caller import Background, Caller, PlannedCalls
from camphor.agents.calling.prompts import CallForm
from camphor.agents.calling.times import settle_times
from camphor.agents.display import show_value
from camphor.device.when import show_day, show_time
from camphor.device.when.fragments import TimeKind, fragments
from camphor.errors import ToolError
from camphor.models.base import LanguageModel
from camphor.tools.plans import Plan
from camphor.tools.tool import COMPUTED, Role, Tool, Toolbox
from camphor.types import Call

Shown = tuple[str, Mapping[str, Any]]
"""The app of an item, and its record."""

LONGEST_SHOWN = 48
"""Characters of one value on an item's line: a title fits, of a mail's or note's text its beginning does."""
LONGEST_VALUE = 120
"""Characters of a value that a call may copy; a longer one is a text, and names nothing."""
MOST_VALUES = 200
_MOST_PEOPLE = 4
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?")
_MAILBOX = re.compile(r"\s*\"?([^<\"]*?)\"?\s*<([^<>\s]+@[^<>\s]+)>\s*")


def background_of(items: Iterable[Shown], now: datetime) -> Background:
    """What a planner is told of items, the most relevant first."""
    kept = tuple(items)
    values = dict.fromkeys(value for _, record in kept for value in values_of(record))
    return Background(tuple(line_of(app, record, now.year) for app, record in kept), tuple(values)[:MOST_VALUES])


def line_of(app: str, record: Mapping[str, Any], year: int) -> str:
    """An item on one line: its app, then its values in the record's order, without what is empty, false or said twice.

    Args:
        year: of the device's clock, left out where times are shown.
    """
    parts: dict[str, None] = {}
    day = ""
    for name, value in record.items():
        if value in (None, "", [], {}, False) or name.endswith("_id"):
            continue
        if isinstance(value, str) and _MOMENT.fullmatch(value):
            if value[:10] == day:  # the end of what begins that day
                continue
            day = value[:10]
        parts |= dict.fromkeys(_parts(name, value, year))
    return f"{app}: {', '.join(parts)}"


def values_of(record: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a record that name something, whole; of a mailbox the name and the address."""
    for value in record.values():
        for text in _texts(value):
            plain = " ".join(text.split())
            if not plain or len(plain) > LONGEST_VALUE or _MOMENT.fullmatch(plain):
                continue
            mailbox = _MAILBOX.fullmatch(plain)
            yield from filter(None, mailbox.groups() if mailbox else (plain,))


def _parts(name: str, value: Any, year: int) -> Iterator[str]:
    if value is True:
        yield name
    elif isinstance(value, int | float):
        yield f"{value:g} {name}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value[:_MOST_PEOPLE]:
            yield from _parts(name, each, year)
    else:
        text = show_value(value, year)
        if mailbox := _MAILBOX.fullmatch(text):
            text = mailbox[1] or mailbox[2]
        yield text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN].rsplit(" ", 1)[0] + " ..."


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        for each in value:
            yield from _texts(each)


FORM = CallForm.COMPACT
MOST_TOKENS = 160
"""Of one call; the longest of the training set, a message with its event, has some 60."""


class Planner:
    """Makes plans of one call, with any language model.

    Args:
        model: completes the prompts. tools: all that can be called.
    """

    def __init__(self, model: LanguageModel, tools: Iterable[Tool]) -> None:
        self.model, self.tools = model, tuple(tools)

    def plan(
        self, query: str, now: datetime, tools: Iterable[Tool] | None = None, items: Iterable[Shown] = ()
    ) -> PlannedCalls:
        """The call that does what a request means.

        Args:
            tools: those found for the request, the best first. None shows none: the model must know from its training
                which there are, and any can be called ("direct plan generation", section 4.3).
            items: what the request is about, the most relevant first.

        Raises:
            ModelMissing, ModelError: nothing answers. That the prompt does not fit is a problem of the request.
        """
        caller = Caller(
            self.model,
            self.tools if tools is None else tuple(tools),
            FORM,
            may_be_empty=False,
            most=1,
            max_tokens=MOST_TOKENS,
            shown=tools is not None,
        )
        return caller.plan(query, now, background_of(items, now))


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
    yield from (piece.text for piece in pieces if piece.kind in (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK))
    shown = [show_time(moment, now.year) for moment in dict.fromkeys(moments)]
    yield from shown
    lengths = [piece.text for piece in pieces if piece.kind is TimeKind.LENGTH]
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

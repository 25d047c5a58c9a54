"""What a person puts right in the action before: "Tom instead", "actually, make it six", "sorry, half past".

The last action is done again with another person or time. A message that was sent stays sent; an event is moved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from camphor.agents.policies.base import Policy, Situation, at_once
from camphor.agents.references import PERSON_ROLES, is_person, last_time, moment
from camphor.device.text import words
from camphor.device.when import show_time
from camphor.device.when.clocks import length_of
from camphor.device.when.lexicon import canonical
from camphor.tools.tool import Role, Toolbox
from camphor.types import Agent, Call, Turn

_SHORT = 9  # words
_CANCEL = "cancel_calendar_event"
_MAKE_IT = r"(?:make|set|change|move|push) (?:it|that)(?: (?:to|for))?"
_FILLING = re.compile(
    rf"\b(?:instead|no|nope|sorry|wait|oh|oops|hmm?|i meant?|{_MAKE_IT}|rather|actually|please|better)\b|[,.!?]",
    re.IGNORECASE,
)
_CORRECTING = re.compile(
    r"\binstead\b|^\W*(?:(?:oh|and|ok|okay|hmm?)\W+)*"
    rf"(?:no|nope|sorry|wait|oops|actually|i meant?|{_MAKE_IT}|rather)\b",
    re.IGNORECASE,
)
_PART_OF_HOUR = re.compile(r"(half|quarter) past", re.IGNORECASE)
_MINUTES = {"half": 30, "quarter": 15}


def instead(
    calls: tuple[Call, ...], turn: Turn, history: Sequence[Turn], toolbox: Toolbox, now: datetime
) -> tuple[Call, ...]:
    """The last action with another person or time, where "Tom instead" or "actually, make it six" asks for it and the
    model calls something else, or the same as before.

    A message that was sent stays sent; an event that was made is cancelled.
    """
    if not history or not _CORRECTING.search(turn.query) or len(words(turn.query)) > _SHORT:
        return calls
    acted = [call for step in history[-1].steps if step.agent is Agent.TASK for call in step.calls]
    made = [call for call in acted if not call.name.startswith("cancel")]
    last = made[0] if len(made) == 1 else Call("")
    if last.name not in toolbox:
        return calls
    found = (record for step in turn.steps for each in step.observations for record in each.records)
    people = {str(record["name"]) for record in found if is_person(record)}
    rest = " ".join(_FILLING.sub(" ", turn.query).split())
    counted = any(str(value).casefold().startswith("in ") for value in last.arguments.values())
    if length_of(canonical(rest)) and counted:
        rest = f"in {rest}"  # "in five minutes", and then "make it ten minutes"
    if (part := _PART_OF_HOUR.fullmatch(rest)) and (hour := last_time(history, toolbox)):
        rest = show_time(hour.replace(minute=_MINUTES[part[1].lower()]), now.year)
    is_time = moment(rest, now) is not None
    if any(call.name == last.name for call in calls):  # right as it is, but perhaps for the time of before
        return tuple(_at(call, rest, last, toolbox, now) for call in calls) if is_time else calls
    named = "instead" in words(turn.query) or set(words(rest)) <= set(words(" ".join(people)))
    for parameter in toolbox.get(last.name).parameters:
        if parameter.role in PERSON_ROLES and len(people) == 1 and not is_time and named:
            return (Call(last.name, {**last.arguments, parameter.name: people.pop()}),)
        if parameter.role is Role.TIME and is_time and not people:
            title = last.arguments.get("event_title")
            moved = (Call(_CANCEL, {"event_title": title}),) if title and _CANCEL in toolbox else ()
            return (*moved, Call(last.name, {**last.arguments, parameter.name: rest}))
    return calls


def _at(call: Call, said: str, last: Call, toolbox: Toolbox, now: datetime) -> Call:
    """The last call again, with the call's time, or with the time said where that repeats the last one's or is none.

    Where a time is all that was said the rest stays as it was, whatever the model makes of the words.
    """
    if call.name != last.name:
        return call
    arguments = {**last.arguments}
    for parameter in toolbox.get(call.name).parameters:
        if parameter.role is Role.TIME:
            written = str(call.arguments.get(parameter.name, ""))
            repeats = written == str(last.arguments.get(parameter.name))
            arguments[parameter.name] = said if repeats or moment(written, now) is None else written
    return Call(call.name, arguments)


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...]:
    return instead(calls, situation.turn, situation.history, situation.toolbox, situation.now)


CORRECTIONS = Policy("corrections", at_once(_revise))

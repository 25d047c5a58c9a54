"""The day or the hour that the time of an action leaves unsaid, from the event it is about.

"Move it to half nine" means the event's day and the half of it that is near, "to Friday" its hour, and "at six that
evening" the day of what was found. A small model writes the hour alone, which by itself means the next time it strikes,
or copies the event's old time: an event is never moved to where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from camphor.agents.policies.base import Policy, Situation, at_once
from camphor.agents.references import moment, title_of
from camphor.device.text import words
from camphor.device.when import show_day, show_time
from camphor.device.when.fragments import TimeKind, fragments
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical
from camphor.tools.tool import Role, Toolbox
from camphor.types import Call, Turn

_CANCEL, _CREATE = "cancel_calendar_event", "create_calendar_event"
_TITLE, _TIME = "event_title", "time"
_HALF_DAY = timedelta(hours=12)
_DAY = range(6, 23)  # hours
_PART_OF_DAY = re.compile(r"\b(?:morning|noon|afternoon|evening|night|tonight|midnight|lunch\w*)\b", re.IGNORECASE)
_THAT = r"(?:that|the same|same) (?P<part>day|morning|afternoon|evening|night)\b"
_BESIDE = re.compile(r"\b(?:before|after|earlier|later)\b", re.IGNORECASE)
_AT = re.compile(r"^(?:at|by|from) ", re.IGNORECASE)
_PARTS = {"day": "", "night": " in the evening"}
_WHICH_WEEK = re.compile(
    r"\b(?:next|this|that|coming|last|following|weeks?|fortnight|months?|after|before|\d{1,2}(?:st|nd|rd|th))\b|\d[./-]\d",
    re.IGNORECASE,
)
_CANCELLING = re.compile(
    r"\b(?:cancel\w*|scratch\w*|scrap\w*|delet\w+|remov\w+|drop\w*|bin|off|out|ditch\w*|kill|strike|chuck|lose)\b",
    re.IGNORECASE,
)
_MOVING = re.compile(
    r"\b(?:mov\w+|shift\w*|push\w*|pull\w*|bump\w*|reschedul\w+|postpon\w+|chang\w+|swap\w*|bring|brought|put|instead|later"
    r"|earlier|sooner|forward|back|now|new|make|made|amend\w*|correct\w*|fix\w*|updat\w+)\b",
    re.IGNORECASE,
)


def completed(calls: Sequence[Call], turn: Turn, toolbox: Toolbox, now: datetime) -> tuple[Call, ...]:
    """The calls, with the days and hours that they leave unsaid where the turn leaves no doubt of them."""
    return _moved([_on_that_day(call, turn, toolbox, now) for call in calls], turn, now)


# "at six that evening"


def _on_that_day(call: Call, turn: Turn, toolbox: Toolbox, now: datetime) -> Call:
    """The call on the day of what was found, where its hour is said with "that evening" and one day can be meant."""
    arguments = dict(call.arguments)
    for parameter in toolbox.get(call.name).parameters if call.name in toolbox else ():
        written = arguments.get(parameter.name)
        if parameter.role is not Role.TIME or not isinstance(written, str) or _kind(written, now) is not TimeKind.CLOCK:
            continue
        days = {start.date() for start in _starts(turn) if start >= now} | _days(turn.query, now)
        if (part := _said_of(written, turn.query)) and len(days) == 1 and not _BESIDE.search(turn.query):
            at = moment(
                f"{show_day(days.pop(), now.year)} at {_AT.sub('', written)}{_PARTS.get(part, f' in the {part}')}", now
            )
            arguments[parameter.name] = show_time(at, now.year) if at else written
    return Call(call.name, arguments)


def _said_of(clock: str, query: str) -> str:
    """ "evening" where a query says an hour with "that evening"; "" where it does not."""
    hour = re.escape(_AT.sub("", clock.strip()))
    for pattern in (rf"\b{hour},? (?:on |in )?{_THAT}", rf"\b{_THAT},? (?:at |by |from )?{hour}\b"):
        if found := re.search(pattern, query, re.IGNORECASE):
            return found["part"].lower()
    return ""


def _days(query: str, now: datetime) -> set[date]:
    said = (moment(piece.text, now) for piece in fragments(query, now) if piece.kind in (TimeKind.DAY, TimeKind.MOMENT))
    return {each.date() for each in said if each}


def _starts(turn: Turn) -> Iterator[datetime]:
    for record in _records(turn):
        start = moment_of(record.get("start"))
        if start:
            yield start


def _records(turn: Turn) -> Iterator[dict[str, Any]]:
    return (dict(record) for step in turn.steps for each in step.observations for record in each.records)


def moment_of(value: object) -> datetime | None:
    """An ISO time of a record, without its zone; None for what is none."""
    try:
        return datetime.fromisoformat(str(value)).replace(tzinfo=None) if value else None
    except ValueError:
        return None


# events that are moved


@dataclass(frozen=True)
class _Move:
    """Where in the calls an event is cancelled and made again, and when it was."""

    cancel: int
    create: int
    start: datetime


def _moved(calls: Sequence[Call], turn: Turn, now: datetime) -> tuple[Call, ...]:
    """The calls, with the times of events that are moved counted from when these are.

    An event that would stand where it stood takes the one other time that the query says. Where it says none, and of
    moving nothing, it is cancelled if the query speaks of that.
    """
    settled: list[Call | None] = list(calls)
    for move in _moves(calls, turn):
        create = calls[move.create]
        written = str(create.arguments.get(_TIME, ""))
        meant = _meant(written, _kind(written, now), move.start, now)
        if meant == move.start:
            elsewhere = " ".join(str(call.arguments.get(_TIME, "")) for call in calls if call is not create)
            others = _said(turn.query, elsewhere, move.start, now)
            if len(others) == 1:
                meant = others.pop()
            elif not others and _CANCELLING.search(turn.query) and not _MOVING.search(turn.query):
                settled[move.create] = None
        if meant is not None and meant != moment(written, now) and settled[move.create]:
            settled[move.create] = Call(_CREATE, {**create.arguments, _TIME: show_time(meant, now.year)})
    return tuple(call for call in settled if call)


def _moves(calls: Sequence[Call], turn: Turn) -> Iterator[_Move]:
    for at, cancel in enumerate(calls):
        for other, create in enumerate(calls):
            titles = [set(words(str(call.arguments.get(_TITLE, "")))) for call in (cancel, create)]
            if (cancel.name, create.name) != (_CANCEL, _CREATE) or not titles[0] or titles[0] != titles[1]:
                continue
            named = (record for record in _records(turn) if titles[0] <= set(words(title_of(record))))
            starts = {start for record in named if (start := moment_of(record.get("start")))}
            if len(starts) == 1:
                yield _Move(at, other, starts.pop())


def _kind(text: str, now: datetime) -> TimeKind:
    """What a text says as a whole; a moment where it is not one piece."""
    whole = f"at {_AT.sub('', text.strip())}"  # a bare number is an hour only there
    pieces = {piece.text: piece.kind for piece in (*fragments(whole, now), *fragments(text, now))}
    return pieces.get(text.strip()) or pieces.get(whole, TimeKind.MOMENT)


def meant_beside(text: str, start: datetime, now: datetime) -> datetime | None:
    """When something that was at `start` is to be, by the words said of it: its hour or its day may be left unsaid."""
    return _meant(text, _kind(text, now), start, now)


def _meant(text: str, kind: TimeKind, start: datetime, now: datetime) -> datetime | None:
    """When a text says that an event which was at `start` now is; None if it says no time."""
    if kind is TimeKind.CLOCK:
        return _nearest(text, start)
    said = moment(text, now)
    if said is None:
        return None
    if kind is TimeKind.DAY and not _PART_OF_DAY.search(text):
        said = datetime.combine(said, start.time())
    return _in_its_week(said, start, now) if _is_bare_weekday(text) else said


def _is_bare_weekday(text: str) -> bool:
    """Whether a text names a day of the week, and neither a date nor which week."""
    told = words(canonical(text))
    return sum(word in WEEKDAYS for word in told) == 1 and not _WHICH_WEEK.search(text) and not {*told} & {*MONTHS}


def _in_its_week(said: datetime, start: datetime, now: datetime) -> datetime:
    """That weekday nearest to the event, rather later than earlier and not before today: Thursday after the 18th."""
    apart = round((start.date() - said.date()).days / 7)
    read = [said + timedelta(weeks=apart + more) for more in (-1, 0, 1)]
    ahead = [each for each in read if each.date() >= now.date()]
    return min(ahead, key=lambda each: abs((each.date() - start.date()).days - 1), default=said)


def _nearest(clock: str, start: datetime) -> datetime | None:
    """An hour of the event's day; the nearer where it could be two, and none at night for an event by day."""
    midnight = datetime.combine(start, time())
    read = [moment(clock, at) for at in (midnight, midnight + _HALF_DAY)]
    there = [each for each in read if each and each.date() == start.date()]
    by_day = [each for each in there if each.hour in _DAY] if start.hour in _DAY else []
    return min(by_day or there, key=lambda each: abs(each - start), default=None)


def _said(query: str, elsewhere: str, start: datetime, now: datetime) -> set[datetime]:
    """The times that a query says, but for the event's own and for those of other actions."""
    kinds = (TimeKind.CLOCK, TimeKind.DAY, TimeKind.MOMENT)
    found = {
        _meant(piece.text, piece.kind, start, now)
        for piece in fragments(query, now)
        if piece.kind in kinds and _AT.sub("", piece.text).casefold() not in elsewhere.casefold()
    }
    return {each for each in found if each and each != start}


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...]:
    return completed(calls, situation.turn, situation.toolbox, situation.now)


TIME_COMPLETION = Policy("time_completion", at_once(_revise))

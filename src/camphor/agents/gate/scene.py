"""What the gate judges a call by: what was said, and the records that were found."""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, Protocol

from camphor.agents.allowed_values import copied_numbers
from camphor.agents.evidence import Evidence
from camphor.agents.gate.words import content
from camphor.agents.observed_facts import FoundRecord, Known
from camphor.agents.parts import Part, parts_of
from camphor.device.text import text_of, words
from camphor.device.when import WhenError, parse_time, show_time
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import canonical
from camphor.tools.tool import Tool
from camphor.types import Call, Observation, Turn

Record = Mapping[str, Any]
ISO = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")
"""A day, or a moment, as normalised calls have it."""
NOON = 12
_HALF_OF_DAY = re.compile(
    r"\b(?:am|pm|a\.m|p\.m|morning|noon|afternoon|evening|night|tonight|midnight)\b|\d(?:am|pm)\b"
)
_MOST_TEXT = 2000  # characters of one value that are read
_MOST_DATED = 400  # and in which times are looked for


class Reached(Protocol):
    """Whom one value of a call reaches, as `camphor.device.people` tells."""

    @property
    def parameter(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def doubt(self) -> str: ...


@dataclass(frozen=True)
class Scene:
    """A query and what is known when an action is about to be proposed.

    Attributes:
        turn: the query with the steps so far. history: earlier turns, oldest first. now: the device's clock.
        people: the phone's contacts. recalled: texts of the long-term memory that made the call. place: the city,
            and the owner's name.
        reached: whom the call reaches, value by value. actions: the phone's tools that do something. proposed: the
            actions that were proposed for this query before. meant: the name of the person or thing that the person
            picked when asked which.
    """

    turn: Turn
    history: tuple[Turn, ...]
    now: datetime
    people: Sequence[Record]
    recalled: tuple[str, ...] = ()
    place: str = ""
    reached: tuple[Reached, ...] = ()
    actions: tuple[Tool, ...] = ()
    proposed: tuple[Call, ...] = ()
    meant: str = ""

    @property
    def query(self) -> str:
        return self.turn.query

    @cached_property
    def known(self) -> Known:
        return Known.of((*self.history, self.turn), self.now)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return parts_of(self.query, bool(self.history))

    @cached_property
    def done(self) -> tuple[tuple[Tool, Observation], ...]:
        """The actions that were done for this query, with their tools."""
        tools = {tool.name: tool for tool in self.actions}
        seen = (each for step in self.turn.steps for each in step.observations)
        return tuple((tools[each.call.name], each) for each in seen if each.records and each.call.name in tools)

    @cached_property
    def said(self) -> str:
        """All that the person wrote in this conversation, and what they told before; the newest last."""
        return "\n".join([*self.recalled, *(turn.query for turn in self.history), self.query])

    @cached_property
    def said_words(self) -> frozenset[str]:
        return frozenset(words(self.said))

    @cached_property
    def records(self) -> tuple[FoundRecord, ...]:
        """All that was found, newest turn first."""
        return self.known.newest

    @cached_property
    def answered(self) -> str:
        return "\n".join(turn.response for turn in self.history)

    @cached_property
    def found_words(self) -> frozenset[str]:
        """The words of all records and of earlier answers."""
        shown = (text[:_MOST_TEXT] for each in self.records for _, text in each.shown)
        whole = (text_of(dict(each.record))[:_MOST_TEXT] for each in self.records)
        return frozenset(word for text in (*shown, *whole, self.answered) for word in words(text))

    @cached_property
    def pointed_words(self) -> frozenset[str]:
        """What the records are about that share a telling word with the query, or were looked up by such words."""
        asked = content(self.said)
        told: set[str] = set(content(self.answered))
        for step in (step for turn in (*self.history, self.turn) for step in turn.steps):
            for seen in step.observations:
                by_words = content(text_of(dict(seen.call.arguments))) & asked or not seen.call.arguments
                for record in seen.records:
                    about = content(text_of(dict(record))[:_MOST_TEXT])
                    if by_words or about & asked:
                        told |= about
        return frozenset(told)

    @cached_property
    def digits(self) -> frozenset[str]:
        """Runs of digits that were said or found."""
        return frozenset(copied_numbers(self.known)) | frozenset(re.findall(r"\d+", "\n".join(self.recalled)))

    @cached_property
    def digits_found(self) -> frozenset[str]:
        """Runs of digits of records and of earlier answers."""
        return frozenset(re.findall(r"\d+", self.shown.removeprefix(self.said)))

    @cached_property
    def digits_said(self) -> tuple[str, ...]:
        """Runs of digits that the person said, in digits or in words."""
        asked = tuple(Turn(text) for text in self.said.splitlines())
        read = copied_numbers(Known(asked, tuple(() for _ in asked), self.now))
        today = set(re.findall(r"\d+", show_time(self.now, 0))) - set(re.findall(r"\d+", self.said))
        return tuple(figure for figure in read if figure not in today)

    @cached_property
    def shown(self) -> str:
        """What was said, and all records as they are shown."""
        return "\n".join([self.said, self.answered, *(text for each in self.records for _, text in each.shown)])

    @cached_property
    def clocks(self) -> frozenset[tuple[int, int]]:
        """Hours and minutes of the times that were said or found."""
        moments = [at for _, at in self.moments_said] + [at for at, _, _ in self.moments_found]
        return frozenset((at.hour, at.minute) for at in moments)

    @cached_property
    def moments_said(self) -> tuple[tuple[Fragment, datetime], ...]:
        """Pieces of the queries that say when, with what each means; the newest query first."""
        found: list[tuple[Fragment, datetime]] = []
        for text in (self.query, *(turn.query for turn in reversed(self.history)), *self.recalled):
            found += _moments_of(text[:_MOST_TEXT], self.now)
        return tuple(found)

    @cached_property
    def moments_found(self) -> tuple[tuple[datetime, FoundRecord, str], ...]:
        """Every time of a record, with the record and the field; those in texts too."""
        return tuple(self._moments())

    def _moments(self) -> Iterator[tuple[datetime, FoundRecord, str]]:
        for each in self.records:
            for name, value in each.record.items():
                for text in value if isinstance(value, list | tuple) else (value,):
                    if not isinstance(text, str):
                        continue
                    if ISO.fullmatch(text):
                        at = datetime.fromisoformat(text)
                        yield at, each, name
                        if "birth" in name:
                            yield _next_anniversary(at, self.now), each, name
                        continue
                    for piece, at in _moments_of(text[:_MOST_DATED], self.now):
                        clocks = clocks_of(piece.text, at) if piece.kind is TimeKind.CLOCK else ((at.hour, at.minute),)
                        for hour, minute in clocks:
                            yield at.replace(hour=hour, minute=minute), each, name


def _next_anniversary(day: datetime, now: datetime) -> datetime:
    """That day of this year or, where it is over, of the next; of the 29th of February the 28th."""
    for year in (now.year, now.year + 1):
        leap = (day.month, day.day) == (2, 29) and not isleap(year)
        at = day.replace(year=year, day=28) if leap else day.replace(year=year)
        if at.date() >= now.date():
            return at
    return at


@lru_cache(maxsize=1024)
def _moments_of(text: str, now: datetime) -> tuple[tuple[Fragment, datetime], ...]:
    """The pieces of a text that say when, with what each means; kept, as each action of a query reads them again."""
    found: list[tuple[Fragment, datetime]] = []
    for piece in fragments(text, now):
        if piece.kind in (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK):
            with suppress(WhenError):
                found.append((piece, parse_time(piece.text, now)))
    return tuple(found)


def clocks_of(said: str, moment: datetime) -> tuple[tuple[int, int], ...]:
    """The hours and minutes that words of time may mean: "at six" is one of two, "at six in the evening" is one."""
    own = (moment.hour, moment.minute)
    return (own,) if _HALF_OF_DAY.search(canonical(said)) else (own, ((moment.hour + 12) % 24, moment.minute))


def title_of(record: Record) -> str:
    """What a record is called: the first of its fields that names it."""
    for field in ("title", "name", "subject", "item", "content", "sender", "contact", "text"):
        if value := record.get(field):
            return " ".join(str(value).split())[:60]
    return ""


class Asked(StrEnum):
    """Whether a query asks for a call."""

    YES = "yes"
    UNSURE = "unsure"
    NO = "no"


@dataclass(frozen=True)
class Verdict:
    """What the gate says of one call.

    Attributes:
        asked: whether it is asked for. part: of the query that asks, or that says otherwise; None where none does.
        evidence: of every value, in the order of the call. refusal: why it is not proposed at all, in a sentence; "".
        doubt: what only the person can tell; `--yes` is no answer to it. "" where nothing is open.
    """

    asked: Asked
    part: Part | None
    evidence: tuple[Evidence, ...] = ()
    refusal: str = ""
    doubt: str = ""

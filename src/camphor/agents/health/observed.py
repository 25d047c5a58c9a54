"""What a case knows so far: the identifiers, slots, places and figures that a call or a message may hold.

A small model that copies is right; one that makes up a number books another doctor. So calls take identifiers, times
and places from here alone, and texts hold no figure that was neither said nor seen (architecture, decision 2).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from camphor.agents.health.case import Called, Case, Seen
from camphor.agents.health.prompts import show_slot
from camphor.device.when import WhenError, parse_time, show_day
from camphor.device.when.fragments import TimeKind, fragments
from camphor.tools.tool import Kind as ToolKind
from camphor.types import Observation

if TYPE_CHECKING:
    from camphor.device.device import Device

ASK, NOTIFY = "get_input_from_user", "notify_user"
_LISTS = frozenset({"retrieve_past_complaints", "get_appointment_history"})
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SLOT = re.compile(r"\d\d:\d\d-\d\d:\d\d")
_FIGURES = re.compile(r"[^\s,;()\"]*\d[^\s,;()\"]*")
_NUMBER_OF_PHONE = re.compile(r"\+?\d[\d ()/-]{5,}\d")
_PARTS = ("morning", "afternoon", "evening")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_BEYOND = re.compile(r"\b(after|from|before|until|by) (\d{1,2})(?:[:.]([0-5]\d))?(?: ?([ap])\.?m\b)?", re.IGNORECASE)
_DAY_BEGINS, _DAY_ENDS = "06:00", "22:00"
_SOFT_SOS = re.compile(r"Soft SOS triggered\. Abnormal Vitals: (\{.*\})", re.DOTALL)
_READING = re.compile(r": (\d+(?:\.\d+)?)")
_FARTHEST = timedelta(days=400)
_MOST_FIGURES = 200


@dataclass(frozen=True)
class Offer:
    """A specialist's slot that was seen; the latest offers come first."""

    specialist_id: str
    name: str
    day: str
    time: str

    @property
    def when(self) -> str:
        """As calls have it: HH:MM-HH:MM, DD/MM/YYYY (Appendix D)."""
        return f"{self.time}, {date.fromisoformat(self.day):%d/%m/%Y}"


@dataclass(frozen=True)
class CaseFacts:
    """Reads a case once; everything is worked out when it is asked for."""

    case: Case

    @cached_property
    def results(self) -> tuple[Any, ...]:
        """What tools gave, newest first, without what the person answered."""
        turns = self.case.turns
        pairs = itertools.pairwise(turns)
        found = [
            seen.result
            for called, seen in pairs
            if isinstance(called, Called) and isinstance(seen, Seen) and called.call.name != ASK
        ]
        return tuple(reversed(found))

    @cached_property
    def records(self) -> tuple[Mapping[str, Any], ...]:
        """Every object in them, newest first, those inside others after them."""
        return tuple(record for result in self.results for record in _mappings(result))

    @cached_property
    def said(self) -> tuple[str, ...]:
        """What the person said, oldest first."""
        turns = self.case.turns
        answers = [
            answer_of(seen.result)
            for called, seen in itertools.pairwise(turns)
            if isinstance(called, Called) and called.call.name == ASK and isinstance(seen, Seen)
        ]
        return (self.case.request, *filter(None, answers))

    @cached_property
    def vitals(self) -> tuple[str, ...]:
        """The readings that a soft SOS reports, as figures in its order; none in any other case."""
        found = _SOFT_SOS.match(self.case.request)
        return tuple(_READING.findall(found[1])) if found else ()

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """Specialists with a slot."""
        found: dict[Offer, None] = {}
        for record in self.records:
            slot = record.get("available_slot", record)
            if not isinstance(slot, Mapping) or not isinstance(record.get("specialist_id"), str):
                continue
            day, time = str(slot.get("date"))[:10], str(slot.get("time"))
            if _is_day(day) and _SLOT.fullmatch(time):
                found[Offer(record["specialist_id"], str(record.get("name") or ""), day, time)] = None
        return tuple(found)

    @cached_property
    def phones(self) -> tuple[str, ...]:
        """Numbers that a message may go to: of an ambulance that was found, or said by the person."""
        seen = (str(record["phone_no"]) for record in self.records if record.get("phone_no"))
        return _unique((*seen, *(found[0] for text in self.said for found in _NUMBER_OF_PHONE.finditer(text))))

    @cached_property
    def places(self) -> tuple[Mapping[str, float], ...]:
        """Locations as `{latitude, longitude}`."""
        found = (
            {"latitude": record["latitude"], "longitude": record["longitude"]}
            for record in self.records
            if {"latitude", "longitude"} <= record.keys() and "ambulance_id" not in record
        )
        return tuple(found)

    @cached_property
    def schedules(self) -> tuple[Mapping[str, str], ...]:
        """What the person said of when they can come, as `user_schedule` has it, the last words first."""
        return tuple(schedule for text in reversed(self.said) for schedule in self._schedules(text))

    def _schedules(self, text: str) -> Iterator[Mapping[str, str]]:
        ranges = list(_hours(text))
        days = list(self._days(text))
        for day in days:
            yield from ({"date": day, "time_range": each} for each in ranges)
        yield from ({"time_range": each} for each in ranges)
        yield from ({"date": day} for day in days)

    def _days(self, text: str) -> Iterator[str]:
        now = self.case.user.now
        for fragment in fragments(text, now) if len(text) < 500 else ():
            if fragment.kind not in (TimeKind.DAY, TimeKind.MOMENT):
                continue
            try:
                day = parse_time(fragment.text, now).date()
            except WhenError:
                continue
            if now.date() <= day <= now.date() + _FARTHEST:
                yield day.isoformat()

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The only pieces with digits that a text may hold, each as a whole: what was said, and what was seen as shown.

        A day stands with its month ("30 Nov"), so that no other month can be put to it.
        """
        user = self.case.user
        found = [user.user_id, *_numbers_of((user.name, *user.known, *reversed(self.said)), parts=True)]
        for result in self.results:
            found += self._shown(result)
        kept = (each for each in _unique(found) if re.search(r"\d", each) and not re.search(r"[\"\\<>\n]", each))
        return tuple(kept)[:_MOST_FIGURES]

    def _shown(self, value: Any) -> Iterator[str]:
        year = self.case.user.now.year
        if isinstance(value, Mapping):
            if {"date", "time"} <= value.keys() and _is_day(str(value["date"])):
                yield show_slot(str(value["date"]), str(value["time"]), year).partition(" ")[2]
            for each in value.values():
                yield from self._shown(each)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for each in value:
                yield from self._shown(each)
        elif isinstance(value, str) and _is_day(value[:10]) and _ISO_DAY.match(value):
            yield show_day(date.fromisoformat(value[:10]), year).partition(" ")[2]
            yield from (value[11:16],) if len(value) > 10 else ()
        elif isinstance(value, str) and _SLOT.fullmatch(value):
            yield from (value, value[:5])
        elif value is not None and not isinstance(value, bool):
            yield str(value)
            yield from _numbers_of((str(value),), parts=False)


def answer_of(result: Any) -> str:
    """The person's words in the result of a question: a text, or as in the paper's examples `{"user": text}`."""
    if isinstance(result, Mapping):
        return str(result.get("user") or "")
    return result if isinstance(result, str) else ""


def _hours(text: str) -> Iterator[str]:
    """Spans of hours and parts of days in the person's words, as the clinic reads them."""
    said = text.casefold()
    weekdays = [day for day in _WEEKDAYS if re.search(rf"\b{day}s?\b|\b{day[:3]}\b", said)]
    spans = [_span(found) for found in _BEYOND.finditer(said)]
    parts = [part for part in _PARTS if part in said]
    for day in weekdays:
        yield from (f"{day} {each}" for each in (*filter(None, spans), *parts))
    yield from filter(None, spans)
    yield from parts
    yield from weekdays


def _span(found: re.Match[str]) -> str:
    """ "after 5" is 17:00-22:00: nobody sees a doctor at five in the morning."""
    hour, minute = int(found[2]), found[3] or "00"
    if ((found[4] or "").lower() == "p" and hour < 12) or (not found[4] and not found[3] and hour < 7):
        hour += 12
    if hour > 23:
        return ""
    at = f"{hour:02}:{minute}"
    first, last = (at, _DAY_ENDS) if found[1].lower() in ("after", "from") else (_DAY_BEGINS, at)
    return f"{first}-{last}" if first < last else ""


def _numbers_of(texts: Iterable[str], *, parts: bool) -> Iterator[str]:
    for text in texts:
        for found in _FIGURES.findall(text):
            bare = found.strip(".:!?'`{}[]")
            yield bare
            if parts:
                yield from re.findall(r"\d+(?:[.:]\d+)*", bare)


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _mappings(each)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 10


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, values)))


def result_of(observation: Observation, device: Device) -> Any:
    """A tool's result as the paper has it: true for what was done, a list, or the one thing that was looked for."""
    name = observation.call.name
    if device.toolbox.get(name).kind is ToolKind.ACTION:
        return True
    records = [dict(record) for record in observation.records]
    return records if name in _LISTS else records[0] if records else None

"""Gold steps in the words a model can copy: times and receivers as they were said or observed, never as ISO or digits.

The model copies and code computes, so a step that is trained on must hold "tomorrow at 5 pm" and "Alice Johnson", not
`2026-03-13T17:00:00` and `555-123-4567`. Every form written here is one that the device normalises back to exactly the
gold value; what has no such form stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from camphor.device.device import Device
from camphor.device.when import show_day, show_time
from camphor.device.when.fragments import Fragment, TimeKind, fragments, weekdays_beside
from camphor.device.when.lexicon import WEEKDAYS, canonical
from camphor.errors import ToolError
from camphor.tools.tool import Role
from camphor.trajectories.items import Item
from camphor.types import Call

_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LEADING = re.compile(r"(?:(?:at|on|by|for|of|from|about|around|until|till|the|,)\s+)+", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|\w+th)\b(?! (?:thing|week|month))", re.IGNORECASE)
_HOUR_SAID = re.compile(
    r"\d|noon|midnight|half|quarter|clock|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
)
_HOUR_WRITTEN = re.compile(r"\d[:.h]\d\d|\d ?h\b|\d ?[ap]\.?m|noon|midnight|half|quarter|clock", re.IGNORECASE)
_PART_SAID = re.compile(r"morn|noon|arvo|even|night|nite|lunch", re.IGNORECASE)
_ON_THE_EVE = re.compile(r"\beve of\b|\bon the eve\b", re.IGNORECASE)
_MOST_OBSERVED = 40
_MOST_TEXT = 600  # characters of one observed text that are searched for words of time


@dataclass
class FormCounts:
    """How many values were put in words, by the way it was done; `kept` counts those that stayed as they were."""

    times: Counter[str] = field(default_factory=Counter)
    ranges: Counter[str] = field(default_factory=Counter)
    receivers: Counter[str] = field(default_factory=Counter)


@dataclass
class _Heard:
    """What a model has before it when it writes: words of the person, and times and texts that were observed."""

    now: datetime
    query: list[Fragment]
    sides: tuple[str, ...] = ()
    earlier: list[Fragment] = field(default_factory=list)
    moments: list[datetime] = field(default_factory=list)
    days: list[date] = field(default_factory=list)
    texts: list[Fragment] = field(default_factory=list)

    def observe(self, value: Any) -> None:
        """Takes in the times and the words of time of an observed value."""
        if isinstance(value, Mapping):
            for item in value.values():
                self.observe(item)
        elif isinstance(value, list | tuple):
            for item in value:
                self.observe(item)
        elif isinstance(value, str) and _ISO_TIME.fullmatch(value):
            self.moments.append(datetime.fromisoformat(value))
        elif isinstance(value, str) and _ISO_DATE.fullmatch(value):
            self.days.append(date.fromisoformat(value))
        elif isinstance(value, str) and (any(c.isdigit() for c in value) or _HOUR_WRITTEN.search(value)):
            found = _apart(fragments(value[:_MOST_TEXT], self.now))
            # a bare number in a record is rarely an hour
            self.texts.extend(f for f in found if f.kind is not TimeKind.CLOCK or _HOUR_WRITTEN.search(f.text))


def _bare(fragment: Fragment) -> str:
    """The words without the prepositions in front: "on Friday" -> "Friday", "on the 4th" -> "the 4th"."""
    m = _LEADING.match(fragment.text)
    text = fragment.text[m.end() :] if m else fragment.text
    text = text.removesuffix("'s").removesuffix("\u2019s")
    if fragment.kind is TimeKind.SHIFT and not canonical(text).startswith(WEEKDAYS):
        text = text[:1].lower() + text[1:]  # "Evening before" may open a sentence
    if fragment.kind is TimeKind.SHIFT or (fragment.kind in (TimeKind.DAY, TimeKind.MOMENT) and _ORDINAL.match(text)):
        return f"the {text}"
    return text or fragment.text


def _of(found: Iterable[Fragment], *kinds: TimeKind) -> list[str]:
    """The wordings of some kinds, once each: those first that say an hour and refer to nothing, then the longest."""
    texts = (_bare(f) for f in found if f.kind in kinds)

    def rank(text: str) -> tuple[bool, bool, int]:
        folded = text.casefold()
        return not _HOUR_SAID.search(folded), "that" in folded or "same" in folded, -len(text)

    return list(dict.fromkeys(sorted(texts, key=rank)))


def _apart(found: list[Fragment]) -> list[Fragment]:
    """Without the days and hours that take words from a shift: "half ten the night" in "half ten the night before"."""
    shifts = [(f.start, f.start + len(f.text)) for f in found if f.kind is TimeKind.SHIFT]
    return [
        f
        for f in found
        if f.kind is TimeKind.SHIFT or not any(f.start < b and a < f.start + len(f.text) for a, b in shifts)
    ]


def _sides(text: str) -> tuple[str, ...]:
    """The shifts that are not said as such: of "that Saturday", and of "on the eve"."""
    beside = [f"the {weekday} {side}" for weekday in weekdays_beside(text) for side in ("before", "after")]
    return (*beside, "the evening before") if _ON_THE_EVE.search(text) else tuple(beside)


def _at(day: str, clock: str) -> str:
    """A day and a clock as one phrase: "Friday at 7 in the evening", "Friday evening"."""
    said = clock.casefold()
    loose = re.match(r"(?:in|that|this|tonight|morning|afternoon|evening|night|early|late)\b", said)
    return f"{day} {clock}" if loose else f"{day} at {clock}"


def _near(found: list[Fragment], *kinds: TimeKind) -> list[str]:
    """The wordings of some kinds, of a day or an hour the fullest wording only."""
    places = {(f.start, f.start + len(f.text)) for f in found if f.kind in kinds}

    def inside(f: Fragment) -> bool:
        own = (f.start, f.start + len(f.text))
        return any(a <= own[0] and own[1] <= b and (a, b) != own for a, b in places)

    return _of((f for f in found if not inside(f)), *kinds)


def _bases(heard: _Heard) -> Iterator[str]:
    """Times of observed records as they are shown: other moments can be counted from them."""
    for moment in dict.fromkeys(heard.moments[-_MOST_OBSERVED:]):
        yield show_time(moment, heard.now.year)
    for day in dict.fromkeys(heard.days[-_MOST_OBSERVED:]):
        yield show_day(day, heard.now.year)


def _counted(lengths: list[str], shifts: list[str], clocks: list[str], bases: Iterable[str]) -> Iterator[str]:
    """Every length and shift that was said, from each base: "1 hour before BASE", "the night before BASE at eight"."""
    for base in bases:
        other = [clock for clock in clocks if not base.endswith(f" {clock}")]  # never "the night before 8:00 at 8:00"
        for shift in shifts:
            yield from (f"{shift} {_at(base, clock)}" for clock in other)
            yield f"{shift} {base}"
        for length in lengths:
            for side in ("before", "after"):
                yield from (f"{length} {side} {_at(base, clock)}" for clock in other)
                yield f"{length} {side} {base}"


def _wordings(heard: _Heard, gold: datetime) -> Iterator[tuple[str, str]]:
    """Wordings of a time, best first, each with its way. Not all mean the gold time: the caller checks."""
    query = heard.query
    days, clocks = _of(query, TimeKind.DAY), _of(query, TimeKind.CLOCK)
    lengths, shifts = _of(query, TimeKind.LENGTH), _of(query, TimeKind.SHIFT)
    whole = [*_of(query, TimeKind.MOMENT), *clocks, *(day for day in days if _PART_SAID.search(day))]
    yield from (("query", text) for text in whole)
    shifts += heard.sides
    joined = [_at(day, clock) for day in days for clock in clocks]
    yield from (("joined", text) for text in joined)
    # "five minutes before tonight" may only happen to be five minutes before the record that is meant
    loose = list(_counted(lengths, [], [], [day for day in days if _PART_SAID.search(day)]))
    yield from (("joined", text) for text in _counted(lengths, shifts, clocks, days) if text not in loose)
    said = [*_of(query, TimeKind.MOMENT), *joined]
    yield from (("joined", text) for text in _counted(lengths, shifts, [], said))
    for moment in heard.moments:
        if moment == gold:
            yield "observed", show_time(moment, heard.now.year)
    yield from (("relative", text) for text in _counted(lengths, shifts, clocks, _bases(heard)))
    seen_days = [day for day in (*heard.days, *(m.date() for m in heard.moments)) if day == gold.date()]
    yield from (("mixed", _at(show_day(day, heard.now.year), clock)) for day in seen_days[:1] for clock in clocks)
    if any(m.time() == gold.time() for m in heard.moments):
        yield from (("mixed", _at(day, f"{gold:%H:%M}")) for day in days)
    hours = dict.fromkeys(f"{moment:%H:%M}" for moment in heard.moments)
    mixed = [_at(day, hour) for day in days for hour in hours] if lengths else []
    yield from (("mixed", text) for text in _counted(lengths, [], [], mixed))
    yield from (("joined", text) for text in loose)
    yield from _from_texts(heard, days, clocks, lengths, shifts, gold)


def _from_texts(
    heard: _Heard, days: list[str], clocks: list[str], lengths: list[str], shifts: list[str], gold: datetime
) -> Iterator[tuple[str, str]]:
    """Wordings that take a day or an hour from earlier turns or from observed texts."""
    for way, source in (("history", heard.earlier), ("text", heard.texts)):
        moments = _near(source, TimeKind.MOMENT)
        other_days, other_clocks = _near(source, TimeKind.DAY), _near(source, TimeKind.CLOCK)
        yield from ((way, text) for text in _of(source, TimeKind.MOMENT))
        yield from ((way, _at(day, clock)) for day in other_days for clock in clocks)
        yield from ((way, _at(day, clock)) for day in days for clock in other_clocks)
        seen = [day for day in (*heard.days, *(m.date() for m in heard.moments)) if day == gold.date()][:1]
        then = [_at(show_day(day, heard.now.year), clock) for day in seen for clock in other_clocks]
        yield from ((way, text) for text in then)
        both = [*moments, *(_at(day, clock) for day in [*days, *other_days] for clock in other_clocks)]
        yield from ((way, text) for text in both)
        if any(m.time() == gold.time() for m in heard.moments):
            yield from ((way, _at(day, f"{gold:%H:%M}")) for day in other_days)
        yield from ((way, text) for text in _counted(lengths, [], clocks, other_days))
        yield from ((way, text) for text in _counted(lengths, [], [], [*both, *then]))
        yield from ((way, text) for text in _counted([], shifts, clocks, [*other_days, *both, *then]))
        hours = [clock for clock in (*clocks, *other_clocks) if _HOUR_SAID.search(clock.casefold())]
        yield from (
            (way, text) for text in _counted([], _near(source, TimeKind.SHIFT), hours, [*_bases(heard), *moments])
        )
        yield from ((way, text) for text in _counted(_near(source, TimeKind.LENGTH), [], [], [*clocks, *_bases(heard)]))


def _range_wordings(heard: _Heard, gold: str) -> Iterator[tuple[str, str]]:
    kinds = (TimeKind.DAY, TimeKind.SPAN, TimeKind.MOMENT, TimeKind.CLOCK)
    yield from (("query", text) for text in _of(heard.query, *kinds[:2]))
    if gold[:10] == heard.now.date().isoformat():
        yield "plain", "today"
    yield from (("query", text) for text in _of(heard.query, *kinds[2:]))
    yield from (("plain", text) for text in ("tomorrow", "yesterday", "this week", "next week", "this month"))
    shifts = _of(heard.query, TimeKind.SHIFT)
    yield from (("relative", text) for text in _counted([], shifts, [], _bases(heard)))
    first, _, last = gold.partition("/")
    if "T" not in gold:
        shown = [show_day(date.fromisoformat(end), heard.now.year) for end in (first, last) if end]
        yield "display", " to ".join(shown)


class _Worder:
    """Puts the calls of one item in words, on a device that carries out its turns one after the other."""

    def __init__(self, device: Device, counts: FormCounts) -> None:
        self.device, self.counts = device, counts

    def turn(self, turn: Mapping[str, Any], heard: _Heard) -> list[dict[str, Any]]:
        """The steps of a turn in words; what its calls answer is heard by the calls after them."""
        steps = []
        for step in turn.get("steps") or ():
            calls = [self._call(call, heard) for call in step.get("calls") or ()]
            for call in calls:
                heard.observe(self.device.execute(Call(call["name"], call["arguments"])).records)
            steps.append({**step, "calls": calls})
        return steps

    def _call(self, call: Mapping[str, Any], heard: _Heard) -> dict[str, Any]:
        arguments = dict(call.get("arguments") or {})
        tool = self.device.toolbox.get(call["name"]) if call["name"] in self.device.toolbox else None
        if tool is None:
            return {**call, "arguments": arguments}
        for parameter in tool.parameters:
            gold = arguments.get(parameter.name)
            if not isinstance(gold, str):
                continue
            words = self._value(Call(call["name"], dict(arguments)), parameter.name, parameter.role, heard)
            arguments[parameter.name] = words if words is not None else gold
        return {**call, "arguments": arguments}

    def _value(self, call: Call, name: str, role: Role, heard: _Heard) -> str | None:
        gold = str(call.arguments[name])
        if role is Role.TIME and _ISO_TIME.fullmatch(gold):
            moment = datetime.fromisoformat(gold)
            wordings: Iterable[tuple[str, str]] = (
                *_wordings(heard, moment),
                *(("query", day) for day in _of(heard.query, TimeKind.DAY)),  # the hour of a day without one
                ("display", show_time(moment, heard.now.year)),
            )
            return self._first(call, name, wordings, self.counts.times)
        if role in (Role.TIME_RANGE, Role.DATE, Role.TIME) and _ISO_DATE.match(gold):
            return self._first(call, name, _range_wordings(heard, gold), self.counts.ranges)
        if role in (Role.PHONE, Role.EMAIL):
            names = self._names(gold, "phone_number" if role is Role.PHONE else "email")
            return self._first(call, name, (("name", n) for n in names), self.counts.receivers)
        return None

    def _names(self, gold: str, key: str) -> list[str]:
        people = self.device.people()
        return [str(person["name"]) for person in people if person.get(key) == gold and person.get("name")]

    def _first(self, call: Call, name: str, wordings: Iterable[tuple[str, str]], counter: Counter[str]) -> str | None:
        """The first wording that the device normalises to what it makes of the gold value itself."""
        gold = self._normal(call, name)
        for way, text in wordings:
            if gold is not None and self._normal(Call(call.name, {**call.arguments, name: text}), name) == gold:
                counter[way] += 1
                return text
        counter["kept"] += 1
        return None

    def _normal(self, call: Call, name: str) -> Any:
        try:
            return self.device.normalise(call).arguments.get(name)
        except ToolError:
            return None


def with_surface_forms(item: Item, device: Mapping[str, Any], counts: FormCounts | None = None) -> Item:
    """The item with the arguments of its steps (earlier turns' too) in words; its gold `calls` stay as they are.

    A time becomes, whichever is first exact: a phrase of the query; two phrases of it joined ("Friday at 7 in the
    evening"); the time of an observed record as it is shown; an expression beside one ("1 hour before Thu 21 May
    18:30", "the night before Thu 21 May 18:30 at eight"); a day and an hour of which one was observed or said before;
    the display form. Days and ranges likewise. A receiver becomes the contact's full name.

    Args:
        item: with normalised values in its steps, as the hand-written sets have them.
        device: the device's data, as in its file; it is loaded anew, and nothing is changed outside.
        counts: taken along where given, to learn how many values went which way.

    Raises:
        DeviceFileError: the device breaks the format.
    """
    with Device.create(None, device) as phone:
        worder = _Worder(phone, counts if counts is not None else FormCounts())
        heard = _Heard(phone.now, [])
        history = []
        for turn in (*item.history, {"query": item.query, "steps": item.steps}):
            heard.earlier = [*heard.query, *heard.earlier]
            heard.query = _apart(fragments(str(turn["query"]), phone.now))
            heard.sides = _sides(str(turn["query"]))
            steps = worder.turn(turn, heard)
            history.append({**turn, "steps": steps} if "steps" in turn else dict(turn))
        *earlier, last = history
        return replace(item, history=tuple(earlier), steps=tuple(last["steps"]))

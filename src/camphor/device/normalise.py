"""From what people write to what tools take: times by the clock, people by the contacts, titles by the events.

The contract, section 2. Nothing is guessed: what fits several is an `AmbiguousValue` with the candidates, what fits
nothing an `UnknownValue` that says what there is. Normalising twice gives the same as normalising once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time
from typing import Any, Protocol

from dateutil.relativedelta import relativedelta

from camphor.device.people import bare, find_people, is_address, labelled, well_formed_number
from camphor.device.records import Records
from camphor.device.text import Record, fold, keyword, near, search_nearly, text_of, words
from camphor.device.when import WhenError, parse_range, parse_time
from camphor.device.when.events import clock_of, timer_text
from camphor.device.when.fragments import TimeKind as Piece
from camphor.device.when.fragments import fragments
from camphor.errors import AmbiguousValue, ArgumentError, UnknownValue
from camphor.tools.invoke import check
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Call

# What a person calls a thing and what its app calls it: "garage door" is "Garage roller door", "Rex" is pet 4-11.

_LONGEST_NAME = 8  # words; a longer field tells about a thing and does not name it


def recorded(records: Records, app: str, parameter: str, text: str) -> str:
    """The value of the field that the parameter is called after (`trip_id`, `device`), of the one record meant.

    In order: a record that has the value already; whose field has all the words; which is named so in another short
    field, where the field is a code; whose field has words close to all of them. Where several records with different
    values fit, or none, the text stays: it may be new, and the app will say.
    """
    wanted = words(text)
    if not wanted:
        return text
    for info in records.lists(app):
        among = [record for _, record in records.rows(app, info.name, keyword(text))]
        # a long list is read by its words only: to read it all takes longer than the call
        rows = among if info.indexed else [record for _, record in records.rows(app, info.name)]
        field = _field(parameter, rows)
        if not field:
            continue
        if any(fold(str(record.get(field))) == fold(text) for record in rows):
            return text
        for fits in (
            [r for r in among if set(wanted) <= set(words(str(r.get(field, ""))))],
            [r for r in among if _is_code(r.get(field)) and _is_named(r, text)],
            [r for r in rows if _nearly(wanted, words(str(r.get(field, ""))))],
        ):
            meant = {str(record[field]) for record in fits if _said(record.get(field))}
            if meant:
                return meant.pop() if len(meant) == 1 else text
    return text


def _field(parameter: str, rows: Iterable[Record]) -> str:
    """The field of these records that the parameter is called after; `job_id` may be the field `id`."""
    fields = {field for record in rows for field in record}
    return next((name for name in (parameter, parameter.rsplit("_", 1)[-1]) if name in fields), "")


def _said(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip() != ""


def _is_code(value: Any) -> bool:
    """Whether a value has figures and is no hour or day: those are what they are, and stand for no record."""
    text = str(value).strip()
    return any(character.isdigit() for character in text) and not _FIGURE.fullmatch(text)


def _is_named(record: Record, text: str) -> bool:
    return not _FIGURE.fullmatch(text) and any(set(words(text)) <= set(words(name)) for name in _names(record))


def _names(record: Record) -> list[str]:
    return [value for value in map(text_of, record.values()) if len(words(value)) <= _LONGEST_NAME]


def _nearly(wanted: tuple[str, ...], there: tuple[str, ...]) -> bool:
    return bool(there) and all(any(word == other or near(word, other) for other in there) for word in wanted)


_NEAR = 5
_FIGURE = re.compile(r"\d{1,2}[:.]\d\d(?::\d\d)?|\d{4}-\d\d-\d\d(?:[T ].*)?")

# How 3/4 is read where people of the country agree; elsewhere a date that can be read in both ways is refused.
_MONTH_FIRST = frozenset(
    ("united states", "usa", "us", "philippines", "japan", "china", "taiwan", "south korea", "hungary", "lithuania")
)
_UNDECIDED = frozenset(("", "canada", "kenya", "ghana", "south africa"))


class Surroundings(Protocol):
    """What normalising needs to know of a device."""

    @property
    def now(self) -> datetime: ...

    @property
    def location(self) -> Mapping[str, Any]: ...

    def people(self) -> Sequence[Record]: ...


_LENGTH = re.compile(r"\d+ (?:hours|minutes|seconds)(?: \d+ (?:minutes|seconds)){0,2}")
# What is to be done cannot lie this many days back: a birth date stands for the birthday.
_LONG_AGO = 300


class Normaliser:
    """Normalises the calls of one device."""

    def __init__(self, device: Surroundings, records: Records) -> None:
        self._device = device
        self._records = records

    def __call__(self, tool: Tool, call: Call) -> Call:
        """The call with every value in the contract's form.

        Raises:
            ArgumentError: a parameter is missing, unknown or of the wrong type, or a time is not understood.
            AmbiguousValue, UnknownValue: as said above.
        """
        checked = check(tool, call)
        found: dict[str, Any] = {}
        for name, value in checked.arguments.items():
            parameter = tool.parameter(name)
            found[name] = self._value(tool, parameter, value) if parameter else value
        return Call(call.name, found)

    def _value(self, tool: Tool, parameter: Parameter, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(tool, parameter, item) for item in value]
        if isinstance(value, Mapping):
            fields = {field.name: field for field in parameter.fields}
            return {key: self._value(tool, fields[key], item) if key in fields else item for key, item in value.items()}
        reader = self._readers().get(parameter.role)
        if reader is None or not isinstance(value, str) or (not value.strip() and not parameter.required):
            return value
        return reader(tool, parameter.name, value)

    def _readers(self) -> Mapping[Role, Callable[[Tool, str, str], str]]:
        return {
            Role.TIME: self._time,
            Role.DATE: self._date,
            Role.TIME_RANGE: self._range,
            Role.DURATION: self._length,
            Role.CLOCK: self._clock,
            Role.PHONE: self._phone,
            Role.EMAIL: self._email,
            Role.PERSON: self._person,
            Role.REFERENCE: self._reference,
            Role.NAME: self._name,
        }

    # times

    @property
    def _day_first(self) -> bool | None:
        country = fold(str(self._device.location.get("country") or ""))
        return None if country in _UNDECIDED else country not in _MONTH_FIRST

    def _time(self, tool: Tool, parameter: str, text: str) -> str:
        now = self._device.now
        try:
            moment = parse_time(text, now, day_first=self._day_first)
        except WhenError as error:
            # "the visit on Tuesday 11 May at 9:30": one time among other words is that time
            inside = {piece.text for piece in fragments(text, now) if piece.kind is Piece.MOMENT}
            if len(inside) != 1:
                raise ArgumentError(tool.name, parameter, text, f"a time: {error}") from None
            moment = parse_time(inside.pop(), now, day_first=self._day_first)
        if tool.kind is Kind.ACTION and (now - moment).days > _LONG_AGO:
            moment = _anniversary(moment, now)
        return moment.isoformat(timespec="seconds")

    def _date(self, tool: Tool, parameter: str, text: str) -> str:
        # what is done lies ahead, what is looked up may lie behind
        if tool.kind is Kind.ACTION:
            return self._time(tool, parameter, text)[:10]
        days = self._range(tool, parameter, text)
        first, _, last = days.partition("/")
        if last and last[:10] != first[:10]:
            raise ArgumentError(tool.name, parameter, text, "one day")
        return first[:10]

    def _range(self, tool: Tool, parameter: str, text: str) -> str:
        try:
            return parse_range(text, self._device.now, day_first=self._day_first)
        except WhenError as error:
            raise ArgumentError(tool.name, parameter, text, f"a day or a range of days: {error}") from None

    def _length(self, tool: Tool, parameter: str, text: str) -> str:
        if _LENGTH.fullmatch(text):
            return text
        with suppress(WhenError):
            return timer_text(text)
        return text  # who takes it knows other forms, and says so where it knows none

    def _clock(self, tool: Tool, parameter: str, text: str) -> str:
        with suppress(ValueError):
            time.fromisoformat(text)
            return text
        with suppress(WhenError):
            return f"{clock_of(text):%H:%M}"
        return text

    # people

    def _phone(self, tool: Tool, parameter: str, text: str) -> str:
        text = bare(text)
        found = self._contact(tool, parameter, text, "phone_number")
        if found is not None:
            return found
        if well_formed_number(text) or is_address(text):
            return text
        raise self._nobody(tool, parameter, text, "the name or relationship of a contact, or a phone number")

    def _email(self, tool: Tool, parameter: str, text: str) -> str:
        text = bare(text)
        found = self._contact(tool, parameter, text, "email")
        if found is not None and "@" in found:
            return found
        if is_address(text):
            return text
        written = self._correspondents(found or text)
        if len(written) > 1:
            raise AmbiguousValue(tool.name, parameter, text, written)
        if written or found is not None:
            return written[0] if written else str(found)
        raise self._nobody(tool, parameter, text, "the name or relationship of a contact, or an e-mail address")

    def _contact(self, tool: Tool, parameter: str, text: str, field: str) -> str | None:
        """The field of the one contact meant, or the contact's name where it has none; None where nobody is meant."""
        people = self._device.people()
        if any(person.get(field) == text for person in people):
            return text
        found = _meant(text, people)
        if not found:
            return None
        values = _unique(str(person[field]) for person in found if person.get(field))
        names = _unique(str(person.get("name") or "") for person in found)
        # two records of one name are one person unless they disagree
        if len(values) > 1 or len(names) > 1:
            raise AmbiguousValue(tool.name, parameter, text, [describe(person) for person in found])
        return values[0] if values else names[0] or None

    def _correspondents(self, name: str) -> list[str]:
        """Addresses in the headers of mails beside a full name: `receivers` tells that they are nobody's for sure."""
        wanted = words(name)
        found = []
        for _, mail in self._records.rows("mail", "messages", keyword(name)) if wanted else []:
            people = mail.get("recipients")
            for person in (mail.get("sender"), *(people if isinstance(people, list) else [people])):
                label = labelled(person) if isinstance(person, str) else None
                if label and words(label[0]) == wanted and is_address(label[1]):
                    found.append(label[1])
        return _unique(found)

    def _person(self, tool: Tool, parameter: str, text: str) -> str:
        text = bare(text)
        people = self._device.people()
        found = _meant(text, people)
        names = _unique(str(person.get("name") or "") for person in found)
        if len(names) > 1:
            raise AmbiguousValue(tool.name, parameter, text, [describe(person) for person in found])
        if not found and well_formed_number(text):
            return text
        if not found or not names[0]:
            raise self._nobody(tool, parameter, text, "the name or relationship of a contact")
        of_that_name = [person for person in people if words(str(person.get("name") or "")) == words(names[0])]
        numbers = _unique(str(person.get("phone_number") or "") for person in of_that_name)
        if len(numbers) == 1:
            return names[0]
        # namesakes: the name would not say who is meant, the number does
        meant = _unique(str(person.get("phone_number") or "") for person in found)
        if len(meant) == 1 and meant[0]:
            return meant[0]
        raise AmbiguousValue(tool.name, parameter, text, [describe(person) for person in of_that_name])

    def _nobody(self, tool: Tool, parameter: str, text: str, expected: str) -> UnknownValue:
        names = _unique(str(person.get("name") or "") for person in self._device.people())
        near = _nearest(text, names)
        known = f"; the nearest contacts are {', '.join(near)}" if near else "; no contact is called anything like it"
        return UnknownValue(tool.name, parameter, text, expected + known)

    # what is on the device

    def _reference(self, tool: Tool, parameter: str, text: str) -> str:
        if tool.name == "cancel_calendar_event":
            return self._event(tool, parameter, text.strip())
        return self._as_recorded(tool, parameter, text.strip())

    def _event(self, tool: Tool, parameter: str, text: str) -> str:
        """The title of the event meant: that title, else one with all the words, events that are not over first."""
        today = self._device.now.date().isoformat()
        found = [event for _, event in self._records.rows("calendar", "events", keyword(text))]
        found = found or search_nearly((event for _, event in self._records.rows("calendar", "events")), text)
        events = [event for event in found if event.get("title")]
        ahead = [event for event in events if str(event.get("end") or event.get("start") or "")[:10] >= today]
        said = set(words(text))
        tiers: tuple[tuple[list[dict[str, Any]], Callable[[tuple[str, ...]], bool]], ...] = (
            (ahead, lambda title: title == words(text)),
            (ahead, lambda title: bool(said) and said <= set(title)),
            (events, lambda title: title == words(text)),
            (events, lambda title: bool(said) and said <= set(title)),
            (ahead, lambda title: bool(title) and set(title) <= said),
            (ahead, lambda title: bool(said) and all(any(near(word, other) for other in title) for word in said)),
        )
        for among, fits in tiers:
            titles = _unique(str(event["title"]) for event in among if fits(words(str(event["title"]))))
            exact = [title for title in titles if title == text]
            if len(titles) == 1 or exact:
                return exact[0] if exact else titles[0]
            if titles:
                raise AmbiguousValue(tool.name, parameter, text, titles)
        closest = _unique(str(event["title"]) for event in [*ahead, *events])[:_NEAR] or self._next_events(today)
        known = f"; near ones: {'; '.join(closest)}" if closest else "; the calendar has no event"
        raise UnknownValue(tool.name, parameter, text, "the title of an event that exists" + known)

    def _next_events(self, today: str) -> list[str]:
        events = [event for _, event in self._records.rows("calendar", "events")]
        ahead = sorted((str(e.get("start") or ""), str(e["title"])) for e in events if e.get("title"))
        return _unique(title for start, title in ahead if start[:10] >= today)[:_NEAR]

    def _as_recorded(self, tool: Tool, parameter: str, text: str) -> str:
        spelt = self._spelling(tool.app, text, parameter)
        return recorded(self._records, tool.app, parameter, spelt) if tool.kind is Kind.ACTION else spelt

    def _name(self, tool: Tool, parameter: str, text: str) -> str:
        return self._spelling(tool.app, text.strip())

    def _spelling(self, app: str, text: str, field: str | None = None) -> str:
        """The spelling that the app's records have for it; what they do not have stays, for it may be new."""
        spelt: list[str] = []
        for info in self._records.lists(app):
            for _, record in self._records.rows(app, info.name, keyword(text)):
                values = record.values() if field is None else (record.get(field),)
                spelt += [value for value in values if isinstance(value, str) and fold(value) == fold(text)]
        same = _unique(spelt)
        return same[0] if len(same) == 1 else text


def describe(person: Record) -> str:
    """A contact as a candidate: "Alice Johnson (Travel Buddy, 555-123-4567)"."""
    detail = [str(person[field]) for field in ("relationship", "phone_number", "email") if person.get(field)]
    name = str(person.get("name") or "somebody without a name")
    return f"{name} ({', '.join(detail[:2])})" if detail else name


def _meant(text: str, people: Sequence[Record]) -> list[Record]:
    # signs alone mean nobody, and must not fit everybody
    return find_people(text, people) if words(text) else []


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _nearest(text: str, names: Sequence[str]) -> list[str]:
    folded = {fold(name): name for name in names if name}
    by_word = {word: name for name in names for word in words(name)}
    found = [folded[name] for name in difflib.get_close_matches(fold(text)[:80], folded, n=3, cutoff=0.5)]
    for said in words(text):
        found += [by_word[word] for word in difflib.get_close_matches(said, by_word, n=2, cutoff=0.6)]
    return _unique(found)[:3]


def _anniversary(moment: datetime, now: datetime) -> datetime:
    """The next time that this day of the year comes."""
    for year in (now.year, now.year + 1):
        coming: datetime = moment + relativedelta(year=year)
        if coming >= now:
            return coming
    return moment

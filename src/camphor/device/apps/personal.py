"""Contacts, calendar, reminders and notes: what a person keeps."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, ClassVar

from camphor.device.apps.base import App, Content, Keyword, Time, TimeRange, action, context, reversible
from camphor.device.people import find_people
from camphor.device.text import Record, interval, words
from camphor.device.text import keyword as words_of
from camphor.errors import UnknownValue
from camphor.tools.tool import Role

_CANCEL = "cancel_calendar_event"


class Contacts(App):
    name = "contacts"
    lists: ClassVar = {"people": ("person_id", "name", "phone_number", "email", "relationship", "birthday", "is_self")}

    @context
    def get_contacts_information(self, keyword: Keyword) -> list[Record]:
        """People in the address book: names, numbers, addresses, relationships and birthdays.

        Args:
            keyword: a name, a relationship or other words of the contact.
        """
        # "mum" finds the contact whose relationship says "Mother"
        return self.records.find("people", *words_of(keyword)) or list(find_people(keyword, self.phone.people()))

    @action
    def call_contacts(self, person: Annotated[str, Role.PERSON]) -> Record:
        """Call a person by phone.

        Args:
            person: the contact's name.
        """
        found = find_people(person, self.phone.people())
        number = found[0].get("phone_number") if found else None
        call = {"person": person, **({"phone_number": number} if number else {}), "date": self.stamp()}
        return self.records.add("calls", call)


class Calendar(App):
    name = "calendar"
    lists: ClassVar = {"events": ("title", "start", "end", "location", "participants", "notes")}
    spans: ClassVar = {"events": ("start", "end")}

    @context
    def get_calendar_event(self, theme: Keyword | None = None, time_range: TimeRange | None = None) -> list[Record]:
        """Events of the calendar, by words, by days, or both.

        Args:
            theme: words of the event: title, place, people or notes.
            time_range: a day, or an interval with both its days.
        """
        return self.find_words("events", theme, *interval(time_range))

    @action
    @reversible
    def create_calendar_event(self, time: Time, event_title: Content) -> Record:
        """Put an event into the calendar.

        Args:
            time: when it starts.
            event_title: what it is called.
        """
        # one of that title that was only just cancelled is moved: it keeps its length, place, people and notes
        before = next((each for each in self.phone.taken_away(_CANCEL) if _is_called(each, event_title)), {})
        return self.records.add("events", {**_moved(before, time), "title": event_title, "start": time})

    @action
    @reversible
    def cancel_calendar_event(self, event_title: Annotated[str, Role.REFERENCE]) -> Record:
        """Take an event out of the calendar.

        Args:
            event_title: the title of an event that exists.
        """
        found = self._called(event_title)
        if found is None:
            raise UnknownValue(_CANCEL, "event_title", event_title, "the title of an event that exists")
        ordinal, event = found
        self.records.change("events", ordinal, None)
        return event

    def about(self, tool: str, arguments: Mapping[str, Any]) -> Record | None:
        found = self._called(str(arguments.get("event_title"))) if tool == _CANCEL else None
        return found[1] if found else None

    def _called(self, title: str) -> tuple[int, Record] | None:
        """The event of that title: of a series, the next that is not over; where all are, the latest."""
        same = [
            (ordinal, event)
            for ordinal, event in self.records.rows("events", *words_of(title))
            if _is_called(event, title)
        ]
        today = self.stamp()[:10]
        same.sort(key=lambda row: str(row[1].get("start", "")))
        ahead = [row for row in same if str(row[1].get("end") or row[1].get("start", ""))[:10] >= today]
        return next(iter([*ahead, *reversed(same)]), None)


def _is_called(event: Mapping[str, Any], title: str) -> bool:
    return words(str(event.get("title", ""))) == words(title)


def _moved(event: Mapping[str, Any], start: str) -> dict[str, Any]:
    """What an event says that now begins at `start` (ISO 8601): it is as long as it was."""
    kept = {name: value for name, value in event.items() if name != "end"}
    with suppress(KeyError, ValueError):
        first, last = (datetime.fromisoformat(str(event[name])).replace(tzinfo=None) for name in ("start", "end"))
        end = datetime.fromisoformat(start).replace(tzinfo=None) + (last - first)
        kept["end"] = end.isoformat(timespec="seconds")
    return kept


class Reminders(App):
    name = "reminders"
    lists: ClassVar = {"reminders": ("content", "time", "done")}
    spans: ClassVar = {"reminders": ("time", "time")}

    @context
    def get_reminders_content(
        self, keyword: Keyword | None = None, time_range: TimeRange | None = None
    ) -> list[Record]:
        """Reminders, by words, by days, or both.

        Args:
            keyword: words of the reminder.
            time_range: a day, or an interval with both its days.
        """
        return self.find_words("reminders", keyword, *interval(time_range))

    @action
    @reversible
    def create_reminders(self, time: Time, content: Content) -> Record:
        """Set a reminder.

        Args:
            time: when to remind.
            content: what of.
        """
        return self.records.add("reminders", {"content": content, "time": time, "done": False})


class Notes(App):
    name = "notes"
    lists: ClassVar = {"notes": ("title", "content", "modified")}

    @context
    def get_notes_content(self, keyword: Keyword) -> list[Record]:
        """Notes that the person wrote.

        Args:
            keyword: words of the note.
        """
        return self.find_words("notes", keyword)

    @action
    @reversible
    def create_notes(self, content: Content) -> Record:
        """Write a note.

        Args:
            content: the text of the note.
        """
        return self.records.add("notes", {"content": content, "modified": self.stamp()})

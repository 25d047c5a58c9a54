"""What an app is: a name, record lists with their fields, and tools. One file an app, or a few small ones together.

A tool is a method with a Google-style docstring, marked as reading or acting; `camphor.tools.readers` makes the `Tool`
from its signature. Reading methods return the records found; acting ones write and return the record written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

from camphor.device.android.intent import RealPhone
from camphor.device.records import MOST_FOUND, AppRecords
from camphor.device.text import Condition, Record, Shape, keyword, search_nearly, words
from camphor.tools.tool import Kind, Role

Keyword = Annotated[str, Role.KEYWORD]
TimeRange = Annotated[str, Role.TIME_RANGE]
Time = Annotated[str, Role.TIME]
Name = Annotated[str, Role.NAME]
Content = Annotated[str, Role.TEXT]

_Method = TypeVar("_Method", bound=Callable[..., Any])


def context(method: _Method) -> _Method:
    """Marks a method as a tool that reads."""
    method.__dict__["tool_kind"] = Kind.CONTEXT
    return method


def action(method: _Method) -> _Method:
    """Marks a method as a tool that changes something, and so needs consent."""
    method.__dict__["tool_kind"] = Kind.ACTION
    return method


def reversible(method: _Method) -> _Method:
    """Marks an acting tool that does nothing but write records of this phone: to put them back undoes it."""
    method.__dict__["tool_reversible"] = True
    return method


class HostPhone(Protocol):
    """What an app may know of the phone that it is installed on."""

    @property
    def now(self) -> datetime: ...

    @property
    def location(self) -> Mapping[str, Any]: ...

    @property
    def zone(self) -> tzinfo | None: ...

    def real(self) -> RealPhone | None: ...

    def people(self) -> Sequence[Record]: ...

    def taken_away(self, tool: str) -> Sequence[Record]: ...


class App:
    """Base of the built-in apps.

    Attributes:
        name: as in the device file. lists: each record list's fields, in the contract's order. facts: names of its
        single objects. spans: for lists that are looked up by time, the fields of first and last day.
    """

    elsewhere = False
    """Whether its actions are done outside the store, by something that others must not wait for."""
    name: ClassVar[str]
    lists: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    facts: ClassVar[tuple[str, ...]] = ()
    spans: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __init__(self, records: AppRecords, phone: HostPhone) -> None:
        self.records = records
        self.phone = phone

    @classmethod
    def shape(cls, name: str) -> Shape:
        return Shape(span=cls.spans.get(name, ("date", "date")))

    def check(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Refuses, before anybody is asked, what the app could never do. Raises: ArgumentError."""

    def about(self, tool: str, arguments: Mapping[str, Any]) -> Record | None:
        """The record that an action would take away, so that whoever agrees sees which; None where that is clear."""
        return None

    @classmethod
    def can_be_undone(cls, tool: str) -> bool:
        """Whether the records as they were before an action are all that it takes to undo it."""
        return bool(getattr(getattr(cls, tool, None), "tool_reversible", False))

    def run(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Carries out a call: the records that a reading tool found, the record that an acting one wrote."""
        return getattr(self, tool)(**arguments)

    def stamp(self) -> str:
        """The phone's time, ISO 8601 to the second, as records carry it."""
        return self.phone.now.isoformat(timespec="seconds")

    def find_words(self, name: str, text: str | None, *first: Condition) -> list[Record]:
        """The records of the list with the words of the text, among those that meet the conditions given first."""
        found = self.records.find(name, *first, *keyword(text))
        if found or not text:
            return found
        others = self.records.find(name, *first)
        # a list too long to be returned whole is left alone: reading it all would take too long
        return search_nearly(others, text) if len(others) <= MOST_FOUND else []

    def record_use(self, name: str, field: str, title: str, when: str) -> Record:
        """Notes when something was played: on the record of that title, or on a new one where there is none."""
        for ordinal, record in self.records.rows(name, *keyword(title)):
            if words(str(record.get(field, ""))) == words(title):
                used = {**record, when: self.stamp()}
                self.records.change(name, ordinal, used)
                return used
        return self.records.add(name, {field: title, when: self.stamp()})

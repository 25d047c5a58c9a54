"""What a device tells without any app: screen, place, time, what the person is doing, and answers from the web."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Protocol

from camphor.device.reckoning import Reckoner
from camphor.device.text import best_fit
from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Agent

Record = Mapping[str, Any]


class Facts(Protocol):
    """What these tools read of a device."""

    @property
    def now(self) -> datetime: ...

    @property
    def timezone(self) -> str: ...

    @property
    def location(self) -> Mapping[str, Any]: ...

    @property
    def screen(self) -> str: ...

    @property
    def activity(self) -> Sequence[str]: ...

    @property
    def web(self) -> Sequence[Record]: ...


class General(Reckoner):
    """The tools that every device has."""

    def __init__(self, device: Facts) -> None:
        self._device = device

    def run(self, tool: str, arguments: Mapping[str, Any]) -> list[Record]:
        """Carries out a call of the tool of that name."""
        found: list[Record] = getattr(self, tool)(**arguments)
        return found

    def get_screen_information(self) -> list[Record]:
        """What the screen shows now."""
        return [{"screen": self._device.screen}] if self._device.screen else []

    def get_location_information(self) -> list[Record]:
        """Where the device is."""
        return [self._device.location] if self._device.location else []

    def get_time_information(self) -> list[Record]:
        """The time, the weekday and the time zone."""
        now = self._device.now
        told = {"time": now.isoformat(timespec="seconds"), "weekday": _WEEKDAYS[now.weekday()]}
        return [{**told, "timezone": self._device.timezone} if self._device.timezone else told]

    def get_intent(self) -> list[Record]:
        """What the person has been doing on the device, and what the screen shows."""
        seen: dict[str, Any] = {}
        if self._device.activity:
            seen["activity"] = list(self._device.activity)
        if self._device.screen:
            seen["screen"] = self._device.screen
        return [seen] if seen else []

    def search_safari(self, query: Annotated[str, Role.QUERY]) -> list[Record]:
        """Search the web.

        Args:
            query: what to search for.
        """
        found = best_fit(self._device.web, "query", query)
        return [found] if found else []


# English whatever the locale is
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_AGENTS = {
    "get_screen_information": Agent.DEVICE,
    "get_location_information": Agent.DEVICE,
    "get_time_information": Agent.DEVICE,
    "get_intent": Agent.PERCEPTION,
    "search_safari": Agent.KNOWLEDGE,
}


@cache
def general_tools() -> tuple[Tool, ...]:
    """The tools, in the contract's order; the device calls the method of the tool's name."""
    return tuple(
        replace(from_function(vars(General)[name].__get__(object()), kind=Kind.CONTEXT, agent=agent), function=None)
        for name, agent in _AGENTS.items()
    )

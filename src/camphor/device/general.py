"""The tools that every device has: those that reckon and know nothing of it, and what it tells without any app.

The latter are the screen, the place, the time, what the person is doing, and answers from the web.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Literal, Protocol

from dateutil.relativedelta import relativedelta

from camphor.device.arithmetic import as_json, convert, evaluate, pair, rounded
from camphor.device.text import Record, best_fit
from camphor.device.when.lexicon import WEEKDAYS
from camphor.errors import ToolError
from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Agent


class Reckoner:
    """What each tool does; all of them only reckon with what they are given."""

    def calculate(self, expression: str) -> list[Record]:
        """Work out a sum, exactly.

        Args:
            expression: numbers with + - * / ^ % of, brackets and sqrt, for example 15% of 84.
        """
        return [{"expression": expression, "result": as_json(evaluate(expression))}]

    def convert_units(self, amount: float, unit: str, to: str) -> list[Record]:
        """Tell an amount in another unit of length, mass, volume, temperature, area, speed, time, energy or data.

        Args:
            amount: how many of the unit.
            unit: the unit it is in, for example miles.
            to: the unit wanted, for example km.
        """
        first, second = pair(unit, to)
        result = convert(Fraction(str(amount)), first, second)
        return [
            {
                "amount": amount,
                "unit": first.show(Fraction(str(amount))),
                "result": as_json(rounded(result)),
                "to": second.show(result),
            }
        ]

    def days_between(self, first: Annotated[str, Role.DATE], second: Annotated[str, Role.DATE]) -> list[Record]:
        """Count the days, and the whole years and months, from one day to another.

        Args:
            first: the day that is counted from.
            second: the day that is counted to.
        """
        start, end = _day("first", first), _day("second", second)
        whole = relativedelta(end, start)
        return [
            {
                "first": start.isoformat(),
                "second": end.isoformat(),
                "days": (end - start).days,
                "years": whole.years,
                "months": whole.months,
            }
        ]

    def shift_date(
        self,
        day: Annotated[str, Role.DATE],
        amount: int,
        unit: Literal["days", "weeks", "months", "years"],
    ) -> list[Record]:
        """Tell the date and weekday that lies some days, weeks, months or years after a day, or before it.

        Args:
            day: the day that is counted from.
            amount: how many; below zero for earlier, 0 for the day itself.
            unit: what is counted.
        """
        start = _day("day", day)
        try:
            found: date = start + relativedelta(**{unit: amount})  # type: ignore[arg-type]
        except (OverflowError, ValueError):
            raise ToolError(f"{amount} {unit} from {start.isoformat()} is out of the calendar: count fewer") from None
        return [{"date": found.isoformat(), "weekday": WEEKDAYS[found.weekday()].capitalize()}]


def _day(parameter: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError(f'{parameter} is "{text[:40]}", which is no date: write for example 2026-05-03') from None


_TOOLS = ("calculate", "convert_units", "days_between", "shift_date")


@cache
def reckoning_tools() -> tuple[Tool, ...]:
    """The tools. No tuned model has learnt them: see `Tool.by_code`."""
    return tuple(
        replace(
            from_function(
                vars(Reckoner)[name].__get__(object()), by_name=True, kind=Kind.CONTEXT, agent=Agent.KNOWLEDGE
            ),
            function=None,
            by_code=True,
        )
        for name in _TOOLS
    )


class DeviceFacts(Protocol):
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

    def __init__(self, device: DeviceFacts) -> None:
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
        replace(
            from_function(vars(General)[name].__get__(object()), by_name=True, kind=Kind.CONTEXT, agent=agent),
            function=None,
        )
        for name, agent in _AGENTS.items()
    )

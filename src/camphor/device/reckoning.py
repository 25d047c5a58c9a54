"""Tools that reckon: a calculator, other units, and days. They know nothing of the device; every device has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Literal

from dateutil.relativedelta import relativedelta

from camphor.device.arithmetic import as_json, evaluate, rounded
from camphor.device.units import convert, pair
from camphor.device.when.lexicon import WEEKDAYS
from camphor.errors import ToolError
from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Role, Tool
from camphor.types import Agent

Record = Mapping[str, Any]


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
            from_function(vars(Reckoner)[name].__get__(object()), kind=Kind.CONTEXT, agent=Agent.KNOWLEDGE),
            function=None,
            by_code=True,
        )
        for name in _TOOLS
    )

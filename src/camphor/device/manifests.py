"""Apps from manifests: their tools answer as a built-in app's do, without a line of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camphor.device import dates
from camphor.device.conditions import Condition, Days, Shape, has_field, in_field, interval, keyword, on_day
from camphor.device.records import AppRecords, Record
from camphor.tools.tool import Parameter, Role, Tool

ACTIONS = "actions"
"""The list that an app's actions are recorded in."""

_WHOLE_RECORD = (Role.KEYWORD, Role.QUERY)
_LIMITS = frozenset(("limit", "count", "max_results", "max_count", "top", "top_n"))


def shape(_: str) -> Shape:
    """How the lists of a manifest are read: any date counts, and single fields can be asked for."""
    return Shape(span=None, fielded=True)


class ManifestApp:
    """One installed app that is not built in."""

    elsewhere = False

    def __init__(self, records: AppRecords) -> None:
        self.records = records

    def find(self, tool: Tool, arguments: Mapping[str, Any]) -> list[Record]:
        """The records of the tool's list that match every argument.

        A keyword is looked for in the whole record. Any other argument is looked for in the record's field of its name:
        text by its words, numbers, truth values and dates by what they are; where the records have no such field, or
        none of them fits, text is looked for in the whole record, and a date among all dates of the record.
        """
        wanted: tuple[Condition, ...] = ()
        limit = None
        for name, value in arguments.items():
            parameter = tool.parameter(name)
            if value is None or value == "" or parameter is None:
                continue
            if name in _LIMITS and isinstance(value, int) and not self._any(tool, has_field(name)):
                limit = value
                continue
            wanted += self._condition(tool, parameter, value, wanted)
        found = self.records.find(tool.returns, *wanted)
        return found if limit is None else found[: max(limit, 0)]

    def act(self, tool: Tool, arguments: Mapping[str, Any], time: str) -> Record:
        """Records what was done."""
        return self.records.add(ACTIONS, {"action": tool.name, "arguments": dict(arguments), "time": time})

    def _any(self, tool: Tool, *wanted: Condition) -> bool:
        return self.records.any(tool.returns, *wanted)

    def _condition(
        self, tool: Tool, parameter: Parameter, value: Any, before: tuple[Condition, ...]
    ) -> tuple[Condition, ...]:
        if parameter.role in _WHOLE_RECORD:
            return keyword(str(value))
        if parameter.role is Role.TIME_RANGE:
            return interval(str(value))
        has = self._any(tool, has_field(parameter.name))
        if parameter.role in (Role.DATE, Role.TIME):
            day = dates.day(value)
            return (on_day(parameter.name, day) if has else Days(day, day),)
        if not isinstance(value, str | int | float):
            return keyword(str(value))
        if has and (parameter.enum or not isinstance(value, str)):
            return (in_field(parameter.name, value, every=True),)
        if has and self._any(tool, *before, in_field(parameter.name, value)):
            return (in_field(parameter.name, value),)
        # a flag that no record has a field for cannot be compared with anything
        return () if isinstance(value, bool) else keyword(str(value))

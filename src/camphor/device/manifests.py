"""Apps that a device file brings: made of its manifests, without a line of Python, or of a person's own functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.device import dates
from camphor.device.apps import KNOWN_APPS, tools_of
from camphor.device.apps.base import App, HostPhone
from camphor.device.general import general_tools, reckoning_tools
from camphor.device.records import ACTIONS, AppRecords, Records
from camphor.device.text import Condition, OnDays, Record, Shape, has_field, in_field, interval, keyword, on_day
from camphor.errors import ToolError
from camphor.tools.invoke import invoke
from camphor.tools.listing import to_schema
from camphor.tools.readers import from_manifest
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox

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
            return (on_day(parameter.name, day) if has else OnDays(day, day),)
        if not isinstance(value, str | int | float):
            return keyword(str(value))
        if has and (parameter.enum or not isinstance(value, str)):
            return (in_field(parameter.name, value, every=True),)
        if has and self._any(tool, *before, in_field(parameter.name, value)):
            return (in_field(parameter.name, value),)
        # a flag that no record has a field for cannot be compared with anything
        return () if isinstance(value, bool) else keyword(str(value))


# Apps made of a person's own Python functions (DroidCall, section 3.2.2).
#
# The device file holds what the functions are called and take, and the folder that they came from; the functions are
# bound to a device that was opened, by whoever may say that this folder is trusted. A device file alone runs nothing.

FOLDER = "functions"
"""The key of such an app's folder in the device file, or of the MCP server that has them."""
MCP = "mcp:"
"""What stands there before the name of a server. Which command or address that is, a device file does not say."""


def folder_of(tool: Tool) -> str:
    """The folder of the file that defines a tool's function: where an app of a running program comes from."""
    code = getattr(inspect.unwrap(tool.function), "__code__", None) if tool.function else None
    return str(Path(code.co_filename).resolve().parent) if code else str(Path.cwd())


def manifest_of(folder: str, tools: Iterable[Tool]) -> dict[str, Any]:
    """What the device file holds of such an app."""
    schemas = [
        {**schema, "kind": tool.kind.value, "parameters": _settled(schema["parameters"])}
        for tool, schema in ((tool, to_schema(tool)) for tool in tools)
    ]
    if folder.startswith(MCP):
        return {"description": f"tools of the MCP server {folder.removeprefix(MCP)}", FOLDER: folder, "tools": schemas}
    return {"description": f"functions of {folder}", FOLDER: folder, "tools": schemas}


def _settled(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with every text's role said, so that none is guessed by its name when the file is read."""
    made = dict(schema)
    kinds = made.get("type", "string")
    if "string" in ([kinds] if isinstance(kinds, str) else kinds):
        made.setdefault("x-role", Role.TEXT.value)
    if "properties" in made:
        made["properties"] = {name: _settled(each) for name, each in made["properties"].items()}
    if "items" in made:
        made["items"] = _settled(made["items"])
    return made


@dataclass
class FunctionApp:
    """One installed app of functions: of Python files, or of an MCP server.

    Args:
        folder: where they came from, or `mcp:NAME`. bound: the tools with their functions, by name; empty until they
            are bound. problem: why they could not be loaded, where it was tried.
    """

    elsewhere = True  # a function may take long and writes nothing to the store

    name: str
    folder: str
    bound: Mapping[str, Tool] = field(default_factory=dict)
    problem: str = ""

    def find(self, tool: Tool, arguments: Mapping[str, Any]) -> list[Record]:
        """What a reading function gives back, as records; one value that is none as `{"result": value}`.

        Raises:
            ToolError: it raised, or is not bound.
        """
        result = self._invoke(tool, arguments)
        some: Sequence[Any] = result if isinstance(result, list) else [] if result is None else [result]
        return [each if isinstance(each, dict) else {"result": each} for each in some]

    def act(self, tool: Tool, arguments: Mapping[str, Any], time: str) -> Record:
        """Runs an acting function: what was done, when, and what it gave back. Raises: ToolError, as `find`."""
        result = self._invoke(tool, arguments)
        done: Record = {"action": tool.name, "arguments": dict(arguments), "time": time}
        return done if result is None else {**done, "result": result}

    def _invoke(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        found = self.bound.get(tool.name)
        if self.problem:
            raise ToolError(f"{tool.name}: the functions of {self.name} cannot be loaded: {self.problem}")
        command = "tools add-mcp" if self.folder.startswith(MCP) else "device install DEVICE"
        again = f"run  camphor {command} {self.folder.removeprefix(MCP)}"
        if found is None and self.bound:
            raise ToolError(f"{tool.name} is no function of {self.folder} any more: {again}")
        if found is None:
            raise ToolError(f"{tool.name}: the functions of {self.name} are not trusted on this machine: {again}")
        if found.kind is Kind.ACTION and tool.kind is not Kind.ACTION:
            raise ToolError(f"{tool.name} acts now, and the person is asked before: {again}")
        return invoke(found, arguments)


AnyApp = App | ManifestApp | FunctionApp


def install_all(
    specs: Mapping[str, Any],
    phone: HostPhone,
    records: Records,
    functions: Mapping[str, FunctionApp],
    facts: Callable[[str], Mapping[str, Any]],
) -> tuple[dict[str, AnyApp], Toolbox]:
    """The apps of a checked device file, in its order.

    Args:
        functions: the apps of Python functions. facts: reads an app's part of the device file as it is then.
    """
    apps: dict[str, AnyApp] = {}
    tools = list(general_tools())
    for name, spec in specs.items():
        known = KNOWN_APPS.get(name)
        if known:
            apps[name] = known(_of_app(records, name, ("apps", name), known.shape, facts), phone)
            tools += tools_of(name)
        elif name in functions:
            apps[name] = functions[name]
            tools += from_manifest(name, spec)
        else:
            apps[name] = ManifestApp(_of_app(records, name, ("apps", name, "records"), shape, facts))
            tools += from_manifest(name, {**spec, "records": _sample(records, name)})
    taken = {tool.name for tool in tools}  # by an app: what a device file names so stays what it is
    return apps, Toolbox([*tools, *(tool for tool in reckoning_tools() if tool.name not in taken)])


def _sample(records: Records, name: str) -> dict[str, Any]:
    # parameters named like a record's field refer to records; what the app did is not among those
    sample: dict[str, Any] = records.sample(name, most=50)
    sample.pop(ACTIONS, None)
    return sample


def _of_app(
    records: Records,
    name: str,
    pointer: tuple[str, ...],
    shape: Callable[[str], Shape],
    facts: Callable[[str], Mapping[str, Any]],
) -> AppRecords:
    return AppRecords(records, name, pointer, shape, lambda: facts(name))

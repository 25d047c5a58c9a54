"""Apps made of a person's own Python functions (DroidCall, section 3.2.2).

The device file holds what the functions are called and take, and the folder that they came from; the functions are
bound to a device that was opened, by whoever may say that this folder is trusted. A device file alone runs nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.device import manifests
from camphor.device.apps import KNOWN_APPS, tools_of
from camphor.device.apps.base import App, Phone
from camphor.device.conditions import Shape
from camphor.device.general import general_tools, reckoning_tools
from camphor.device.manifests import ManifestApp
from camphor.device.records import AppRecords, Record, Records
from camphor.errors import ToolError
from camphor.tools.invoke import invoke
from camphor.tools.listing import to_schema
from camphor.tools.readers import from_manifest
from camphor.tools.tool import Kind, Tool, Toolbox

FOLDER = "functions"
"""The key of such an app's folder in the device file."""


def folder_of(tool: Tool) -> str:
    """The folder of the file that defines a tool's function: where an app of a running program comes from."""
    code = getattr(inspect.unwrap(tool.function), "__code__", None) if tool.function else None
    return str(Path(code.co_filename).resolve().parent) if code else str(Path.cwd())


def manifest_of(folder: str, tools: Iterable[Tool]) -> dict[str, Any]:
    """What the device file holds of such an app."""
    schemas = [{**to_schema(tool), "kind": tool.kind.value} for tool in tools]
    return {"description": f"functions of {folder}", FOLDER: folder, "tools": schemas}


@dataclass
class FunctionApp:
    """One installed app of functions.

    Args:
        folder: where they came from. bound: the tools with their functions, by name; empty until they are bound.
        problem: why they could not be loaded, where it was tried.
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
        again = f"run  camphor device install DEVICE {self.folder}"
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
    phone: Phone,
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
            apps[name] = ManifestApp(_of_app(records, name, ("apps", name, "records"), manifests.shape, facts))
            tools += from_manifest(name, {**spec, "records": _sample(records, name)})
    taken = {tool.name for tool in tools}  # by an app: what a device file names so stays what it is
    return apps, Toolbox([*tools, *(tool for tool in reckoning_tools() if tool.name not in taken)])


def _sample(records: Records, name: str) -> dict[str, Any]:
    # parameters named like a record's field refer to records; what the app did is not among those
    sample: dict[str, Any] = records.sample(name, most=50)
    sample.pop(manifests.ACTIONS, None)
    return sample


def _of_app(
    records: Records,
    name: str,
    pointer: tuple[str, ...],
    shape: Callable[[str], Shape],
    facts: Callable[[str], Mapping[str, Any]],
) -> AppRecords:
    return AppRecords(records, name, pointer, shape, lambda: facts(name))

"""The installed apps of a device file, each ready to be called, and the toolbox of them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from camphor.device import manifests
from camphor.device.apps import KNOWN_APPS, tools_of
from camphor.device.apps.base import App, Phone
from camphor.device.conditions import Shape
from camphor.device.functions import FunctionApp
from camphor.device.general import general_tools
from camphor.device.manifests import ManifestApp
from camphor.device.reckoning import reckoning_tools
from camphor.device.records import AppRecords, Records
from camphor.tools.readers import from_manifest
from camphor.tools.toolbox import Toolbox

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

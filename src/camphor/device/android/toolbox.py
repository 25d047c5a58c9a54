"""The 24 functions as tools, the intent that a call of one stands for, and the executor over a simulated Android phone.

`camphor.tools.plans.execute(plan, phone.result)` runs a plan of nested calls on a `SimulatedPhone`; with `together=1`
the journal has them in the plan's order. Actions go through the device's journal like those of any other app.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import tzinfo
from functools import cache
from typing import Any, Protocol

from camphor.device.android import intent
from camphor.device.android.functions import people, phone
from camphor.device.android.intent import ContactQuery, Intent
from camphor.errors import ToolError, UsageError
from camphor.tools.invoke import check
from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent, Call, Observation

Function = Callable[..., Intent | ContactQuery]

FUNCTIONS: Mapping[str, tuple[Function, ...]] = {
    "android_scheduling": (
        phone.ACTION_SET_ALARM, phone.ACTION_SET_TIMER, phone.ACTION_SHOW_ALARMS,
        phone.ACTION_INSERT_EVENT, phone.ACTION_GET_RINGTONE,
    ),
    "android_contacts": (
        people.ACTION_INSERT_CONTACT, people.ACTION_EDIT_CONTACT, people.ACTION_VIEW_CONTACT,
        people.ACTION_PICK, people.get_contact_info, people.get_contact_info_from_uri, people.dial,
    ),
    "android_common": (
        phone.web_search, phone.search_location, phone.ACTION_IMAGE_CAPTURE, phone.ACTION_VIDEO_CAPTURE,
        phone.INTENT_ACTION_STILL_IMAGE_CAMERA, phone.INTENT_ACTION_VIDEO_CAMERA, phone.open_settings,
        phone.ACTION_CREATE_DOCUMENT, phone.ACTION_OPEN_DOCUMENT, phone.ACTION_GET_CONTENT,
    ),
    "android_messaging": (people.send_message, people.send_email),
}  # fmt: skip
"""The functions of each app, in the order in which toolboxes list them."""

_LOOK_UPS: tuple[Any, ...] = (people.get_contact_info, people.get_contact_info_from_uri)
_MAY_GIVE_SEVERAL: tuple[Any, ...] = (phone.ACTION_OPEN_DOCUMENT, phone.ACTION_GET_CONTENT)


@cache
def android_toolbox() -> Toolbox:
    """The 24 functions, by app; looking up a contact reads, everything else acts."""
    return Toolbox(_tool(function, app) for app, functions in FUNCTIONS.items() for function in functions)


def _tool(function: Function, app: str) -> Tool:
    reads = function in _LOOK_UPS
    agent = Agent.CONTEXT if reads else Agent.TASK
    tool = from_function(function, by_name=True, kind=Kind.CONTEXT if reads else Kind.ACTION, agent=agent, app=app)
    # to its caller the function gives what Android answers, and not the intent
    told = tool.result.description if tool.result else ""
    several = function in _MAY_GIVE_SEVERAL
    kind, items = ("string|array", "string") if several else ("string", "")
    return replace(tool, result=Parameter("result", kind, told, items=items) if told else None)


def intent_of(call: Call, zone: tzinfo | None = None) -> Intent | ContactQuery:
    """The intent, or the look-up in the address book, that a call stands for.

    Args:
        call: its times are ISO 8601, its references to earlier calls' results are put in already.
        zone: the phone's time zone, in which times without an offset are; the machine's for None.

    Raises:
        UnknownTool: not one of the 24. ArgumentError: a value of another type, or one that Android would refuse.
    """
    tool = android_toolbox().get(call.name)
    arguments = dict(check(tool, call).arguments)
    for name, value in arguments.items():
        parameter = tool.parameter(name)
        if zone is not None and parameter is not None and parameter.role is Role.TIME:
            arguments[name] = intent.in_zone(str(value), zone)
    if tool.function is None:
        raise AssertionError(f"{tool.name} was made from a function")
    asked: Intent | ContactQuery = tool.function(**arguments)
    return asked


RESULT = "result"
"""The field of an observation's first record that holds what the call gave back."""


class CarriesOut(Protocol):
    """What a simulated phone needs of a `Device`."""

    @property
    def id(self) -> str: ...
    @property
    def apps(self) -> Collection[str]: ...
    @property
    def toolbox(self) -> Toolbox: ...
    def execute(self, call: Call, key: str | None = None) -> Observation:
        """Carries out one call, once for each key."""


class SimulatedPhone:
    """Runs calls on a device.

    Raises:
        UsageError: an Android app is not installed on it.
    """

    def __init__(self, device: CarriesOut) -> None:
        missing = [app for app in FUNCTIONS if app not in device.apps]
        if missing:
            raise UsageError(f"{device.id} is no Android phone: {', '.join(missing)} is not installed on it")
        self._device = device
        self.toolbox = Toolbox(tool for tool in device.toolbox if tool.app in FUNCTIONS)

    def run(self, call: Call, key: str | None = None) -> Observation:
        """Carries out one call; one that cannot be carried out gives an observation with an `error`.

        Args:
            key: names an action that must not be done twice, as for `Device.execute`.

        Raises:
            StoreError: the device cannot be read or written; nothing was changed.
        """
        return self._device.execute(call, key)

    def result(self, call: Call) -> Any:
        """Carries out one call and gives `result_of` it.

        Raises:
            ToolError: it cannot be carried out; says why. StoreError: as `run`.
        """
        observation = self.run(call)
        if observation.error is not None:
            raise ToolError(observation.error)
        return result_of(observation)


def result_of(observation: Observation) -> Any:
    """What the call gave back: a URI, a list of URIs, a contact's detail; None where it gives nothing back."""
    return observation.records[0].get(RESULT) if observation.records else None

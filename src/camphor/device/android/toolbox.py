"""The 24 functions as tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from camphor.device.android.functions import common, contacts, messaging, scheduling
from camphor.device.android.intent import ContactQuery, Intent
from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Parameter, Tool
from camphor.tools.toolbox import Toolbox
from camphor.types import Agent

Function = Callable[..., Intent | ContactQuery]

FUNCTIONS: Mapping[str, tuple[Function, ...]] = {
    "android_scheduling": (
        scheduling.ACTION_SET_ALARM, scheduling.ACTION_SET_TIMER, scheduling.ACTION_SHOW_ALARMS,
        scheduling.ACTION_INSERT_EVENT, scheduling.ACTION_GET_RINGTONE,
    ),
    "android_contacts": (
        contacts.ACTION_INSERT_CONTACT, contacts.ACTION_EDIT_CONTACT, contacts.ACTION_VIEW_CONTACT,
        contacts.ACTION_PICK, contacts.get_contact_info, contacts.get_contact_info_from_uri, contacts.dial,
    ),
    "android_common": (
        common.web_search, common.search_location, common.ACTION_IMAGE_CAPTURE, common.ACTION_VIDEO_CAPTURE,
        common.INTENT_ACTION_STILL_IMAGE_CAMERA, common.INTENT_ACTION_VIDEO_CAMERA, common.open_settings,
        common.ACTION_CREATE_DOCUMENT, common.ACTION_OPEN_DOCUMENT, common.ACTION_GET_CONTENT,
    ),
    "android_messaging": (messaging.send_message, messaging.send_email),
}  # fmt: skip
"""The functions of each app, in the order in which toolboxes list them."""

_LOOK_UPS: tuple[Any, ...] = (contacts.get_contact_info, contacts.get_contact_info_from_uri)
_MAY_GIVE_SEVERAL: tuple[Any, ...] = (common.ACTION_OPEN_DOCUMENT, common.ACTION_GET_CONTENT)


@cache
def android_toolbox() -> Toolbox:
    """The 24 functions, by app; looking up a contact reads, everything else acts."""
    return Toolbox(_tool(function, app) for app, functions in FUNCTIONS.items() for function in functions)


def _tool(function: Function, app: str) -> Tool:
    reads = function in _LOOK_UPS
    agent = Agent.CONTEXT if reads else Agent.TASK
    tool = from_function(function, kind=Kind.CONTEXT if reads else Kind.ACTION, agent=agent, app=app)
    # to its caller the function gives what Android answers, and not the intent
    told = tool.result.description if tool.result else ""
    several = function in _MAY_GIVE_SEVERAL
    kind, items = ("string|array", "string") if several else ("string", "")
    return replace(tool, result=Parameter("result", kind, told, items=items) if told else None)

"""The 24 functions have DroidCall's names and parameters."""

from __future__ import annotations

import pytest

from camphor.device.android.functions import phone
from camphor.device.android.intent import ContactQuery, Intent
from camphor.device.android.toolbox import FUNCTIONS, android_toolbox
from camphor.tools.tool import Kind, Parameter, Role
from camphor.types import Agent

# name: type, "?" where it may be left out, "=" and the default
TABLE = """
ACTION_CREATE_DOCUMENT mime_type:string initial_name:string
ACTION_EDIT_CONTACT contact_uri:string contact_info:object?
ACTION_GET_CONTENT mime_type:string allow_multiple:boolean?=False
ACTION_GET_RINGTONE
ACTION_IMAGE_CAPTURE
ACTION_INSERT_CONTACT contact_info:object
ACTION_INSERT_EVENT TITLE:string DESCRIPTION:string EVENT_LOCATION:string? EXTRA_EVENT_ALL_DAY:boolean?=False EXTRA_EVENT_BEGIN_TIME:string? EXTRA_EVENT_END_TIME:string? EXTRA_EMAIL:array[string]?
ACTION_OPEN_DOCUMENT mime_types:array[string] allow_multiple:boolean?=False
ACTION_PICK data_type:string?='ALL'
ACTION_SET_ALARM EXTRA_HOUR:integer EXTRA_MINUTES:integer EXTRA_MESSAGE:string?='' EXTRA_DAYS:array[string]? EXTRA_RINGTONE:string? EXTRA_VIBRATE:boolean?=False EXTRA_SKIP_UI:boolean?=True
ACTION_SET_TIMER duration:string EXTRA_MESSAGE:string?='' EXTRA_SKIP_UI:boolean?=True
ACTION_SHOW_ALARMS
ACTION_VIDEO_CAPTURE
ACTION_VIEW_CONTACT contact_uri:string
INTENT_ACTION_STILL_IMAGE_CAMERA
INTENT_ACTION_VIDEO_CAMERA
dial phone_number:string
get_contact_info name:string key:string
get_contact_info_from_uri contact_uri:string key:string
open_settings setting_type:string?='general'
search_location query:string
send_email to:array[string] subject:string body:string cc:array[string]? bcc:array[string]? attachments:array[string]?
send_message phone_number:string subject:string body:string attachments:array[string]?
web_search query:string engine:string?='baidu'
"""  # noqa: E501  one function a line
CHOICES = {
    ("ACTION_PICK", "data_type"): "ALL PHONE EMAIL ADDRESS",
    ("get_contact_info", "key"): "email phone address uri",
    ("get_contact_info_from_uri", "key"): "email phone address",
    ("web_search", "engine"): "baidu google",
    ("open_settings", "setting_type"): "general wireless airplane_mode wifi apn bluetooth date locale input_method "
    "display security location internal_storage memory_card",
}


def described(parameter: Parameter) -> str:
    kind = parameter.type + (f"[{parameter.items}]" if parameter.items else "")
    default = "" if parameter.default is None else f"={parameter.default!r}"
    return f"{parameter.name}:{kind}{'' if parameter.required else '?'}{default}"


def test_names_parameters_types_and_defaults_are_droidcalls() -> None:
    lines = {" ".join([tool.name, *map(described, tool.parameters)]) for tool in android_toolbox()}
    assert lines == set(TABLE.strip().splitlines())
    assert len(android_toolbox()) == 24
    enums = {(t.name, p.name): " ".join(p.enum) for t in android_toolbox() for p in t.parameters if p.enum}
    assert enums == CHOICES


def test_the_groups_are_the_papers_four() -> None:
    sizes = {app: len(functions) for app, functions in FUNCTIONS.items()}
    assert sizes == {"android_scheduling": 5, "android_contacts": 7, "android_common": 10, "android_messaging": 2}
    assert android_toolbox().apps == tuple(FUNCTIONS)


def test_every_function_and_parameter_says_what_it_is() -> None:
    for tool in android_toolbox():
        assert tool.description
        assert all(parameter.description for parameter in tool.parameters), tool.name


def test_looking_up_a_contact_reads_and_all_else_acts() -> None:
    reading = {tool.name for tool in android_toolbox() if tool.kind is Kind.CONTEXT}
    assert reading == {"get_contact_info", "get_contact_info_from_uri"}
    assert all((tool.agent is Agent.CONTEXT) == (tool.name in reading) for tool in android_toolbox())


def test_a_result_is_told_where_android_gives_one() -> None:
    told = {tool.name: tool.result.type for tool in android_toolbox() if tool.result}
    several = {"ACTION_OPEN_DOCUMENT": "string|array", "ACTION_GET_CONTENT": "string|array"}
    one = (
        "ACTION_PICK", "ACTION_GET_RINGTONE", "ACTION_IMAGE_CAPTURE", "ACTION_VIDEO_CAPTURE", "ACTION_CREATE_DOCUMENT",
        "get_contact_info", "get_contact_info_from_uri",
    )  # fmt: skip
    assert told == {**several, **dict.fromkeys(one, "string")}


@pytest.mark.parametrize(
    ("tool", "parameter", "role"),
    [
        ("dial", "phone_number", Role.PHONE),
        ("send_message", "phone_number", Role.PHONE),
        ("send_email", "to", Role.EMAIL),
        ("get_contact_info", "name", Role.PERSON),
        ("ACTION_INSERT_EVENT", "EXTRA_EVENT_BEGIN_TIME", Role.TIME),
        ("ACTION_SET_TIMER", "duration", Role.DURATION),
        ("ACTION_SET_ALARM", "EXTRA_HOUR", Role.HOUR),
        ("ACTION_CREATE_DOCUMENT", "initial_name", Role.TEXT),
    ],
)
def test_roles_say_what_values_mean(tool: str, parameter: str, role: Role) -> None:
    found = android_toolbox().get(tool).parameter(parameter)
    assert found is not None
    assert found.role is role


def test_they_are_ordinary_functions() -> None:
    assert phone.search_location("harbour") == Intent("android.intent.action.VIEW", "geo:0,0?q=harbour")
    assert FUNCTIONS["android_contacts"][4]("Mille", "phone") == ContactQuery("phone", name="Mille")

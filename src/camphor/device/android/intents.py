"""From a call of one of the 24 functions to what Android is asked for."""

from __future__ import annotations

from datetime import tzinfo

from camphor.device.android import values
from camphor.device.android.intent import ContactQuery, Intent
from camphor.device.android.toolbox import android_toolbox
from camphor.tools.tool import Role
from camphor.tools.values import check
from camphor.types import Call


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
            arguments[name] = values.in_zone(str(value), zone)
    if tool.function is None:
        raise AssertionError(f"{tool.name} was made from a function")
    asked: Intent | ContactQuery = tool.function(**arguments)
    return asked

"""How records and times are named: the title of a record, the tool that finds people, when a text says something to be."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from camphor.agents.lookup_fallback import keyword_parameter
from camphor.device.when import parse_time
from camphor.errors import ToolError
from camphor.tools.tool import Role, Toolbox

PERSON_ROLES = (Role.PERSON, Role.PHONE, Role.EMAIL)
_TITLES = ("name", "title", "subject", "item", "content")
Record = Mapping[str, Any]


def title_of(record: Record) -> str:
    """What a record is called; "" if it has no name of its own."""
    return next((str(record[key]) for key in _TITLES if isinstance(record.get(key), str) and record[key]), "")


def contacts_tool(toolbox: Toolbox) -> tuple[str, str]:
    """The tool that finds people by words, and its parameter that takes them; "" and "" if there is none."""
    found = ((tool.name, keyword_parameter(tool)) for tool in toolbox if tool.app == "contacts")
    return next((each for each in found if each[1]), ("", ""))


def moment(text: str, now: datetime) -> datetime | None:
    """What a text says a time to be; None if it says none."""
    try:
        return parse_time(text, now)
    except ToolError:
        return None

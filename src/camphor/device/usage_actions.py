"""What an executed action tells about the use of items: it wrote some, and was about others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from camphor.device.conditions import keyword
from camphor.device.manifests import ACTIONS
from camphor.device.records import Change, Records
from camphor.device.text import fold
from camphor.device.usage_events import ItemRef
from camphor.tools.tool import Role, Tool

_PEOPLE = (("contacts", "people"), ("android_contacts", "contacts"))
_PERSON = (Role.PERSON, Role.PHONE, Role.EMAIL)
_RECORD = (Role.REFERENCE, Role.NAME)


def uses_of(
    records: Records, tool: Tool, arguments: Mapping[str, Any], written: Sequence[Change]
) -> Iterator[tuple[ItemRef, str]]:
    """The items that an action concerned, each with what became of it: those it wrote, then those it named.

    A value names an item where one field of exactly one record has it: a person's among the contacts or, where they
    are not there, any other among the records of the tool's app. Of several nothing is known.
    """
    left = {change.ref: "used" if change.before else "created" for change in written if change.after is not None}
    known = set(left)
    yield from ((ref, kind) for ref, kind in left.items() if ref.list != ACTIONS)
    own = [(tool.app, info.name) for info in records.lists(tool.app) if info.name != ACTIONS]
    for name, value in arguments.items():
        parameter = tool.parameter(name)
        if parameter is None or parameter.role not in (*_PERSON, *_RECORD):
            continue
        for text in filter(None, map(str, value if isinstance(value, list) else [value])):
            among = [*_PEOPLE, *own] if parameter.role in _PERSON else own
            ref = _only(records, among, text)
            if ref and ref not in known:
                known.add(ref)
                yield ref, "used"


def _only(records: Records, among: Sequence[tuple[str, str]], text: str) -> ItemRef | None:
    wanted = fold(text)
    for app, name in among:
        found = [
            ordinal
            for ordinal, record in records.rows(app, name, keyword(text))
            if any(isinstance(value, str | int) and fold(str(value)) == wanted for value in record.values())
        ]
        if found:
            return ItemRef(app, name, found[0]) if len(found) == 1 else None
    return None

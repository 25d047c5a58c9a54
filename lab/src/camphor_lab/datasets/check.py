"""Checks the bank: every line uses slots that its situation fills."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from camphor_lab.datasets.bank import load, slots_of

_PERSON = {"person", "he", "him", "his"}
_CONTENT = {"tell", "ask", "to", "quote"}
_TIME = {"at", "when"}
SLOTS: dict[str, set[str]] = {
    "message": _PERSON | _CONTENT,
    "mail": _PERSON | _CONTENT,
    "reply_last": _CONTENT,
    "message_participants": _CONTENT | {"event"},
    "mail_participants": _CONTENT | {"event"},
    "call": _PERSON,
    "reminder": _TIME | {"task", "thing"},
    "reminder_no_time": {"task", "thing"},
    "reminder_before": {"span", "event", "task"},
    "reminder_after": {"span", "event", "task"},
    "note": {"note"},
    "event_new": _TIME | {"new"},
    "event_new_with": _TIME | _PERSON | {"name"},
    "event_cancel": {"event", "day"},
    "event_move": _TIME | {"event"},
    "event_cancel_tell": _CONTENT | {"event", "him"},
    "event_move_tell": _TIME | {"event"},
    "music": {"title", "artist", "album"},
    "podcast": {"title", "show"},
    "place": {"place", "name"},
    "item": {"item"},
    "download": {"app"},
    "post": {"post"},
    "search": {"query"},
    "search_tell": _PERSON | {"query"},
    "search_note": {"query"},
    "tell_event": _PERSON | {"event"},
    "tell_place": _PERSON,
    "send_number": _PERSON | {"person2"},
    "if_event_free": {"day", "new", "when"},
    "answer_again": {"name", "relation"},
    "answer_time": _TIME,
    "follow": _CONTENT | _PERSON - {"person"},
}
NEEDED = {"message": _CONTENT, "mail": _CONTENT, "reminder": _TIME, "event_new": _TIME, "event_move": _TIME}


def check_bank() -> list[str]:
    """One sentence for each line that cannot be used; empty when all is well."""
    return [*_request_problems(), *_app_problems()]


def _request_problems() -> Iterator[str]:
    for name, table in load()["requests"].items():
        allowed = SLOTS.get(name)
        for key in ("ask", "clause"):
            for line in table.get(key, ()):
                slots = slots_of(line)
                if allowed is not None and slots - allowed:
                    yield f"{name}.{key}: unknown slot {sorted(slots - allowed)} in {line!r}"
                if name in NEEDED and not slots & NEEDED[name]:
                    yield f"{name}.{key}: needs one of {sorted(NEEDED[name])}: {line!r}"
                if key == "clause" and line[:1].isupper() and line[:2] != "I ":
                    yield f"{name}.clause: begins with a capital: {line!r}"


def _app_problems() -> Iterator[str]:
    for name, app in load()["apps"].items():
        lists: dict[str, Any] = app.get("records", {})
        for tool in app.get("tools", ()):
            if tool["kind"] == "context":
                if tool.get("returns") not in lists:
                    yield f"{name}.{tool['name']}: returns an unknown list {tool.get('returns')!r}"
                continue
            yield from _tool_problems(name, tool, lists)
        for question in app.get("questions", ()):
            if question["list"] not in lists:
                yield f"{name}: a question over the unknown list {question['list']!r}"


def _tool_problems(name: str, tool: dict[str, Any], lists: dict[str, Any]) -> Iterator[str]:
    parameters, fills = tool.get("parameters", {}), tool.get("fill", {})
    fields = {
        field
        for rule in fills.values()
        if isinstance(rule, str) and rule.startswith("record ")
        for field in lists.get(rule.split()[1].split(".")[0], {})
    }
    for rule in fills.values():
        if isinstance(rule, str) and rule.startswith("record "):
            kind, _, field = rule.split(" ", 1)[1].partition(".")
            if field not in lists.get(kind, {}):
                yield f"{name}.{tool['name']}: no field {rule!r}"
    if not tool.get("ask") and not tool.get("clause"):
        yield f"{name}.{tool['name']}: no line asks for it"
    for key in ("ask", "clause"):
        for line in tool.get(key, ()):
            unknown = slots_of(line) - set(parameters) - fields
            if unknown:
                yield f"{name}.{tool['name']}: unknown slot {sorted(unknown)} in {line!r}"
            open_ends = {p for p in slots_of(line) & set(parameters) if p not in fills and "enum" not in parameters[p]}
            if open_ends:
                yield f"{name}.{tool['name']}: nothing fills {sorted(open_ends)}"

"""How records look inside a prompt: one short line each, with times as people read them.

Digits are one token each in small models, so `2026-03-12T18:00:00` (19 tokens) is shown as `Thu 12 Mar 18:00` (10), a
form that `camphor.device.when` reads back exactly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from camphor.device.when import show_time

_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::\d\d)?)?")
# Numbers that name a record for machines; people never say them and no tool takes them.
_HIDDEN = frozenset({"person_id", "latitude", "longitude"})
_LONGEST_VALUE = 220


def show_value(value: Any, year: int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {show_value(item, year)}" for key, item in value.items() if item not in (None, ""))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(show_value(item, year) for item in value)
    text = " ".join(str(value).split())
    iso = _ISO.fullmatch(text)
    if iso:
        try:
            return show_time(datetime.fromisoformat(text), year, clock=iso.group(4) is not None)
        except ValueError:
            return text
    if len(text) > _LONGEST_VALUE:
        text = text[:_LONGEST_VALUE].rsplit(" ", 1)[0] + " ..."
    return text


def show_record(record: Mapping[str, Any], year: int) -> str:
    """`name: Ana Prieto; phone_number: 555-4567`; empty fields, and the day of an end on the same day, are left out."""
    parts = []
    start = str(record.get("start", ""))
    for name, value in record.items():
        if name in _HIDDEN or value is None or value == "" or value == [] or (name == "is_self" and not value):
            continue
        shown = show_value(value, year)
        if name == "end" and start[:10] and str(value)[:10] == start[:10] and shown.endswith(str(value)[11:16]):
            shown = str(value)[11:16] or shown
        parts.append(f"{name}: {shown}")
    return "; ".join(parts)


def fit_records(lines: Sequence[str], wanted: set[str], limit: int) -> tuple[list[int], int]:
    """Choose whole records that fit `limit` characters: those that share words with the query first, then in order.

    Returns the positions kept, in their own order, and how many were left out.
    """
    if sum(len(line) for line in lines) <= limit:
        return list(range(len(lines))), 0

    def share(position: int) -> int:
        return len(wanted & set(re.findall(r"\w+", lines[position].casefold())))

    kept: list[int] = []
    used = 0
    for position in sorted(range(len(lines)), key=lambda index: (-share(index), index)):
        if kept and used + len(lines[position]) > limit:
            continue
        kept.append(position)
        used += len(lines[position])
    return sorted(kept), len(lines) - len(kept)

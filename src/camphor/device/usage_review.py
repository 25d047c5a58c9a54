"""What is kept about the use of a phone, for its person to look through and put right."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from camphor.device.usage_events import ItemRef, UsageEvent, seconds
from camphor.device.usage_words import sentences
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device


def used_items(phone: Device, query: str = "") -> list[ItemRef]:
    """The items that were used and have the words, those used most in the last weeks first."""
    signals = phone.usage.signals()
    lately = signals.decayed_at(seconds(phone.now))[:, 3]
    among = signals.refs
    if query:
        fitting = (ItemRef(info.app, info.name, row[0]) for info, rows in phone.rows(query) for row in rows)
        among = [ref for ref in fitting if ref in signals.row_of]
    return sorted(among, key=lambda ref: (-lately[signals.row_of[ref]], ref))


def why(phone: Device, ref: ItemRef) -> list[str]:
    """How often, when and where an item was used, in sentences; none where nothing is kept."""
    use = phone.usage.of(ref)
    if use is None:
        return []
    return sentences(use, phone.usage.names("place"), phone.usage.names("screen"), phone.now.year)


def corrected(event: UsageEvent, kind: str | None, at: str | None, place: str | None) -> UsageEvent:
    """The event with other values where one is given. Raises UsageError: it cannot be so."""
    try:
        moment = datetime.fromisoformat(at) if at is not None else event.at
        return replace(event, kind=kind or event.kind, at=moment, place=event.place if place is None else place)
    except ValueError as error:
        raise UsageError(f"The event cannot be so: {error}") from error

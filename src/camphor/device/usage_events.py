"""What is noted about the use of a phone: which item, what became of it, when, where, and what the screen showed.

An item is one record of an app's list. The device file's list `usage` holds such events; an entry that is none, or is
about an item that is not there, harms no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Any, NamedTuple

from camphor.device import dates

KINDS = ("created", "opened", "edited", "played", "called", "received", "sent", "searched", "completed", "used")
"""What can become of an item. The order is that of the columns of `Signals.kinds`, and kept on disk: only append."""

_EPOCH = datetime(1970, 1, 1)
_FIELDS = frozenset(("app", "list", "item", "kind", "at", "place", "screen"))


class ItemRef(NamedTuple):
    """One record of an app's list; `ordinal` is its place in the list's order, never used again when it is gone."""

    app: str
    list: str
    ordinal: int

    def __str__(self) -> str:
        return f"{self.app}/{self.list}/{self.ordinal}"


@dataclass(frozen=True)
class UsageEvent:
    """One use of an item.

    Args:
        at: the phone's clock, naive local time.
        place, screen: where the phone was and what it showed; "" where that is not known.
        extra: fields of the device file's entry that mean nothing here, kept for the export.
        id: the number of the event on its device, None until it is kept.

    Raises:
        ValueError: a kind that is none of `KINDS`, or a time with an offset.
    """

    ref: ItemRef
    kind: str
    at: datetime
    place: str = ""
    screen: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False)
    id: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of use: choose from {', '.join(KINDS)}")
        if self.at.tzinfo is not None:
            raise ValueError(f"{self.at.isoformat()} has an offset: give the phone's local time")
        for name in ("place", "screen"):
            # a lone surrogate, which neither a database nor a file can hold, becomes "?"
            object.__setattr__(self, name, getattr(self, name).encode("utf-8", "replace").decode("utf-8"))


def seconds(moment: datetime) -> float:
    """A naive local time as seconds since the start of 1970 on the same clock."""
    return (moment - _EPOCH).total_seconds()


def moment_of(at: float) -> datetime:
    """The inverse of `seconds`, to the second."""
    return _EPOCH + timedelta(seconds=int(at))


def read_event(entry: Any, zone: tzinfo | None) -> UsageEvent | None:
    """An entry of the device file's `usage` as an event; None where it is none.

    A time with an offset is brought to `zone`.
    """
    if not isinstance(entry, Mapping):
        return None
    app, name, item, kind = (entry.get(key) for key in ("app", "list", "item", "kind"))
    place, screen = ("" if entry.get(key) is None else entry[key] for key in ("place", "screen"))
    if not all(isinstance(text, str) for text in (app, name, place, screen)) or kind not in KINDS:
        return None
    if not isinstance(item, int) or isinstance(item, bool) or item < 0:
        return None
    at = dates.moment(entry.get("at"), zone)
    if at is None:
        return None
    extra = {key: value for key, value in entry.items() if key not in _FIELDS}
    return UsageEvent(ItemRef(str(app), str(name), item), str(kind), at, str(place), str(screen), extra)


def write_event(event: UsageEvent, item: int) -> dict[str, Any]:
    """The event as an entry of the device file, where the item stands at the index `item` of its list."""
    return {
        "app": event.ref.app,
        "list": event.ref.list,
        "item": item,
        "kind": event.kind,
        "at": event.at.isoformat(),
        "place": event.place,
        "screen": event.screen,
        **event.extra,
    }

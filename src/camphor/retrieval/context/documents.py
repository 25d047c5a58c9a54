"""An index of a device, or of a device file's values: what it holds, how it was used, and what its apps are for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dateutil import tz

from camphor.device import dates
from camphor.device.apps import KNOWN_APPS, tools_of
from camphor.device.database import erase
from camphor.device.device import Device
from camphor.device.usage_events import MOST_NAMES, Cells, ItemRef, Signals, UsageEvent, read_event, screen_name
from camphor.retrieval.context.index import ContextIndex, TextEncoder
from camphor.retrieval.context.items import Record, items_of
from camphor.retrieval.context.query import Situation

_MOST_ABOUT = 400


def index_of_device(device: Device, path: Path | None = None, encoder: TextEncoder | None = None) -> ContextIndex:
    """The items of a device, from the file at `path` as far as it is up to date, and then kept there.

    Args:
        path: where the index is kept, `device.beside.index_file`, which the device erases when a record is removed;
            in memory only for None. A file that is torn or of another encoder counts as missing; one that cannot be
            written costs the next start its time.

    Raises:
        StoreError: the device cannot be read.
    """
    signals, about = device.usage.signals, _about_tools(device)
    state = device.state
    loaded = ContextIndex.load(path, signals, encoder, about) if path else None
    index, known = loaded or (ContextIndex((), signals, encoder, about), "")
    if known != state:
        index.sync(items_of(device.item_lists(), device.zone))
        if path is not None:
            keep_index(index, device, path, state)
    return index


def keep_index(index: ContextIndex, device: Device, path: Path, state: str) -> None:
    """Keep the index of a device that was in this state when it was read; not where it has changed since.

    Raises:
        StoreError: the device cannot be read.
    """
    if index.save(path, state) and device.state != state:
        with contextlib.suppress(OSError):  # the next one who removes a record tries again, and says so
            erase(path)


def _about_tools(device: Device) -> dict[str, str]:
    """What each app is for, by its tools."""
    told: dict[str, list[str]] = {}
    for tool in device.toolbox:
        told.setdefault(tool.app, []).append(tool.description)
    return {app: describe("", tools) for app, tools in told.items()}


def situation_of_device(device: Device) -> Situation:
    """The clock, place, screen and activity of a device."""
    return Situation(device.now, device.place, device.screen, tuple(device.activity))


def index_of_document(
    document: Mapping[str, Any], encoder: TextEncoder | None = None, signals: Signals | None = None
) -> ContextIndex:
    """The items of a device file's values.

    Args:
        signals: how they were used, where that is known already; by the document's `usage` for None, of which what is
            no event, or of no item, is passed over.
    """
    zone = tz.gettz(document.get("timezone") or None)
    lists = list(lists_of(document))
    items = items_of(((app, name, enumerate(records)) for app, name, records in lists), zone)
    if signals is None:
        sizes = {(app, name): len(records) for app, name, records in lists}
        events = events_of(document)
        signals = Tally().add(event for event in events if event.ref.ordinal < sizes.get(event.ref[:2], 0))
    return ContextIndex(items, signals, encoder, apps_of(document))


def events_of(document: Mapping[str, Any]) -> list[UsageEvent]:
    """The `usage` of a device file's values, in its order; entries that are no events are passed over."""
    zone = tz.gettz(document.get("timezone") or None)
    found = (read_event(entry, zone) for entry in document.get("usage") or ())
    return [event for event in found if event is not None]


def situation_of_document(document: Mapping[str, Any]) -> Situation:
    """The clock, place, screen and activity of a device file's values.

    Raises:
        ValueError: it has no clock of its own.
    """
    now = dates.moment(document.get("now"), tz.gettz(document.get("timezone") or None))
    if now is None:
        raise ValueError("a device file without a clock of its own")
    place = (document.get("location") or {}).get("place") or document.get("place") or ""
    return Situation(now, str(place), str(document.get("screen") or ""), tuple(document.get("activity") or ()))


def lists_of(document: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Record]]]:
    """App, name and records of every record list of a device file's values."""
    for app, spec in (document.get("apps") or {}).items():
        held = spec if app in KNOWN_APPS else spec.get("records") or {}
        for name, records in held.items():
            if isinstance(records, list):
                yield app, name, [record for record in records if isinstance(record, Mapping)]


def apps_of(document: Mapping[str, Any]) -> dict[str, str]:
    """What each app is for: its description and those of its tools."""
    about: dict[str, str] = {}
    for app, spec in (document.get("apps") or {}).items():
        known = tuple(tool.description for tool in tools_of(app)) if app in KNOWN_APPS else ()
        told = (tool.get("description") for tool in spec.get("tools") or () if isinstance(tool, Mapping))
        about[app] = describe(str(spec.get("description") or ""), (*known, *map(str, filter(None, told))))
    return about


def describe(description: str, tools: Iterable[str]) -> str:
    """What an app is for, in few words: its description and those of its tools."""
    return " ".join((description, *tools))[:_MOST_ABOUT]


class Tally:
    """Counts the use that events tell of, without a device; more events can follow."""

    def __init__(self) -> None:
        self._places: list[str] = []
        self._screens: list[str] = []
        self._cells: dict[ItemRef, Cells] = {}
        self._signals = Signals()

    def add(self, events: Iterable[UsageEvent]) -> Signals:
        """Counts these too; the signals are the same object each time."""
        touched: dict[ItemRef, Cells] = {}
        for event in events:
            place, screen = _number(event.place, self._places), _number(screen_name(event.screen), self._screens)
            use = touched[event.ref] = self._cells.setdefault(event.ref, Cells())
            use.add(event, place, screen)
        for ref, use in touched.items():
            self._signals.put(ref, use, self._places, self._screens)
        return self._signals


def _number(name: str, names: list[str]) -> int | None:
    """The number of a name, which is noted where it is new and there is room; None for no name."""
    if name and name not in names and len(names) < MOST_NAMES:
        names.append(name)
    return names.index(name) if name in names else None

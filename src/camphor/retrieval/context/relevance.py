"""Which items of a phone matter for a query now, and how sure the ranker is of each.

Of a phone where next to nothing was noted yet, the ranker, which learnt from weeks of use, has only words and time to
go by, and is never sure.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from dateutil import tz

from camphor.device import dates
from camphor.device.apps import KNOWN_APPS, tools_of
from camphor.device.database import erase, index_file
from camphor.device.device import Device
from camphor.device.people import find_people
from camphor.device.usage_events import MOST_NAMES, Cells, ItemRef, Signals, UsageEvent, read_event, screen_name
from camphor.errors import CamphorError
from camphor.retrieval.context.candidates import Candidates, pick
from camphor.retrieval.context.features import features
from camphor.retrieval.context.index import ContextIndex
from camphor.retrieval.context.items import DeviceItem, Record, item_of, items_of
from camphor.retrieval.context.model import RankerModel, read_model
from camphor.retrieval.context.query import UseSituation
from camphor.retrieval.context.rankers import forest_scores, fused
from camphor.retrieval.retrievers import TextEncoder

# An index of a device, or of a device file's values: what it holds, how it was used, and what its apps are for.

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
    """What each app is for, by its description and its tools."""
    told: dict[str, list[str]] = {}
    for tool in device.toolbox:
        told.setdefault(tool.app, []).append(tool.description)
    parts = {app: device.part(app) for app in device.apps}
    return {app: describe(str(parts.get(app, {}).get("description") or ""), tools) for app, tools in told.items()}


def situation_of_device(device: Device) -> UseSituation:
    """The clock, place, screen and activity of a device."""
    return UseSituation(device.now, device.place, device.screen, tuple(device.activity))


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


def situation_of_document(document: Mapping[str, Any]) -> UseSituation:
    """The clock, place, screen and activity of a device file's values.

    Raises:
        ValueError: it has no clock of its own.
    """
    now = dates.moment(document.get("now"), tz.gettz(document.get("timezone") or None))
    if now is None:
        raise ValueError("a device file without a clock of its own")
    place = (document.get("location") or {}).get("place") or document.get("place") or ""
    return UseSituation(now, str(place), str(document.get("screen") or ""), tuple(document.get("activity") or ()))


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


ENOUGH_USES = 50
"""A week of a little-used phone; the phones that the ranker learnt from have four to eight weeks of use."""
MOST = 12
_HARDLY_KNOWN = 0.5
"""What the sureness is multiplied by on a phone whose use is hardly known: the ranker learnt from weeks of it."""


@dataclass(frozen=True)
class Relevant:
    """An item that may matter for a query.

    Attributes:
        ref: where it is kept. record: as the phone has it now. title: the field that names it.
        sure: how likely it is meant, as far as the ranker's scores say, from 0 to 1.
        known: whether the phone's use is known well enough; where it is not, time and words alone speak for it.
        unsaid: how likely it is that the query leaves something unsaid, 0 to 1: the same for all items of a query.
    """

    ref: ItemRef
    record: Mapping[str, Any]
    title: str
    sure: float
    person: str = ""
    known: bool = True
    unsaid: float = 1.0

    @property
    def app(self) -> str:
        """Whose it is."""
        return self.ref.app


class Relevance:
    """Ranks the items of one phone. The index is built at the first question, and kept beside the phone's store.

    Args:
        device: whose items they are. model: the trained ranker; the one that ships for None.
        encoder: what makes texts into vectors; the one that the ranker was trained with for None.
    """

    def __init__(self, device: Device, model: RankerModel | None = None, encoder: TextEncoder | None = None) -> None:
        self._device, self._model, self._encoder = device, model, encoder
        self._index: ContextIndex | None = None
        self._state = ""
        self._last: tuple[Any, tuple[Relevant, ...]] = (None, ())
        if device.path:
            device.before_close.append(self.keep)

    def items(self, query: str, k: int = MOST) -> tuple[Relevant, ...]:
        """The items that are likeliest meant, at most `k` of those that fit best; of a phone with hardly any known use
        half as sure, so that none is taken for meant without being asked about. Asked again within the minute it tells
        the same.

        Raises:
            StoreError: the phone cannot be read. ModelMissing: the ranker or the table of vectors cannot be read.
        """
        situation = situation_of_device(self._device)
        minute = replace(situation, now=situation.now.replace(second=0, microsecond=0))
        uses = float(self._device.usage.signals().count.sum())
        asked = (query, k, self._device.state, minute, uses)
        if self._last[0] != asked:
            self._last = (asked, self._items(query, k, known=uses >= ENOUGH_USES))
        return self._last[1]

    def _items(self, query: str, k: int, known: bool) -> tuple[Relevant, ...]:
        found = self._ranked(query, k)
        if any(relevant is None for relevant in found):
            # made of other records: of a phone that was put in this one's place, say
            self._index = self._current(anew=True)
            found = self._ranked(query, k)
        there = (each for each in found if each is not None)
        if not known:
            there = (replace(each, sure=each.sure * _HARDLY_KNOWN, known=False) for each in there)
        return tuple(sorted(there, key=lambda each: -each.sure))

    def _ranked(self, query: str, k: int) -> list[Relevant | None]:
        """The best items; None for one that is not what the index says."""
        index, situation = self._current(), situation_of_device(self._device)
        picked = pick(query, situation, index)
        if not len(picked):
            return []
        model = self._model = self._model or read_model()
        made = features(query, picked, situation, index, model.reader)
        table = made.table
        within, overall = forest_scores(model.forests, table, picked.store, [".".join(store) for store in index.stores])
        order = np.argsort(-fused(within, overall, picked.store), kind="stable")[:k]
        sure = shares(overall * model.sharpness) * (1 - made.named)
        found = (self._relevant(index, picked, int(place), float(sure[place])) for place in order)
        return [each and replace(each, unsaid=1 - made.named) for each in found]

    def _relevant(self, index: ContextIndex, picked: Candidates, place: int, sure: float) -> Relevant | None:
        ref = index.ref(int(picked.rows[place]))
        kept, record = index.item(ref), self._device.record(ref)
        if kept is None or record is None or not _same(kept, item_of(ref, record, self._device.zone)):
            return None
        return Relevant(ref, record, kept.title, sure, _person(record, self._device.people()))

    def _current(self, anew: bool = False) -> ContextIndex:
        """The index of the records as they are now."""
        device, state = self._device, self._device.state
        if self._index is None:
            self._index = index_of_device(device, index_file(device.path), self._encoder)
        elif anew or state != self._state:
            self._index.sync(items_of(device.item_lists(), device.zone))
        if anew and (path := index_file(device.path)):
            keep_index(self._index, device, path, state)
        self._state = state
        return self._index

    def keep(self) -> None:
        """Keep the index for the next start where the device erased the file, as it does when a record is removed."""
        path = index_file(self._device.path)
        if path is None or self._index is None or path.exists():
            return
        with contextlib.suppress(CamphorError):  # it costs the next start its time
            keep_index(self._current(), self._device, path, self._state)


_PERSON_FIELDS = ("contact", "person", "sender", "name")


def _person(record: Mapping[str, Any], people: Sequence[Record]) -> str:
    """The one contact whom a record is of, by name; "" where it is the owner, nobody, or several may be."""
    for name in _PERSON_FIELDS:
        value = record.get(name)
        found = find_people(value, people) if isinstance(value, str) and value.strip() else []
        if len(found) == 1:
            return "" if found[0].get("is_self") else str(found[0].get("name") or "")
    return ""


def forget_index(store: Path) -> None:
    """Erase the index of a phone, if there is one. Raises OSError: it cannot be deleted."""
    if path := index_file(store):
        erase(path)


def shares(scores: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    """Scores as shares of one (softmax), (n,)."""
    raised = np.exp(np.asarray(scores, np.float64) - np.max(scores))
    return np.asarray(raised / raised.sum())


def _same(one: DeviceItem, other: DeviceItem) -> bool:
    return (one.text, one.title, one.moments) == (other.text, other.title, other.moments)

"""The items of a device: each record of each app's list, as a retriever reads it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from camphor.device import dates
from camphor.device.records import ACTIONS
from camphor.device.text import fold, text_of
from camphor.device.usage_events import ItemRef, seconds
from camphor.models.facts import write_whole

Record = Mapping[str, Any]

LONGEST = 4000
"""Characters of an item that are read: its beginning says what it is about, and a note may have ten million."""
LONGEST_FIELD = 3000

_TITLES = ("title", "subject", "name", "query", "content", "contact", "item", "text", "app", "show", "action")
_PEOPLE = (
    "sender", "recipients", "contact", "organizer", "participants", "name", "artist", "person", "author", "from", "to",
)  # fmt: skip
_CATEGORIES = ("category", "genre", "relationship", "direction", "status")
_DATED = frozenset(
    ("start", "end", "date", "time", "modified", "played", "read", "visited", "created", "due", "when", "day", "at")
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]|$)")
_NO_WORDS = re.compile(r"[\d\W_]*")


@dataclass(frozen=True)
class DeviceItem:
    """One record of an app's list.

    Attributes:
        text: what it says, without its dates and numbers, cut to `LONGEST` characters.
        title: the field that names it.
        moments: first and last of its dates in seconds (`usage_events.seconds`); one where they are the same, none
            where it has none.
        people: names, addresses and relationships in its fields for people.
        category: what kind of item it is, by its own fields: a category, genre, direction, status.
        done: whether it says that it is done.
    """

    ref: ItemRef
    text: str
    title: str = ""
    moments: tuple[float, ...] = ()
    people: tuple[str, ...] = ()
    category: str = ""
    done: bool = False


def item_of(ref: ItemRef, record: Record, zone: tzinfo | None = None) -> DeviceItem:
    """A record as an item. Values that are no text, number, list or object are passed over."""
    title = next((str(record[key]) for key in _TITLES if isinstance(record.get(key), str) and record[key]), "")
    words = [_cut(value) for key, value in record.items() if key not in _DATED]
    text = "\n".join(part for part in words if not _NO_WORDS.fullmatch(part))
    return DeviceItem(
        ref=ref,
        text=text[:LONGEST],
        title=title[:200],
        moments=_moments(record, zone),
        people=tuple(_people(record)),
        category=" ".join(fold(str(record[key]))[:60] for key in _CATEGORIES if record.get(key)),
        done=record.get("done") is True,
    )


def items_of(
    lists: Iterable[tuple[str, str, Iterable[tuple[int, Record]]]], zone: tzinfo | None = None
) -> Iterator[DeviceItem]:
    """The items of lists, given as app, name, and records with their ordinals.

    What apps recorded of actions is passed over. An item about somebody whose relationship another record states
    knows that relationship too.
    """
    kept = [(app, name, list(records)) for app, name, records in lists if name != ACTIONS]
    known = relationships(record for _, _, records in kept for _, record in records)
    for app, name, records in kept:
        for ordinal, record in records:
            yield related(item_of(ItemRef(app, name, ordinal), record, zone), known)


def relationships(records: Iterable[Record]) -> dict[str, str]:
    """The relationship of each person by folded name and address, as records state it beside a name."""
    found: dict[str, str] = {}
    for record in records:
        said = record.get("relationship")
        if not isinstance(said, str) or not said:
            continue
        for key in ("contact", "name", "email"):
            if isinstance(record.get(key), str):
                found.setdefault(fold(record[key]), said[:60])
    return found


def related(item: DeviceItem, known: Mapping[str, str]) -> DeviceItem:
    """The item with the relationships of its people."""
    if not known or not item.people:
        return item
    more = dict.fromkeys(known[fold(name)] for name in item.people if fold(name) in known)
    missing = [said for said in more if said not in item.people]
    return replace(item, people=(*item.people, *missing)) if missing else item


def _people(record: Record) -> Iterator[str]:
    for key in (*_PEOPLE, "relationship"):
        value = record.get(key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one:
                yield one[:100]


def _cut(value: Any) -> str:
    """The text of a field, as far as it is read."""
    return value[:LONGEST_FIELD] if isinstance(value, str) else text_of(value)[:LONGEST_FIELD]


def _moments(record: Record, zone: tzinfo | None) -> tuple[float, ...]:
    found = []
    for key, value in record.items():
        if isinstance(value, str) and (key in _DATED or _ISO.match(value)) and key != "birthday":
            moment = dates.moment(value, zone)
            if moment is not None:
                found.append(seconds(moment))
    if not found:
        return ()
    first, last = min(found), max(found)
    return (first,) if first == last else (first, last)


# What is known of the items of an index, one row each, in arrays that grow; and how they become a file and back.

Arrays = dict[str, npt.NDArray[Any]]

COARSE = 32
"""Leading dimensions of a vector that first choices are made with: those with the most variance."""
_SPARE = 64


class Columns:
    """Rows of items. A row keeps its number; one whose item is gone is not `alive`.

    Attributes, each (n,) unless told otherwise, views that are good until a row is added:
        store, ordinal: of the item. label: the number of the text for its people and category.
        begin, end: its first and last moment in seconds, NaN where it has none.
        done, alive: truth values.
        vectors: (n, dimensions) float16, unit length. coarse: (n, COARSE) float32, their first dimensions.
    """

    def __init__(self, dimensions: int) -> None:
        self.size = 0
        self.bodies: list[bytes] = []
        self._arrays: Arrays = {
            "store": np.zeros(_SPARE, np.int16),
            "ordinal": np.zeros(_SPARE, np.int64),
            "label": np.zeros(_SPARE, np.int32),
            "begin": np.zeros(_SPARE),
            "end": np.zeros(_SPARE),
            "done": np.zeros(_SPARE, bool),
            "alive": np.zeros(_SPARE, bool),
            "vectors": np.zeros((_SPARE, dimensions), np.float16),
            "coarse": np.zeros((_SPARE, min(COARSE, dimensions)), np.float32),
        }

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        arrays: Arrays = self.__dict__.get("_arrays", {})
        if name not in arrays:
            raise AttributeError(name)
        return arrays[name][: self.size]

    def add(
        self, items: Sequence[DeviceItem], stores: Sequence[int], labels: Sequence[int], vectors: npt.NDArray[Any]
    ) -> int:
        """Put items behind those that are there; the row of the first."""
        first, self.size = self.size, self.size + len(items)
        self._grow()
        rows = slice(first, self.size)
        self.store[rows], self.label[rows] = stores, labels
        self.ordinal[rows] = [item.ref.ordinal for item in items]
        self.begin[rows] = [item.moments[0] if item.moments else np.nan for item in items]
        self.end[rows] = [item.moments[-1] if item.moments else np.nan for item in items]
        self.done[rows] = [item.done for item in items]
        self.alive[rows] = True
        self.vectors[rows] = vectors
        self.coarse[rows] = vectors[:, : self.coarse.shape[1]]
        self.bodies += [packed(item) for item in items]
        return first

    def item(self, row: int, ref: ItemRef) -> DeviceItem:
        """The item of a row, which is known as `ref`."""
        text, title, moments, people, category, done = json.loads(self.bodies[row])
        return DeviceItem(ref, text, title, tuple(moments), tuple(people), category, done)

    def _grow(self) -> None:
        room = len(self._arrays["store"])
        if self.size > room:
            new = max(self.size, 2 * room)
            for name, array in self._arrays.items():
                self._arrays[name] = np.concatenate([array, np.zeros((new - room, *array.shape[1:]), array.dtype)])

    def keep(self, rows: npt.NDArray[np.intp]) -> None:
        """Keep these rows alone, in that order, as the first ones; nothing of the others is left."""
        self._arrays = {name: array[rows] for name, array in self._arrays.items()}
        self.bodies = [self.bodies[row] for row in rows.tolist()]
        self.size = len(rows)

    def arrays(self) -> Arrays:
        """What `of_arrays` makes the columns from again."""
        kept = {name: array[: self.size] for name, array in self._arrays.items() if name != "coarse"}
        kept["bodies"] = np.frombuffer(b"".join(self.bodies), np.uint8)
        kept["lengths"] = np.fromiter(map(len, self.bodies), np.int64, len(self.bodies))
        return kept

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Columns:
        """Raises KeyError or ValueError: the arrays are of no columns."""
        columns = cls(arrays["vectors"].shape[1])
        coarse = np.ascontiguousarray(arrays["vectors"][:, :COARSE], np.float32)
        columns._arrays = {name: arrays[name] for name in columns._arrays if name != "coarse"} | {"coarse": coarse}
        columns.size = len(coarse)
        if any(len(array) != columns.size for array in columns._arrays.values()):
            raise ValueError("columns differ in length")
        body, ends = arrays["bodies"].tobytes(), np.cumsum(arrays["lengths"]).tolist()
        columns.bodies = [body[first:last] for first, last in zip([0, *ends], ends, strict=False)]
        return columns


def packed(item: DeviceItem) -> bytes:
    """All of an item but its reference; equal for items that are read alike."""
    values = (item.text, item.title, item.moments, item.people, item.category, item.done)
    return json.dumps(values, separators=(",", ":")).encode()


def write_arrays(path: Path, arrays: Arrays, about: Mapping[str, Any]) -> None:
    """Write arrays and facts as one `.npz`, whole or not at all. Raises OSError: it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    np.savez(stream, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)  # type: ignore[arg-type]
    write_whole(path, stream.getvalue())


def read_arrays(path: Path) -> tuple[Arrays, dict[str, Any]] | None:
    """What `write_arrays` wrote; None where there is no whole such file."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop("about").tobytes())
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    return (arrays, about) if isinstance(about, dict) else None

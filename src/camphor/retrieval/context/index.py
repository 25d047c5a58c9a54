"""All items of a device, ready to be ranked: their words, vectors, moments and use.

Built once and kept in a file; then each item that is added, changed or removed costs its own work. The use of items is
not copied: the index reads the `Signals` that the device keeps up to date.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device.database import replacing
from camphor.device.usage_events import ItemRef, Signals
from camphor.retrieval.context.items import Columns, DeviceItem, packed, read_arrays, write_arrays
from camphor.retrieval.retrievers import Bm25, TextEncoder
from camphor.retrieval.static import StaticEncoder

Rows = npt.NDArray[np.intp]
Vectors = npt.NDArray[np.float32]
Store = tuple[str, str]
"""A context store of the paper: an app and one of its lists."""

FORM = "camphor.context-index/1"
_AT_ONCE = 4096
EMBEDDED = 600
"""Characters of an item that its vector is made of: a mean over more words says less of each."""


class ContextIndex:
    """The items of one device.

    Args:
        items: all items; one of a reference that is there already takes its place.
        signals: how they were used, or what gives it at each search; nothing was where None.
        encoder: what makes texts into vectors; the one that camphor installs where None.
        about: what each app is for, in words, beside its name.

    Attributes:
        words: of the items' texts, by rows. labels: of the different texts for an item's people and category.
        stores: the stores by their numbers; one stays when its last item is gone.
    """

    def __init__(
        self,
        items: Iterable[DeviceItem] = (),
        signals: Signals | Callable[[], Signals] | None = None,
        encoder: TextEncoder | None = None,
        about: Mapping[str, str] | None = None,
    ) -> None:
        self.encoder: TextEncoder = encoder or StaticEncoder()
        kept = Signals() if signals is None else signals
        self._signals = kept if callable(kept) else lambda: kept
        self.about = dict(about or {})
        self.stores: list[Store] = []
        self.words, self.labels = Bm25(), Bm25()
        self.columns = Columns(self.encoder.dimensions)
        self._refs: list[ItemRef] = []
        self._row_of: dict[ItemRef, int] = {}
        self._rows_of: dict[int, Rows] = {}
        self._timelines: dict[int, tuple[npt.NDArray[np.float64], Rows]] = {}
        self._store_vectors: Vectors = np.zeros((0, self.encoder.dimensions), np.float32)
        self._store_numbers: dict[Store, int] = {}
        self._label_numbers: dict[str, int] = {}
        self._followed: Signals | None = None
        self._drops = 0
        self._use_of: Rows = np.zeros(0, np.intp)
        self._row_of_use: Rows = np.zeros(0, np.intp)
        self.add(items)

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, ref: ItemRef) -> bool:
        return ref in self._row_of

    # items

    def add(self, items: Iterable[DeviceItem]) -> None:
        """Take these in; one of a reference that is there takes that one's place."""
        batch: list[DeviceItem] = []
        for item in items:
            batch.append(item)
            if len(batch) == _AT_ONCE:
                self._put(batch)
                batch = []
        if batch:
            self._put(batch)

    def _put(self, batch: Sequence[DeviceItem]) -> None:
        items = list({item.ref: item for item in batch}.values())
        self.remove(item.ref for item in items)
        stores = [self._store_number((item.ref.app, item.ref.list)) for item in items]
        labels = [self._label_number("; ".join((*item.people, item.category))) for item in items]
        vectors = self.encoder.encode([item.text[:EMBEDDED] for item in items])
        first = self.columns.add(items, stores, labels, vectors)
        self.words.add(item.text for item in items)
        self._refs += [item.ref for item in items]
        self._row_of.update((item.ref, row) for row, item in enumerate(items, first))
        self._forget(set(stores))

    def remove(self, refs: Iterable[ItemRef]) -> None:
        """Forget these items; one that is not there is no fault."""
        for ref in refs:
            row = self._row_of.pop(ref, None)
            if row is not None:
                self.columns.alive[row] = False
                self._forget({int(self.columns.store[row])})

    def compact(self) -> None:
        """Leave nothing of items that are gone, whose words, labels and vectors stay in memory until then.

        Rows get new numbers, and weights of words are then those of an index made anew.
        """
        columns, alive = self.columns, self.columns.alive.copy()
        if alive.all():
            return
        rows = np.flatnonzero(alive)
        self.words.keep(alive)
        columns.keep(rows)
        labels = np.unique(columns.label)
        self.labels.keep(np.isin(np.arange(len(self.labels)), labels))
        told = list(self._label_numbers)
        self._label_numbers = {told[label]: number for number, label in enumerate(labels.tolist())}
        columns.label[:] = np.searchsorted(labels, columns.label)
        self._refs = [self._refs[row] for row in rows.tolist()]
        self._row_of = {ref: row for row, ref in enumerate(self._refs)}
        self._rows_of, self._timelines, self._followed = {}, {}, None

    def row_of(self, ref: ItemRef) -> int | None:
        return self._row_of.get(ref)

    def ref(self, row: int) -> ItemRef:
        return self._refs[row]

    def item(self, ref: ItemRef) -> DeviceItem | None:
        """An item as it was taken in; None where there is none."""
        row = self._row_of.get(ref)
        return None if row is None else self.columns.item(row, ref)

    def text(self, row: int) -> str:
        """What an item says, as far as vectors are made of it."""
        return self.columns.item(row, self._refs[row]).text[:EMBEDDED]

    def items(self) -> Iterable[DeviceItem]:
        """All items, in the order in which they were taken in."""
        return (self.columns.item(row, ref) for ref, row in self._row_of.items())

    # parts that a search reads

    def signals(self) -> Signals:
        """How the items were used, up to date."""
        return self._signals()

    def rows(self) -> Rows:
        """The rows of all items."""
        return np.flatnonzero(self.columns.alive)

    def rows_of(self, store: int) -> Rows:
        """The rows of a store's items."""
        found = self._rows_of.get(store)
        if found is None:
            columns = self.columns
            found = self._rows_of[store] = np.flatnonzero((columns.store == store) & columns.alive)
        return found

    def timeline(self, store: int) -> tuple[npt.NDArray[np.float64], Rows]:
        """The first moments of a store's items in order, and their rows; items without a moment are not in it."""
        found = self._timelines.get(store)
        if found is None:
            rows = self.rows_of(store)
            rows = rows[~np.isnan(self.columns.begin[rows])]
            rows = rows[np.argsort(self.columns.begin[rows], kind="stable")]
            found = self._timelines[store] = (self.columns.begin[rows], rows)
        return found

    def store_vectors(self) -> Vectors:
        """The embeddings of what `stores` hold, (stores, dimensions)."""
        if len(self._store_vectors) < len(self.stores):
            self._store_vectors = self.encoder.encode([self.store_text(store) for store in self.stores])
        return self._store_vectors

    def uses(self, signals: Signals) -> tuple[Rows, Rows]:
        """The row of the signals for each row of the index, and the other way; -1 where there is none.

        After an item's row was removed, its row of the signals may still lead there: ask whether the row is alive.
        """
        if self._followed is not signals or self._drops != signals.drops:
            self._followed, self._drops = signals, signals.drops
            self._use_of = self._row_of_use = np.zeros(0, np.intp)
        first, size, known = len(self._use_of), self.columns.size, len(self._row_of_use)
        if size > first:
            new = [signals.row_of.get(ref, -1) for ref in self._refs[first:]]
            self._use_of = np.concatenate([self._use_of, np.array(new, np.intp)])
        if len(signals) > known:
            new = [self._row_of.get(ref, -1) for ref in signals.refs[known:]]
            self._row_of_use = np.concatenate([self._row_of_use, np.array(new, np.intp)])
            found = np.flatnonzero(self._row_of_use[known:] >= 0) + known
            self._use_of[self._row_of_use[found]] = found
        later = first + np.flatnonzero(self._use_of[first:] >= 0)
        self._row_of_use[self._use_of[later]] = later
        return self._use_of, self._row_of_use

    def store_text(self, store: Store) -> str:
        """A store in words: its app, its list, and what is known about it."""
        return f"{store[0]} {store[1]} {self.about.get(store[0], '')}".replace("_", " ")

    def _store_number(self, store: Store) -> int:
        if store not in self._store_numbers:
            self._store_numbers[store] = len(self.stores)
            self.stores.append(store)
        return self._store_numbers[store]

    def _label_number(self, label: str) -> int:
        if label not in self._label_numbers:
            self._label_numbers[label] = len(self.labels)
            self.labels.add([label])
        return self._label_numbers[label]

    def _forget(self, stores: set[int]) -> None:
        """Drop what was worked out of the rows of these stores."""
        for store in stores:
            self._rows_of.pop(store, None)
            self._timelines.pop(store, None)

    # the file

    def sync(self, items: Iterable[DeviceItem]) -> int:
        """Hold exactly these items: take in those that are new or changed, forget those that are not among them.

        Returns:
            How many were taken in or forgotten.
        """
        seen: set[ItemRef] = set()
        changed: list[DeviceItem] = []
        for item in items:
            seen.add(item.ref)
            row = self._row_of.get(item.ref)
            if row is None or self.columns.bodies[row] != packed(item):
                changed.append(item)
        gone = [ref for ref in self._row_of if ref not in seen]
        self.remove(gone)
        self.add(changed)
        return len(gone) + len(changed)

    def save(self, path: Path, stamp: str = "") -> bool:
        """Keep the index in a file, whole or not at all; False where it cannot be written. Compacts it.

        Args:
            stamp: what tells the state of the device that the index was made from.
        """
        self.compact()
        arrays = {f"column_{name}": array for name, array in self.columns.arrays().items()}
        arrays |= {f"word_{name}": array for name, array in self.words.arrays().items()}
        arrays |= {f"label_{name}": array for name, array in self.labels.arrays().items()}
        about = {
            "form": FORM,
            "encoder": self.encoder.identity,
            "stamp": stamp,
            "stores": self.stores,
            "labels": list(self._label_numbers),
        }
        with contextlib.suppress(OSError):  # a full disk costs the next start its time, not this one its answer
            with replacing(path):  # what the old file says of items that are gone stays in no free part of the disk
                write_arrays(path, arrays, about)
            return True
        return False

    @classmethod
    def load(
        cls,
        path: Path,
        signals: Signals | Callable[[], Signals] | None = None,
        encoder: TextEncoder | None = None,
        about: Mapping[str, str] | None = None,
    ) -> tuple[ContextIndex, str] | None:
        """The index of a file and its stamp; None where there is no whole one made with this encoder."""
        index = cls((), signals, encoder, about)
        read = read_arrays(path)
        if read is None or (read[1].get("form"), read[1].get("encoder")) != (FORM, index.encoder.identity):
            return None
        arrays, facts = read
        try:
            index.columns = Columns.of_arrays(_part(arrays, "column_"))
            index.words, index.labels = (Bm25.of_arrays(_part(arrays, part)) for part in ("word_", "label_"))
        except (KeyError, ValueError):
            return None
        index.stores = [(app, name) for app, name in facts["stores"]]
        index._store_numbers = {store: number for number, store in enumerate(index.stores)}
        index._label_numbers = {label: number for number, label in enumerate(facts["labels"])}
        index._refs = [
            ItemRef(index.stores[number][0], index.stores[number][1], ordinal)
            for number, ordinal in zip(index.columns.store.tolist(), index.columns.ordinal.tolist(), strict=True)
        ]
        alive = np.flatnonzero(index.columns.alive).tolist()
        index._row_of = {index._refs[row]: row for row in alive}
        return index, str(facts["stamp"])


def _part(arrays: Mapping[str, npt.NDArray[Any]], start: str) -> dict[str, npt.NDArray[Any]]:
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}

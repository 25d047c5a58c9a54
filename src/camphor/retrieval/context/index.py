"""All items of a device, ready to be ranked: their words, vectors, moments and use.

Built once and kept in a file; then each item that is added, changed or removed costs its own work. The use of items is
not copied: the index reads the `Signals` that the device keeps up to date.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from camphor.device.text import words
from camphor.device.usage_events import ItemRef
from camphor.device.usage_signals import Signals
from camphor.retrieval.bm25 import Bm25
from camphor.retrieval.context.columns import Columns, packed, read_arrays, write_arrays
from camphor.retrieval.context.items import Item
from camphor.retrieval.static import StaticEncoder

Rows = npt.NDArray[np.intp]
Vectors = npt.NDArray[np.float32]
Store = tuple[str, str]
"""A context store of the paper: an app and one of its lists."""

FORM = "camphor.context-index/1"
_AT_ONCE = 4096
EMBEDDED = 600
"""Characters of an item that its vector is made of: a mean over more words says less of each."""


class TextEncoder(Protocol):
    """Makes texts into vectors of unit length."""

    @property
    def identity(self) -> str:
        """What tells its vectors from all others'."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The embeddings of the texts, in order: float32, shape (number of texts, dimensions)."""


class ContextIndex:
    """The items of one device.

    Args:
        items: all items; one of a reference that is there already takes its place.
        signals: how they were used; nothing was where None.
        encoder: what makes texts into vectors; the one that camphor installs where None.
        about: what each app is for, in words, beside its name.

    Attributes:
        signals: read at each search, so that what the device records counts at once.
        stores: the stores by their numbers; one stays when its last item is gone.
    """

    def __init__(
        self,
        items: Iterable[Item] = (),
        signals: Signals | None = None,
        encoder: TextEncoder | None = None,
        about: Mapping[str, str] | None = None,
    ) -> None:
        self.encoder: TextEncoder = encoder or StaticEncoder()
        self.signals = signals if signals is not None else Signals()
        self.about = dict(about or {})
        self.stores: list[Store] = []
        self.labels: list[str] = []
        self.words = Bm25()
        self.columns = Columns(self.encoder.dimensions)
        self._row_of: dict[ItemRef, int] = {}
        self._rows_of: dict[int, Rows] = {}
        self._timelines: dict[int, tuple[npt.NDArray[np.float64], Rows]] = {}
        self._label_words: dict[int, frozenset[str]] = {}
        self._store_vectors: Vectors = np.zeros((0, self.encoder.dimensions), np.float32)
        self._store_numbers: dict[Store, int] = {}
        self._label_numbers: dict[str, int] = {}
        self._used_in = np.zeros(0, np.int16)
        self.add(items)

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, ref: ItemRef) -> bool:
        return ref in self._row_of

    # items

    def add(self, items: Iterable[Item]) -> None:
        """Take these in; one of a reference that is there takes that one's place."""
        batch: list[Item] = []
        for item in items:
            batch.append(item)
            if len(batch) == _AT_ONCE:
                self._put(batch)
                batch = []
        if batch:
            self._put(batch)

    def _put(self, items: Sequence[Item]) -> None:
        self.remove(item.ref for item in items)
        stores = [self._store_number((item.ref.app, item.ref.list)) for item in items]
        labels = [self._label_number("; ".join((*item.people, item.category))) for item in items]
        vectors = self.encoder.encode([item.text[:EMBEDDED] for item in items])
        first = self.columns.add(items, stores, labels, vectors)
        self.words.add(item.text for item in items)
        for row, item in enumerate(items, first):
            self._row_of[item.ref] = row
        self._forget(set(stores))

    def remove(self, refs: Iterable[ItemRef]) -> None:
        """Forget these items; one that is not there is no fault."""
        for ref in refs:
            row = self._row_of.pop(ref, None)
            if row is not None:
                self.columns.alive[row] = False
                self._forget({int(self.columns.store[row])})

    def row_of(self, ref: ItemRef) -> int | None:
        return self._row_of.get(ref)

    def ref(self, row: int) -> ItemRef:
        app, name = self.stores[self.columns.store[row]]
        return ItemRef(app, name, self.columns.ordinal(row))

    def item(self, ref: ItemRef) -> Item | None:
        """An item as it was taken in; None where there is none."""
        row = self._row_of.get(ref)
        return None if row is None else self.columns.item(row, ref.app, ref.list)

    def text(self, row: int) -> str:
        """What an item says, as far as vectors are made of it."""
        app, name = self.stores[self.columns.store[row]]
        return self.columns.item(row, app, name).text[:EMBEDDED]

    def items(self) -> Iterable[Item]:
        """All items, in the order in which they were taken in."""
        return (self.columns.item(row, ref.app, ref.list) for ref, row in self._row_of.items())

    # parts that a search reads

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

    def label_words(self, row: int) -> frozenset[str]:
        """The words for the people and the category of a row's item, folded."""
        number = int(self.columns.label[row])
        found = self._label_words.get(number)
        if found is None:
            found = self._label_words[number] = frozenset(words(self.labels[number]))
        return found

    def store_vectors(self) -> Vectors:
        """The embeddings of what `stores` hold, (stores, dimensions)."""
        if len(self._store_vectors) < len(self.stores):
            self._store_vectors = self.encoder.encode([self.store_text(store) for store in self.stores])
        return self._store_vectors

    def used_in(self) -> npt.NDArray[np.int16]:
        """The store of each row of the signals, -1 where it is none of `stores`; (rows,).

        An item that is forgotten in the signals gives its row to another; until the number of rows changes, a row or
        two may then be taken for those of their former store. Whoever picks rows by this looks up the items they are.
        """
        refs = self.signals.refs
        if len(refs) < len(self._used_in):
            self._used_in = self._used_in[:0]
        if len(refs) > len(self._used_in):
            new = (self._store_numbers.get((ref.app, ref.list), -1) for ref in refs[len(self._used_in) :])
            more = np.fromiter(new, np.int16, len(refs) - len(self._used_in))
            self._used_in = np.concatenate([self._used_in, more])
        return self._used_in

    def store_text(self, store: Store) -> str:
        """A store in words: its app, its list, and what is known about it."""
        return f"{store[0]} {store[1]} {self.about.get(store[0], '')}".replace("_", " ")

    def _store_number(self, store: Store) -> int:
        if store not in self._store_numbers:
            self._store_numbers[store] = len(self.stores)
            self.stores.append(store)
            self._used_in = self._used_in[:0]
        return self._store_numbers[store]

    def _label_number(self, label: str) -> int:
        if label not in self._label_numbers:
            self._label_numbers[label] = len(self.labels)
            self.labels.append(label)
        return self._label_numbers[label]

    def _forget(self, stores: set[int]) -> None:
        """Drop what was worked out of the rows of these stores."""
        for store in stores:
            self._rows_of.pop(store, None)
            self._timelines.pop(store, None)

    # the file

    def sync(self, items: Iterable[Item]) -> int:
        """Hold exactly these items: take in those that are new or changed, forget those that are not among them.

        Returns:
            How many were taken in or forgotten.
        """
        seen: set[ItemRef] = set()
        changed: list[Item] = []
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
        """Keep the index in a file, whole or not at all; False where it cannot be written.

        Args:
            stamp: what tells the state of the device that the index was made from.
        """
        arrays = {f"column_{name}": array for name, array in self.columns.arrays().items()}
        arrays |= {f"word_{name}": array for name, array in self.words.arrays().items()}
        about = {
            "form": FORM,
            "encoder": self.encoder.identity,
            "stamp": stamp,
            "stores": self.stores,
            "labels": self.labels,
        }
        with contextlib.suppress(OSError):  # a full disk costs the next start its time, not this one its answer
            write_arrays(path, arrays, about)
            return True
        return False

    @classmethod
    def load(
        cls,
        path: Path,
        signals: Signals | None = None,
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
            index.words = Bm25.of_arrays(_part(arrays, "word_"))
        except (KeyError, ValueError):
            return None
        index.stores = [(app, name) for app, name in facts["stores"]]
        index.labels = facts["labels"]
        index._store_numbers = {store: number for number, store in enumerate(index.stores)}
        index._label_numbers = {label: number for number, label in enumerate(index.labels)}
        alive = index.columns.alive.tolist()
        index._row_of = {index.ref(row): row for row, there in enumerate(alive) if there}
        return index, str(facts["stamp"])


def _part(arrays: Mapping[str, npt.NDArray[Any]], start: str) -> dict[str, npt.NDArray[Any]]:
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}

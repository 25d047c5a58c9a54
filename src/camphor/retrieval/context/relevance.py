"""Which items of a phone matter for a query now, and how sure the ranker is of each.

Asked of a phone whose use is known well enough: of one where next to nothing was noted yet, the ranker, which learnt
from weeks of use, has nothing to go by, and says nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from camphor.device.database import erase, index_file
from camphor.errors import CamphorError
from camphor.retrieval.context.candidates import Candidates, pick
from camphor.retrieval.context.documents import index_of_device, keep_index, situation_of_device
from camphor.retrieval.context.features import features
from camphor.retrieval.context.items import Item, item_of, items_of
from camphor.retrieval.context.model import RankerModel, read_model
from camphor.retrieval.context.rankers import forest_scores, fused

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.retrieval.context.index import ContextIndex, TextEncoder

ENOUGH_USES = 50
"""A week of a little-used phone; the phones that the ranker learnt from have four to eight weeks of use."""
MOST = 5


@dataclass(frozen=True)
class Relevant:
    """An item that may matter for a query.

    Attributes:
        app: whose it is. record: as the phone has it now. title: the field that names it.
        sure: the ranker's scores as shares of one (softmax over all items that were ranked), from 0 to 1.
    """

    app: str
    record: Mapping[str, Any]
    title: str
    sure: float


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
        if device.path:
            device.before_close.append(self.keep)

    def items(self, query: str, k: int = MOST) -> tuple[Relevant, ...]:
        """The items that fit best, best first, at most `k`; none on a phone with hardly any known use.

        Raises:
            StoreError: the phone cannot be read. ModelMissing: the ranker or the table of vectors cannot be read.
        """
        if self._device.usage.signals().count.sum() < ENOUGH_USES:
            return ()
        found = self._ranked(query, k)
        if any(relevant is None for relevant in found):
            # made of other records: of a phone that was put in this one's place, say
            self._index = self._current(anew=True)
            found = self._ranked(query, k)
        return tuple(relevant for relevant in found if relevant is not None)

    def _ranked(self, query: str, k: int) -> list[Relevant | None]:
        """The best items; None for one that is not what the index says."""
        index, situation = self._current(), situation_of_device(self._device)
        picked = pick(query, situation, index)
        if not len(picked):
            return []
        model = self._model = self._model or read_model()
        table = features(query, picked, situation, index, model.reader).table
        within, overall = forest_scores(model, table, picked.store, [".".join(store) for store in index.stores])
        order = np.argsort(-fused(within, overall, picked.store), kind="stable")[:k]
        sure = shares(overall)
        return [self._relevant(index, picked, int(place), float(sure[place])) for place in order]

    def _relevant(self, index: ContextIndex, picked: Candidates, place: int, sure: float) -> Relevant | None:
        ref = index.ref(int(picked.rows[place]))
        kept, record = index.item(ref), self._device.record(ref)
        if kept is None or record is None or not _same(kept, item_of(ref, record, self._device.zone)):
            return None
        return Relevant(ref.app, record, kept.title, sure)

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


def forget_index(store: Path) -> None:
    """Erase the index of a phone, if there is one. Raises OSError: it cannot be deleted."""
    if path := index_file(store):
        erase(path)


def shares(scores: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    """Scores as shares of one (softmax), (n,)."""
    raised = np.exp(np.asarray(scores, np.float64) - np.max(scores))
    return np.asarray(raised / raised.sum())


def _same(one: Item, other: Item) -> bool:
    return (one.text, one.title, one.moments) == (other.text, other.title, other.moments)

"""What a query asks for, here and now: a small network reads it and weighs the items of a phone.

The encoder of the reader of records, with changes of low rank, reads the query beside the place, the hour and what the
screen shows. Of what it makes of them follow a direction for texts of items, one for what their stores are for, a
weight for each thing that use and time tell of them, and one for mixtures of all three; an item's score is the sum of
the four products. Nothing of an item is read by the network, so that a hundred thousand items cost no more than one.
Beside the items stands one thing more: that the query names what it is about, or asks for nothing that the phone has.
`camphor_lab.training.query_reader` trains it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.device.usage_events import seconds
from camphor.retrieval.reading.encoder import SPECIAL, Changes, Encoder, gelu, word_pieces
from camphor.retrieval.reading.reader import read_reader

Floats = npt.NDArray[np.float32]

QUERY, AROUND = 40, 24
"""Pieces of a query, and of its place, hour and screen, that are read."""
_SCREEN = 80  # characters
MOST_APART = 4.0
"""Standard deviations from the mean beyond which a feature says no more."""
SIDES = ("text", "store", "use", "mixed")
"""What an item is weighed by: see `QueryReader.scores`."""
HEADS = (*SIDES, "named")


@dataclass(frozen=True)
class UseSituation:
    """The moment of a query.

    Attributes:
        now: the device's clock, naive local time.
        place: where the person is, by the name that usage events use ("work"); empty where it is not known.
        screen: plain text of what the screen shows.
        activity: lines of what was done lately, oldest first.
    """

    now: datetime
    place: str = ""
    screen: str = ""
    activity: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The clock in seconds, on the scale of the moments of items and of usage signals."""
        return seconds(self.now)


def pieces_of(query: str, situation: UseSituation) -> list[int]:
    """A query and its situation as the network reads them: numbers of word pieces."""
    first, between = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
    around = f"{situation.place} {situation.now:%A} {situation.now.hour} {situation.screen[:_SCREEN]}"
    cut = word_pieces().cut
    return [first, *cut(query)[:QUERY], between, *cut(around)[:AROUND], between]


@dataclass(frozen=True)
class QueryReading:
    """What a query asks for.

    Attributes:
        towards: directions, by the names of `SIDES`, in which items score high; "use" has one weight for each feature.
        named: how well it fits, beside the items' scores, that the query leaves nothing unsaid that the phone knows.
    """

    towards: Mapping[str, Floats]
    named: float


@dataclass(frozen=True, eq=False)
class QueryReader:
    """The trained network.

    Attributes:
        changes: of the encoder of the reader of records.
        features: names of the features that it weighs, in the order of their columns.
        middle, spread: of each feature in training, (features,).
        heads: float32, of each of `HEADS` weights, (outputs, 2 x width), and under its name with "_bias" a bias.
        items: float32, what makes of an item what the directions are compared with: `text`, (k, dimensions), of its
            vector, `store`, (k, dimensions), of its store's vector; `mix`, (hidden, features + 2 k), with `mix_bias`,
            and `mixed`, (k, hidden), with `mixed_bias`, of both and its features.
    """

    changes: Changes
    features: tuple[str, ...]
    middle: Floats
    spread: Floats
    heads: Mapping[str, Floats]
    items: Mapping[str, Floats]

    @cached_property
    def encoder(self) -> Encoder:
        """The changed encoder. Raises ModelMissing: there is no reader of records, or another than was changed."""
        return self.changes.on(read_reader())

    def read(self, query: str, situation: UseSituation) -> QueryReading:
        """What a query asks for in its situation. Raises ModelMissing: as `encoder`."""
        hidden = self.encoder.hidden([pieces_of(query, situation)])[0]
        pooled = np.concatenate([hidden.mean(0), hidden[0]])
        told = {name: self.heads[name] @ pooled + self.heads[f"{name}_bias"] for name in HEADS}
        return QueryReading({side: told[side] for side in SIDES}, float(told["named"][0]))

    def scores(
        self, reading: QueryReading, vectors: Floats, store_vectors: Floats, store: npt.NDArray[Any], table: Floats
    ) -> Floats:
        """How well each item fits a reading, by each of `SIDES`: (items, 4). Their sum is the logarithm of a share.

        Args:
            vectors: the items', (items, dimensions). store_vectors: the stores', (stores, dimensions).
            store: the number of each item's store, (items,). table: the items' features, (items, features).
        """
        towards, items = reading.towards, self.items
        use = np.clip((table - self.middle) / self.spread, -MOST_APART, MOST_APART)
        text, stores = vectors @ items["text"].T, (store_vectors @ items["store"].T)[store]
        inner = gelu(np.concatenate([use, text, stores], axis=1) @ items["mix"].T + items["mix_bias"])
        mixed = inner @ items["mixed"].T + items["mixed_bias"]
        sides = (text @ towards["text"], stores @ towards["store"], use @ towards["use"], mixed @ towards["mixed"])
        return np.asarray(np.stack(sides, axis=1), np.float32)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is kept in a file, by name, beside `features` and the mark of `changes`."""
        named = {f"change_{name}": array for name, array in self.changes.arrays().items()}
        named |= {f"head_{name}": array.astype(np.float16) for name, array in self.heads.items()}
        named |= {f"item_{name}": array.astype(np.float16) for name, array in self.items.items()}
        return {**named, "middle": self.middle, "spread": self.spread}

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]], features: tuple[str, ...], mark: str) -> QueryReader:
        """What `arrays` gave. Raises KeyError: they are of none."""
        parts: dict[str, dict[str, npt.NDArray[Any]]] = {"change": {}, "head": {}, "item": {}}
        for name, array in arrays.items():
            part, _, rest = name.partition("_")
            if part in parts:
                parts[part][rest] = array
        heads, items = (
            {name: each.astype(np.float32) for name, each in parts[part].items()} for part in ("head", "item")
        )
        return cls(Changes.of(parts["change"], mark), features, arrays["middle"], arrays["spread"], heads, items)
